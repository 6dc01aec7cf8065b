"""Formex 4, consolidated and as published."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from claimrag.legal_sources import ParsedAct, parse_bytes
from claimrag.schemas.errors import UnrecognisedLayoutError
from claimrag.schemas.unit import Unit

Parse = Callable[[bytes], ParsedAct]
Find = Callable[[ParsedAct, str], Unit]
Paths = Callable[..., list[str]]

TITLE = "<TITLE><TI><P><HT TYPE='UC'>Regulation</HT> (EU) 2031/77 of the bakers</P><P>of 27 April 2031</P></TI></TITLE>"
PREAMBLE = """<PREAMBLE><PREAMBLE.INIT>THE BAKERS OF THE UNION,</PREAMBLE.INIT><GR.VISA>
<VISA>Having regard to flour<NOTE NOTE.ID="E0001" NUMBERING="ARAB"><P>OJ L 1.</P></NOTE>,</VISA></GR.VISA>
<GR.CONSID><GR.CONSID.INIT>Whereas:</GR.CONSID.INIT><CONSID><NP><NO.P>(1)</NO.P><TXT>Bread is old.</TXT>
<P>Flour is older.</P></NP></CONSID></GR.CONSID><PREAMBLE.FINAL>HAVE ADOPTED THIS REGULATION:</PREAMBLE.FINAL>
</PREAMBLE>"""
ITEM = "<ITEM><NP><NO.P>{}</NO.P><TXT>{}</TXT></NP></ITEM>"
ARTICLES = f"""<DIVISION><TITLE><TI><P>CHAPTER I</P></TI><STI><P>Flour</P></STI></TITLE>
<ARTICLE IDENTIFIER="001"><TI.ART>Article 1</TI.ART><STI.ART>Rye</STI.ART><PARAG IDENTIFIER="001.001">
<NO.PARAG>1.</NO.PARAG><ALINEA><P>It is <QUOT.START CODE="2018"/>dark<QUOT.END CODE="2019"/>:</P><LIST TYPE="alpha">
{ITEM.format("(a)", "always; or")}{ITEM.format("(b)", "never.")}</LIST></ALINEA><ALINEA>Point (b) is rare.</ALINEA>
</PARAG></ARTICLE><ARTICLE IDENTIFIER="001A"><TI.ART>Article 1a</TI.ART><ALINEA>Replace:<QUOT.S><ARTICLE
IDENTIFIER="009"><TI.ART>Article 9</TI.ART><PARAG><NO.PARAG>1.</NO.PARAG><ALINEA>Crumbs.</ALINEA></PARAG></ARTICLE>
</QUOT.S></ALINEA></ARTICLE></DIVISION>"""


def act(body: str, root: str = "ACT", bibliography: str = "") -> bytes:
    dates = '<BIB.INSTANCE><DOCUMENT.REF/><DATE ISO="20310504">x</DATE><LG.DOC>EN</LG.DOC></BIB.INSTANCE>'
    return f"<?xml version='1.0' encoding='utf-8'?><{root}>{bibliography or dates}{body}</{root}>".encode()


def test_an_act_as_published_has_preamble_articles_and_final_part(
    parse: Parse, paths_of: Paths, unit_of: Find
) -> None:
    final = "<FINAL><P>Done at Ghent.</P></FINAL>"
    parsed = parse(act(f"{TITLE}{PREAMBLE}<ENACTING.TERMS>{ARTICLES}</ENACTING.TERMS>{final}"))
    assert parsed.act.id == "eu/32031R0077/2031-04-27/en"
    assert not parsed.act.consolidated
    assert paths_of(parsed) == [
        "tit_1",
        "pbl_1",
        "cit_1",
        "rct_1",
        "rct_1.sub_2",
        "enc_1",
        "cpt_I",
        "art_1",
        "art_1.par_1",
        "art_1.par_1.pnt_a",
        "art_1.par_1.pnt_b",
        "art_1.par_1.sub_2",
        "art_1a",
        "fnp_1",
        "fn_1",
    ]
    assert unit_of(parsed, "art_1.par_1").text.startswith("1. It is ‘dark’:")
    assert unit_of(parsed, "art_1a").text == "Article 1a\nReplace:\nArticle 9\n1. Crumbs."
    assert unit_of(parsed, "fn_1").text == "(1) OJ L 1."
    assert parsed.health.ok and parsed.health.landed_share == 1.0


def test_a_consolidated_act_takes_its_date_and_number_from_its_data_and_drops_deleted_text(
    parse: Parse, paths_of: Paths, unit_of: Find
) -> None:
    info = """<INFO.CONSLEG START.DATE="20330201" END="NONE"/><CONS.DOC><BIB.INSTANCE><LG.DOC>FR</LG.DOC>
