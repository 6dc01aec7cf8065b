"""How a flow run ends in Prefect: completed, or completed with the name Partial and the reason.

Partial is no failure: what could be made is made, checked and released, and a failed run would be tried again by
those who retry failures. It is not plainly completed either, since rows or laws are missing. A state of the type
COMPLETED with a name of its own is what an automation can wait for (`expect: prefect.flow-run.Partial`), and its
message says what is missing.
"""

from __future__ import annotations

from typing import Any, TypeVar

from prefect.states import Completed

from claimrag.schemas.build import BuildSummary, StageReport

PARTIAL = "Partial"
_LONGEST = 2_000

T = TypeVar("T", BuildSummary, StageReport)


def ended(result: T) -> T:
    """The result of a flow, or, where it is partial, the state that carries it: Prefect gives callers the result."""
    if result.exit_code == 0:
        return result
    state: Any = Completed(name=PARTIAL, message=result.verdict[:_LONGEST], data=result)
    return state  # type: ignore[no-any-return]
