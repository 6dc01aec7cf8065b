"""What commands print: sentences and tables for people on a terminal, one JSON value for machines."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from typing import Any, TextIO, cast

from rich.console import Console
from rich.markup import escape
from rich.table import Table


class StandardError(io.TextIOBase):
    """Standard error as the person sees it, also while something else stands in for `sys.stderr`."""

    stream: TextIO | None = None

    def _now(self) -> TextIO:
        return self.stream or sys.stderr

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """That of the stream: rich draws with what it can show."""
        return self._now().encoding or "utf-8"

    def isatty(self) -> bool:
        """Whether a person may be looking."""
        return self._now().isatty()

    def fileno(self) -> int:
        """That of the stream."""
        return self._now().fileno()

    def writable(self) -> bool:
        """It is for writing."""
        return True

    def write(self, text: str) -> int:
        """Write to the stream."""
        return self._now().write(text)

    def flush(self) -> None:
        """Flush the stream."""
        self._now().flush()


terminal = StandardError()
console = Console(emoji=False)  # `:smile:` in a law or a reply is text
stderr = Console(file=cast("TextIO", terminal), emoji=False)
_MOVES_THE_CURSOR = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What JSON allows in a string and a terminal obeys, and halves of characters, which no encoding can write."""


def complain(sentence: str) -> None:
    """One sentence on standard error."""
    stderr.print(f"[bold red]claimrag:[/] {escape(sentence)}", soft_wrap=True, highlight=False)


def spell_out_what_cannot_be_encoded() -> None:
    """Standard output that is not UTF-8 gets escapes such as `\\xe9` from now on, not an error."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def print_json(value: Any) -> None:
    """One JSON value on standard output, and nothing else; it is harmless on a terminal."""
    plain = "utf" not in (sys.stdout.encoding or "utf-8").lower()
    text = json.dumps(value, ensure_ascii=plain, indent=2)
    try:
        sys.stdout.write(_MOVES_THE_CURSOR.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:  # as after `| head`: who reads has enough
        console.on_broken_pipe()


def print_lines(*lines: str) -> None:
    """Lines of text as they are: never markup, never broken."""
    for line in lines:
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def print_sentences(*sentences: str, to: Console = console) -> None:
    """Sentences, broken between words on a terminal and never in a pipe."""
    for sentence in sentences:
        to.print(sentence, highlight=False, markup=False, soft_wrap=not to.is_terminal)


def shown_path(path: str) -> str:
    """A path as a person here would write it: relative where it lies below this folder; an address as it is."""
    if "://" in path:
        return path
    try:
        return str(Path(path).resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(Path(path).resolve())


def table(
    title: str,
    columns: list[str],
    rows: list[list[str]],
    right: set[str] | None = None,
    fixed: set[str] | None = None,
) -> Table:
    """A Rich table; columns named in `right` are right-aligned, and like those in `fixed` never broken or cut.

    Cells are text, never markup.
    """
    drawn = Table(
        title=title, title_justify="left", title_style="bold", header_style="bold", box=None, pad_edge=False
    )
    for index, column in enumerate(columns):
        numeric = bool(right and column in right)
        uncut = numeric or bool(fixed and column in fixed)
        widest = max((len(row[index]) for row in rows), default=0)
        drawn.add_column(
            column,
            justify="right" if numeric else "left",
            no_wrap=uncut,
            overflow="fold",
            min_width=widest if uncut else None,
        )
    for row in rows:
        drawn.add_row(*(escape(cell) for cell in row))
    return drawn
