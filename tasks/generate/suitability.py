"""Suitability: whether a context unit can ground a question of a category (ClaimRAG-LAW, generation setup).

First by rule, where a category needs something that the words do not hold (a false premise needs a fact that
can be altered); then one model call for the remaining categories, at temperature 0.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import prompts
from schemas.context import ContextUnit
from schemas.question import Category
from tasks.generate.alteration import choose_alteration
from tasks.generate.desk import Desk
from tasks.generate.provisions import shown_alone
from tasks.generate.reasons import ItemRejectedError, Reason

SUITABILITY = "generate/suitability"

_TIME_OR_PLACE = {
    "en": re.compile(
        r"\b(?:enter(?:s|ed)? into force|entry into force|shall apply (?:from|until|as from|as of)|appl(?:y|ies) from|"
        r"territor(?:y|ies|ial)|established in|third countr(?:y|ies)|in the Union|within the Union|"
        r"Member State(?:'s|s')? law|repealed|as from|with effect from|until \d|"
        r"(?:from|by|before|after|on) \d{1,2} [A-Z][a-z]+ \d{4}|transitional|cross-border|abroad)\b",
        re.IGNORECASE,
    ),
    "fr": re.compile(
        r"\b(?:entre(?:nt|ra|ront)? en vigueur|entrée en vigueur|territoires?|territorial(?:e|es)?|à compter d|"
        r"à partir d|établie?s? dans|pays tiers|dans l['’]Union|Grand-Duché|étrangers?|à l['’]étranger|abrogée?s?|"
        r"jusqu['’]au \d|(?:le|du|au|avant le|après le) \d{1,2}(?:er)? [a-zéû]+ \d{4}|transitoires?|"
        r"luxembourgeoise?s?|rétroactif|s['’]appliquent? (?:à partir|dès|aux? personnes)|ressort|communes?)\b",
        re.IGNORECASE,
    ),
}


@dataclass(frozen=True)
class Verdict:
    """Whether a category suits a context unit, and why; `raw` is the model's reply, empty for a rule."""

    suitable: bool
    reason: str
    raw: str = ""


async def assess_suitability(
    desk: Desk, context: ContextUnit, categories: Sequence[Category]
) -> dict[Category, Verdict]:
    """A verdict for each category. Raises ItemRejectedError where the model's reply cannot be used."""
    verdicts = {category: _by_rule(desk, context, category) for category in categories}
    open_ones = [category for category in categories if verdicts[category].suitable]
    if open_ones:
        answer = await desk.ask(
            SUITABILITY,
            context.id,
            shown_alone(context, desk.text),
            schema=_narrowed(prompts.load(SUITABILITY, desk.act.language).schema or {}, open_ones),
            categories=[category.value for category in open_ones],
        )
        for category in open_ones:
            said = answer.parsed[category.value]
            verdicts[category] = Verdict(bool(said["suitable"]), " ".join(said["reason"].split()), answer.raw)
    return verdicts


def require(verdict: Verdict) -> str:
    """The reason why the category suits; raises ItemRejectedError (`unsuitable`) where it does not."""
    if not verdict.suitable:
        raise ItemRejectedError(Reason.UNSUITABLE, verdict.reason, verdict.raw)
    return verdict.reason


def _by_rule(desk: Desk, context: ContextUnit, category: Category) -> Verdict:
    if (
        category is Category.FALSE_PREMISE
        and choose_alteration(context, desk.text, desk.settings.seed) is None
    ):
        return Verdict(False, "By rule: no number, date, addressee or modality can be altered.")
    if category is Category.JURISDICTION_TIME and not _TIME_OR_PLACE[context.language].search(context.text):
        return Verdict(False, "By rule: the words name no territory and no date of application.")
    return Verdict(True, "")


def _narrowed(schema: Mapping[str, Any], categories: Sequence[Category]) -> dict[str, Any]:
    names = [category.value for category in categories]
    narrowed: dict[str, Any] = copy.deepcopy(dict(schema))
    narrowed["properties"] = {name: narrowed["properties"][name] for name in names}
    narrowed["required"] = names
    return narrowed
