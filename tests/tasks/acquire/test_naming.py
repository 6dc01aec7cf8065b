from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from claimrag.schemas.build import BuildRequest
from claimrag.schemas.errors import InputError, SourceError
from claimrag.schemas.law_details import LawDetails
from claimrag.tasks.acquire.naming import (
    MEDIA_TYPES,
    NamedLaw,
    laws_of,
    name_law,
    name_law_in_file,
    name_laws,
)

AS_ADOPTED, CONSOLIDATED = "2016-04-27", "2016-05-04"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_no_names_mean_the_two_samples() -> None:
    assert [(law.law_id, law.language, law.version) for law in name_laws([])] == [
        ("sample-en", "en", "2099-03-12"),
        ("sample-fr", "fr", "2100-01-01"),
    ]


def test_a_law_of_the_catalogue_is_one_law_per_language_in_its_default_version() -> None:
    assert name_laws(["gdpr"]) == [
        NamedLaw(name="gdpr", law_id="gdpr", language="en", version=AS_ADOPTED),
        NamedLaw(name="gdpr", law_id="gdpr", language="fr", version=AS_ADOPTED),
    ]
    assert name_law("gdpr") == name_laws(["gdpr"])[0]


@pytest.mark.parametrize(
    ("name", "law_id", "language", "version"),
    [
        ("GDPR", "gdpr", "en", AS_ADOPTED),
        ("32016R0679", "gdpr", "en", AS_ADOPTED),
        ("CELEX:32016R0679", "gdpr", "en", AS_ADOPTED),
        ("02016R0679-20160504", "gdpr", "en", CONSOLIDATED),
        ("https://eur-lex.europa.eu/legal-content/FR/TXT/?uri=CELEX:32016R0679", "gdpr", "fr", AS_ADOPTED),
        ("http://data.europa.eu/eli/reg/2016/679/oj", "gdpr", "en", AS_ADOPTED),
        (
            "https://legilux.public.lu/eli/etat/leg/code/commerce/20260803/fr",
            "code-commerce",
            "fr",
            "2026-08-03",
        ),
        ("32019L0790", "32019l0790", "en", "undated"),
    ],
)
def test_every_spelling_of_a_law_means_the_law(name: str, law_id: str, language: str, version: str) -> None:
    law = name_law(name)
    assert (law.name, law.law_id, law.language, law.version) == (name, law_id, language, version)


def test_a_file_that_exists_wins_over_the_catalogue(folder: Path) -> None:
    (folder / "gdpr").write_text("<html/>")
    (law,) = name_laws(["gdpr"])
    assert law == NamedLaw(name="gdpr", path=str(folder / "gdpr"))
    assert name_law("32016R0679").law_id == "gdpr"


def test_a_folder_of_a_law_s_name_does_not_hide_the_law(folder: Path) -> None:
    (folder / "gdpr").mkdir()
    assert name_law("gdpr").law_id == "gdpr"
    (folder / "laws").mkdir()
    with pytest.raises(InputError, match="laws is a folder; name the law's file in it"):
        name_laws(["laws"])


def test_an_address_is_never_a_file(folder: Path) -> None:
    (folder / "https:").mkdir()
    (folder / "https:" / "law.xml").write_text("<html/>")
    with pytest.raises(SourceError, match="no law is called"):
        name_laws(["https://law.xml"])


def test_a_file_keeps_the_language_and_version_it_was_named_with(folder: Path) -> None:
    (folder / "law.pdf").write_bytes(b"%PDF-")
    law = name_law("./law.pdf", language="fr", version="2020-01-01")
    assert law == NamedLaw(name="law.pdf", path=str(folder / "law.pdf"), language="fr", version="2020-01-01")


@pytest.mark.parametrize("suffix", sorted(MEDIA_TYPES))
def test_a_name_with_a_law_s_suffix_that_is_no_file_is_an_error_of_usage(suffix: str) -> None:
    with pytest.raises(InputError, match=f"absent{suffix} is not a file here; give the path") as caught:
        name_laws([f"absent{suffix}"])
    assert caught.value.exit_code == 2


def test_a_missing_file_names_the_files_that_are_spelt_nearly_so(folder: Path) -> None:
    (folder / "sample-law.xhtml").touch()
    with pytest.raises(InputError, match=r"did you mean sample-law\.xhtml\?"):
        name_laws(["sampel-law.xhtml"])
    with pytest.raises(InputError, match=r"\./absent/law is not a file here"):
        name_laws(["./absent/law"])


def test_a_name_that_is_too_long_is_one_sentence() -> None:
    for name in ("./" + "x" * 5000, "x" * 300):
        with pytest.raises(InputError, match="names neither a law nor a file: File name too long") as caught:
            name_laws([name])
        assert len(str(caught.value)) < 200


def test_a_blank_name_is_refused() -> None:
    for name in ("", " \t"):
        with pytest.raises(InputError, match="a law's name is blank"):
            name_laws([name])


def test_an_unknown_name_lists_near_ones() -> None:
    with pytest.raises(SourceError, match="no law is called 'gpdr': did you mean gdpr"):
        name_laws(["gpdr"])


