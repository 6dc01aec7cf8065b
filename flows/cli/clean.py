"""`claimrag clean`: remove from a workspace what nothing points to any more."""

from __future__ import annotations

from typing import Annotated

import typer

from claimrag.flows.cli.options import Json, Workspace
from claimrag.flows.cli.output import print_json, print_lines


def clean(
    workspace: Workspace = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be removed.")] = False,
    json_output: Json = False,
) -> None:
    """Remove tables and files that nothing points to; what a build uses stays."""
    from claimrag.schemas.settings import load_settings
    from claimrag.tasks.store import Workspace as Store

    store = Store.open(load_settings(workspace=workspace).workspace, create=False)
    removed = store.clean(dry_run=dry_run)
    freed = sum(file.size for file in removed)
    if json_output:
        files = [file.model_dump(mode="json") for file in removed]
        print_json({"removed": files, "bytes": freed, "dry_run": dry_run})
        return
    print_lines(*(f"{file.path}: {file.size:,} bytes, {file.why}" for file in removed))
    would = "would be " if dry_run else ""
    print_lines(f"{len(removed)} files {would}removed, {freed:,} bytes {would}freed")
