"""Validation gates: expectations generated from the schemas, failing rows by id, reports to read offline."""

from claimrag.tasks.validate.engine import ensure_valid, validate_groups
from claimrag.tasks.validate.report import render_html, render_markdown
from claimrag.tasks.validate.tables import Group, TableInput

__all__ = ["Group", "TableInput", "ensure_valid", "render_html", "render_markdown", "validate_groups"]
