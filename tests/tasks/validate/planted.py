"""For every rule a row that breaks it: `PLANTED[table, code]` spoils a sound set.

`BY_NATURE` lists what else such a row must break, and why. Everything that follows from a row is made to follow, so
that nothing else is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from claimrag.schemas.canonical import content_id, sha256_text
from claimrag.schemas.question import Category, Hop, ReviewStatus
from claimrag.schemas.rejected import Rejected, StageCounts
from claimrag.schemas.run import Retrieval, ScoreStatus
from claimrag.schemas.unit import UnitKind
from claimrag.tasks.chunk.tokens import count_tokens
from claimrag.tasks.evaluate.metrics import Verdicts, claim_metrics
from claimrag.tasks.evaluate.retrieval_metrics import retrieval_scores
from claimrag.tasks.validate import TableInput
from tests.tasks.validate.sound import FRENCH, MODELS, NEW, OLD, SoundBuild, build_sound

Plant = Callable[[SoundBuild], "SoundBuild | None"]
PLANTED: dict[tuple[str, str], Plant] = {}
NOWHERE = "eu/32020R0001/2030-01-01/en"


def planted(table: str, code: str) -> Callable[[Plant], Plant]:
    def register(plant: Plant) -> Plant:
        assert (table, code) not in PLANTED
        PLANTED[table, code] = plant
        return plant

    return register


def simple(table: str, code: str, wanted: Callable[[Any], bool] = lambda row: True, **update: Any) -> None:
    """A row that nothing else follows from."""

    @planted(table, code)
    def plant(build: SoundBuild) -> None:
        build.change(table, build.first(table, wanted), **update)


def added(table: str, code: str, wanted: Callable[[Any], bool] = lambda row: True, **update: Any) -> None:
    """A row more, like another one."""

    @planted(table, code)
    def plant(build: SoundBuild) -> None:
        getattr(build, table).append(build.first(table, wanted).model_copy(update=update))


def only_old(build: SoundBuild, category: Category = Category.FACTUAL_RECALL) -> Any:
    """A question that holds in the old version alone, which no run is over."""
    return build.first("questions", lambda q: q.category is category and "number 2 on" in q.question)


def occurrence_of(build: SoundBuild, question: Any, act_id: str = OLD) -> Any:
    return build.first("occurrences", lambda o: (o.question_id, o.act_id) == (question.id, act_id))


def is_ordinary(row: Any) -> bool:
    return row.status is ScoreStatus.OK


def spare_chunk(build: SoundBuild) -> Any:
    """The last chunk of the evaluated act, which no question retrieved."""
    used = {row.chunk_id for row in build.retrievals}
    return [chunk for chunk in build.chunks if chunk.act_id == NEW and chunk.id not in used][-1]


# Acts


added("acts", "act_text_is_given", id="eu/99/2024-01-01/en", work="99")
simple("acts", "text_matches_hash", text_length=3)
added("acts", "unique_key")


@planted("acts", "id_is_its_content")
def _(build: SoundBuild) -> None:
    act = build.acts[0]
    build.change("acts", act, version_date=act.version_date.replace(year=2023))


@planted("acts", "chunks_cover_act")
def _(build: SoundBuild) -> None:
    build.chunks.remove(spare_chunk(build))


# Units: a paragraph more of the first article


def paragraph(code: str, **update: Any) -> None:
    @planted("units", code)
    def plant(build: SoundBuild) -> None:
        article = build.first("units", lambda unit: unit.kind is UnitKind.ARTICLE)
        own = {"id": f"{article.id}.par_9", "kind": UnitKind.PARAGRAPH, "parent_id": article.id}
        build.units.append(article.model_copy(update=own | update))


paragraph("act_text_is_given", act_id=NOWHERE, id=f"{NOWHERE}#art_1.par_9")
paragraph("belongs_to_act", id="eu/other#art_1.par_9")
paragraph("parent_exists", parent_id=f"{OLD}#art_99")
paragraph("cell_has_place", row=1)
paragraph("text_is_exact", start=1, end=5, text="Wrng")


@planted("units", "lies_in_parent")
def _(build: SoundBuild) -> None:
    article, other = [unit for unit in build.units if unit.kind is UnitKind.ARTICLE][:2]
    own = {"id": f"{article.id}.par_9", "kind": UnitKind.PARAGRAPH, "parent_id": article.id}
    build.units.append(other.model_copy(update=own))


@planted("units", "unique_key")
def _(build: SoundBuild) -> None:
    build.units.append(build.units[1])


@planted("units", "article_is_accounted_for")
def _(build: SoundBuild) -> None:
    build.rejected["context_units"].pop()


# Context units: one of the new version that no question is about


def is_unasked(unit: Any) -> bool:
    return unit.act_id == NEW and unit.order == 1


@planted("context_units", "names_a_unit")
def _(build: SoundBuild) -> None:
    act, unit = build.acts[0], build.context_units[0]
    words = build.texts[act.id][:9]
    identity = [act.publisher, act.work, act.language, "article", words]
    sentence = unit.sentences[0].model_copy(update={"start": 0, "end": 9})
    own = {"id": content_id("ctx", identity), "start": 0, "end": 9, "text": words, "unit_ids": ()}
    own |= {"text_sha256": sha256_text(words), "sentences": (sentence,), "order": 50}
    build.context_units.append(unit.model_copy(update=own))


@planted("context_units", "act_text_is_given")
def _(build: SoundBuild) -> None:
    build.context_units.append(build.context_units[0].model_copy(update={"act_id": NOWHERE}))


simple("context_units", "language_is_of_act", is_unasked, language="fr")
simple("context_units", "text_matches_hash", is_unasked, text_sha256="0" * 64)
added("context_units", "unique_key", is_unasked, order=50)


@planted("context_units", "text_is_exact")
def _(build: SoundBuild) -> None:
    unit = build.first("context_units", is_unasked)
    build.change("context_units", unit, end=unit.end + 1)


@planted("context_units", "id_is_its_content")
def _(build: SoundBuild) -> None:
    unit = build.first("context_units", lambda u: u.act_id == FRENCH)
    copy = unit.model_copy(update={"id": "ctx_other", "order": -1})
    build.context_units.append(copy)


@planted("context_units", "sentences_in_order")
def _(build: SoundBuild) -> None:
    unit = build.first("context_units", is_unasked)
    first, *rest = unit.sentences
    build.change("context_units", unit, sentences=(first.model_copy(update={"end": first.end + 5}), *rest))


@planted("context_units", "sentences_cover_text")
def _(build: SoundBuild) -> None:
    unit = build.first("context_units", lambda u: u.act_id == NEW and u.order == 2)
    build.change("context_units", unit, sentences=unit.sentences[:1])


@planted("context_units", "units_exist")
def _(build: SoundBuild) -> None:
    unit = build.first("context_units", is_unasked)
    build.change("context_units", unit, unit_ids=(*unit.unit_ids, f"{FRENCH}#art_1"))


# Questions


@planted("questions", "id_is_its_content")
def _(build: SoundBuild) -> None:
    build.rename(only_old(build), new_id="q_other")


@planted("questions", "is_one_item")
def _(build: SoundBuild) -> None:
    again = [q for q in build.questions if q.id == build.questions[0].id][1]
    build.change("questions", again, rationale="Another reason.")


@planted("questions", "unique_key")
def _(build: SoundBuild) -> None:
    build.questions.append(build.questions[0])  # a third row, for two versions


@planted("questions", "has_quotation")
def _(build: SoundBuild) -> None:
    question = only_old(build)
    build.change("occurrences", occurrence_of(build, question), evidence=())
    build.change("questions", question, quotations=())


@planted("questions", "quotations_are_exact")
def _(build: SoundBuild) -> None:
    question = only_old(build)
    one = question.quotations[0]
    build.change("questions", question, quotations=(one.model_copy(update={"text": one.text[:-1]}),))


@planted("questions", "quotations_in_context")
def _(build: SoundBuild) -> None:
    question, other = only_old(build), build.questions[0]
    build.change(
        "occurrences",
        occurrence_of(build, question),
        evidence=occurrence_of(build, other).evidence,
    )
    build.change("questions", question, quotations=other.quotations)


@planted("questions", "context_exists")
def _(build: SoundBuild) -> None:
    """On context units of two versions, which never stood in one act."""
    fines = [unit for unit in build.context_units if unit.order == 2]
    contexts = tuple(unit.id for unit in fines)
    hashes = f'["{fines[0].text_sha256}","{fines[1].text_sha256}"]'
    question = only_old(build)
    hop = {"hop": Hop.SINGLE, "context_unit_ids": contexts, "context_sha256": sha256_text(hashes)}
    build.rename(question, **hop | {"hop": Hop.MULTI})
    renamed = build.first("questions", lambda q: q.context_unit_ids == contexts)
    unit = fines[1]
    quoted = renamed.quotations[0].model_copy(
        update={"context_unit_id": unit.id, "text": unit.text[:5], "start": 0, "end": 5, "sentence": None}
    )
    build.change("questions", renamed, quotations=(renamed.quotations[0], quoted))


@planted("questions", "context_matches_hash")
def _(build: SoundBuild) -> None:
    build.change("questions", only_old(build), context_sha256="0" * 64)


@planted("questions", "hop_fits_quotations")
def _(build: SoundBuild) -> None:
    build.rename(only_old(build), hop=Hop.MULTI)


def premise(code: str, **update: str) -> None:
    @planted("questions", code)
    def plant(build: SoundBuild) -> None:
        question = build.first("questions", is_false_on_fines)
        changed = question.false_premise.model_copy(update=update)
        build.change("questions", question, false_premise=changed)


def is_false_on_fines(question: Any) -> bool:
    return question.category is Category.FALSE_PREMISE and "twenty cents" in question.question


premise("premise_is_one_alteration", belief="A late book costs twenty cents an hour.")
premise("truth_is_of_law", truth="A book costs ten cents a day.", belief="A book costs twenty cents a day.")
simple("questions", "premise_fits_category", is_false_on_fines, false_premise=None)


@planted("questions", "question_assumes_premise")
def _(build: SoundBuild) -> None:
    question = build.first("questions", is_false_on_fines)
    build.rename(question, question="Why does the law say twenty cents, and not ten cents?")


@planted("questions", "answer_corrects_premise")
def _(build: SoundBuild) -> None:
    build.rename(build.first("questions", is_false_on_fines), answer="It does say twenty cents.")


@planted("questions", "temperature_fits_category")
def _(build: SoundBuild) -> None:
    question = only_old(build)
    trace = question.generated_by.model_copy(update={"temperature": 0.1})
    build.change("questions", question, generated_by=trace)


@planted("questions", "trace_is_complete")
def _(build: SoundBuild) -> None:
    question = only_old(build)
    trace = question.generated_by.model_copy(update={"request_key": " "})
    build.change("questions", question, generated_by=trace)


@planted("questions", "is_written")
def _(build: SoundBuild) -> None:
    build.rename(only_old(build), answer=" ")


@planted("questions", "asked_once")
def _(build: SoundBuild) -> None:
    other = only_old(build, Category.JURISDICTION_TIME)
    build.rename(only_old(build), question=other.question.upper())


@planted("questions", "occurs_where_it_holds")
def _(build: SoundBuild) -> None:
    build.occurrences.remove(occurrence_of(build, only_old(build)))


@planted("questions", "has_claims_or_reason")
def _(build: SoundBuild) -> None:
    question = only_old(build)
    build.claims = [claim for claim in build.claims if claim.question_id != question.id]


@planted("questions", "has_rationale")
def _(build: SoundBuild) -> None:
    build.change("questions", only_old(build), rationale=" ")


@planted("questions", "expert_stands_behind")
def _(build: SoundBuild) -> None:
    build.change("questions", only_old(build), review=ReviewStatus.EXPERT_VALIDATED)


# Occurrences


def is_old(row: Any) -> bool:
    return row.act_id == OLD


@planted("occurrences", "act_text_is_given")
def _(build: SoundBuild) -> None:
    build.occurrences.append(build.first("occurrences", is_old).model_copy(update={"act_id": NOWHERE}))


added("occurrences", "question_exists", is_old, question_id="q_gone")


@planted("occurrences", "unique_key")
def _(build: SoundBuild) -> None:
    build.occurrences.append(build.first("occurrences", is_old))


@planted("occurrences", "context_stands_in_act")
def _(build: SoundBuild) -> None:
    """A question on the new version's words is bound to the old one, to other words that stand there."""
    question = build.first(
        "questions", lambda q: q.category is Category.GENERAL_RESEARCH and "12" in q.question
    )
    other = occurrence_of(build, build.questions[0])
    build.occurrences.append(other.model_copy(update={"question_id": question.id}))


