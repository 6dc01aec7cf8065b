"""The public functions of claimrag: parse a law, build a benchmark, open a release. `import claimrag` gives them.

They do what the commands of the same names do, and raise the errors of claimrag.schemas.errors instead of printing
a sentence. Keys and endpoints come from the settings, never from arguments.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from claimrag.legal_sources.parsed import ParsedAct
from claimrag.schemas.build import BuildSummary
from claimrag.schemas.release import Release

if TYPE_CHECKING:
    from datasets import Dataset


def parse(
    law: str | Path,
    *,
    language: str | None = None,
    law_version: str | None = None,
    title: str | None = None,
    date: dt.date | None = None,
    licence: str | None = None,
    workspace: str | None = None,
) -> ParsedAct:
    """Parse a law: a file, or a law of the catalogue by id, CELEX, ELI or address.

    A file is read where it lies; `title`, `date` and `licence` say what it does not say itself. A law of the
    catalogue is fetched into the workspace unless it is there. Look at `health.ok` before using the result. Raises
    InputError or SourceError.
    """
    from claimrag.tasks.acquire.naming import name_law, with_details
    from claimrag.tasks.parse.snapshot import read_file, read_law

    named = name_law(str(law), language=language, version=law_version)
    (named,) = with_details([named], title=title, date=date, licence=licence)
    if named.path is not None:
        return read_file(named)[0]
    return read_law(named, workspace)


def build(
    *laws: str | Path,
    workspace: str | None = None,
    units: int | None = None,
    windows: int | None = None,
    evaluate: bool = True,
    law_version: str | None = None,
    languages: Sequence[str] = (),
    title: str | None = None,
    date: dt.date | None = None,
    licence: str | None = None,
    release_version: str | None = None,
    full: bool = False,
    preset: str | None = None,
) -> BuildSummary:
    """Run the pipeline from the laws to a release folder; without laws, on the sample laws.

    Blocks until the end, and starts a Prefect server of its own where PREFECT_API_URL names none. Not for use
    inside a running event loop: await `claimrag.flows.build.build_benchmark` there. `exit_code` of the summary is
    3 where too much was lost to malfunctions. Raises ClaimragError.
    """
    from claimrag.flows.cli.run import build_request, run_flow

    request = build_request(
        laws=tuple(map(str, laws)),
        workspace=workspace,
        units=units,
        windows=windows,
        evaluate=evaluate,
        law_version=law_version,
        languages=tuple(languages),
        title=title,
        date=date,
        licence=licence,
        release_version=release_version,
        full=full,
        preset=preset,
    )
    return run_flow("claimrag.flows.build", "build_benchmark", request, BuildSummary)


@dataclass(frozen=True)
class OpenedRelease:
    """A release folder whose files have the hashes that its record states."""

    release: Release
    folder: Path

    def table(self, configuration: str) -> Dataset:
        """The rows of a configuration (`qa`, `claims`, `corpus` ...) as a `datasets.Dataset`."""
        from datasets import load_dataset

        return load_dataset(str(self.folder), configuration, split="test")


def open_release(source: str | Path, version: str | None = None) -> OpenedRelease:
    """Open a release: its folder, a folder of releases with the `version`, or a dataset on the Hugging Face Hub.

    A dataset is `organisation/name` with its `version`, as in 1.2.0: its tag is fetched into the Hub's own cache; the
    token is HF_TOKEN or that of the Hub's login, where one is needed. Raises InputError for a dataset without a
    version, StoreError where there is no such release, or a file is missing or differs from its recorded SHA-256.
    """
    from claimrag.tasks.release.folder import release_in

    place = Path(source)
    if place.is_dir() or "/" not in str(source).strip("/."):
        folder = place if version is None else place / version
    else:
        from claimrag.tasks.publish.download import downloaded

        folder = downloaded(str(source), version)
    return OpenedRelease(release_in(folder), folder)
