"""Evaluation of RAG systems: answers, verdicts, claim-level and retrieval metrics, with intervals."""

from claimrag.tasks.evaluate.means import METRICS, run_of
from claimrag.tasks.evaluate.retrieval import check_chunks, retrieve_questions
from claimrag.tasks.evaluate.sample import reference_claims, sample_questions
from claimrag.tasks.evaluate.scoring import score_questions
from claimrag.tasks.evaluate.system import run_id_of, system_for

__all__ = [
    "METRICS",
    "check_chunks",
    "reference_claims",
    "retrieve_questions",
    "run_id_of",
    "run_of",
    "sample_questions",
    "score_questions",
    "system_for",
]
