"""What commands print: sentences and tables for people on a terminal, one JSON value for machines."""

from __future__ import annotations

import json
import sys
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

console = Console()
stderr = Console(stderr=True)


def complain(sentence: str) -> None:
    """One sentence on standard error."""
    stderr.print(f"[bold red]claimrag:[/] {escape(sentence)}", soft_wrap=True, highlight=False)


def print_json(value: Any) -> None:
    """One JSON value on standard output, and nothing else."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def table(title: str, columns: list[str], rows: list[list[str]], right: set[str] | None = None) -> Table:
    """A Rich table; columns named in `right` are right-aligned. Cells are text, never markup."""
    made = Table(
        title=title, title_justify="left", title_style="bold", header_style="bold", box=None, pad_edge=False
    )
    for index, column in enumerate(columns):
        numeric = bool(right and column in right)
        widest = max((len(row[index]) for row in rows), default=0)
        made.add_column(
            column,
            justify="right" if numeric else "left",
            no_wrap=numeric,
            min_width=widest if numeric else None,
        )
    for row in rows:
        made.add_row(*(escape(cell) for cell in row))
    return made
