"""`claimrag publish ORGANISATION/NAME`: a release becomes one commit and one tag of a dataset on the Hub."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from claimrag.flows.cli.options import Json, ReleaseVersion, Workspace
from claimrag.flows.cli.output import console, print_json, print_lines, table

if TYPE_CHECKING:
    from claimrag.schemas.release import Release
    from claimrag.tasks.publish.publication import Publication

Dataset = Annotated[
    str | None,
    typer.Argument(help="The dataset on the Hub, as organisation/name; none: that of publish.dataset."),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Only show the files, their sizes, and what would change.")
]
Private = Annotated[bool, typer.Option("--private", help="Private, where the dataset is created now.")]


def publish(
    dataset: Dataset = None,
    workspace: Workspace = None,
    release_version: ReleaseVersion = None,
    private: Private = False,
    dry_run: DryRun = False,
    json_output: Json = False,
) -> None:
    """Publish a release on the Hugging Face Hub; doing it again changes nothing.

    The token is that of HF_TOKEN or of `hf auth login`. Users read by tag, and the tag is set only on a complete
    commit, so that nobody ever reads half a release. What others added to the dataset stays.
    """
    from claimrag.schemas.errors import InputError
    from claimrag.schemas.settings import load_settings
    from claimrag.tasks.publish.candidate import candidate
    from claimrag.tasks.publish.publication import hub_token, publish_release
    from claimrag.tasks.release.step import releases_of
    from claimrag.tasks.store import Workspace as Store

    settings = load_settings(workspace=workspace)
    dataset = dataset or settings.publish.dataset
    if dataset is None:
        raise InputError("no dataset is named: give organisation/name, or set publish.dataset")
    opened = Store.open(settings.workspace, create=False)
    release = candidate(opened, release_version)
    token = hub_token()
    if token is None and not dry_run:
        raise InputError("there is no token for the Hub: run `hf auth login`, or set HF_TOKEN")
    done = publish_release(
        releases_of(opened),
        release.version,
        dataset,
        token=token,
        endpoint=os.environ.get("HF_ENDPOINT"),
        private=private or settings.publish.private,
        dry_run=dry_run,
    )
    if json_output:
        print_json(done.model_dump(mode="json"))
    else:
        _show(done, release)


def _show(done: Publication, release: Release) -> None:
    sizes = {file.path: file.bytes for file in release.files}
    rows = [
        [path, f"{sizes[path]:,}" if path in sizes else "", state]
        for state, paths in done.files.model_dump().items()
        for path in paths
    ]
    console.print(table(f"{done.dataset} {done.tag}", ["file", "bytes", "change"], rows, right={"bytes"}))
    print_lines(*_sentences(done))


def _sentences(done: Publication) -> list[str]:
    rows = ", ".join(f"{name} {count:,}" for name, count in done.rows.items())
    load = f"load: load_dataset({done.dataset!r}, 'qa', revision={done.tag!r}, split='test')"
    unreviewed = "no expert has reviewed these rows: they are a model's output"
    if done.dry_run:
        steps = ", ".join(_WORDS[step.value] for step in done.steps) or "nothing: it is published already"
        return [f"rows: {rows}", f"would do: {steps}", unreviewed, "nothing was written"]
    what = "published, and read back" if done.steps else "was published already, and is as it was"
    return [f"rows: {rows}", unreviewed, f"release {done.version} {what}: {done.address}", load]


_WORDS = {"create": "create the dataset", "commit": "one commit", "tag": "the tag on it"}
