"""Rules for runs: every number of a score table recomputed from the scored answers of all groups.

All of them are judged at the end. What a run does not record (over how many resamples, how many questions were
sampled where none was left out) is recomputed where the settings are given, and otherwise left out.
"""

from __future__ import annotations

from claimrag.schemas.act import law_of
from claimrag.schemas.base import Noun
from claimrag.schemas.canonical import content_id
from claimrag.schemas.run import MeanScore, Run, ScoredAnswer, ScoreStatus
from claimrag.schemas.validation import Severity
from claimrag.tasks.evaluate.means import METRICS, mean_scores
from claimrag.tasks.validate.lookup import Lookup
from claimrag.tasks.validate.rule import LateCheck, Later, Rule, language_of
from claimrag.tasks.validate.seen import RunTally, Seen

_ROUNDED = 0.05 + 1e-9
"""Mean and interval are each rounded to one decimal."""
_NOT_DRAWN = (ScoreStatus.NOT_SAMPLED, ScoreStatus.NO_ANSWER_CLAIMS)


def _at_the_end(row: Run, group: Lookup) -> Later:
    del group
    return Later(row)


def _mean_is_honest(cell: MeanScore) -> bool:
    if not 0 <= cell.scored <= cell.total or (cell.mean is None) != (cell.scored == 0):
        return False
    if cell.mean is None or cell.low is None or cell.high is None:
        return cell.mean is None and cell.low is None and cell.high is None
    return -_ROUNDED <= cell.low <= cell.mean + _ROUNDED and cell.mean <= cell.high + _ROUNDED


def _means_are_honest(row: Run, group: Lookup) -> bool:
    del group
    return all(_mean_is_honest(cell) for cell in row.scores)


def _id_is_its_content(row: Run, seen: Seen) -> bool | None:
    """The size of the sample is known where a question was left out of it, or was not limited."""
    statuses = seen.tallies[row.id].statuses
    drawn = sum(count for status, count in statuses.items() if status not in _NOT_DRAWN)
    sizes: set[int | None] = {drawn} if statuses[ScoreStatus.NOT_SAMPLED] else {None}
    if seen.settings is not None:
        sizes.add(seen.settings.questions_per_language)
    if any(_id_of(row, size) == row.id for size in sizes):
        return True
    return False if statuses[ScoreStatus.NOT_SAMPLED] else None


def _id_of(row: Run, size: int | None) -> str:
    return content_id(
        "run",
        {
            "system": row.system.model_dump(mode="json"),
            "language": row.language,
            "acts": sorted(set(row.acts)),
            "sampling": {"questions_per_language": size, "seed": row.system.seed},
        },
    )


def _acts_were_given(row: Run, seen: Seen) -> bool:
    return bool(row.acts) and all(
        act_id in seen.acts and language_of(act_id) == row.language for act_id in row.acts
    )


def _covers_the_current_acts(row: Run, seen: Seen) -> bool | None:
    """Of each law the newest version, where questions hold in it; and no other act."""
    if not seen.occurrences_were_given:
        return None
    newest: dict[str, str] = {}
    for act_id in sorted(seen.acts, key=lambda one: (one.rsplit("/", 2)[1], one)):
        if language_of(act_id) == row.language:
            newest[law_of(act_id)] = act_id
    expected = {act_id for act_id in newest.values() if seen.acts[act_id]}  # type: ignore[index]
    return expected == {act_id for act_id in row.acts if act_id in seen.acts}


def _questions_are_counted(row: Run, seen: Seen) -> bool:
    return row.questions == len(seen.tallies[row.id].keys)


def _means_are_those_of_the_rows(row: Run, seen: Seen) -> bool:
    expected = mean_scores(seen.tallies[row.id].rows(), total=_rows(row, seen), resamples=1, seed=0)
    return [_without_interval(cell) for cell in row.scores] == [_without_interval(cell) for cell in expected]


def _intervals_are_those_of_the_rows(row: Run, seen: Seen) -> bool | None:
    if seen.settings is None or tuple(cell.metric for cell in row.scores) != METRICS:
        return None
    resamples, seed = seen.settings.bootstrap, row.system.seed
    expected = mean_scores(
        seen.tallies[row.id].rows(), total=_rows(row, seen), resamples=resamples, seed=seed
    )
    return [(cell.low, cell.high) for cell in row.scores] == [(cell.low, cell.high) for cell in expected]


def _rows(row: Run, seen: Seen) -> int:
    return len(seen.tallies[row.id].keys)


def _without_interval(cell: MeanScore) -> tuple[str, float | None, int, int]:
    return cell.metric, cell.mean, cell.scored, cell.total


def _has_scores(row: Run, seen: Seen) -> bool:
    tally: RunTally = seen.tallies[row.id]
    return tally.statuses[ScoreStatus.OK] > 0


def _late(
    code: str,
    description: str,
    late_check: LateCheck,
    severity: Severity = Severity.CRITICAL,
    needs: tuple[type[Noun], ...] = (ScoredAnswer,),
) -> Rule:
    return Rule(code, description, _at_the_end, severity, needs, late_check)


RUN_RULES: dict[type[Noun], tuple[Rule, ...]] = {
    Run: (
        Rule(
            "means_are_honest",
            "Each mean lies in its interval, says over how many, and is absent where nothing was scored",
            _means_are_honest,
        ),
        _late(
            "id_is_its_content",
            "The id is the hash of system, language, acts and sampling",
            _id_is_its_content,
        ),
        _late("acts_were_given", "Its acts were given, and are in its language", _acts_were_given, needs=()),
        _late(
            "covers_current_acts",
            "Its acts are the newest version of each law in which questions hold",
            _covers_the_current_acts,
            needs=(),
        ),
        _late(
            "questions_are_counted",
            "It has as many questions as there are scored answers of the run",
            _questions_are_counted,
        ),
        _late(
            "means_follow_from_rows",
            "Every mean, and over how many of how many, is what the scored answers give",
            _means_are_those_of_the_rows,
        ),
        _late(
            "intervals_follow_from_rows",
            "Every interval is what resampling the scored answers with the run's seed gives",
            _intervals_are_those_of_the_rows,
        ),
        _late(
            "run_has_scores",
            "At least one answer of the run was scored",
            _has_scores,
            Severity.WARNING,
        ),
    ),
}
