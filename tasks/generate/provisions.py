"""Provisions as a prompt shows them, and the way back from sentence numbers to exact quotations.

A number shown in a prompt stands for a span of the law's text, so that a quotation is cut from the law and
never from a model's reply. Words that a model quotes itself are kept only where they stand in the law.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from claimrag.schemas.context import ContextUnit, Sentence
from claimrag.schemas.question import Evidence
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


def quoted(context: ContextUnit, cited: Sequence[int | str], act_text: str) -> tuple[Evidence, ...]:
    """Evidence from sentence numbers, or from words quoted byte for byte, in the order of the text.

    Raises ItemRejectedError (`quotation_not_found`) for a number that is not shown or words that do not
    stand in the context unit.
    """
    sentences = {sentence.number: sentence for sentence in context.sentences}
    found: dict[tuple[int, int], Evidence] = {}
    for mark in cited:
        if isinstance(mark, int):
            evidence = _sentence_quoted(context, sentences.get(mark), mark, act_text)
        else:
            evidence = _words_quoted(context, mark)
        found[evidence.start, evidence.end] = evidence
    return tuple(found[span] for span in sorted(found))


def quoted_from_window(
    contexts: Sequence[ContextUnit], cited: Sequence[str], act_text: str
) -> tuple[Evidence, ...]:
    """Evidence from `unit.sentence` numbers, in the order of the window."""
    by_unit: dict[int, list[int | str]] = {}
    for mark in cited:
        unit, _, sentence = mark.partition(".")
        if not (unit.isdecimal() and sentence.isdecimal() and 1 <= int(unit) <= len(contexts)):
            raise ItemRejectedError(Reason.QUOTATION_NOT_FOUND, f"No sentence is numbered {mark}.", mark)
        by_unit.setdefault(int(unit), []).append(int(sentence))
    return tuple(
        evidence
        for unit in sorted(by_unit)
        for evidence in quoted(contexts[unit - 1], by_unit[unit], act_text)
    )


def _shown(context: ContextUnit, act_text: str, prefix: str) -> dict[str, Any]:
    return {"heading": context.heading, "sentences": shown_sentences(context.sentences, act_text, prefix)}


def _sentence_quoted(context: ContextUnit, sentence: Sentence | None, number: int, act_text: str) -> Evidence:
    if sentence is None:
        raise ItemRejectedError(Reason.QUOTATION_NOT_FOUND, f"No sentence is numbered {number}.", str(number))
    return Evidence(
        context_unit_id=context.id,
        unit_id=sentence.unit_id,
        sentence=sentence.number,
        start=sentence.start,
        end=sentence.end,
        quotation=act_text[sentence.start : sentence.end],
    )


def _words_quoted(context: ContextUnit, words: str) -> Evidence:
    """A free quotation, located byte for byte; its first place counts where the law repeats itself."""
    at = context.text.find(words) if words.strip() else -1
    if at < 0:
        raise ItemRejectedError(
            Reason.QUOTATION_NOT_FOUND, "The quoted words do not stand in the law.", words
        )
    start = context.start + at
    around = [sentence for sentence in context.sentences if sentence.start <= start < sentence.end]
    return Evidence(
        context_unit_id=context.id,
        unit_id=around[0].unit_id if around else context.unit_ids[0],
        sentence=around[0].number if around else None,
        start=start,
        end=start + len(words),
        quotation=words,
    )
