"""Averages per item of what earlier runs asked the models: calls by purpose, the bytes of a prompt, tokens, yield.

Taken from the manifests of the workspace's runs with the same models; where there are none, from those that come with
claimrag, measured with the local model on the sample laws.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources

from pydantic import TypeAdapter

from claimrag.schemas.asked import PurposeAsked, Work, WorkAsked
from claimrag.tasks.run.past_runs import asked_in_runs
from claimrag.tasks.store import Workspace

_LISTED = TypeAdapter(tuple[WorkAsked, ...])
SHIPPED = "averages.json"


@dataclass(frozen=True)
class PurposeAverage:
    """Requests of one purpose: how many per part of an item, and what one takes."""

    purpose: str
    model: str
    calls_per_part: float
    tokens_per_byte: float
    completion_tokens: float
    bytes_without: float
    bytes_per_size: float

    def prompt_bytes(self, size: float) -> float:
        """The bytes of one prompt about an item of that size: what is around its text, and what is shown of it."""
        return self.bytes_without + self.bytes_per_size * size


@dataclass(frozen=True)
class WorkAverage:
    """Rows kept per part of an item; the requests by purpose, in the order of the work."""

    kept_per_part: float
    purposes: tuple[PurposeAverage, ...]


class Averages:
    """Averages by work and language. `source` says where they come from, as people read it."""

    def __init__(self, rows: Iterable[WorkAsked], source: str) -> None:
        self.source = source
        self._rows: defaultdict[Work, list[WorkAsked]] = defaultdict(list)
        for row in rows:
            if row.items and row.parts:
                self._rows[row.work].append(row)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was measured."""
        return not self._rows

    def of(self, work: Work, language: str) -> WorkAverage | None:
        """The average in that language, else over the other languages; None where the work was never done."""
        rows = [row for row in self._rows[work] if row.language == language] or self._rows[work]
        return _average(rows) if rows else None


def averages_for(workspace: Workspace | None, models: tuple[str, str]) -> Averages:
    """The averages to estimate with; `models` are the generator and the judge."""
    if workspace is not None:
        own = [row for row in asked_in_runs(workspace) if _asks_only(row, models)]
        if own:
            items = sum(row.items for row in own)
            return Averages(own, f"measured in this workspace's runs with the same models ({items:,} items)")
    text = resources.files("claimrag.tasks.plan").joinpath(SHIPPED).read_text(encoding="utf-8")
    shipped = json.loads(text)
    return Averages(
        _LISTED.validate_python(shipped["asked"]),
        f"no run with these models is at hand: measured with {shipped['model']} on {shipped['laws']}; "
        "a small build first (--units 5) makes them this model's own",
    )


def _asks_only(row: WorkAsked, models: tuple[str, str]) -> bool:
    return all(one.model in models for one in row.purposes)


def _average(rows: list[WorkAsked]) -> WorkAverage:
    parts = sum(row.parts for row in rows)
    return WorkAverage(
        kept_per_part=sum(row.kept for row in rows) / parts,
        purposes=tuple(_purposes(rows, parts)),
    )


def _purposes(rows: list[WorkAsked], parts: int) -> Iterator[PurposeAverage]:
    asked: dict[str, list[PurposeAsked]] = {}
    for row in rows:
        for one in row.purposes:
            asked.setdefault(one.purpose, []).append(one)
    for purpose, several in asked.items():
        calls = sum(one.calls for one in several)
        prompt_bytes = sum(one.prompt_bytes for one in several)
        shown, size = sum(one.shown for one in several), sum(one.size for one in several)
        yield PurposeAverage(
            purpose=purpose,
            model=several[-1].model,
            calls_per_part=calls / parts,
            tokens_per_byte=sum(one.prompt_tokens for one in several) / max(1, prompt_bytes),
            completion_tokens=sum(one.completion_tokens for one in several) / calls,
            bytes_without=max(0.0, prompt_bytes - shown) / calls,
            bytes_per_size=shown / max(1, size),
        )
