"""`claimrag parse` and `claimrag chunk`: look at the tree of a law, and at its chunks."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track

from claimrag.flows.cli.journal import log_into
from claimrag.flows.cli.options import Date, Json, LawVersion, Licence, Title
from claimrag.flows.cli.output import console, print_json, stderr, table
from claimrag.flows.cli.run import build_request
from claimrag.legal_sources.parsed import ParsedAct
from claimrag.schemas.build import BuildRequest
from claimrag.schemas.errors import InputError

Law = Annotated[str, typer.Argument(help="A catalogue id, CELEX, ELI, or the path of a file.")]

COUNTED_KINDS = (
    "chapter",
    "section",
    "article",
    "recital",
    "citation",
    "paragraph",
    "point",
    "subpoint",
    "annex",
    "footnote",
)
"""Kinds that `--json` always counts, so that a script can rely on the key."""


def parse(
    law: Annotated[
        list[str],
        typer.Argument(help="A catalogue id, CELEX, ELI or file; several files or a folder: a table."),
    ],
    workspace: Annotated[str | None, typer.Option(help="Workspace folder (for catalogue ids).")] = None,
    language: Annotated[str | None, typer.Option(help="en or fr; none: the first there is.")] = None,
    law_version: LawVersion = None,
    title: Title = None,
    date: Date = None,
    licence: Licence = None,
    json_output: Json = False,
) -> None:
    """Show the tree of a law and its health report; exits 1 when a parse is not healthy."""
    details = build_request(title=title, date=date, licence=licence)
    if len(law) > 1 or _is_folder(law[0]):
        if (title, date, licence) != (None, None, None):
            raise InputError("--title, --date and --licence are of one law; name one file with them")
        _survey([Path(name) for name in law], json_output)
        return
    parsed = parsed_law(law[0], workspace, language, law_version, details)
    if json_output:
        print_json(payload(parsed))
    else:
        _show(parsed)
    if not parsed.health.ok:
        raise typer.Exit(1)


def chunk(
    law: Law,
    chunker: Annotated[str, typer.Option(help="Name of the chunker.")] = "fixed-600-120",
    workspace: Annotated[str | None, typer.Option(help="Workspace folder (for catalogue ids).")] = None,
    json_output: Json = False,
) -> None:
    """Cut a law into chunks as a retriever would index it."""
    from claimrag.tasks.chunk import chunk_act

    parsed = parsed_law(law, workspace)
    chunks = chunk_act(parsed.act, parsed.text, parsed.units, chunker)
    if json_output:
        print_json([one.model_dump(mode="json") for one in chunks])
        return
    rows = [
        [
            str(c.order),
            str(c.tokens),
            f"{c.start}-{c.end}",
            c.unit_ids[0].rpartition("#")[2] if c.unit_ids else "",
            " ".join(c.body[:70].split()),
        ]
        for c in chunks
    ]
    console.print(
        table(f"{len(chunks)} chunks of {parsed.act.id}", ["n", "tokens", "span", "from", "text"], rows)
    )


def parsed_law(
    law: str,
    workspace: str | None,
    language: str | None = None,
    law_version: str | None = None,
    details: BuildRequest | None = None,
) -> ParsedAct:
    """The parsed law: straight from a file, or from a catalogue entry by way of the workspace.

    `details` hold the title, date and licence of a file that does not say them.
    """
    from claimrag.tasks.acquire.naming import name_law, with_details

    named = name_law(law, language=language, version=law_version)
    given = details or BuildRequest()
    (named,) = with_details([named], title=given.title, date=given.date, licence=given.licence)
    if named.path is None:
        log_into(workspace)
    from claimrag.tasks.parse.details import missing_sentence
    from claimrag.tasks.parse.snapshot import read_file, read_law

    if named.path is None:
        return read_law(named, workspace)
    parsed, unused = read_file(named)
    gaps = missing_sentence(parsed) if details is not None else None
    for sentence in (*unused, *([gaps] if gaps else [])):
        stderr.print(f"warning: {named.name}: {sentence}", highlight=False, markup=False)
    return parsed


def payload(parsed: ParsedAct) -> dict[str, Any]:
    """What `--json` prints: act, counts, health, units."""
    health = parsed.health
    return {
        "act": parsed.act.model_dump(mode="json"),
        "counts": dict.fromkeys(COUNTED_KINDS, 0) | parsed.counts(),
        "health": {
            "ok": health.ok,
            "problems": [{"code": p.code, "unit_id": p.unit_id, "detail": p.detail} for p in health.problems],
            "words_in_source": health.words_in_source,
            "words_landed": health.words_landed,
        },
        "text": parsed.text,
        "units": [unit.model_dump(mode="json") for unit in parsed.units],
    }


def _is_folder(name: str) -> bool:
    with suppress(OSError):  # a name that is too long for a file names no folder
        return Path(name).is_dir()
    return False


def _show(parsed: ParsedAct) -> None:
    from claimrag.tasks.parse.language import language_problem

    act, health = parsed.act, parsed.health
    console.print(f"{act.id}  ({act.layout}, {act.language})", highlight=False, markup=False)
    console.print(act.title, highlight=False, markup=False)
    rows = [[kind, str(count)] for kind, count in parsed.counts().items() if count]
    console.print(table("Units", ["kind", "count"], rows, right={"count"}))
    share = 100 * health.words_landed / health.words_in_source if health.words_in_source else 0.0
    console.print(f"words landed in units: {share:.2f} %", highlight=False)
    if (obstacle := language_problem(parsed)) is not None:
        console.print(f"no benchmark can be built from it: {obstacle}", highlight=False, markup=False)
    console.print("health: ok" if health.ok else "health: NOT ok", highlight=False)
    for problem in health.problems:
        place = f" {problem.unit_id}" if problem.unit_id else ""
        console.print(f"  {problem.code}{place}: {problem.detail}", highlight=False, markup=False)


def _survey(paths: list[Path], json_output: bool) -> None:
    from claimrag.flows.cli.survey import COLUMNS, SHOWN_KINDS, law_files, survey, survey_rows

    files = law_files(paths)
    results = list(track(survey(files), total=len(files), description="parsing", console=stderr))
    if json_output:
        print_json(results)
    else:
        wide = Console(width=200) if not console.is_terminal else console
        wide.print(
            table(f"{len(results)} files", COLUMNS, survey_rows(results), right={*SHOWN_KINDS, "landed %"})
        )
    if any(result["outcome"] != "ok" for result in results):
        raise typer.Exit(1)
