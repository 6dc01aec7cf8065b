from __future__ import annotations

import datetime
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree, html

from claimrag.legal_sources.catalogue import CatalogueEntry, LawVersion, load_catalogue
from claimrag.legal_sources.samples import SAMPLES
from claimrag.schemas.errors import SourceError

ENTRIES = list(load_catalogue())


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_every_entry_is_complete_and_found_by_each_of_its_names(entry: CatalogueEntry) -> None:
    catalogue = load_catalogue()
    publisher = catalogue.publisher(entry)
    assert entry.title
    assert entry.licence
    assert entry.attribution
    assert set(entry.languages) <= set(publisher.language_codes)
    for name in (entry.id, entry.id.upper(), entry.celex, entry.eli):
        if name is not None:
            assert catalogue.resolve(name) is entry
    for version in entry.versions:
        assert entry.version(version.label) is version
        for name in (version.celex, version.eli):
            if name is not None:
                assert catalogue.find(name)[:2] == (entry, version)
        if publisher.access == "cellar":
            assert version.celex is not None
            assert version.date is not None
            assert version.celex.startswith("3" if version.kind == "as_adopted" else "0")
            if version.kind == "consolidated":
                assert version.celex.endswith(f"-{version.date:%Y%m%d}")
        if publisher.access == "legilux":
            assert version.eli is not None
            assert version.date is not None
            assert version.eli.endswith(f"/{version.date:%Y%m%d}")


def test_the_laws_that_were_promised_are_there() -> None:
    assert {
        "gdpr",
        "ai-act",
        "dsa",
        "nis2",
        "dora",
        "eprivacy",
        "code-civil",
        "code-penal",
        "code-commerce",
        "code-travail",
        "code-consommation",
        "ncpc",
        "india-crpc",
        "india-cpc",
        "sample-en",
        "sample-fr",
    } <= {entry.id for entry in ENTRIES}
    assert len(load_catalogue()) == len(ENTRIES)
    assert {publisher.id for publisher in load_catalogue().publishers()} == {"eu", "india", "lu", "samples"}


def test_the_samples_agree_with_their_package() -> None:
    for sample in SAMPLES:
        entry = load_catalogue().resolve(sample.id)
        assert entry.title == sample.title
        assert entry.languages == (sample.language,)
        assert entry.licence == sample.licence
        assert [(v.label, v.resource, v.kind == "consolidated") for v in entry.versions] == [
            (v.version, f"data/{v.file}", v.consolidated) for v in sample.versions
        ]


@pytest.mark.parametrize(
    ("name", "law", "version", "language"),
    [
        ("GDPR", "gdpr", None, None),
        (" celex:32016r0679 ", "gdpr", "2016-04-27", None),
        (
            "https://eur-lex.europa.eu/legal-content/FR/TXT/?uri=CELEX:02016R0679-20160504",
            "gdpr",
            "2016-05-04",
            "fr",
        ),
        (
            "https://eur-lex.europa.eu/legal-content/DE/TXT/?uri=CELEX%3A32016R0679",
            "gdpr",
            "2016-04-27",
            None,
        ),
        ("http://publications.europa.eu/resource/celex/32022R2554", "dora", "2022-12-14", None),
        ("https://eur-lex.europa.eu/eli/reg/2016/679/2016-05-04/eng", "gdpr", "2016-05-04", "en"),
        ("eli/dir/2022/2555/oj", "nis2", "2022-12-14", None),
        ("https://legilux.public.lu/eli/etat/leg/code/civil/20160901/fr", "code-civil", "2016-09-01", "fr"),
        ("eli/etat/leg/code/civil", "code-civil", None, None),
        (
            "http://data.legilux.public.lu/filestore/eli/etat/leg/code/penal/20251219/fr/xml/"
            "eli-etat-leg-code-penal-20251219-fr-xml.xml",
            "code-penal",
            "2025-12-19",
            "fr",
        ),
    ],
)
def test_one_law_has_many_names(name: str, law: str, version: str | None, language: str | None) -> None:
    match = load_catalogue().find(name)
    assert match.entry.id == law
    assert (match.version.label if match.version else None) == version
    assert match.language == language


@pytest.mark.parametrize(
    ("name", "law", "kind", "date"),
    [
        ("32002R0178", "32002r0178", "as_adopted", None),
        ("02002R0178-20240701", "32002r0178", "consolidated", datetime.date(2024, 7, 1)),
        ("https://eur-lex.europa.eu/eli/reg/2003/1/oj", "32003r0001", "as_adopted", None),
        (
            "eli/etat/leg/code/aviation/20200101",
            "leg-code-aviation",
            "consolidated",
            datetime.date(2020, 1, 1),
        ),
        ("eli/etat/leg/loi/2024/05/22/a199/jo/fr", "leg-loi-2024-05-22-a199-jo", "as_adopted", None),
    ],
)
def test_a_law_that_is_not_listed_is_known_by_its_identifier(
    name: str, law: str, kind: str, date: datetime.date | None
) -> None:
    match = load_catalogue().find(name)
    assert match.entry.id == law
    assert match.version is not None
    assert (match.version.kind, match.version.date) == (kind, date)
    assert match.entry.licence


