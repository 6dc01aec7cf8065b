"""The desk: one request per question asked, its seed and temperature, and what an error does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from claimrag import prompts
from claimrag.legal_sources.parsed import ParsedAct
from claimrag.schemas.errors import BudgetExceededError
from claimrag.schemas.reason import Reason
from claimrag.tasks.generate.desk import Desk
from claimrag.tasks.generate.reasons import ItemRejectedError
from claimrag.tasks.generate.seeds import choose_persona, item_seed, rank
from claimrag.tasks.llm import ModelReply, ModelRequest, ReplyRejectedError


class Recorder:
    """A gateway that keeps its requests and answers with `reply`, or raises it."""

    def __init__(self, reply: ModelReply | Exception) -> None:
        self.reply = reply
        self.requests: list[ModelRequest] = []

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        if isinstance(self.reply, Exception):
            raise self.reply
        return self.reply


def reply_of(**changes: Any) -> ModelReply:
    fields = dict.fromkeys(ModelReply.__dataclass_fields__) | {
        "text": '{"verdict": "neutral"}',
        "parsed": {"verdict": "neutral"},
        "model": "scripted",
        "temperature": 0.0,
        "temperature_note": "sent",
        "key": "abc",
        "seed": 77,
    }
    return ModelReply(**fields | changes)


def ask(desk: Desk, gateway: Recorder, *arguments: Any, **values: Any) -> Any:
    return asyncio.run(replace(desk, gateway=gateway).ask(*arguments, **values))  # type: ignore[arg-type]


@pytest.fixture
def desk(bells: ParsedAct, make_desk: Callable[..., Desk]) -> Desk:
    return make_desk(bells, max_tokens=321)


def test_a_request_has_the_prompts_messages_temperature_and_the_items_seed(desk: Desk) -> None:
    gateway = Recorder(reply_of())
    answer = ask(desk, gateway, "generate/entailment", "item/1", premise="P", hypothesis="H")
    (request,) = gateway.requests
    prompt = prompts.load("generate/entailment", "en")
    assert [message.role for message in request.messages] == ["system", "user"]
    assert "Premise: P" in request.messages[1].content
    assert request.max_tokens == 321
    assert request.temperature == 0.0
    assert request.seed == item_seed(13, "generate/entailment", "item/1")
    assert request.schema == prompt.schema
    assert request.schema_name == "entailment"
    assert (answer.parsed, answer.raw) == ({"verdict": "neutral"}, '{"verdict": "neutral"}')
    trace = answer.trace
    assert (trace.model, trace.temperature, trace.temperature_note) == ("scripted", 0.0, "sent")
    assert (trace.seed, trace.prompt_id, trace.prompt_hash) == (
        77,
        prompt.id,
        prompt.hash,
    )  # the seed as it was sent
    assert trace.request_key == "abc"


def test_a_narrower_schema_replaces_the_prompts_own_and_a_range_of_temperatures_is_drawn_by_the_item(
    desk: Desk,
) -> None:
    gateway = Recorder(reply_of(parsed=None, temperature=None, temperature_note="refused"))
    values = {"law": "L", "provisions": [], "persona": "citizen"}
    for item in ("a", "b"):
        answer = ask(desk, gateway, "generate/multi_hop", item, {"type": "object"}, **values)
        assert answer.parsed == {}
        assert (answer.trace.temperature, answer.trace.temperature_note) == (None, "refused")
    first, second = gateway.requests
    assert first.schema == {"type": "object"}
    assert first.temperature != second.temperature
    assert 0.3 <= first.temperature <= 0.5


def test_an_error_of_one_request_rejects_its_item_and_any_other_passes(desk: Desk) -> None:
    error = ReplyRejectedError(Reason.LENGTH, "It was cut.", "{")
    with pytest.raises(ItemRejectedError) as caught:
        ask(desk, Recorder(error), "generate/entailment", "item/1", premise="P", hypothesis="H")
    assert (caught.value.reason, caught.value.detail, caught.value.raw) == (Reason.LENGTH, "It was cut.", "{")
    assert caught.value.__cause__ is error
    row = caught.value.row("item/1")
    assert (row.stage, row.item, row.reason) == ("generate", "item/1", Reason.LENGTH)
    assert (row.detail, row.raw, str(caught.value)) == ("It was cut.", "{", "length: It was cut.")
    with pytest.raises(BudgetExceededError):
        ask(
            desk,
            Recorder(BudgetExceededError("spent")),
            "generate/entailment",
            "item/1",
            premise="P",
            hypothesis="H",
        )


def test_a_law_is_called_by_its_short_title_where_it_has_one(
    desk: Desk, bells: ParsedAct, make_desk: Callable[..., Desk]
) -> None:
    assert desk.law == "Village Bells Regulation"
    assert desk.named("This Regulation applies.") == "The Village Bells Regulation applies."
    untitled = replace(desk, act=desk.act.model_copy(update={"short_title": None}))
    assert untitled.law == desk.act.title


def test_seeds_and_ranks_never_change() -> None:
    assert item_seed(13, "a") == 428732788
    assert item_seed(13) == 1135979930
    assert item_seed(13, "a", "b") == 1280674693
    assert rank(13, "a").startswith("9a5f05ce03dfbec4")
    assert rank(13, "a") != rank(14, "a") != rank(14, "b")
    personas = [choose_persona(13, str(number)).value for number in range(4)]
    assert personas == ["legal_expert", "civil_officer", "citizen", "civil_officer"]
