from __future__ import annotations

from datetime import date

import pytest

from claimrag.legal_sources.markup import Source
from claimrag.legal_sources.parsed import ParsedAct
from claimrag.legal_sources.recognise import parse_source
from claimrag.schemas.errors import UnrecognisedLayoutError
from claimrag.schemas.unit import UnitKind, UnitStatus

MARK = "<sup><font color=red>1</font></sup>"


def page(text: str) -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="iso-8859-1" />'
        "<title>Banque de donn&eacute;es Justel</title></head><body><nav>FR NL</nav><main>"
        '<div id="list-title-1"><p class="list-item--title">1 MAI 1999. - Loi sur l\'étang</p>'
        "<div class=plain-text><p><strong>Publication: </strong>3 juin 1999</p></div></div>"
        "<div id=\"list-title-2\"><h2>Table des matières</h2><A HREF='#LNK0001'>TITRE 1er.</A> - Un<BR>Art. 1-2</div>"
        f'<div id="list-title-3" class="box plain-text"><h2 id="text">Texte</h2>{text}</div>'
        '<div id="list-title-sw_sign"><h2>Signatures</h2><p>Donné à Bruxelles.<BR>A. NOM</p></div>'
        '<div id="list-title-sw_prev"><h2>Préambule</h2><p>A tous, Salut.</p></div>'
        "<a>https://www.ejustice.just.fgov.be/eli/loi/1999/05/01/1999000001/justel</a></main></body></html>"
    )


def article(number: str, text: str) -> str:
    return f"<BR><BR>&nbsp;&nbsp;<A NAME='Art.{number}' HREF='#Art.0'>Art.</A> <A HREF='#Art.9'> {number}</A>. {text}"


def parse(text: str, encoding: str = "cp1252") -> ParsedAct:
    parsed = parse_source(Source.of(page(text).encode(encoding), origin="justel.html"))
    for unit in parsed.units:
        assert parsed.text[unit.start : unit.end] == unit.text
    return parsed


LAW = (
    "<A NAME='LNK0001' HREF='#LNKR0001'>TITRE 1er.</A> - Dispositions générales"
    + article("1", "L'étang est à tous.<BR>&nbsp;&nbsp;1° les canards;<BR>&nbsp;&nbsp;2° les oies.")
    + article(
        "1bis",
        f"[{MARK} Nul n'y pêche.]{MARK}<BR>&nbsp;&nbsp;----------<BR>"
        "&nbsp;&nbsp;(<font>1</font>)&lt;L 2001-01-01/01, art. 2&gt;",
    )
    + article("2", "<BR>&nbsp;&nbsp;&lt;Abrogé par L 2014-01-06/16, art. 1, 071; En vigueur : 25-05-2014&gt;")
    + article("3", '&lt;Inséré par L 2002-04-17/33, art. 3&gt; "<BR>Art. 7. Cité.<BR>" est remplacé.')
)


def test_the_publishers_anchors_say_what_an_article_is() -> None:
    parsed = parse(LAW)
    assert [each.number for each in parsed.of_kind(UnitKind.ARTICLE)] == ["1", "1bis", "2", "3"]
    assert next(parsed.of_kind(UnitKind.TITLE)).heading == "Dispositions générales"
    assert [each.text for each in parsed.of_kind(UnitKind.POINT)] == ["1° les canards;", "2° les oies."]
    assert "Table des" not in parsed.text
    assert parsed.health.ok
    assert parsed.health.landed_share > 0.995


def test_the_act_is_identified_from_the_page() -> None:
    act = parse(LAW).act
    assert act.id == "be/loi-1999-05-01-1999000001/1999-06-03/fr"
    assert act.version_date == date(1999, 6, 3)
    assert act.title == "1 MAI 1999. - Loi sur l'étang"


def test_marks_and_notes_of_amendments_leave_the_text() -> None:
    parsed = parse(LAW)
    found = {each.number: each for each in parsed.of_kind(UnitKind.ARTICLE)}
    assert found["1bis"].text == "Art. 1bis.\nNul n'y pêche."
    notes = [each.text for each in parsed.of_kind(UnitKind.AMENDMENT_NOTE)]
    assert "(1)<L 2001-01-01/01, art. 2>" in notes
    assert any("Inséré par" in note for note in notes)
    assert all(each.anchor_unit_id for each in parsed.of_kind(UnitKind.AMENDMENT_NOTE))


def test_an_abrogated_article_is_marked() -> None:
    found = {each.number: each for each in parse(LAW).of_kind(UnitKind.ARTICLE)}
    assert found["2"].status is UnitStatus.ABROGATED
    assert found["3"].status is UnitStatus.IN_FORCE


def test_signatures_and_preamble_are_kept_apart() -> None:
    parsed = parse(LAW)
    assert next(parsed.of_kind(UnitKind.PREAMBLE)).text == "A tous, Salut."
    assert next(parsed.of_kind(UnitKind.FINAL_PART)).text == "Donné à Bruxelles.\nA. NOM"


def test_a_wrongly_declared_encoding_does_not_spoil_the_text() -> None:
    assert "Dispositions générales" in parse(LAW, encoding="utf-8").text


def test_a_page_without_a_text_is_refused() -> None:
    with pytest.raises(UnrecognisedLayoutError, match="without the text of a law"):
        parse("Rien.")
