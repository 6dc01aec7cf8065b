"""Rules for what a run retrieved: which chunk at which rank, and whether it holds the evidence."""

from __future__ import annotations

from claimrag.schemas.base import Noun
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.occurrence import Occurrence
from claimrag.schemas.run import Retrieval, Run
from claimrag.tasks.evaluate.retrieval_metrics import holds_evidence
from claimrag.tasks.validate.lookup import Lookup
from claimrag.tasks.validate.rule import Later, Rule
from claimrag.tasks.validate.seen import Seen


def _run_exists(row: Retrieval, group: Lookup) -> bool:
    return row.run_id in group.runs


def _question_is_of_run(row: Retrieval, group: Lookup) -> bool | None:
    run = group.runs.get(row.run_id)
    if run is None:
        return None
    acts = group.acts_of_run(run)
    return any(act_id in acts for act_id in group.occurrences.get(row.question_id, {}))


def _chunk_is_of_run(row: Retrieval, group: Lookup) -> bool | Later | None:
    """Every chunk of the run's acts competes, so that it may lie in any group."""
    run = group.runs.get(row.run_id)
    if run is None:
        return None
    chunk = group.chunks.get(row.chunk_id)
    if chunk is None:
        return Later((row.run_id, row.chunk_id))
    return chunk.act_id in group.acts_of_run(run) and chunk.chunker == run.system.chunker


def _chunk_is_of_run_at_last(fact: tuple[str, str], seen: Seen) -> bool:
    run_id, chunk_id = fact
    run, chunk = seen.runs.get(run_id), seen.chunks.get(chunk_id)  # type: ignore[call-overload]
    if run is None or chunk is None:
        return False
    return chunk.act_id in seen.run_acts[run.id] and chunk.chunker == run.system.chunker


def _ranks_have_no_gap(row: Retrieval, group: Lookup) -> bool:
    return 1 <= row.rank <= len(group.retrieved[row.run_id, row.question_id])


def _is_among_the_first_k(row: Retrieval, group: Lookup) -> bool | None:
    run = group.runs.get(row.run_id)
    return None if run is None else len(group.retrieved[row.run_id, row.question_id]) <= run.system.k


def _score_does_not_rise(row: Retrieval, group: Lookup) -> bool | None:
    before = [other for other in group.retrieved[row.run_id, row.question_id] if other.rank < row.rank]
    return row.score <= before[-1].score if before else None


def _chunk_is_found_once(row: Retrieval, group: Lookup) -> bool:
    rows = group.retrieved[row.run_id, row.question_id]
    return sum(other.chunk_id == row.chunk_id for other in rows) == 1


def _says_whether_it_holds_evidence(row: Retrieval, group: Lookup) -> bool | Later | None:
    run = group.runs.get(row.run_id)
    bound = group.occurrences.get(row.question_id, {})
    here = [bound[act_id] for act_id in bound if run is not None and act_id in group.acts_of_run(run)]
    if not here:
        return None
    chunk = group.chunks.get(row.chunk_id)
    if chunk is not None:
        return row.holds_evidence is any(holds_evidence(chunk, one) for one in here)
    return Later(row.chunk_id) if row.holds_evidence else True


def _holds_no_evidence_elsewhere(chunk_id: str, seen: Seen) -> bool | None:
    """A chunk of another law holds none; for a chunk that nobody knows there is another rule."""
    return False if chunk_id in seen.chunks else None


RETRIEVAL_RULES: dict[type[Noun], tuple[Rule, ...]] = {
    Retrieval: (
        Rule("run_exists", "Its run exists", _run_exists, needs=(Run,)),
        Rule(
            "question_is_of_run",
            "Its question occurs in an act of the run",
            _question_is_of_run,
            needs=(Run, Occurrence),
        ),
        Rule(
            "chunk_is_of_run",
            "Its chunk exists, lies in an act of the run and was cut by the run's chunker",
            _chunk_is_of_run,
            needs=(Run, Chunk),
            late_check=_chunk_is_of_run_at_last,
        ),
        Rule(
            "ranks_have_no_gap",
            "The ranks of a question count from 1 without a gap",
            _ranks_have_no_gap,
        ),
        Rule(
            "at_most_k",
            "A question has no more chunks than the run retrieves",
            _is_among_the_first_k,
            needs=(Run,),
        ),
        Rule(
            "score_does_not_rise",
            "Its score is no higher than that of the rank before",
            _score_does_not_rise,
        ),
        Rule("found_once", "A question has each chunk at one rank only", _chunk_is_found_once),
        Rule(
            "holds_evidence_is_true",
            "It says rightly whether its chunk overlaps a quotation of the question",
            _says_whether_it_holds_evidence,
            needs=(Run, Chunk, Occurrence),
            late_check=_holds_no_evidence_elsewhere,
        ),
    ),
}
