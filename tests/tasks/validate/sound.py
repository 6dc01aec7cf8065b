"""A sound set of tables with every kind of row: two versions of a law, a French law, and answers of every status.

Built by the functions of a build. `changed`, `renamed` and `averaged` change a row and what follows from it, so that
a planted row breaks the rule that it is planted for and no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from claimrag.schemas.act import Act
from claimrag.schemas.base import Noun
from claimrag.schemas.canonical import content_id
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.claim import Claim
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.decision import Decision
from claimrag.schemas.occurrence import Occurrence
from claimrag.schemas.question import Category, Persona, Question, ReviewStatus
from claimrag.schemas.reason import Reason
from claimrag.schemas.rejected import Rejected, StageCounts
from claimrag.schemas.run import Retrieval, Run, ScoredAnswer, ScoreStatus
from claimrag.schemas.unit import Unit
from claimrag.tasks.chunk import chunk_act
from claimrag.tasks.evaluate.means import run_of
from claimrag.tasks.evaluate.retrieval_metrics import retrieval_scores
from claimrag.tasks.validate.judge import MAX_FAILING_IDS, Judged
from claimrag.tasks.validate.suites import KEY_COLUMN, Expected
from claimrag.tasks.validate.tables import Group, TableInput
from tests.tasks.conftest import (
    ARTICLES,
    EVALUATION,
    MadeUpBuild,
    add_act,
    bind,
    claims_of,
    evaluate,
    read_law,
    write_question,
)

MODELS: dict[str, type[Noun]] = {
    "acts": Act,
    "units": Unit,
    "context_units": ContextUnit,
    "questions": Question,
    "occurrences": Occurrence,
    "claims": Claim,
    "chunks": Chunk,
    "runs": Run,
    "retrievals": Retrieval,
    "scored_answers": ScoredAnswer,
    "decisions": Decision,
}
CHUNKERS = {"en": "fixed-20-5", "fr": "article"}
OLD, NEW, FRENCH = "eu/32020R0001/2024-01-01/en", "eu/32020R0001/2025-01-01/en", "eu/32021R0001/2024-01-01/fr"
STATUSES = [status for status in ScoreStatus if status is not ScoreStatus.OK]


@dataclass
class SoundBuild(MadeUpBuild):
    """`counts` are those that a stage records instead of its own; `more` are further tables."""

    decisions: list[Decision] = field(default_factory=list)
    counts: dict[str, StageCounts] = field(default_factory=dict)
    more: dict[str, TableInput] = field(default_factory=dict)

    def group(self) -> Group:
        return Group({name: self.table(name) for name in MODELS} | self.more, self.texts)

    def table(self, name: str) -> TableInput:
        rows, rejected = getattr(self, name), self.rejected.get(name, [])
        counts = self.counts.get(name, StageCounts.of(len(rows), rejected))
        return TableInput(MODELS[name], rows, counts, rejected)

    def first(self, name: str, wanted: Callable[[Any], bool] = lambda row: True) -> Any:
        return next(row for row in getattr(self, name) if wanted(row))

    def change(self, name: str, row: Any, **update: Any) -> Any:
        """Put a copy with other values, past its validation, in the place of a row; returns it."""
        rows = getattr(self, name)
        place = next(index for index, one in enumerate(rows) if one is row)
        rows[place] = row.model_copy(update=update)
        return rows[place]

    def rename(self, item: Question, new_id: str | None = None, **update: Any) -> Question:
        """Change every row of a question; its id, and all that names it, follow."""
        changed = item.model_copy(update=update)
        content = [*changed.context_unit_ids, changed.hop.value, changed.category.value]
        new = new_id or content_id("q", [*content, changed.question, changed.answer])
        rows = [row for row in self.questions if row.id == item.id]
        for row in rows:
            self.change("questions", row, **update, id=new)
        for name in ("occurrences", "retrievals", "scored_answers"):
            for row in [row for row in getattr(self, name) if row.question_id == item.id]:
                self.change(name, row, question_id=new)
        for row in [row for row in self.claims if row.question_id == item.id]:
            triplet = (row.subject, row.predicate, row.object)
            self.change("claims", row, question_id=new, id=content_id("clm", [new, *triplet]))
        for name, rejected in self.rejected.items():
            self.rejected[name] = [
                one.model_copy(update={"item": new}) if one.item == item.id else one for one in rejected
            ]
        self.average()
        return self.first("questions", lambda row: row.id == new)

    def rename_run(self, run: Run, new_id: str | None = None, **update: Any) -> None:
        """Change a run; its id, and all that names it, follow."""
        changed = run.model_copy(update=update)
        drawn = (ScoreStatus.NOT_SAMPLED, ScoreStatus.NO_ANSWER_CLAIMS)
        size = sum(r.run_id == run.id and r.status not in drawn for r in self.scored_answers)
        content = {
            "system": changed.system.model_dump(mode="json"),
            "language": changed.language,
            "acts": sorted(set(changed.acts)),
            "sampling": {"questions_per_language": size, "seed": changed.system.seed},
        }
        new = new_id or content_id("run", content)
        self.change("runs", run, **update, id=new)
        for name in ("retrievals", "scored_answers"):
            for row in [row for row in getattr(self, name) if row.run_id == run.id]:
                self.change(name, row, run_id=new)

    def average(self) -> None:
        """Make every run say what its rows give."""
        for run in list(self.runs):
            rows = [row for row in self.scored_answers if row.run_id == run.id]
            bootstrap, seed = EVALUATION.bootstrap, run.system.seed
            again = run_of(run.id, run.system, run.language, run.acts, rows, len(rows), bootstrap, seed)
            self.change("runs", run, questions=again.questions, scores=again.scores)

    def rescore(self) -> None:
        """Make the retrieval metrics of every answer what its chunks give, and the runs with them."""
        chunks = {chunk.id: chunk for chunk in self.chunks}
        for row in list(self.scored_answers):
            found = sorted(
                (r for r in self.retrievals if (r.run_id, r.question_id) == (row.run_id, row.question_id)),
                key=lambda r: r.rank,
            )
            occurrence = self.first(
                "occurrences", lambda o, r=row: (o.question_id, o.act_id) == (r.question_id, r.act_id)
            )
            scores = retrieval_scores(occurrence, [chunks[one.chunk_id] for one in found])
            self.change("scored_answers", row, **scores)
        self.average()


def build_sound(run_over: str = NEW) -> SoundBuild:
    """A set in which every expectation holds; `run_over` is the version of the English law that is evaluated."""
    build = SoundBuild()
    hours, loans, fines = ARTICLES["en"]
    gone = ("Lending of maps", ["Maps are lent for a week only."])
    changed = ("Fines", ["A late book costs eleven cents a day.", "Children pay no fine."])
    old = read_law([hours, loans, fines, gone], "en", "32020R0001", "2024-01-01", gone[0])
    new = read_law([hours, loans, changed, gone], "en", "32020R0001", "2025-01-01", gone[0])
    french = read_law(ARTICLES["fr"], "fr", "32021R0001")
    personas = list(Persona)
    for law, wanted in ((old, (0, 1, 2)), (new, (0, 2)), (french, (0, 1))):
        contexts = add_act(build, law)
        build.chunks += chunk_act(law.act, law.text, law.units, CHUNKERS[law.act.language])
        for number in wanted:
            for place, category in enumerate(Category):
                if law is french and category is Category.FALSE_PREMISE:
                    continue
                persona = personas[(number + place) % 3]
                case = 12 if law is new and number == 2 else number
                build.questions.append(write_question(build, [contexts[number]], category, persona, case))
        pair, persona = contexts[:2], Persona.LEGAL_EXPERT
        build.questions.append(write_question(build, pair, Category.GENERAL_RESEARCH, persona, 9))
    build.reject("questions", [_unsuitable(build)])
    bind(build)
    statuses = _statuses(build, run_over)
    for number, question in enumerate(build.questions):
        if statuses.get(question.id) is ScoreStatus.NO_ANSWER_CLAIMS:
            build.reject("claims", [_lost(question.id, "claims", Reason.NO_CLAIMS)])
        else:
            build.claims += claims_of(question, 0 if question.language == "en" else number)
    for language, acts in (("en", [run_over]), ("fr", [FRENCH])):
        held = [one.question_id for one in build.occurrences if one.act_id in acts]
        drawn = (ScoreStatus.NOT_SAMPLED, ScoreStatus.NO_ANSWER_CLAIMS)
        size = sum(statuses.get(one) not in drawn for one in held)
        settings = EVALUATION.model_copy(update={"questions_per_language": size})
        evaluate(build, language, acts, CHUNKERS[language], statuses, settings)
    failed = [row.question_id for row in build.scored_answers if row.status is ScoreStatus.FAILED]
    build.reject("scored_answers", [_lost(one, "evaluate", Reason.LENGTH) for one in failed])
    _review(build)
    return build


def _statuses(build: SoundBuild, act_id: str) -> dict[str, ScoreStatus]:
    """Of the questions that hold in an act, the last ones have each a status without scores; so has a French one."""
    held = [one.question_id for one in build.occurrences if one.act_id == act_id]
    french = [one.question_id for one in build.occurrences if one.act_id == FRENCH]
    found = dict(zip(reversed(held), STATUSES, strict=False))
    return found | {french[-1]: ScoreStatus.NOT_SAMPLED}


def _unsuitable(build: SoundBuild) -> Rejected:
    item = f"{build.context_units[0].id}/factual_recall"
    return Rejected(stage="generate", item=item, reason=Reason.UNSUITABLE, detail="no fact", raw="")


def _lost(item: str, stage: str, reason: Reason) -> Rejected:
    return Rejected(stage=stage, item=item, reason=reason, detail="nothing came of it", raw="")


def _review(build: SoundBuild) -> None:
    """One question that an expert decided on."""
    question = build.questions[-1]
    build.change("questions", question, review=ReviewStatus.EXPERT_VALIDATED)
    build.decisions.append(
        Decision(
            id="d",
            item_id=question.id,
            item_kind="question",
            field="answer",
            value="correct",
            annotator="expert-1",
            guideline_version="1",
            decided_at="2024-03-01T00:00:00Z",
        )
    )


@contextmanager
def without_great_expectations() -> Iterator[None]:
    """The same expectations judged in plain Python: a hundred times as fast, held to be the same by a test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("claimrag.tasks.validate.book.judge", plain_judge)
        yield


def plain_judge(name: str, columns: dict[str, list[Any]], expected: list[Expected]) -> dict[str, Judged]:
    del name
    found = {}
    for each in expected:
        column = columns[str(each.arguments["column"])]
        keys = columns[KEY_COLUMN]
        judged = [(k, v) for k, v in zip(keys, column, strict=True) if v is not None or _wants(each)]
        failing = [key for key, value in judged if not _holds(each, value)]
        found[each.code] = Judged(len(judged), len(failing), tuple(dict.fromkeys(failing))[:MAX_FAILING_IDS])
    return found


def _wants(each: Expected) -> bool:
    return each.expectation == "ExpectColumnValuesToNotBeNull"


def _holds(each: Expected, value: Any) -> bool:
    import re

    if each.expectation == "ExpectColumnValuesToBeInSet":
        return value in each.arguments["value_set"]
    if each.expectation == "ExpectColumnValuesToBeOfType":
        return type(value).__name__ == each.arguments["type_"]
    if each.expectation == "ExpectColumnValuesToMatchRegex":
        return re.match(each.arguments["regex"], value) is not None
    return value is not None
