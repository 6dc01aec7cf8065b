"""acquire-laws: one event per changed law, none for a law that did not change, and the others when one fails."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from claimrag.flows import acquire
from claimrag.flows.acquire import acquire_laws
from claimrag.legal_sources.catalogue import load_catalogue
from claimrag.schemas.build import StageReport
from claimrag.schemas.errors import ClaimragError, InputError, SourceError
from claimrag.schemas.law_check import LawCheckRequest
from claimrag.tasks.acquire.naming import name_law, name_laws
from claimrag.tasks.parse import check_laws
from claimrag.tasks.parse.check_laws import laws_to_check
from claimrag.tasks.parse.compare import acquire_and_compare
from claimrag.tasks.store import Workspace


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    emitted: list[dict[str, Any]] = []

    def emit(event: str, **fields: Any) -> None:
        emitted.append({"event": event, **fields})

    monkeypatch.setattr(acquire, "emit_event", emit)
    return emitted


def hold(*laws: str) -> None:
    """The workspace holds the first version of these laws."""
    for law in laws:
        acquire_and_compare(
            law, from_file=None, workspace="w", languages=(), version=None, refresh=False, check=False
        )


def check(**options: Any) -> StageReport:
    return asyncio.run(acquire_laws(LawCheckRequest(workspace="w", **options)))


def test_a_changed_law_is_one_event_that_names_it_its_acts_and_its_publisher(
    events: list[dict[str, Any]],
) -> None:
    hold("sample-en")
    report = check(publisher="samples")
    assert report.exit_code == 0 and report.verdict == "asked about 2 laws, 1 changed"
    (event,) = events
    assert event["event"] == "claimrag.law.changed"
    assert event["resource"]["prefect.resource.id"] == "claimrag.law.sample-en"
    related = {each["prefect.resource.role"]: each["prefect.resource.id"] for each in event["related"]}
    assert related["act"].startswith("claimrag.act.eu/") and related["act"].endswith("/2101-02-01/en")
    assert related["publisher"] == "claimrag.publisher.samples"
    assert event["payload"]["version"] == "2101-02-01" and event["payload"]["articles"] > 0
    assert name_laws((event["payload"]["name"],))


def test_no_change_is_no_event_also_the_second_time_and_for_a_law_that_is_new_here(
    events: list[dict[str, Any]],
) -> None:
    assert check(laws=("sample-fr",)).verdict == "asked about 1 law, 0 changed"
    hold("sample-en")
    check(publisher="samples")
    events.clear()
    check(publisher="samples")
    assert events == []


def test_a_workspace_that_holds_nothing_is_asked_about_nothing(events: list[dict[str, Any]]) -> None:
    assert check(publisher="eu").verdict == "asked about 0 laws, 0 changed"
    assert events == []


def test_a_law_that_fails_leaves_the_others_and_the_run_is_partial(
    events: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    hold("sample-en", "sample-fr")
    again = check_laws.check_again

    async def failing(law: Any, *rest: Any) -> Any:
        if law.name == "sample-en":
            raise SourceError("sample-en: the publisher answers 503")
        return await again(law, *rest)

    monkeypatch.setattr(check_laws, "check_again", failing)
    report = check(publisher="samples")
    assert report.exit_code == 3 and "sample-en: the publisher answers 503" in report.verdict
    assert [event["payload"]["law"] for event in events] == ["sample-fr"]
    with pytest.raises(ClaimragError, match="none of the 1 laws could be asked about"):
        check(laws=("sample-en",))


@pytest.mark.parametrize(
    "options, sentence",
    [
        (
            {"publisher": "nobody"},
            "no publisher is called 'nobody'; the catalogue has eu, india, lu, samples",
        ),
        ({"publisher": "lu", "laws": ("gdpr",)}, "gdpr is published by eu, not by lu"),
        ({"laws": ("law.md",)}, "law.md is a file, which has no publisher"),
    ],
)
def test_what_cannot_be_asked_about_is_refused(options: dict[str, Any], sentence: str) -> None:
    from pathlib import Path

    Path("law.md").write_text("# A law\n")
    with pytest.raises(InputError, match=sentence):
        laws_to_check(LawCheckRequest(**options), Workspace.open("w"))


def test_the_name_in_an_event_means_the_version_that_changed() -> None:
    for entry in load_catalogue():
        for version in entry.versions:
            name = check_laws._name_of(entry, version.label)
            if name != entry.id:
                assert name_law(name).version == version.label, name
