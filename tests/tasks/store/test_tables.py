"""Names of tables: any scope becomes one plain file name of its own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from claimrag.tasks.store import TableRef

SCOPES = st.one_of(
    st.text(max_size=300),
    st.text("ab/.~-_() ", max_size=12),
    st.from_regex(r"[a-c]{0,2}(\.json)?(/\.{0,3}[a-c]?){0,3}", fullmatch=True),
)


def slug(scope: str) -> str:
    return TableRef(stage="texts", scope=scope).slug


@given(SCOPES)
def test_a_scope_becomes_one_plain_file_name(scope: str) -> None:
    name = slug(scope)
    assert name
    assert not set(name) - set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-~")
    assert not name.startswith(".")
    assert not name.endswith((".json", "."))
    assert len(f"{name}.json") < 255


@given(st.lists(SCOPES, min_size=2, max_size=30, unique=True))
def test_different_scopes_get_different_files(scopes: list[str]) -> None:
    assert len({slug(scope) for scope in scopes}) == len(scopes)


@pytest.mark.parametrize(
    ("scope", "name"),
    [
        ("eu/32016R0679/2016-05-04/en", "eu~32016R0679~2016-05-04~en"),
        ("lu/civil.code/2025-01-01/fr", "lu~civil.code~2025-01-01~fr"),
        ("run-1", "run-1"),
    ],
)
def test_an_act_id_keeps_its_looks(scope: str, name: str) -> None:
    assert slug(scope) == name


def test_a_long_scope_is_cut_and_kept_apart() -> None:
    assert len(slug("a" * 120)) == 120
    assert len(slug("a" * 300)) == len(slug("a" * 301)) < 140
    assert slug("a" * 300) != slug("a" * 301)


@pytest.mark.parametrize("scope", ["a\ud800", "\udcff"])
def test_a_scope_that_is_not_text_is_refused(scope: str) -> None:
    with pytest.raises(ValidationError, match="surrogate"):
        TableRef(stage="texts", scope=scope)


@pytest.mark.parametrize("stage", ["", "Texts", "a/b", "..", "texts\n", "1"])
def test_a_stage_is_a_plain_name(stage: str) -> None:
    with pytest.raises(ValidationError, match="lower-case letters"):
        TableRef(stage=stage, scope="a")
