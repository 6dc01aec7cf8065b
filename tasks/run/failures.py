"""Laws that fail leave the others running: which failed and why is noted, and the rest goes on without them.

Only what is wrong with one law counts: its source, its text, a stage that kept none of its rows. What every law
would meet (a setting, the endpoint, the budget, the workspace) ends the run at once, as a bug does.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from typing import Any, TypeVar

from claimrag.schemas.build import LawFailure
from claimrag.schemas.errors import ClaimragError, EmptyStageError, InputError, SettingsError
from claimrag.tasks.run.runtime import Runtime

L = TypeVar("L")
R = TypeVar("R")
NAMED = 5
"""How many laws a sentence names; the summary and the manifest hold all of them."""


async def each_law(
    runtime: Runtime,
    laws: Iterable[L],
    work: Callable[[L], Coroutine[Any, Any, R]],
    label: Callable[[L], str] = str,
) -> dict[L, R]:
    """What `work` gives for each law that it succeeds for, in order; the others are noted in `runtime.failures`.

    Raises the error itself where there is one law, and one that names them where all laws of the run have failed.
    """
    errors: list[ClaimragError] = []

    async def one(law: L) -> tuple[L, R] | None:
        try:
            return law, await work(law)
        except ClaimragError as error:
            if not is_of_one_law(error):
                raise
            errors.append(error)
            runtime.failures.append(LawFailure(law=label(law), sentence=str(error)))
            runtime.progress.say(f"failed, while the other laws go on: {failed_laws(runtime.failures[-1:])}")
            return None

    results = await runtime.together(one(law) for law in laws)
    survivors = dict(result for result in results if result is not None)
    if errors and not survivors:
        raise _all_failed(errors, runtime.failures)
    return survivors


def is_of_one_law(error: ClaimragError) -> bool:
    """Whether an error is about the law that was worked on, so that other laws need not meet it."""
    return isinstance(error, InputError | EmptyStageError) and not isinstance(error, SettingsError)


def failed_laws(failures: Iterable[LawFailure]) -> str:
    """The laws by name, the first of them with their reason."""
    named = [failed_law(failure.law, failure.sentence) for failure in failures]
    more = f"; and {len(named) - NAMED} more" if len(named) > NAMED else ""
    return "; ".join(named[:NAMED]) + more


def failed_law(law: str, sentence: str) -> str:
    """A law with its reason; most sentences name the law first."""
    return sentence if law in sentence else f"{law}: {sentence}"


def _all_failed(errors: list[ClaimragError], failures: list[LawFailure]) -> ClaimragError:
    if len(failures) == 1:
        return errors[0]
    error = type(errors[0])(f"none of the {len(failures)} laws could be built: {failed_laws(failures)}")
    error.__cause__ = errors[0]
    return error
