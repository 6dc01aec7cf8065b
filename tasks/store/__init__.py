"""The workspace store: one folder (local or `s3://...`) of immutable Parquet tables, each with its record."""

from claimrag.tasks.store.clean import Removed
from claimrag.tasks.store.lock import WorkspaceLock
from claimrag.tasks.store.outcome import Outcome
from claimrag.tasks.store.record import FileRef, TableRecord
from claimrag.tasks.store.rows import rows_sha256
from claimrag.tasks.store.tables import TableRef
from claimrag.tasks.store.workspace import Workspace
from claimrag.tasks.store.writer import TableWriter

__all__ = [
    "FileRef",
    "Outcome",
    "Removed",
    "TableRecord",
    "TableRef",
    "TableWriter",
    "Workspace",
    "WorkspaceLock",
    "rows_sha256",
]
