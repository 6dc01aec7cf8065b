"""The rows of a published dataset: flat, typed, readable without knowing claimrag's own tables.

One noun per configuration. A question and a claim are one row each, however many versions of the law they hold in;
texts of the law are one row per version. Offsets stay offsets into the canonical text of the act that is named
beside them; subtract the `start` of the context unit to find a quotation in its `text`.
"""

from __future__ import annotations

from datetime import date
from typing import Any

from claimrag.schemas.base import (
    ActId,
    ChunkId,
    ClaimId,
    ContextUnitId,
    LawId,
    Noun,
    QuestionId,
    RunId,
    UnitId,
)
from claimrag.schemas.claim import ClaimOrigin, Label
from claimrag.schemas.context import ContextStrategy, Sentence
from claimrag.schemas.occurrence import Evidence
from claimrag.schemas.question import Category, FalsePremise, Hop, Persona, ReviewStatus
from claimrag.schemas.reason import Kind, Reason
from claimrag.schemas.release import ChangeKind, ChangeReason
from claimrag.schemas.run import MeanScore, RagSystem, ScoreStatus
from claimrag.schemas.unit import UnitKind, UnitStatus


class OccurrenceRow(Noun):
    """One version of the law in which a question holds, and where its quotations stand in that version's text."""

    act_id: ActId
    version_date: date
    evidence: tuple[Evidence, ...]


class QaRow(Noun):
    """A question with its reference answer, the law it is asked about, and how it was generated.

    `act_id`, `title`, `version_date` and `evidence` are those of the newest version in which it holds; `versions` and
    `occurrences` name every version of this release in which it holds, the oldest first. `in_force` says whether the
    newest version of its law and language in this release is one of them. `context` is the text of the context units,
    joined by a blank line.
    """

    id: QuestionId
    question: str
    answer: str
    rationale: str
    category: Category
    persona: Persona
    hop: Hop
    language: str
    law_id: LawId
    act_id: ActId
    celex: str | None
    eli: str | None
    title: str
    version_date: date
    versions: tuple[ActId, ...]
    in_force: bool
    context_unit_ids: tuple[ContextUnitId, ...]
    context: str
    evidence: tuple[Evidence, ...]
    occurrences: tuple[OccurrenceRow, ...]
    false_premise: FalsePremise | None
    model: str
    temperature: float | None
    temperature_note: str
    seed: int | None
    prompt_id: str
    prompt_hash: str
    review: ReviewStatus


class ClaimRow(Noun):
    """A triplet from a reference answer, and how the law's text relates to it.

    `act_id`, `versions` and `in_force` are those of its question; `unit_ids` are the units of `act_id` that hold the
    question's evidence. `label_prompt_id` is the prompt that asked for the label.
    """

    id: ClaimId
    question_id: QuestionId
    question: str
    language: str
    law_id: LawId
    act_id: ActId
    versions: tuple[ActId, ...]
    in_force: bool
    unit_ids: tuple[UnitId, ...]
    order: int
    subject: str
    predicate: str
    object: str
    sentence: str
    label: Label
    origin: ClaimOrigin
    extracted_by: str
    labelled_by: str
    label_prompt_id: str
    review: ReviewStatus


class CorpusRow(Noun):
    """An article, recital or annex of one version: what a retriever may index.

    The baselines were given the rows with `newest_version`: those of the newest version in this release.
    """

    unit_id: UnitId
    act_id: ActId
    celex: str | None
    eli: str | None
    title: str
    language: str
    version_date: date
    newest_version: bool
    kind: UnitKind
    number: str | None
    label: str | None
    heading: str | None
    path: tuple[str, ...]
    status: UnitStatus
    start: int
    end: int
    text: str


class ContextUnitRow(Noun):
    """What a question's generator saw, with its numbered sentences, as it stands in one version."""

    id: ContextUnitId
    act_id: ActId
    language: str
    version_date: date
    newest_version: bool
    strategy: ContextStrategy
    order: int
    heading: str
    unit_ids: tuple[UnitId, ...]
    start: int
    end: int
    tokens: int
    text: str
    sentences: tuple[Sentence, ...]


class RunRow(Noun):
    """One evaluated system over the questions of one language: what it was, and its means in percent."""

    id: RunId
    name: str
    language: str
    acts: tuple[ActId, ...]
    questions: int
    system: RagSystem
    scores: tuple[MeanScore, ...]


class RetrievedChunk(Noun):
    """One chunk that a system was given, by its rank from 1; the text is in the configuration `chunks`."""

    rank: int
    chunk_id: ChunkId
    score: float
    holds_evidence: bool


