"""Step from a snapshot to the tables `acts`, `texts` and `units`."""

from __future__ import annotations

import asyncio

from claimrag.legal_sources.health import warning_sentences
from claimrag.legal_sources.parsed import ParsedAct
from claimrag.schemas.act import Act
from claimrag.schemas.base import ActId, Noun
from claimrag.schemas.canonical import sha256_text
from claimrag.schemas.errors import InputError, UnhealthyParseError
from claimrag.schemas.text import ActText
from claimrag.schemas.unit import Unit
from claimrag.tasks.acquire.step import SnapshotRef, find_snapshot, snapshot_store
from claimrag.tasks.parse.details import add_details, missing_sentence
from claimrag.tasks.parse.language import check_language, refused_by_language
from claimrag.tasks.parse.snapshot import parse_snapshot
from claimrag.tasks.run.runtime import Runtime
from claimrag.tasks.run.step import Inputs, Table, make_table
from claimrag.tasks.store import Outcome

ACTS = Table("acts", Act)
TEXTS = Table("texts", ActText)
UNITS = Table("units", Unit)


async def parse_law(runtime: Runtime, snapshot: SnapshotRef) -> ActId:
    """Parse a snapshot; returns the act's id.

    Raises UnsupportedLanguageError, and UnhealthyParseError unless the law's name is in `allow_unhealthy`.
    """
    parsed = await asyncio.to_thread(_parse, runtime, snapshot)
    unused: list[str] = []
    if snapshot.details is not None:
        parsed, unused = add_details(parsed, snapshot.details)
    await asyncio.to_thread(check_language, snapshot.name, parsed)
    if not parsed.health.ok:
        _stop_unless_allowed(runtime, snapshot, parsed)
    gaps = missing_sentence(parsed) if snapshot.own_file else None
    runtime.warnings.extend(
        f"{snapshot.name}: {sentence}"
        for sentence in (*warning_sentences(parsed.health), *unused, *([gaps] if gaps else []))
    )
    act = parsed.act
    pieces: list[tuple[Table[Noun], list[Noun]]] = [
        (ACTS, [act]),  # type: ignore[list-item]
        (TEXTS, [ActText(act_id=act.id, text=parsed.text)]),  # type: ignore[list-item]
        (UNITS, list(parsed.units)),  # type: ignore[list-item]
    ]
    # Named only where there are any: the tables of every other law stay current.
    said = {"details": snapshot.details.model_dump(mode="json")} if snapshot.details is not None else {}
    for table, rows in pieces:
        await make_table(runtime, table, (act.id,), _Kept(rows), raw=snapshot.sha256, **said)
    runtime.note_act(act.id)
    runtime.progress.advance("parse")
    return act.id


class _Kept:
    """The work of a table whose rows are at hand: the parse gives three tables at once."""

    def __init__(self, rows: list[Noun]) -> None:
        self._rows = rows

    async def __call__(self, inputs: Inputs) -> Outcome[Noun]:
        del inputs
        return Outcome(kept=self._rows)


async def read_act(inputs: Inputs, act_id: ActId) -> tuple[Act, list[Unit], str]:
    """An act, its units and its canonical text, as inputs of a step."""
    act = (await inputs.rows(ACTS, act_id))[0]
    units = await inputs.rows(UNITS, act_id)
    text = (await inputs.rows(TEXTS, act_id))[0].text
    if sha256_text(text) != act.text_sha256:
        raise InputError(f"the text of {act_id} does not have the hash of its act; run the build again")
    return act, units, text


def _parse(runtime: Runtime, snapshot: SnapshotRef) -> ParsedAct:
    store = snapshot_store(runtime.workspace)
    kept = find_snapshot(store, snapshot)
    with refused_by_language(snapshot.name, store.read(kept)):
        return parse_snapshot(store, kept, snapshot.name)


def _stop_unless_allowed(runtime: Runtime, snapshot: SnapshotRef, parsed: ParsedAct) -> None:
    problems = "; ".join(f"{p.code} {p.unit_id or ''}: {p.detail}" for p in parsed.health.failures[:5])
    if not {snapshot.name, snapshot.law_id, parsed.act.id} & set(runtime.settings.allow_unhealthy):
        raise UnhealthyParseError(
            f"the parse of {snapshot.name} is not healthy: {problems}. See `claimrag parse {snapshot.name}`; to go "
            "on all the same put the name into `allow_unhealthy`"
        )
