"""What the models were asked for, counted by work, language and purpose: what later runs are estimated from.

Whoever works on an item (a context unit, a window, a question, an answer) says so with `working_on`; every reply
that the gateway gives until the end of that task is counted for it, whoever paid for it. Outside a run nothing is
counted. How much of an item's text a prompt shows is looked up in the prompt: so the prompts about a longer text can be
foreseen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property

from claimrag.schemas.asked import PurposeAsked, Work, WorkAsked
from claimrag.tasks.llm.request import ModelRequest, prompt_bytes

PIECES_LOOKED_AT = 16


@dataclass(frozen=True)
class WorkItem:
    """What is worked on. `parts`: how many things are written about it; `pieces`: its text as prompts may show it."""

    work: Work
    language: str
    name: str
    parts: int = 1
    pieces: tuple[str, ...] = field(default=(), compare=False, repr=False)

    @cached_property
    def size(self) -> int:
        """Characters of its text."""
        return sum(map(len, self.pieces))

    def shown_in(self, texts: Sequence[str]) -> float:
        """The characters of its text that a prompt shows, told by some of the pieces."""
        step = max(1, len(self.pieces) // PIECES_LOOKED_AT)
        some = self.pieces[::step]
        found = sum(len(piece) for piece in some if any(piece in text for text in texts))
        return self.size * found / max(1, sum(map(len, some)))


@dataclass
class _Purpose:
    calls: int = 0
    prompt_bytes: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    shown: float = 0.0
    size: int = 0


@dataclass
class _Works:
    items: dict[int, int] = field(default_factory=dict)
    kept: int = 0
    purposes: dict[tuple[str, str], _Purpose] = field(default_factory=dict)


class Asked:
    """The counts of one run."""

    def __init__(self) -> None:
        self._works: dict[tuple[Work, str], _Works] = {}
        self._seen: set[int] = set()

    def reply(
        self,
        key: str,
        request: ModelRequest,
        model: str,
        prompt_tokens: int,
        completion_tokens: int,
    ) -> None:
        """Count a reply for the item that is worked on; a request that was counted before is not counted again."""
        item = _item.get()
        number = int(key[:15], 16)
        if item is None or number in self._seen:
            return
        self._seen.add(number)
        works = self._of(item)
        works.items[hash(item.name)] = item.parts
        one = works.purposes.setdefault((request.purpose, model), _Purpose())
        one.calls += 1
        one.prompt_bytes += prompt_bytes(request)
        one.prompt_tokens += prompt_tokens
        one.completion_tokens += completion_tokens
        one.shown += item.shown_in([message.content for message in request.messages])
        one.size += item.size

    def keep(self, item: WorkItem, kept: int) -> None:
        """`kept` rows came of an item."""
        self._of(item).kept += kept

    def rows(self) -> tuple[WorkAsked, ...]:
        """The counts by work and language, each with its purposes in the order in which they were first met."""
        return tuple(
            WorkAsked(
                work=work,
                language=language,
                items=len(works.items),
                parts=sum(works.items.values()),
                kept=works.kept,
                purposes=tuple(
                    PurposeAsked(purpose=purpose, model=model, **vars(one))
                    for (purpose, model), one in works.purposes.items()
                ),
            )
            for (work, language), works in self._works.items()
            if works.items
        )

    def _of(self, item: WorkItem) -> _Works:
        return self._works.setdefault((item.work, item.language), _Works())


_item: ContextVar[WorkItem | None] = ContextVar("claimrag_work_item", default=None)
_asked: ContextVar[Asked | None] = ContextVar("claimrag_asked", default=None)


@contextmanager
def counted_in(asked: Asked) -> Iterator[None]:
    """Count in `asked` what is asked inside, in this task and those that it starts."""
    token = _asked.set(asked)
    try:
        yield
    finally:
        _asked.reset(token)


@contextmanager
def working_on(item: WorkItem) -> Iterator[None]:
    """What is asked inside is for this item."""
    token = _item.set(item)
    try:
        yield
    finally:
        _item.reset(token)


def item_at_work() -> WorkItem | None:
    """The item that this task works on."""
    return _item.get()


def asked_so_far() -> Asked | None:
    """Where this run counts."""
    return _asked.get()


def note_kept(kept: int) -> None:
    """`kept` rows came of the item that is worked on."""
    asked, item = _asked.get(), _item.get()
    if asked is not None and item is not None:
        asked.keep(item, kept)
