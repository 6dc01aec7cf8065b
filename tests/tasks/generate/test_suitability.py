"""Whether a category suits a provision: by rule where that is certain, else by the model's word."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from claimrag.legal_sources.parsed import ParsedAct
from claimrag.schemas.question import Category
from claimrag.schemas.reason import Reason
from claimrag.tasks.generate.reasons import ItemRejectedError
from claimrag.tasks.generate.suitability import Verdict, require


def run(stage: Any, *arguments: Any, **settings: Any) -> Any:
    return asyncio.run(stage.run(*arguments, **settings))


@pytest.fixture
def plain(make_law: Callable[..., ParsedAct]) -> ParsedAct:
    return make_law([("1", "Bells", ["Each great bell of the village tower hangs from old oak beams."])])


def test_what_a_category_lacks_is_told_by_rule_and_not_asked(
    stage: Any, plain: ParsedAct, make_author: Any
) -> None:
    outcome, server = run(stage, plain, make_author())
    details = {
        row.item.rpartition("/")[2]: (row.reason.value, row.detail, row.raw) for row in outcome.rejected
    }
    assert details == {
        "factual_recall": (
            "unsuitable",
            "By rule: the provision has no number with its unit, no date and no named body.",
            "",
        ),
        "false_premise": (
            "unsuitable",
            "By rule: the provision has no number, date, addressee or modality that can be altered.",
            "",
        ),
        "jurisdiction_time": (
            "unsuitable",
            "By rule: the provision has no territory and no time of application.",
            "",
        ),
    } | {key: value for key, value in details.items() if key == "general_research"}
    asked = server.requests[0]["response_format"]["json_schema"]["schema"]
    assert list(asked["properties"]) == ["general_research"] == asked["required"]


def test_the_models_reason_is_kept_with_the_question_without_its_cut_sentence(
    stage: Any, plain: ParsedAct, make_author: Any
) -> None:
    def judge(name: str, answer: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
        reason = {"reason": "It states  a rule. It al", "suitable": True}
        return {"general_research": reason} if name == "suitability" else answer

    outcome, _ = run(stage, plain, make_author(judge), categories=(Category.GENERAL_RESEARCH,))
    assert [question.suitability_reason for question in outcome.kept] == ["It states a rule."]


def test_a_false_premise_is_suitable_by_rule(stage: Any, bells: ParsedAct, make_author: Any) -> None:
    outcome, server = run(stage, bells, make_author(), categories=(Category.FALSE_PREMISE,))
    names = [body["response_format"]["json_schema"]["name"] for body in server.requests]
    assert "suitability" not in names
    assert outcome.kept
    for question in outcome.kept:
        original = question.false_premise.original
        assert question.suitability_reason == f"By rule: a person can mistake {original!r}."


def test_a_refusal_has_the_models_words() -> None:
    assert require(Verdict(True, "It is.", "raw")) == "It is."
    with pytest.raises(ItemRejectedError) as caught:
        require(Verdict(False, "It is not.", "raw"))
    assert (caught.value.reason, caught.value.detail, caught.value.raw) == (
        Reason.UNSUITABLE,
        "It is not.",
        "raw",
    )
    assert Verdict(False, "By rule").raw == ""
