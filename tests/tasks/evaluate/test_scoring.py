"""Questions are scored with a scripted generator and judge: what is scored, and what is not and why."""

import asyncio
import json
from typing import Any

import pytest
from scripted_model import ScriptedServer
from scripted_replies import ScriptedReply

from claimrag.schemas.base import RunId
from claimrag.schemas.claim import Label
from claimrag.schemas.errors import InputError, ModelRefusedError
from claimrag.schemas.run import ScoredAnswer, ScoreStatus
from claimrag.schemas.settings import ClaimsSettings, EvaluateSettings
from claimrag.tasks.evaluate.answers import chunks_that_fit
from claimrag.tasks.evaluate.means import METRICS
from claimrag.tasks.evaluate.metrics import CLAIM_METRICS, Verdicts, claim_metrics
from claimrag.tasks.evaluate.sample import sample_questions
from claimrag.tasks.evaluate.scoring import score_questions
from claimrag.tasks.evaluate.system import system_for
from claimrag.tasks.store.outcome import Outcome

RUN = RunId("run_1")
E, N, C = Label.ENTAILMENT, Label.NEUTRAL, Label.CONTRADICTION
RESPONSE = "It opens at nine. Fines are ten cents. Children pay no fine."
RESPONSE_CLAIMS = (("opening", "is", "nine"), ("fine", "is", "cents"), ("children", "pay", "nothing"))


def _label(claim: str, text: str) -> Label:
    """A claim is entailed by a text that holds its last word, contradicted by one that holds its first."""
    words = claim.split()
    if words[-1] in text.split():
        return E
    return C if words[0] in text.split() else N


def judged(body: dict[str, Any]) -> str:
    """The judge: extracts three claims from any response, and labels by words."""
    prompt = body["messages"][-1]["content"]
    if "### Candidate Answer" in prompt:
        return "\n".join('("{}", "{}", "{}")'.format(*claim) for claim in RESPONSE_CLAIMS)
    if "response_format" in body:
        schema = body["response_format"]["json_schema"]["schema"]
        words = dict(zip((E, C, N), schema["properties"]["c1"]["enum"], strict=True))
        text = _words(prompt.split('"""')[1])
        lines = dict(line.split(":", 1) for line in prompt.splitlines() if line.startswith("c"))
        sentences = {key: lines[key] if key in lines else lines[f"{key} "] for key in schema["required"]}
        return json.dumps({key: words[_label(_words(claim), text)] for key, claim in sentences.items()})
    reference, _, claims = prompt.split("### Reference:")[1].partition("### Claims:")
    lines = [line for line in claims.splitlines() if line.startswith("(")]
    return "\n".join(_label(_words(line), _words(reference)).value for line in lines)


def _words(text: str) -> str:
    return " ".join("".join(c if c.isalnum() else " " for c in text).split())


def replied(body: dict[str, Any]) -> str:
    """Generator and judge in one."""
    asked = body["messages"][-1]["content"].startswith("Passages")
    return RESPONSE if asked else judged(body)


def _given(build: Any, language: str) -> dict[str, Any]:
    questions = [q for q in build.questions if q.language == language]
    chunks = [c for c in build.chunks if c.language == language]
    return {
        "questions": questions,
        "occurrences": {o.question_id: o for o in build.occurrences},
        "claims": build.claims,
        "retrieved": {q.id: chunks for q in questions},
    }


def _score(
    open_gateway: Any,
    build: Any,
    reply: Any = replied,
    *,
    language: str = "en",
    checker: Any = "keyed",
    given: dict[str, Any] | None = None,
    sampled: Any = None,
    **limits: Any,
) -> tuple[Outcome[ScoredAnswer], ScriptedServer]:
    inputs = _given(build, language) | (given or {})
    settings, claims_settings = EvaluateSettings(**limits), ClaimsSettings(checker=checker)
    identity = {"model": "scripted"}
    system = system_for(language, "bm25", "article", None, identity, identity, settings, claims_settings)
    chosen = frozenset(q.id for q in inputs["questions"]) if sampled is None else sampled

    async def run() -> Outcome[ScoredAnswer]:
        async with open_gateway(server) as gateway:
            return await score_questions(
                RUN,
                system,
                **inputs,
                sampled=chosen,
                generator=gateway,
                judge=gateway,
                settings=settings,
                claims_settings=claims_settings,
            )

    with ScriptedServer(reply) as server:
        return asyncio.run(run()), server


