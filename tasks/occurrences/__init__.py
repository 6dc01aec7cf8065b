"""Occurrences: which questions hold in a version of an act, and where their quotations stand in its text."""

from __future__ import annotations

from claimrag.tasks.occurrences.bind import bind_questions

__all__ = ["bind_questions"]
