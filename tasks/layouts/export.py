"""Export: a release written in the layout of another tool, with a README that says what it is and is not."""

from __future__ import annotations

from claimrag.schemas.base import Noun
from claimrag.tasks.layouts.folder import ExportedFile, ExportFolder
from claimrag.tasks.layouts.registry import find_layout
from claimrag.tasks.layouts.source import ReleaseRows


class Export(Noun):
    """What was written: `left_out` counts what the layout has no place for, by what it is."""

    layout: str
    folder: str
    release: str
    version: str
    files: tuple[ExportedFile, ...]
    left_out: dict[str, int]


def export_release(source: ReleaseRows, layout: str, to: str) -> Export:
    """Write the release in that layout to the folder `to`, which must hold no file.

    Raises InputError for an unknown layout, a folder that is not empty and a release without the rows that the layout
    needs; StoreError for a release that is not as it was made, and for what cannot be written. A failure leaves no
    file.
    """
    chosen = find_layout(layout)
    folder = ExportFolder(to)
    source.check(chosen.needs)
    with folder.undone_on_failure():
        chosen.write(source, folder)
        done = Export(
            layout=chosen.name,
            folder=folder.root,
            release=source.folder,
            version=source.release.version,
            files=tuple(folder.files),
            left_out=dict(sorted(folder.left_out.items())),
        )
        folder.finish(_readme(done, chosen.about))
    return done


def _readme(done: Export, about: str) -> str:
    files = "\n".join(f"- `{file.path}`: {file.rows:,} rows" for file in done.files)
    left_out = "".join(f"- left out: {count:,} {what}\n" for what, count in done.left_out.items())
    return (
        f"# Release {done.version} in the layout {done.layout}\n\n{about}\n\n{files}\n{left_out}\n"
        f"{UNREVIEWED} The card of the release names the laws, their licences and attributions, and how the rows "
        "were made.\n"
    )


UNREVIEWED = "Rows are a model's output that no expert has reviewed, unless their `review` says otherwise."