@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_sampled_question_gets_answer_claims_verdicts_and_scores(
    open_gateway: Any, made_up_build: Any, language: str
) -> None:
    outcome, server = _score(open_gateway, made_up_build, language=language)
    questions = _given(made_up_build, language)["questions"]
    occurrences = _given(made_up_build, language)["occurrences"]
    assert not outcome.rejected
    assert [(row.question_id, row.run_id, row.language) for row in outcome.kept] == [
        (question.id, RUN, language) for question in questions
    ]
    assert {row.status for row in outcome.kept} == {ScoreStatus.OK}
    for row in outcome.kept:
        assert row.act_id == occurrences[row.question_id].act_id
        assert (row.response, row.response_claims) == (RESPONSE, RESPONSE_CLAIMS)
        verdicts = Verdicts(
            len(row.retrieved2answer[0]),
            row.answer2response,
            row.response2answer,
            row.retrieved2response,
            row.retrieved2answer,
        )
        expected = claim_metrics(verdicts)
        assert {metric.name: getattr(row, metric.name) for metric in CLAIM_METRICS} == expected
    assert {request["temperature"] for request in server.requests} == {0.0}


@pytest.mark.parametrize(("checker", "checks_per_chunk"), [("keyed", 1), ("refchecker", 2)])
def test_each_verdict_is_that_of_its_own_claim_against_its_own_text(
    open_gateway: Any, made_up_build: Any, checker: str, checks_per_chunk: int
) -> None:
    given = _given(made_up_build, "en")
    question = given["questions"][0].model_copy(update={"answer": "The opening is at nine, says the law."})
    claims = [
        claim.model_copy(update={"subject": s, "predicate": "is", "object": o})
        for claim, (s, o) in zip(
            made_up_build.claims[:2], (("library", "nine"), ("book", "cents")), strict=True
        )
    ]
    given |= {"questions": [question], "claims": claims}
    outcome, server = _score(open_gateway, made_up_build, checker=checker, given=given)
    (row,) = outcome.kept
    assert row.answer2response == (E, N, N)
    assert row.response2answer == (E, E)
    # opening hours; loans; fines, where children pay
    assert row.retrieved2response == ((E, N, N), (N, N, E), (N, N, N))
    assert row.retrieved2answer == ((E, N, N), (N, C, E))
    answer_and_extraction, answer_and_response = 2, 2
    assert len(server.requests) == answer_and_extraction + answer_and_response + 3 * checks_per_chunk


def test_the_generator_answers_and_the_judge_judges(open_gateway: Any, made_up_build: Any) -> None:
    given, settings, claims = _given(made_up_build, "en"), EvaluateSettings(), ClaimsSettings(checker="keyed")
    system = system_for("en", "bm25", "article", None, {"model": "g"}, {"model": "j"}, settings, claims)
    every = frozenset(question.id for question in given["questions"])

    async def run(named: Any = system, swapped: bool = False) -> Outcome[ScoredAnswer]:
        async with open_gateway(writer, "g") as generator, open_gateway(examiner, "j") as judge:
            pair = (judge, generator) if swapped else (generator, judge)
            return await score_questions(RUN, named, **given, sampled=every, generator=pair[0], judge=pair[1],
                                         settings=settings, claims_settings=claims)  # fmt: skip

    with ScriptedServer(lambda body: RESPONSE) as writer, ScriptedServer(judged) as examiner:
        outcome = asyncio.run(run())
        with pytest.raises(InputError, match="'g' as its generator, and the gateway asks 'j'"):
            asyncio.run(run(swapped=True))
        with pytest.raises(InputError, match="'other' as its judge, and the gateway asks 'j'"):
            asyncio.run(run(system.model_copy(update={"judge": "other"})))
    assert {row.status for row in outcome.kept} == {ScoreStatus.OK}
    answers = [r for r in writer.requests if r["messages"][-1]["content"].startswith("Passages")]
    assert len(answers) == len(writer.requests) == len(given["questions"])
    assert {request["model"] for request in writer.requests} == {"g"}
    assert {request["model"] for request in examiner.requests} == {"j"}


