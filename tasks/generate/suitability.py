"""Suitability: whether a context unit can ground a question of a category (ClaimRAG-LAW, generation setup).

First by rule: a category needs a statement that the plan found. A false premise needs a fact that can be
altered, and nothing more, since the alteration is made in code. Then one model call at temperature 0 for the
categories that are left.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from claimrag import prompts
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.question import Category
from claimrag.schemas.reason import Reason
from claimrag.tasks.generate.desk import Desk
from claimrag.tasks.generate.drafts import without_cut_sentence
from claimrag.tasks.generate.planning import Item
from claimrag.tasks.generate.provisions import shown_alone
from claimrag.tasks.generate.reasons import ItemRejectedError

SUITABILITY = "generate/suitability"

_LACKING = {
    Category.GENERAL_RESEARCH: "no statement of a rule",
    Category.FACTUAL_RECALL: "no number with its unit, no date and no named body",
    Category.FALSE_PREMISE: "no number, date, addressee or modality that can be altered",
    Category.JURISDICTION_TIME: "no territory and no time of application",
}


@dataclass(frozen=True)
class Verdict:
    """Whether a category suits a context unit, and why; `raw` is the model's reply, empty for a rule."""

    suitable: bool
    reason: str
    raw: str = ""


async def assess_suitability(
    desk: Desk, context: ContextUnit, items: Sequence[Item]
) -> dict[Category, Verdict]:
    """A verdict for each category of `items`. Raises ItemRejectedError where the reply cannot be used."""
    verdicts = {
        item.category: Verdict(False, f"By rule: the provision has {_LACKING[item.category]}.")
        for item in items
        if item.statement is None
    }
    for item in items:
        if item.false_premise is not None:
            reason = f"By rule: a person can mistake {item.false_premise.original!r}."
            verdicts[item.category] = Verdict(True, reason)
    open_ones = list(dict.fromkeys(item.category for item in items if item.category not in verdicts))
    if open_ones:
        answer = await desk.ask(
            SUITABILITY,
            context.id,
            schema=_narrowed(prompts.load(SUITABILITY, desk.act.language).schema or {}, open_ones),
            law=desk.law,
            provisions=shown_alone(context, desk.text),
            categories=[category.value for category in open_ones],
        )
        for category in open_ones:
            judged = answer.parsed[category.value]
            verdicts[category] = Verdict(
                bool(judged["suitable"]), without_cut_sentence(" ".join(judged["reason"].split())), answer.raw
            )
    return verdicts


def require(verdict: Verdict) -> str:
    """The reason why the category suits; raises ItemRejectedError (`unsuitable`) where it does not."""
    if not verdict.suitable:
        raise ItemRejectedError(Reason.UNSUITABLE, verdict.reason, verdict.raw)
    return verdict.reason


def _narrowed(schema: Mapping[str, Any], categories: Sequence[Category]) -> dict[str, Any]:
    names = [category.value for category in categories]
    narrowed: dict[str, Any] = copy.deepcopy(dict(schema))
    narrowed["properties"] = {name: narrowed["properties"][name] for name in names}
    narrowed["required"] = names
    return narrowed
