"""Statements: the smallest groups of sentences that say something complete, cut along the unit tree.

A point of a list says nothing without the words that introduce it, nor "It may be renewed once" without the
sentence before. A statement is a sentence with such lead-ins, or a lead-in with all its points. A question
is asked about one statement, so that its evidence is known before the model writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from claimrag.schemas.context import ContextUnit, Sentence
from claimrag.tasks.generate.patterns import any_of, words

_MOST_SENTENCES = 6
POINTS_BACK = any_of(
    before=r"(?:[\W\d]*\s)?",  # the sentence's printed number: "2. It shall ..."
    pronoun_en=words("It They He She This These Those That Such"),
    linking_en=words("However, Otherwise, In that case"),
    pronoun_fr=words("Ils? Elles? Celui-ci Celle-ci Ceux-ci Celles-ci"),
    determiner_fr=words("Ce Cet Cette Ces Son Sa Ses Leurs?"),
    ordinal_fr=words("La première, Le premier, La seconde, Le second"),
    linking_fr=words("Toutefois, Sinon, À défaut, Passé ce, Dans ce cas"),
    ignore_case=False,
)
"""The beginning of a sentence that is not understood without the one before."""


@dataclass(frozen=True)
class Statement:
    """Sentences of one context unit, in order; `lead_ins` are those that only introduce the others."""

    context: ContextUnit
    sentences: tuple[Sentence, ...]
    lead_ins: frozenset[int] = frozenset()

    @property
    def numbers(self) -> tuple[int, ...]:
        """The sentences' numbers in the context unit."""
        return tuple(sentence.number for sentence in self.sentences)

    @property
    def core(self) -> tuple[int, ...]:
        """The numbers of the sentences that are no lead-in."""
        return tuple(number for number in self.numbers if number not in self.lead_ins)

    def completed(self, cited: Sequence[int | str]) -> list[int | str]:
        """What a model cites of the statement, with its lead-ins; all of it where nothing of its core is cited."""
        core = [mark for mark in cited if mark in self.core or isinstance(mark, str)]
        return [*sorted(self.lead_ins), *(core or self.core)]

    def text(self, act_text: str) -> str:
        """The words of its sentences on one line."""
        return " ".join(" ".join(act_text[one.start : one.end].split()) for one in self.sentences)


def sentence_statements(context: ContextUnit, act_text: str) -> list[Statement]:
    """One statement per sentence that is no lead-in itself, each with what it needs to be understood."""
    last_lead_in: dict[str, Sentence] = {}
    found = []
    for sentence in context.sentences:
        if _introduces(sentence, act_text):
            last_lead_in[sentence.unit_id] = sentence
        else:
            above = _lead_ins(sentence, last_lead_in) or _antecedent(context, sentence, act_text)
            found.append(Statement(context, (*above, sentence), frozenset(one.number for one in above)))
    return found


def list_statements(context: ContextUnit, act_text: str) -> list[Statement]:
    """A lead-in with all its points as one statement where that is short enough; else as `sentence_statements`."""
    grouped: dict[int, list[Statement]] = {}
    for statement in sentence_statements(context, act_text):
        grouped.setdefault(min(statement.numbers), []).append(statement)
    found: list[Statement] = []
    for group in grouped.values():
        sentences = {one.number: one for statement in group for one in statement.sentences}
        if len(group) > 1 and len(sentences) <= _MOST_SENTENCES:
            lead_ins = frozenset().union(*(statement.lead_ins for statement in group))
            ordered = tuple(sentences[number] for number in sorted(sentences))
            found.append(Statement(context, ordered, lead_ins))
        else:
            found.extend(group)
    return found


def _introduces(sentence: Sentence, act_text: str) -> bool:
    return act_text[sentence.start : sentence.end].rstrip().endswith(":")


def _lead_ins(sentence: Sentence, last_lead_in: Mapping[str, Sentence]) -> list[Sentence]:
    """For each unit above the sentence, its last lead-in before the sentence."""
    parts = sentence.unit_id.split(".")
    above = (".".join(parts[:length]) for length in range(1, len(parts)))
    return sorted((last_lead_in[unit] for unit in above if unit in last_lead_in), key=lambda one: one.number)


def _antecedent(context: ContextUnit, sentence: Sentence, act_text: str) -> list[Sentence]:
    """The sentence before one that begins by pointing back ("It shall reply within ...")."""
    if sentence.number > 1 and POINTS_BACK.match(act_text, sentence.start, sentence.end):
        return [context.sentences[sentence.number - 2]]
    return []
