"""The workspace: atomic tables, counts that add up, currency by content."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimrag.schemas.errors import StoreError
from claimrag.schemas.rejected import Rejected, StageCounts
from claimrag.schemas.text import ActText
from claimrag.tasks.store import Outcome, TableRef, Workspace

REF = TableRef(stage="texts", scope="eu/32099R1001/2099-03-12/en")


def rejected(reason: str, item: str = "x") -> Rejected:
    return Rejected(stage="texts", item=item, reason=reason, detail="why", raw="raw")


def test_a_table_comes_back_as_it_was_written(tmp_path: Path) -> None:
    workspace = Workspace.open(str(tmp_path / "w"))
    rows = [ActText(act_id="a/b/c/en", text="é\n\u00a0x"), ActText(act_id="a/b/c/fr", text="")]
    counts = workspace.write_table(REF, ActText, rows, [rejected("a"), rejected("a"), rejected("b")])
    assert workspace.read_table(REF, ActText) == rows
    assert [row.reason for row in workspace.read_rejected(REF)] == ["a", "a", "b"]
    assert (
        counts == workspace.read_counts(REF) == StageCounts(considered=5, kept=2, rejected={"a": 2, "b": 1})
    )


def test_a_memory_filesystem_works_as_a_folder_does() -> None:
    workspace = Workspace.open("memory://claimrag-test-workspace")
    rows = [ActText(act_id="a/b/c/en", text="text")]
    workspace.write_table(REF, ActText, rows)
    assert Workspace.open("memory://claimrag-test-workspace").read_table(REF, ActText) == rows
    assert [ref.scope for ref in workspace.tables("texts")] == [REF.scope]


def test_a_table_is_current_only_for_the_same_inputs(tmp_path: Path) -> None:
    workspace = Workspace.open(str(tmp_path))
    workspace.write_table(REF, ActText, [], made_from={"raw": "1", "code": "2"})
    assert workspace.is_current(REF, {"code": "2", "raw": "1"})
    assert not workspace.is_current(REF, {"code": "2", "raw": "other"})
    assert not workspace.is_current(TableRef(stage="texts", scope="absent"), {})


def test_the_hash_of_rows_changes_with_any_row(tmp_path: Path) -> None:
    workspace = Workspace.open(str(tmp_path))
    workspace.write_table(REF, ActText, [ActText(act_id="a", text="one")])
    before = workspace.rows_sha256(REF)
    workspace.write_table(REF, ActText, [ActText(act_id="a", text="two")])
    assert workspace.rows_sha256(REF) != before


def test_a_crash_before_the_counts_leaves_the_old_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = Workspace.open(str(tmp_path))

    def crash(*_: object, **__: object) -> str:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(workspace, "write_json", crash)
        with pytest.raises(KeyboardInterrupt):
            workspace.write_table(REF, ActText, [ActText(act_id="a", text="one")])
    assert not workspace.has_table(REF)
    with pytest.raises(StoreError, match="run the stage"):
        workspace.read_table(REF, ActText)


def test_no_temporary_file_is_left(tmp_path: Path) -> None:
    workspace = Workspace.open(str(tmp_path))
    workspace.write_table(REF, ActText, [ActText(act_id="a", text="one")])
    assert not list(tmp_path.rglob("*.tmp"))


def test_damaged_files_are_named_with_a_remedy(tmp_path: Path) -> None:
    workspace = Workspace.open(str(tmp_path))
    workspace.write_table(REF, ActText, [ActText(act_id="a", text="one")])
    parquet = next(tmp_path.glob("tables/texts/*.parquet"))
    parquet.write_bytes(b"no parquet")
    with pytest.raises(StoreError, match=r"not a readable Parquet file.*Rerun"):
        workspace.read_table(REF, ActText)
    next(tmp_path.glob("tables/texts/*.json")).write_text("{")
    with pytest.raises(StoreError, match="damaged"):
        workspace.read_counts(REF)


def test_paths_cannot_leave_the_workspace(tmp_path: Path) -> None:
    workspace = Workspace.open(str(tmp_path))
    with pytest.raises(StoreError, match="leaves the workspace"):
        workspace.path("tables", "../../etc")


@given(st.text(min_size=1, max_size=40))
def test_a_scope_becomes_one_plain_file_name(scope: str) -> None:
    slug = TableRef(stage="texts", scope=scope).slug
    assert "/" not in slug and slug not in {"", ".", ".."} and "\x00" not in slug


@given(st.lists(st.text(min_size=1, max_size=8), min_size=2, max_size=30, unique=True))
def test_different_scopes_get_different_files(scopes: list[str]) -> None:
    assert len({TableRef(stage="texts", scope=scope).slug for scope in scopes}) == len(scopes)


def test_an_unknown_storage_protocol_is_a_clear_error() -> None:
    with pytest.raises(StoreError, match="cannot be opened"):
        Workspace.open("nosuch://bucket/folder")


def test_outcomes_join_in_order_and_their_counts_add_up() -> None:
    joined = Outcome.joined([Outcome([1], [rejected("a")]), Outcome([2, 3], [rejected("b")])])
    assert joined.kept == [1, 2, 3]
    assert joined.counts == StageCounts(considered=5, kept=3, rejected={"a": 1, "b": 1})


def test_records_are_canonical_json(tmp_path: Path) -> None:
    workspace = Workspace.open(str(tmp_path))
    workspace.write_table(REF, ActText, [], made_from={"b": "2", "a": "1"})
    record = json.loads(next(tmp_path.glob("tables/texts/*.json")).read_text())
    assert list(record["made_from"]) == ["a", "b"]
