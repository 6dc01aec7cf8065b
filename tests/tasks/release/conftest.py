"""Sources of releases made from the made-up build, with one version of each law or with several."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from claimrag.schemas.canonical import content_id
from claimrag.schemas.reason import Reason
from claimrag.schemas.rejected import StageCounts
from claimrag.schemas.rejection import RejectedRow
from claimrag.tasks.release import ReleaseContent

SHIFT = 100
"""How many characters come before everything in a later version."""
TABLES = ("units", "context_units", "questions", "occurrences", "claims", "rejected")


def source_of(made_up: Any, **changes: Any) -> ReleaseContent:
    """A source of the made-up build; `changes` replace its tables, by the build's names."""
    counts = StageCounts(
        considered=len(made_up.questions) + 5,
        kept=len(made_up.questions),
        rejected={"malformed_reply": 2, "quotation_not_found": 3},
    )
    given = {name: getattr(made_up, name) for name in ("acts", "runs", *TABLES) if name != "rejected"}
    given |= {"counts": {"question_shards": counts}, "rejected": rejected_in(made_up.acts[0].id)} | changes
    return ReleaseContent(**{f"all_{n}" if n in TABLES else n: rows for n, rows in given.items()})


def rejected_in(act_id: str) -> list[RejectedRow]:
    """Five rows that the stage `question_shards` rejected in an act, as the counts of `source_of` say."""
    reasons = [Reason.MALFORMED_REPLY] * 2 + [Reason.QUOTATION_NOT_FOUND] * 3
    return [
        RejectedRow(
            stage="question_shards",
            scope=act_id,
            act_id=act_id,
            item=f"ctx_{number}/factual_recall",
            reason=reason,
            detail="as noted",
            raw=f"reply {number}",
        )
        for number, reason in enumerate(reasons)
    ]


def later_version(made_up: Any, day: str, without: Sequence[int] = (), language: str = "en") -> Any:
    """Add a later version of a law to the build, in which some context units, by their place, are not."""
    act = next(act for act in made_up.acts if act.language == language)
    later = act.id.replace(str(act.version_date), day)

    def moved(row: Any, **more: Any) -> Any:
        return row.model_copy(
            update={"act_id": later, "start": row.start + SHIFT, "end": row.end + SHIFT, **more}
        )

    def renamed(unit_id: str) -> str:
        return unit_id.replace(act.id, later)

    units = [unit for unit in made_up.context_units if unit.act_id == act.id]
    stays = {unit.id for place, unit in enumerate(units) if place not in without}
    questions = {one.id: one for one in made_up.questions}
    made_up.acts.append(act.model_copy(update={"id": later, "version_date": date.fromisoformat(day)}))
    made_up.units += [moved(u, id=renamed(u.id)) for u in made_up.units if u.act_id == act.id]
    made_up.context_units += [moved(unit) for unit in units if unit.id in stays]
    for one in [one for one in made_up.occurrences if one.act_id == act.id]:
        if stays.issuperset(questions[one.question_id].context_unit_ids):
            evidence = tuple(
                e.model_copy(
                    update={
                        "unit_id": renamed(e.unit_id),
                        "start": e.start + SHIFT,
                        "end": e.end + SHIFT,
                    }
                )
                for e in one.evidence
            )
            made_up.occurrences.append(one.model_copy(update={"act_id": later, "evidence": evidence}))
    return made_up


def with_systems(made_up: Any, **fields: Any) -> list[Any]:
    """The runs of the build, and each again with another system."""
    others = [
        run.model_copy(
            update={
                "id": content_id("run", [run.id, sorted(fields)]),
                "system": run.system.model_copy(update=fields),
            }
        )
        for run in made_up.runs
    ]
    return [*made_up.runs, *others]


def table_under(card: str, heading: str, number: int = 0) -> list[dict[str, str]]:
    """The rows of a Markdown table of a section, as dictionaries by column."""
    section = card.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    tables: list[list[list[str]]] = [[]]
    for line in section.splitlines():
        if line.startswith("|"):
            tables[-1].append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
        elif tables[-1]:
            tables.append([])
    headings, _, *lines = tables[number]
    return [dict(zip(headings, line, strict=True)) for line in lines]


def files_of(folder: Path | str) -> dict[str, bytes]:
    """Every file of a folder, by its path in it."""
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in sorted(Path(folder).rglob("*")) if p.is_file()
    }


def rows_of(folder: Path | str, name: str) -> list[dict[str, Any]]:
    """The rows of a configuration in a release folder."""
    return list(pq.read_table(Path(folder) / f"data/{name}/test.parquet").to_pylist())


def fixture_of(function: Callable[..., Any]) -> Any:
    """A fixture that gives the function itself: files of tests cannot import from this one."""
    return pytest.fixture(name=function.__name__)(lambda: function)


_source_of = fixture_of(source_of)
_later_version = fixture_of(later_version)
_with_systems = fixture_of(with_systems)
_table_under = fixture_of(table_under)
_files_of = fixture_of(files_of)
_rows_of = fixture_of(rows_of)


@pytest.fixture
def card_of(tmp_path: Path) -> Callable[..., str]:
    """The card of a release of a source."""
    from claimrag.tasks.release import make_release

    def card(source: ReleaseContent, root: Path = tmp_path) -> str:
        return (Path(make_release(root, source).folder) / "README.md").read_text(encoding="utf-8")

    return card


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Any]:
    """`datasets.load_dataset` with a cache of its own and no network."""
    import datasets

    cache = str(tmp_path / "hf-cache")
    return lambda folder, name: datasets.load_dataset(str(folder), name, split="test", cache_dir=cache)


@pytest.fixture
def two_versions(make_build: Callable[[], Any]) -> Any:
    """The build with a later version of the English law, in which the first article's words are not."""
    return later_version(make_build(), "2025-06-01", without=[0])


@pytest.fixture
def changed(make_build: Callable[[], Any]) -> ReleaseContent:
    """The source with another answer to the first question."""
    made_up = make_build()
    questions = [made_up.questions[0].model_copy(update={"answer": "Another."}), *made_up.questions[1:]]
    return replace(source_of(made_up), all_questions=questions)
