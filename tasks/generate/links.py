"""Links between provisions: the two statements of different context units that speak most of the same thing.

A multi-hop question about two or three provisions is asked about such a pair, so that a small model has two
rules to join instead of two pages to choose from. Larger windows are left to the model, as in the paper.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from claimrag.schemas.context import ContextUnit
from claimrag.tasks.generate.quantities import quantities_in
from claimrag.tasks.generate.seeds import rank
from claimrag.tasks.generate.selection import refers
from claimrag.tasks.generate.statements import Statement, list_statements
from claimrag.tasks.generate.wording import stems

_MOST_UNITS = 3
_REFERENCE = 0.25
_FACTS = 0.3
_FEW_WORDS, _MANY_WORDS = 8, 80


def linked_statements(
    window: Sequence[ContextUnit], act_text: str, seed: int
) -> tuple[tuple[int, Statement], ...]:
    """Two statements with the positions (from 1) of their units in the window; empty for a large window."""
    if len(window) > _MOST_UNITS:
        return ()
    statements = [
        (position, statement, stems(statement.text(act_text)))
        for position, context in enumerate(window, start=1)
        for statement in list_statements(context, act_text)
        if _FEW_WORDS <= len(statement.text(act_text).split()) <= _MANY_WORDS
    ]
    frequency = Counter(word for _, _, words in statements for word in words)
    best: tuple[float, str, tuple[tuple[int, Statement], ...]] | None = None
    for one, other in combinations(statements, 2):
        if one[0] == other[0]:
            continue
        # A word that only few statements use links them more closely than one that all of them use.
        link = sum(1 / frequency[word] for word in one[2] & other[2]) / (len(one[2]) * len(other[2])) ** 0.5
        texts = (one[1].text(act_text), other[1].text(act_text))
        if refers(texts[0], other[1].context) or refers(texts[1], one[1].context):
            link += _REFERENCE
        if all(quantities_in(text, window[0].language) for text in texts):
            link += _FACTS
        tie = rank(seed, one[1].context.id, str(one[1].numbers), str(other[1].numbers))
        if best is None or (round(link, 6), tie) > best[:2]:
            best = (round(link, 6), tie, ((one[0], one[1]), (other[0], other[1])))
    return best[2] if best else ()
