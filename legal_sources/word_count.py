"""The words of a law: those of its source's visible text, how many they are, and which did not land.

A word is a run of letters, digits and underscores. Counts are exact, as if every word had been looked at one
by one; blocks that stand in the source and in the canonical text alike are only compared whole. The source's
text is taken from its own tree, never from what a parser kept. Does not judge what is lost.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from lxml import etree

from legal_sources.canonical_text import single_spaced

INLINE_TAGS = frozenset(
    ("a", "abbr", "b", "bdo", "big", "cite", "code", "del", "dfn", "em", "font", "i", "ins", "kbd", "label")
) | frozenset(("mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var"))
"""HTML elements that do not end a word."""

_WORD = re.compile(r"\w+")
_BLOCK_END = "\0"
"""Set between the blocks of a visible text; no markup can hold it."""
_AFTER_NUMBER = "\u00a0" * 3
_ASCII = bytes(range(128))
_SHAPES = bytes(ord("a" if chr(code).isalnum() or chr(code) == "_" else " ") for code in range(256))
"""For each byte of Latin-1 "a" where it is part of a word, else a space."""
_FEW = 8


def words(text: str) -> Counter[str]:
    """The words (runs of letters, digits and underscores) of `text`, each with how often it stands there."""
    return Counter(_WORD.findall(text))


def count_words(text: str) -> int:
    """How many words `text` has: the total of `words`, without making them."""
    raw = text.encode("utf-8", "surrogatepass").translate(None, _ASCII)
    letters = {mark for mark in raw.decode("utf-8", "surrogatepass") if mark > "\xff" and mark.isalnum()}
    if len(letters) > _FEW:
        return len(_WORD.findall(text))
    for letter in letters:
        text = text.replace(letter, "a")
    # What Latin-1 does not hold is no letter now; it becomes "?", which ends a word as it does.
    shapes = text.encode("latin-1", "replace").translate(_SHAPES)
    return shapes.count(b" a") + shapes.startswith(b"a")


def visible_text(
    root: etree._Element,
    is_chrome: Callable[[etree._Element], bool],
    inline: frozenset[str] = INLINE_TAGS,
) -> str:
    """The visible text under `root`, leaving out the elements for which `is_chrome` holds.

    Elements that are not inline end a block, and so a word; text after a left-out element counts.
    """
    pieces: list[str] = []
    at_block_end = False
    is_block: dict[str, bool] = {}
    left_out: etree._Element | None = None
    for event, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        if left_out is not None:
            if event != "end" or element is not left_out:
                continue
            left_out = None
            text = element.tail
        elif event == "start":
            if is_chrome(element):
                left_out = element
                continue
            tag = element.tag
            if tag not in is_block:
                is_block[tag] = tag.rpartition("}")[2] not in inline
            if is_block[tag]:
                at_block_end = True
            text = element.text
        else:
            if event == "end" and is_block[element.tag]:
                at_block_end = True
            text = element.tail if element is not root else None
        if not text:
            continue
        if not at_block_end:
            pieces.append(text)
        elif not text.isspace():
            pieces += (_BLOCK_END, text)
            at_block_end = False
    return "".join(pieces)


def lost_words(source: str, text: str) -> Counter[str]:
    """`words(source) - words(text)` for a visible text and a canonical text.

    What both hold alike takes no part in the difference, so whole blocks are struck out first: a line of
    `text` against the same block of `source`, or a line after its label, which the source may set apart.
    """
    # The Journal's commonest white space first, so that most blocks match as they stand.
    source = source.replace(_AFTER_NUMBER, " ").replace("\u00a0", " ")
    blocks = Counter(source.split(_BLOCK_END))
    lines = _strike_out(text.split("\n"), blocks)
    blocks = Counter([single_spaced(block) for block in blocks.elements()])
    lines = _strike_out(lines, blocks)
    return words("\n".join(blocks.elements())) - words("\n".join(lines))


def _strike_out(lines: list[str], blocks: Counter[str]) -> list[str]:
    """Take out of `blocks` what stands in `lines` as well; gives back what else the lines hold."""
    added: list[str] = []
    for line in lines:
        if blocks.get(line):
            blocks[line] -= 1
            continue
        label, _, rest = line.partition(" ")
        if blocks.get(rest):
            blocks[rest] -= 1
            line = label
        added.append(line)
    return added
