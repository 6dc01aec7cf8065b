"""Alters one fact of a sentence in code: the wrong belief from which a false-premise question starts.

Kinds, strongest first: a period, amount or age; a date; an addressee; a modality (must, may, must not).
The altered sentence differs from the law in that one place only, and what was altered is recorded. It does
not judge whether the false statement is plausible, and numbers of articles and paragraphs are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from claimrag.schemas.context import ContextUnit
from claimrag.schemas.question import AlterationKind, FalsePremise
from claimrag.tasks.generate.counterparts import ADDRESSEES, MODALITIES
from claimrag.tasks.generate.quantities import AMOUNT, DATE, MEASURE, NUMBER_WORDS
from claimrag.tasks.generate.seeds import item_seed, rank

_MIN_WORDS, _MAX_WORDS = 6, 75
_MOST_DIGITS = 12
_YEARS_OFF = (1, 2, 3, -1, -2)
_SINGULAR = frozenset({"one", "un", "une"})


def choose_alteration(context: ContextUnit, act_text: str, seed: int) -> FalsePremise | None:
    """The alteration to ask about: the strongest kind there is, drawn by `seed`; None where none is possible."""
    kinds = list(AlterationKind)
    found = alterations_of(context, act_text, seed)
    return min(
        found,
        key=lambda one: (kinds.index(one.kind), rank(seed, context.id, str(one.sentence), one.original)),
        default=None,
    )


def alterations_of(context: ContextUnit, act_text: str, seed: int) -> list[FalsePremise]:
    """Every alteration that the rules can make in the sentences of a context unit, in their order."""
    found: list[FalsePremise] = []
    for sentence in context.sentences:
        words = " ".join(act_text[sentence.start : sentence.end].split())
        if _MIN_WORDS <= len(words.split()) <= _MAX_WORDS:
            draw = item_seed(seed, context.id, str(sentence.number))
            found.extend(_in_sentence(words, sentence.number, context.language, draw))
    return found


def _in_sentence(words: str, number: int, language: str, draw: int) -> Iterator[FalsePremise]:
    for match in MEASURE[language].finditer(words):
        other = _other_number(match["number"], match["unit"], language, draw)
        if other is not None:
            yield _altered(AlterationKind.NUMBER, words, match.span(), other, number)
    for match in AMOUNT.finditer(words):
        other = _other_number(match["number"], "", language, draw)
        if other is not None:
            yield _altered(AlterationKind.NUMBER, words, match.span(), f"EUR {other}", number)
    for match in DATE[language].finditer(words):
        year = str(int(match["year"]) + _YEARS_OFF[draw % len(_YEARS_OFF)])
        yield _altered(AlterationKind.DATE, words, match.span(), match["day"] + year, number)
    for pattern, other in ADDRESSEES[language]:
        actor = pattern.search(words)
        if actor and other.casefold() not in words.casefold():
            yield _altered(
                AlterationKind.ADDRESSEE, words, actor.span(), _cased(actor.group(), other), number
            )
    for pattern, other in MODALITIES[language]:
        modality = pattern.search(words)
        if modality:
            opposite = _cased(modality.group(), modality.expand(other))
            yield _altered(AlterationKind.MODALITY, words, modality.span(), opposite, number)
            break


def _altered(
    kind: AlterationKind, words: str, span: tuple[int, int], other: str, number: int
) -> FalsePremise:
    belief = words[: span[0]] + other + words[span[1] :]
    return FalsePremise(
        kind=kind,
        sentence=number,
        original=words[span[0] : span[1]],
        altered=other,
        truth=words,
        belief=belief,
    )


def _other_number(number: str, unit: str, language: str, draw: int) -> str | None:
    """Another number with its unit, or None where a change would make no plausible mistake."""
    words = NUMBER_WORDS[language]
    word = number.casefold()
    if word in words:
        other = words[word][draw % len(words[word])]
        needs_plural = word in _SINGULAR and not unit.endswith(("s", "%", "cent"))
        return _cased(number, other) + unit + ("s" if needs_plural else "")
    digits = re.sub(r"[ .,]", "", number)
    value = int(digits)
    if value < 2 or len(digits) > _MOST_DIGITS:
        return None
    options = [value * 2, value + value // 2, *([value // 2] if value % 2 == 0 and value > 2 else [])]
    other_value = options[draw % len(options)]
    separator = next((mark for mark in " .," if mark in number), "")
    return (f"{other_value:,}".replace(",", separator) if separator else str(other_value)) + unit


def _cased(original: str, other: str) -> str:
    return other[:1].upper() + other[1:] if original[:1].isupper() else other
