"""`claimrag import FILE... --act ACT`: the questions of a published set come into a workspace."""

from __future__ import annotations

import asyncio
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from claimrag.flows.cli.journal import log_into
from claimrag.flows.cli.options import Date, Json, Languages, LawVersion, Licence, Title, Workspace
from claimrag.flows.cli.output import print_json, print_lines, print_sentences
from claimrag.flows.cli.reasons import legend
from claimrag.flows.cli.run import build_request
from claimrag.flows.cli.untrusted import visible
from claimrag.schemas.errors import InputError

if TYPE_CHECKING:
    from claimrag.tasks.layouts.import_set import Import

Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Question files of the set, as JSON.")]
Act = Annotated[
    str,
    typer.Option(
        "--act", help="What the questions are about: an act of the workspace, or a law as for build."
    ),
]
LayoutName = Annotated[str, typer.Option("--layout", help="Of the files: claimrag-law.")]


def import_questions(
    files: Files,
    act: Act,
    layout: LayoutName = "claimrag-law",
    workspace: Workspace = None,
    language: Languages = None,
    law_version: LawVersion = None,
    title: Title = None,
    date: Date = None,
    licence: Licence = None,
    json_output: Json = False,
) -> None:
    """Bring the questions of a published set into a workspace, with their words found in the law."""
    from claimrag.tasks.layouts.claimrag_law import LAYOUT
    from claimrag.tasks.layouts.import_set import import_set

    if layout != LAYOUT.name:
        raise InputError(f"files of layout {layout!r} cannot be imported; {LAYOUT.name} can")
    request = build_request(
        laws=(act,),
        workspace=workspace,
        languages=tuple(language or ()),
        law_version=law_version,
        title=title,
        date=date,
        licence=licence,
    )
    log_into(workspace)
    done = asyncio.run(import_set(request, act, files))
    if json_output:
        print_json(done.model_dump(mode="json"))
    else:
        _show(done, workspace)


def _show(done: Import, workspace: str | None) -> None:
    from claimrag.schemas.build import StageSummary
    from claimrag.tasks.run.report import claimrag_command

    counts = done.counts
    rejected = ", ".join(f"{reason} {count:,}" for reason, count in counts.rejected.items())
    print_sentences(
        *(f"warning: {visible(warning)}" for warning in done.warnings),
        f"{visible(done.act_id)}: {counts.kept:,} of {counts.considered:,} questions imported, unreviewed",
        *([f"rejected: {rejected}"] if rejected else []),
        *legend([StageSummary(stage="questions", counts=counts, seconds=0.0)]),
    )
    where = f" --workspace {shlex.quote(workspace)}" if workspace else ""
    print_lines(f"next: {claimrag_command()} claims{where}")
