"""The story of a question or a claim: draft, versions of the law, quotations in place, claims, scores, releases.

Promises: a question that is there has a story, also where the rest of it cannot be read; nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from claimrag.schemas.act import law_of
from claimrag.schemas.base import ActId
from claimrag.schemas.errors import InputError
from claimrag.schemas.occurrence import Evidence
from claimrag.schemas.run import ScoredAnswer
from claimrag.schemas.story import AnswerScore, ClaimStory, Passage, QuestionStory
from claimrag.schemas.unit import Unit
from claimrag.tasks.claims.step import CLAIMS
from claimrag.tasks.evaluate.average_step import RUNS
from claimrag.tasks.evaluate.metrics import CLAIM_METRICS
from claimrag.tasks.evaluate.retrieval_metrics import RETRIEVAL_METRICS
from claimrag.tasks.evaluate.step import SCORED_ANSWERS
from claimrag.tasks.generate.join_step import QUESTIONS
from claimrag.tasks.generate.step import QUESTION_SHARDS
from claimrag.tasks.occurrences.step import OCCURRENCES
from claimrag.tasks.parse.step import ACTS, TEXTS, UNITS
from claimrag.tasks.run.at_hand import act_in
from claimrag.tasks.run.shelf import Shelf
from claimrag.tasks.run.versions import newest_first

R = TypeVar("R")
AROUND = 160
"""Characters of the law before and after a quotation."""
HEADINGS = {m.name: m.column for m in CLAIM_METRICS} | {m.name: m.column for m in RETRIEVAL_METRICS}
"""How tables of scores call a metric."""


def the_row(rows: Iterable[tuple[object, R]], row_id: str) -> R:
    """A table may have been replaced since the id was found in it."""
    for _, row in rows:
        return row
    raise InputError(f"{row_id} cannot be read, or is not there any more; run the command again")


def question_story(shelf: Shelf, question_id: str) -> QuestionStory:
    written = [
        pair for table in (QUESTIONS, QUESTION_SHARDS) for pair in shelf.rows(table, "id", question_id)
    ]
    question = the_row(written, question_id)
    of_law = [act for act in shelf.at_hand.acts if law_of(act) == question.law_id]
    places = {
        row.act_id: row.evidence for _, row in shelf.rows(OCCURRENCES, "question_id", question_id, of_law)
    }
    claims = {claim.id: claim for _, claim in shelf.rows(CLAIMS, "question_id", question_id, of_law)}
    newest = newest_first(places)[:1]
    return QuestionStory(
        question=question,
        title=title_of(shelf, (newest or newest_first(of_law))[:1]),
        written_for=tuple(sorted({act for record, _ in written if (act := act_in(record.scope))})),
        holds_in=tuple(newest_first(places)),
        passages=tuple(_passages(shelf, newest[0], places[newest[0]])) if newest else (),
        claims=tuple(sorted(claims.values(), key=lambda claim: claim.order)),
        scores=tuple(_scores(shelf, question_id, of_law)),
        rejections=shelf.rejections([question_id]),
        releases=shelf.releases("qa", question_id),
    )


def _passages(shelf: Shelf, act_id: ActId, evidence: tuple[Evidence, ...]) -> list[Passage]:
    texts = [row.text for row in shelf.all_rows(TEXTS, act_id)]
    if not texts:
        return []
    text = texts[0]
    return [
        Passage(
            act_id=act_id,
            unit_id=one.unit_id,
            place=_place(shelf, act_id, one.unit_id),
            start=one.start,
            before=_last_words(text[max(0, one.start - AROUND) : one.start], one.start <= AROUND),
            quotation=text[one.start : one.end],
            after=_first_words(text[one.end : one.end + AROUND], one.end + AROUND >= len(text)),
        )
        for one in evidence
    ]


def _last_words(text: str, from_the_start: bool) -> str:
    """`text` without the part of a word with which it begins."""
    if from_the_start or not any(character.isspace() for character in text):
        return text
    return text[next(n for n, character in enumerate(text) if character.isspace()) :]


def _first_words(text: str, to_the_end: bool) -> str:
    return text if to_the_end else _last_words(text[::-1], False)[::-1]


def _place(shelf: Shelf, act_id: ActId, unit_id: str) -> tuple[str, ...]:
    for _, unit in shelf.rows(UNITS, "id", unit_id, [act_id]):
        return place_of(unit)
    return (unit_id,)


def place_of(unit: Unit) -> tuple[str, ...]:
    own = " ".join(part for part in (unit.label, unit.heading) if part)
    return (*unit.path, *([own] if own else []))


def title_of(shelf: Shelf, acts: list[ActId]) -> str | None:
    for act_id in acts:
        for row in shelf.all_rows(ACTS, act_id):
            return row.short_title or row.title
    return None


def _scores(shelf: Shelf, question_id: str, acts: list[ActId]) -> list[AnswerScore]:
    names: dict[str, str] = {}
    scores = []
    for _, row in shelf.rows(SCORED_ANSWERS, "question_id", question_id, acts):
        if row.run_id not in names:
            systems = [run.system.name for run in shelf.all_rows(RUNS, row.run_id)]
            names[row.run_id] = systems[0] if systems else row.run_id
        scores.append(_score(row, names[row.run_id]))
    return sorted(scores, key=lambda score: (score.system, score.run_id))


def _score(row: ScoredAnswer, system: str) -> AnswerScore:
    values = {heading: getattr(row, name) for name, heading in HEADINGS.items()}
    return AnswerScore(
        run_id=row.run_id,
        system=system,
        act_id=row.act_id,
        status=row.status,
        response=row.response,
        scores={heading: value for heading, value in values.items() if value is not None},
    )


def claim_story(shelf: Shelf, claim_id: str) -> ClaimStory:
    claim = the_row(shelf.rows(CLAIMS, "id", claim_id), claim_id)
    question_id = claim.question_id
    known = shelf.ids(QUESTIONS, question_id)
    return ClaimStory(
        claim=claim,
        question=question_story(shelf, question_id) if known else None,
        releases=shelf.releases("claims", claim_id),
    )
