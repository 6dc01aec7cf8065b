"""Evaluation of RAG systems: answers, verdicts, claim-level and retrieval metrics, with intervals."""

from claimrag.tasks.evaluate.system import EvaluationOutcome, evaluate_system

__all__ = ["EvaluationOutcome", "evaluate_system"]
