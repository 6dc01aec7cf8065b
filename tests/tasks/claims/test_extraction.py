"""The claims stage: kept claims, rejected rows, and what stops it."""

import asyncio
import json
from typing import Any

import pytest
from scripted_model import ScriptedServer
from scripted_replies import ScriptedReply

from claimrag.schemas.canonical import content_id
from claimrag.schemas.claim import Claim, ClaimOrigin, Label
from claimrag.schemas.errors import InputError, ModelRefusedError
from claimrag.schemas.question import Hop
from claimrag.schemas.reason import Reason
from claimrag.schemas.settings import ClaimsSettings
from claimrag.tasks.claims import extract_claims, extraction
from claimrag.tasks.store.outcome import Outcome


def _run(
    open_gateway: Any, questions: Any, contexts: Any, reply: Any, **settings: Any
) -> tuple[Outcome[Claim], Any]:
    async def run() -> Outcome[Claim]:
        async with open_gateway(server) as gateway:
            return await extract_claims(questions, contexts, gateway, ClaimsSettings(**settings))

    with ScriptedServer(reply) as server:
        return asyncio.run(run()), server


def _script(triplets: str, label: str = "Entailment") -> Any:
    def reply(body: dict[str, Any]) -> str:
        prompt = body["messages"][-1]["content"]
        if "response_format" in body:
            schema = body["response_format"]["json_schema"]["schema"]
            words = dict(zip(list("ECN"), schema["properties"]["c1"]["enum"], strict=True))
            return json.dumps(dict.fromkeys(schema["required"], words[label[0]]))
        if "### Claims:" in prompt:
            return "\n".join([label] * prompt.split("### Claims:")[1].count('("'))
        return triplets

    return reply


@pytest.mark.parametrize("checker", ["refchecker", "keyed"])
def test_every_question_gets_its_claims_with_labels_and_traces(
    open_gateway: Any, questions: Any, contexts: Any, checker: str
) -> None:
    reply = _script('("It", "opens at", "nine")\n("It", "closes at", "noon")', "Contradiction")
    outcome, _ = _run(open_gateway, questions, contexts, reply, checker=checker)
    assert not outcome.rejected
    assert [c.question_id for c in outcome.kept] == [q.id for q in questions for _ in range(2)]
    assert {c.label for c in outcome.kept} == {Label.CONTRADICTION}
    assert {c.origin for c in outcome.kept} == {ClaimOrigin.EXTRACTED}
    first = outcome.kept[0]
    assert (first.order, first.sentence, first.language) == (0, "It opens at nine", questions[0].language)
    assert first.extracted_by.request_key != first.labelled_by.request_key
    assert first.extracted_by.model == "scripted"
    assert len({c.id for c in outcome.kept}) == len(outcome.kept)


@pytest.mark.parametrize("checker", ["refchecker", "keyed"])
def test_every_claim_of_an_answer_gets_its_own_label(
    open_gateway: Any, questions: Any, contexts: Any, checker: str
) -> None:
    labels = {"first": Label.ENTAILMENT, "second": Label.CONTRADICTION, "third": Label.NEUTRAL}

    def reply(body: dict[str, Any]) -> str:
        prompt = body["messages"][-1]["content"]
        if "response_format" in body:
            schema = body["response_format"]["json_schema"]["schema"]
            offered = zip("ECN", schema["properties"]["c1"]["enum"], strict=True)
            words = dict(offered)
            lines = dict(line.split(":", 1) for line in prompt.splitlines() if line.startswith("c"))
            subjects = {key.strip(): line.split()[0] for key, line in lines.items()}
            return json.dumps({key: words[labels[subjects[key]][0]] for key in schema["required"]})
        if "### Claims:" in prompt:
            lines = prompt.split("### Claims:")[1].split("Your answer")[0].strip().splitlines()  # type: ignore[assignment]
            return "\n".join(labels[line.split('"')[1]] for line in lines)
        return '("first", "is", "1")\n("second", "is", "2")\n("third", "is", "3")'

    outcome, _ = _run(open_gateway, questions[:2], contexts, reply, checker=checker)
    assert [(c.subject, c.predicate, c.object, c.label, c.order) for c in outcome.kept] == 2 * [
        ("first", "is", "1", Label.ENTAILMENT, 0),
        ("second", "is", "2", Label.CONTRADICTION, 1),
        ("third", "is", "3", Label.NEUTRAL, 2),
    ]


