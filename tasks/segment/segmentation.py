"""From an act's units to its context units.

Promises: `text[c.start:c.end] == c.text`, sentences cover the context unit without overlap, and ids depend
on the law, the language, the strategy and the words alone, so that they survive re-chunking and a new
version that leaves the words unchanged. Articles without force or without words are rejected, with a reason.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence

from claimrag.legal_sources.parsed import own_text_start
from claimrag.schemas.act import Act
from claimrag.schemas.base import ContextUnitId, UnitId
from claimrag.schemas.canonical import content_id, sha256_text
from claimrag.schemas.context import ContextStrategy, ContextUnit, Sentence
from claimrag.schemas.errors import SourceError
from claimrag.schemas.reason import Reason
from claimrag.schemas.rejected import Rejected
from claimrag.schemas.unit import Unit, UnitKind, UnitStatus
from claimrag.tasks.segment.packing import packed_parts
from claimrag.tasks.segment.sentences import split_sentences
from claimrag.tasks.store.outcome import Outcome

STAGE = "segment"

_OUTSIDE_THE_BODY = frozenset({UnitKind.FOOTNOTE, UnitKind.AMENDMENT_NOTE})
_NAMED = frozenset({UnitKind.ARTICLE, UnitKind.RECITAL, UnitKind.ANNEX})
CountTokens = Callable[[str], int]


def segment_act(
    act: Act,
    units: Sequence[Unit],
    text: str,
    strategy: ContextStrategy,
    count_tokens: CountTokens,
) -> Outcome[ContextUnit]:
    """The context units of an act, in order of the text.

    `count_tokens` measures `ContextUnit.tokens` and, for strategy `p`, decides how much is packed together.
    Raises SourceError when the units do not belong to this text.
    """
    _check_offsets(act, units, text)
    body = [unit for unit in units if unit.kind not in _OUTSIDE_THE_BODY]
    body.sort(key=lambda unit: (unit.start, unit.order))
    if strategy is ContextStrategy.P:
        return _by_parts(act, body, text, count_tokens)
    return _by_article(act, body, text, count_tokens)


def _by_article(
    act: Act, units: Sequence[Unit], text: str, count_tokens: CountTokens
) -> Outcome[ContextUnit]:
    kept: list[ContextUnit] = []
    rejected: list[Rejected] = []
    cutter = _Cutter(act, ContextStrategy.ARTICLE, units, text, count_tokens)
    covered_to = 0
    for unit in units:
        if unit.kind is not UnitKind.ARTICLE or unit.start < covered_to:
            continue
        covered_to = unit.end
        start, end = _trimmed(text, own_text_start(unit), unit.end)
        if unit.status is UnitStatus.ABROGATED:
            rejected.append(_refused(unit, Reason.ABROGATED, "The article has no force any more."))
        elif not any(character.isalpha() for character in text[start:end]):
            rejected.append(_refused(unit, Reason.EMPTY, "The article has no words but its heading."))
        else:
            kept.append(cutter.cut(start, end, _heading(unit)))
    return Outcome(kept, rejected)


def _by_parts(act: Act, units: Sequence[Unit], text: str, count_tokens: CountTokens) -> Outcome[ContextUnit]:
    if not units:
        return Outcome()
    cutter = _Cutter(act, ContextStrategy.P, units, text, count_tokens)
    first, last = min(unit.start for unit in units), max(unit.end for unit in units)
    spans = packed_parts(text, first, last, count_tokens)
    return Outcome([cutter.cut(start, end) for start, end in spans], [])


class _Cutter:
    """Makes the context units of one act; spans must be cut in the order of the text."""

    def __init__(
        self, act: Act, strategy: ContextStrategy, units: Sequence[Unit], text: str, count_tokens: CountTokens
    ) -> None:
        self._act, self._strategy, self._text, self._count = act, strategy, text, count_tokens
        self._coming = deque(units)
        self._reached: list[Unit] = []
        self._times_cut: Counter[str] = Counter()
        self._cut_before = 0

    def cut(self, start: int, end: int, heading: str | None = None) -> ContextUnit:
        """The context unit of `text[start:end]`; without a heading, that of the first article it touches."""
        inside = self._overlapping(start, end)
        words = self._text[start:end]
        named = [unit for unit in inside if unit.kind in _NAMED]
        self._cut_before += 1
        return ContextUnit(
            id=self._id(words),
            act_id=self._act.id,
            strategy=self._strategy,
            unit_ids=tuple(unit.id for unit in named)
            or tuple(_innermost(inside, [(start, start + 1)], self._act)),
            heading=heading or (_heading(named[0]) if named else self._act.title),
            language=self._act.language,
            order=self._cut_before - 1,
            start=start,
            end=end,
            text=words,
            text_sha256=sha256_text(words),
            tokens=self._count(words),
            sentences=self._sentences(inside, start, end),
        )

    def _overlapping(self, start: int, end: int) -> list[Unit]:
        while self._coming and self._coming[0].start < end:
            self._reached.append(self._coming.popleft())
        self._reached = [unit for unit in self._reached if unit.end > start]
        return list(self._reached)

    def _id(self, words: str) -> ContextUnitId:
        """Equal words in one act (two articles that say the same) differ by the count of their occurrence."""
        self._times_cut[words] += 1
        identity = [self._act.publisher, self._act.work, self._act.language, self._strategy.value, words]
        if self._times_cut[words] > 1:
            identity.append(str(self._times_cut[words]))
        return ContextUnitId(content_id("ctx", identity))

    def _sentences(self, inside: Sequence[Unit], start: int, end: int) -> tuple[Sentence, ...]:
        breaks = [edge for unit in inside for edge in (unit.start, unit.end)]
        spans = split_sentences(self._text, start, end, breaks)
        owners = _innermost(inside, spans, self._act)
        return tuple(
            Sentence(number=number, start=left, end=right, unit_id=owner)
            for number, ((left, right), owner) in enumerate(zip(spans, owners, strict=True), start=1)
        )


def _innermost(units: Sequence[Unit], spans: Sequence[tuple[int, int]], act: Act) -> Iterator[UnitId]:
    """For each span, in ascending order, the smallest unit that holds it; the deeper of two of one size.

    A lone number joins the sentence after it, which may lie in another unit (the last cell of a table, and the
    paragraph below): the span is then in a unit around both, or, where there is none, in that of its beginning.
    """
    coming = deque(units)
    around: list[Unit] = []
    for position, end in spans:
        while coming and coming[0].start <= position:
            around.append(coming.popleft())
        around = [unit for unit in around if unit.end > position]
        if not around:
            raise SourceError(f"{act.id}: offset {position} lies in no unit; parse the act again")
        holding = [unit for unit in around if end <= unit.end] or around
        yield min(holding, key=lambda unit: (unit.end - unit.start, -unit.depth)).id


def _heading(unit: Unit) -> str:
    label = (unit.label or unit.number or unit.kind.value).strip().rstrip(".")
    return f"{label}: {unit.heading}" if unit.heading else label


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    words = text[start:end]
    return start + len(words) - len(words.lstrip()), end - (len(words) - len(words.rstrip()))


def _refused(unit: Unit, reason: Reason, detail: str) -> Rejected:
    return Rejected(stage=STAGE, item=unit.id, reason=reason, detail=detail, raw=unit.text[:2000])


def _check_offsets(act: Act, units: Iterable[Unit], text: str) -> None:
    if sha256_text(text) != act.text_sha256:
        raise SourceError(f"{act.id}: the text is not the one its units measure; parse it again")
    for unit in units:
        if unit.act_id != act.id or text[unit.start : unit.end] != unit.text:
            raise SourceError(f"{act.id}: unit {unit.id} does not lie at its offsets; parse the act again")
