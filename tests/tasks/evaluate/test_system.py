"""A whole evaluation with a scripted generator and judge: what is scored, and what is not and why."""

import asyncio
import json
from typing import Any

import pytest
from scripted_model import ScriptedServer
from scripted_replies import ScriptedReply

from claimrag.schemas.claim import Label
from claimrag.schemas.errors import InputError, ModelRefusedError, ValidationFailedError
from claimrag.schemas.run import RagSystem, ScoreStatus
from claimrag.schemas.settings import ClaimsSettings, EvaluateSettings
from claimrag.tasks.evaluate import EvaluationOutcome, evaluate_system
from claimrag.tasks.evaluate.answers import chunks_that_fit
from claimrag.tasks.retrieve import build_retriever

SYSTEM = RagSystem(chunker="article", retriever="bm25", generator="scripted", judge="scripted", k=3)


def _reply(body: dict[str, Any]) -> str:
    """Answers, finds two claims, and calls a claim entailed by any text that says `nine`."""
    prompt = body["messages"][-1]["content"]
    if "response_format" in body:
        schema = body["response_format"]["json_schema"]["schema"]
        entailed, _, neutral = schema["properties"]["c1"]["enum"]
        word = entailed if "nine" in prompt.split('"""')[1] else neutral
        return json.dumps(dict.fromkeys(schema["required"], word))
    if "### Candidate Answer" in prompt:
        return '("The library", "opens at", "nine")\n("The library", "closes at", "noon")'
    return "It opens at nine."


def _evaluate(
    open_gateway: Any,
    build: Any,
    reply: Any = _reply,
    *,
    language: str = "en",
    system: RagSystem = SYSTEM,
    checker: Any = "keyed",
    **changes: Any,
) -> tuple[EvaluationOutcome, Any]:
    given = {
        "questions": [q for q in build.questions if q.language == language],
        "claims": build.claims,
        "chunks": [c for c in build.chunks if c.language == language],
        "act_texts": build.texts,
    } | {
        name: value
        for name, value in changes.items()
        if name in ("questions", "claims", "chunks", "act_texts")
    }
    limits = {name: value for name, value in changes.items() if name not in given}

    async def run() -> EvaluationOutcome:
        async with open_gateway(server) as gateway:
            return await evaluate_system(
                system,
                **given,
                retriever=build_retriever("bm25", given["chunks"]),
                gateway=gateway,
                judge_gateway=gateway,
                settings=EvaluateSettings(bootstrap=100, **limits),
                claims_settings=ClaimsSettings(checker=checker),
            )

    with ScriptedServer(reply) as server:
        return asyncio.run(run()), server


@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_sampled_question_gets_answer_claims_verdicts_and_scores(
    open_gateway: Any, made_up_build: Any, language: str
) -> None:
    outcome, _ = _evaluate(open_gateway, made_up_build, language=language)
    assert {row.status for row in outcome.scored.kept} == {ScoreStatus.OK}
    assert not outcome.scored.rejected
    row = outcome.scored.kept[0]
    assert row.response == "It opens at nine."
    assert len(row.response_claims) == len(row.answer2response) == len(row.retrieved2response) == 2
    assert row.response2answer == (Label.ENTAILMENT,) * 2
    assert row.faithfulness is not None
    precision = outcome.run.scores[0]
    assert (precision.metric, precision.scored, precision.total) == (
        "precision",
        *[outcome.run.questions] * 2,
    )
    assert outcome.run.language == language


def test_retrieval_is_scored_for_every_question_and_answers_only_for_the_sample(
    open_gateway: Any, made_up_build: Any
) -> None:
    outcome, server = _evaluate(open_gateway, made_up_build, questions_per_language=2)
    statuses = [row.status for row in outcome.scored.kept]
    assert statuses.count(ScoreStatus.OK) == 2
    assert statuses.count(ScoreStatus.NOT_SAMPLED) == len(statuses) - 2
    assert all(row.unit_recall is not None for row in outcome.scored.kept)
    by_metric = {score.metric: score for score in outcome.run.scores}
    assert by_metric["precision"].scored == 2
    assert by_metric["unit_recall"].scored == len(statuses)
    answers = [r for r in server.requests if "Passages" in r["messages"][-1]["content"]]
    assert len(answers) == 2
    assert {r["temperature"] for r in server.requests} == {0.0}


@pytest.mark.parametrize(("checker", "checks_per_chunk"), [("keyed", 1), ("refchecker", 2)])
def test_both_lists_of_claims_are_checked_against_every_chunk(
    open_gateway: Any, made_up_build: Any, checker: str, checks_per_chunk: int
) -> None:
    def reply(body: dict[str, Any]) -> str:
        prompt = body["messages"][-1]["content"]
        if "### Claims:" not in prompt:
            return _reply(body)
        label = (
            "Entailment" if "nine" in prompt.split("### Reference:")[1].split("### Claims:")[0] else "Neutral"
        )
        return "\n".join([label] * prompt.split("### Claims:")[1].count('("'))

    outcome, server = _evaluate(open_gateway, made_up_build, reply, checker=checker, questions_per_language=1)
    (row,) = [row for row in outcome.scored.kept if row.status is ScoreStatus.OK]
    bodies = {chunk.id: chunk.body for chunk in made_up_build.chunks}
    shown = [bodies[r.chunk_id] for r in outcome.retrievals if r.question_id == row.question_id]
    expected = tuple(Label.ENTAILMENT if "nine" in body else Label.NEUTRAL for body in shown)
    assert row.retrieved2response == row.retrieved2answer == (expected, expected)
    answer_and_extraction, answer_and_response = 2, 2
    assert len(server.requests) == answer_and_extraction + answer_and_response + checks_per_chunk * len(shown)