def test_a_claim_is_an_item_of_its_law_and_not_of_a_version(
    open_gateway: Any, questions: Any, contexts: Any
) -> None:
    outcome, _ = _run(open_gateway, questions[:1], contexts, _script('("a", "b", "c")'))
    (claim,) = outcome.kept
    assert claim.law_id == questions[0].law_id
    assert claim.id == content_id("clm", [questions[0].id, "a", "b", "c"])
    assert "act_id" not in Claim.model_fields


def test_a_multi_hop_question_is_checked_against_all_its_units(
    open_gateway: Any, questions: Any, contexts: Any
) -> None:
    multi = next(q for q in questions if q.hop is Hop.MULTI)
    _, server = _run(open_gateway, [multi], contexts, _script('("a", "b", "c")'), checker="keyed")
    check = server.requests[-1]["messages"][-1]["content"]
    for unit_id in multi.context_unit_ids:
        assert contexts[unit_id].text in check


def test_a_question_whose_answer_has_no_claims_is_rejected_with_the_reply(
    open_gateway: Any, questions: Any, contexts: Any
) -> None:
    outcome, server = _run(open_gateway, questions[:1], contexts, _script("Abstain"))
    assert outcome.kept == []
    assert [(r.item, r.reason, r.raw) for r in outcome.rejected] == [
        (questions[0].id, "no_claims", "Abstain")
    ]
    assert len(server.requests) == 1


def test_repeated_and_malformed_triplets_are_rejected_and_the_others_kept(
    open_gateway: Any, questions: Any, contexts: Any
) -> None:
    reply = _script('("a", "b", "c")\n("a", "b", "c")\n("d", "e")')
    outcome, _ = _run(open_gateway, questions[:1], contexts, reply)
    assert [c.sentence for c in outcome.kept] == ["a b c"]
    assert outcome.counts.rejected == {"duplicate": 1, "malformed_triplet": 1}


def test_a_claim_in_another_language_than_its_answer_is_rejected(
    open_gateway: Any, questions: Any, contexts: Any
) -> None:
    french = next(q for q in questions if q.language == "fr")
    reply = _script(
        '("The library of the village", "is open to all of its readers", "from nine until noon on Sundays")\n'
        '("La bibliothèque du village", "est ouverte à tous ses lecteurs", "de neuf heures à midi")\n'
        '("Article 5", "cites", "GDPR")'
    )
    outcome, _ = _run(open_gateway, [french], contexts, reply)
    assert [c.subject for c in outcome.kept] == ["La bibliothèque du village", "Article 5"]
    assert outcome.counts.rejected == {"wrong_language": 1}


def test_one_unusable_reply_rejects_its_question_alone(
    open_gateway: Any, questions: Any, contexts: Any
) -> None:
    good, bad = questions[0], questions[1]
    script = _script('("a", "b", "c")')

    def reply(body: dict[str, Any]) -> Any:
        if bad.question in body["messages"][-1]["content"]:
            return ScriptedReply(text="half a rep", finish_reason="length")
        return script(body)

    outcome, _ = _run(open_gateway, [good, bad], contexts, reply)
    assert [c.question_id for c in outcome.kept] == [good.id]
    assert [(r.item, r.reason, r.raw) for r in outcome.rejected] == [(bad.id, "length", "half a rep")]


def test_labels_that_do_not_match_the_claims_reject_the_question(
    open_gateway: Any, questions: Any, contexts: Any
) -> None:
    def reply(body: dict[str, Any]) -> str:
        prompt = body["messages"][-1]["content"]
        asked = "### Claims:" in prompt or "response_format" in body
        return "Neutral" if asked else '("a", "b", "c")\n("d", "e", "f")'

    outcome, _ = _run(open_gateway, questions[:1], contexts, reply)
    assert outcome.kept == []
    assert outcome.counts.rejected == {"label_count_mismatch": 1}