def evidence(code: str, **update: Any) -> None:
    @planted("occurrences", code)
    def plant(build: SoundBuild) -> None:
        row = occurrence_of(build, only_old(build))
        build.change("occurrences", row, evidence=(row.evidence[0].model_copy(update=update),))


evidence("evidence_is_exact", quotation="A late book costs ten cents a da.")
evidence("evidence_is_of_question", sentence=None)
evidence("evidence_in_unit", unit_id=f"{OLD}#art_1")


@planted("occurrences", "evidence_in_sentence")
def _(build: SoundBuild) -> None:
    question = only_old(build)
    row = occurrence_of(build, question)
    build.change("occurrences", row, evidence=(row.evidence[0].model_copy(update={"sentence": 99}),))
    quotation = question.quotations[0].model_copy(update={"sentence": 99})
    build.change("questions", question, quotations=(quotation,))


@planted("occurrences", "is_scored_in_every_run")
def _(build: SoundBuild) -> None:
    build.scored_answers.remove(
        build.first("scored_answers", lambda r: r.status is ScoreStatus.NO_ANSWER_CLAIMS)
    )
    build.average()


# Claims of a question of the old version alone


def claim(code: str, **update: Any) -> None:
    @planted("claims", code)
    def plant(build: SoundBuild) -> None:
        row = build.first("claims", lambda c: c.question_id == only_old(build).id)
        build.change("claims", row, **update)


