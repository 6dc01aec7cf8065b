from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from claimrag.schemas.base import ActId, UnitId
from claimrag.schemas.unit import Unit, UnitKind
from claimrag.tasks.acquire.changes import compare


def article(number: str | None, text: str, kind: UnitKind = UnitKind.ARTICLE) -> Unit:
    return Unit(
        id=UnitId(f"a#{number}-{text}"),
        act_id=ActId("a"),
        kind=kind,
        number=number,
        order=0,
        depth=0,
        start=0,
        end=len(text),
        text=text,
    )


def test_each_article_is_added_changed_removed_or_unchanged() -> None:
    old = [
        article("1", "one"),
        article("2", "two"),
        article("3", "three"),
        article("9", "r", UnitKind.RECITAL),
    ]
    new = [article("1", "one"), article("2", "two, amended"), article("4a", "four")]
    changes = compare(old, new)
    assert (changes.added, changes.changed, changes.removed, changes.unchanged) == (
        ("4a",),
        ("2",),
        ("3",),
        1,
    )
    assert changes.any
    assert changes.sentences() == [
        "article 4a was added",
        "article 2 was changed",
        "article 3 was removed",
    ]


def test_blanks_alone_are_no_change() -> None:
    changes = compare([article("1", "a b  c")], [article("1", "a\u00a0b\nc")])
    assert not changes.any
    assert changes.unchanged == 1
    assert changes.sentences() == []


def test_repeated_and_missing_numbers_are_matched_by_order() -> None:
    old = [article("1", "a"), article("1", "b"), article(None, "c")]
    new = [article("1", "a"), article("1", "B"), article(None, "c")]
    assert compare(old, new).changed == ("1 (2)",)


def test_other_kinds_can_be_compared() -> None:
    annex = article("I", "x", UnitKind.ANNEX)
    assert compare([], [annex], UnitKind.ANNEX).sentences() == ["annex I was added"]


@given(
    old=st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from("xyz")),
    new=st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from("xyz")),
)
def test_every_article_is_counted_once(old: dict[str, str], new: dict[str, str]) -> None:
    changes = compare([article(*a) for a in old.items()], [article(*a) for a in new.items()])
    assert len(changes.added) + len(changes.changed) + changes.unchanged == len(new)
    assert len(changes.removed) + len(changes.changed) + changes.unchanged == len(old)
