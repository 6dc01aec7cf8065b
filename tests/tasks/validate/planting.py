"""Planting: the register of planted rows by table and rule, and what plants have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from claimrag.schemas.question import Category
from claimrag.schemas.run import ScoreStatus
from tests.tasks.validate.sound import NEW, OLD, SoundBuild

Plant = Callable[[SoundBuild], "SoundBuild | None"]
PLANTED: dict[tuple[str, str], Plant] = {}
NOWHERE = "eu/32020R0001/2030-01-01/en"


def planted(table: str, code: str) -> Callable[[Plant], Plant]:
    def register(plant: Plant) -> Plant:
        assert (table, code) not in PLANTED
        PLANTED[table, code] = plant
        return plant

    return register


def simple(table: str, code: str, wanted: Callable[[Any], bool] = lambda row: True, **update: Any) -> None:
    """A row that nothing else follows from."""

    @planted(table, code)
    def plant(build: SoundBuild) -> None:
        build.change(table, build.first(table, wanted), **update)


def added(table: str, code: str, wanted: Callable[[Any], bool] = lambda row: True, **update: Any) -> None:
    """A row more, like another one."""

    @planted(table, code)
    def plant(build: SoundBuild) -> None:
        getattr(build, table).append(build.first(table, wanted).model_copy(update=update))


def only_old(build: SoundBuild, category: Category = Category.FACTUAL_RECALL) -> Any:
    """A question that holds in the old version alone, which no run is over."""
    return build.first("questions", lambda q: q.category is category and "number 2 on" in q.question)


def occurrence_of(build: SoundBuild, question: Any, act_id: str = OLD) -> Any:
    return build.first("occurrences", lambda o: (o.question_id, o.act_id) == (question.id, act_id))


def is_ordinary(row: Any) -> bool:
    return row.status is ScoreStatus.OK


def spare_chunk(build: SoundBuild) -> Any:
    """The last chunk of the evaluated act, which no question retrieved."""
    used = {row.chunk_id for row in build.retrievals}
    return [chunk for chunk in build.chunks if chunk.act_id == NEW and chunk.id not in used][-1]
