"""`claimrag deploy`: pools, limit, variable, deployments and automations on a Prefect server, as often as you like."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from claimrag.flows.cli.options import Json, Workspace
from claimrag.flows.cli.output import console, print_json, print_lines, table
from claimrag.schemas.errors import SettingsError

if TYPE_CHECKING:
    from claimrag.flows.deployment.outcome import Outcome
    from claimrag.schemas.settings import Settings


def deploy(
    paused: Annotated[
        bool, typer.Option("--paused", help="Nothing starts by itself: schedules and triggers are off.")
    ] = False,
    pool: Annotated[
        str | None, typer.Option(help="One work pool for every deployment, in place of cpu and gpu.")
    ] = None,
    workspace: Workspace = None,
    llm_tasks: Annotated[
        int | None, typer.Option(min=1, help="Tasks that ask a model at once, over all runs; at first 8.")
    ] = None,
    webhook_block: Annotated[
        str | None,
        typer.Option(help="A Webhook block of the server to post bad runs to; none: webhook_url, if set."),
    ] = None,
    json_output: Json = False,
) -> None:
    """Make the deployments on your Prefect server, and all they need; the same again changes nothing."""
    import asyncio

    from claimrag.schemas.settings import load_settings

    settings = load_settings(workspace=workspace)
    _require_server()
    from claimrag.flows.deployment.apply import DeployRequest, deploy

    given = None if workspace is None else _absolute(settings)
    outcomes = asyncio.run(
        deploy(
            DeployRequest(
                folder=str(Path.cwd()),
                workspace=given,
                default_workspace=_absolute(settings),
                paused=paused,
                pool=pool,
                llm_tasks=llm_tasks,
                webhook_url=settings.webhook_url,
                webhook_block=webhook_block,
            )
        )
    )
    if json_output:
        print_json([outcome.model_dump(mode="json") for outcome in outcomes])
    else:
        _show(outcomes, pool)


def _require_server() -> None:
    """Raise one sentence where Prefect has no server, or it is away: a temporary one would forget everything."""
    from claimrag.flows.proxies import reach_loopback_directly, refuse_unusable_proxies
    from claimrag.flows.temporary_server import check_reachable, configured_server

    reach_loopback_directly()
    address = configured_server()
    if address is None:
        raise SettingsError(
            "PREFECT_API_URL is not set, and deployments live on a server; start one with `prefect server start` "
            "and set PREFECT_API_URL=http://127.0.0.1:4200/api"
        )
    refuse_unusable_proxies()
    check_reachable(address)


def _absolute(settings: Settings) -> str:
    """A folder as every process on this machine finds it; an address as it is."""
    where = settings.workspace
    return where if "://" in where else str(Path(where).absolute())


def _show(outcomes: list[Outcome], pool: str | None) -> None:
    rows = [[each.done, each.kind, each.name, each.detail] for each in outcomes]
    console.print(table("Prefect", ["done", "what", "name", "detail"], rows, fixed={"done", "what", "name"}))
    print_lines(f"next: prefect worker start --pool {pool or 'cpu'}")
