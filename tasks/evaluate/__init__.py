"""Evaluation of RAG systems: answers, verdicts, claim-level and retrieval metrics, with intervals."""
