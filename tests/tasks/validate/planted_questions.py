"""Planted questions."""

from __future__ import annotations

from typing import Any

from claimrag.schemas.canonical import sha256_text
from claimrag.schemas.question import Category, Hop, ReviewStatus
from tests.tasks.validate.planting import (
    occurrence_of,
    only_old,
    planted,
    simple,
)
from tests.tasks.validate.sound import SoundBuild

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
