from __future__ import annotations

from datetime import date

import pytest

from claimrag.legal_sources.markup import Source
from claimrag.legal_sources.parsed import UNKNOWN_DATE, ParsedAct
from claimrag.legal_sources.recognise import parse_source
from claimrag.schemas.errors import UnrecognisedLayoutError
from claimrag.schemas.unit import UnitKind, UnitStatus

META = (
    "<meta><identification source='#s'><FRBRWork><FRBRthis value='/akn/fr/ppl/X1/main'/><FRBRcountry value='fr'/>"
    "<FRBRdate date='2001-01-01'/></FRBRWork><FRBRExpression><FRBRdate date='2001-02-03'/>"
    "<FRBRlanguage language='{language}'/></FRBRExpression></identification></meta>"
)


def parse(body: str, language: str = "fra", meta: str = META) -> ParsedAct:
    raw = (
        "<akomaNtoso xmlns='http://docs.oasis-open.org/legaldocml/ns/akn/3.0' xmlns:d='http://d'>"
        f"<bill name='ppl'>{meta.format(language=language)}{body}</bill></akomaNtoso>"
    )
    return parse_source(Source.of(raw.encode(), origin="bill.xml"))


BILL = (
    "<preamble><docTitle>Proposition d’essai</docTitle></preamble><body>"
    "<article><num>Article 1er A</num><alinea><num>I. –</num><alinea><num>1°</num><content><p>I. – 1° Le texte.</p>"
    "</content></alinea></alinea><alinea><num>2°</num><content><p>La suite.</p></content></alinea></article>"
    "<article d:mention='(Article nouveau-supprimé non transmis par le Sénat)'><num>Article 4</num></article></body>"
)


def test_a_bill_of_the_senate_is_read() -> None:
    parsed = parse(BILL)
    assert parsed.act.id == "fr/ppl-X1/2001-02-03/fr"
    assert parsed.act.title == "Proposition d’essai"
    first, second = parsed.of_kind(UnitKind.ARTICLE)
    assert first.text == "Article 1er A\nI. – 1° Le texte.\n2° La suite."
    assert second.status is UnitStatus.ABROGATED
    assert parsed.health.ok
    assert parsed.health.landed_share == 1.0


def test_recitals_citations_points_and_footnotes_of_european_markup_are_read() -> None:
    parsed = parse(
        "<preamble><citations><citation><p>Having regard to the pond"
        "<authorialNote marker='1'><p>OJ P 1.</p></authorialNote>,</p></citation></citations>"
        "<recitals><intro><p>Whereas:</p></intro><recital><num>(1)</num><p>Ducks swim.</p></recital>"
        "</recitals></preamble>"
        "<body><article><num>Article 1</num><heading>Scope</heading><paragraph><num>1.</num>"
        "<list><intro><p>This is:</p>"
        "</intro><point><num>(a)</num><content><p>one;</p></content></point></list></paragraph></article></body>",
        language="eng",
    )
    (note,) = parsed.of_kind(UnitKind.FOOTNOTE)
    assert (note.number, note.text) == ("1", "(1) OJ P 1.")
    assert note.anchor_unit_id == next(parsed.of_kind(UnitKind.CITATION)).id
    assert next(parsed.of_kind(UnitKind.RECITAL)).text == "(1) Ducks swim."
    assert next(parsed.of_kind(UnitKind.POINT)).id.endswith("#art_1.par_1.pnt_a")
    assert parsed.act.language == "en"


def test_a_second_number_of_an_article_is_its_heading() -> None:
    body = "<article><num>Article 1</num><num>Scope</num><alinea><content><p>Text.</p></content></alinea></article>"
    (article,) = parse(f"<body>{body}</body>").of_kind(UnitKind.ARTICLE)
    assert (article.label, article.heading) == ("Article 1", "Scope")


def test_missing_metadata_is_noted() -> None:
    parsed = parse(
        "<body><article><num>Article 1</num><content><p>Texte.</p></content></article></body>", meta="<meta/>"
    )
    assert {each.code for each in parsed.health.problems} >= {
        "work_unknown",
        "language_unknown",
        "version_date_unknown",
    }
    assert parsed.act.publisher == "other"


def test_placeholder_dates_are_no_dates() -> None:
    meta = META.replace("2001-02-03", "2999-01-01").replace("2001-01-01", "2999-01-01")
    assert parse(BILL, meta=meta).act.version_date == UNKNOWN_DATE
    assert parse(BILL, meta=META.replace("2001-02-03", "soon")).act.version_date == date(2001, 1, 1)


def test_a_file_without_an_act_is_refused() -> None:
    with pytest.raises(UnrecognisedLayoutError, match="without an act"):
        parse("")
