"""What an id, or the beginning of one, stands for in a workspace.

    q_ question   clm_ claim   ctx_ context unit   chk_ chunk   run_ run of an evaluation
    <act id>#art_6 unit, or #art_6 and art_6 alone   20990101T... build   anything else: a rejected row

Promises: an exact id wins over longer ones; of several candidates none is chosen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from claimrag.schemas.base import ActId
from claimrag.schemas.errors import InputError
from claimrag.tasks.chunk.step import CHUNKS
from claimrag.tasks.claims.step import CLAIMS
from claimrag.tasks.evaluate.average_step import RUNS
from claimrag.tasks.generate.join_step import QUESTIONS
from claimrag.tasks.generate.step import QUESTION_SHARDS
from claimrag.tasks.parse.step import UNITS
from claimrag.tasks.run.shelf import Shelf
from claimrag.tasks.run.step import Table
from claimrag.tasks.segment.step import CONTEXT_UNITS
from claimrag.tasks.store.files import listing

NAMED = 12
"""How many candidates a sentence lists."""
BUILDS, REJECTED = "builds", "rejected rows"
_BY_BEGINNING: dict[str, tuple[Table[Any], ...]] = {
    "q_": (QUESTIONS, QUESTION_SHARDS),
    "clm_": (CLAIMS,),
    "ctx_": (CONTEXT_UNITS,),
    "chk_": (CHUNKS,),
    "run_": (RUNS,),
}
_BUILD = re.compile(r"\d[\dTZ]*(-[0-9a-f]*)?")
_UNIT = re.compile(r"#?([a-z]+_[\w.-]+)")


class Named(NamedTuple):
    """`kind` is the stage whose rows hold it, `builds` or `rejected rows`."""

    kind: str
    id: str


def find(shelf: Shelf, word: str) -> Named:
    """The one thing that `word` names; InputError when there is none, or lists the candidates when several."""
    wanted = word.strip()
    for found in _ways(shelf, wanted):
        if exact := [one for one in found if one.id == wanted]:
            return exact[0]
        if len(found) == 1:
            return found[0]
        if found:
            listed = ", ".join(one.id for one in found[:NAMED])
            more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
            raise InputError(
                f"{word!r} may be one of {len(found)}: {listed}{more}; give more of the one you mean"
            )
    raise InputError(
        f"the workspace holds nothing called {word!r}; an id is as in q_6a32cda0, clm_..., ctx_..., chk_..., run_..., "
        "or a unit as in art_6: `claimrag status`, `claimrag rejected STAGE` and the release show them"
    )


def _ways(shelf: Shelf, word: str) -> Iterator[list[Named]]:
    """What `word` may name, by each way of reading it; the next is tried where one finds nothing."""
    if not word:
        return
    tables = next((tables for start, tables in _BY_BEGINNING.items() if word.startswith(start)), ())
    if tables:
        yield _of_tables(shelf, tables, word)
    elif "#" in word.lstrip("#"):
        yield _of_tables(shelf, (UNITS,), word)
    elif _BUILD.fullmatch(word):
        yield _builds(shelf, word)
    elif match := _UNIT.fullmatch(word):
        yield _units_called(shelf, match[1])
    yield [Named(REJECTED, item) for item in sorted(shelf.rejected_items(word))]


def _of_tables(shelf: Shelf, tables: tuple[Table[Any], ...], word: str) -> list[Named]:
    """The first of the tables that has one is the kind."""
    kinds: dict[str, str] = {}
    for table in tables:
        for row_id in shelf.ids(table, word):
            kinds.setdefault(row_id, table.stage)
    return [Named(kind, row_id) for row_id, kind in sorted(kinds.items())]


def _units_called(shelf: Shelf, name: str) -> list[Named]:
    """The units of that structural path in every act."""
    return [
        Named(UNITS.stage, row.id)
        for record in shelf.at_hand.of(UNITS.stage)
        for _, row in shelf.rows(UNITS, "id", f"{record.scope}#{name}", [ActId(record.scope)])
    ]


def _builds(shelf: Shelf, word: str) -> list[Named]:
    folders = listing(shelf.workspace.fs, shelf.workspace.path("runs"))
    names = (str(entry["name"]).rpartition("/")[2] for entry in folders)
    return [Named(BUILDS, name) for name in names if name.startswith(word)]
