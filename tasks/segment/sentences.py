"""Sentence boundaries in legal English and French, as offsets; the text itself is never changed.

A boundary is a line break, or a full stop, question or exclamation mark before a new beginning, unless the
full stop belongs to an abbreviation, an initial or a printed number ("art. 5, al. 2", "p. ex.",
"Art. L. 234-1."). A piece that is only a printed number joins the sentence that it announces. Does not know
units: the caller passes further places to break at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

_ABBREVIATIONS = frozenset(
    re.findall(
        r"\S+",
        """
        art arts al no nos n nr num cf v vs vol p pp par para paras subpara pt pts sec sect ch
        chap reg dir dec e.g i.e e.a ibid id op cit ed eds fig approx resp incl excl st mr mrs
        ms dr prof inc ltd co corp m mm mme mmes mlle mlles me mes p.ex ex c.-à-d càd éd s ss
        suiv réf tél av apr env min max arr gr gr.-d g.-d règl mém l.c loc sq sqq tit liv ann
        bull jan janv feb fév févr mar avr jun juil jul aug sep sept oct nov déc
        """,
    )
)
_END = re.compile(
    r"""
    [.!?…]++                           # the mark itself, or several
    (?:\s?["”’»)\]])*                  # what closes belongs to the sentence: « La cloche sonne. »
    (?=\s+                             # a new beginning follows:
       (?:["'“‘«(\[]\s?)*[A-ZÀ-ÖØ-Þ0-9]  # a capital or a figure, perhaps after what opens
    )
    """,
    re.VERBOSE,
)
_LAST_WORD = re.compile(r"[^\s(\[«“\"'’]+$")
_LONGEST_LAST_WORD = 40
"""Characters: more than any abbreviation has."""

_MARKER = re.compile(
    r"""
    [\W_]*+                                      # "(", "§ "
    (?:(?:art|article|no|n)s?\b\.?\s*)?          # "Art. ", "No "
    (?:
        (?:
            (?:[LRDA]\.?\s?)?\d+(?:[-.]\d+)*    # "12", "5-1", "L. 234-1"
            |[ivxlcdm]+                          # "xiv"
        )
        (?:\s?(?:er|re|e))?                      # "1er", "XIVe"
        |[a-z]{1,2}                              # "a", "aa"
    )?
    (?:\s?(?:bis|ter|quater|quinquies|sexies|septies|octies))?  # "3 bis"
    [\W_]*                                       # ")", ".", "°"
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""A printed number alone, with what stands around it: "Art. 5-1.", "(a)", "2°", "3bis."."""


def split_sentences(
    text: str, start: int = 0, end: int | None = None, breaks: Iterable[int] = ()
) -> list[tuple[int, int]]:
    """Offsets (start, end) of the sentences of `text[start:end]`, in order, without surrounding space.

    `breaks` are further offsets at which a sentence ends, for instance where a point of a list begins.
    Every character that is not white space lies in exactly one sentence.
    """
    stop = len(text) if end is None else end
    edges = {start, stop, *(place for place in breaks if start < place < stop)}
    edges.update(start + match.end() for match in re.finditer(r"\n+", text[start:stop]))
    ordered = sorted(edges)
    pieces: list[tuple[int, int]] = []
    for left, right in pairwise(ordered):
        pieces.extend(_within_block(text, left, right))
    return _markers_joined(text, pieces)


def _within_block(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    left = start
    for match in _END.finditer(text, start, end):
        if match.end() < end and _ends_a_sentence(text, left, match):
            yield left, match.end()
            left = match.end()
    yield left, end


def _ends_a_sentence(text: str, left: int, match: re.Match[str]) -> bool:
    if not match.group().startswith(".") or match.group().startswith(".."):
        return True
    end = match.start()
    last = _LAST_WORD.search(text, max(left, end - _LONGEST_LAST_WORD), end)
    if last is None:
        return True
    word = last.group()
    is_initial = len(word) == 1 and word.isupper()
    return not (is_initial or word.casefold() in _ABBREVIATIONS or _MARKER.fullmatch(text, left, end))


def _markers_joined(text: str, pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Strip white space, drop what is empty, and join a lone number or letter to what follows it."""
    joined: list[tuple[int, int]] = []
    waiting: int | None = None
    for left, right in pieces:
        piece = text[left:right]
        if not piece.strip():
            continue
        left += len(piece) - len(piece.lstrip())
        right -= len(piece) - len(piece.rstrip())
        first = left if waiting is None else waiting
        if _MARKER.fullmatch(text, left, right):
            waiting = first
            continue
        joined.append((first, right))
        waiting = None
    if waiting is not None:
        last_end = max(right for left, right in pieces if text[left:right].strip())
        last_end = last_end - (len(text[:last_end]) - len(text[:last_end].rstrip()))
        joined[-1:] = [(joined[-1][0], last_end)] if joined else [(waiting, last_end)]
    return joined