def reworded(code: str, **update: str) -> None:
    """Another triplet, with the id and the sentence that follow."""

    @planted("claims", code)
    def plant(build: SoundBuild) -> None:
        row = build.first("claims", lambda c: c.question_id == only_old(build).id)
        new = row.model_copy(update=update)
        triplet = (new.subject, new.predicate, new.object)
        own = {"id": content_id("clm", [new.question_id, *triplet]), "sentence": " ".join(triplet)}
        build.change("claims", row, **update, **own)


claim("id_is_its_content", id="clm_other")
claim("agrees_with_question", language="fr")
claim("order_is_its_own", order=1)
claim("sentence_is_its_triplet", sentence="subject 0 is not stated")
claim("expert_stands_behind", review=ReviewStatus.EXPERT_VALIDATED)
reworded("triplet_has_its_parts", object=" ")
reworded("claimed_once", subject="SUBJECT  1")


@planted("claims", "question_exists")
def _(build: SoundBuild) -> None:
    row = build.claims[0]
    new = {"question_id": "q_gone"}
    new |= {"id": content_id("clm", ["q_gone", row.subject, row.predicate, row.object])}
    build.claims.append(row.model_copy(update=new))


@planted("claims", "is_one_item")
def _(build: SoundBuild) -> None:
    again = [c for c in build.claims if c.id == build.claims[0].id][1]
    build.change("claims", again, order=7)


