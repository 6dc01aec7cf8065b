"""Step from a law's name to its raw bytes in the workspace: a snapshot, kept by its SHA-256."""

from __future__ import annotations

from claimrag.legal_sources.catalogue import load_catalogue
from claimrag.schemas.base import Noun, Sha256
from claimrag.schemas.law_details import LawDetails
from claimrag.tasks.acquire.acquire import AcquireRequest, acquire
from claimrag.tasks.acquire.naming import NamedLaw, laws_of
from claimrag.tasks.acquire.snapshot import LawKey, Snapshot, SnapshotStore
from claimrag.tasks.run.clock import utc_now
from claimrag.tasks.run.runtime import Runtime
from claimrag.tasks.store import Workspace


class SnapshotRef(Noun):
    """Raw bytes kept in the workspace, by their hash, and the law they are of.

    `own_file` tells a file that was named alone; `details` are what was said of it.
    """

    name: str
    sha256: Sha256
    law_id: str
    version: str
    language: str
    own_file: bool = False
    details: LawDetails | None = None


def plan_laws(runtime: Runtime) -> list[NamedLaw]:
    """The laws that the request names, in order."""
    laws = laws_of(runtime.request)
    for stage in ("acquire", "parse", "segment"):
        runtime.progress.begin(stage, len(laws))
    return laws


async def acquire_law(runtime: Runtime, law: NamedLaw) -> SnapshotRef:
    """Keep the raw bytes of a law; an existing snapshot is used, the network left alone."""
    store = snapshot_store(runtime.workspace)
    settings = runtime.settings.acquire
    acquired = await acquire(AcquireRequest(law), store, load_catalogue(), settings, runtime.fetcher())
    key, sha256 = acquired.snapshot.key, acquired.snapshot.sha256
    runtime.raw[f"{law.name} {key.language}"] = sha256
    runtime.progress.advance("acquire")
    return SnapshotRef(
        name=law.name,
        sha256=sha256,
        law_id=key.law_id,
        version=key.version,
        language=key.language,
        own_file=law.law_id is None,
        details=law.details,
    )


def snapshot_store(workspace: Workspace) -> SnapshotStore:
    """The snapshots of a workspace."""
    return SnapshotStore(workspace.fs, workspace.root, clock=utc_now)


def find_snapshot(store: SnapshotStore, ref: SnapshotRef) -> Snapshot:
    """The record of the bytes that `ref` names."""
    key = LawKey(law_id=ref.law_id, version=ref.version, language=ref.language)
    return next(record for record in reversed(store.history(key)) if record.sha256 == ref.sha256)
