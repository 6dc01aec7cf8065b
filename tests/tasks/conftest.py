"""A complete made-up build in two languages: acts, units, context, questions, claims, chunks, scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

import pytest

from claimrag.schemas.act import Act
from claimrag.schemas.base import ActId, UnitId
from claimrag.schemas.canonical import content_id, sha256_text
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.claim import Claim, ClaimOrigin, Label
from claimrag.schemas.context import ContextStrategy, ContextUnit, Sentence
from claimrag.schemas.question import Category, Evidence, Hop, ModelTrace, Persona, Question
from claimrag.schemas.run import MeanScore, RagSystem, Retrieval, Run, ScoredAnswer, ScoreStatus
from claimrag.schemas.unit import Unit, UnitKind

ARTICLES = {
    "en": [
        ("Opening hours", ["The village library opens at nine.", "On Sundays it closes at noon."]),
        ("Loans", ["A reader may borrow four books.", "Each book is returned within 30 days."]),
        ("Fines", ["A late book costs ten cents a day.", "Children pay no fine."]),
    ],
    "fr": [
        ("Heures d’ouverture", ["La bibliothèque du village ouvre à neuf heures.", "Elle ferme à midi."]),
        ("Prêts", ["Un lecteur emprunte quatre livres.", "Chaque livre est rendu sous 30 jours."]),
    ],
}
TEMPERATURES = {
    Category.FACTUAL_RECALL: 0.0,
    Category.GENERAL_RESEARCH: 0.412,
    Category.JURISDICTION_TIME: 0.3,
    Category.FALSE_PREMISE: 0.7,
}


@dataclass
class MadeUpBuild:
    """Every table of one build as lists, and the text of each act."""

    texts: dict[ActId, str] = field(default_factory=dict)
    acts: list[Act] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)
    context_units: list[ContextUnit] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    retrievals: list[Retrieval] = field(default_factory=list)
    scored_answers: list[ScoredAnswer] = field(default_factory=list)

    def table_lists(self) -> dict[str, list]:
        """The lists by table name."""
        return {name: getattr(self, name) for name in list(self.__dataclass_fields__) if name != "texts"}


def trace(temperature: float = 0.0, model: str = "made-up-model") -> ModelTrace:
    return ModelTrace(
        model=model, temperature=temperature, seed=7, prompt_id="p/1", prompt_hash="ab", request_key="k"
    )


def _add_act(build: MadeUpBuild, language: str) -> None:
    act_id = ActId(f"eu/3202{len(build.acts)}R0001/2024-01-01/{language}")
    text, articles = "", []
    for number, (heading, sentences) in enumerate(ARTICLES[language], start=1):
        start = len(text)
        text += f"Article {number}\n{heading}\n"
        spans = []
        for sentence in sentences:
            spans.append((len(text), len(text) + len(sentence)))
            text += sentence + "\n"
        articles.append((number, heading, start, len(text) - 1, spans))
    build.texts[act_id] = text
    build.acts.append(
        Act(
            id=act_id,
            publisher="eu",
            work=act_id.split("/")[1],
            celex=act_id.split("/")[1],
            title=f"Regulation on village libraries ({language})",
            language=language,
            version_date=date(2024, 1, 1),
            consolidated=False,
            layout="made-up",
            licence="CC BY 4.0",
            attribution="The village",
            source_address="https://example.org/law",
            retrieved_at=datetime(2024, 2, 1, tzinfo=UTC),
            raw_sha256=sha256_text(text),
            text_sha256=sha256_text(text),
            text_length=len(text),
        )
    )
    root = UnitId(f"{act_id}#act")
    build.units.append(
        Unit(
            id=root,
            act_id=act_id,
            kind=UnitKind.DOCUMENT,
            order=0,
            depth=0,
            start=0,
            end=len(text),
            text=text,
        )
    )
    for number, heading, start, end, spans in articles:
        _add_article(build, act_id, root, number, heading, start, end, spans)


def _add_article(build, act_id, root, number, heading, start, end, spans) -> None:
    text, language = build.texts[act_id], act_id.rpartition("/")[2]
    unit_id = UnitId(f"{act_id}#art_{number}")
    build.units.append(
        Unit(
            id=unit_id,
            act_id=act_id,
            kind=UnitKind.ARTICLE,
            number=str(number),
            label=f"Article {number}",
            heading=heading,
            path=("Title I",),
            parent_id=root,
            order=number,
            depth=1,
            start=start,
            end=end,
            text=text[start:end],
        )
    )
    sentences = [Sentence(number=1, start=start, end=spans[0][0] - 1, unit_id=unit_id)]
    sentences += [
        Sentence(number=n, start=a, end=b, unit_id=unit_id) for n, (a, b) in enumerate(spans, start=2)
    ]
    build.context_units.append(
        ContextUnit(
            id=content_id("ctx", [act_id, text[start:end]]),
            act_id=act_id,
            strategy=ContextStrategy.ARTICLE,
            unit_ids=(unit_id,),
            heading=heading,
            language=language,
            order=number,
            start=start,
            end=end,
            text=text[start:end],
            text_sha256=sha256_text(text[start:end]),
            tokens=20,
            sentences=tuple(sentences),
        )
    )
    build.chunks.append(
        Chunk(
            id=content_id("chk", [act_id, start]),
            act_id=act_id,
            chunker="article",
            language=language,
            order=number,
            part=0,
            unit_ids=(unit_id,),
            start=start,
            end=end,
            tokens=20,
            body=text[start:end],
        )
    )


def _evidence(build: MadeUpBuild, unit: ContextUnit, number: int) -> Evidence:
    sentence = unit.sentences[number - 1]
    quotation = build.texts[unit.act_id][sentence.start : sentence.end]
    return Evidence(
        context_unit_id=unit.id,
        unit_id=sentence.unit_id,
        sentence=number,
        start=sentence.start,
        end=sentence.end,
        quotation=quotation,
    )


def _add_question(build, units, category, persona, number) -> None:
    act_id = units[0].act_id
    evidence = tuple(_evidence(build, unit, 2) for unit in units)
    asked = f"{category.value} question {number} on {units[0].heading}?"
    build.questions.append(
        Question(
            id=content_id("q", [act_id, asked]),
            act_id=act_id,
            context_unit_ids=tuple(unit.id for unit in units),
            context_sha256=sha256_text("".join(unit.text for unit in units)),
            hop=Hop.MULTI if len(units) > 1 else Hop.SINGLE,
            category=category,
            persona=persona,
            language=units[0].language,
            question=asked,
            answer=f"It says: {evidence[0].quotation}",
            rationale="The quoted sentence says so.",
            evidence=evidence,
            generated_by=trace(TEMPERATURES[category]),
        )
    )


def _add_claims(build: MadeUpBuild) -> None:
    labels = list(Label)
    for number, question in enumerate(build.questions):
        for order in range(2):
            triplet = (f"subject {order}", "is", "stated")
            build.claims.append(
                Claim(
                    id=content_id("clm", [question.id, *triplet]),
                    question_id=question.id,
                    act_id=question.act_id,
                    language=question.language,
                    order=order,
                    subject=triplet[0],
                    predicate=triplet[1],
                    object=triplet[2],
                    sentence=" ".join(triplet),
                    origin=ClaimOrigin.EXTRACTED,
                    label=labels[(number + order) % 3],
                    extracted_by=trace(),
                    labelled_by=trace(model="made-up-judge"),
                )
            )


def _add_scores(build: MadeUpBuild) -> None:
    system = RagSystem(
        chunker="article", retriever="BM25", generator="made-up-model", judge="made-up-judge", k=2
    )
    for language in ("en", "fr"):
        asked = [question for question in build.questions if question.language == language]
        run_id = content_id("run", [system.name, language])
        scores = (
            MeanScore(
                metric="precision", mean=50.0, low=40.0, high=60.0, scored=len(asked) - 1, total=len(asked)
            ),
            MeanScore(metric="faithfulness", mean=None, low=None, high=None, scored=0, total=len(asked)),
        )
        build.runs.append(
            Run(id=run_id, system=system, language=language, questions=len(asked), scores=scores)
        )
        for question in asked:
            chunk = next(chunk for chunk in build.chunks if chunk.act_id == question.act_id)
            build.retrievals.append(
                Retrieval(
                    run_id=run_id,
                    question_id=question.id,
                    rank=1,
                    chunk_id=chunk.id,
                    score=1.5,
                    holds_evidence=True,
                )
            )
            build.scored_answers.append(_scored(run_id, question))


def _scored(run_id: str, question: Question) -> ScoredAnswer:
    return ScoredAnswer(
        run_id=run_id,
        question_id=question.id,
        act_id=question.act_id,
        language=question.language,
        status=ScoreStatus.OK,
        response="At nine.",
        response_claims=(("library", "opens at", "nine"), ("library", "closes at", "noon")),
        answer2response=(Label.ENTAILMENT, Label.NEUTRAL),
        response2answer=(Label.ENTAILMENT, Label.NEUTRAL),
        retrieved2response=((Label.ENTAILMENT,), (Label.NEUTRAL,)),
        retrieved2answer=((Label.ENTAILMENT,), (Label.NEUTRAL,)),
        precision=0.5,
        recall=0.5,
        f1=0.5,
        noise_sensitivity_in_relevant=0.25,
        noise_sensitivity_in_irrelevant=0.0,
        hallucination=0.25,
        self_knowledge=0.0,
        faithfulness=0.75,
    )


def make_up_build() -> MadeUpBuild:
    """A build in which every expectation holds."""
    build = MadeUpBuild()
    for language in ("en", "fr"):
        _add_act(build, language)
        units = [unit for unit in build.context_units if unit.language == language]
        personas, categories = list(Persona), list(Category)
        for number, unit in enumerate(units):
            for place, category in enumerate(categories[: 4 if language == "en" else 2]):
                _add_question(build, [unit], category, personas[(number + place) % 3], number)
        _add_question(build, units[:2], Category.GENERAL_RESEARCH, Persona.LEGAL_EXPERT, 99)
    _add_claims(build)
    _add_scores(build)
    return build


@pytest.fixture
def made_up_build() -> MadeUpBuild:
    return make_up_build()


@pytest.fixture
def make_build() -> Callable[[], MadeUpBuild]:
    return make_up_build
