"""Repeated questions: the first is kept, the others are rejected and say what they repeat.

Exact, in the order given, for any number of questions: nearly equal questions are found through an index of
their rarest words (prefix filtering: Bayardo, Ma and Srikant 2007), not by comparing each with all others.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from claimrag.schemas.base import ContextUnitId
from claimrag.schemas.question import Category, Question
from claimrag.schemas.reason import Reason
from claimrag.schemas.rejected import Rejected
from claimrag.tasks.generate.reasons import STAGE
from claimrag.tasks.generate.wording import folded, stems
from claimrag.tasks.store.outcome import Outcome

_Group = tuple[tuple[ContextUnitId, ...], bool]


def drop_duplicates(questions: Sequence[Question]) -> Outcome[Question]:
    """The first of several equal questions, in the order given; the others are rejected.

    `duplicate`: a question of the same law and language with the same words was kept before. `near_duplicate`:
    one about the same context units has four fifths of the words in common (Jaccard index of the stems); a
    false premise is no near-duplicate of a question without one. Takes seconds of CPU for 100,000 questions.
    """
    words = [frozenset(stems(question.question)) for question in questions]
    rarity = Counter(word for one in words for word in one)
    kept: list[Question] = []
    rejected: list[Rejected] = []
    by_words: dict[tuple[str, str, str], Question] = {}
    by_group: defaultdict[_Group, _KeptWords] = defaultdict(lambda: _KeptWords(rarity))
    for question, own in zip(questions, words, strict=True):
        key = (question.law_id, question.language, folded(question.question))
        group = by_group[question.context_unit_ids, question.category is Category.FALSE_PREMISE]
        near = None if key in by_words else group.first_near(own)
        if key in by_words:
            rejected.append(_repeated(question, by_words[key], Reason.DUPLICATE))
        elif near is not None:
            rejected.append(_repeated(question, kept[near], Reason.NEAR_DUPLICATE))
        else:
            by_words[key] = question
            group.add(len(kept), own)
            kept.append(question)
    return Outcome(kept, rejected)


class _KeptWords:
    """The words of the kept questions of one group, found by their number and by the rarest of them.

    Sets of `a` and `b` words with four fifths of all their words in common share at least n = 4(a + b)/9 of
    them. So they share one of the first a - n + 1 words of the one and b - n + 1 of the other, whatever the
    order of words, as long as it is one order; with rare words first, few sets that are not near share one.
    """

    def __init__(self, rarity: Counter[str]) -> None:
        self._rarity = rarity
        self._kept: dict[int, frozenset[str]] = {}
        self._holding: defaultdict[tuple[int, int, str], list[int]] = defaultdict(list)

    def add(self, position: int, words: frozenset[str]) -> None:
        """Keep the words of the question at `position` of those kept."""
        self._kept[position] = words
        for place, word in enumerate(self._rarest_first(words)[: len(words) // 5 + 1]):
            self._holding[len(words), place, word].append(position)

    def first_near(self, words: frozenset[str]) -> int | None:
        """The position of the first kept question that has nearly the same words."""
        size, ordered = len(words), self._rarest_first(words)
        candidates: set[int] = set()
        for other_size in range(_rounded_up(4 * size, 5), 5 * size // 4 + 1):
            shared = _rounded_up(4 * (size + other_size), 9)
            for word in ordered[: size - shared + 1]:
                for place in range(other_size - shared + 1):
                    candidates.update(self._holding.get((other_size, place, word), ()))
        return min((place for place in candidates if _nearly_equal(words, self._kept[place])), default=None)

    def _rarest_first(self, words: frozenset[str]) -> list[str]:
        return sorted(words, key=lambda word: (self._rarity[word], word))


def _rounded_up(number: int, divisor: int) -> int:
    return -(-number // divisor)


def _nearly_equal(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether four fifths of all words of the two are words of both; counted, so that no rounding decides."""
    return bool(one) and 5 * len(one & other) >= 4 * len(one | other)


def _repeated(question: Question, original: Question, reason: Reason) -> Rejected:
    detail = f"The question repeats {original.id}: {original.question}"
    return Rejected(
        stage=STAGE, item=question.id, reason=reason, detail=detail, raw=question.model_dump_json()
    )