def test_retrieval_is_scored_for_every_question_and_answers_only_for_the_sample(
    open_gateway: Any, made_up_build: Any
) -> None:
    questions = _given(made_up_build, "en")["questions"]
    sampled = sample_questions([question.id for question in questions], 2, 13)
    outcome, server = _score(open_gateway, made_up_build, sampled=sampled)
    assert [row.question_id for row in outcome.kept] == [question.id for question in questions]
    for row in outcome.kept:
        chosen = row.question_id in sampled
        assert row.status is (ScoreStatus.OK if chosen else ScoreStatus.NOT_SAMPLED)
        assert (row.precision is not None, row.response is not None) == (chosen, chosen)
        assert row.unit_recall == row.character_recall == 1.0
    answers = [r for r in server.requests if r["messages"][-1]["content"].startswith("Passages")]
    assert len(answers) == 2


def test_retrieval_scores_are_those_of_all_chunks_retrieved_not_only_of_those_shown(
    open_gateway: Any, made_up_build: Any
) -> None:
    outcome, server = _score(open_gateway, made_up_build, context_tokens=512, reserved_tokens=484)
    first, last = outcome.kept[0], outcome.kept[-2]
    assert len(first.retrieved2answer[0]) == 1
    assert "1]" in server.requests[0]["messages"][-1]["content"]
    assert "2]" not in server.requests[0]["messages"][-1]["content"]
    assert last.unit_recall == 1.0
    assert last.unit_mrr == 1 / 3


def test_a_response_without_claims_is_not_scored(open_gateway: Any, made_up_build: Any) -> None:
    def reply(body: dict[str, Any]) -> str:
        if "### Candidate Answer" in body["messages"][-1]["content"]:
            return "Abstain"
        return replied(body)

    outcome, _ = _score(open_gateway, made_up_build, reply)
    assert {row.status for row in outcome.kept} == {ScoreStatus.NO_RESPONSE_CLAIMS}
    assert {row.response for row in outcome.kept} == {RESPONSE}
    assert {getattr(row, metric.name) for row in outcome.kept for metric in CLAIM_METRICS} == {None}
    assert outcome.rejected == []


def test_what_an_answers_claims_lose_is_rejected_beside_its_scores(
    open_gateway: Any, made_up_build: Any
) -> None:
    def reply(body: dict[str, Any]) -> str:
        if "### Candidate Answer" in body["messages"][-1]["content"]:
            return '("opening", "is", "nine")\n("half a", "triplet")\n("opening", "is", "nine")'
        return replied(body)

    outcome, _ = _score(open_gateway, made_up_build, reply)
    assert {(row.status, row.response_claims) for row in outcome.kept} == {
        (ScoreStatus.OK, (("opening", "is", "nine"),))
    }
    assert [(r.stage, r.item, r.reason) for r in outcome.rejected] == [
        ("evaluate", row.question_id, reason)
        for row in outcome.kept
        for reason in ("duplicate", "malformed_triplet")
    ]


def test_a_question_without_reference_claims_asks_no_model(open_gateway: Any, made_up_build: Any) -> None:
    outcome, server = _score(open_gateway, made_up_build, given={"claims": []}, sampled=frozenset())
    assert {row.status for row in outcome.kept} == {ScoreStatus.NO_ANSWER_CLAIMS}
    assert {row.unit_recall for row in outcome.kept} == {1.0}
    assert server.requests == []


def test_a_question_that_found_no_chunk_says_so(open_gateway: Any, made_up_build: Any) -> None:
    outcome, server = _score(open_gateway, made_up_build, given={"retrieved": {}})
    assert {row.status for row in outcome.kept} == {ScoreStatus.NO_CHUNKS}
    assert {(row.unit_recall, row.character_precision) for row in outcome.kept} == {(0.0, None)}
    assert server.requests == []


