"""Rejected rows are counted as the records count them, and shown by stage, reason and law."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from reader_workspace import NEW, OLD, copy_of_workspace, damage, in_memory

from claimrag.schemas.errors import InputError
from claimrag.schemas.reason import Reason
from claimrag.schemas.rejection import RejectedCount
from claimrag.tasks.run.at_hand import act_in, tables_at_hand
from claimrag.tasks.run.rejections import find_rejections
from claimrag.tasks.store import TableRef, Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return copy_of_workspace(tmp_path / "w")


def test_for_every_stage_kept_and_rejected_rows_add_up_to_what_its_records_say(workspace: Workspace) -> None:
    found = find_rejections(workspace)
    assert found.counts and "question_shards" not in found.considered
    for stage, considered in found.considered.items():
        rejected = sum(one.rows for one in found.counts if one.stage == stage)
        assert found.kept[stage] + rejected == considered
        counts = [workspace.read_counts(ref) for ref in workspace.tables(stage)]
        assert considered == sum(one.considered for one in counts)
        assert rejected == sum(sum(one.rejected.values()) for one in counts)


def test_the_rows_of_a_stage_are_its_rejected_rows_and_as_many_as_were_counted(workspace: Workspace) -> None:
    found = find_rejections(workspace, "questions")
    expected = [row for ref in workspace.tables("questions") for row in workspace.read_rejected(ref)]
    assert [(row.item, row.raw) for row in found.rows] == [(row.item, row.raw) for row in expected]
    assert Counter(row.reason.value for row in found.rows) == {one.reason: one.rows for one in found.counts}


def test_a_reason_and_a_limit_choose_among_the_rows(workspace: Workspace) -> None:
    every = find_rejections(workspace, "generate", reason="malformed-reply")
    assert {row.reason for row in every.rows} == {Reason.MALFORMED_REPLY} and len(every.rows) > 1
    assert find_rejections(workspace, "questions", reason="malformed_reply", limit=1).rows == every.rows[:1]


def test_a_law_is_named_by_its_number_its_version_or_as_it_was_typed(workspace: Workspace) -> None:
    def acts(law: str) -> set[str | None]:
        return {row.act_id for row in find_rejections(workspace, "occurrences", law=law).rows}

    old, new = (f"eu/32099R1001/{version}/en" for version in (OLD, NEW))
    assert acts("32099r1001") == acts("eu/32099R1001") == {old, new}
    assert acts(new) == acts(NEW) == acts(f"{NEW}.xhtml") == {new}


def test_a_stage_a_reason_or_a_law_that_is_not_there_is_answered_with_those_that_are(
    workspace: Workspace,
) -> None:
    with pytest.raises(InputError, match="no stage 'qestions'; it holds: acts, texts, units, context_units"):
        find_rejections(workspace, "qestions")
    with pytest.raises(InputError, match=r"no reason 'sloth'; reasons that occur: .*malformed_reply"):
        find_rejections(workspace, reason="sloth")
    with pytest.raises(InputError, match=r"no row .* rejected as duplicate; reasons that occur: "):
        find_rejections(workspace, reason="duplicate")
    with pytest.raises(InputError, match=rf"--law gdpr: .* it holds: eu/32099R1001/{OLD}/en"):
        find_rejections(workspace, law="gdpr")


def test_an_empty_workspace_has_no_stage_yet(tmp_path: Path) -> None:
    empty = Workspace.open(str(tmp_path / "empty"))
    assert find_rejections(empty).counts == ()
    with pytest.raises(InputError, match="run `claimrag build` on it first"):
        find_rejections(empty, "questions")


def test_parts_of_questions_are_counted_until_they_are_joined(workspace: Workspace) -> None:
    ref = workspace.tables("questions")[0]
    joined = workspace.read_counts(ref)
    Path(workspace.path("tables/questions", f"{ref.slug}.json")).unlink()
    found = find_rejections(workspace)
    assert found.considered["question_shards"] == joined.considered


def test_a_damaged_record_is_named_and_the_other_tables_are_answered(workspace: Workspace) -> None:
    before = find_rejections(workspace, "questions")
    first, second = workspace.tables("questions")
    damage(workspace, f"tables/questions/{first.slug}.json")
    found = find_rejections(workspace, "questions")
    assert [row for row in before.rows if row.scope == second.scope] == list(found.rows)
    assert len(found.damaged) == 1 and f"{first.slug}.json is damaged" in found.damaged[0]
    assert "run `claimrag build` again" in found.damaged[0]


def test_rejected_rows_that_cannot_be_read_are_named_by_their_table(workspace: Workspace) -> None:
    first, second = workspace.tables("questions")
    record = workspace.record(first)
    assert record is not None
    damage(workspace, record.rejected.path)
    found = find_rejections(workspace, "questions")
    assert {row.scope for row in found.rows} == {second.scope}
    assert len(found.damaged) == 1 and first.scope in found.damaged[0]


def test_an_object_store_answers_the_same(workspace: Workspace) -> None:
    copied = in_memory(workspace, "memory://readers/rejections")
    assert find_rejections(copied, "questions") == find_rejections(workspace, "questions")


def test_a_reason_of_another_version_is_counted_and_said_to_be_one() -> None:
    count = RejectedCount.of("questions", "ennui", 3)
    assert (count.kind, count.rows, count.asked_again) == ("unknown", 3, False)


@pytest.mark.parametrize(
    ("scope", "act"),
    [
        ("eu/1/2099-01-01/en", "eu/1/2099-01-01/en"),
        ("eu/1/2099-01-01/en/single-0000", "eu/1/2099-01-01/en"),
        ("run_1/eu/1/2099-01-01/en", "eu/1/2099-01-01/en"),
        ("run_1", None),
        ("2099-01-01/en", None),
        ("eu/1/2099-01-01", None),
    ],
)
def test_the_act_of_a_scope_ends_with_the_language_after_its_date(scope: str, act: str | None) -> None:
    assert act_in(scope) == act


def test_records_come_in_the_order_of_the_build(workspace: Workspace) -> None:
    records = tables_at_hand(workspace).records
    stages = list(dict.fromkeys(record.stage for record in records))
    assert stages[:4] == ["acts", "texts", "units", "context_units"] and stages[-1] == "runs"
    assert TableRef(stage="acts", scope=f"eu/32099R1001/{OLD}/en") in [record.ref for record in records]
