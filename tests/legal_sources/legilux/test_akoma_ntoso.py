from __future__ import annotations

from datetime import date

import pytest

from claimrag.legal_sources.markup import Source, read_document
from claimrag.legal_sources.parsed import UNKNOWN_DATE, ParsedAct
from claimrag.legal_sources.recognise import parse_source
from claimrag.schemas.errors import UnrecognisedLayoutError
from claimrag.schemas.unit import Unit, UnitKind, UnitStatus

META = """<meta><identification source="#x"><FRBRWork>
  <FRBRthis value="http://data.legilux.public.lu/eli/etat/leg/loi/1901/02/03/n4/jo"/>
  <FRBRdate date="1901-02-03" name="document"/></FRBRWork>
  <scl:JOLUXWork><scl:JOLUXLegalResource>
    <scl:jolux scl:name="isMemberOf">http://data.legilux.public.lu/eli/etat/leg/loi/1901/02/03/n4</scl:jolux>
    <scl:jolux scl:name="dateApplicability">1950-06-01</scl:jolux>
    <scl:jolux scl:name="publicationDate">1901-02-10</scl:jolux>
    <scl:rdf scl:name="type">http://x/jolux#Consolidation</scl:rdf>
  </scl:JOLUXLegalResource></scl:JOLUXWork>
  <scl:JOLUXExpression><scl:jolux scl:name="language">http://x/language/FRA</scl:jolux>
  <scl:jolux scl:name="titleShort">Loi des essais</scl:jolux></scl:JOLUXExpression>
  <scl:JOLUXManifestation><scl:jolux scl:name="license">http://creativecommons.org/licenses/by/4.0/</scl:jolux>
  </scl:JOLUXManifestation></identification>
  <notes><note id="n1"><p>Note de la rédaction.</p></note></notes></meta>"""
TITLE = "<preface><longTitle><p>Loi du 3 février 1901 sur les essais</p></longTitle></preface>"


def law(
    body: str, *, meta: str = META, after: str = "", title: str = TITLE, namespace: str = "/CSD13"
) -> bytes:
    return (
        f'<akomaNtoso xmlns="http://docs.oasis-open.org/legaldocml/ns/akn/3.0{namespace}"'
        f' xmlns:scl="http://www.scl.lu"><act name="">{meta}{title}<body>{body}</body>{after}</act></akomaNtoso>'
    ).encode()


def parse(body: str, **parts: str) -> ParsedAct:
    parsed = parse_source(Source.of(law(body, **parts), origin="law.xml"))
    for unit in parsed.units:
        assert parsed.text[unit.start : unit.end] == unit.text
    assert len({unit.id for unit in parsed.units}) == len(parsed.units)
    return parsed


def unit(parsed: ParsedAct, path: str) -> Unit:
    return next(each for each in parsed.units if each.id.partition("#")[2] == path)


def alinea(text: str) -> str:
    return f"<alinea><content><p>{text}</p></content></alinea>"


def test_the_act_is_identified_from_the_publishers_metadata() -> None:
    act = parse(f"<article><num>Art. 1er.</num>{alinea('Un essai.')}</article>").act
    assert act.id == "lu/loi-1901-02-03-n4/1950-06-01/fr"
    assert act.eli == "http://data.legilux.public.lu/eli/etat/leg/loi/1901/02/03/n4"
    assert (act.title, act.short_title) == ("Loi du 3 février 1901 sur les essais", "Loi des essais")
    assert (act.licence, act.consolidated, act.layout) == ("CC-BY-4.0", True, "legilux-akn")


