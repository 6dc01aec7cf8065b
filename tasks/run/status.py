"""The state of a workspace, read from its records, manifests, logs and lock.

Promises: nothing is written and nothing waited for; what is damaged is named, and the rest is answered. It opens no
table but those of the acts, and never works out what a build would do: `outdated` compares recorded hashes alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from claimrag.schemas.act import Act, law_of
from claimrag.schemas.base import ActId
from claimrag.schemas.rejected import StageCounts
from claimrag.schemas.rejection import RejectedCount
from claimrag.schemas.status import LawStatus, LockStatus, ReleaseStatus, StageStatus, WorkspaceStatus
from claimrag.tasks.occurrences.step import OCCURRENCES
from claimrag.tasks.parse.step import UNITS
from claimrag.tasks.release.files import ReleaseStore
from claimrag.tasks.release.record import RECORD, parse_record
from claimrag.tasks.run.at_hand import AtHand, catalogue_id, counted_once, rows_of_acts, tables_at_hand
from claimrag.tasks.run.made_from import has_changed_inputs, name_of
from claimrag.tasks.run.past_runs import past_errors, past_runs
from claimrag.tasks.run.versions import current_acts
from claimrag.tasks.store import TableRecord, Workspace
from claimrag.tasks.store.files import files_under
from claimrag.tasks.store.holder import heartbeat_age_s, lock_holder


def workspace_status(workspace: Workspace, now: datetime) -> WorkspaceStatus:
    """How the workspace stands at `now`; StoreError only when the storage itself does not answer."""
    at_hand = tables_at_hand(workspace)
    acts, damaged = rows_of_acts(workspace, at_hand)
    lock = _lock(workspace, now)
    runs = past_runs(workspace, lock.since if lock is not None and lock.is_alive else None)
    return WorkspaceStatus(
        workspace=workspace.shown,
        lock=lock,
        laws=tuple(_laws(workspace, at_hand, acts)),
        stages=tuple(_stages(at_hand)),
        runs=tuple(runs),
        errors=tuple(past_errors(workspace, runs)),
        releases=tuple(_releases(workspace)),
        bytes=_bytes(workspace),
        damaged=(*at_hand.damaged, *damaged),
    )


def _lock(workspace: Workspace, now: datetime) -> LockStatus | None:
    owner = lock_holder(workspace)
    if owner is None:
        return None
    return LockStatus(
        purpose=owner.purpose,
        host=owner.host,
        process=owner.pid,
        since=owner.started_at,
        heartbeat_age_s=round(heartbeat_age_s(owner, now), 1),
        is_alive=not owner.is_gone(now),
    )


def _laws(workspace: Workspace, at_hand: AtHand, acts: list[Act]) -> Iterator[LawStatus]:
    current = set(current_acts(act.id for act in acts))
    units, questions = (_kept_by_act(at_hand, table.stage) for table in (UNITS, OCCURRENCES))
    for act in sorted(acts, key=lambda act: (act.id not in current, act.id)):
        yield LawStatus(
            act_id=act.id,
            law_id=law_of(act.id),
            name=catalogue_id(workspace, act),
            title=act.short_title or act.title,
            language=act.language,
            version_date=act.version_date,
            consolidated=act.consolidated,
            is_current=act.id in current,
            units=units.get(act.id),
            questions=questions.get(act.id),
        )


def _kept_by_act(at_hand: AtHand, stage: str) -> dict[ActId, int]:
    return {ActId(record.scope): record.counts.kept for record in at_hand.of(stage)}


def _stages(at_hand: AtHand) -> Iterator[StageStatus]:
    rows = {name_of(record.ref): record.rows_sha256 for record in at_hand.records}
    by_stage: dict[str, list[TableRecord]] = {}
    for record in counted_once(at_hand):
        by_stage.setdefault(record.stage, []).append(record)
    for stage, records in by_stage.items():
        counts = sum((record.counts for record in records), StageCounts.of(0, ()))
        again = [RejectedCount.of(stage, code, number) for code, number in counts.rejected.items()]
        yield StageStatus(
            stage=stage,
            tables=len(records),
            considered=counts.considered,
            kept=counts.kept,
            rejected=counts.rejected,
            asked_again=sum(one.rows for one in again if one.asked_again),
            outdated=sum(has_changed_inputs(record.made_from, rows.get) for record in records),
        )


def _releases(workspace: Workspace) -> Iterator[ReleaseStatus]:
    store = ReleaseStore(workspace.fs, workspace.path("releases"))
    for version in store.versions():
        raw = store.read(version, RECORD)
        release = None if raw is None else parse_record(raw)
        yield ReleaseStatus(
            version=version,
            rows={} if release is None else release.rows,
            acts=() if release is None else release.acts,
        )


def _bytes(workspace: Workspace) -> dict[str, int]:
    """Bytes by the folder right under the workspace; files beside them under their own name."""
    used: Counter[str] = Counter()
    for entry in files_under(workspace.fs, workspace.root):
        name = str(entry["name"]).removeprefix(f"{workspace.root}/")
        used[name.partition("/")[0]] += int(entry["size"] or 0)
    return dict(sorted(used.items()))
