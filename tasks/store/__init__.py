"""The workspace store: one folder (local or `s3://...`) with a Parquet table per stage and scope."""

from claimrag.tasks.store.outcome import Outcome
from claimrag.tasks.store.tables import TableRef
from claimrag.tasks.store.workspace import Workspace

__all__ = ["Outcome", "TableRef", "Workspace"]
