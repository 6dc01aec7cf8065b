"""The layout of RAGAS: samples as JSON lines, as `EvaluationDataset.from_jsonl` reads them.

`questions.jsonl` has the questions alone; where systems were scored there is one file per run besides, with what the
system was given and answered. Reference contexts are the context units that the question was written from.
"""

from __future__ import annotations

from typing import Any

from claimrag.tasks.layouts.folder import JSON_LINES, ExportFolder
from claimrag.tasks.layouts.layout import Layout
from claimrag.tasks.layouts.runs import OF_RUNS, Answered, write_runs
from claimrag.tasks.layouts.source import ReleaseRows
from claimrag.tasks.release.law_rows import QaRow


def write(source: ReleaseRows, folder: ExportFolder) -> None:
    """Write questions.jsonl, and one file per run where there are any."""
    with folder.file("questions.jsonl") as file:
        for question in source.rows(QaRow):
            file.add(_sample(question))
    if all(source.holds(model) for model in OF_RUNS):
        source.check(OF_RUNS)
        write_runs(source, folder, ".jsonl", JSON_LINES, _answered)


def _sample(question: QaRow) -> dict[str, Any]:
    return {
        "user_input": question.question,
        "reference": question.answer,
        "reference_contexts": _contexts(question),
        "reference_context_ids": list(question.context_unit_ids),
        "persona_name": question.persona,
        "question_id": question.id,
    }


def _contexts(question: QaRow) -> list[str]:
    """The context units one by one: a release joins them by a blank line, and no law's text has one."""
    units = question.context.split("\n\n")
    return units if len(units) == len(question.context_unit_ids) else [question.context]


def _answered(answered: Answered) -> dict[str, Any]:
    return _sample(answered.question) | {
        "response": answered.answer.response,
        "retrieved_contexts": [text for _, text in answered.texts],
        "retrieved_context_ids": [chunk_id for chunk_id, _ in answered.texts],
    }


LAYOUT = Layout(
    name="ragas",
    about=(
        "`questions.jsonl` and one file per run, as `ragas.EvaluationDataset.from_jsonl` reads them. Reference "
        "contexts are the words of the law that a question was written from; `question_id` is ours."
    ),
    needs=(QaRow,),
    write=write,
)
