"""Reads triplets from a model's reply as data: nothing in the reply is ever evaluated.

Strict reading: every `("subject", "predicate", "object")` in the text, several to a line, over line ends,
with straight or curly quotes, escaped quotes, and quotes inside a value. Where a model writes more values than
three, those after the second are the object: the claim reads as it was written. What opens like a triplet and is none
is reported. Compat reading: RefChecker's own line patterns, with `ast.literal_eval` for its `eval`.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass

Triplet = tuple[str, str, str]

PLACEHOLDER: Triplet = ("subject", "predicate", "object")
"""What the prompt shows as the form; a model that repeats it says nothing."""

_MAX_CHARACTERS = 20_000
_MAX_FIELD_CHARACTERS = 2_000
_MAX_FIELDS = 6
_LOOP = 3
_CLOSING = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "„": "“”"}
_START = re.compile(r"\(\s*[\"'“‘«„]")
_ESCAPE = re.compile(r"\\([\"'“”‘’\\])")
_NEXT_FIELD = re.compile(r"\s*,\s*(?=[\"'“‘«„])")
_END = re.compile(r"\s*,?\s*\)")
# Where another triplet begins: on the next line, after a bullet or number perhaps, or behind a parenthesis.
_NEXT_TRIPLET = re.compile(r"(?:\n[\s\d.)*•-]{0,20}|\)\s*,?\s*)\(\s*[\"'“‘«„]")
_NEXT_EXAMPLE = re.compile(r"^\s*#+\s*(?:Question|Candidate Answer|Input)\b", re.MULTILINE)


@dataclass(frozen=True)
class TripletReading:
    """The triplets in the order of the text, repeated ones included, and what looked like one and is none."""

    triplets: tuple[Triplet, ...]
    malformed: tuple[str, ...]

    @property
    def loops(self) -> bool:
        """Whether the model went round in a circle: it ended with what it had said several times before."""
        return bool(self.triplets) and self.triplets.count(self.triplets[-1]) >= _LOOP


def read_triplets(text: str) -> TripletReading:
    """All triplets in `text` (strict reading). Never raises; text beyond 20,000 characters is not read.

    A model that runs on and invents a next example (`### Question`) is read up to there.
    """
    text = _before_next_example(text[:_MAX_CHARACTERS])
    triplets: list[Triplet] = []
    malformed: list[str] = []
    position = 0
    while start := _START.search(text, position):
        fields, end = _read_fields(text, start.start() + 1)
        if fields is not None and len(fields) >= 3 and all(fields):
            triplet = (fields[0], fields[1], " ".join(fields[2:]))
            if triplet != PLACEHOLDER:
                triplets.append(triplet)
        else:
            malformed.append(_line_at(text, start.start()))
            end = _end_of_line(text, start.start())
        position = max(end, start.end())
    return TripletReading(tuple(triplets), tuple(malformed))


def read_compat(expression: str) -> list[str] | None:
    """What RefChecker keeps of one matched line, read as a literal instead of evaluated.

    A tuple of strings gives its fields; text that is no literal is cut at commas, as RefChecker does when
    its `eval` fails; any other literal is dropped (None). Code is no literal: it is cut, never run.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a stray backslash is no error to RefChecker
            value = ast.literal_eval(expression)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        fields = expression.split(", ")
        fields[0] = fields[0].removeprefix("(")
        fields[-1] = fields[-1].removesuffix(")")
        return fields
    if not isinstance(value, tuple) or any(not isinstance(field, str) for field in value):
        return None
    return list(value)


def _before_next_example(text: str) -> str:
    first = _START.search(text)
    following = _NEXT_EXAMPLE.search(text, first.end()) if first else None
    return text[: following.start()] if following else text


def _read_fields(text: str, position: int) -> tuple[list[str] | None, int]:
    """The quoted fields from `position` to the closing parenthesis, and where it ends; None if malformed."""
    fields: list[str] = []
    position = _skip_space(text, position)
    while True:
        read = _read_field(text, position)
        if read is None:
            return None, position
        field, position = read
        fields.append(field)
        if end := _END.match(text, position):
            return fields, end.end()
        following = _NEXT_FIELD.match(text, position)
        if following is None or len(fields) == _MAX_FIELDS:
            return None, position
        position = following.end()


def _read_field(text: str, position: int) -> tuple[str, int] | None:
    """One quoted value. A quote inside it closes it only where a comma and a field, or the end, follow.

    No value runs into another triplet, so that a malformed one does not take the next one along.
    """
    if position >= len(text) or text[position] not in _CLOSING:
        return None
    closing = _CLOSING[text[position]]
    index = position + 1
    limit = min(len(text), index + _MAX_FIELD_CHARACTERS)  # keeps hostile text linear
    if following := _NEXT_TRIPLET.search(text, index, limit):
        limit = following.start()
    while index < limit:
        if text[index] == "\\":
            index += 2
            continue
        if text[index] in closing and _closes(text, index + 1):
            value = _ESCAPE.sub(r"\1", text[position + 1 : index])
            return " ".join(value.split()), index + 1
        index += 1
    return None


def _closes(text: str, position: int) -> bool:
    return bool(_END.match(text, position) or _NEXT_FIELD.match(text, position))


def _skip_space(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _line_at(text: str, position: int) -> str:
    return text[position : _end_of_line(text, position)].strip()


def _end_of_line(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end
