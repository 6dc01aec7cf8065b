"""A law that fails leaves the others running, what every law would meet ends the run; how it ended is written down."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from claimrag.schemas.build import BuildRequest, LawFailure
from claimrag.schemas.errors import (
    BudgetExceededError,
    ClaimragError,
    EmptyStageError,
    InputError,
    SettingsError,
    SourceError,
)
from claimrag.tasks.run.failures import each_law, failed_laws
from claimrag.tasks.run.runtime import Runtime, open_runtime
from claimrag.tasks.run.summary import manifest_kept, report_stages, write_progress
from claimrag.tasks.run.tables import Selection


async def _build(law: str) -> str:
    """A law is built, or raises what its name says, after the others have begun."""
    await asyncio.sleep(0.01)
    errors: dict[str, Exception] = {
        "torn.md": SourceError("torn.md: no article heading"),
        "empty": EmptyStageError("stage questions kept no row"),
        "set": SettingsError("llm.model is not set"),
        "spent": BudgetExceededError("llm.budget_usd is spent"),
        "bug": KeyError("bug"),
    }
    if law in errors:
        raise errors[law]
    await asyncio.sleep(0.02)
    return law.upper()


def _run(workspace: Path, *laws: str) -> tuple[dict[str, str], list[LawFailure]]:
    async def run() -> tuple[dict[str, str], list[LawFailure]]:
        async with open_runtime(BuildRequest(workspace=str(workspace)), models=False) as runtime:
            return await each_law(runtime, laws, _build), runtime.failures

    return asyncio.run(run())


def test_the_laws_beside_a_failing_one_are_built_and_it_is_noted(tmp_path: Path) -> None:
    built, failures = _run(tmp_path / "w", "a", "torn.md", "b", "empty")
    assert built == {"a": "A", "b": "B"}
    assert [(failure.law, failure.sentence) for failure in failures] == [
        ("torn.md", "torn.md: no article heading"),
        ("empty", "stage questions kept no row"),
    ]
    assert failed_laws(failures) == "torn.md: no article heading; empty: stage questions kept no row"


@pytest.mark.parametrize(
    "law, error", [("set", SettingsError), ("spent", BudgetExceededError), ("bug", KeyError)]
)
def test_what_every_law_would_meet_ends_the_run(tmp_path: Path, law: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        _run(tmp_path / "w", "a", law, "b")


def test_one_law_alone_raises_its_own_error(tmp_path: Path) -> None:
    with pytest.raises(EmptyStageError, match=r"^stage questions kept no row$"):
        _run(tmp_path / "w", "empty")


def test_when_all_laws_fail_one_sentence_names_them_and_the_kind_of_the_first_decides(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"none of the 2 laws could be built: torn.md: .*; empty: stage"
    ) as failure:
        _run(tmp_path / "w", "torn.md", "empty")
    assert failure.value.exit_code == 1


def test_a_sentence_names_five_laws_and_counts_the_others() -> None:
    sentence = failed_laws(LawFailure(law=f"law-{n}", sentence="no text") for n in range(8))
    assert sentence == "; ".join(f"law-{n}: no text" for n in range(5)) + "; and 3 more"


def manifest(workspace: Path) -> dict[str, object]:
    (path,) = (workspace / "runs").glob("*/manifest.json")
    read: dict[str, object] = json.loads(path.read_text())
    return read


@pytest.mark.parametrize(
    "error, status",
    [
        (ClaimragError("the judge is away"), "failed"),
        (KeyError("bug"), "failed"),
        (KeyboardInterrupt(), "stopped"),
        (asyncio.CancelledError(), "stopped"),
    ],
)
def test_the_manifest_says_how_far_a_run_came_and_why_it_ended(
    tmp_path: Path, error: BaseException, status: str
) -> None:
    async def run() -> None:
        async with open_runtime(BuildRequest(workspace=str(tmp_path / "w")), models=False) as runtime:
            with manifest_kept(runtime):
                assert manifest(tmp_path / "w")["status"] == "running"
                runtime.phase = "sources"
                write_progress(runtime)
                assert manifest(tmp_path / "w")["phase"] == "sources"
                runtime.failures.append(LawFailure(law="a", sentence="a: torn"))
                raise error

    with pytest.raises(type(error)):
        asyncio.run(run())
    read = manifest(tmp_path / "w")
    assert (read["status"], read["sentence"], read["phase"]) == (status, str(error), "sources")
    assert read["failures"] == [{"law": "a", "sentence": "a: torn"}]
    assert isinstance(read["usage"], list) and read["usage"]


def test_a_full_disk_does_not_hide_why_a_run_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from claimrag.schemas.errors import StoreError
    from claimrag.tasks.store import Workspace

    def full(*_: object) -> str:
        raise StoreError("the disk is full")

    async def run() -> None:
        async with open_runtime(BuildRequest(workspace=str(tmp_path / "w")), models=False) as runtime:
            with manifest_kept(runtime):
                monkeypatch.setattr(Workspace, "write_json", full)
                raise ClaimragError("the judge is away")

    with pytest.raises(ClaimragError, match="the judge is away"):
        asyncio.run(run())


def test_a_stage_in_which_a_law_failed_is_partial_and_names_it(tmp_path: Path) -> None:
    async def run(runtime: Runtime) -> None:
        runtime.failures.append(LawFailure(law="b", sentence="stage claims kept no row"))
        report = report_stages(runtime, Selection((), (), ()))
        assert report.exit_code == 3
        assert report.verdict == "partial: 1 of 1 laws failed: b: stage claims kept no row"
        assert report.sentences[-1] == f"verdict: {report.verdict}"

    async def opened() -> None:
        async with open_runtime(BuildRequest(workspace=str(tmp_path / "w")), models=False) as runtime:
            await run(runtime)

    asyncio.run(opened())
