"""The rows of a published dataset, by configuration: flat, typed, readable without knowing claimrag's own tables.

One noun per configuration; what a column holds is the description of its field. The nouns stand in law_rows.py,
system_rows.py and history_rows.py.
"""

from __future__ import annotations

from typing import Any

from claimrag.schemas.base import Noun
from claimrag.schemas.unit import UnitKind
from claimrag.tasks.release.history_rows import ChangeRow, RejectionRow
from claimrag.tasks.release.law_rows import ClaimRow, ContextUnitRow, CorpusRow, QaRow
from claimrag.tasks.release.system_rows import AnswerRow, ChunkRow, RunRow

REQUIRED: dict[str, type[Noun]] = {
    "qa": QaRow,
    "claims": ClaimRow,
    "corpus": CorpusRow,
    "context_units": ContextUnitRow,
}
"""The configurations that every release has, the default one first."""
OPTIONAL: dict[str, type[Noun]] = {
    "runs": RunRow,
    "answers": AnswerRow,
    "chunks": ChunkRow,
    "rejected": RejectionRow,
}
"""Those that a release may have: baselines that were scored, rows that were rejected. Without a row there is none."""
COMPARED: dict[str, type[Noun]] = REQUIRED | OPTIONAL
"""The content of a release, which is compared with that of the previous one."""
CHANGES = "changes"
CONFIGURATIONS: dict[str, type[Noun]] = COMPARED | {CHANGES: ChangeRow}
"""Everything that a release may hold. What changed is no content: it is about two releases, not about one."""
SPLIT = "test"
CORPUS_KINDS = (UnitKind.ARTICLE, UnitKind.RECITAL, UnitKind.ANNEX)


def data_path(configuration: str) -> str:
    """Where the rows of a configuration lie in the release folder."""
    return f"data/{configuration}/{SPLIT}.parquet"


def columns(row: type[Noun], *nouns: Noun, **own: Any) -> dict[str, Any]:
    """The columns of `row`: those in `own`, then each from the first of `nouns` that has a field of its name."""
    found: dict[str, Any] = {}
    for noun in reversed(nouns):
        shared = row.model_fields.keys() & type(noun).model_fields.keys()
        found.update((name, getattr(noun, name)) for name in shared)
    return found | own
