"""Every prompt file of the package: complete in both languages, and true to the design's temperatures."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from claimrag import prompts

FOLDER = Path(str(files("claimrag.prompts")))
FILES = sorted(FOLDER.rglob("*.md"))
IDS = sorted({str(path.relative_to(FOLDER)).split(".")[0] for path in FILES})
GENERATE = [prompt_id for prompt_id in IDS if prompt_id.startswith("generate/")]

SHOWN_WITHOUT_PROVISIONS = {"generate/provisions", "generate/entailment"}
"""These need no whole provision before them."""


@pytest.mark.parametrize("prompt_id", IDS)
def test_english_and_french_ask_for_the_same(prompt_id: str) -> None:
    english, french = prompts.load(prompt_id, "en"), prompts.load(prompt_id, "fr")
    assert english.variables == french.variables
    assert english.schema == french.schema
    assert english.temperature_rule == french.temperature_rule
    assert english.hash != french.hash


@pytest.mark.parametrize(
    ("prompt_id", "low", "high"),
    [
        ("generate/suitability", 0.0, 0.0),
        ("generate/factual_recall", 0.0, 0.0),
        ("generate/general_research", 0.3, 0.5),
        ("generate/jurisdiction_time", 0.3, 0.5),
        ("generate/false_premise", 0.7, 0.7),
        ("generate/multi_hop", 0.3, 0.5),
        ("generate/entailment", 0.0, 0.0),
    ],
)
def test_temperatures_are_those_of_the_design(prompt_id: str, low: float, high: float) -> None:
    rule = prompts.load(prompt_id, "en").temperature_rule
    assert (rule.low, rule.high) == (low, high)


@pytest.mark.parametrize("prompt_id", [one for one in GENERATE if one not in SHOWN_WITHOUT_PROVISIONS])
def test_what_does_not_change_comes_first(prompt_id: str) -> None:
    """The law's words stand before the task, in messages that all tasks about a provision share."""
    for language in ("en", "fr"):
        shared = prompts.load("generate/provisions", language)
        assert prompts.load(prompt_id, language).sections[: len(shared.sections)] == shared.sections


@pytest.mark.parametrize("prompt_id", [one for one in GENERATE if one != "generate/provisions"])
def test_answers_have_a_closed_and_bounded_schema(prompt_id: str) -> None:
    schema = prompts.load(prompt_id, "en").schema
    assert schema is not None
    assert schema["additionalProperties"] is False
    assert sorted(schema["required"]) == sorted(schema["properties"])
    for part in schema["properties"].values():
        assert part["type"] != "string" or "maxLength" in part or "enum" in part


@pytest.mark.parametrize("prompt_id", [one for one in GENERATE if one != "generate/provisions"])
def test_evidence_comes_before_the_question(prompt_id: str) -> None:
    properties = list((prompts.load(prompt_id, "en").schema or {}).get("properties", {}))
    asks = any(name.endswith("question") for name in properties)
    assert asks == ("evidence" in properties)
    if asks:
        assert properties[0] == "evidence" and properties[1].endswith("question")
