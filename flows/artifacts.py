"""What a run that has ended shows in the Prefect UI: summary, validation, tables of counts and scores, release.

All of it can be read in the browser: a folder of the worker is named, never linked, since no browser opens it.
"""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID

from prefect.artifacts import (
    acreate_link_artifact,
    acreate_markdown_artifact,
    acreate_progress_artifact,
    acreate_table_artifact,
)

from claimrag.schemas.build import BuildSummary
from claimrag.tasks.run.report import counts_rows, score_rows, summary_markdown
from claimrag.tasks.validate.step import ValidationOutcome


def artifact_key(kind: str, run_id: str) -> str:
    """The key of an artifact of one run: laws and builds that share a server do not overwrite each other's."""
    return re.sub(r"[^a-z0-9]+", "-", f"{kind}-{run_id}".lower())


async def begin_progress(run_id: str) -> UUID:
    """The progress artifact of a build, at 0 %."""
    return await acreate_progress_artifact(
        key=artifact_key("progress", run_id), progress=0.0, description="Phases of the build"
    )


async def publish(summary: BuildSummary, checked: ValidationOutcome) -> None:
    """Make the artifacts of a finished build. Their texts hold no key and no law text."""

    def key(kind: str) -> str:
        return artifact_key(kind, summary.run)

    await acreate_markdown_artifact(
        key=key("summary"), markdown=summary_markdown(summary), description=summary.verdict
    )
    await acreate_markdown_artifact(
        key=key("validation"), markdown=checked.markdown, description="Great Expectations on every table"
    )
    await acreate_table_artifact(
        key=key("stage-counts"),
        table=_rows(counts_rows(summary)),
        description="Kept and rejected rows per stage",
    )
    if summary.runs:
        await acreate_table_artifact(
            key=key("baseline-scores"),
            table=_rows(score_rows(summary)),
            description="RAG baselines, in percent",
        )
    if summary.release_path and "://" in summary.release_path:
        await acreate_link_artifact(
            key=key("release"),
            link=summary.release_path,
            link_text=f"release {summary.release_version}",
            description=summary.release_path,
        )


def _rows(rows: list[dict[str, str]]) -> list[dict[str, Any]]:
    return [dict(row) for row in rows]
