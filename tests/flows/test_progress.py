"""Progress that is true and fits: what was reported is what is shown, in 80 columns, on a terminal and in a pipe."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console, Group

from claimrag.flows.cli.progress import TerminalProgress, _duration, _rate
from claimrag.schemas.build import Usage
from claimrag.schemas.rejected import StageCounts
from claimrag.tasks.progress import Part, Several, Tally


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def usage(**changes: Any) -> Usage:
    given_ = {
        "model": "m", "requests_sent": 9, "answered_from_cache": 4, "prompt_tokens": 1200,
        "completion_tokens": 34, "cost_usd": None, "retries": 0,
    }  # fmt: skip
    return Usage(**(given_ | changes))


def drawn(progress: TerminalProgress, width: int = 80) -> list[str]:
    """The lines that a terminal of that width would show now, without what ends them."""
    console = Console(
        width=width, file=io.StringIO(), force_terminal=True, color_system=None, legacy_windows=False
    )
    console.print(Group(*progress._progress.get_renderables()))
    file = console.file
    assert isinstance(file, io.StringIO)
    return [line.rstrip() for line in file.getvalue().splitlines()]


def on_terminal(clock: Clock | None = None) -> TerminalProgress:
    console = Console(width=80, file=io.StringIO(), force_terminal=True, color_system=None)
    return TerminalProgress(console, clock or Clock())


def test_a_row_says_done_total_rate_and_what_is_left() -> None:
    clock = Clock()
    progress = on_terminal(clock)
    progress.begin("claims", 40)
    for _ in range(10):
        clock.now += 2
        progress.advance("claims")
    progress.counted("claims", "a", StageCounts(considered=9, kept=7, rejected={"length": 2}))
    progress.counted("claims", "b", StageCounts(considered=3, kept=3, rejected={}))
    (line,) = drawn(progress)
    assert "10/40" in line and "30.0/min" in line and "ETA 1:00" in line
    assert "10 kept, 2 rejected" in line
    for _ in range(30):
        clock.now += 2
        progress.advance("claims")
    (line,) = drawn(progress)
    assert "40/40" in line and "1:20" in line and "ETA" not in line


def test_before_anything_is_done_a_row_shows_the_time_it_takes() -> None:
    clock = Clock()
    progress = on_terminal(clock)
    progress.begin("validate", 1)
    clock.now += 75
    (line,) = drawn(progress)
    assert "0/1" in line and "1:15" in line and "ETA" not in line


def test_the_models_have_one_line_with_calls_retries_tokens_and_money() -> None:
    progress = on_terminal()
    progress.begin("generate", 3)
    assert len(drawn(progress)) == 1
    progress.spent((usage(retries=2, cost_usd=0.5), usage(model="e", cost_usd=0.25)))
    line = drawn(progress)[1]
    assert line == "model: 18 requests, 2 of them retries, 8 from the cache, 2,468 tokens, $0.7500"


@given(
    stages=st.lists(
        st.tuples(
            st.sampled_from(
                ["acquire", "parse", "segment", "generate", "claims", "embed", "evaluate", "validate"]
            ),
            st.integers(1, 10_000_000),
            st.integers(0, 10_000_000),
        ),
        min_size=1,
        max_size=8,
        unique_by=lambda stage: stage[0],
    ),
    seconds=st.floats(0.001, 400_000),
    tokens=st.integers(0, 10**12),
)
def test_counts_are_never_cut_and_nothing_is_wider_than_the_terminal(
    stages: list[tuple[str, int, int]], seconds: float, tokens: int
) -> None:
    clock = Clock()
    progress = on_terminal(clock)
    for stage, total, done in stages:
        progress.begin(stage, total)
        clock.now += seconds
        progress.advance(stage, min(done, total))
        counts = StageCounts(considered=total, kept=total - done % total, rejected={"length": done % total})
        progress.counted(stage, "eu/32016R0679/2016-05-04/en", counts)
    progress.spent(
        (usage(prompt_tokens=tokens, requests_sent=10_000_000, retries=999_999, cost_usd=99_999.0),)
    )
    lines = drawn(progress)
    assert len(lines) == len(stages) + 1 and max(map(len, lines)) <= 80
    for (stage, total, done), line in zip(stages, lines, strict=False):
        assert line.startswith(stage) and f"{min(done, total):,}/{total:,}" in line


def test_a_pipe_gets_a_line_per_table_and_one_on_the_stage_that_moved_last() -> None:
    clock = Clock()
    file = io.StringIO()
    progress = TerminalProgress(Console(width=80, file=file), clock)
    assert progress.line() == ""
    progress.begin("generate", 4)
    progress.advance("generate")
    progress.counted("questions", "a", StageCounts(considered=9, kept=7, rejected={"length": 2}))
    progress.spent((usage(),))
    assert progress.line() == "generate 1 of 4; model: 9 requests, 4 from the cache, 1,234 tokens"
    assert file.getvalue() == "questions a: 7 kept of 9\n"


def test_a_pipe_hears_of_a_stage_again_and_again_while_it_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("claimrag.flows.cli.progress.LINE_EVERY_S", 0.01)
    file = io.StringIO()
    with TerminalProgress(Console(width=80, file=file)) as progress:
        progress.begin("embed", 500)
        while "embed 0 of 500" not in file.getvalue():
            pass
        progress.advance("embed", 32)
        while "embed 32 of 500" not in file.getvalue():
            pass
    lines = file.getvalue().splitlines()
    assert len(lines) == len(set(lines)) and "\x1b" not in file.getvalue()


class Heard:
    """Notes what it hears."""

    def __init__(self) -> None:
        self.total = self.done = 0

    def begin(self, stage: str, total: int) -> None:
        self.total += total

    def advance(self, stage: str, done: int = 1) -> None:
        self.done += done

    def counted(self, stage: str, scope: str, counts: StageCounts) -> None: ...
    def spent(self, usage: object) -> None: ...
    def say(self, sentence: str) -> None: ...


@given(
    tables=st.lists(
        st.tuples(
            st.sampled_from(["claims", "questions"]),
            st.sampled_from("abc"),
            st.integers(0, 9),
            st.dictionaries(st.sampled_from(["length", "duplicate"]), st.integers(1, 9)),
        ),
        max_size=12,
    )
)
def test_a_tally_is_the_sum_of_each_table_as_it_was_last_counted(tables: list[Any]) -> None:
    tally, last = Tally(), {}
    for stage, scope, kept, rejected in tables:
        counts = StageCounts(considered=kept + sum(rejected.values()), kept=kept, rejected=rejected)
        tally.count(stage, scope, counts)
        last[stage, scope] = counts
    for stage in ("claims", "questions"):
        counted = [counts for (name, _), counts in last.items() if name == stage]
        total = sum(counted, StageCounts.of(0, ()))
        assert tally.kept(stage) == (total.kept if counted else None)
        assert tally.rejected(stage) == total.rejected


@given(planned=st.integers(0, 20), needing=st.integers(0, 30), announced=st.booleans(), stopped=st.booleans())
def test_a_part_moves_its_stage_by_what_was_planned_or_is_found_to_be_there(
    planned: int, needing: int, announced: bool, stopped: bool
) -> None:
    heard = Heard()
    part = Part(Several(heard), "claims", planned, announced=announced)
    before = 0 if announced else planned
    assert (heard.total, heard.done) == (before, 0)
    for done in range(1, needing + 1):
        part(done, needing)
        assert heard.done == max(planned, needing) - needing + done
        if stopped:
            break
    part.finish()
    expected = max(planned, needing) if needing else planned
    assert heard.done == expected
    assert heard.total == before + max(0, expected - planned)


@pytest.mark.parametrize(
    ("speed", "shown"),
    [(22.5, "22.5/s"), (0.5, "30.0/min"), (0.001, "3.6/h"), (1234.0, "1,234.0/s"), (0.0, "0.0/h")],
)
def test_a_slow_rate_is_per_minute_or_hour(speed: float, shown: str) -> None:
    assert _rate(speed) == shown


@pytest.mark.parametrize(("seconds", "shown"), [(0.4, "0:00"), (61.0, "1:01"), (3_725.0, "1:02:05")])
def test_times_are_minutes_and_hours(seconds: float, shown: str) -> None:
    assert _duration(seconds) == shown
