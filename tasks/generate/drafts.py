"""Drafts: a question-answer pair as the model wrote it, and the schema it is asked with.

The schema of a prompt is narrowed to the sentences that are shown: the model can only cite what exists.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from claimrag.schemas.act import law_of
from claimrag.schemas.base import QuestionId
from claimrag.schemas.canonical import canonical_json, content_id, sha256_text
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.question import (
    Category,
    FalsePremise,
    Hop,
    ModelTrace,
    Persona,
    Question,
    Quotation,
)
from claimrag.tasks.generate.desk import Answer, Desk


@dataclass(frozen=True)
class Draft:
    """What the model wrote, white space tidied; `cited` are sentence numbers, or quotations."""

    question: str
    answer: str
    rationale: str
    cited: tuple[int | str, ...]
    raw: str
    trace: ModelTrace


def read_draft(desk: Desk, answer: Answer) -> Draft:
    """The draft in a reply that followed its schema, with the law's name for "this Regulation"."""
    parsed = answer.parsed
    return Draft(
        question=desk.named(" ".join(str(parsed["question"]).split())),
        answer=desk.named(" ".join(str(parsed["answer"]).split())),
        rationale=without_cut_sentence(" ".join(str(parsed["rationale"]).split())),
        cited=tuple(dict.fromkeys(parsed["evidence"])),
        raw=answer.raw,
        trace=answer.trace,
    )


def without_cut_sentence(text: str) -> str:
    """`text` without the sentence that its length limit cut off; marked with an ellipsis if it has no other."""
    if text.endswith((".", "!", "?", "»", '"')):
        return text
    kept = text[: text.rfind(". ") + 1]
    return kept or f"{text}…"


def with_evidence_among(schema: Mapping[str, Any] | None, numbers: Sequence[int | str]) -> dict[str, Any]:
    """`schema` with `evidence` bounded to `numbers`; without numbers, evidence is quoted in words."""
    narrowed: dict[str, Any] = copy.deepcopy(dict(schema or {}))
    evidence = narrowed["properties"]["evidence"]
    evidence["items"] = {"enum": list(numbers)} if numbers else {"type": "string", "minLength": 10}
    if numbers:
        evidence["items"]["type"] = "integer" if isinstance(numbers[0], int) else "string"
    return narrowed


def build_question(
    desk: Desk,
    draft: Draft,
    contexts: Sequence[ContextUnit],
    quotations: tuple[Quotation, ...],
    *,
    category: Category,
    persona: Persona,
    suitability_reason: str | None = None,
    false_premise: FalsePremise | None = None,
) -> Question:
    """The question as an item: the same in every version of the law that leaves its context units unchanged."""
    hop = Hop.SINGLE if len(contexts) == 1 else Hop.MULTI
    context_ids = tuple(context.id for context in contexts)
    identity = [*context_ids, hop.value, category.value, draft.question, draft.answer]
    hashes = [context.text_sha256 for context in contexts]
    return Question(
        id=QuestionId(content_id("q", identity)),
        law_id=law_of(desk.act.id),
        context_unit_ids=context_ids,
        context_sha256=hashes[0] if len(hashes) == 1 else sha256_text(canonical_json(hashes)),
        hop=hop,
        category=category,
        persona=persona,
        language=desk.act.language,
        question=draft.question,
        answer=draft.answer,
        rationale=draft.rationale,
        quotations=quotations,
        false_premise=false_premise,
        suitability_reason=suitability_reason,
        generated_by=draft.trace,
    )
