"""The workspace store: one folder (local or `s3://...`) with a Parquet table per stage and scope."""

from tasks.store.outcome import Outcome
from tasks.store.tables import TableRef
from tasks.store.workspace import Workspace

__all__ = ["Outcome", "TableRef", "Workspace"]
