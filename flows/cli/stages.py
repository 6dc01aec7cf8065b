"""`claimrag generate`, `claims`, `validate`, `evaluate`, `release`: one stage each, on a workspace."""

from __future__ import annotations

import shlex

import typer

from claimrag.flows.cli.options import Full, Json, Preset, ReleaseVersion, Units, Windows, Workspace
from claimrag.flows.cli.output import console, print_json, print_lines, print_sentences
from claimrag.flows.cli.reasons import legend
from claimrag.flows.cli.run import build_request, run_flow
from claimrag.flows.cli.scores import score_tables
from claimrag.schemas.build import BuildRequest, StageReport


def generate(
    workspace: Workspace = None,
    units: Units = None,
    windows: Windows = None,
    full: Full = False,
    preset: Preset = None,
    json_output: Json = False,
) -> None:
    """Generate the questions of every act in the workspace."""
    request = build_request(workspace=workspace, units=units, windows=windows, full=full, preset=preset)
    _run("generate", request, json_output)


def claims(
    workspace: Workspace = None, full: Full = False, preset: Preset = None, json_output: Json = False
) -> None:
    """Extract and label the claims of every answer in the workspace."""
    _run("claims", build_request(workspace=workspace, full=full, preset=preset), json_output)


def validate(workspace: Workspace = None, preset: Preset = None, json_output: Json = False) -> None:
    """Check every table of the workspace; exits 1 and names the rows where one fails."""
    _run("validate", build_request(workspace=workspace, preset=preset), json_output)


def evaluate(
    workspace: Workspace = None, full: Full = False, preset: Preset = None, json_output: Json = False
) -> None:
    """Score the RAG baselines on the questions of the workspace."""
    _run("evaluate", build_request(workspace=workspace, full=full, preset=preset), json_output)


def release(
    workspace: Workspace = None,
    release_version: ReleaseVersion = None,
    preset: Preset = None,
    json_output: Json = False,
) -> None:
    """Write the release folder from the tables of the workspace."""
    _run(
        "release",
        build_request(workspace=workspace, release_version=release_version, preset=preset),
        json_output,
    )


_NEXT = {
    "generate": "claims",
    "claims": "evaluate",
    "evaluate": "release",
    "validate": "release",
    "release": "publish ORGANISATION/NAME --dry-run",
}
"""Which command comes after a stage."""


def _run(stage: str, request: BuildRequest, json_output: bool) -> None:
    from claimrag.tasks.run.report import claimrag_command

    report = run_flow("claimrag.flows.stages", stage, request, StageReport)
    if json_output:
        print_json(report.model_dump(mode="json"))
    else:
        for scores in score_tables(report.runs):
            console.print(scores)
            console.print()
        print_sentences(*report.sentences, *legend(report.stages))
        where = f" --workspace {shlex.quote(request.workspace)}" if request.workspace else ""
        print_lines(f"next: {claimrag_command()} {_NEXT[stage]}{where}")
    raise typer.Exit(report.exit_code)
