"""`claimrag export --layout NAME --to DIR`: a release becomes the files that another tool reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from claimrag.flows.cli.options import Json, ReleaseVersion, Workspace
from claimrag.flows.cli.output import console, print_json, print_sentences, shown_path, table
from claimrag.flows.cli.untrusted import visible

if TYPE_CHECKING:
    from claimrag.tasks.layouts.export import Export
    from claimrag.tasks.layouts.source import ReleaseRows

ReleaseFolder = Annotated[
    str | None,
    typer.Argument(metavar="RELEASE_FOLDER", help="A release; none: the latest of the workspace."),
]
LayoutName = Annotated[str, typer.Option("--layout", help="claimrag-law, ragchecker, beir or ragas.")]
To = Annotated[str, typer.Option("--to", metavar="DIR", help="A folder that is not there yet.")]


def export(
    layout: LayoutName,
    to: To,
    release_folder: ReleaseFolder = None,
    workspace: Workspace = None,
    release_version: ReleaseVersion = None,
    json_output: Json = False,
) -> None:
    """Write a release in the layout of another tool: ClaimRAG-LAW, RAGChecker, BEIR, RAGAS."""
    from claimrag.tasks.layouts.export import export_release
    from claimrag.tasks.layouts.registry import find_layout

    find_layout(layout)
    done = export_release(_source(release_folder, workspace, release_version), layout, to)
    if json_output:
        print_json(done.model_dump(mode="json"))
    else:
        _show(done)


def _source(release_folder: str | None, workspace: str | None, release_version: str | None) -> ReleaseRows:
    from claimrag.schemas.errors import InputError
    from claimrag.schemas.settings import load_settings
    from claimrag.tasks.layouts.source import ReleaseRows
    from claimrag.tasks.release.folder import latest_release, read_release
    from claimrag.tasks.release.step import releases_of
    from claimrag.tasks.store import Workspace as Store

    if release_folder is not None:
        if workspace is not None or release_version is not None:
            raise InputError(
                "a release folder was named; leave out --workspace and --release-version, which name one too"
            )
        return ReleaseRows.at(release_folder)
    opened = Store.open(load_settings(workspace=workspace).workspace, create=False)
    store = releases_of(opened)
    release = latest_release(store) if release_version is None else read_release(store, release_version)
    if release is None:
        raise InputError(
            f"workspace {opened.shown} holds no release; run `claimrag release` first, or name a release folder"
        )
    return ReleaseRows.of(store, release)


def _show(done: Export) -> None:
    from claimrag.tasks.layouts.export import UNREVIEWED

    rows = [[visible(file.path), f"{file.rows:,}"] for file in done.files]
    console.print(table(f"release {done.version} as {done.layout}", ["file", "rows"], rows, right={"rows"}))
    print_sentences(
        *(f"left out: {count:,} {what}" for what, count in done.left_out.items()),
        UNREVIEWED,
        f"written to {visible(shown_path(done.folder))}",
    )
