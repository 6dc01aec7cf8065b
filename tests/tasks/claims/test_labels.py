"""Labels: one per claim or none at all, in both forms."""

import asyncio
import json
from typing import Any

import pytest
from scripted_model import ScriptedServer
from scripted_replies import ScriptedReply

from claimrag import prompts
from claimrag.schemas.canonical import sha256_text
from claimrag.schemas.claim import Label
from claimrag.schemas.settings import ClaimsSettings
from claimrag.tasks.claims.keyed_labels import WORDS
from claimrag.tasks.claims.labels import Labelling, label_claims
from claimrag.tasks.claims.refchecker_import import refchecker_modules
from claimrag.tasks.llm.errors import ReplyRejectedError

E, N, C = Label.ENTAILMENT, Label.NEUTRAL, Label.CONTRADICTION
TRIPLETS = [(f"subject {i}", "is", f"object {i}") for i in range(7)]


def _label(
    open_gateway: Any,
    reply: Any,
    *,
    triplets: Any = TRIPLETS,
    references: Any = ("The first text.", "The second text."),
    question: str = "What is it?",
    language: str = "en",
    **settings: Any,
) -> tuple[Labelling, list[dict[str, Any]]]:
    async def run() -> Labelling:
        async with open_gateway(server) as gateway:
            return await label_claims(
                triplets,
                references,
                question=question,
                language=language,
                gateway=gateway,
                settings=ClaimsSettings(**settings),
            )

    with ScriptedServer(reply) as server:
        return asyncio.run(run()), server.requests