def test_an_unknown_name_suggests_the_nearest() -> None:
    catalogue = load_catalogue()
    for wrong, near in (("gpdr", "gdpr"), ("Digital Services", "dsa"), ("code penal", "code-penal")):
        with pytest.raises(SourceError, match=rf"did you mean .*{near}"):
            catalogue.resolve(wrong)
    for wrong in ("zzzz", "https://evil.example/eli/reg/2016/679/oj", "02016R0679-20161399", "eli/etat"):
        with pytest.raises(SourceError, match=r"claimrag laws|did you mean"):
            catalogue.resolve(wrong)


@given(name=st.text(max_size=60))
def test_any_text_resolves_or_is_refused_with_a_sentence(name: str) -> None:
    try:
        entry = load_catalogue().resolve(name)
    except SourceError as error:
        assert "no law is called" in str(error)
    else:
        assert entry.versions


LAW = "laws:\n  - id: mine\n    title: Mine\n    publisher: eu\n    languages: [en]\n"


def test_one_entry_adds_a_law(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(LAW + "    versions: [{kind: as_adopted, celex: 32000R0001}]\n")
    entry = load_catalogue(file).resolve("32000R0001")
    assert entry.id == "mine"
    assert entry.attribution.startswith("© European Union")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (LAW + "    versions: []\n", "versions"),
        (LAW + "    colour: red\n    versions: [{kind: as_adopted}]\n", "colour"),
        (LAW + "    versions: [{kind: as_adopted}, {kind: consolidated}]\n", "lists a version date twice"),
        (LAW.replace("[en]", "[de]") + "    versions: [{kind: as_adopted}]\n", "has no language"),
        (LAW.replace("eu", "nobody") + "    versions: [{kind: as_adopted}]\n", "needs a publisher"),
        (LAW.replace("mine", "gdpr") + "    versions: [{kind: as_adopted}]\n", "used twice"),
        ("laws: [a]\n", "needs a publisher"),
        ("[]", "`publisher` and `laws` only"),
        ("laws: [", "cannot be read"),
        (
            "publisher: {id: x, name: x, access: address, licence: l, attribution: a, "
            "base_address: 'http://a.example', hosts: [b.example]}\n",
            "not on the publisher's hosts",
        ),
    ],
)
def test_a_wrong_entry_is_named_with_its_file(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises(SourceError, match=rf"mine\.yaml.*{sentence}"):
        load_catalogue(file)


MEASURED = [
    (entry, version)
    for entry in ENTRIES
    if entry.publisher in ("eu", "lu")
    for version in entry.versions
    if version.expectations.measured()
]


@pytest.mark.corpus
@pytest.mark.parametrize(("entry", "version"), MEASURED, ids=lambda x: getattr(x, "id", None) or x.label)
def test_expectations_are_what_the_publishers_files_hold(
    shared_corpus: Path, entry: CatalogueEntry, version: LawVersion
) -> None:
    found = measure(shared_corpus / "data", entry, version)
    if found is None:
        pytest.skip("the markup of this version carries no ids to count by")
    expected = version.expectations.measured()
    assert {kind: found[kind] for kind in expected if kind in found} == {
        kind: count for kind, count in expected.items() if kind in found
    }
    assert set(found) & set(expected)


def measure(data: Path, entry: CatalogueEntry, version: LawVersion) -> dict[str, int] | None:
    if entry.celex is not None:
        folder = data / "eurlex-raw" / entry.celex.lower() / version.label
        file = min(p for p in folder.iterdir() if p.is_file())
        root = html.document_fromstring(file.read_bytes())
        marks = {"article": "art_", "recital": "rct_", "chapter": "cpt_", "annex": "anx_"}
        ids = [div.get("id") or "" for div in root.iter("div")]
        counts = {kind: sum(i.startswith(mark) and "." not in i for i in ids) for kind, mark in marks.items()}
        return counts if counts["article"] else None
    assert entry.eli is not None
    code = entry.eli.rsplit("/", 1)[-1]
    articles = data / f"legilux-code-{code}" / "lex-articles" / version.label / "fr.json"
    if articles.is_file():
        return {"article": len(json.loads(articles.read_bytes())["provisions"])}
    for file in sorted((data / "legilux-raw").glob(f"*/{version.label}/fr.xml")):
        root = etree.parse(file).getroot()
        if f"/leg/code/{code}/".encode() in file.read_bytes()[:6000]:
            return {"article": len(root.findall(".//{*}article"))}
    return None


def test_the_catalogue_is_read_once() -> None:
    assert load_catalogue() is load_catalogue()


def test_every_number_and_address_of_the_catalogue_leads_to_its_entry() -> None:
    catalogue = load_catalogue()
    for entry in catalogue:
        for name in filter(None, (entry.celex, entry.eli)):
            assert catalogue.find(name).entry == entry
        for version in entry.versions:
            for name in filter(None, (version.celex, version.eli)):
                match = catalogue.find(name)
                assert (match.entry, match.version) == (entry, version)
