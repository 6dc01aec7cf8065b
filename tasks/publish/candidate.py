"""A release that may be published: which one it is, and what a person should see who decides."""

from __future__ import annotations

from claimrag.schemas.errors import InputError
from claimrag.schemas.release import Release
from claimrag.tasks.publish.publication import Publication
from claimrag.tasks.release.folder import latest_release, read_release
from claimrag.tasks.release.step import releases_of
from claimrag.tasks.store import Workspace
from claimrag.tasks.store.files import read_if_there
from claimrag.tasks.validate.markdown import literal, table

_REPORT_CHARACTERS = 20_000
_FILES = 50


def candidate(workspace: Workspace, version: str | None) -> Release:
    """The release of that version, or the latest; InputError where the workspace holds none."""
    store = releases_of(workspace)
    release = latest_release(store) if version is None else read_release(store, version)
    if release is None:
        raise InputError(f"workspace {workspace.shown} holds no release; run `claimrag release` first")
    return release


def proposal_markdown(workspace: Workspace, release: Release, proposed: Publication) -> str:
    """What would be published, how it differs from what is there, and what the last validation said."""
    files = [
        (literal(path), state)
        for state, paths in proposed.files.model_dump().items()
        if state != "unchanged"
        for path in paths
    ]
    more = [(f"and {len(files) - _FILES} more", "")] if len(files) > _FILES else []
    verdict, _, details = _validation(workspace).partition("\n\n")
    rows = [(f"`{name}`", count) for name, count in release.rows.items()]
    before = f"after {release.previous}" if release.previous else "the first release"
    parts = [
        f"# {literal(proposed.dataset)}, {literal(proposed.tag)}",
        f"Release {release.version}, {before}, of {len(release.acts)} dated versions of laws. No expert has reviewed "
        "its rows: they are a model's output.",
        f"The last validation of the workspace: {verdict}",
        "## What would change in the dataset",
        table(("file", "change"), files[:_FILES] + more) if files else "No file: only the tag is missing.",
        "## What the release holds",
        table(("configuration", "rows"), rows, numbers_from=1),
        *(("## The validation", details) if details.strip() else ()),
    ]
    return "\n\n".join(parts) + "\n"


def _validation(workspace: Workspace) -> str:
    raw = read_if_there(workspace.fs, workspace.path("reports", "validation.md"))
    if raw is None:
        return "there is none: run `claimrag validate`."
    text = raw.decode("utf-8", "replace")
    return (
        text
        if len(text) <= _REPORT_CHARACTERS
        else f"{text[:_REPORT_CHARACTERS]}\n\nand more: see its report"
    )
