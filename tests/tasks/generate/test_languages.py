"""A language that generation does not know is named, with the table that lacks it."""

from __future__ import annotations

import importlib
import pkgutil
import re

import pytest

from claimrag.schemas.base import Language
from claimrag.schemas.errors import InputError
from claimrag.tasks import generate
from claimrag.tasks.generate.languages import ByLanguage
from claimrag.tasks.generate.patterns import any_of, words

TABLES = {
    f"{module.name}.{name}": value
    for module in pkgutil.iter_modules(generate.__path__)
    for name, value in vars(importlib.import_module(f"{generate.__name__}.{module.name}")).items()
    if isinstance(value, dict) and {"en", "fr"} & set(value)
}


def test_there_are_tables_by_language() -> None:
    assert len(TABLES) >= 15


@pytest.mark.parametrize("name", sorted(TABLES))
def test_every_table_has_every_language_and_refuses_another_by_name(name: str) -> None:
    table = TABLES[name]
    assert isinstance(table, ByLanguage)
    assert set(table) == {language.value for language in Language}
    with pytest.raises(
        InputError, match=r"no questions can be written in language 'de': the table of .+ knows en, fr"
    ):
        table["de"]


def test_alternatives_are_listed_by_words_or_by_phrases() -> None:
    assert words("  one two\n three ") == "one|two|three"
    assert words("one two, three   four") == "one two|three four"


def test_a_pattern_says_which_part_was_found_between_its_bounds() -> None:
    pattern = any_of(animal="cats?|dog", plant="tree")
    assert [(one.lastgroup, one.group()) for one in pattern.finditer("A DOG, catkins, trees and a tree")] == [
        ("animal", "DOG"),
        ("plant", "tree"),
    ]
    open_end = any_of(before="", after="", ignore_case=False, part="(?:a)b")
    assert [one.group() for one in open_end.finditer("xabx AB")] == ["ab"]
    assert re.fullmatch(open_end, "ab")
