"""Storage that will not say: a file that cannot be read is damage with a name, a lock of unknown age is held."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from claimrag.schemas.errors import WorkspaceBusyError
from claimrag.schemas.text import ActText
from claimrag.tasks.store import TableRef, Workspace, WorkspaceLock, check
from claimrag.tasks.store.check import examine

REF = TableRef(stage="texts", scope="a")


def refusing(error: type[Exception]) -> Any:
    def refuse(*_: object, **__: object) -> Any:
        raise error("input/output error")

    return refuse


def test_a_file_of_a_table_that_cannot_be_read_is_damage_that_names_it(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.write_table(REF, ActText, [ActText(act_id="a", text="one")], (), {})
    check._sound.clear()
    monkeypatch.setattr(check, "sha256_of", refusing(OSError))
    record, wrong = examine(workspace.fs, workspace.root, REF)
    assert (
        record is None and "cannot be read: input/output error" in wrong and wrong.startswith(workspace.root)
    )


@pytest.mark.parametrize("error", [OSError, NotImplementedError])
def test_a_lock_that_cannot_be_read_and_has_no_age_is_held_for_ever(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    workspace.fs.makedirs(workspace.path("lock"), exist_ok=True)
    workspace.fs.pipe_file(workspace.path("lock", "000007.json"), b"{")
    monkeypatch.setattr(type(workspace.fs), "modified", refusing(error))
    later = WorkspaceLock(
        workspace.fs,
        workspace.root,
        workspace.address,
        "claimrag build gdpr",
        clock=lambda: datetime.now(UTC) + timedelta(days=9),
    )
    with pytest.raises(WorkspaceBusyError, match="cannot be read"):
        later.take()
