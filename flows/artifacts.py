"""What a run shows in the Prefect UI: a summary, tables of counts and scores, progress, a link to the release."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from prefect.artifacts import (
    acreate_link_artifact,
    acreate_markdown_artifact,
    acreate_progress_artifact,
    acreate_table_artifact,
    aupdate_progress_artifact,
)

from claimrag.schemas.build import BuildSummary
from claimrag.tasks.run.report import counts_rows, release_link, score_rows, summary_markdown
from claimrag.tasks.validate.step import ValidationOutcome

PHASES = ("sources", "questions and claims", "evaluation", "validation", "release")


async def begin_progress() -> UUID:
    """The progress artifact of a build, at 0 %."""
    return await acreate_progress_artifact(key="progress", progress=0.0, description="Phases of the build")


async def reached(artifact: UUID, phase: str) -> None:
    """`phase` is complete."""
    done = 100.0 * (PHASES.index(phase) + 1) / len(PHASES)
    await aupdate_progress_artifact(artifact_id=artifact, progress=done, description=f"complete: {phase}")


async def publish(summary: BuildSummary, checked: ValidationOutcome) -> None:
    """Make the artifacts of a finished build. Their texts hold no key and no law text."""
    await acreate_markdown_artifact(
        key="build-summary", markdown=summary_markdown(summary), description=summary.verdict
    )
    await acreate_markdown_artifact(
        key="validation", markdown=checked.markdown, description="Great Expectations on every table"
    )
    await acreate_table_artifact(
        key="stage-counts", table=_rows(counts_rows(summary)), description="Kept and rejected rows per stage"
    )
    if summary.runs:
        await acreate_table_artifact(
            key="baseline-scores", table=_rows(score_rows(summary)), description="RAG baselines, in percent"
        )
    if summary.release_path:
        await acreate_link_artifact(
            key="release",
            link=release_link(summary.release_path),
            link_text=f"release {summary.release_version}",
            description=summary.release_path,
        )


def _rows(rows: list[dict[str, str]]) -> list[dict[str, Any]]:
    return [dict(row) for row in rows]
