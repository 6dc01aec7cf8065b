"""The card's example: the first question of the release, field by field, its long values shortened."""

from __future__ import annotations

import json
from typing import Any

from claimrag.tasks.release.law_rows import QaRow
from claimrag.tasks.validate.markdown import literal, table

_MOST_CHARACTERS = 120


def example_section(row: QaRow | None) -> str:
    """Empty where there is no question."""
    if row is None:
        return ""
    lines = [(f"`{name}`", literal(_shown(value))) for name, value in row.model_dump(mode="json").items()]
    return (
        "## Example\n\nThe first row of `qa`. Of a list the first item is shown, and of a long text the beginning.\n\n"
        + table(("field", "value"), lines)
    )


def _shown(value: Any) -> str:
    """A text as it is, anything else as JSON."""
    short = _shortened(value)
    return short if isinstance(short, str) else json.dumps(short, ensure_ascii=False)


def _shortened(value: Any) -> Any:
    if isinstance(value, str) and len(value) > _MOST_CHARACTERS:
        return value[: _MOST_CHARACTERS - 1] + "…"
    if isinstance(value, list):
        return [_shortened(value[0]), *(["…"] if len(value) > 1 else [])] if value else []
    if isinstance(value, dict):
        return {name: _shortened(item) for name, item in value.items()}
    return value
