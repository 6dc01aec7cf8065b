"""What the models were asked for, counted by work, language and purpose: what later runs are estimated from.

Whoever works on an item (a context unit, a window, a question, an answer) says so with `working_on`; every reply
that the gateway gives until the end of that task is counted for it, whoever paid for it. Outside a run nothing is
counted. The sums of size and its products give the line of prompt bytes over the size of what is worked on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from claimrag.schemas.asked import PurposeAsked, Work, WorkAsked


@dataclass(frozen=True)
class WorkItem:
    """What is worked on. `parts`: how many things are written about it; `size`: characters that prompts show of it."""

    work: Work
    language: str
    name: str
    parts: int = 1
    size: int = 0


@dataclass
class _Purpose:
    calls: int = 0
    prompt_bytes: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    size: int = 0
    size_squared: int = 0
    size_bytes: int = 0


@dataclass
class _Works:
    items: dict[int, WorkItem] = field(default_factory=dict)
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
        purpose: str,
        model: str,
        prompt_bytes: int,
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
        works.items.setdefault(hash(item.name), item)
        one = works.purposes.setdefault((purpose, model), _Purpose())
        one.calls += 1
        one.prompt_bytes += prompt_bytes
        one.prompt_tokens += prompt_tokens
        one.completion_tokens += completion_tokens
        one.size += item.size
        one.size_squared += item.size**2
        one.size_bytes += item.size * prompt_bytes

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
                parts=sum(item.parts for item in works.items.values()),
                size=sum(item.size for item in works.items.values()),
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
