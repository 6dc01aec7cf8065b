"""The words of a law: those of its source's visible text, how many they are, and which did not land.

A word is a run of letters, digits and underscores. Counts are exact, as if every word had been looked at one
by one; blocks that stand in the source and in the canonical text alike are compared only as blocks. The source's
text is taken from its own tree, never from what a parser kept. Does not judge what is lost.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from typing import cast

from lxml import etree

from claimrag.legal_sources.canonical_text import single_spaced

INLINE_TAGS = frozenset(
    ("a", "abbr", "b", "bdo", "big", "cite", "code", "del", "dfn", "em", "font", "i", "ins", "kbd", "label")
) | frozenset(("mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var"))
"""HTML elements that do not end a word."""

_WORD = re.compile(r"\w+")
_PUNCTUATION = frozenset(".,;:!?)]»”’")
_AFTER_NUMBER = "\u00a0" * 3
_ASCII = bytes(range(128))
_CONTINUES = bytes(range(0x80, 0xC0))
"""The bytes of UTF-8 that go on with a character."""
_LETTERS = range(0xC3, 0xD5)
"""The bytes of UTF-8 that start a character which is, but for few, a letter: Latin, Greek, Cyrillic."""
_SHAPES = bytes(
    code in _LETTERS or (code < 128 and (chr(code).isalnum() or chr(code) == "_")) for code in range(256)
)
"""For each byte that starts a character 1 where that is part of a word, else 0."""
_FEW = 8
_PIECE = 1 << 16
_TEXT_NODES = etree.XPath("descendant::text()", smart_strings=False)


def words(text: str) -> Counter[str]:
    """The words (runs of letters, digits and underscores) of `text`, each with how often it stands there."""
    found: Counter[str] = Counter()
    for line in _lines(text):
        found.update(_WORD.findall(line))
    return found


def count_words(text: str) -> int:
    """How many words `text` has: the total of `words`, without making them."""
    total, in_word_before = 0, 0
    for start in range(0, len(text), _PIECE):
        shapes = _shapes(text[start : start + _PIECE])
        in_word = int.from_bytes(shapes, "little")
        # A word starts where the character before is part of none.
        total += (in_word & ~(in_word << 8 | in_word_before)).bit_count()
        in_word_before = shapes[-1]
    return total


def _shapes(text: str) -> bytes:
    """One byte for each character: 1 where it is part of a word, else 0."""
    raw = text.encode("utf-8", "surrogatepass")
    others = set(raw.translate(None, _ASCII).decode("utf-8", "surrogatepass"))
    odd = [mark for mark in others if _looks_like_a_letter(mark) != (mark.isalnum() or mark == "_")]
    if len(odd) > _FEW:
        return bytes(mark.isalnum() or mark == "_" for mark in text)
    for mark in odd:
        raw = raw.replace(mark.encode("utf-8", "surrogatepass"), b"a" if mark.isalnum() else b" ")
    return raw.translate(_SHAPES, _CONTINUES)


def _looks_like_a_letter(mark: str) -> bool:
    return mark.encode("utf-8", "surrogatepass")[0] in _LETTERS


@dataclass(frozen=True)
class VisibleText:
    """The visible text of a source: its blocks as they stand there, each with how often it does.

    What `blocks.elements()` gives counts; a block that occurs no time may stand there too.
    """

    blocks: Counter[str]

    def words(self) -> Counter[str]:
        """The words of the text."""
        return words("\n".join(self.blocks.elements()))

    def counted_against(self, text: str) -> tuple[int, int]:
        """How many words there are, and how many of them are not in the canonical text `text`.

        These are `self.words().total()` and `(self.words() - words(text)).total()`. What both hold alike is
        struck out first, a block at a time, so that few words need to be looked at.
        """
        rest, lines = self._differences(text)
        source, landed = words("\n".join(rest.elements())), words("\n".join(lines))
        return count_words(text) + source.total() - landed.total(), (source - landed).total()

    def _differences(self, text: str) -> tuple[Counter[str], list[str]]:
        """The blocks without a line of `text`, and the lines without a block: neither with what both hold.

        A line may be a block as it is, or after its label, which the source may set apart.
        """
        # The no-break spaces that the Official Journal prints most often, so that most blocks match as they are.
        blocks = Counter(
            [
                block.replace(_AFTER_NUMBER, " ").replace("\u00a0", " ") if "\u00a0" in block else block
                for block in self.blocks.elements()
            ]
        )
        lines = _strike_out(text.split("\n"), blocks)
        rest = Counter([single_spaced(block) for block in blocks.elements()])
        return rest, _strike_out(lines, rest)


def visible_text(
    root: etree._Element,
    is_chrome: Callable[[etree._Element], bool],
    inline: frozenset[str] = INLINE_TAGS,
) -> VisibleText:
    """The visible text under `root`, leaving out the elements for which `is_chrome` holds.

    Elements that are not inline end a block, and so a word, also where they are left out; text after a
    left-out element counts.
    """
    reader = _BlockReader(is_chrome, inline)
    reader.read(root)
    return VisibleText(Counter(reader.blocks))


def visible_text_without(root: etree._Element, left_out: Set[etree._Element]) -> VisibleText:
    """The visible text of HTML under `root`, `left_out` left out: as `visible_text`, and several times as fast.

    Where a block holds no inline element each of its runs of text is a block of its own, so they are taken all
    at once; the few other blocks are looked at one by one.
    """
    blocks = Counter(_text_nodes(root))
    reader = _BlockReader(left_out.__contains__, INLINE_TAGS)
    others: list[str] = []
    for element in _outermost(left_out | _blocks_with_inline(root), root):
        others += _text_nodes(element)
        if element not in left_out:
            reader.read(element)
    blocks.update(reader.blocks)
    blocks.subtract(others)
    return VisibleText(blocks)


def _text_nodes(root: etree._Element) -> list[str]:
    """Every run of text under `root`, in document order."""
    return cast("list[str]", _TEXT_NODES(root))


def _blocks_with_inline(root: etree._Element) -> set[etree._Element]:
    """The innermost blocks around the inline elements under `root`, at the outmost `root` itself."""
    found: set[etree._Element] = set()
    for inline in root.iter(*INLINE_TAGS):
        block: etree._Element | None = inline
        while block is not None and block is not root and block.tag in INLINE_TAGS:
            block = block.getparent()
        found.add(root if block is None else block)
    return found


def _outermost(elements: Set[etree._Element], root: etree._Element) -> Iterator[etree._Element]:
    """Those of `elements` that are `root` or under it, and not inside another of them."""
    for element in elements:
        above: etree._Element | None = element
        while above is not None and above is not root:
            above = above.getparent()
            if above in elements:
                break
        else:
            if above is root:
                yield element


class _BlockReader:
    """Gathers the blocks of visible text of one element after the other, in document order."""

    def __init__(self, is_chrome: Callable[[etree._Element], bool], inline: frozenset[str]) -> None:
        self.is_chrome = is_chrome
        self.inline = inline
        self.blocks: list[str] = []
        self._at_block_end = True
        self._after_gap = False
        """Whether an inline element was left out just before, as the call of a footnote is."""

    def read(self, element: etree._Element) -> None:
        """Add the blocks inside `element`, without its tail."""
        tag: object = element.tag
        if not isinstance(tag, str):  # a comment or an instruction has no text of the law
            return
        is_inline = tag.rpartition("}")[2] in self.inline
        self._at_block_end = self._at_block_end or not is_inline
        if self.is_chrome(element):
            self._after_gap = is_inline
            return
        self._add(element.text)
        for child in element:
            self.read(child)
            self._add(child.tail)
        self._at_block_end = self._at_block_end or not is_inline

    def _add(self, text: str | None) -> None:
        after_gap, self._after_gap = self._after_gap, False
        if not text:
            return
        if not self._at_block_end:
            before = self.blocks[-1]
            # The canonical text closes up so; words are the same.
            self.blocks[-1] = (before.rstrip() if after_gap and text[0] in _PUNCTUATION else before) + text
        elif not text.isspace():
            self.blocks.append(text)
            self._at_block_end = False


def _lines(text: str) -> Iterator[str]:
    """The lines of `text`, one after the other: a list of them would be the text once more."""
    start, end = 0, text.find("\n")
    while end >= 0:
        yield text[start:end]
        start = end + 1
        end = text.find("\n", start)
    yield text[start:]


def _strike_out(lines: Iterable[str], blocks: Counter[str]) -> list[str]:
    """Take out of `blocks` what stands in `lines` as well; gives back what else the lines hold."""
    added: list[str] = []
    for line in lines:
        if blocks.get(line):
            blocks[line] -= 1
            continue
        label, _, rest = line.partition(" ")
        if blocks.get(rest):
            blocks[rest] -= 1
            if blocks.get(label):
                blocks[label] -= 1
                continue
            line = label
        added.append(line)
    return added
