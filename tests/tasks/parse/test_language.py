"""A law in a language without prompts is refused by its words, whatever its headings and its source say."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimrag import legal_sources
from claimrag.prompts import languages
from claimrag.schemas.base import Language
from claimrag.schemas.build import BuildRequest
from claimrag.schemas.errors import SourceError, UnrecognisedLayoutError
from claimrag.tasks.acquire.step import acquire_law, plan_laws
from claimrag.tasks.parse.language import (
    NAMES,
    UnsupportedLanguageError,
    language_of,
    language_problem,
    refused_by_language,
)
from claimrag.tasks.parse.step import parse_law
from claimrag.tasks.run.runtime import open_runtime

LAWS = {
    "en": "The authority shall keep a public register. Whoever takes up an activity shall notify it within "
    "thirty days. The entry shall be deleted where the holder no longer carries on the activity or has "
    "not paid the fee.",
    "fr": "L'autorité tient un registre public. Quiconque entreprend une activité la déclare à l'autorité dans "
    "les trente jours. L'inscription est radiée lorsque le titulaire n'exerce plus l'activité ou n'a pas "
    "payé la taxe due.",
    "de": "Die Behörde führt ein öffentliches Register. Wer eine Tätigkeit aufnimmt, meldet sie der Behörde "
    "binnen dreißig Tagen. Die Eintragung wird gelöscht, wenn der Inhaber die Tätigkeit nicht mehr "
    "ausübt.",
    "it": "L'autorità tiene un registro pubblico. Chi inizia un'attività la comunica all'autorità entro trenta "
    "giorni. L'iscrizione è cancellata quando il titolare non esercita più l'attività o non ha pagato il "
    "contributo dovuto.",
    "es": "La autoridad llevará un registro público. Quien inicie una actividad la notificará a la autoridad en "
    "el plazo de treinta días. La inscripción se cancelará cuando el titular deje de ejercer la "
    "actividad.",
    "nl": "De autoriteit houdt een openbaar register bij. Wie een activiteit begint, meldt die binnen dertig "
    "dagen aan de autoriteit. De inschrijving wordt geschrapt wanneer de houder de activiteit niet meer "
    "uitoefent.",
    "pt": "A autoridade mantém um registo público. Quem inicia uma atividade comunica-a à autoridade no prazo "
    "de trinta dias. A inscrição é cancelada quando o titular deixa de exercer a atividade ou não pagou a "
    "taxa devida.",
    "pl": "Organ prowadzi publiczny rejestr. Kto podejmuje działalność, zgłasza ją organowi w terminie "
    "trzydziestu dni. Wpis wykreśla się, gdy posiadacz nie prowadzi już działalności albo nie uiścił "
    "należnej opłaty.",
}
OTHERS = sorted(LAWS.keys() - {"en", "fr"})


def law(folder: Path, words: str, heading: str = "Article", articles: int = 3) -> Path:
    file = folder / "law.md"
    parts = [f"### {heading} {number}\n\n{words}\n" for number in range(1, articles + 1)]
    file.write_text("# Register\n\n" + "\n".join(parts), encoding="utf-8")
    return file


@pytest.mark.parametrize("code", sorted(LAWS))
@pytest.mark.parametrize("write", [str, str.upper, str.title])
def test_the_language_of_a_law_is_told_by_its_words_in_any_case(code: str, write: object) -> None:
    assert language_of(write(LAWS[code])) == code  # type: ignore[operator]


@pytest.mark.parametrize("code", OTHERS)
@pytest.mark.parametrize("heading", ["Article", "Art."])
def test_a_law_in_another_language_under_our_headings_is_refused_by_name(
    tmp_path: Path, code: str, heading: str
) -> None:
    parsed = legal_sources.parse_file(law(tmp_path, LAWS[code], heading))
    problem = language_problem(parsed)
    assert problem is not None and NAMES[code] in problem and "English and French" in problem


@pytest.mark.parametrize("code", ["en", "fr"])
def test_a_law_in_one_of_ours_passes_also_with_quotations_in_another(tmp_path: Path, code: str) -> None:
    quoted = f"{LAWS[code]} {LAWS[code]} « {LAWS['de'][:90]} »"
    assert language_problem(legal_sources.parse_file(law(tmp_path, LAWS[code]))) is None
    assert language_problem(legal_sources.parse_file(law(tmp_path, quoted, articles=6))) is None


def test_what_is_too_short_or_mixed_tells_no_language() -> None:
    assert language_of("Article 1\n\nRepealed.") is None
    assert language_of("12 345 67 " * 80) is None
    assert language_of(f"{LAWS['en']} " * 6 + f"{LAWS['de']} " * 6) is None


@pytest.mark.parametrize(
    ("code", "heading", "words"),
    [
        ("it", "Article", "the law's words are Italian, though"),
        ("de", "Artikel", "the law's words are German; "),
    ],
)
def test_the_build_refuses_it_at_the_parse_and_names_the_file(
    tmp_path: Path, code: str, heading: str, words: str
) -> None:
    file = law(tmp_path, LAWS[code], heading)

    async def run() -> None:
        request = BuildRequest(laws=(str(file),), workspace=str(tmp_path / "w"))
        async with open_runtime(request, models=False) as runtime:
            await parse_law(runtime, await acquire_law(runtime, plan_laws(runtime)[0]))

    with pytest.raises(UnsupportedLanguageError, match=f"^law.md: {words}") as failure:
        asyncio.run(run())
    assert isinstance(failure.value, SourceError)
    assert not list((tmp_path / "w" / "tables").rglob("*.json"))


@pytest.mark.parametrize("code", OTHERS)
def test_a_law_whose_headings_are_foreign_too_is_refused_for_its_language(tmp_path: Path, code: str) -> None:
    raw = law(tmp_path, LAWS[code], "Artikel").read_bytes()
    page = b"<html><style>the of and to shall</style><body><h3>Artikel 1</h3><p>" + LAWS[code].encode()
    for form in (raw, page):
        with (
            pytest.raises(UnsupportedLanguageError, match=f"^law.md: the law's words are {NAMES[code]}; "),
            refused_by_language("law.md", form),
        ):
            raise UnrecognisedLayoutError("no heading")


@pytest.mark.parametrize("words", [LAWS["en"], LAWS["fr"], "Artikel 1"])
def test_one_in_ours_or_too_short_to_tell_keeps_the_refusal_of_its_layout(words: str) -> None:
    with (
        pytest.raises(UnrecognisedLayoutError, match="no heading"),
        refused_by_language("law.md", words.encode()),
    ):
        raise UnrecognisedLayoutError("no heading")


def test_every_language_of_the_schema_has_all_prompts_and_no_other_has() -> None:
    assert languages() == tuple(sorted(language.value for language in Language))


@given(st.text(max_size=3_000))
def test_any_text_has_a_language_or_none(text: str) -> None:
    assert language_of(text) in {None, *NAMES}
