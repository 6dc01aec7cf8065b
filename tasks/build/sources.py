"""Steps from a law's name to its context units: acquire, parse, segment."""

from __future__ import annotations

import asyncio

from claimrag.legal_sources.parsed import ParsedAct
from claimrag.schemas import Act, ContextUnit, Unit
from claimrag.schemas.base import ActId, Noun, Sha256
from claimrag.schemas.canonical import sha256_text
from claimrag.schemas.errors import InputError, UnhealthyParseError
from claimrag.schemas.text import ActText
from claimrag.tasks.acquire.naming import NamedLaw, name_laws
from claimrag.tasks.acquire.snapshot import LawKey
from claimrag.tasks.build.acquisition import acquire_source, parse_snapshot, snapshot_store
from claimrag.tasks.build.code import code_sha256
from claimrag.tasks.build.runtime import Runtime
from claimrag.tasks.build.stage import run_stage
from claimrag.tasks.store import Outcome, TableRef


class SnapshotRef(Noun):
    """Raw bytes kept in the workspace, by their hash."""

    name: str
    sha256: Sha256
    law_id: str
    version: str
    language: str


def plan_laws(runtime: Runtime) -> list[NamedLaw]:
    """The laws that the request names, in order."""
    sources = name_laws(runtime.request.laws)
    for stage in ("acquire", "parse", "segment"):
        runtime.progress.begin(stage, len(sources))
    return sources


async def acquire_law(runtime: Runtime, source: NamedLaw) -> SnapshotRef:
    """Keep the raw bytes of a law in the workspace; an existing snapshot is used, the network left alone."""
    snapshot = await acquire_source(runtime.workspace, runtime.settings, source)
    runtime.inputs[f"raw {source.name} {snapshot.key.language}"] = snapshot.sha256
    runtime.progress.advance("acquire")
    return SnapshotRef(
        name=source.name,
        sha256=snapshot.sha256,
        law_id=snapshot.key.law_id,
        version=snapshot.key.version,
        language=snapshot.key.language,
    )


async def parse_law(runtime: Runtime, snapshot: SnapshotRef) -> ActId:
    """Parse a snapshot into the tables `acts`, `texts` and `units`; returns the act's id.

    Raises UnhealthyParseError unless the law's name is in `allow_unhealthy`.
    """
    parsed = await asyncio.to_thread(_parse, runtime, snapshot)
    act = parsed.act
    if not parsed.health.ok:
        _stop_or_warn(runtime, snapshot, parsed)
    made_from = {"raw": snapshot.sha256, "code": code_sha256("claimrag.legal_sources")}
    pieces: list[tuple[str, type[Noun], list[Noun]]] = [
        ("acts", Act, [act]),
        ("texts", ActText, [ActText(act_id=act.id, text=parsed.text)]),
        ("units", Unit, list(parsed.units)),
    ]
    for stage, model, rows in pieces:

        async def keep(rows: list[Noun] = rows) -> Outcome[Noun]:
            return Outcome(kept=rows)

        await run_stage(runtime, TableRef(stage=stage, scope=act.id), model, made_from, keep)
    runtime.progress.advance("parse")
    return act.id


def _parse(runtime: Runtime, snapshot: SnapshotRef) -> ParsedAct:
    store = snapshot_store(runtime.workspace)
    key = LawKey(law_id=snapshot.law_id, version=snapshot.version, language=snapshot.language)
    kept = next(s for s in reversed(store.history(key)) if s.sha256 == snapshot.sha256)
    return parse_snapshot(store, kept, snapshot.name)


async def segment_law(runtime: Runtime, act_id: ActId) -> TableRef:
    """Cut an act into context units with numbered sentences: the table `context_units`."""
    from claimrag.tasks.local.tokens import count_tokens
    from claimrag.tasks.segment import segment_act

    workspace, strategy = runtime.workspace, runtime.settings.generate.strategy
    made_from = {
        "units": workspace.rows_sha256(TableRef(stage="units", scope=act_id)),
        "strategy": strategy.value,
        "code": code_sha256("claimrag.tasks.segment"),
    }

    async def work() -> Outcome[ContextUnit]:
        act, units, text = read_act(runtime, act_id)
        return await asyncio.to_thread(segment_act, act, units, text, strategy, count_tokens)

    ref = TableRef(stage="context_units", scope=act_id)
    await run_stage(runtime, ref, ContextUnit, made_from, work)
    runtime.progress.advance("segment")
    return ref


def read_act(runtime: Runtime, act_id: ActId) -> tuple[Act, list[Unit], str]:
    """An act, its units and its canonical text, from the workspace."""
    act = runtime.rows(TableRef(stage="acts", scope=act_id), Act)[0]
    units = runtime.rows(TableRef(stage="units", scope=act_id), Unit)
    text = runtime.rows(TableRef(stage="texts", scope=act_id), ActText)[0].text
    if sha256_text(text) != act.text_sha256:
        raise InputError(f"the text of {act_id} does not have the hash of its act; run the build again")
    return act, units, text


def _stop_or_warn(runtime: Runtime, snapshot: SnapshotRef, parsed: ParsedAct) -> None:
    problems = "; ".join(f"{p.code} {p.unit_id or ''}: {p.detail}" for p in parsed.health.problems[:5])
    sentence = f"the parse of {snapshot.name} is not healthy: {problems}"
    if not {snapshot.name, snapshot.law_id, parsed.act.id} & set(runtime.settings.allow_unhealthy):
        raise UnhealthyParseError(
            f"{sentence}. See `claimrag parse {snapshot.name}`; to go on all the same put the name into "
            "`allow_unhealthy`"
        )
    runtime.warnings.append(sentence)