@planted("claims", "unique_key")
def _(build: SoundBuild) -> None:
    build.claims.append(build.first("claims", lambda c: c.language == "fr"))


@planted("claims", "temperature_is_zero")
def _(build: SoundBuild) -> None:
    row = build.claims[-1]
    trace = row.labelled_by.model_copy(update={"temperature": 0.5})
    build.change("claims", row, labelled_by=trace)


@planted("claims", "traces_are_complete")
def _(build: SoundBuild) -> None:
    row = build.claims[-1]
    build.change("claims", row, labelled_by=row.labelled_by.model_copy(update={"prompt_hash": ""}))


@planted("claims", "valid_for_schema")
def _(build: SoundBuild) -> None:
    row = build.first("claims", lambda c: c.question_id == only_old(build).id)
    spoiled = type(row).model_construct(**(dict(row) | {"extracted_by": "a model"}))
    build.claims[build.claims.index(row)] = spoiled


# Chunks: one that nothing retrieved


def chunk(code: str, **update: Any) -> None:
    @planted("chunks", code)
    def plant(build: SoundBuild) -> None:
        build.change("chunks", spare_chunk(build), **update)


def another_chunk(code: str, start: int, end: int | None, unit_ids: Any = None, **update: Any) -> None:
    """A chunk more, of a span of the act, with all that follows from its span."""

    @planted("chunks", code)
    def plant(build: SoundBuild) -> None:
        like = spare_chunk(build).model_copy(update=update)
        body = build.texts[NEW][start:end]
        stop = start + len(body)
        touched = [
            unit.id
            for unit in build.units
            if unit.act_id == NEW and unit.kind is UnitKind.ARTICLE and unit.start < stop and start < unit.end
        ]
        content = [like.act_id, like.chunker, start, stop, sha256_text(body)]
        own = {"id": content_id("chk", content), "start": start, "end": stop, "body": body, "order": 99}
        own |= {"tokens": count_tokens(body), "unit_ids": tuple(touched) if unit_ids is None else unit_ids}
        build.chunks.append(like.model_copy(update=own))


