"""Which acts are versions of one law, and which of them is current."""

from __future__ import annotations

from claimrag.schemas.act import law_of
from claimrag.schemas.base import ActId
from claimrag.tasks.run.versions import current_acts, expression_of, newest_first

OLD, NEW, FRENCH, OTHER = (
    ActId(f"eu/{rest}")
    for rest in ("law/2016-05-04/en", "law/2018-01-01/en", "law/2016-05-04/fr", "act/2001-01-01/en")
)


def test_a_law_is_an_act_without_version_and_language_whatever_its_number_looks_like() -> None:
    assert law_of(NEW) == "eu/law"
    assert law_of(ActId("lu/loi/2011/04/08/n1/2025-01-01/fr")) == "lu/loi/2011/04/08/n1"
    assert expression_of(FRENCH) == ("eu/law", "fr")


def test_the_newest_version_of_each_law_and_language_is_current() -> None:
    assert current_acts([OLD, FRENCH, NEW, OTHER]) == sorted([NEW, FRENCH, OTHER])
    assert current_acts([OLD]) == [OLD]
    assert current_acts([]) == []


def test_versions_sort_by_their_date_the_newest_first() -> None:
    assert newest_first([OLD, OTHER, NEW]) == [NEW, OLD, OTHER]
