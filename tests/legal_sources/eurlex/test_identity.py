"""CELEX numbers, ELI addresses and dates out of titles of every era."""

from __future__ import annotations

from datetime import date

import pytest

from claimrag.legal_sources.eurlex.identity import (
    _WORD_OF_TYPE,
    act_number,
    long_date,
    pointed_date,
    short_title,
)


@pytest.mark.parametrize(
    ("title", "celex", "eli"),
    [
        ("REGULATION (EU) 2016/679 OF THE EUROPEAN PARLIAMENT", "32016R0679", "reg/2016/679/oj"),
        ("RÈGLEMENT (UE) 2016/679 DU PARLEMENT EUROPÉEN", "32016R0679", "reg/2016/679/oj"),
        ("REGULATION (EU) No 910/2014 OF THE EUROPEAN PARLIAMENT", "32014R0910", "reg/2014/910/oj"),
        ("RÈGLEMENT (UE) N o 910/2014 DU PARLEMENT", "32014R0910", "reg/2014/910/oj"),
        ("Règlement (CE) n° 2006/2004 du Parlement", "32004R2006", "reg/2004/2006/oj"),
        ("REGULATION (EEC) No 1017/68 OF THE COUNCIL of 19 July 1968", "31968R1017", "reg/1968/1017/oj"),
        ("DIRECTIVE 95/46/EC OF THE EUROPEAN PARLIAMENT", "31995L0046", "dir/1995/46/oj"),
        ("Directive 95/46/CE du Parlement européen", "31995L0046", "dir/1995/46/oj"),
        ("DIRECTIVE 2005/29/EC amending Directive 97/7/EC", "32005L0029", "dir/2005/29/oj"),
        ("DIRECTIVE (EU) 2022/2555 amending Regulation (EU) No 910/2014", "32022L2555", "dir/2022/2555/oj"),
        ("COUNCIL FRAMEWORK DECISION 2002/584/JHA", "32002F0584", None),
        ("COMMISSION IMPLEMENTING REGULATION (EU) 2020/1", "32020R0001", "reg_impl/2020/1/oj"),
        ("RÈGLEMENT DÉLÉGUÉ (UE) 2020/12", "32020R0012", "reg_del/2020/12/oj"),
        ("Décision 1999/468/CE du Conseil", "31999D0468", "dec/1999/468/oj"),
    ],
)
def test_the_title_gives_the_celex_number_and_the_eli(title: str, celex: str, eli: str | None) -> None:
    number = act_number(title)
    assert number is not None
    assert number.celex == celex
    assert number.eli(None) == (f"http://data.europa.eu/eli/{eli}" if eli else None)


@pytest.mark.parametrize(
    "title",
    [
        "Corrigendum to Regulation (EU) 2016/679",
        "CHARTER OF RIGHTS",
        "Regulation No 1 on languages",
        "Decision 12/13",
    ],
)
def test_a_title_without_a_number_of_its_own_gives_none(title: str) -> None:
    assert act_number(title) is None


def test_dates_are_read_in_words_and_figures_and_impossible_ones_are_not() -> None:
    assert long_date("of 27 April 2016") == date(2016, 4, 27)
    assert long_date("du 1er août 2001") == date(2001, 8, 1)
    assert long_date("31 February 2001") is None
    assert pointed_date("4.5.2016") == date(2016, 5, 4)
    assert pointed_date("44.5.2016") is None


def test_a_short_title_is_a_name_in_brackets_and_not_a_remark() -> None:
    assert short_title(["on bread (Bread Act)", "(Text with EEA relevance)"]) == "Bread Act"
    assert short_title(["on bread (recast)"]) is None


@pytest.mark.parametrize(
    ("text", "type_word", "variant"),
    [
        ("Commission Implementing Regulation (EU)", "Regulation", "Implementing"),
        ("DÉCISION-CADRE 2002/584/JAI", "DÉCISION-CADRE", None),
        ("Council framework decision", "framework decision", None),
        ("Règlement d’exécution (UE)", "Règlement", "d’exécution"),
        ("Règlement délégué (UE)", "Règlement", "délégué"),
        ("RECOMMANDATION de la Commission", "RECOMMANDATION", None),
        ("deregulation", None, None),
        ("the Regulations", None, None),
    ],
)
def test_the_word_of_a_type_of_act_and_its_variant(
    text: str, type_word: str | None, variant: str | None
) -> None:
    found = _WORD_OF_TYPE.search(text)
    assert (found and found["type"]) == type_word
    assert (found and (found["variant"] or found["variant_fr"])) == variant