@pytest.mark.parametrize(("answer", "response"), [("", None), ("It opens.", "It opens.")])
def test_an_answer_that_cannot_be_had_or_judged_fails_alone(
    open_gateway: Any, made_up_build: Any, answer: str, response: str | None
) -> None:
    bad = _given(made_up_build, "en")["questions"][1]

    def reply(body: dict[str, Any]) -> Any:
        prompt = body["messages"][-1]["content"]
        if bad.question in prompt and prompt.startswith("Passages"):
            return answer
        if bad.question in prompt and "### Candidate Answer" in prompt:
            return ScriptedReply(text="(", finish_reason="length")
        return replied(body)

    outcome, _ = _score(open_gateway, made_up_build, reply)
    assert [row.status for row in outcome.kept].count(ScoreStatus.OK) == len(outcome.kept) - 1
    failed = outcome.kept[1]
    assert (failed.question_id, failed.status, failed.response) == (bad.id, ScoreStatus.FAILED, response)
    assert (failed.precision, failed.unit_recall) == (None, 1.0)
    expected = ("length", "(") if response else ("empty_reply", "")
    assert [(r.stage, r.item, r.reason, r.raw) for r in outcome.rejected] == [("evaluate", bad.id, *expected)]


def test_a_wrong_key_stops_the_evaluation(open_gateway: Any, made_up_build: Any) -> None:
    with pytest.raises(ModelRefusedError):
        _score(open_gateway, made_up_build, lambda body: ScriptedReply.refused(401, "wrong key"))


def test_a_question_without_its_occurrence_is_named(open_gateway: Any, made_up_build: Any) -> None:
    with pytest.raises(InputError, match=_given(made_up_build, "en")["questions"][0].id):
        _score(open_gateway, made_up_build, given={"occurrences": {}})


def test_the_same_inputs_give_the_same_rows_and_no_second_call(open_gateway: Any, made_up_build: Any) -> None:
    first, _ = _score(open_gateway, made_up_build)
    again, server = _score(open_gateway, made_up_build)
    assert again == first
    assert server.requests == []


def test_the_answer_is_asked_for_with_question_and_chunks_by_rank(
    open_gateway: Any, made_up_build: Any
) -> None:
    given = _given(made_up_build, "en")
    question = given["questions"][0]
    reverse = list(given["retrieved"][question.id])[::-1]
    given |= {"questions": [question], "retrieved": {question.id: reverse}}
    outcome, server = _score(open_gateway, made_up_build, given=given, max_answer_tokens=99)
    prompt = server.requests[0]["messages"][-1]["content"]
    places = [prompt.index(f"[{rank}]\n{chunk.body}") for rank, chunk in enumerate(reverse, start=1)]
    assert places == sorted(places)
    assert f"Question: {question.question}" in prompt
    assert server.requests[0]["max_tokens"] == 99
    assert outcome.kept[0].unit_mrr == pytest.approx(1 / 3)


def _sized(build: Any, *tokens: int) -> list[Any]:
    first = build.chunks[0]
    return [first.model_copy(update={"tokens": count, "id": f"chk_{n}"}) for n, count in enumerate(tokens)]


@pytest.mark.parametrize(
    ("context", "reserved", "tokens", "shown"),
    [
        (8192, 2048, (6144, 1), [6144]),
        (8192, 2048, (6145, 1), [1]),
        (612, 100, (300, 9000, 200), [300, 200]),
        (612, 100, (300, 213), [300]),
        (612, 100, (300, 212), [300, 212]),
        (612, 100, (), []),
    ],
)
def test_chunks_are_shown_within_the_context_without_its_reserve(
    made_up_build: Any, context: int, reserved: int, tokens: tuple[int, ...], shown: list[int]
) -> None:
    settings = EvaluateSettings(context_tokens=context, reserved_tokens=reserved)
    assert [chunk.tokens for chunk in chunks_that_fit(_sized(made_up_build, *tokens), settings)] == shown


def test_the_default_context_is_the_papers() -> None:
    settings = EvaluateSettings()
    assert (settings.context_tokens, settings.reserved_tokens, settings.k) == (8192, 2048, 10)


def test_metrics_of_rows_are_fields_of_the_schema() -> None:
    assert set(METRICS) <= set(ScoredAnswer.model_fields)