def test_articles_alineas_and_paragraphs_form_the_tree() -> None:
    parsed = parse(
        "<book><num>Livre Ier.</num><heading>Des essais</heading><chapter><num>Chapitre 2.</num>"
        f"<article><num>Art. 5-1.</num><heading>Objet</heading>{alinea('Premier alinéa.')}{alinea('Second.')}</article>"
        f"<article><num>Art. 6.</num><paragraph><num>(1)</num>{alinea('Un.')}{alinea('Deux.')}</paragraph>"
        f"<paragraph><num>(1bis)</num>{alinea('Trois.')}</paragraph></article></chapter></book>"
    )
    article = unit(parsed, "art_5-1")
    assert (article.number, article.label, article.heading) == ("5-1", "Art. 5-1.", "Objet")
    assert article.path == ("Livre Ier. – Des essais", "Chapitre 2.")
    assert unit(parsed, "art_5-1.sub_2").text == "Second."
    assert unit(parsed, "art_6.par_1").text == "(1) Un.\nDeux."
    assert unit(parsed, "art_6.par_1bis.sub_1").text == "Trois."
    assert parsed.health.ok


def test_words_of_the_scl_metadata_inside_articles_are_dropped() -> None:
    parsed = parse(
        "<article><scl:JOLUXWork><scl:jolux scl:name='dateApplicability'>1923-01-02</scl:jolux></scl:JOLUXWork>"
        "<scl:indexterms><scl:indexterm><scl:label>Motclef</scl:label></scl:indexterm></scl:indexterms>"
        f"<num>Art. 1.</num>{alinea('Texte.')}</article><scl:index><scl:label>Index</scl:label></scl:index>"
    )
    assert "Motclef" not in parsed.text
    assert "Index" not in parsed.text
    assert unit(parsed, "art_1").applicable_from == date(1923, 1, 2)
    assert parsed.health.landed_share == 1.0


def test_lists_become_points_with_their_printed_markers() -> None:
    parsed = parse(
        "<article><num>Art. 1.</num><alinea><content><p>Il faut :</p>"
        '<ol scl:start="2" scl:symbol="1°"><li>un mètre ;</li><li>deux choses :'
        '<ol scl:symbol="a)"><li>une règle ;</li><li><p>un compas.</p></li></ol></li></ol>'
        '<ul scl:symbol="dash"><li>rien de plus.</li></ul><p>Le tout est rendu.</p></content></alinea></article>'
    )
    assert unit(parsed, "art_1.sub_1.pnt_2").text == "2° un mètre ;"
    nested = unit(parsed, "art_1.sub_1.pnt_3.pnt_b")
    assert (nested.kind, nested.text) == (UnitKind.SUBPOINT, "b) un compas.")
    assert unit(parsed, "art_1.sub_1").text.endswith("– rien de plus.\nLe tout est rendu.")


def test_editors_notes_stand_apart_and_are_anchored() -> None:
    parsed = parse(
        '<article><num>Art. 1.<noteRef href="#n1"/></num>' + alinea("Le texte.") + "</article>"
        "<article><num>Art. 2.</num>" + alinea("Le texte suit.") + "</article>"
    )
    (note,) = parsed.of_kind(UnitKind.AMENDMENT_NOTE)
    assert note.text == "Note de la rédaction."
    assert note.anchor_unit_id == unit(parsed, "art_1.sub_1").id
    assert "Note" not in unit(parsed, "art_1").text
    assert note.id.endswith("#amn_1")


def test_abrogated_articles_and_paragraphs_are_marked_and_healthy() -> None:
    parsed = parse(
        f"<article><num>Art. 9 et 10.</num>{alinea('Abrogés (<ref>L. 23 avril 1934</ref>)')}</article>"
        "<article><num>Art. 11.</num><heading>(abrogé par la loi du 8 février 1924)</heading></article>"
        f"<article><num>Art. 12.</num><paragraph><num>(1)</num>{alinea('Abrogé.')}</paragraph>"
        f"<paragraph><num>(2)</num>{alinea('Il reste ceci.')}</paragraph></article>"
    )
    assert unit(parsed, "art_9-et-10").status is UnitStatus.ABROGATED
    assert unit(parsed, "art_11").status is UnitStatus.ABROGATED
    assert unit(parsed, "art_12").status is UnitStatus.IN_FORCE
    assert unit(parsed, "art_12.par_1").status is UnitStatus.ABROGATED
    assert parsed.health.ok


