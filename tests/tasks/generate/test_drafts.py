"""From a model's reply to a question: what is tidied, what the id depends on, what can be cited."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from claimrag.legal_sources.parsed import ParsedAct
from claimrag.schemas.canonical import canonical_json, content_id, sha256_text
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.question import Category, Hop, ModelTrace, Persona, Question, ReviewStatus
from claimrag.tasks.generate.desk import Answer, Desk
from claimrag.tasks.generate.drafts import (
    Draft,
    build_question,
    read_draft,
    with_evidence_among,
    without_cut_sentence,
)
from claimrag.tasks.generate.provisions import quoted

TRACE = ModelTrace(model="m", temperature=0.0, seed=1, prompt_id="p", prompt_hash="h", request_key="k")
DRAFT = Draft("What is rung?", "The bell.", "It says so.", (1,), "{}", TRACE)
MakeContexts = Callable[[ParsedAct], list[ContextUnit]]


@pytest.fixture
def contexts(bells: ParsedAct, make_contexts: MakeContexts) -> list[ContextUnit]:
    return make_contexts(bells)


@pytest.fixture
def desk(bells: ParsedAct, make_desk: Callable[..., Desk]) -> Desk:
    return make_desk(bells)


def build(
    desk: Desk,
    contexts: list[ContextUnit],
    draft: Draft = DRAFT,
    category: Category = Category.FACTUAL_RECALL,
) -> Question:
    return build_question(
        desk, draft, contexts, quoted(contexts[0], [1]), category=category, persona=Persona.LEGAL_EXPERT
    )


def test_a_question_holds_its_draft_and_belongs_to_the_law(desk: Desk, contexts: list[ContextUnit]) -> None:
    question = build(desk, contexts[:1])
    assert question.law_id == "eu/32090R0001"
    assert (question.question, question.answer, question.rationale) == (
        "What is rung?",
        "The bell.",
        "It says so.",
    )
    assert (question.hop, question.category) == (Hop.SINGLE, Category.FACTUAL_RECALL)
    assert (question.persona, question.language) == (Persona.LEGAL_EXPERT, "en")
    assert question.generated_by == TRACE
    assert question.quotations == quoted(contexts[0], [1])
    assert question.review is ReviewStatus.UNREVIEWED
    assert question.context_sha256 == contexts[0].text_sha256
    assert question.suitability_reason is None and question.false_premise is None


def test_the_id_is_a_hash_of_context_units_hop_category_question_and_answer(
    desk: Desk, contexts: list[ContextUnit]
) -> None:
    one = build(desk, contexts[:1])
    identity = [contexts[0].id, "single", "factual_recall", "What is rung?", "The bell."]
    assert one.id == content_id("q", identity)
    others = [
        build(desk, contexts[:2]),
        build(desk, contexts[1:2]),
        build(desk, contexts[:1], category=Category.GENERAL_RESEARCH),
        build(desk, contexts[:1], replace(DRAFT, question="What is not rung?")),
        build(desk, contexts[:1], replace(DRAFT, answer="The great bell.")),
    ]
    assert len({one.id, *(other.id for other in others)}) == 6
    same = build(desk, contexts[:1], replace(DRAFT, rationale="Because.", raw="raw", cited=(2,)))
    assert same.id == one.id


def test_several_context_units_have_the_hash_of_their_hashes(desk: Desk, contexts: list[ContextUnit]) -> None:
    question = build(desk, contexts[:2])
    assert question.hop is Hop.MULTI
    assert question.context_unit_ids == (contexts[0].id, contexts[1].id)
    hashes = [contexts[0].text_sha256, contexts[1].text_sha256]
    assert question.context_sha256 == sha256_text(canonical_json(hashes))


def test_the_reply_is_tidied_and_names_the_law(desk: Desk) -> None:
    parsed: dict[str, Any] = {
        "question": " What does\nthis  Regulation say? ",
        "answer": "This Regulation\tis new.",
        "rationale": "It says  so. It al",
        "evidence": [3, 1, 3],
    }
    draft = read_draft(desk, Answer(parsed, "raw", TRACE))
    assert draft.question == "What does the Village Bells Regulation say?"
    assert draft.answer == "The Village Bells Regulation is new."
    assert draft.rationale == "It says so."
    assert (draft.cited, draft.raw, draft.trace) == ((3, 1), "raw", TRACE)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("It says so. It also sa", "It says so."),
        ("One. Two. Thr", "One. Two."),
        ("It says", "It says…"),
        ("It says so!", "It says so!"),
        ("Does it?", "Does it?"),
        ("« Oui »", "« Oui »"),
        ('"Yes"', '"Yes"'),
        ("It is 3.5 m", "It is 3.5 m…"),
        ("", "…"),
    ],
)
def test_a_sentence_that_was_cut_off_is_left_out(text: str, kept: str) -> None:
    assert without_cut_sentence(text) == kept


def test_the_schema_is_narrowed_to_the_numbers_shown_and_the_prompts_own_is_untouched() -> None:
    schema = {"properties": {"evidence": {"type": "array", "items": {"type": "integer"}}, "question": {}}}
    before = repr(schema)
    narrowed = with_evidence_among(schema, [1, 2])
    assert narrowed["properties"]["evidence"] == {
        "type": "array",
        "items": {"enum": [1, 2], "type": "integer"},
    }
    assert with_evidence_among(schema, ["1.1"])["properties"]["evidence"]["items"] == {
        "enum": ["1.1"],
        "type": "string",
    }
    words = with_evidence_among(schema, [])["properties"]["evidence"]["items"]
    assert words == {"type": "string", "minLength": 10}
    assert repr(schema) == before
    with pytest.raises(KeyError):
        with_evidence_among(None, [1])
