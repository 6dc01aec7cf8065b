"""The claims stage: reference answers to labelled claims, each with the models that wrote and labelled it.

Every question is worked on by itself, extraction then labels, as many at a time as requests may be in flight.
A question without usable claims, a repeated claim, a line that is no triplet, a claim in another language: each
is a rejected row with its raw text. Labels are against the question's context units.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from claimrag.schemas.asked import Work
from claimrag.schemas.base import ClaimId, ContextUnitId
from claimrag.schemas.canonical import content_id
from claimrag.schemas.claim import Claim, ClaimOrigin, Label
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.errors import InputError, ModelError
from claimrag.schemas.question import ModelTrace, Question
from claimrag.schemas.reason import Reason
from claimrag.schemas.rejected import Rejected
from claimrag.schemas.settings import ClaimsSettings
from claimrag.tasks.claims.extractor import Extraction, extract_triplets
from claimrag.tasks.claims.labels import label_claims
from claimrag.tasks.claims.triplets import Triplet
from claimrag.tasks.llm.asked import WorkItem, note_kept, working_on
from claimrag.tasks.llm.errors import rejected_row
from claimrag.tasks.llm.gateway import Gateway
from claimrag.tasks.local.language import identify
from claimrag.tasks.store.outcome import Outcome
from claimrag.tasks.together import together

STAGE = "claims"

_SURE = 0.99
_LANGUAGE_NEEDS_CHARACTERS = 40


async def extract_claims(
    questions: Sequence[Question],
    contexts: Mapping[ContextUnitId, ContextUnit],
    gateway: Gateway,
    settings: ClaimsSettings,
    on_progress: Callable[[int, int], None] | None = None,
) -> Outcome[Claim]:
    """The claims of all questions, in the order of the questions and of the answers' text.

    `on_progress` gets the number of questions done and their total. Raises InputError when a question's context
    unit is not given, and the gateway's errors that concern more than one row.
    """
    references = [_reference(question, contexts) for question in questions]
    pairs = zip(questions, references, strict=True)
    outcomes = await together(
        (_claims_of(question, reference, gateway, settings) for question, reference in pairs),
        gateway.max_in_flight,
        on_progress,
    )
    return Outcome.joined(outcomes)


async def _claims_of(
    question: Question, reference: str, gateway: Gateway, settings: ClaimsSettings
) -> Outcome[Claim]:
    with working_on(WorkItem(Work.CLAIMS, question.language, question.id, pieces=(reference,))):
        outcome = await _labelled_claims(question, reference, gateway, settings)
        note_kept(1 if outcome.kept else 0)
    return outcome


async def _labelled_claims(
    question: Question, reference: str, gateway: Gateway, settings: ClaimsSettings
) -> Outcome[Claim]:
    try:
        extraction = await extract_triplets(question.question, question.answer, gateway, settings)
        rejected = rejected_triplets(question.id, extraction, STAGE)
        foreign = {t for t in extraction.triplets if _in_another_language(t, question.language)}
        triplets = [t for t in extraction.triplets if t not in foreign]
        rejected += [_wrong_language(question, t) for t in extraction.triplets if t in foreign]
        if not triplets:
            return Outcome([], [*rejected, _no_claims(question, extraction)])
        labelling = await label_claims(
            triplets,
            [reference],
            question=question.question,
            language=question.language,
            gateway=gateway,
            settings=settings,
        )
    except ModelError as error:
        row = rejected_row(STAGE, question.id, error)
        if row is None:
            raise
        return Outcome([], [row])
    claims = [
        _claim(question, order, triplet, labels[0], extraction.trace, traces[0])
        for order, (triplet, labels, traces) in enumerate(
            zip(triplets, labelling.labels, labelling.traces, strict=True)
        )
    ]
    return Outcome(claims, rejected)


def rejected_triplets(item: str, extraction: Extraction, stage: str) -> list[Rejected]:
    """Rows for repeated triplets, for lines that open like a triplet and are none, and for a reply that was cut."""
    repeated = [
        Rejected(
            stage=stage, item=item, reason=Reason.DUPLICATE, detail="the same claim again", raw=sentence_of(t)
        )
        for t in extraction.repeated
    ]
    malformed = [
        Rejected(
            stage=stage,
            item=item,
            reason=Reason.MALFORMED_TRIPLET,
            detail="not three quoted values in parentheses",
            raw=line,
        )
        for line in extraction.malformed
    ]
    cut = [
        Rejected(stage=stage, item=item, reason=Reason.REPEATS_ITSELF, detail=detail, raw=extraction.raw)
        for detail in (extraction.cut,)
        if detail is not None
    ]
    return repeated + malformed + cut


def sentence_of(triplet: Triplet) -> str:
    """Subject, predicate and object read as one."""
    return " ".join(triplet)


def _reference(question: Question, contexts: Mapping[ContextUnitId, ContextUnit]) -> str:
    missing = [unit_id for unit_id in question.context_unit_ids if unit_id not in contexts]
    if missing:
        raise InputError(
            f"question {question.id}: context units {', '.join(missing)} are not given; segment its act again"
        )
    return "\n\n".join(contexts[unit_id].text for unit_id in question.context_unit_ids)


def _in_another_language(triplet: Triplet, language: str) -> bool:
    """Only where the sentence is long enough and the identifier is sure: terms are short."""
    sentence = sentence_of(triplet)
    if len(sentence) < _LANGUAGE_NEEDS_CHARACTERS:
        return False
    identified, confidence = identify(sentence)
    return identified != language and confidence >= _SURE


def _wrong_language(question: Question, triplet: Triplet) -> Rejected:
    return Rejected(
        stage=STAGE,
        item=question.id,
        reason=Reason.WRONG_LANGUAGE,
        detail=f"the answer is in {question.language}, the claim is not",
        raw=sentence_of(triplet),
    )


def _no_claims(question: Question, extraction: Extraction) -> Rejected:
    return Rejected(
        stage=STAGE,
        item=question.id,
        reason=Reason.NO_CLAIMS,
        detail="the extractor found no claim in the answer",
        raw=extraction.raw,
    )


def _claim(
    question: Question,
    order: int,
    triplet: Triplet,
    label: Label,
    extracted_by: ModelTrace,
    labelled_by: ModelTrace,
) -> Claim:
    subject, predicate, object_ = triplet
    return Claim(
        id=ClaimId(content_id("clm", [question.id, *triplet])),
        question_id=question.id,
        law_id=question.law_id,
        language=question.language,
        order=order,
        subject=subject,
        predicate=predicate,
        object=object_,
        sentence=sentence_of(triplet),
        origin=ClaimOrigin.EXTRACTED,
        label=label,
        extracted_by=extracted_by,
        labelled_by=labelled_by,
    )