class AnswerRow(Noun):
    """What one system answered to one question, and everything that its scores are computed from.

    Axes of the matrices: response claims are those of `response_claims`, reference claims those of the question in
    the configuration `claims` by their `order`, chunks those of `retrieved` by their rank. `answer2response[i]`: is
    response claim i entailed by the reference answer; `response2answer[j]`: is reference claim j entailed by the
    response; `retrieved2response[i][k]` and `retrieved2answer[j][k]`: by chunk k. Metrics are fractions 0..1, null
    where they are not defined, and where `status` is not `ok`.
    """

    run_id: RunId
    system: str
    question_id: QuestionId
    act_id: ActId
    language: str
    status: ScoreStatus
    response: str | None
    retrieved: tuple[RetrievedChunk, ...]
    response_claims: tuple[tuple[str, str, str], ...]
    answer2response: tuple[Label, ...]
    response2answer: tuple[Label, ...]
    retrieved2response: tuple[tuple[Label, ...], ...]
    retrieved2answer: tuple[tuple[Label, ...], ...]
    precision: float | None
    recall: float | None
    f1: float | None
    claim_recall: float | None
    context_precision: float | None
    context_utilization: float | None
    noise_sensitivity_in_relevant: float | None
    noise_sensitivity_in_irrelevant: float | None
    hallucination: float | None
    self_knowledge: float | None
    faithfulness: float | None
    unit_recall: float | None
    unit_mrr: float | None
    character_recall: float | None
    character_precision: float | None


class ChunkRow(Noun):
    """A piece of the newest version of a law, as the retrievers indexed it: prefix, body, references."""

    id: ChunkId
    act_id: ActId
    chunker: str
    language: str
    order: int
    unit_ids: tuple[UnitId, ...]
    start: int
    end: int
    tokens: int
    prefix: str
    body: str
    references: tuple[str, ...]


class RejectionRow(Noun):
    """A row that a stage did not keep: what it was about, why it was rejected, and the raw material.

    `item` names the context unit, question or claim; `kind` says whether a check spoke against the row (judgement) or a
    model or an endpoint failed (malfunction). `detail` and `raw` are at most 2,000 characters of what the stage noted
    and of the model's text, unchanged and unchecked; both are empty where the words are an endpoint's.
    """

    id: str
    stage: str
    act_id: ActId
    law_id: LawId
    language: str
    item: str
    reason: Reason
    kind: Kind
    meaning: str
    detail: str
    raw: str


class ChangeRow(Noun):
    """A row that was added, removed or changed since the previous release, and why, where the law tells.

    `key` holds the values of the columns that name the row in its configuration. `reason` is of rows that were in the
    previous release: `amended`, units that a question or claim rests on have other words in the newest version of the
    law here; `gone`, that version has no such units; `unit_ids` names them, as they were. `law_left` and
    `version_left`: the law, or the versions it held in, are no part of this release. `law_unchanged`: the units have
    the same words, and the row was made anew or not kept. Null where neither release tells.
    """

    configuration: str
    kind: ChangeKind
    key: tuple[str, ...]
    reason: ChangeReason | None
    unit_ids: tuple[UnitId, ...]


REQUIRED: dict[str, type[Noun]] = {
    "qa": QaRow,
    "claims": ClaimRow,
    "corpus": CorpusRow,
    "context_units": ContextUnitRow,
}
"""The configurations that every release has, the default one first."""
OPTIONAL: dict[str, type[Noun]] = {
    "runs": RunRow,
    "answers": AnswerRow,
    "chunks": ChunkRow,
    "rejected": RejectionRow,
}
"""Those that a release may have: baselines that were scored, rows that were rejected. Without a row there is none."""
COMPARED: dict[str, type[Noun]] = REQUIRED | OPTIONAL
"""The content of a release, which is compared with that of the previous one."""
CHANGES = "changes"
CONFIGURATIONS: dict[str, type[Noun]] = COMPARED | {CHANGES: ChangeRow}
"""Everything that a release may hold. What changed is no content: it is about two releases, not about one."""
SPLIT = "test"
CORPUS_KINDS = (UnitKind.ARTICLE, UnitKind.RECITAL, UnitKind.ANNEX)


def data_path(configuration: str) -> str:
    """Where the rows of a configuration lie in the release folder."""
    return f"data/{configuration}/{SPLIT}.parquet"


def columns(row: type[Noun], *nouns: Noun, **own: Any) -> dict[str, Any]:
    """The columns of `row`: those in `own`, then each from the first of `nouns` that has a field of its name."""
    found: dict[str, Any] = {}
    for noun in reversed(nouns):
        shared = row.model_fields.keys() & type(noun).model_fields.keys()
        found.update((name, getattr(noun, name)) for name in shared)
    return found | own