@pytest.mark.parametrize(
    ("first", "second"),
    [("gdpr", "gdpr"), ("gdpr", "32016R0679"), ("law.xml", "./law.xml"), ("law.xml", "same.xml")],
)
def test_a_law_named_twice_is_refused_in_whatever_spellings(folder: Path, first: str, second: str) -> None:
    (folder / "law.xml").touch()
    (folder / "same.xml").symlink_to(folder / "law.xml")
    with pytest.raises(InputError, match=r"a law was named twice.*; name each law once"):
        name_laws([first, second])


def test_two_versions_of_a_law_are_two_laws() -> None:
    assert [law.version for law in name_laws(["32016R0679", "02016R0679-20160504"], language="en")] == [
        AS_ADOPTED,
        CONSOLIDATED,
    ]


def test_language_and_version_narrow_every_name() -> None:
    (law,) = name_laws(["gdpr"], language="fr", version=CONSOLIDATED)
    assert (law.language, law.version) == ("fr", CONSOLIDATED)
    assert name_law("32016R0679", version=CONSOLIDATED).version == CONSOLIDATED


@pytest.mark.parametrize(
    ("name", "language", "version", "sentence"),
    [
        (
            "gdpr",
            None,
            "1999-01-01",
            "gdpr has no version 1999-01-01; the catalogue lists 2016-04-27, 2016-05-04",
        ),
        ("gdpr", "de", None, "gdpr is not published in de; it is in en, fr"),
        ("02016R0679-20160504", None, AS_ADOPTED, "is the version 2016-05-04, not 2016-04-27"),
        (
            "https://eur-lex.europa.eu/legal-content/FR/TXT/?uri=CELEX:32016R0679",
            "en",
            None,
            "is the text in fr, not en",
        ),
    ],
)
def test_a_version_or_language_that_does_not_fit_the_name_is_refused(
    name: str, language: str | None, version: str | None, sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        name_laws([name], language=language, version=version)


def test_a_file_can_stand_for_a_law_in_one_language(folder: Path) -> None:
    law = name_law_in_file("gdpr", folder / "x.pdf", language="en")
    assert law == NamedLaw(
        name="gdpr", path=str(folder / "x.pdf"), law_id="gdpr", language="en", version=AS_ADOPTED
    )
    assert name_law_in_file("sample-en", folder / "x.pdf").language == "en"
    with pytest.raises(InputError, match="one file is one language: say which of en, fr"):
        name_law_in_file("gdpr", folder / "x.pdf")


def named(**options: Any) -> list[tuple[str, str | None, str | None]]:
    return [(law.name, law.language, law.version) for law in laws_of(BuildRequest(**options))]


def test_a_build_takes_all_languages_or_those_that_are_asked_for() -> None:
    everything = named(laws=("gdpr",))
    assert [language for _, language, _ in everything] == ["en", "fr"]
    assert named(laws=("gdpr",), languages=("fr",)) == [everything[1]]
    assert named(laws=("gdpr",), languages=("fr", "en", "fr")) == everything[::-1]
    assert [name for name, _, _ in named()] == ["sample-en", "sample-fr"]
    assert [name for name, _, _ in named(languages=("fr",))] == ["sample-fr"]


def test_a_build_takes_the_version_of_a_law_that_is_asked_for() -> None:
    (newest,), (other,) = named(laws=("sample-en",)), named(laws=("sample-en",), law_version="2101-02-01")
    assert other == ("sample-en", "en", "2101-02-01") and newest != other


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"laws": ("sample-en",), "law_version": "1999-01-01"},
            r"no version 1999-01-01; the catalogue lists 2099-03-12",
        ),
        ({"laws": ("sample-en",), "languages": ("de",)}, "not published in de; it is in en"),
        ({"languages": ("de",)}, "no sample law in de"),
        ({"laws": ("own.md",), "law_version": "2020-01-01"}, "own.md is a file.*--law-version is for"),
        ({"laws": ("own.md",), "languages": ("en", "fr")}, "own.md is a file.*several --language is for"),
    ],
)
def test_what_a_law_has_not_is_refused_with_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.md").write_text("# Own", encoding="utf-8")
    with pytest.raises(InputError, match=words):
        named(**options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"laws": ("sample-en",), "title": "X"},
            "sample-en is a law of the catalogue, which says --title itself",
        ),
        ({"title": "X"}, "sample-en is a law of the catalogue"),
        ({"laws": ("own.md", "sample-en"), "licence": "cc0"}, "sample-en is a law of the catalogue"),
        (
            {"laws": ("own.md", "two.md"), "title": "X", "date": "2024-01-31"},
            "--title, --date is of one law, and 2",
        ),
    ],
)
def test_title_date_and_licence_are_of_one_file(folder: Path, options: dict[str, Any], words: str) -> None:
    for name in ("own.md", "two.md"):
        (folder / name).touch()
    with pytest.raises(InputError, match=words):
        named(**options)


def test_a_file_carries_what_was_said_of_it_and_a_law_of_the_catalogue_nothing(folder: Path) -> None:
    (folder / "own.md").touch()
    (law,) = laws_of(BuildRequest(laws=("own.md",), title=" Bell  Act ", languages=("en",)))
    assert law.details == LawDetails(title="Bell Act", language="en")
    assert [law.details for law in laws_of(BuildRequest(laws=("own.md", "gdpr")))] == [None] * 3
    (law,) = laws_of(BuildRequest(laws=("gdpr",), languages=("en",)))
    assert law.details is None
