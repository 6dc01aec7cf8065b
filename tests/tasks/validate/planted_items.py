"""Planted rows of what hangs on a question: occurrences and claims."""

from __future__ import annotations

from typing import Any

from claimrag.schemas.canonical import content_id
from claimrag.schemas.question import Category, ReviewStatus
from claimrag.schemas.run import ScoreStatus
from tests.tasks.validate.planting import (
    NOWHERE,
    added,
    occurrence_of,
    only_old,
    planted,
)
from tests.tasks.validate.sound import OLD, SoundBuild

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