def test_repeated_article_numbers_get_distinct_ids_that_do_not_change() -> None:
    body = f"<article id='a'><num>Art. 1.</num>{alinea('Un.')}</article>" * 3
    ids = [each.id.partition("#")[2] for each in parse(body).of_kind(UnitKind.ARTICLE)]
    assert ids == ["art_1", "art_1_2", "art_1_3"]
    assert ids == [each.id.partition("#")[2] for each in parse(body).of_kind(UnitKind.ARTICLE)]


def test_quoted_articles_of_other_laws_are_text_not_articles() -> None:
    quoted = f"<article><num>Art. 7.</num>{alinea('Ancien texte.')}</article>"
    parsed = parse(
        "<article><num>Art. 1.</num><alinea><content><p>Il est inséré :<embeddedStructure>"
        f"{quoted}<ol scl:symbol='1.'><li>un</li></ol></embeddedStructure></p><p>Fin.</p></content></alinea>"
        f"<mod>{quoted}</mod></article>"
    )
    assert [each.number for each in parsed.of_kind(UnitKind.ARTICLE)] == ["1"]
    assert "Il est inséré :\nArt. 7.\nAncien texte.\n1. un\nFin." in parsed.text
    assert not list(parsed.of_kind(UnitKind.POINT))


def test_words_that_an_amendment_struck_out_are_left_out() -> None:
    parsed = parse(
        f"<article><num>Art. 1.</num>{alinea('Avis <del>du ministre</del> de la commission.')}</article>"
    )
    assert "Avis de la commission." in parsed.text
    assert parsed.health.landed_share == 1.0


def test_an_alinea_without_a_character_is_no_unit() -> None:
    struck = (
        f"<article><num>Art. 1.</num>{alinea('Un.')}{alinea('<del>Deux.</del>')}<alinea><content/></alinea>"
    )
    parsed = parse(f"{struck}{alinea('Trois.')}</article>")
    alineas = [each.text for each in parsed.of_kind(UnitKind.SUBPARAGRAPH)]
    assert alineas == ["Un.", "Trois."]


def test_tables_become_cells_with_their_place() -> None:
    parsed = parse(
        "<article><num>Art. 1.</num><alinea><content><table><caption>Tarif</caption>"
        '<tr><th rowspan="2"><p>Objet</p></th><th><p>Prix</p></th></tr><tr><td><p>3<br/>euros</p></td></tr></table>'
        "</content></alinea></article>"
    )
    cells = [(each.row, each.column, each.text) for each in parsed.of_kind(UnitKind.CELL)]
    assert cells == [(1, 1, "Objet"), (1, 2, "Prix"), (2, 2, "3 euros")]
    assert next(parsed.of_kind(UnitKind.TABLE)).text.startswith("Tarif")


def test_preamble_final_part_and_annexes_have_their_kinds() -> None:
    annex = (
        "<attachments><attachment><doc><meta/><preface><longTitle><p>Annexe 2 – Des mesures</p></longTitle></preface>"
        f"<mainBody>{alinea('Un mètre.')}<article><num>Art. 1.</num>{alinea('Annexe.')}</article></mainBody>"
        "</doc></attachment></attachments>"
    )
    preamble = (
        "<preamble><container name='p'><p>Nous, juges d’essai,</p><p>Vu le projet ;</p></container>"
        "<formula><p>Ordonnons :</p></formula></preamble>"
    )
    parsed = parse(
        f"<article><num>Art. 1.</num>{alinea('Texte.')}</article>"
        "<clause><content><p>Mandons et ordonnons.</p></content></clause>",
        title=TITLE + preamble,
        after=f"<conclusions><p><signature><person>A. Nom</person></signature></p></conclusions>{annex}",
    )
    assert [each.text for each in parsed.of_kind(UnitKind.CITATION)] == ["Vu le projet ;"]
    assert next(parsed.of_kind(UnitKind.FINAL_PART)).text == "Mandons et ordonnons.\nA. Nom"
    (found,) = parsed.of_kind(UnitKind.ANNEX)
    assert (found.number, found.label, found.heading) == ("2", "Annexe 2", "Des mesures")
    assert unit(parsed, "anx_2.art_1").text == "Art. 1.\nAnnexe."
    assert parsed.health.landed_share == 1.0


