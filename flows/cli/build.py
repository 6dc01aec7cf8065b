"""`claimrag build`: the whole pipeline, with progress, a summary, and the next command."""

from __future__ import annotations

from typing import Annotated

import typer

from claimrag.flows.cli.options import (
    Date,
    Full,
    Json,
    Languages,
    LawVersion,
    Licence,
    NoEvaluate,
    Preset,
    ReleaseVersion,
    Title,
    Units,
    Windows,
    Workspace,
)
from claimrag.flows.cli.output import (
    console,
    print_json,
    print_lines,
    print_sentences,
    shown_path,
    stderr,
    table,
)
from claimrag.flows.cli.plan import make_plan, show_costs
from claimrag.flows.cli.reasons import legend
from claimrag.flows.cli.run import build_request, run_flow
from claimrag.flows.cli.scores import score_tables
from claimrag.schemas.build import BuildRequest, BuildSummary
from claimrag.tasks.acquire.naming import laws_of

Estimate = Annotated[
    bool, typer.Option("--estimate", help="Only show what it would ask of models and cost; nothing is asked.")
]


def build(
    law: Annotated[
        list[str] | None, typer.Argument(help="Catalogue ids, CELEX, ELI or files; none: the sample laws.")
    ] = None,
    workspace: Workspace = None,
    units: Units = None,
    windows: Windows = None,
    full: Full = False,
    no_evaluate: NoEvaluate = False,
    law_version: LawVersion = None,
    language: Languages = None,
    title: Title = None,
    date: Date = None,
    licence: Licence = None,
    release_version: ReleaseVersion = None,
    preset: Preset = None,
    estimate: Estimate = False,
    json_output: Json = False,
) -> None:
    """Turn laws into a benchmark: a release folder that `datasets.load_dataset` reads."""
    request = build_request(
        laws=tuple(law or ()),
        workspace=workspace,
        units=units,
        windows=windows,
        full=full,
        evaluate=not no_evaluate,
        law_version=law_version,
        languages=tuple(language or ()),
        title=title,
        date=date,
        licence=licence,
        release_version=release_version,
        preset=preset,
    )
    if estimate:
        plan = make_plan(request)
        print_json(plan.model_dump(mode="json")) if json_output else show_costs(plan)
        return
    show_costs_of_priced(request)
    summary = run_build(request)
    if json_output:
        print_json(summary.model_dump(mode="json"))
    else:
        show(summary)
    raise typer.Exit(summary.exit_code)


def show_costs_of_priced(request: BuildRequest) -> None:
    """Before a run that costs money: what it will ask, on standard error. Nothing for models without a price."""
    from claimrag.schemas.settings import load_settings

    laws_of(request)  # a wrong name ends here, before anything else is looked at
    settings = load_settings(workspace=request.workspace, preset=request.preset)
    if settings.llm.model in settings.llm.prices:
        show_costs(make_plan(request), stderr)


def run_build(request: BuildRequest) -> BuildSummary:
    """Run the flow with progress on standard error."""
    laws_of(request)  # a wrong name ends here, before a server is started
    return run_flow("claimrag.flows.build", "build_benchmark", request, BuildSummary)


def show(summary: BuildSummary) -> None:
    """What was made, what was rejected and why, and what to do next."""
    from claimrag.tasks.run.report import counts_rows, next_commands, usage_lines

    columns = ["stage", "considered", "kept", "rejected", "seconds", "reasons"]
    rows = [[row[column] for column in columns] for row in counts_rows(summary)]
    numbers = {"considered", "kept", "rejected", "seconds"}
    console.print(table("What was made", columns, rows, right=numbers))
    print_sentences(*legend(summary.stages))
    for scores in score_tables(summary.runs):
        console.print()
        console.print(scores)
    console.print()
    print_sentences(
        *usage_lines(summary.usage),
        f"time: {(summary.finished_at - summary.started_at).total_seconds():.0f} s",
        *(f"failed: {failure.law}: {failure.sentence}" for failure in summary.failures),
        *(f"warning: {warning}" for warning in summary.warnings),
        f"validation: {shown_path(summary.report_path or '')}",
        f"release {summary.release_version}: {shown_path(summary.release_path or '')}",
        "no expert has reviewed these rows: they are a model's output",
        f"verdict: {summary.verdict}",
    )
    print_lines(*(f"next: {command}" for command in next_commands(summary)))
