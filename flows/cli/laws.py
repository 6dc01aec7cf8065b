"""`claimrag laws` and `claimrag acquire`: what is in the catalogue, and fetching it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from claimrag.flows.cli.journal import log_into
from claimrag.flows.cli.options import Json, Languages, LawVersion, Workspace
from claimrag.flows.cli.output import console, print_json, print_lines, table

if TYPE_CHECKING:
    from claimrag.tasks.parse.compare import AcquiredLaw


def laws(json_output: Json = False) -> None:
    """List the catalogue: id, title, publisher, languages, versions."""
    from claimrag.legal_sources.catalogue import load_catalogue

    entries = list(load_catalogue())
    if json_output:
        print_json([entry.model_dump(mode="json") for entry in entries])
        return
    rows = [
        [e.id, e.title, e.publisher, " ".join(e.languages), " ".join(v.label for v in e.versions)]
        for e in entries
    ]
    console.print(table("Catalogue", ["id", "title", "publisher", "languages", "versions"], rows))
    console.print("next: claimrag build ID", highlight=False)


def acquire(
    law: Annotated[str, typer.Argument(help="Catalogue id, CELEX or ELI.")],
    from_file: Annotated[Path | None, typer.Option("--from", help="A file you have instead.")] = None,
    workspace: Workspace = None,
    language: Languages = None,
    law_version: LawVersion = None,
    refresh: Annotated[bool, typer.Option("--refresh", help="Ask the publisher again.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Say what changed against the last snapshot.")
    ] = False,
    json_output: Json = False,
) -> None:
    """Fetch a law (or take a file), keep its raw bytes, and say what changed."""
    log_into(workspace)
    from claimrag.tasks.parse.compare import acquire_and_compare

    results = acquire_and_compare(
        law,
        from_file=from_file,
        workspace=workspace,
        languages=tuple(language or ()),
        version=law_version,
        refresh=refresh,
        check=check,
    )
    if json_output:
        print_json(
            [result.model_dump(mode="json", exclude={"checked"}, exclude_none=True) for result in results]
        )
        return
    for result in results:
        print_lines(*_sentences(result))


def _sentences(result: AcquiredLaw) -> list[str]:
    """What was kept, and what changed against the snapshot it was compared with."""
    name = f"{result.law} {result.version} {result.language}"
    sentences = [f"{name}: {result.bytes} bytes at {result.path}"]
    if not result.checked:
        return sentences
    changes = result.changes
    if result.compared_with is None:
        return [*sentences, "no earlier snapshot to compare with"]
    if changes is None:
        return [*sentences, "no change"]
    against = f"against {result.compared_with}"
    if not changes.any:
        return [*sentences, f"{against}: no change in the text of any article"]
    counts = f"{len(changes.added)} added, {len(changes.changed)} changed, {len(changes.removed)} removed"
    return [*sentences, f"{against}: {counts}, {changes.unchanged} unchanged", *changes.sentences()]
