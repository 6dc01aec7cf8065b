"""The layout of the published ClaimRAG-LAW set: per law and language a file of questions and one of claims.

`<law>-rag` has its items under `input_data`; `<law>-claim` is a list. The fields are those of the published set, and
one more, `claimrag`, with what that set has no field for. What an expert fills (`answer_correctness`,
`claim_correctness`, `claim_entailment`) is null until an expert has validated the row: a label by a model is no
expert's, and stands under `claimrag` with the model's name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from claimrag.schemas.base import QuestionId
from claimrag.schemas.question import ReviewStatus
from claimrag.tasks.layouts.folder import JSON_ARRAY, ExportFolder, Framing
from claimrag.tasks.layouts.layout import Layout
from claimrag.tasks.layouts.naming import plain_name
from claimrag.tasks.layouts.published_words import CATEGORY_WORDS, PERSONA_WORDS, Correctness
from claimrag.tasks.layouts.source import ReleaseRows
from claimrag.tasks.release.law_rows import ClaimRow, QaRow

FIELD = "input_data"
INPUT_DATA = Framing(f'{{"{FIELD}": [\n', ",\n", "\n]}\n")
OURS = "claimrag"
"""The field of an item that holds what the published set has no field for."""


def write(source: ReleaseRows, folder: ExportFolder) -> None:
    """Write `<law>-rag.json` and `<law>-claim.json` for each law and language that has questions."""
    questions, claims = source.by_act(source.rows(QaRow)), source.by_act(source.rows(ClaimRow))
    for (law_id, language), versions in source.laws.items():
        name = plain_name(law_id, language)
        with (
            folder.file(f"{name}-rag.json", INPUT_DATA) as asked,
            folder.file(f"{name}-claim.json", JSON_ARRAY) as claimed,
        ):
            for act_id in versions:
                by_question: defaultdict[QuestionId, list[ClaimRow]] = defaultdict(list)
                for claim in claims.of(act_id):
                    by_question[claim.question_id].append(claim)
                for question in questions.of(act_id):
                    asked.add(_question_item(question))
                    if question.id in by_question:
                        claimed.add(_claims_item(question, by_question[question.id]))


def _question_item(question: QaRow) -> dict[str, Any]:
    return _shared(question) | {
        "answer_correctness": Correctness.CORRECT if _is_validated(question) else None,
        "question_category": CATEGORY_WORDS[question.category],
        "persona": PERSONA_WORDS[question.persona],
        OURS: {
            "review": question.review,
            "act_id": question.act_id,
            "evidence": [one.quotation for one in question.evidence],
            "rationale": question.rationale,
            "false_premise": None
            if question.false_premise is None
            else question.false_premise.model_dump(mode="json"),
            "model": question.model,
        },
    }


def _claims_item(question: QaRow, claims: Sequence[ClaimRow]) -> dict[str, Any]:
    return _shared(question) | {"claims": [_claim(claim) for claim in claims]}


def _shared(question: QaRow) -> dict[str, Any]:
    return {
        "query_id": question.id,
        "query": question.question,
        "relevant_chunk": question.context,
        "gt_answer": question.answer,
    }


def _claim(claim: ClaimRow) -> dict[str, Any]:
    validated = _is_validated(claim)
    return {
        "claim": [claim.subject, claim.predicate, claim.object],
        "claim_correctness": Correctness.CORRECT if validated else None,
        "claim_entailment": claim.label if validated else None,
        OURS: {
            "id": claim.id,
            "review": claim.review,
            "label": claim.label,
            "labelled_by": claim.labelled_by,
        },
    }


def _is_validated(row: QaRow | ClaimRow) -> bool:
    return row.review is ReviewStatus.EXPERT_VALIDATED


LAYOUT = Layout(
    name="claimrag-law",
    about=(
        "`<law>-rag.json` (items under `input_data`) and `<law>-claim.json` (a list) per law and language, with the "
        "fields of the published ClaimRAG-LAW set. `answer_correctness`, `claim_correctness` and `claim_entailment` "
        "are null where no expert has validated the row; `claimrag` holds what that set has no field for, such as "
        "the label that a model gave."
    ),
    needs=(QaRow, ClaimRow),
    write=write,
)
