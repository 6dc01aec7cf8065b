"""Provisions as a prompt shows them, and the way back from sentence numbers to exact quotations.

A number shown in a prompt stands for a span of the law's text, so that a quotation is cut from the law and
never from a model's reply. Words that a model quotes itself are kept only where they stand in the law.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from claimrag.schemas.context import ContextUnit, Sentence
from claimrag.schemas.question import Quotation
from claimrag.schemas.reason import Reason
from claimrag.tasks.generate.reasons import ItemRejectedError


def shown_alone(context: ContextUnit, act_text: str) -> list[dict[str, Any]]:
    """One context unit for `generate/provisions`, its sentences numbered 1, 2, 3."""
    return [_shown(context, act_text, "")]


def shown_together(contexts: Sequence[ContextUnit], act_text: str) -> list[dict[str, Any]]:
    """A window of context units; sentence 3 of the second unit is numbered 2.3."""
    return [_shown(context, act_text, f"{position}.") for position, context in enumerate(contexts, start=1)]


def shown_sentences(sentences: Sequence[Sentence], act_text: str, prefix: str = "") -> list[dict[str, Any]]:
    """Sentences with their numbers, `prefix` before each, their words on one line."""
    return [
        {"number": f"{prefix}{one.number}", "text": " ".join(act_text[one.start : one.end].split())}
        for one in sentences
    ]


def window_numbers(contexts: Sequence[ContextUnit]) -> list[str]:
    """All sentence numbers of a window, as `shown_together` shows them."""
    return [
        f"{position}.{sentence.number}"
        for position, context in enumerate(contexts, start=1)
        for sentence in context.sentences
    ]


def quoted(context: ContextUnit, cited: Sequence[int | str]) -> tuple[Quotation, ...]:
    """Quotations by sentence numbers, or of words given byte for byte, once each, in the order of the text.

    Raises ItemRejectedError (`quotation_not_found`) for a number that is not shown or words that do not
    stand in the context unit.
    """
    sentences = {sentence.number: sentence for sentence in context.sentences}
    found: dict[tuple[int, int], Quotation] = {}
    for mark in cited:
        if isinstance(mark, int):
            quotation = _quoted_sentence(context, sentences.get(mark), mark)
        else:
            quotation = _quoted_words(context, mark)
        found[quotation.start, quotation.end] = quotation
    return tuple(found[span] for span in sorted(found))


def quoted_from_window(contexts: Sequence[ContextUnit], cited: Sequence[str]) -> tuple[Quotation, ...]:
    """Quotations by `unit.sentence` numbers, in the order of the window."""
    by_unit: dict[int, list[int | str]] = {}
    for mark in cited:
        unit, _, sentence = mark.partition(".")
        if not (unit.isdecimal() and sentence.isdecimal() and 1 <= int(unit) <= len(contexts)):
            raise ItemRejectedError(Reason.QUOTATION_NOT_FOUND, f"No sentence is numbered {mark}.", mark)
        by_unit.setdefault(int(unit), []).append(int(sentence))
    return tuple(
        quotation for unit in sorted(by_unit) for quotation in quoted(contexts[unit - 1], by_unit[unit])
    )


def _shown(context: ContextUnit, act_text: str, prefix: str) -> dict[str, Any]:
    return {"heading": context.heading, "sentences": shown_sentences(context.sentences, act_text, prefix)}


def _quoted_sentence(context: ContextUnit, sentence: Sentence | None, number: int) -> Quotation:
    if sentence is None:
        raise ItemRejectedError(Reason.QUOTATION_NOT_FOUND, f"No sentence is numbered {number}.", str(number))
    start, end = sentence.start - context.start, sentence.end - context.start
    return _quotation(context, number, start, end)


def _quoted_words(context: ContextUnit, words: str) -> Quotation:
    """A free quotation, located byte for byte; its first place counts where the law repeats itself."""
    start = context.text.find(words) if words.strip() else -1
    if start < 0:
        raise ItemRejectedError(
            Reason.QUOTATION_NOT_FOUND, "The quoted words do not stand in the law.", words
        )
    return _quotation(context, None, start, start + len(words))


def _quotation(context: ContextUnit, sentence: int | None, start: int, end: int) -> Quotation:
    return Quotation(
        context_unit_id=context.id, sentence=sentence, start=start, end=end, text=context.text[start:end]
    )
