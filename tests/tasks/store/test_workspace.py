"""The workspace on every kind of storage: tables, their records, batches, rows by value, what is not read."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimrag.schemas.base import Noun
from claimrag.schemas.errors import StoreError
from claimrag.schemas.reason import Reason
from claimrag.schemas.rejected import Rejected, StageCounts
from claimrag.schemas.text import ActText
from claimrag.tasks.store import Outcome, TableRecord, TableRef, Workspace, rows_sha256
from claimrag.tasks.store.rows import GROUP_ROWS

REF = TableRef(stage="texts", scope="eu/32099R1001(02)/2099-03-12/en")
Lose = Callable[..., Rejected]
Files = Callable[[Workspace], dict[str, bytes]]


def texts(*words: str) -> list[ActText]:
    return [ActText(act_id=f"a/b/c/{number}", text=text) for number, text in enumerate(words)]


def test_a_table_comes_back_as_it_was_written(workspace: Workspace, lose: Lose) -> None:
    rows = texts("é\n\u00a0x", "", "\U0001f600")
    lost = [lose(Reason.LENGTH), lose(Reason.LENGTH), lose(Reason.EMPTY)]
    counts = workspace.write_table(REF, ActText, rows, lost)
    assert workspace.read_table(REF, ActText) == rows
    assert workspace.read_rejected(REF) == lost
    assert counts == workspace.read_counts(REF)
    assert counts == StageCounts(considered=6, kept=3, rejected={"empty": 1, "length": 2})


def test_another_opening_of_the_same_address_reads_the_table(workspace: Workspace) -> None:
    workspace.write_table(REF, ActText, texts("text"))
    assert Workspace.open(workspace.address, create=False).read_table(REF, ActText) == texts("text")


def test_an_empty_table_is_a_table(workspace: Workspace) -> None:
    workspace.write_table(REF, ActText, [])
    assert workspace.has_table(REF)
    assert workspace.read_table(REF, ActText) == workspace.read_rejected(REF) == []


def test_the_scope_of_a_table_comes_from_its_record(workspace: Workspace) -> None:
    scopes = ["b/x(1)", "a b", "a/b/c", "", "~", "x.json", "x", "é" * 300]
    for scope in scopes:
        workspace.write_table(TableRef(stage="texts", scope=scope), ActText, texts(scope))
    assert [ref.scope for ref in workspace.tables("texts")] == sorted(scopes)
    for ref in workspace.tables("texts"):
        assert workspace.read_table(ref, ActText) == texts(ref.scope)


def test_stages_are_those_with_a_sound_table(workspace: Workspace) -> None:
    assert workspace.stages() == workspace.tables("texts") == []
    for stage in ("units", "acts", "runs"):
        workspace.write_table(TableRef(stage=stage, scope="a"), ActText, [])
    workspace.write_text("[]", "tables", "runs", "a.json")
    assert workspace.stages() == ["acts", "units"]


def test_a_table_written_by_another_process_is_seen(workspace: Workspace) -> None:
    other = Workspace(workspace.address, type(workspace.fs)(skip_instance_cache=True), workspace.root)
    assert not workspace.has_table(REF)
    assert workspace.tables("texts") == []
    other.write_table(REF, ActText, texts("one"))
    assert workspace.tables("texts") == [REF]
    assert workspace.read_table(REF, ActText) == texts("one")
    workspace.clean(dry_run=True)
    other.write_table(REF, ActText, texts("two"))
    assert workspace.read_table(REF, ActText) == texts("two")


def test_what_a_table_was_made_from_is_any_json(workspace: Workspace) -> None:
    made_from = {"inputs": {"b": 1, "a": [1.5, None, "x"]}, "code": {}}
    workspace.write_table(REF, ActText, [], made_from=made_from)
    record = workspace.record(REF, ActText)
    assert record is not None
    assert record.made_from == made_from
    assert record.ref == REF
    assert record.noun == "ActText"


def test_files_are_named_by_what_they_hold_and_were_made_from(workspace: Workspace, files_of: Files) -> None:
    workspace.write_table(REF, ActText, texts("one"), made_from={"k": "1"})
    first = files_of(workspace)
    workspace.write_table(REF, ActText, texts("one"), made_from={"k": "1"})
    assert files_of(workspace) == first
    workspace.write_table(REF, ActText, texts("two"), made_from={"k": "1"})
    workspace.write_table(REF, ActText, texts("one"), made_from={"k": "2"})
    after = files_of(workspace)
    assert len(after) == 3 * 2 + 1
    assert {path: data for path, data in after.items() if path in first and path.endswith("parquet")} == {
        path: data for path, data in first.items() if path.endswith("parquet")
    }


def test_batches_give_the_table_that_one_write_gives(
    workspace: Workspace, files_of: Files, lose: Lose
) -> None:
    rows = texts(*(str(number) for number in range(2 * GROUP_ROWS + 7)))
    lost = [lose(Reason.LENGTH, str(number)) for number in range(5)]
    counts = workspace.write_table(REF, ActText, rows, lost, {"k": "1"})
    together = files_of(workspace)
    with workspace.table_writer(REF, ActText, {"k": "1"}) as writer:
        for start in range(0, len(rows), 333):
            writer.add(rows[start : start + 333])
        writer.add(rejected=lost)
    assert writer.counts == counts
    assert files_of(workspace) == together
    assert [len(some) for some in workspace.iter_table(REF, ActText)] == [GROUP_ROWS, GROUP_ROWS, 7]
    assert max(len(some) for some in workspace.iter_table(REF, ActText, 100)) == 100
    assert [row for some in workspace.iter_table(REF, ActText, 100) for row in some] == rows
    assert [row for some in workspace.iter_rejected(REF, 2) for row in some] == lost


def test_a_writer_that_is_left_by_an_exception_changes_nothing(workspace: Workspace, files_of: Files) -> None:
    workspace.write_table(REF, ActText, texts("one"))
    before = files_of(workspace)
    with pytest.raises(ZeroDivisionError), workspace.table_writer(REF, ActText) as writer:
        writer.add(texts(*("x" * GROUP_ROWS)))
        raise ZeroDivisionError
    assert files_of(workspace) == before
    with pytest.raises(TimeoutError), workspace.table_writer(REF, ActText):
        raise TimeoutError("of the work, not of the disk")
    assert files_of(workspace) == before
    with pytest.raises(StoreError, match="holds only those"):
        workspace.write_table(REF, ActText, [StageCounts.of(0, ())])  # type: ignore[list-item]
    assert files_of(workspace) == before


def test_rows_are_chosen_by_the_values_of_a_column(workspace: Workspace) -> None:
    rows = texts(*(f"{number % 100:04d}" for number in range(2500)))
    workspace.write_table(REF, ActText, rows)
    wanted = ["a/b/c/2400", "a/b/c/3", "absent"]
    assert workspace.read_rows(REF, ActText, "act_id", wanted) == [rows[3], rows[2400]]
    assert workspace.read_rows(REF, ActText, "text", ["0007"]) == rows[7::100]
    assert workspace.read_rows(REF, ActText, "text", []) == []
    with pytest.raises(StoreError, match=r"no column 'missing'"):
        workspace.read_rows(REF, ActText, "missing", ["x"])


def test_groups_that_cannot_hold_a_value_are_not_read(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow.parquet as pq

    workspace.write_table(REF, ActText, [ActText(act_id=f"{n:05d}", text="t") for n in range(5 * GROUP_ROWS)])
    real, read = pq.ParquetFile.read_row_group, []

    def counting(self: pq.ParquetFile, group: int, **options: object) -> object:
        read.append(group)
        return real(self, group, **options)

    monkeypatch.setattr(pq.ParquetFile, "read_row_group", counting)
    assert len(workspace.read_rows(REF, ActText, "act_id", ["03999", "01000"])) == 2
    assert set(read) == {1, 3}


class Dated(Noun):
    at: datetime
    parts: dict[str, float]


def test_the_hash_of_rows_is_that_of_the_rows_read_back(workspace: Workspace) -> None:
    at = datetime(2026, 1, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    rows = [Dated(at=at, parts={"b": 1.0, "a": 0.1})]
    workspace.write_table(REF, Dated, rows)
    read = workspace.read_table(REF, Dated)
    assert read == rows
    assert rows_sha256(read) == rows_sha256(rows) == workspace.rows_sha256(REF)
    assert rows_sha256([Dated(at=at.astimezone(UTC), parts={"a": 0.1, "b": 1.0})]) == rows_sha256(rows)


@given(st.lists(st.text(max_size=8), max_size=5), st.lists(st.text(max_size=8), max_size=5))
def test_the_hash_of_rows_changes_with_any_row(one: list[str], other: list[str]) -> None:
    assert (rows_sha256(texts(*one)) == rows_sha256(texts(*other))) == (one == other)


class ActTextToday(Noun):
    act_id: str
    text: str
    added: str = ""


def test_a_table_of_an_earlier_schema_is_not_todays(workspace: Workspace) -> None:
    workspace.write_table(REF, ActText, texts("one"))
    assert workspace.record(REF) is not None
    assert workspace.record(REF, ActText) is not None
    assert workspace.record(REF, ActTextToday) is None
    with pytest.raises(StoreError, match=r"earlier ActText.*run `claimrag build` again"):
        workspace.read_table(REF, ActTextToday)
    workspace.write_table(REF, ActTextToday, [ActTextToday(act_id="a", text="one")])
    assert workspace.record(REF, ActTextToday) is not None


def test_a_table_that_is_not_there_is_an_error_with_the_remedy(workspace: Workspace) -> None:
    assert workspace.record(REF) is None
    for read in (workspace.read_counts, workspace.rows_sha256, workspace.read_rejected):
        with pytest.raises(StoreError, match=r"is not there; run `claimrag build` again"):
            read(REF)
    with pytest.raises(StoreError, match=r"is not there; run `claimrag build` again"):
        workspace.iter_table(REF, ActText)


def test_a_reader_goes_on_when_the_table_is_replaced_and_cleaned(workspace: Workspace) -> None:
    rows = texts(*(str(number) for number in range(GROUP_ROWS + 5)))
    workspace.write_table(REF, ActText, rows)
    reading = workspace.iter_table(REF, ActText)
    workspace.write_table(REF, ActText, texts("two"))
    workspace.clean()
    assert [row for some in reading for row in some] == texts("two"), "it had not begun to read"


def test_a_reader_that_finds_its_file_cleaned_away_reads_the_table_that_replaced_it(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.write_table(REF, ActText, texts("one"))
    real, other = workspace._sound, Workspace.open(workspace.address)

    def replaced_after(ref: TableRef, model: type[Noun] | None = None) -> TableRecord:
        record = real(ref, model)
        if record.made_from == {}:
            other.write_table(REF, ActText, texts("two"), made_from={"k": "2"})
            other.clean()
        return record

    monkeypatch.setattr(workspace, "_sound", replaced_after)
    assert workspace.read_rows(REF, ActText, "text", ["one", "two"]) == texts("two")


def test_rows_that_are_not_those_that_were_hashed_are_refused(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    from claimrag.tasks.store import rows

    with monkeypatch.context() as patch:
        patch.setattr(rows.RowsHash, "hexdigest", lambda self: "0" * 64)
        workspace.write_table(REF, ActText, texts("one"))
    with pytest.raises(StoreError, match=r"does not hold the rows that were written; run `claimrag build`"):
        workspace.read_table(REF, ActText)


def test_json_and_text_are_written_and_read(workspace: Workspace) -> None:
    path = workspace.write_json({"b": 1, "a": "é"}, "reports", "x.json")
    assert path == workspace.path("reports", "x.json")
    assert workspace.read_json("reports", "x.json") == {"a": "é", "b": 1}
    workspace.write_text("{", "reports", "x.json")
    with pytest.raises(StoreError, match="damaged"):
        workspace.read_json("reports", "x.json")
    workspace.fs.pipe_file(path, b"\xff")
    with pytest.raises(StoreError, match="damaged"):
        workspace.read_json("reports", "x.json")
    with pytest.raises(StoreError, match="not in the workspace"):
        workspace.read_json("reports", "y.json")


def test_clean_removes_what_nothing_points_to_and_nothing_else(workspace: Workspace, files_of: Files) -> None:
    workspace.write_table(REF, ActText, texts("one"))
    workspace.write_table(REF, ActText, texts("two"))
    other = TableRef(stage="texts", scope="other")
    workspace.write_table(other, ActText, texts("three"))
    for folder in ("raw", "cache", "releases", "runs", "reviews", "decisions"):
        workspace.write_text("x", folder, "a.parquet")
        workspace.write_text("x", folder, ".x.tmp")
    workspace.write_text("x", "tables", "texts", "old.parquet")
    workspace.write_text("[]", "tables", "texts", "broken.json")
    workspace.write_text("x", "reports", ".a.tmp")
    workspace.write_text("x", ".a.tmp")
    workspace.write_text("x", "notes.tmp")
    before = files_of(workspace)
    planned = workspace.clean(dry_run=True)
    assert files_of(workspace) == before
    assert workspace.clean() == planned
    gone = {file.path: file.why for file in planned}
    assert set(before) - set(files_of(workspace)) == set(gone)
    assert (
        sorted(gone.values()) == ["damaged record"] + ["left half written"] * 2 + ["nothing points to it"] * 3
    )
    assert all(file.size == len(before[file.path]) for file in planned)
    assert not [
        path for path in gone if path.split("/")[0] not in (".a.tmp", "tables", "rejected", "reports")
    ]
    assert workspace.read_table(REF, ActText) == texts("two")
    assert workspace.read_table(other, ActText) == texts("three")
    assert workspace.clean() == []


def test_clean_leaves_the_tables_of_a_later_version(workspace: Workspace, files_of: Files) -> None:
    workspace.write_table(REF, ActText, texts("one"))
    path = f"tables/texts/{REF.slug}.json"
    workspace.write_json(workspace.read_json(path) | {"format": 99}, path)
    before = files_of(workspace)
    assert workspace.record(REF) is None
    assert workspace.clean() == []
    assert files_of(workspace) == before


def test_paths_cannot_leave_the_workspace(workspace: Workspace) -> None:
    assert workspace.path("releases") == f"{workspace.root}/releases"
    with pytest.raises(StoreError, match="leaves the workspace"):
        workspace.path("tables", "../../etc")


@pytest.mark.parametrize("blank", ["", " ", "\n\t"])
def test_a_blank_address_is_refused(blank: str) -> None:
    with pytest.raises(StoreError, match="has no address; give a folder"):
        Workspace.open(blank)


def test_addresses_that_cannot_be_opened_are_clear_errors(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be opened"):
        Workspace.open("nosuch://bucket/folder")
    with pytest.raises(StoreError, match="'::' joins addresses"):
        Workspace.open("a::b")
    with pytest.raises(StoreError, match=r"nosuch://\*\*\*@host/x"):
        Workspace.open("nosuch://user:secret@host/x")
    workspace = Workspace.open("memory://x")
    assert Workspace("s3://user:secret@host/x@y", workspace.fs, workspace.root).shown == "s3://***@host/x@y"
    assert workspace.shown == "memory://x"
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"file/w cannot be opened: .*Not a directory"):
        Workspace.open(str(tmp_path / "file" / "w"))


def test_a_workspace_that_must_be_there_is_not_created(address: str) -> None:
    with pytest.raises(StoreError, match=r"is not there; run `claimrag build` first"):
        Workspace.open(address, create=False)
    Workspace.open(address).write_table(REF, ActText, [])
    assert Workspace.open(address, create=False).has_table(REF)


def test_records_are_sorted_indented_json(tmp_path: Path) -> None:
    workspace = Workspace.open(str(tmp_path))
    workspace.write_table(REF, ActText, [], made_from={"b": "2", "a": "1"})
    text = next(tmp_path.glob("tables/texts/*.json")).read_text()
    record = json.loads(text)
    assert list(record["made_from"]) == ["a", "b"]
    assert text == json.dumps(record, sort_keys=True, indent=2) + "\n"
    assert record["scope"] == REF.scope


def test_outcomes_join_in_order_and_their_counts_add_up(lose: Lose) -> None:
    joined = Outcome.joined([Outcome([1], [lose(Reason.LENGTH)]), Outcome([2, 3], [lose(Reason.EMPTY)])])
    assert joined.kept == [1, 2, 3]
    assert joined.counts == StageCounts(considered=5, kept=3, rejected={"empty": 1, "length": 1})


def test_memory_does_not_grow_with_the_table(tmp_path: Path) -> None:
    import tracemalloc

    workspace = Workspace.open(str(tmp_path))
    tracemalloc.start()
    with workspace.table_writer(REF, ActText) as writer:
        for batch in range(10):
            writer.add(
                [ActText(act_id=f"{batch}/{n}", text=uuid.uuid4().hex * 40) for n in range(GROUP_ROWS)]
            )
    for rows in workspace.iter_table(REF, ActText, 100):
        assert rows
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * GROUP_ROWS * 32 * 40, "ten groups hold 12.8 MB"