another_chunk("act_text_is_given", 0, 20, (), act_id=NOWHERE)
another_chunk("size_is_of_chunker", 0, None)
chunk("language_is_of_act", language="fr")
chunk("tokens_are_counted", tokens=99999)
chunk("names_what_it_touches", unit_ids=())
chunk("id_is_its_content", id="chk_other")


@planted("chunks", "has_text")
def _(build: SoundBuild) -> None:
    place = build.texts[NEW].index("\nArticle 2")
    register: dict[Any, Any] = dict(PLANTED)
    another_chunk("between", place, place + 1)
    PLANTED.pop(("chunks", "between"))(build)
    assert register == PLANTED


@planted("chunks", "body_is_exact")
def _(build: SoundBuild) -> None:
    row = spare_chunk(build)
    body = row.body.upper()
    content = [row.act_id, row.chunker, row.start, row.end, sha256_text(body)]
    build.change("chunks", row, body=body, id=content_id("chk", content), tokens=count_tokens(body))


@planted("chunks", "unique_key")
def _(build: SoundBuild) -> None:
    build.chunks.append(spare_chunk(build))


# Retrievals


def second_of(build: SoundBuild, status: ScoreStatus = ScoreStatus.OK) -> Retrieval:
    answer = build.first("scored_answers", lambda r: r.status is status and r.language == "en")
    return build.first("retrievals", lambda r: r.question_id == answer.question_id and r.rank == 2)


def second(code: str, **update: Any) -> None:
    @planted("retrievals", code)
    def plant(build: SoundBuild) -> None:
        build.change("retrievals", second_of(build), **update)


