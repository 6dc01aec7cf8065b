"""Validation gates: expectations generated from the schemas, failing rows by id, reports to read offline."""

from claimrag.tasks.validate.engine import ensure_valid, validate_tables
from claimrag.tasks.validate.report import render_html, render_markdown
from claimrag.tasks.validate.tables import TableInput

__all__ = ["TableInput", "ensure_valid", "render_html", "render_markdown", "validate_tables"]
