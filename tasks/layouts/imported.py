"""Turns questions of a published set into questions of an act: their words placed in its text and context units.

Promises: every quotation is the act's own words at real offsets, whatever the set's white space and quotation marks;
a question that cannot be placed is rejected with its reason. No model is used, and none is named: what a set does not
say of how its questions were made is `imported`. What the set's experts found is theirs: every row is unreviewed here.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from claimrag.legal_sources.parsed import own_text_start
from claimrag.schemas.act import Act, law_of
from claimrag.schemas.base import QuestionId
from claimrag.schemas.canonical import canonical_json, content_id, sha256_text
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.question import IMPORTED, Hop, ModelTrace, Question, Quotation
from claimrag.schemas.reason import Reason
from claimrag.schemas.rejected import Rejected
from claimrag.schemas.unit import Unit, UnitKind, UnitStatus
from claimrag.tasks.layouts.place import LawText, NotPlaced, Span
from claimrag.tasks.layouts.published_words import Correctness
from claimrag.tasks.layouts.question_set import SetQuestion
from claimrag.tasks.store.outcome import Outcome

STAGE = "questions"
TRACE = ModelTrace(
    model=IMPORTED,
    temperature=None,
    temperature_note=IMPORTED,
    seed=None,
    prompt_id=IMPORTED,
    prompt_hash=IMPORTED,
    request_key=IMPORTED,
)
_RAW = 2000


def import_into(
    act: Act, units: Sequence[Unit], text: str, contexts: Sequence[ContextUnit], asked: Iterable[SetQuestion]
) -> Outcome[Question]:
    """The questions that can be placed in the act, in order; the others are rejected by their `query_id`."""
    law = _Law(act, units, LawText(text), contexts)
    kept: dict[QuestionId, Question] = {}
    rejected: list[Rejected] = []
    for one in asked:
        try:
            question = law.question(one)
            if question.id in kept:
                raise NotPlaced(Reason.DUPLICATE, "A question before it has the same words and evidence.")
            kept[question.id] = question
        except NotPlaced as found:
            rejected.append(
                Rejected(
                    stage=STAGE,
                    item=one.query_id,
                    reason=found.reason,
                    detail=found.detail,
                    raw=one.relevant_chunk[:_RAW],
                )
            )
    return Outcome(list(kept.values()), rejected)


class _Law:
    def __init__(
        self, act: Act, units: Sequence[Unit], text: LawText, contexts: Sequence[ContextUnit]
    ) -> None:
        self._act, self._text = act, text
        self._contexts = sorted(contexts, key=lambda context: context.start)
        self._ends = [context.end for context in self._contexts]
        self._no_evidence = list(_without_evidence(units))

    def question(self, one: SetQuestion) -> Question:
        """The question with its quotations; raises NotPlaced."""
        if one.correctness is Correctness.INCORRECT:
            raise NotPlaced(Reason.ANSWER_INCORRECT, "The set says that the answer is incorrect.")
        chunk = self._text.place(one.relevant_chunk)
        quoted = list(self._quoted(one, chunk))
        if not quoted:
            raise _outside()
        contexts = list({context.id: context for context, _ in quoted}.values())
        ids = tuple(context.id for context in contexts)
        hashes = [context.text_sha256 for context in contexts]
        hop = Hop.SINGLE if len(contexts) == 1 else Hop.MULTI
        identity = [*ids, hop.value, one.category.value, one.query, one.gt_answer]
        return Question(
            id=QuestionId(content_id("q", identity)),
            law_id=law_of(self._act.id),
            context_unit_ids=ids,
            context_sha256=hashes[0] if len(hashes) == 1 else sha256_text(canonical_json(hashes)),
            hop=hop,
            category=one.category,
            persona=one.persona,
            language=self._act.language,
            question=one.query,
            answer=one.gt_answer,
            rationale=one.rationale or IMPORTED,
            quotations=tuple(_quotation(context, span) for context, span in quoted),
            false_premise=one.false_premise,
            generated_by=TRACE,
        )

    def _quoted(self, one: SetQuestion, chunk: Sequence[Span]) -> Iterator[tuple[ContextUnit, Span]]:
        """Each quotation in its context unit: those the set names, or the whole chunk, cut at context units."""
        spans = [self._evidence(words, chunk) for words in one.evidence] or chunk
        for span in spans:
            yield from self._cut(span)

    def _evidence(self, words: str, chunk: Sequence[Span]) -> Span:
        for within in chunk:
            found = self._text.first(words, within)
            if found is not None:
                return found
        raise NotPlaced(Reason.QUOTATION_NOT_FOUND, "A quotation does not stand in the words it is from.")

    def _cut(self, span: Span) -> Iterator[tuple[ContextUnit, Span]]:
        """The parts of a span by context unit; what lies between them must be no evidence."""
        start, end = span
        place = bisect_right(self._ends, start)
        reached = start
        while place < len(self._contexts) and self._contexts[place].start < end:
            context = self._contexts[place]
            self._check_no_evidence(reached, context.start)
            reached = min(end, context.end)
            part = self._trimmed(max(start, context.start), reached)
            if part is not None:
                yield context, part
            place += 1
        self._check_no_evidence(reached, end)

    def _trimmed(self, start: int, end: int) -> Span | None:
        words = self._text.text[start:end]
        if not words.strip():
            return None
        return start + len(words) - len(words.lstrip()), end - (len(words) - len(words.rstrip()))

    def _check_no_evidence(self, start: int, end: int) -> None:
        """A recital or an annex that no context unit holds is evidence, and must not get lost."""
        position = start
        for line in self._text.text[start:end].splitlines(keepends=True):
            part = self._trimmed(position, position + len(line))
            if part is not None and not self._is_no_evidence(part):
                raise _outside()
            position += len(line)

    def _is_no_evidence(self, part: Span) -> bool:
        if not any(character.isalpha() for character in self._text.text[part[0] : part[1]]):
            return True
        place = bisect_right(self._no_evidence, part[0], key=lambda span: span[0]) - 1
        return place >= 0 and part[1] <= self._no_evidence[place][1]


def _without_evidence(units: Iterable[Unit]) -> Iterator[Span]:
    """What no question can rest on: the law's name, headings, and articles without force. One after another.

    Of two units that begin together the outer one comes first; its heading ends where the inner one's begins.
    """
    reached = 0
    for unit in sorted(units, key=lambda unit: (unit.start, -unit.end)):
        has_force = unit.status is not UnitStatus.ABROGATED and unit.kind is not UnitKind.TITLE_OF_ACT
        end = own_text_start(unit) if has_force else unit.end
        if end > reached:
            yield max(unit.start, reached), end
            reached = end


def _quotation(context: ContextUnit, span: Span) -> Quotation:
    start, end = span[0] - context.start, span[1] - context.start
    number = next((one.number for one in context.sentences if (one.start, one.end) == span), None)
    return Quotation(
        context_unit_id=context.id, sentence=number, start=start, end=end, text=context.text[start:end]
    )


def _outside() -> NotPlaced:
    return NotPlaced(
        Reason.OUTSIDE_CONTEXT,
        "The words it rests on stand in the law, but outside its context units; with "
        "CLAIMRAG_GENERATE__STRATEGY=p these hold the whole law.",
    )
