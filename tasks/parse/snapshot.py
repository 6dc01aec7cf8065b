"""Parses kept bytes; the catalogue adds its terms to the act and its expectations to the health report."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from claimrag import legal_sources
from claimrag.legal_sources.catalogue import load_catalogue
from claimrag.legal_sources.health import with_expectations
from claimrag.legal_sources.parsed import ParsedAct
from claimrag.schemas.errors import UnrecognisedLayoutError
from claimrag.schemas.settings import load_settings
from claimrag.tasks.acquire.acquire import AcquireRequest, acquire
from claimrag.tasks.acquire.naming import NamedLaw
from claimrag.tasks.acquire.snapshot import Snapshot, SnapshotStore
from claimrag.tasks.acquire.step import snapshot_store
from claimrag.tasks.parse.details import add_details
from claimrag.tasks.parse.language import refused_by_language
from claimrag.tasks.store import Workspace


def parse_snapshot(store: SnapshotStore, snapshot: Snapshot, name: str) -> ParsedAct:
    """The parsed act of a snapshot; `name` is what messages call it."""
    parsed = legal_sources.parse_bytes(
        store.read(snapshot),
        origin=name,
        retrieved_at=snapshot.retrieved_at,
        source_address=snapshot.address,
    )
    entry = next((entry for entry in load_catalogue() if entry.id == snapshot.key.law_id), None)
    if entry is None:
        return parsed
    terms = {"licence": entry.licence, "attribution": entry.attribution}
    version = entry.version(snapshot.key.version)
    expected = version.expectations.measured() if version else {}
    return replace(
        parsed,
        act=parsed.act.model_copy(update=terms),
        health=with_expectations(parsed.health, parsed.counts(), expected),
    )


def read_file(law: NamedLaw) -> tuple[ParsedAct, list[str]]:
    """The law in a file, where it lies, and sentences on what was said of it and could not be used.

    Raises SourceError; UnsupportedLanguageError for a layout that is unknown because the language is foreign.
    """
    file = Path(law.path or law.name)
    try:
        parsed = legal_sources.parse_file(file)
    except UnrecognisedLayoutError:
        with refused_by_language(law.name, file.read_bytes()):
            raise
    return add_details(parsed, law.details) if law.details is not None else (parsed, [])


def read_law(law: NamedLaw, workspace: str | None) -> ParsedAct:
    """Acquire a law into the workspace, if it is not there, and parse it."""
    settings = load_settings(workspace=workspace)
    store = snapshot_store(Workspace.open(settings.workspace))
    acquired = asyncio.run(acquire(AcquireRequest(law), store, load_catalogue(), settings.acquire))
    return parse_snapshot(store, acquired.snapshot, law.name)
