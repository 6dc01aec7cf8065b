"""A complete made-up build in two languages: acts, units, context, questions, occurrences, claims, chunks, scores.

Every table comes from the function that makes it in a build, so that what passes for sound is sound; only what a
model would write (questions, claims, verdicts) is made up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from claimrag.legal_sources.assemble import assemble
from claimrag.legal_sources.markup import Source
from claimrag.legal_sources.parsed import ActHead, ParsedAct
from claimrag.legal_sources.tree import TreeBuilder
from claimrag.schemas.act import Act
from claimrag.schemas.base import ActId
from claimrag.schemas.canonical import content_id
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.claim import Claim, ClaimOrigin, Label
from claimrag.schemas.context import ContextStrategy, ContextUnit
from claimrag.schemas.occurrence import Occurrence
from claimrag.schemas.question import AlterationKind, Category, FalsePremise, ModelTrace, Persona, Question
from claimrag.schemas.rejected import Rejected
from claimrag.schemas.run import RagSystem, Retrieval, Run, ScoredAnswer, ScoreStatus
from claimrag.schemas.settings import ClaimsSettings, EvaluateSettings
from claimrag.schemas.unit import Unit, UnitKind, UnitStatus
from claimrag.tasks.chunk import chunk_act
from claimrag.tasks.evaluate.means import run_of
from claimrag.tasks.evaluate.metrics import Verdicts, claim_metrics
from claimrag.tasks.evaluate.retrieval import retrieve_questions
from claimrag.tasks.evaluate.retrieval_metrics import retrieval_scores
from claimrag.tasks.evaluate.system import run_id_of, system_for
from claimrag.tasks.generate.alteration import choose_alteration
from claimrag.tasks.generate.desk import Desk
from claimrag.tasks.generate.drafts import Draft, build_question
from claimrag.tasks.generate.provisions import quoted
from claimrag.tasks.occurrences import bind_questions
from claimrag.tasks.retrieve.hits import Hit
from claimrag.tasks.segment import segment_act

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
WRONG_NUMBERS = {"nine": "ten", "ten cents": "twenty cents", "eleven cents": "twelve cents"}
EVALUATION = EvaluateSettings(k=2, bootstrap=100)
E, N, C = Label.ENTAILMENT, Label.NEUTRAL, Label.CONTRADICTION


@dataclass
class MadeUpBuild:
    """Every table of one build as lists, the text of each act, and what each stage rejected."""

    texts: dict[ActId, str] = field(default_factory=dict)
    acts: list[Act] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)
    context_units: list[ContextUnit] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    occurrences: list[Occurrence] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    retrievals: list[Retrieval] = field(default_factory=list)
    scored_answers: list[ScoredAnswer] = field(default_factory=list)
    rejected: dict[str, list[Rejected]] = field(default_factory=dict)

    def table_lists(self) -> dict[str, list[Any]]:
        """The lists by table name."""
        names = [name for name in self.__dataclass_fields__ if name not in ("texts", "rejected")]
        return {name: getattr(self, name) for name in names}

    def reject(self, table: str, rows: Iterable[Rejected]) -> None:
        self.rejected.setdefault(table, []).extend(rows)


def trace(temperature: float = 0.0, model: str = "made-up-model") -> ModelTrace:
    return ModelTrace(
        model=model, temperature=temperature, seed=7, prompt_id="p/1", prompt_hash="ab", request_key="k"
    )


def read_law(
    articles: Sequence[tuple[str, Sequence[str]]],
    language: str,
    work: str,
    version: str = "2024-01-01",
    abrogated: str | None = None,
) -> ParsedAct:
    """A law of articles with a heading and sentences; the article with the heading `abrogated` has no force."""
    builder = TreeBuilder()
    builder.open(UnitKind.ENACTING_TERMS)
    for number, (heading, sentences) in enumerate(articles, start=1):
        status = UnitStatus.ABROGATED if heading == abrogated else UnitStatus.IN_FORCE
        builder.open(
            UnitKind.ARTICLE,
            number=str(number),
            label=f"Article {number}",
            heading=heading,
            status=status,
        )
        for sentence in sentences:
            builder.block(sentence)
        builder.close()
    head = ActHead(
        publisher="eu",
        work=work,
        title=f"Regulation on village libraries ({language})",
        language=language,
        version_date=date.fromisoformat(version),
        consolidated=False,
        layout="made-up",
        licence="CC BY 4.0",
        attribution="The village",
        celex=work,
    )
    source = Source.of(
        repr([articles, version]).encode(),
        origin="made-up",
        retrieved_at=datetime(2024, 2, 1, tzinfo=UTC),
        source_address="https://example.org/law",
    )
    return assemble(builder, head, source, None)


def add_act(build: MadeUpBuild, law: ParsedAct) -> list[ContextUnit]:
    """Add an act with its units and context units; returns the latter."""
    build.texts[law.act.id] = law.text
    build.acts.append(law.act)
    build.units.extend(law.units)
    cut = segment_act(law.act, law.units, law.text, ContextStrategy.ARTICLE, lambda text: len(text.split()))
    build.context_units.extend(cut.kept)
    build.reject("context_units", cut.rejected)
    return cut.kept


def premise_of(build: MadeUpBuild, context: ContextUnit) -> FalsePremise:
    """What the rules alter, or a wrong number where they find nothing to alter."""
    text = build.texts[context.act_id]
    found = choose_alteration(context, text, 7)
    if found is not None:
        return found
    first = context.sentences[0]
    truth = text[first.start : first.end]
    original = next(number for number in WRONG_NUMBERS if number in truth)
    return FalsePremise(
        kind=AlterationKind.NUMBER,
        sentence=first.number,
        original=original,
        altered=WRONG_NUMBERS[original],
        truth=truth,
        belief=truth.replace(original, WRONG_NUMBERS[original]),
    )


def write_question(
    build: MadeUpBuild, contexts: Sequence[ContextUnit], category: Category, persona: Persona, number: int
) -> Question:
    """A question on the first sentence of each context unit."""
    premise = premise_of(build, contexts[0]) if category is Category.FALSE_PREMISE else None
    quotations = tuple(one for unit in contexts for one in quoted(unit, [premise.sentence if premise else 1]))
    asked = f"What is {category.value} number {number} on {contexts[0].heading}?"
    answer = f"It says: {' '.join(one.text for one in quotations)}"
    if premise is not None:
        asked = f"Why, in case {number}, does the law say {premise.altered}?"
        answer = f"It does not; it says {premise.original}."
    draft = Draft(asked, answer, "The quoted sentence says so.", (1,), "{}", trace(TEMPERATURES[category]))
    act = next(act for act in build.acts if act.id == contexts[0].act_id)
    desk = desk_of(act)
    return build_question(
        desk, draft, contexts, quotations, category=category, persona=persona, false_premise=premise
    )


def desk_of(act: Act) -> Desk:
    """A desk that knows its act and needs no model."""
    nothing: Any = None
    return Desk(act, "", nothing, nothing, nothing)


def bind(build: MadeUpBuild) -> None:
    """Bind the questions to every act of their law and language."""
    for act in build.acts:
        units = [unit for unit in build.context_units if unit.act_id == act.id]
        law = act.id.rsplit("/", 2)[0]
        of_law = [q for q in build.questions if (q.law_id, q.language) == (law, act.language)]
        bound = bind_questions(of_law, act, units)
        build.occurrences.extend(bound.kept)
        build.reject("occurrences", bound.rejected)


def claims_of(question: Question, number: int) -> list[Claim]:
    """Two claims, whose labels vary with `number`."""
    triplets = [(f"subject {order}", "is", "stated") for order in range(2)]
    return [
        Claim(
            id=content_id("clm", [question.id, *triplet]),
            question_id=question.id,
            law_id=question.law_id,
            language=question.language,
            order=order,
            subject=triplet[0],
            predicate=triplet[1],
            object=triplet[2],
            sentence=" ".join(triplet),
            origin=ClaimOrigin.EXTRACTED,
            label=list(Label)[(number + order) % 3],
            extracted_by=trace(),
            labelled_by=trace(model="made-up-judge"),
        )
        for order, triplet in enumerate(triplets)
    ]


class MadeUpRetriever:
    """Finds the chunks given, in this order, with falling scores."""

    name = "bm25"

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self.chunks = chunks

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        hits = [Hit(chunk.id, 2.5 - rank) for rank, chunk in enumerate(self.chunks)]
        return [hits[:k] for _ in queries]


def system_of(language: str, chunker: str = "article", settings: EvaluateSettings = EVALUATION) -> RagSystem:
    generator, judge = {"model": "made-up-model"}, {"model": "made-up-judge"}
    return system_for(language, "bm25", chunker, None, generator, judge, settings, ClaimsSettings())


def scored(run: str, occurrence: Occurrence, language: str, chunks: Sequence[Chunk]) -> ScoredAnswer:
    """An answer of two claims, the first right and found, the second neither; two reference claims alike."""
    found, missing = (E, *[N] * (len(chunks) - 1)), (N,) * len(chunks)
    verdicts = Verdicts(len(chunks), (E, C), (E, N), (found, missing), (found, missing))
    return ScoredAnswer(
        run_id=run,
        question_id=occurrence.question_id,
        act_id=occurrence.act_id,
        language=language,
        status=ScoreStatus.OK,
        response="At nine.",
        response_claims=(("library", "opens at", "nine"), ("library", "closes at", "midnight")),
        answer2response=(E, C),
        response2answer=(E, N),
        retrieved2response=(found, missing),
        retrieved2answer=(found, missing),
        **claim_metrics(verdicts),
        **retrieval_scores(occurrence, chunks),
    )


def unscored(run: str, occurrence: Occurrence, language: str, status: ScoreStatus) -> ScoredAnswer:
    """A row without scores; its retrieval metrics are those of no chunk."""
    answered = status is ScoreStatus.NO_RESPONSE_CLAIMS
    return ScoredAnswer(
        run_id=run,
        question_id=occurrence.question_id,
        act_id=occurrence.act_id,
        language=language,
        status=status,
        response="I cannot say." if answered else None,
        **retrieval_scores(occurrence, []),
    )


def evaluate(
    build: MadeUpBuild,
    language: str,
    acts: Sequence[ActId],
    chunker: str = "article",
    statuses: Mapping[str, ScoreStatus] | None = None,
    settings: EvaluateSettings = EVALUATION,
) -> None:
    """Score one system over these acts, all of one language; `statuses` are those of questions without scores."""
    system = system_of(language, chunker, settings)
    run_id = run_id_of(system, language, acts, settings)
    questions = {question.id: question for question in build.questions}
    chunks = {one.id: one for one in build.chunks if one.act_id in acts and one.chunker == chunker}
    rows: list[ScoredAnswer] = []
    for occurrence in (one for one in build.occurrences if one.act_id in acts):
        first = [one for one in chunks.values() if one.start <= occurrence.evidence[0].start < one.end]
        order = [*first, *(chunk for chunk in chunks.values() if chunk not in first)][: system.k]
        question = questions[occurrence.question_id]
        status = (statuses or {}).get(question.id, ScoreStatus.OK)
        if status is ScoreStatus.NO_CHUNKS:
            order = []
        bound = {question.id: occurrence}
        build.retrievals += retrieve_questions(
            run_id, [question], bound, MadeUpRetriever(order), chunks, system.k
        )
        if status is ScoreStatus.OK:
            rows.append(scored(run_id, occurrence, language, order))
        else:
            row = unscored(run_id, occurrence, language, status)
            rows.append(row.model_copy(update=retrieval_scores(occurrence, order)))
    build.scored_answers += rows
    build.runs.append(
        run_of(run_id, system, language, acts, rows, len(rows), settings.bootstrap, system.seed)
    )


def make_up_build() -> MadeUpBuild:
    """A build in which every expectation holds."""
    build = MadeUpBuild()
    for place, language in enumerate(("en", "fr")):
        law = read_law(ARTICLES[language], language, f"3202{place}R0001")
        contexts = add_act(build, law)
        build.chunks += chunk_act(law.act, law.text, law.units, "article")
        personas, categories = list(Persona), list(Category)[: 4 if language == "en" else 2]
        for number, unit in enumerate(contexts):
            for position, category in enumerate(categories):
                persona = personas[(number + position) % 3]
                build.questions.append(write_question(build, [unit], category, persona, number))
        pair = contexts[:2]
        persona = Persona.LEGAL_EXPERT
        build.questions.append(write_question(build, pair, Category.GENERAL_RESEARCH, persona, 99))
    bind(build)
    for number, question in enumerate(build.questions):
        build.claims += claims_of(question, number)
    for act in build.acts:
        evaluate(build, act.language, [act.id])
    return build


_MADE_UP: list[MadeUpBuild] = []


def fresh_build() -> MadeUpBuild:
    """The build in lists of its own; it is made once, since its rows are frozen."""
    if not _MADE_UP:
        _MADE_UP.append(make_up_build())
    made = _MADE_UP[0]
    lists = {name: list(rows) for name, rows in made.table_lists().items()}
    rejected = {name: list(rows) for name, rows in made.rejected.items()}
    return replace(made, **lists, texts=dict(made.texts), rejected=rejected)


@pytest.fixture
def made_up_build() -> MadeUpBuild:
    return fresh_build()


@pytest.fixture
def make_build() -> Callable[[], MadeUpBuild]:
    return fresh_build
