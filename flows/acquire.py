"""Asks publishers whether laws have changed, and tells Prefect which: an event that a deployment can wait for.

One event per changed law, as soon as it is known, so that a failure of a later law loses none. A law that cannot be
fetched or read leaves the others to be asked: the run ends Partial and says which.
"""

from __future__ import annotations

import asyncio

from prefect import flow, get_run_logger
from prefect.events import emit_event

from claimrag.flows.run_names import check_name
from claimrag.flows.states import ended
from claimrag.schemas.build import LawFailure, StageReport
from claimrag.schemas.errors import ClaimragError
from claimrag.schemas.law_check import ChangedLaw, LawCheckRequest
from claimrag.schemas.settings import load_settings
from claimrag.tasks.acquire.fetch import Fetcher
from claimrag.tasks.acquire.naming import NamedLaw
from claimrag.tasks.parse.check_laws import check_law, laws_to_check
from claimrag.tasks.run.failures import failed_laws, is_of_one_law
from claimrag.tasks.store import Workspace

LAW_CHANGED = "claimrag.law.changed"


@flow(
    name="acquire-laws",
    flow_run_name=check_name,
    description=__doc__,
    validate_parameters=True,
    persist_result=False,
)
async def acquire_laws(request: LawCheckRequest | None = None) -> StageReport:
    """Ask publishers for laws again, and emit an event for each that changed.

    Args:
        request: Which laws, of which publisher, in which workspace. The pace of requests is a setting of the machine
            that runs the flow.
    """
    request, log = request or LawCheckRequest(), get_run_logger()
    settings = load_settings(workspace=request.workspace)
    workspace = await asyncio.to_thread(Workspace.open, settings.workspace)
    changed: list[ChangedLaw] = []
    failures: list[LawFailure] = []
    laws = laws_to_check(request, workspace)
    async with Fetcher(settings.acquire) as fetcher:
        for languages in laws:
            try:
                change = await check_law(languages, workspace, settings.acquire, fetcher)
            except ClaimragError as error:
                if not is_of_one_law(error):
                    raise
                failures.append(LawFailure(law=languages[0].name, sentence=str(error)))
                log.error("failed, while the other laws are asked about: %s", failed_laws(failures[-1:]))
            else:
                log.info("%s", change.sentence if change else f"{_called(languages[0])}: no change")
                if change is not None:
                    emit_change(change, request.workspace)
                    changed.append(change)
    return ended(_report(len(laws), changed, failures))


def emit_change(change: ChangedLaw, workspace: str | None) -> None:
    """Emit `claimrag.law.changed` of the law, with its acts, its publisher and what to build related."""
    emit_event(
        LAW_CHANGED,
        resource={
            "prefect.resource.id": f"claimrag.law.{change.law}",
            "prefect.resource.name": f"{change.law} {change.version}",
            "claimrag.publisher": change.publisher,
        },
        related=[
            {"prefect.resource.id": f"claimrag.act.{act}", "prefect.resource.role": "act"}
            for act in change.acts
        ]
        + [
            {
                "prefect.resource.id": f"claimrag.publisher.{change.publisher}",
                "prefect.resource.role": "publisher",
            }
        ],
        payload={**change.model_dump(mode="json"), "workspace": workspace},
    )


def _called(law: NamedLaw) -> str:
    return f"{law.name} {law.version}"


def _report(asked: int, changed: list[ChangedLaw], failures: list[LawFailure]) -> StageReport:
    """Raises ClaimragError where every law failed."""
    if failures and len(failures) == asked:
        raise ClaimragError(f"none of the {asked} laws could be asked about: {failed_laws(failures)}")
    laws = "1 law" if asked == 1 else f"{asked} laws"
    verdict = f"asked about {laws}, {len(changed)} changed"
    if failures:
        verdict += f", {len(failures)} failed: {failed_laws(failures)}"
    return StageReport(
        stages=(),
        sentences=tuple(change.sentence for change in changed),
        exit_code=3 if failures else 0,
        verdict=verdict,
    )
