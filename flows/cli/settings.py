"""`claimrag settings`: what is in force, and where each value comes from. Keys are never shown."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from claimrag.flows.cli.options import Full, Json, Preset, Workspace
from claimrag.flows.cli.output import console, print_json, table


def settings(
    workspace: Workspace = None,
    preset: Preset = None,
    full: Full = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="The reference, docs/settings.md.")] = False,
    json_output: Json = False,
) -> None:
    """Show every setting with its value and its origin; keys only as set or not set."""
    from claimrag.schemas.settings_in_force import settings_in_force
    from claimrag.schemas.settings_reference import settings_markdown

    if markdown:
        sys.stdout.write(settings_markdown())
        return
    rows = settings_in_force(workspace=workspace, preset=preset, full=full)
    if json_output:
        print_json([row.model_dump(mode="json") for row in rows])
        return
    cells = [[row.key, row.value, row.origin] for row in rows]
    console.print(table("Settings", ["setting", "value", "from"], cells, fixed={"setting"}))