second("chunk_is_of_run", chunk_id="chk_gone")
second("ranks_have_no_gap", rank=9)
second("score_does_not_rise", score=99.0)
added("retrievals", "run_exists", run_id="run_gone")


@planted("retrievals", "holds_evidence_is_true")
def _(build: SoundBuild) -> None:
    row = second_of(build)
    build.change("retrievals", row, holds_evidence=not row.holds_evidence)


@planted("retrievals", "chunk_is_of_run_elsewhere")
def _(build: SoundBuild) -> None:
    """A chunk that exists, of an act that the run is not over."""
    foreign = build.first("chunks", lambda c: c.act_id == FRENCH)
    build.change("retrievals", second_of(build), chunk_id=foreign.id, holds_evidence=False)
    build.rescore()


@planted("retrievals", "question_is_of_run")
def _(build: SoundBuild) -> None:
    row = second_of(build)
    own = {"question_id": only_old(build).id, "rank": 1, "holds_evidence": False}
    build.retrievals.append(row.model_copy(update=own))


@planted("retrievals", "at_most_k")
def _(build: SoundBuild) -> None:
    run = build.first("runs", lambda r: r.language == "en")
    build.rename_run(run, system=run.system.model_copy(update={"k": 1}))


@planted("retrievals", "found_once")
def _(build: SoundBuild) -> None:
    row = second_of(build)
    one = build.first("retrievals", lambda r: r.question_id == row.question_id and r.rank == 1)
    build.change("retrievals", row, chunk_id=one.chunk_id, holds_evidence=one.holds_evidence)
    build.rescore()


@planted("retrievals", "unique_key")
def _(build: SoundBuild) -> None:
    """Two rows of rank 1, of an answer without verdicts whose columns could not fit."""
    build.change("retrievals", second_of(build, ScoreStatus.NOT_SAMPLED), rank=1)
    build.rescore()


# Scored answers


def answer(code: str, of: ScoreStatus = ScoreStatus.OK, **update: Any) -> None:
    @planted("scored_answers", code)
    def plant(build: SoundBuild) -> None:
        row = build.first("scored_answers", lambda r: r.status is of and r.language == "en")
        build.change("scored_answers", row, **update)
        build.average()


answer("language_is_of_act", language="fr")
answer("identity_a", self_knowledge=0.2)
answer("identity_b", noise_sensitivity_in_relevant=0.25)
answer("metrics_are_fractions", recall=1.2)
answer("metrics_follow_from_matrices", f1=0.4)
answer("unscored_has_no_score", ScoreStatus.NOT_SAMPLED, precision=0.5)
answer("response_fits_status", ScoreStatus.NOT_SAMPLED, response="At nine.")
answer("matrices_fit_response", response_claims=(("library", "opens at", "nine"),))
answer("status_fits_claims", ScoreStatus.NO_ANSWER_CLAIMS, status=ScoreStatus.NOT_SAMPLED)
answer("metrics_follow_from_chunks", unit_mrr=0.25)


def unscored_row(code: str, **update: Any) -> None:
    """A row more, of a question that was not sampled, for which nothing was retrieved."""

    @planted("scored_answers", code)
    def plant(build: SoundBuild) -> None:
        row = build.first("scored_answers", lambda r: r.status is ScoreStatus.NOT_SAMPLED)
        question_id = update.get("question_id", lambda _: row.question_id)(build)
        act_id = update.get("act_id", row.act_id)
        occurrence = build.first("occurrences", lambda o: (o.question_id, o.act_id) == (question_id, act_id))
        own = {"question_id": question_id, **retrieval_scores(occurrence, [])}
        build.scored_answers.append(row.model_copy(update=update | own))
        build.average()


unscored_row("run_exists", run_id="run_gone")
unscored_row("question_is_of_run", question_id=lambda build: only_old(build).id, act_id=OLD)


