"""`claimrag rejected`: what the stages did not keep, why, and the rows themselves."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from claimrag.flows.cli.options import Json, Workspace
from claimrag.flows.cli.output import complain, console, print_json, print_lines, table
from claimrag.flows.cli.untrusted import paragraph, shortened, visible

if TYPE_CHECKING:
    from claimrag.schemas.rejection import RejectedCount, RejectedRow, Rejections

ROWS_SHOWN = 20
RAW_SHOWN = 300


def rejected(
    stage: Annotated[
        str | None, typer.Argument(help="Show the rows of this stage: questions, claims...")
    ] = None,
    reason: Annotated[str | None, typer.Option(help="Only rows rejected for this reason.")] = None,
    law: Annotated[str | None, typer.Option(help="Only this law or version of it.")] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help=f"Rows at most; {ROWS_SHOWN} unless --json is given.")
    ] = None,
    workspace: Workspace = None,
    json_output: Json = False,
) -> None:
    """Show what was rejected and why: counts by stage, or the rows of one stage."""
    from claimrag.schemas.settings import load_settings
    from claimrag.tasks.run.rejections import find_rejections
    from claimrag.tasks.store import Workspace as Store

    store = Store.open(load_settings(workspace=workspace).workspace, create=False)
    at_most = limit if limit is not None or json_output else ROWS_SHOWN
    found = find_rejections(store, stage, reason=reason, law=law, limit=at_most)
    if json_output:
        print_json(found.model_dump(mode="json"))
    elif stage is None:
        _print_counts(found, workspace)
    else:
        _print_rows(found)
    for sentence in found.damaged:
        complain(visible(sentence))
    if found.damaged:
        raise typer.Exit(1)


def _print_counts(found: Rejections, workspace: str | None) -> None:
    if not found.counts:
        print_lines("no row was rejected" if found.considered else "no table holds a row yet")
        return
    totals: dict[str, list[RejectedCount]] = {}
    for count in found.counts:
        totals.setdefault(count.reason, []).append(count)
    ordered = sorted(totals.values(), key=lambda counts: (-_rows_of(counts), counts[0].reason))
    cells = [
        [counts[0].reason, f"{_rows_of(counts):,}", _again(counts[0]), _where(counts)] for counts in ordered
    ]
    columns = ["reason", "rows", "asked again", "stages"]
    console.print(table("Rejected rows", columns, cells, right={"rows"}, fixed={"reason", "asked again"}))
    print_lines("", *_sums(found), "", *_legend(found))
    option = f" --workspace {shlex.quote(workspace)}" if workspace else ""
    print_lines(f"next: claimrag rejected {max(found.counts, key=lambda one: one.rows).stage}{option}")


def _rows_of(counts: list[RejectedCount]) -> int:
    return sum(count.rows for count in counts)


def _again(count: RejectedCount) -> str:
    """Whether the next run asks the model again; what a check has judged stands."""
    return "yes" if count.asked_again else "no"


def _where(counts: list[RejectedCount]) -> str:
    return ", ".join(f"{count.stage.replace('_', ' ')} {count.rows:,}" for count in counts)


def _legend(found: Rejections) -> list[str]:
    meanings = {count.reason: count.meaning for count in found.counts}
    width = min(console.width, 110)
    return [
        line for code, meaning in sorted(meanings.items()) for line in paragraph(f"{code}: ", meaning, width)
    ]


def _sums(found: Rejections) -> list[str]:
    stages = list(dict.fromkeys(count.stage for count in found.counts))
    return [
        f"{stage.replace('_', ' ')}: {found.considered[stage] - found.kept[stage]:,} of "
        f"{found.considered[stage]:,} rows rejected, {found.kept[stage]:,} kept"
        for stage in stages
    ]


def _print_rows(found: Rejections) -> None:
    total = sum(count.rows for count in found.counts)
    if not total:
        print_lines("no row was rejected")
        return
    width = min(console.width, 110)
    for number, row in enumerate(found.rows, 1):
        print_lines(*_row(number, row, width), "")
    print_lines(*_legend(found))
    print_lines(*_sums(found))
    if len(found.rows) < total:
        print_lines(f"{len(found.rows)} of {total:,} shown; --limit {total} shows all, --json all in full")


def _row(number: int, row: RejectedRow, width: int) -> list[str]:
    lines = [f"{number}. {row.reason.value}"]
    if row.act_id is not None:
        lines.append(f"   law:    {visible(row.act_id)}")
    lines += paragraph("about:  ", shortened(row.item, 120), width, 3)
    lines += paragraph("why:    ", shortened(row.detail, RAW_SHOWN), width, 3)
    if row.raw.strip():
        lines += paragraph("raw:    ", shortened(row.raw, RAW_SHOWN), width, 3)
    return lines
