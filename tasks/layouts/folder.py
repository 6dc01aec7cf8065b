"""ExportFolder: the files of an export, written row by row; each gets its name when it is complete.

Promises: a folder that holds a file already is refused before anything is written; what fails leaves no file behind;
README.md comes last, so that an export without one was not finished. Memory is bounded by one row.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from claimrag.schemas.base import Noun
from claimrag.schemas.errors import InputError, StoreError
from claimrag.tasks.store.files import (
    NewFile,
    cannot_write,
    file_info,
    files_under,
    open_filesystem,
    parent,
    remove_file,
    write_atomically,
)

README = "README.md"
_ENDS_A_LINE = {ord(character): f"\\u{ord(character):04x}" for character in "\x85\u2028\u2029"}
"""What JSON allows in a string and some readers take for the end of a line."""


class ExportedFile(Noun):
    """A file of the export by its path in the folder, and how many rows it holds."""

    path: str
    rows: int


@dataclass(frozen=True)
class Framing:
    """What stands before the first row, between two and after the last."""

    before: str = ""
    between: str = "\n"
    after: str = "\n"


JSON_LINES = Framing()
"""One JSON value on each line."""
JSON_ARRAY = Framing("[\n", ",\n", "\n]\n")


class RowsOut:
    """The rows of a file being written."""

    def __init__(self, file: NewFile, framing: Framing) -> None:
        self._file = file
        self._framing = framing
        self.rows = 0

    def add(self, row: Mapping[str, Any]) -> None:
        """One row as JSON on one line, whatever its strings hold."""
        self.add_text(json.dumps(row, ensure_ascii=False, allow_nan=False).translate(_ENDS_A_LINE))

    def add_ids(self, *cells: str) -> None:
        """One row of a table with tabs between its cells, for ids; StoreError for one that would break the table."""
        for cell in cells:
            if not cell.isprintable() or '"' in cell or cell[:1] in _FORMULAS:
                raise StoreError(f"the id {cell!r} cannot stand in a table; make the release again")
        self.add_text("\t".join(cells))

    def add_text(self, text: str) -> None:
        """One row as it is."""
        self._file.write(((self._framing.between if self.rows else self._framing.before) + text).encode())
        self.rows += 1

    def end(self) -> None:
        """What stands after the last row."""
        self._file.write(self._framing.after.encode())


class ExportFolder:
    """The folder at `address`, which holds no file yet; InputError where it does."""

    def __init__(self, address: str) -> None:
        if not address.strip():
            raise InputError("--to has no folder; name one that is not there yet")
        self._filesystem, self.root = open_filesystem(address)
        self.files: list[ExportedFile] = []
        self.left_out: Counter[str] = Counter()
        if file_info(self._filesystem, self.root) is not None:
            raise InputError(f"{self.root} is a file; name a folder that is not there yet")
        there = next(files_under(self._filesystem, self.root), None)
        if there is not None:
            raise InputError(
                f"{self.root} is not empty: it holds {str(there['name']).removeprefix(self.root).lstrip('/')}; "
                "name another folder, or remove this one"
            )

    @contextmanager
    def file(self, path: str, framing: Framing = JSON_LINES) -> Iterator[RowsOut]:
        """A file to add rows to; it is there when the `with` ends, unless it got no row."""
        name = f"{self.root}/{path}"
        if file_info(self._filesystem, name) is not None:
            raise StoreError(
                f"{name} is there already: two laws or runs have one name; export them one by one"
            )
        try:
            new = NewFile(self._filesystem, parent(name))
            try:
                out = RowsOut(new, framing)
                yield out
                if out.rows:
                    out.end()
                    new.commit(name)
                    self.files.append(ExportedFile(path=path, rows=out.rows))
            finally:
                new.discard()
        except OSError as error:
            raise cannot_write(name, error) from error

    @contextmanager
    def undone_on_failure(self) -> Iterator[None]:
        """Remove what was written when the `with` fails."""
        try:
            yield
        except BaseException:
            for file in self.files:
                remove_file(self._filesystem, f"{self.root}/{file.path}")
            raise

    def finish(self, text: str) -> None:
        """Write README.md, after which the export is complete."""
        write_atomically(self._filesystem, f"{self.root}/{README}", text.encode())


_FORMULAS = ("=", "+", "-", "@", "")
"""What a spreadsheet takes for the beginning of a formula; an empty cell is no id either."""
