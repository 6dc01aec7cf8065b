"""What a person says of their own file fills its gaps; where the file says otherwise, the file wins and it is told."""

from __future__ import annotations

import asyncio
import datetime as dt
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimrag import legal_sources
from claimrag.schemas.act import Act
from claimrag.schemas.build import BuildRequest
from claimrag.schemas.law_details import LawDetails
from claimrag.tasks.acquire.step import acquire_law, plan_laws
from claimrag.tasks.parse.details import add_details, missing, missing_sentence
from claimrag.tasks.parse.step import ACTS, parse_law
from claimrag.tasks.run.runtime import open_runtime

BODY = "# Bells\n\n## Part I\n\n### Article 1\n\nThe ringer shall ring.\n\n- (a) at noon\n- (b) at night\n"
FRONT = "---\nwork: bell\ntitle: Bell\nversion_date: 2020-01-01\nlanguage: en\nlicence: cc0\n---\n"
ALL = LawDetails(title="Loi sur l'\u00e9glise", date=dt.date(2024, 1, 31), licence="cc-by-4.0", language="en")
NEW_ID = "other/loi-sur-l-eglise/2024-01-31/en"


def parsed(text: str) -> legal_sources.ParsedAct:
    return legal_sources.parse_bytes(text.encode(), origin="law.md")


def test_a_file_that_says_nothing_takes_every_detail_and_keeps_its_text() -> None:
    before = parsed(BODY)
    assert missing(before) == ("--title", "--date", "--licence", "--language")
    after, unused = add_details(before, ALL)
    act = after.act
    assert (act.id, act.work, act.title, act.licence) == (
        NEW_ID, "loi-sur-l-eglise", "Loi sur l'\u00e9glise", "cc-by-4.0",
    )  # fmt: skip
    assert (act.version_date, act.language, unused) == (dt.date(2024, 1, 31), "en", [])
    assert (after.text, act.text_sha256, act.raw_sha256) == (
        before.text, before.act.text_sha256, before.act.raw_sha256,
    )  # fmt: skip
    assert not missing(after) and missing_sentence(after) is None and not after.health.notes


def test_every_id_of_a_unit_moves_with_the_act() -> None:
    plain = parsed(BODY)
    *others, last = plain.units
    before = replace(plain, units=(*others, last.model_copy(update={"anchor_unit_id": plain.units[0].id})))
    after, _ = add_details(before, ALL)
    for old, new in zip(before.units, after.units, strict=True):
        ids = [(old.id, new.id), (old.parent_id, new.parent_id), (old.anchor_unit_id, new.anchor_unit_id)]
        assert new.act_id == NEW_ID
        assert all(
            moved == (None if first is None else NEW_ID + first.removeprefix(before.act.id))
            for first, moved in ids
        )
        assert after.text[new.start : new.end] == new.text == old.text


def test_what_the_file_says_wins_and_the_difference_is_told() -> None:
    before = parsed(FRONT + BODY)
    after, unused = add_details(before, ALL.model_copy(update={"licence": "cc0"}))
    assert after == before and missing(before) == ()
    assert unused == [
        "--title Loi sur l'\u00e9glise is not used, since the file says Bell",
        "--date 2024-01-31 is not used, since the file says 2020-01-01",
    ]


@pytest.mark.parametrize(
    ("details", "act_id", "left"),
    [
        (LawDetails(date=dt.date(2024, 1, 31)), "2024-01-31/en", ("--title", "--licence", "--language")),
        (LawDetails(language="fr"), "0001-01-01/fr", ("--title", "--date", "--licence")),
        (LawDetails(licence="cc0"), "0001-01-01/en", ("--title", "--date", "--language")),
    ],
)
def test_one_detail_fills_one_gap_and_the_others_are_named(
    details: LawDetails, act_id: str, left: tuple[str, ...]
) -> None:
    after, unused = add_details(parsed(BODY), details)
    assert after.act.id.startswith("other/unknown-") and after.act.id.endswith(act_id)
    assert (missing(after), unused) == (left, [])
    assert ", ".join(left) in (missing_sentence(after) or "")


def test_a_title_without_latin_letters_keeps_the_name_by_the_bytes() -> None:
    after, _ = add_details(parsed(BODY), LawDetails(title="\u041a\u043e\u043b\u043e\u043a\u043e\u043b"))
    assert after.act.work.startswith("unknown-") and after.act.title.startswith("\u041a")


@given(st.text(min_size=1, max_size=200))
def test_any_title_makes_an_id_of_four_plain_parts(title: str) -> None:
    after, _ = add_details(parsed(BODY), LawDetails(title=title))
    parts = after.act.id.split("/")
    assert len(parts) == 4 and all(part and part.isascii() and " " not in part for part in parts)


def test_a_build_takes_them_and_other_details_make_the_tables_anew(tmp_path: Path) -> None:
    file = tmp_path / "law.md"
    file.write_text(BODY, encoding="utf-8")

    async def build(**details: object) -> tuple[Act, tuple[str, ...], int]:
        request = BuildRequest.model_validate(
            {"laws": (str(file),), "workspace": str(tmp_path / "w"), **details}
        )
        async with open_runtime(request, models=False) as runtime:
            act_id = await parse_law(runtime, await acquire_law(runtime, plan_laws(runtime)[0]))
            return runtime.rows(ACTS.of(act_id), Act)[0], tuple(runtime.warnings), len(runtime.remade)

    given = {"title": "Bell Act", "date": "2024-01-31", "languages": ("en",)}
    act, warnings, _ = asyncio.run(build(**given))
    assert (act.id, act.licence) == ("other/bell-act/2024-01-31/en", "not stated")
    assert warnings == ("law.md: the file does not say everything of its law; say it with --licence",)
    assert asyncio.run(build(**given))[2] == 0
    act, warnings, remade = asyncio.run(build(**given, licence="cc0"))
    assert (act.licence, warnings, remade) == ("cc0", (), 3)
