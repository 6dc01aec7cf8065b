"""Two versions of a made-up law, its context units and questions about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from claimrag.legal_sources.assemble import assemble
from claimrag.legal_sources.markup import Source
from claimrag.legal_sources.parsed import ParsedAct
from claimrag.legal_sources.tree import TreeBuilder
from claimrag.schemas.act import law_of
from claimrag.schemas.context import ContextStrategy, ContextUnit
from claimrag.schemas.question import Category, Hop, ModelTrace, Persona, Question, Quotation
from claimrag.tasks.segment import segment_act
from tests.tasks.made_up_articles import village_head, write_articles

TRACE = ModelTrace(model="m", temperature=0.0, seed=1, prompt_id="p", prompt_hash="h", request_key="k")

KEYS = (
    "1",
    "Keys",
    ["The ringer keeps the key. It hangs in the town hall.", ("A bell has:", ["a rope;", "a clapper."])],
)
FEES = ("2", "Fees", ["The village pays the ringer 40 euros."])
FEES_CHANGED = ("2", "Fees", ["The village pays the ringer 60 euros."])
NEW = ("0", "Aim", ["This Regulation is about bells."])


def build_version(articles: Sequence[tuple], version: str) -> ParsedAct:
    builder = TreeBuilder()
    write_articles(builder, articles)
    source = Source.of(repr(articles).encode(), origin="made-up")
    return assemble(builder, village_head("en", version), source, None)


def contexts_of(law: ParsedAct) -> list[ContextUnit]:
    return segment_act(
        law.act, law.units, law.text, ContextStrategy.ARTICLE, lambda text: len(text.split())
    ).kept


def build_question(number: int, *spans: tuple[ContextUnit, int, int], answer: str = "Yes.") -> Question:
    """A question that quotes these spans of context units."""
    context_ids = tuple(dict.fromkeys(context.id for context, _, _ in spans))
    return Question(
        id=f"q_{number:03d}",
        law_id=law_of(spans[0][0].act_id),
        context_unit_ids=context_ids,
        context_sha256="0" * 64,
        hop=Hop.SINGLE if len(context_ids) == 1 else Hop.MULTI,
        category=Category.FACTUAL_RECALL,
        persona=Persona.CITIZEN,
        language="en",
        question=f"What is rule {number}?",
        answer=answer,
        rationale="The sentence says so.",
        quotations=tuple(
            Quotation(
                context_unit_id=context.id, sentence=None, start=start, end=end, text=context.text[start:end]
            )
            for context, start, end in spans
        ),
        generated_by=TRACE,
    )


@pytest.fixture
def first_version() -> ParsedAct:
    return build_version([KEYS, FEES], "2090-01-01")


@pytest.fixture
def second_version() -> ParsedAct:
    return build_version([NEW, KEYS, FEES_CHANGED], "2091-01-01")


@pytest.fixture
def make_question() -> Callable[..., Question]:
    return build_question


@pytest.fixture
def make_contexts() -> Callable[[ParsedAct], list[ContextUnit]]:
    return contexts_of
