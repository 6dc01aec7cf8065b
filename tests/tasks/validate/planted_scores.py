"""Planted rows of evaluation: retrievals, scored answers, runs; and decisions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from claimrag.schemas.run import Retrieval, ScoreStatus
from claimrag.tasks.evaluate.metrics import Verdicts, claim_metrics
from claimrag.tasks.evaluate.retrieval_metrics import retrieval_scores
from tests.tasks.validate.planting import (
    NOWHERE,
    added,
    is_ordinary,
    only_old,
    planted,
    simple,
)
from tests.tasks.validate.sound import FRENCH, OLD, SoundBuild, build_sound

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