def test_retrievals_are_ranked_from_one_and_say_whether_they_hold_evidence(
    open_gateway: Any, made_up_build: Any
) -> None:
    outcome, _ = _evaluate(open_gateway, made_up_build, questions_per_language=1)
    questions = {q.id: q for q in made_up_build.questions}
    chunks = {c.id: c for c in made_up_build.chunks}
    first = [r for r in outcome.retrievals if r.question_id == outcome.retrievals[0].question_id]
    assert [r.rank for r in first] == list(range(1, len(first) + 1))
    assert any(r.holds_evidence for r in outcome.retrievals)
    for row in outcome.retrievals:
        spans = [(e.start, e.end) for e in questions[row.question_id].evidence]
        chunk = chunks[row.chunk_id]
        inside = any(chunk.start < end and start < chunk.end for start, end in spans)
        assert row.holds_evidence is inside


def test_a_refusal_is_not_scored_and_enters_no_mean(open_gateway: Any, made_up_build: Any) -> None:
    def reply(body: dict[str, Any]) -> str:
        return "Abstain" if "### Candidate Answer" in body["messages"][-1]["content"] else _reply(body)

    outcome, _ = _evaluate(open_gateway, made_up_build, reply)
    assert {row.status for row in outcome.scored.kept} == {ScoreStatus.NO_RESPONSE_CLAIMS}
    assert outcome.run.scores[0].mean is None
    assert {row.hallucination for row in outcome.scored.kept} == {None}


def test_a_question_without_reference_claims_asks_no_model(open_gateway: Any, made_up_build: Any) -> None:
    outcome, server = _evaluate(open_gateway, made_up_build, claims=[])
    assert {row.status for row in outcome.scored.kept} == {ScoreStatus.NO_ANSWER_CLAIMS}
    assert server.requests == []


def test_a_question_that_finds_no_chunk_says_so(open_gateway: Any, made_up_build: Any) -> None:
    outcome, server = _evaluate(open_gateway, made_up_build, chunks=[])
    assert {row.status for row in outcome.scored.kept} == {ScoreStatus.NO_CHUNKS}
    assert outcome.retrievals == []
    assert server.requests == []


def test_an_answer_that_cannot_be_judged_fails_alone_and_keeps_its_text(
    open_gateway: Any, made_up_build: Any
) -> None:
    bad = next(q for q in made_up_build.questions if q.language == "en").question

    def reply(body: dict[str, Any]) -> Any:
        prompt = body["messages"][-1]["content"]
        if "### Candidate Answer" in prompt and bad in prompt:
            return ScriptedReply(text="(", finish_reason="length")
        return _reply(body)

    outcome, _ = _evaluate(open_gateway, made_up_build, reply)
    failed = [row for row in outcome.scored.kept if row.status is ScoreStatus.FAILED]
    assert [(row.response, row.precision) for row in failed] == [("It opens at nine.", None)]
    assert failed[0].unit_recall is not None
    assert [(r.item, r.reason, r.raw) for r in outcome.scored.rejected] == [
        (failed[0].question_id, "length", "(")
    ]
    assert outcome.run.scores[0].scored == outcome.run.questions - 1


def test_a_wrong_key_stops_the_evaluation(open_gateway: Any, made_up_build: Any) -> None:
    with pytest.raises(ModelRefusedError):
        _evaluate(open_gateway, made_up_build, lambda body: ScriptedReply.refused(401, "wrong key"))


def test_the_run_id_depends_on_settings_and_not_on_results(open_gateway: Any, made_up_build: Any) -> None:
    first, _ = _evaluate(open_gateway, made_up_build, questions_per_language=1)
    again, _ = _evaluate(open_gateway, made_up_build, lambda body: _reply(body), questions_per_language=1)
    refused, _ = _evaluate(open_gateway, made_up_build, claims=[], questions_per_language=1)
    other = _evaluate(
        open_gateway, made_up_build, questions_per_language=1, system=SYSTEM.model_copy(update={"k": 2})
    )[0]
    assert first.run.id == again.run.id == refused.run.id != other.run.id
    assert first == again


def test_only_chunks_that_fit_are_shown_and_the_reserve_is_kept(made_up_build: Any) -> None:
    chunks = [
        c.model_copy(update={"tokens": n})
        for c, n in zip(made_up_build.chunks, (300, 9000, 200), strict=False)
    ]
    settings = EvaluateSettings(context_tokens=612, reserved_tokens=100)
    assert [c.tokens for c in chunks_that_fit(chunks, settings)] == [300, 200]


def test_chunks_that_are_not_their_text_are_refused(open_gateway: Any, made_up_build: Any) -> None:
    texts = {act_id: "." + text for act_id, text in made_up_build.texts.items()}
    with pytest.raises(ValidationFailedError, match="chunk again"):
        _evaluate(open_gateway, made_up_build, act_texts=texts)
    with pytest.raises(InputError, match="is not given"):
        _evaluate(open_gateway, made_up_build, act_texts={})


def test_questions_of_two_languages_are_refused(open_gateway: Any, made_up_build: Any) -> None:
    with pytest.raises(InputError, match="one run each"):
        _evaluate(open_gateway, made_up_build, questions=made_up_build.questions)
    with pytest.raises(InputError):
        _evaluate(open_gateway, made_up_build, questions=[])