def test_a_wrong_key_stops_the_stage(open_gateway: Any, questions: Any, contexts: Any) -> None:
    with pytest.raises(ModelRefusedError):
        _run(open_gateway, questions, contexts, lambda body: ScriptedReply.refused(401, "wrong key"))


def test_a_missing_context_unit_is_named(open_gateway: Any, questions: Any) -> None:
    with pytest.raises(InputError, match=questions[0].context_unit_ids[0]):
        _run(open_gateway, questions[:1], {}, _script(""))


def test_the_same_questions_give_the_same_rows_and_no_second_call(
    open_gateway: Any, questions: Any, contexts: Any
) -> None:
    script = _script('("a", "b", "c")')
    first, _ = _run(open_gateway, questions, contexts, script)
    # another server, so another address: the cache is keyed by what the model sees
    second, server = _run(open_gateway, questions, contexts, script)
    assert second.kept == first.kept
    assert server.requests == []


@pytest.mark.parametrize(
    ("characters", "sure", "kept"), [(39, 1.0, True), (40, 0.99, False), (40, 0.98, True), (90, 0.99, False)]
)
def test_a_claim_is_rejected_for_its_language_where_that_is_sure(
    open_gateway: Any,
    questions: Any,
    contexts: Any,
    monkeypatch: pytest.MonkeyPatch,
    characters: int,
    sure: float,
    kept: bool,
) -> None:
    monkeypatch.setattr(extraction, "identify", lambda text: ("de", sure))
    reply = _script(f'("a", "b", "{"c" * (characters - 4)}")')
    outcome, _ = _run(open_gateway, questions[:1], contexts, reply)
    assert [len(claim.sentence) for claim in outcome.kept] == ([characters] if kept else [])
    reasons = [(row.stage, row.item, row.reason) for row in outcome.rejected]
    rows = [("claims", questions[0].id, "wrong_language"), ("claims", questions[0].id, "no_claims")]
    assert reasons == ([] if kept else rows)


def test_the_units_of_a_question_stand_in_its_order_with_a_blank_line_between(
    open_gateway: Any, questions: Any, contexts: Any
) -> None:
    multi = next(q for q in questions if q.hop is Hop.MULTI)
    turned = multi.model_copy(update={"context_unit_ids": multi.context_unit_ids[::-1]})
    _, server = _run(open_gateway, [turned], contexts, _script('("a", "b", "c")'), checker="keyed")
    expected = "\n\n".join(contexts[unit_id].text for unit_id in turned.context_unit_ids)
    assert f'"""\n{expected}\n"""' in server.requests[-1]["messages"][-1]["content"]


def test_no_more_questions_are_under_way_than_requests_may_be_in_flight(
    open_gateway: Any, questions: Any, contexts: Any
) -> None:
    async def run() -> None:
        async with open_gateway(server, max_in_flight=1) as gateway:
            await extract_claims(questions[:3], contexts, gateway, ClaimsSettings(checker="keyed"))

    with ScriptedServer(_script('("a", "b", "c")')) as server:
        asyncio.run(run())
    kinds = ["response_format" in body for body in server.requests]
    assert kinds == [False, True] * 3


def test_a_reply_that_goes_round_in_a_circle_costs_one_rejected_row_and_is_not_asked_again(
    open_gateway: Any, questions: Any, contexts: Any
) -> None:
    round_and_round = ScriptedReply('("It", "opens at", "nine")\n' * 9 + '("It', finish_reason="length")
    whole = _script("")

    def reply(body: dict[str, Any]) -> Any:
        asks_for_labels = "### Claims:" in body["messages"][-1]["content"] or "response_format" in body
        return whole(body) if asks_for_labels else round_and_round

    outcome, _ = _run(open_gateway, questions[:1], contexts, reply)
    assert [claim.sentence for claim in outcome.kept] == ["It opens at nine"]
    (row,) = outcome.rejected
    assert row.reason is Reason.REPEATS_ITSELF and row.reason.is_malfunction and not row.reason.asked_again
    assert row.item == questions[0].id and row.raw.endswith('("It')
