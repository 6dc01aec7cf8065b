"""A smaller selection never replaces a larger result: it is refused before anything is paid, with what to do."""

from __future__ import annotations

import pytest
from faulty_law import Steps
from scripted_model import ScriptedServer

from claimrag.schemas.errors import InputError
from claimrag.schemas.question import Question
from claimrag.tasks.store import TableRef, Workspace

ACT = "eu/32099R1001/2099-03-12/en"


def questions() -> set[str]:
    rows = Workspace.open("w").read_table(TableRef(stage="questions", scope=ACT), Question)
    return {row.id for row in rows}


@pytest.mark.parametrize(
    ("smaller", "words"),
    [
        (
            {"units": 3, "windows": 2},
            "questions on 6 context units, and 3 were asked for.*Give --units 6 or more",
        ),
        (
            {"units": 6, "windows": 1},
            "questions on 2 windows, and 1 were asked for.*Give --windows 2 or more",
        ),
        ({"units": 1, "windows": 1}, "6 context units"),
    ],
)
def test_a_smaller_selection_is_refused_and_nothing_is_asked_or_lost(
    steps: Steps, model: ScriptedServer, smaller: dict[str, int], words: str
) -> None:
    steps("w", units=6, windows=2)
    held, asked = questions(), len(model.requests)
    with pytest.raises(InputError, match=words):
        steps("w", **smaller)
    assert questions() == held and len(model.requests) == asked
    assert steps("w", units=6, windows=2).tables == ()


def test_a_larger_selection_replaces_a_smaller_one_and_all_units_are_never_fewer(steps: Steps) -> None:
    steps("w", units=2)
    few = questions()
    assert steps("w", units=4).exit_code == 0
    more = questions()
    assert len(more) > len(few)
    assert steps("w", units=500).exit_code == 0
    everything = questions()
    assert len(everything) > len(more)
    assert steps("w", units=400).exit_code == 0 and questions() == everything


def test_another_workspace_takes_any_selection(steps: Steps) -> None:
    steps("w", units=4)
    assert steps("other", units=2).exit_code == 0


def test_a_damaged_record_of_the_larger_selection_stands_in_nobody_s_way(steps: Steps) -> None:
    steps("w", units=4)
    (record,) = Workspace.open("w").fs.glob(f"{Workspace.open('w').root}/tables/questions/*.json")
    Workspace.open("w").fs.pipe_file(record, b"{")
    assert steps("w", units=2).exit_code == 0


def test_a_larger_selection_asks_only_for_what_is_new(steps: Steps, model: ScriptedServer) -> None:
    steps("w", units=2, windows=1)
    steps("w", units=4, windows=1)
    grown = len(model.requests)
    steps("at once", units=4, windows=1)
    assert len(model.requests) - grown == grown