def test_text_directly_in_a_chapter_is_kept() -> None:
    parsed = parse(f"<chapter><num>Chapitre 1er.</num>{alinea('Abrogé (L. 7 août 1923)')}</chapter>")
    assert unit(parsed, "cpt_1er.sub_1").status is UnitStatus.ABROGATED


def test_a_journal_act_in_the_final_namespace_without_an_eli_is_read_and_says_so() -> None:
    meta = (
        '<meta><identification source=""><FRBRWork><FRBRthis value=""/><FRBRdate date="2999-01-01"/></FRBRWork>'
        '<scl:jolux scl:name="uriThis"/><FRBRExpression><FRBRlanguage language="deu"/></FRBRExpression>'
        "</identification></meta>"
    )
    parsed = parse(f"<article><num>Article 1</num>{alinea('Text.')}</article>", meta=meta, namespace="")
    assert parsed.act.language == "de"
    assert parsed.act.version_date == UNKNOWN_DATE
    assert {problem.code for problem in parsed.health.problems} >= {"work_unknown", "version_date_unknown"}


def test_a_date_of_publication_serves_acts_as_adopted() -> None:
    meta = META.replace("jolux#Consolidation", "jolux#BaseAct")
    assert parse(f"<article><num>Art. 1.</num>{alinea('T.')}</article>", meta=meta).act.version_date == date(
        1901, 2, 10
    )


def test_a_title_that_is_a_list_is_taken_from_the_metadata() -> None:
    meta = META.replace(
        "<scl:JOLUXExpression>", '<scl:JOLUXExpression><scl:jolux scl:name="title">A\\n1° B</scl:jolux>'
    )
    title = "<preface><longTitle><p>A</p><ol scl:symbol='1°'><li>B</li></ol></longTitle></preface>"
    assert (
        parse(f"<article><num>Art. 1.</num>{alinea('T.')}</article>", meta=meta, title=title).act.title
        == "A 1° B"
    )


def test_akoma_ntoso_without_a_body_is_refused() -> None:
    raw = b'<akomaNtoso xmlns="http://docs.oasis-open.org/legaldocml/ns/akn/3.0/CSD13"><act/></akomaNtoso>'
    with pytest.raises(UnrecognisedLayoutError, match="without an act and its body"):
        parse_source(Source.of(raw, origin="law.xml"))


def test_an_empty_article_in_force_fails_the_health_check() -> None:
    health = parse("<article><num>Art. 1.</num></article>").health
    assert not health.ok
    assert "empty_article" in {problem.code for problem in health.problems}


def test_the_same_bytes_give_the_same_act() -> None:
    raw = law(f"<article><num>Art. 1.</num>{alinea('Texte.')}</article>")
    first, second = (parse_source(Source.of(raw, origin="law.xml")) for _ in range(2))
    assert first == second


def test_other_markup_is_not_recognised_as_legilux() -> None:
    from claimrag.legal_sources.legilux.akoma_ntoso import recognises

    other = b'<akomaNtoso xmlns="http://docs.oasis-open.org/legaldocml/ns/akn/3.0"><act><body/></act></akomaNtoso>'
    assert not recognises(read_document(Source.of(other, origin="other.xml")))
    assert not recognises(read_document(Source.of(b"<html><body><p>x</p></body></html>", origin="page.html")))