@planted("scored_answers", "act_text_is_given")
def _(build: SoundBuild) -> None:
    row = build.first("scored_answers", lambda r: r.status is ScoreStatus.NOT_SAMPLED)
    build.scored_answers.append(row.model_copy(update={"act_id": NOWHERE, "run_id": "run_gone"}))


@planted("scored_answers", "unique_key")
def _(build: SoundBuild) -> None:
    build.scored_answers.append(build.first("scored_answers", lambda r: r.status is ScoreStatus.NOT_SAMPLED))
    build.average()


@planted("scored_answers", "matrices_fit_reference")
def _(build: SoundBuild) -> None:
    row = build.first("scored_answers", lambda r: r.status is ScoreStatus.OK and r.language == "fr")
    build.claims.remove(build.first("claims", lambda c: c.question_id == row.question_id))


@planted("scored_answers", "failure_has_its_reason")
def _(build: SoundBuild) -> None:
    build.rejected["scored_answers"] = []


@planted("scored_answers", "columns_are_shown_chunks")
def _(build: SoundBuild) -> None:
    """One chunk fewer was judged than was shown, and the scores are those of the others."""
    row = build.first("scored_answers", is_ordinary)
    response = tuple(line[:-1] for line in row.retrieved2response)
    reference = tuple(line[:-1] for line in row.retrieved2answer)
    verdicts = Verdicts(1, row.answer2response, row.response2answer, response, reference)
    cut = {"retrieved2response": response, "retrieved2answer": reference}
    build.change("scored_answers", row, **cut, **claim_metrics(verdicts))
    build.average()


# Runs


def run(code: str, **update: Any) -> None:
    @planted("runs", code)
    def plant(build: SoundBuild) -> None:
        build.change("runs", build.runs[0], **update)


def cell(code: str, metric: str, change: Callable[[Any], dict[str, Any]]) -> None:
    @planted("runs", code)
    def plant(build: SoundBuild) -> None:
        row = build.runs[0]
        scores = tuple(
            one.model_copy(update=change(one)) if one.metric == metric else one for one in row.scores
        )
        build.change("runs", row, scores=scores)


run("questions_are_counted", questions=7000)
cell("means_are_honest", "precision", lambda one: {"low": one.mean + 1.0})
cell("means_follow_from_rows", "character_precision", lambda one: {"mean": one.mean - 0.1})
cell("means_follow_from_rows_in_number", "precision", lambda one: {"scored": one.scored - 1})
cell("intervals_follow_from_rows", "character_precision", lambda one: {"low": one.low - 0.1})


@planted("runs", "id_is_its_content")
def _(build: SoundBuild) -> None:
    build.rename_run(build.runs[0], new_id="run_other")


@planted("runs", "acts_were_given")
def _(build: SoundBuild) -> None:
    build.rename_run(build.runs[0], acts=(*build.runs[0].acts, "eu/gone/2024-01-01/en"))


@planted("runs", "covers_current_acts")
def _(build: SoundBuild) -> SoundBuild:
    return build_sound(run_over=OLD)


@planted("runs", "unique_key")
def _(build: SoundBuild) -> None:
    build.runs.append(build.runs[0])


@planted("runs", "run_has_scores")
def _(build: SoundBuild) -> None:
    nothing: dict[str, Any] = {"response_claims": (), "answer2response": (), "response2answer": ()}
    nothing |= {"retrieved2response": (), "retrieved2answer": (), "status": ScoreStatus.FAILED}
    for row in [row for row in build.scored_answers if row.language == "fr" and is_ordinary(row)]:
        names = claim_metrics(Verdicts(0, (), (), (), ()))
        build.change("scored_answers", row, **nothing, **names)
        lost = {"item": row.question_id}
        build.rejected["scored_answers"].append(build.rejected["scored_answers"][0].model_copy(update=lost))
    build.average()


simple("decisions", "is_signed", annotator=" ")