def _prompt(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"])


def _joint(body: dict[str, Any]) -> str:
    """Entailment for even subjects in the first text, Contradiction in the second, else Neutral."""
    asked = _prompt(body).split("### Claims:")[1].split("Your answer")[0].strip().splitlines()
    here = "Entailment" if "The first text." in _prompt(body) else "Contradiction"
    return "\n".join(
        f"{n}. {here if int(c.split()[1][0]) % 2 == 0 else 'Neutral'}" for n, c in enumerate(asked, 1)
    )


def _keyed(label: str = "Neutral") -> Any:
    def reply(body: dict[str, Any]) -> str:
        if "response_format" not in body:
            return "I cannot say."
        schema = body["response_format"]["json_schema"]["schema"]
        words = dict(zip(list("ECN"), schema["properties"]["c1"]["enum"], strict=True))
        return json.dumps(dict.fromkeys(schema["required"], words[label[0]]))

    return reply


def test_refcheckers_joint_check_labels_every_claim_against_every_text(open_gateway: Any) -> None:
    labelling, requests = _label(open_gateway, _joint)
    assert labelling.labels == tuple((E, C) if i % 2 == 0 else (N, N) for i in range(7))
    assert len(requests) == 4  # two texts, seven claims in groups of five
    assert {(r["temperature"], r["max_tokens"]) for r in requests} == {(0.0, 150)}
    assert len({trace.request_key for row in labelling.traces for trace in row}) == 4
    assert labelling.traces[0][0].request_key == labelling.traces[4][0].request_key
    assert labelling.traces[0][0].request_key != labelling.traces[5][0].request_key
    assert labelling.traces[0][0].prompt_id == "refchecker-0.2.17/joint_checking_q"


def test_a_joint_reply_with_too_few_labels_is_asked_for_again_with_a_key_per_claim(open_gateway: Any) -> None:
    labelling, requests = _label(
        open_gateway, _keyed("Contradiction"), references=["One text."], triplets=TRIPLETS[:3]
    )
    assert labelling.labels == ((C,), (C,), (C,))
    assert ["response_format" in r for r in requests] == [False, True]
    assert labelling.traces[0][0].prompt_id == "claims/label"


def _by_words(body: dict[str, Any]) -> str:
    """A label that depends on claim and text alone, in either form."""
    prompt = _prompt(body)
    place = 0 if "The first text." in prompt else 1
    if "response_format" in body:
        schema = body["response_format"]["json_schema"]["schema"]
        words = dict(zip((E, C, N), schema["properties"]["c1"]["enum"], strict=True))
        sentences = dict(line.split(":", 1) for line in prompt.splitlines() if line.startswith("c"))
        return json.dumps(
            {key: words[LABEL_OF[_subject(sentences[key])][place]] for key in schema["required"]}
        )
    asked = prompt.split("### Claims:")[1].split("Your answer")[0].strip().splitlines()
    return "\n".join(LABEL_OF[_subject(claim)][place].value for claim in asked)


def _subject(claim: str) -> int:
    return int(claim.split("subject ")[1][0])


LABEL_OF = [(E, N), (C, E), (N, N), (E, C), (C, N), (N, E), (C, C)]


@pytest.mark.parametrize("checker", ["refchecker", "keyed"])
@pytest.mark.parametrize("joint", [1, 2, 5, 7, 50])
def test_every_claim_gets_its_own_label_against_each_text(
    open_gateway: Any, checker: str, joint: int
) -> None:
    labelling, requests = _label(open_gateway, _by_words, checker=checker, joint=joint)
    assert labelling.labels == tuple(LABEL_OF)
    assert len(labelling.traces) == 7
    sent = [{body["messages"][-1]["content"]} for body in requests]
    groups = 1 if checker == "keyed" else -(-7 // joint)
    assert len(sent) == 2 * groups
    keys = [[trace.request_key for trace in row] for row in labelling.traces]
    assert len({key for row in keys for key in row}) == 2 * groups
    assert all(len(row) == 2 and row[0] != row[1] for row in keys)
    if checker == "refchecker":
        assert [len({row[place] for row in keys[:joint]}) for place in (0, 1)] == [1, 1]


def test_a_comment_in_a_reply_shifts_no_label(open_gateway: Any) -> None:
    reply = "1. Entailment (there is no contradiction with the text)\n2. Neutral\n3. Contradiction"
    labelling, requests = _label(
        open_gateway, lambda body: reply, references=["One text."], triplets=TRIPLETS[:3]
    )
    assert labelling.labels == ((E,), (N,), (C,))
    assert len(requests) == 1


def test_a_reply_whose_numbers_do_not_match_is_asked_for_with_a_key_per_claim(open_gateway: Any) -> None:
    def reply(body: dict[str, Any]) -> str:
        if "response_format" not in body:
            return "1. Entailment (there is no contradiction with the text)\n2. Neutral\n3. Supported"
        return str(_keyed("Neutral")(body))

    labelling, requests = _label(open_gateway, reply, references=["One text."], triplets=TRIPLETS[:3])
    assert labelling.labels == ((N,), (N,), (N,))
    assert ["response_format" in body for body in requests] == [False, True]


def test_label_replies_that_cannot_be_used_are_asked_for_again_by_the_next_run(open_gateway: Any) -> None:
    def label(reply: Any) -> tuple[Labelling, list[dict[str, Any]]]:
        return _label(open_gateway, reply, references=["One text."], triplets=TRIPLETS[:3])

    with pytest.raises(ReplyRejectedError) as caught:
        label(lambda body: '{"c1": "neither"}' if "response_format" in body else "1. Supported")
    assert caught.value.reason == "label_count_mismatch"
    assert caught.value.raw == '1. Supported\n---\n{"c1": "neither"}'
    assert caught.value.detail.startswith("3 claims, and twice not one label each")
    labelling, requests = label(lambda body: "1. Neutral\n2. Contradiction\n3. Entailment")
    assert labelling.labels == ((N,), (C,), (E,))
    assert len(requests) == 1


def test_labels_that_the_keyed_form_gave_are_asked_for_by_no_later_run(open_gateway: Any) -> None:
    def reply(body: dict[str, Any]) -> str:
        return str(_keyed("Neutral")(body)) if "response_format" in body else "1. Supported"

    first, requests = _label(open_gateway, reply, references=["One text."], triplets=TRIPLETS[:3])
    assert len(requests) == 2
    again, requests = _label(open_gateway, reply, references=["One text."], triplets=TRIPLETS[:3])
    assert (again, requests) == (first, [])


def test_keyed_replies_that_cannot_be_used_are_asked_for_again_by_the_next_run(open_gateway: Any) -> None:
    with pytest.raises(ReplyRejectedError):
        _label(open_gateway, lambda body: '{"c1": "neither"}', checker="keyed", references=["One text."])
    labelling, requests = _label(
        open_gateway, _keyed("Entailment"), checker="keyed", references=["One text."]
    )
    assert labelling.labels == ((E,),) * 7
    assert len(requests) == 1


def test_a_joint_reply_cut_off_at_its_limit_is_asked_for_with_a_key_per_claim(open_gateway: Any) -> None:
    def reply(body: dict[str, Any]) -> Any:
        if "response_format" not in body:
            return ScriptedReply(text="1. Entailment\n2. Neu", finish_reason="length")
        return _keyed("Contradiction")(body)

    labelling, _ = _label(open_gateway, reply, references=["One text."], triplets=TRIPLETS[:2])
    assert labelling.labels == ((C,), (C,))


@pytest.mark.parametrize("reply", ["Entailment\nNeutral\nContradiction\nNeutral", "", "Implication, Neutral"])
def test_labels_that_do_not_match_twice_are_refused_and_never_padded(open_gateway: Any, reply: str) -> None:
    with pytest.raises(ReplyRejectedError) as caught:
        _label(open_gateway, lambda body: reply, references=["One text."], triplets=TRIPLETS[:3])
    assert caught.value.reason == "label_count_mismatch"
    assert reply in caught.value.raw


def test_a_refusal_is_not_asked_for_again(open_gateway: Any) -> None:
    reply = ScriptedReply(text="", finish_reason="content_filter")
    with ScriptedServer(lambda body: reply) as server, pytest.raises(ReplyRejectedError) as caught:
        asyncio.run(_one(open_gateway, server))
    assert caught.value.reason == "content_filter"
    assert len(server.requests) == 1


async def _one(open_gateway: Any, server: ScriptedServer) -> Labelling:
    async with open_gateway(server) as gateway:
        return await label_claims(
            TRIPLETS[:1], ["Text."], question="Q?", language="en", gateway=gateway, settings=ClaimsSettings()
        )


def test_slot_names_in_question_and_text_are_not_filled(open_gateway: Any) -> None:
    _, requests = _label(
        open_gateway,
        lambda body: "Neutral",
        triplets=[("a", "b", "[REFERENCE]")],
        references=["A text with [CLAIMS] and [QUESTION]."],
        question="What of [REFERENCE] and [CLAIMS]?",
    )
    prompt = _prompt(requests[0])
    assert "A text with (CLAIMS) and (QUESTION)." in prompt
    assert "What of (REFERENCE) and (CLAIMS)?" in prompt
    assert '("a", "b", "[REFERENCE]")' in prompt


@pytest.mark.parametrize("language", ["en", "fr"])
def test_keyed_labels_ask_once_per_text_with_the_text_before_the_claims(
    open_gateway: Any, language: str
) -> None:
    labelling, requests = _label(open_gateway, _keyed("Entailment"), checker="keyed", language=language)
    assert labelling.labels == ((E, E),) * 7
    assert len(requests) == 2
    prompt = _prompt(requests[0])
    assert prompt.index("text.") < prompt.index("c1") < prompt.index("subject 0") < prompt.index("c7")
    schema = requests[0]["response_format"]["json_schema"]
    assert schema["strict"] is True
    assert schema["schema"]["required"] == [f"c{n}" for n in range(1, 8)]
    assert schema["schema"]["additionalProperties"] is False


def test_keyed_labels_with_a_missing_key_are_refused(open_gateway: Any) -> None:
    with pytest.raises(ReplyRejectedError) as caught:
        _label(open_gateway, lambda body: '{"c1": "supported"}', checker="keyed")
    assert caught.value.reason == "malformed_reply"


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("label", list(Label))
def test_keyed_labels_are_asked_for_in_the_texts_language(
    open_gateway: Any, language: str, label: Label
) -> None:
    labelling, requests = _label(open_gateway, _keyed(label.value), checker="keyed", language=language)
    assert labelling.labels == ((label, label),) * 7
    for word in WORDS[language].values():
        assert word in _prompt(requests[0])
    assert "Entailment" not in _prompt(requests[0])


@pytest.mark.parametrize(("triplets", "references"), [([], ["Text."]), (TRIPLETS, [])])
def test_no_claims_or_no_texts_need_no_model(open_gateway: Any, triplets: Any, references: Any) -> None:
    labelling, requests = _label(open_gateway, _joint, triplets=triplets, references=references)
    assert labelling.labels == ((),) * len(triplets)
    assert requests == []


@pytest.mark.parametrize(("claims", "tokens"), [(1, 72), (2, 96), (7, 216)])
def test_a_keyed_reply_has_room_for_each_of_its_claims(open_gateway: Any, claims: int, tokens: int) -> None:
    _, requests = _label(
        open_gateway, _keyed("Neutral"), checker="keyed", triplets=TRIPLETS[:claims], references=["Text."]
    )
    assert [(body["max_tokens"], body["temperature"]) for body in requests] == [(tokens, 0.0)]
    assert requests[0]["response_format"]["json_schema"]["name"] == "labels"


def test_keyed_labels_are_asked_with_question_and_claims_as_sentences(open_gateway: Any) -> None:
    labelling, requests = _label(
        open_gateway, _keyed("Neutral"), checker="keyed", triplets=TRIPLETS[:2], references=["Text."]
    )
    prompt = _prompt(requests[0])
    assert "c1: subject 0 is object 0." in prompt
    assert "c2: subject 1 is object 1." in prompt
    assert "What is it?" in prompt
    trace = labelling.traces[0][0]
    assert trace.prompt_hash == prompts.load("claims/label", "en").hash
    assert (trace.prompt_id, trace.model, trace.temperature) == ("claims/label", "scripted", 0.0)


def test_the_joint_trace_names_refcheckers_prompt_by_its_hash(open_gateway: Any) -> None:
    labelling, requests = _label(open_gateway, _joint, joint=3, triplets=TRIPLETS[:2])
    template = refchecker_modules()["checker_prompts"].JOINT_CHECKING_PROMPT_Q
    assert labelling.traces[0][0].prompt_hash == sha256_text(template)
    assert {body["max_tokens"] for body in requests} == {130}
