"""Plan: what a build would redo, why, and what it would ask of models and cost."""

from __future__ import annotations

from claimrag.schemas.asked import Work
from claimrag.schemas.base import ActId, Noun, QuestionId


class WorkPlan(Noun):
    """One kind of work in one language. `items` must be asked about; `known` more are at hand and cost nothing.

    `items` of work that rests on replies nobody has seen yet, and what follows from them, are estimates, as calls and
    tokens are. `first_calls` are the requests that are known for sure. `cost_usd` is None without a price.
    """

    work: Work
    language: str
    items: float
    known: int
    first_calls: int
    calls: float
    prompt_tokens: float
    completion_tokens: float
    cost_usd: float | None


class TablePlan(Noun):
    """A table that would be made again, and why: what has changed since it was made; nothing for a new one."""

    stage: str
    scope: str
    why: tuple[str, ...] = ()


class Withdrawn(Noun):
    """A question that would hold no more, and the units of the law that it rests on."""

    question_id: QuestionId
    because: str


class LawPlan(Noun):
    """One act. `compared_with` is the version that the workspace holds now, None for a law that is new to it.

    `articles` counts units of the first level (articles, recitals, annexes) by what became of them; the context units
    are those that the workspace has never held, of all.
    """

    act_id: ActId
    compared_with: ActId | None
    changed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0
    context_units: int = 0
    new_context_units: int = 0
    questions_kept: int = 0
    withdrawn: tuple[Withdrawn, ...] = ()


class Plan(Noun):
    """What a build of `laws` in `workspace` would do. `averages` says what the estimates rest on.

    `open` names what cannot be estimated and is not in the sums.
    """

    workspace: str
    laws: tuple[LawPlan, ...]
    work: tuple[WorkPlan, ...]
    again: tuple[TablePlan, ...]
    averages: str
    open: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()

    @property
    def calls(self) -> int:
        """Requests in all, rounded."""
        return round(sum(one.calls for one in self.work))

    @property
    def tokens(self) -> tuple[int, int]:
        """Prompt and completion tokens in all, rounded."""
        return round(sum(one.prompt_tokens for one in self.work)), round(
            sum(one.completion_tokens for one in self.work)
        )

    @property
    def cost_usd(self) -> float | None:
        """US dollars in all; None where some work has no price."""
        costs = [one.cost_usd for one in self.work if one.calls]
        return None if any(cost is None for cost in costs) else sum(cost or 0.0 for cost in costs)
