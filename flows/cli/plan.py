"""`claimrag plan`: what a build would redo and why, and what it would ask of models; nothing is asked or paid."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from claimrag.flows.cli.options import (
    Date,
    Full,
    Json,
    Languages,
    LawVersion,
    Licence,
    NoEvaluate,
    Preset,
    Title,
    Units,
    Windows,
    Workspace,
)
from claimrag.flows.cli.output import console, print_json, print_sentences, stderr, table
from claimrag.flows.cli.run import build_request
from claimrag.flows.cli.untrusted import visible

if TYPE_CHECKING:
    from claimrag.schemas.build import BuildRequest
    from claimrag.schemas.plan import LawPlan, Plan, TablePlan

NAMED = 5
"""So many articles, questions or reasons are named; `--json` has all of them."""


def plan(
    law: Annotated[list[str] | None, typer.Argument(help="As for `claimrag build`.")] = None,
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
    preset: Preset = None,
    json_output: Json = False,
) -> None:
    """Show what `claimrag build` would redo, why, and what it would cost. Nothing is asked, paid or changed."""
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
        preset=preset,
    )
    made = make_plan(request)
    if json_output:
        print_json(made.model_dump(mode="json"))
        return
    for one in made.laws:
        print_sentences(*_law_lines(one))
    print_sentences(*_again_lines(made), *(f"failed: {visible(one)}" for one in made.failures))
    console.print()
    show_costs(made)


def make_plan(request: BuildRequest) -> Plan:
    """The plan, with its progress on standard error."""
    from claimrag.flows.cli.progress import TerminalProgress
    from claimrag.tasks.plan.planning import plan_build
    from claimrag.tasks.progress import progress_sink

    with TerminalProgress(stderr) as progress:
        token = progress_sink.set(progress)
        try:
            return asyncio.run(plan_build(request))
        finally:
            progress_sink.reset(token)


def show_costs(plan: Plan, to: Console = console) -> None:
    """Calls, tokens and money by stage, what they rest on, and that nothing was spent."""
    columns = ["stage", "to ask about", "calls", "prompt", "reply", "USD"]
    rows = [
        [
            one.work.stage,
            f"{one.work.counted(one.items)} ({one.language})",
            f"{one.calls:,.0f}",
            f"{one.prompt_tokens:,.0f}",
            f"{one.completion_tokens:,.0f}",
            _money(one.cost_usd),
        ]
        for one in plan.work
        if one.calls
    ]
    if not rows:
        print_sentences("a build would ask nothing of a model: every reply that it needs is at hand", to=to)
        return
    prompt, completion = plan.tokens
    rows.append(["all", "", f"{plan.calls:,}", f"{prompt:,}", f"{completion:,}", _money(plan.cost_usd)])
    title = "What a build would ask of models, in tokens"
    to.print(table(title, columns, rows, right={"calls", "prompt", "reply", "USD"}))
    sure = sum(one.first_calls for one in plan.work)
    print_sentences(
        f"{sure:,} of the calls are known for sure, the others follow from their replies and are estimates",
        f"averages: {plan.averages}",
        *(f"not counted: {sentence}" for sentence in plan.open),
        "nothing was asked or paid",
        to=to,
    )


def _money(usd: float | None) -> str:
    return "-" if usd is None else f"{usd:,.2f}" if usd >= 1 else f"{usd:.4f}"


def _law_lines(law: LawPlan) -> Iterator[str]:
    if law.compared_with is None:
        yield f"{law.act_id}: new to this workspace, {law.context_units:,} context units"
        return
    against = "as it is in the workspace" if law.compared_with == law.act_id else law.compared_with
    differences = [
        f"{len(numbers)} {what} ({_some(numbers)})"
        for what, numbers in (("changed", law.changed), ("added", law.added), ("removed", law.removed))
        if numbers
    ]
    articles = ", ".join(differences) or "no article differs"
    yield f"{law.act_id}, against {against}: {articles}; {law.unchanged:,} articles are the same"
    yield (
        f"  {law.new_context_units:,} of {law.context_units:,} context units are new; of the questions "
        f"{law.questions_kept:,} hold on, {len(law.withdrawn):,} would be withdrawn"
    )
    for one in law.withdrawn[:NAMED]:
        yield f"  withdrawn: {one.question_id}, {visible(one.because)}"
    if len(law.withdrawn) > NAMED:
        yield f"  and {len(law.withdrawn) - NAMED:,} more, in --json"


def _some(numbers: tuple[str, ...]) -> str:
    more = ", ..." if len(numbers) > NAMED else ""
    return visible(", ".join(numbers[:NAMED])) + more


def _again_lines(plan: Plan) -> Iterator[str]:
    """One line per stage with tables that are made again, and why; one for those that are new."""
    stages: dict[str, list[TablePlan]] = {}
    new = list(dict.fromkeys(one.stage.replace("_", " ") for one in plan.again if not one.why))
    for one in plan.again:
        if one.why:
            stages.setdefault(one.stage, []).append(one)
    for stage, tables in stages.items():
        reasons = list(dict.fromkeys(reason for one in tables for reason in one.why))
        more = f" and {len(reasons) - NAMED:,} more" if len(reasons) > NAMED else ""
        changed = f"{visible(', '.join(reasons[:NAMED]))}{more}"
        yield f"{stage.replace('_', ' ')}: {len(tables):,} made again, changed: {changed}"
    if new:
        yield f"new tables: {', '.join(new)}"
    if any(one.first_calls for one in plan.work):
        yield "and every table that rests on replies still to come"
    elif not plan.again:
        yield "every table is current"
