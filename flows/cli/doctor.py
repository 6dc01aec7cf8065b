"""`claimrag doctor`: is everything here that a build needs?"""

from __future__ import annotations

from typing import Annotated

import typer

from claimrag.flows.cli.options import Json, Preset, Workspace
from claimrag.flows.cli.output import console, print_json, table

Ask = Annotated[
    bool, typer.Option("--ask", help="Also send each model endpoint one small request (some forty tokens).")
]


def doctor(
    workspace: Workspace = None, preset: Preset = None, ask: Ask = False, json_output: Json = False
) -> None:
    """Check models, endpoints, keys (present or not, never shown), disk and Prefect; exits 1 on a failure."""
    from claimrag.flows.temporary_server import configured_server
    from claimrag.schemas.settings import load_settings
    from claimrag.tasks.doctor import examine

    settings = load_settings(workspace=workspace, preset=preset)
    checks = examine(settings, prefect_api_url=configured_server(), ask=ask)
    if json_output:
        print_json([check.model_dump(mode="json") for check in checks])
    else:
        rows = [[check.name, str(check.state), check.detail, check.remedy or ""] for check in checks]
        console.print(table("claimrag doctor", ["check", "state", "detail", "remedy"], rows))
    if any(str(check.state) == "failed" for check in checks):
        raise typer.Exit(1)
