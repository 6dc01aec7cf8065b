"""What was rejected is published row by row: as many as the card says, bounded, and no word of an endpoint."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from reader_workspace import copy_of_workspace

from claimrag.schemas.errors import StoreError
from claimrag.schemas.reason import Reason
from claimrag.schemas.rejected import StageCounts
from claimrag.tasks.release import latest_release, make_release

OF_AN_ENDPOINT = {
    Reason.CONTENT_FILTER,
    Reason.MODEL_UNAVAILABLE,
    Reason.MODEL_REFUSED,
    Reason.CONTEXT_LENGTH,
}


@pytest.fixture
def with_rejected(made_up_build, source_of):
    """A source whose rejected rows are those given, each a change to a row of the fixture, with counts that add up."""

    def source(*changes):
        plain = source_of(made_up_build)
        rows = [plain.all_rejected[0].model_copy(update=each) for each in changes]
        reasons = Counter(row.reason.value for row in rows)
        counts = StageCounts(considered=18 + len(rows), kept=18, rejected=dict(sorted(reasons.items())))
        return replace(plain, all_rejected=rows, counts={"question_shards": counts})

    return source


def by_stage_and_reason(card, table_under):
    """The numbers of the card's table, by stage and reason."""
    found = Counter()
    for line in table_under(card, "What was rejected"):
        pairs = (part.rsplit(" ", 1) for part in line["rejected by reason"].split(", ") if part != "-")
        found.update({(line["stage"], code.replace("\\", "")): int(number) for code, number in pairs})
    return found


def test_the_rows_of_a_workspace_are_as_many_as_its_card_says(tmp_path, rows_of, table_under):
    releases = Path(copy_of_workspace(tmp_path / "w").path("releases"))
    folder = releases / latest_release(releases).version
    rows = rows_of(folder, "rejected")
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert Counter((row["stage"].replace("_", " "), row["reason"]) for row in rows) == by_stage_and_reason(
        card, table_under
    )
    assert {row["kind"] for row in rows} == {"judgement", "malfunction"}
    assert len({row["stage"] for row in rows}) > 1


def test_datasets_reads_what_was_rejected_and_each_row_says_why(made_up_build, tmp_path, source_of, load):
    rejected = load(make_release(tmp_path / "r", source_of(made_up_build)).folder, "rejected")
    assert rejected.num_rows == len(set(rejected["id"])) == 5
    row = next(row for row in rejected if row["reason"] == "malformed_reply")
    act = made_up_build.acts[0]
    assert row == {
        "id": row["id"],
        "stage": "question_shards",
        "act_id": act.id,
        "law_id": act.id.rsplit("/", 2)[0],
        "language": act.language,
        "item": "ctx_0/factual_recall",
        "reason": "malformed_reply",
        "kind": "malfunction",
        "meaning": Reason.MALFORMED_REPLY.meaning,
        "detail": "as noted",
        "raw": "reply 0",
    }


@pytest.mark.parametrize("reason", list(Reason))
def test_the_words_of_an_endpoint_are_not_published(with_rejected, tmp_path, rows_of, reason):
    words = {"reason": reason, "detail": "https\u003a//inside.example answered", "raw": "account sk-123"}
    [row] = rows_of(make_release(tmp_path, with_rejected(words)).folder, "rejected")
    expected = ("", "") if reason in OF_AN_ENDPOINT else (words["detail"], words["raw"])
    assert (row["detail"], row["raw"]) == expected


def test_a_row_is_bounded_and_its_text_stays_as_it_was(with_rejected, tmp_path, rows_of):
    hostile = "<script>{{ 7 }}\x00\n---\n"
    source = with_rejected({"raw": hostile + "x" * 5_000, "detail": "y" * 5_000})
    [row] = rows_of(make_release(tmp_path, source).folder, "rejected")
    assert row["raw"] == (hostile + "x" * 5_000)[:2_000]
    assert row["detail"] == "y" * 2_000


def test_rows_that_are_alike_are_told_apart(with_rejected, tmp_path, rows_of):
    rows = rows_of(make_release(tmp_path, with_rejected({}, {}, {"raw": "other"})).folder, "rejected")
    assert len({row["id"] for row in rows}) == 3


def test_where_nothing_was_rejected_there_is_no_such_configuration(with_rejected, tmp_path):
    result = make_release(tmp_path, with_rejected())
    assert "rejected" not in result.release.rows
    assert "`rejected`" not in (Path(result.folder) / "README.md").read_text(encoding="utf-8")


def test_counts_that_the_rows_do_not_bear_out_are_refused(made_up_build, source_of, tmp_path):
    source = source_of(made_up_build)
    with pytest.raises(
        StoreError, match="the rejected rows of question_shards are not as many as its counts"
    ):
        make_release(tmp_path, replace(source, all_rejected=source.all_rejected[1:]))
    stray = source.all_rejected[0].model_copy(update={"act_id": "eu/x/2020-01-01/en"})
    with pytest.raises(StoreError, match="which is not in the release"):
        replace(source, all_rejected=[stray])
