"""Plans what to ask of a context unit: for each category, the statement that its question is about.

Categories get different statements where the unit has enough of them, so that questions do not repeat one
another. Rules and seeds decide; no model is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from claimrag.schemas.context import ContextUnit
from claimrag.schemas.question import Category, FalsePremise, Persona
from claimrag.tasks.generate.alteration import choose_alteration
from claimrag.tasks.generate.desk import Desk
from claimrag.tasks.generate.legal_marks import CONDITION, NAMED_BODY, NORM, POINTS_ELSEWHERE, TIME_OR_PLACE
from claimrag.tasks.generate.quantities import quantities_in
from claimrag.tasks.generate.seeds import choose_persona, rank
from claimrag.tasks.generate.statements import Statement, list_statements, sentence_statements

_FEW_WORDS, _MANY_WORDS = 9, 90
_Score = Callable[[str], int]


@dataclass(frozen=True)
class Item:
    """One question to write. Without a statement the category does not suit the context unit.

    `detail` is the number or date that a factual question asks for, if there is one.
    """

    name: str
    category: Category
    persona: Persona
    statement: Statement | None
    false_premise: FalsePremise | None = None
    detail: str | None = None


def plan_items(desk: Desk, context: ContextUnit) -> list[Item]:
    """The items of a context unit, in the order of the settings' categories.

    Each category is considered once, factual recall up to `factual_per_unit` times.
    """
    planner = _Planner(desk, context)
    # The pickiest categories choose first; the order of the items is that of the settings.
    chosen = {
        category: planner.items(category)
        for category in _PICKIEST_FIRST
        if category in desk.settings.categories
    }
    return [item for category in desk.settings.categories for item in chosen[category]]


_PICKIEST_FIRST = (
    Category.FALSE_PREMISE,
    Category.JURISDICTION_TIME,
    Category.FACTUAL_RECALL,
    Category.GENERAL_RESEARCH,
)


class _Planner:
    def __init__(self, desk: Desk, context: ContextUnit) -> None:
        self._desk, self._context = desk, context
        self._sentences = sentence_statements(context, desk.text)
        self._lists = list_statements(context, desk.text)
        self._used: set[int] = set()

    def items(self, category: Category) -> list[Item]:
        """The items of one category; marks their sentences as used."""
        if category is Category.FALSE_PREMISE:
            return [self._false_premise()]
        if category is Category.FACTUAL_RECALL:
            wanted = self._ranked(self._sentences, self._states_a_fact)[
                : self._desk.settings.factual_per_unit
            ]
            if len(wanted) > 1:
                return [self._item(category, statement, str(max(statement.numbers))) for statement in wanted]
        elif category is Category.JURISDICTION_TIME:
            wanted = self._ranked(self._sentences, self._speaks_of_time_or_place)
        else:
            wanted = self._ranked(self._lists, self._explains)
        return [self._item(category, wanted[0] if wanted else None)]

    def _false_premise(self) -> Item:
        premise = choose_alteration(self._context, self._desk.text, self._desk.settings.seed)
        statement = None
        if premise is not None:
            statement = next((one for one in self._sentences if premise.sentence in one.core), None)
        item = self._item(Category.FALSE_PREMISE, statement)
        return replace(item, false_premise=premise if statement else None)

    def _item(self, category: Category, statement: Statement | None, suffix: str = "") -> Item:
        if statement is not None:
            self._used.update(statement.core)
        name = f"{self._context.id}/{category.value}" + (f"/{suffix}" if suffix else "")
        detail = self._detail(statement) if statement and category is Category.FACTUAL_RECALL else None
        return Item(name, category, choose_persona(self._desk.settings.seed, name), statement, detail=detail)

    def _detail(self, statement: Statement) -> str | None:
        """The last number with its unit, or date, of a statement: lead-ins state theirs first."""
        facts = quantities_in(statement.text(self._desk.text), self._context.language)
        return facts[-1] if facts else None

    def _ranked(self, statements: Sequence[Statement], score: _Score) -> list[Statement]:
        """Statements that score above 0: unused ones first, then by score, then by seed."""
        scored = [(self._points(statement, score), statement) for statement in statements]
        return [
            statement
            for points, statement in sorted(
                ((points, statement) for points, statement in scored if points > 0),
                key=lambda pair: (
                    not self._used.isdisjoint(pair[1].core),
                    -pair[0],
                    rank(self._desk.settings.seed, self._context.id, str(pair[1].numbers)),
                ),
            )
        ]

    def _points(self, statement: Statement, score: _Score) -> float:
        """Full points for a statement of readable length, half where it points elsewhere or is ill-sized."""
        text = statement.text(self._desk.text)
        points = float(score(text))
        if not _FEW_WORDS <= len(text.split()) <= _MANY_WORDS:
            points /= 2
        return points / 2 if POINTS_ELSEWHERE[self._context.language].search(text) else points

    def _states_a_fact(self, text: str) -> int:
        """A number with its unit or a date counts for more than a named body."""
        language = self._context.language
        return 2 * bool(quantities_in(text, language)) or int(bool(NAMED_BODY[language].search(text)))

    def _speaks_of_time_or_place(self, text: str) -> int:
        return int(bool(TIME_OR_PLACE[self._context.language].search(text)))

    def _explains(self, text: str) -> int:
        language = self._context.language
        return 1 + bool(NORM[language].search(text)) + 2 * bool(CONDITION[language].search(text))