# What a stage says of itself


def counts(code: str, change: Callable[[StageCounts], dict[str, Any]]) -> None:
    @planted("claims", code)
    def plant(build: SoundBuild) -> None:
        sound = StageCounts.of(len(build.claims), build.rejected["claims"])
        build.counts["claims"] = sound.model_copy(update=change(sound))


counts("counts_add_up", lambda sound: {"considered": sound.considered + 1})
counts("rows_equal_kept", lambda sound: {"considered": sound.considered + 1, "kept": sound.kept + 1})
counts("rejected_rows_equal_counts", lambda sound: {"rejected": {"unsuitable": 1}})


@planted("claims", "rejected_is_valid")
def _(build: SoundBuild) -> None:
    row = build.rejected["claims"][0]
    build.rejected["claims"].append(Rejected.model_construct(**(dict(row) | {"detail": None})))


@planted("claims", "rejected_names_its_row")
def _(build: SoundBuild) -> None:
    row = build.rejected["claims"][0]
    build.rejected["claims"].append(row.model_copy(update={"item": "q_gone"}))


@planted("empty", "has_rows")
def _(build: SoundBuild) -> None:
    build.more["empty"] = TableInput(MODELS["decisions"], [], StageCounts.of(0, []), [])


OF_AN_ACT_THAT_IS_NOT_THERE = "a row of an act that was not given cannot refer to anything in it"
SEEN_FROM_BOTH_SIDES = "question and occurrence hold the same words; one of them alone cannot be wrong"
MATHEMATICS = (
    "the identities and limits follow from the formulas: where they fail, the formulas were not used"
)
BY_NATURE: dict[tuple[str, str], tuple[str, set[tuple[str, str]]]] = {
    ("units", "act_text_is_given"): (OF_AN_ACT_THAT_IS_NOT_THERE, {("units", "belongs_to_act")}),
    ("context_units", "act_text_is_given"): (
        OF_AN_ACT_THAT_IS_NOT_THERE,
        {("context_units", "units_exist")},
    ),
    ("occurrences", "act_text_is_given"): (
        OF_AN_ACT_THAT_IS_NOT_THERE,
        {
            ("occurrences", "context_stands_in_act"),
            ("occurrences", "evidence_in_unit"),
            ("occurrences", "evidence_in_sentence"),
        },
    ),
    ("scored_answers", "act_text_is_given"): (
        OF_AN_ACT_THAT_IS_NOT_THERE,
        {("scored_answers", "run_exists")},
    ),
    ("questions", "quotations_are_exact"): (
        SEEN_FROM_BOTH_SIDES,
        {("occurrences", "evidence_is_of_question")},
    ),
    ("occurrences", "evidence_is_exact"): (
        SEEN_FROM_BOTH_SIDES,
        {("occurrences", "evidence_is_of_question")},
    ),
    ("questions", "context_exists"): (
        "bound to either version, half of its context is not there",
        {("occurrences", "context_stands_in_act"), ("occurrences", "evidence_is_of_question")},
    ),
    ("scored_answers", "identity_a"): (MATHEMATICS, {("scored_answers", "metrics_follow_from_matrices")}),
    ("scored_answers", "identity_b"): (MATHEMATICS, {("scored_answers", "metrics_follow_from_matrices")}),
    ("scored_answers", "metrics_are_fractions"): (
        MATHEMATICS,
        {("scored_answers", "metrics_follow_from_matrices")},
    ),
    ("runs", "means_are_honest"): (
        "an interval that leaves its mean out is not that of the rows",
        {("runs", "intervals_follow_from_rows")},
    ),
}
"""By planted row: why it must break more than its rule, and what."""
VARIANTS = {"chunk_is_of_run_elsewhere": "chunk_is_of_run"}
VARIANTS |= {"means_follow_from_rows_in_number": "means_follow_from_rows"}
"""Planted rows that break a rule in another way."""
