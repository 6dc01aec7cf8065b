"""Rows of a release on what was rejected: the counts of the card, row by row, with what may be shown of each.

Promises: a row is bounded, whatever a model wrote; what an endpoint said of itself (its address, its account, a part of
a key) is never published, only that it failed. Texts of models stay data: nothing in them is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from claimrag.schemas.act import Act, law_of
from claimrag.schemas.canonical import content_id
from claimrag.schemas.reason import Reason
from claimrag.schemas.rejected import Rejected
from claimrag.tasks.release.history_rows import RejectionRow
from claimrag.tasks.release.source import ReleaseSource

MOST_CHARACTERS = 2_000
_OF_A_REPLY = frozenset(
    {
        Reason.LENGTH,
        Reason.EMPTY_REPLY,
        Reason.REFUSAL,
        Reason.MALFORMED_REPLY,
        Reason.MALFORMED_TRIPLET,
        Reason.REPEATS_ITSELF,
        Reason.LABEL_COUNT_MISMATCH,
    }
)
"""Malfunctions whose raw material is the model's own text; that of any other one is the words of an endpoint."""


def rejection_rows(source: ReleaseSource, act: Act) -> Iterator[RejectionRow]:
    """The rejected rows of an act, stage by stage in the order of the counts, by item; one stage is held at a time.

    The id hashes stage, act, item and reason, and which of several such rows it is.
    """
    for stage in source.counts:
        shown = sorted(_shown(row) for row in source.rejected(act.id, stage))
        before: Counter[tuple[str, str]] = Counter()
        for item, code, detail, raw in shown:
            before[item, code] += 1
            reason = Reason.of(code)
            yield RejectionRow(
                id=content_id("rej", [stage, act.id, item, code, before[item, code]]),
                stage=stage,
                act_id=act.id,
                law_id=law_of(act.id),
                language=act.language,
                item=item,
                reason=reason,
                kind=reason.kind,
                meaning=reason.meaning,
                detail=detail,
                raw=raw,
            )


def _shown(row: Rejected) -> tuple[str, str, str, str]:
    """Item, reason, detail and raw material, as far as they may be published."""
    if row.reason.is_malfunction and row.reason not in _OF_A_REPLY:
        return row.item, row.reason.value, "", ""
    return row.item, row.reason.value, row.detail[:MOST_CHARACTERS], row.raw[:MOST_CHARACTERS]