</BIB.INSTANCE><FAM.COMP><NO.CELEX>32031R0077</NO.CELEX></FAM.COMP>"""
    deleted = """<ARTICLE IDENTIFIER="002"><TI.ART>Article 2</TI.ART><ALINEA><P>Ceci:</P><LIST TYPE="DASH"><?CLG.MDFO
ID="O1" IDREF="C1" ACTION="DELETED"?><ITEM>disparu;</ITEM><?CLG.MDFC ID="C1" IDREF="O1"?><ITEM>demeure.</ITEM></LIST>
</ALINEA></ARTICLE>"""
    annex = """<CONS.ANNEX><TITLE><TI><P>ANNEXE I</P></TI><STI><P>Poids</P></STI></TITLE><CONTENTS><GR.SEQ LEVEL="1">
<TITLE><TI><P>Section A. Pains</P></TI></TITLE><NP><NO.P>1.</NO.P><TXT>Un pain</TXT></NP><TBL><CORPUS><ROW>
<CELL COL="1">Seigle</CELL><CELL COL="2"><IE/></CELL></ROW><ROW><CELL COL="1">Sel</CELL><CELL COL="2">un gramme</CELL>
</ROW></CORPUS></TBL></GR.SEQ></CONTENTS></CONS.ANNEX>"""
    parsed = parse(
        act(f"{TITLE}<ENACTING.TERMS>{deleted}</ENACTING.TERMS>{annex}</CONS.DOC>", "CONS.ACT", info)
    )
    assert parsed.act.id == "eu/32031R0077/2033-02-01/fr"
    assert parsed.act.version_date == date(2033, 2, 1)
    assert "disparu" not in parsed.text
    assert unit_of(parsed, "art_2").text == "Article 2\nCeci:\n— demeure."
    assert paths_of(parsed, "anx_") == [
        "anx_I",
        "anx_I.sct_A",
        "anx_I.sct_A.pnt_1",
        "anx_I.sct_A.tbl_1",
        "anx_I.sct_A.tbl_1.cel_1_1",
        "anx_I.sct_A.tbl_1.cel_2_1",
        "anx_I.sct_A.tbl_1.cel_2_2",
    ]
    assert parsed.health.landed_share == 1.0


def test_an_act_whose_every_article_is_repealed_is_refused() -> None:
    body = f"""{TITLE}<?CLG.MDFO ID="O1" IDREF="C1" ACTION="REPEALED"?><ENACTING.TERMS>{ARTICLES}</ENACTING.TERMS>
<?CLG.MDFC ID="C1"?>"""
    with pytest.raises(UnrecognisedLayoutError, match="last consolidated version"):
        parse_bytes(act(body, "CONS.ACT", "<INFO.CONSLEG END='REPEALED'/>"), origin="x")


def test_an_earlier_footnote_can_be_called_again(parse: Parse, unit_of: Find) -> None:
    first = '<NOTE NOTE.ID="E0001" NUMBERING="ARAB"><P>OJ L 1.</P></NOTE>'
    again = '<NOTE NOTE.REF="E0001"/>'
    body = f"<ARTICLE><TI.ART>Article 1</TI.ART><ALINEA>Rye{first} and spelt{again}.</ALINEA></ARTICLE>"
    parsed = parse(act(f"{TITLE}<ENACTING.TERMS>{body}</ENACTING.TERMS>"))
    assert unit_of(parsed, "art_1").text == "Article 1\nRye and spelt."
    assert parsed.counts()["footnote"] == 1


def test_an_article_inside_a_point_ends_the_point(parse: Parse, paths_of: Paths) -> None:
    article = "<ARTICLE><TI.ART>Article 4</TI.ART><ALINEA>Crust.</ALINEA></ARTICLE>"
    point = f"<LIST><ITEM><NP><NO.P>(a)</NO.P><TXT>Crumb.</TXT>{article}</NP></ITEM></LIST>"
    annex = f"<ANNEX><TITLE><TI><P>ANNEX</P></TI></TITLE><CONTENTS>{point}<P>Rest.</P></CONTENTS></ANNEX>"
    parsed = parse(act(f"{TITLE}<ENACTING.TERMS>{ARTICLES}</ENACTING.TERMS>{annex}"))
    assert paths_of(parsed)[-4:-1] == ["anx_1", "anx_1.pnt_a", "anx_1.art_4"]
    assert parsed.health.words_landed == parsed.health.words_in_source
    assert parsed.text.endswith("(a) Crumb.\nArticle 4\nCrust.\nRest.")
