"""`claimrag generate`, `claims`, `validate`, `evaluate`, `release`: one stage each, on a workspace."""

from __future__ import annotations

from typing import Annotated

import typer

from claimrag.flows.cli.output import console, print_json
from claimrag.flows.cli.run import run_flow
from claimrag.schemas.build import BuildRequest, StageReport

Workspace = Annotated[str | None, typer.Option(help="Workspace folder or address.")]
Units = Annotated[int | None, typer.Option(min=1, help="Context units per act.")]
Full = Annotated[bool, typer.Option("--full", help="Lift the local model's default limits.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON value.")]


def generate(
    workspace: Workspace = None, units: Units = None, full: Full = False, json_output: Json = False
) -> None:
    """Generate the questions of every act in the workspace."""
    _run("generate", BuildRequest(workspace=workspace, units=units, full=full), json_output)


def claims(workspace: Workspace = None, json_output: Json = False) -> None:
    """Extract and label the claims of every answer in the workspace."""
    _run("claims", BuildRequest(workspace=workspace), json_output)


def validate(workspace: Workspace = None, json_output: Json = False) -> None:
    """Check every table of the workspace; exits 1 and names the rows where one fails."""
    _run("validate", BuildRequest(workspace=workspace), json_output)


def evaluate(workspace: Workspace = None, full: Full = False, json_output: Json = False) -> None:
    """Score the RAG baselines on the questions of the workspace."""
    _run("evaluate", BuildRequest(workspace=workspace, full=full), json_output)


def release(
    workspace: Workspace = None,
    version: Annotated[str | None, typer.Option(help="As in 1.2.0; none: the next one.")] = None,
    json_output: Json = False,
) -> None:
    """Write the release folder from the tables of the workspace."""
    _run("release", BuildRequest(workspace=workspace, version=version), json_output)


def _run(stage: str, request: BuildRequest, json_output: bool) -> None:
    report = run_flow("claimrag.flows.stage", stage, request, StageReport)
    if json_output:
        print_json(report.model_dump(mode="json"))
    else:
        for sentence in report.sentences:
            console.print(sentence, highlight=False, markup=False, soft_wrap=True)
    raise typer.Exit(report.exit_code)
