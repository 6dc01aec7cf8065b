"""The card's section on what was rejected: counts by stage and reason, and what each reason means."""

from __future__ import annotations

from collections.abc import Mapping

from claimrag.schemas.reason import Reason
from claimrag.schemas.rejected import StageCounts
from claimrag.tasks.validate.markdown import literal, table

_HEADINGS = ("stage", "rejected by reason", "considered", "kept", "rejected")


def rejected_section(counts: Mapping[str, StageCounts]) -> str:
    """A line per stage in the order given, then a line per reason that occurs; empty without counts."""
    if not counts:
        return ""
    lines = [_line(stage, one) for stage, one in counts.items()]
    opening = "Every stage counts what it considered, and keeps what it rejected with the reason and the raw material."
    codes = {code for one in counts.values() for code in one.rejected}
    legend = [
        (literal(reason.value), reason.meaning, reason.kind) for reason in Reason if reason.value in codes
    ]
    parts = ["## What was rejected", opening, table(_HEADINGS, lines, numbers_from=2)]
    if legend:
        parts += [
            "A judgement is a check, or the law itself, that spoke against the row; a malfunction is a model or an "
            "endpoint that did not do what was asked.",
            table(("reason", "means that", "kind"), legend),
        ]
    return "\n\n".join(parts)


def _line(stage: str, counts: StageCounts) -> tuple[object, ...]:
    by_reason = sorted(counts.rejected.items(), key=lambda item: (-item[1], item[0]))
    reasons = ", ".join(f"{literal(reason)} {number}" for reason, number in by_reason) or "-"
    rejected = sum(counts.rejected.values())
    return literal(stage.replace("_", " ")), reasons, counts.considered, counts.kept, rejected
