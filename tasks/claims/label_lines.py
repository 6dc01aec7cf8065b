"""Reads the labels of a joint reply, by the number of their line or, from a bare list, in order.

Promises that a label is never guessed, and that no comment shifts one: where a reply leaves open which claim has
which label, it is not read at all. RefChecker's own reader takes every label word of the text, in order; a line
like "1. Entailment (there is no contradiction)" gives it two labels.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from claimrag.schemas.claim import Label

_WORD = r"(?:Entailment|Neutral|Contradiction)"
_LABEL_WORD = re.compile(rf"\b{_WORD}\b", re.IGNORECASE)

# What may stand around a number or a label without meaning anything: bullets, quotes, bold, code, table bars.
_MARKUP = r"[\s*_`~\"'“”«»>|•·–-]*"

# "1." "(2)" "[3]:" "Claim 4 -" "**c5**:" "| 6 |" and then the rest of the line.
_NUMBERED = re.compile(
    rf"""
    {_MARKUP}
    (?: (?:claim|triplet|statement|affirmation|item|no\.?|n°|c|\#) {_MARKUP} \#? )?   # what is counted
    [(\[]? (?P<number>[0-9]{{1,3}}) (?![0-9]|[.,][0-9])                            # 1, but not 1.5 or 1,000
    {_MARKUP} [.)\]:=]{{0,2}} {_MARKUP}
    (?P<rest>.*)
    """,
    re.VERBOSE | re.IGNORECASE,
)

# Before the label on a numbered line: the claim once more (in parentheses and quotes), or a word for the label.
_CLAIM_AGAIN = rf"""\( \s* ["'“‘«] .* ["'”’»] \s* \) {_MARKUP} (?: [:=] | -> | → | )"""
_LABEL_NAME = r"(?: label | answer | verdict | relation ) \s* [:=]"
_LABELLED = re.compile(
    rf"""
    {_MARKUP} (?: {_CLAIM_AGAIN} | {_LABEL_NAME} )? {_MARKUP}
    \[? (?P<label>{_WORD}) \b \]? [*_`~"'”»]*
    (?P<comment> \s* $ | \s* [.,;:|()\[–—-] .* | \s+ (?:because|since|as) \b .* )
    """,
    re.VERBOSE | re.IGNORECASE,
)

# A label and nothing else: "- **Neutral**," but not "Neutral (see above)".
_BARE = re.compile(rf"{_MARKUP}(?P<label>{_WORD}){_MARKUP}[.,;]?{_MARKUP}", re.IGNORECASE)

# Lines that hold nothing: fences and the rule under the heading of a table.
_NOTHING = re.compile(r"\s*(?:```\w*|~~~\w*|[|:\s=_*-]*)\s*")

# A label word in a comment is no second label where it is denied: "no contradiction", "not a clear entailment".
_DENIED = re.compile(
    rf"""
    \b (?: no | not | non | nor | neither | never | without | cannot | rather[ ]than | instead[ ]of )
    (?: \s+ \w+ ){{0,3}}? \s+ (?P<label>{_WORD}) \b
    """,
    re.VERBOSE | re.IGNORECASE,
)

_LINE_CHARACTERS = 1_000


@dataclass(frozen=True)
class _Line:
    """What a line says: the number of a claim, its label; None where it has none of that."""

    number: int | None
    label: Label | None


def read_labels(text: str, count: int) -> tuple[Label, ...] | None:
    """The labels of `count` claims, in the order of the claims; None where the reply does not give one to each.

    Numbered lines must be numbered 1 to `count`, each once, in any order, with one label each; other lines are
    comments unless they are a label. Without numbers every line must be a bare label.
    """
    written = text.splitlines()
    if any(len(line) > _LINE_CHARACTERS for line in written):
        return None  # no list of labels, and some patterns would take long over it
    lines = [_read(line) for line in written if not _NOTHING.fullmatch(line)]
    if any(line.number is not None for line in lines):
        return _by_number(lines, count)
    labels = [line.label for line in lines if line.label is not None]
    return tuple(labels) if len(labels) == len(lines) == count else None


def _by_number(lines: Sequence[_Line], count: int) -> tuple[Label, ...] | None:
    if any(line.number is None and line.label is not None for line in lines):
        return None
    numbered = [line for line in lines if line.number is not None]
    by_number = {line.number: line.label for line in numbered if line.label is not None}
    wanted = range(1, count + 1)
    if len(numbered) != count or by_number.keys() != set(wanted):
        return None
    return tuple(by_number[number] for number in wanted)


def _read(line: str) -> _Line:
    if bare := _BARE.fullmatch(line):
        return _Line(None, _label(bare["label"]))
    numbered = _NUMBERED.fullmatch(line)
    if numbered is None:
        return _Line(None, None)
    return _Line(int(numbered["number"]), _one_label(numbered["rest"]))


def _one_label(text: str) -> Label | None:
    """The label that `text` begins with, where no other one is left open by what follows."""
    found = _LABELLED.fullmatch(text)
    if found is None or _LABEL_WORD.search(text, 0, found.start("label")):
        return None
    label, comment = _label(found["label"]), found["comment"]
    denied = [_label(match["label"]) for match in _DENIED.finditer(comment)]
    others = [word for word in _LABEL_WORD.findall(comment) if _label(word) is not label]
    return None if label in denied or len(others) > len(denied) else label


def _label(word: str) -> Label:
    return Label(word.title())
