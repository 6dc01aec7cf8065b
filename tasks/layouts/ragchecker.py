"""The layout of RAGChecker: one file per run, as `RAGResults.from_json` reads it.

Claims and verdicts go with an answer that was scored, under RAGChecker's own names, so that its metrics can be
computed again without a model. Where the reference claims are no longer those that were checked, verdicts stay out.
"""

from __future__ import annotations

from typing import Any

from claimrag.schemas.run import ScoreStatus
from claimrag.tasks.layouts.folder import ExportFolder, Framing
from claimrag.tasks.layouts.layout import Layout
from claimrag.tasks.layouts.runs import OF_RUNS, Answered, write_runs
from claimrag.tasks.layouts.source import ReleaseRows

RESULTS = Framing('{"results": [\n', ",\n", "\n]}\n")


def write(source: ReleaseRows, folder: ExportFolder) -> None:
    """Write one file per run."""
    write_runs(source, folder, ".json", RESULTS, _result)


def _result(answered: Answered) -> dict[str, Any]:
    answer, question = answered.answer, answered.question
    result = {
        "query_id": question.id,
        "query": question.question,
        "gt_answer": question.answer,
        "response": answer.response,
        "retrieved_context": [{"doc_id": chunk_id, "text": text} for chunk_id, text in answered.texts],
    }
    if answer.status is not ScoreStatus.OK or len(answered.claims) != len(answer.response2answer):
        return result
    return result | {
        "response_claims": [list(triplet) for triplet in answer.response_claims],
        "gt_answer_claims": [[one.subject, one.predicate, one.object] for one in answered.claims],
        "answer2response": list(answer.answer2response),
        "response2answer": list(answer.response2answer),
        "retrieved2response": [list(row) for row in answer.retrieved2response],
        "retrieved2answer": [list(row) for row in answer.retrieved2answer],
    }


LAYOUT = Layout(
    name="ragchecker",
    about=(
        "One JSON file per run, as `ragchecker.RAGResults.from_json` reads it. Answers that were scored bring their "
        "claims and verdicts, so that the metrics can be computed again without a model."
    ),
    needs=OF_RUNS,
    write=write,
)
