"""Options that several commands share, so that each has one name and one meaning."""

from __future__ import annotations

from typing import Annotated

import typer

Workspace = Annotated[str | None, typer.Option(help="Workspace folder or address.")]
Preset = Annotated[
    str | None,
    typer.Option(help="Settings by name, for what is set nowhere else; claimrag-law: the paper's."),
]
Units = Annotated[int | None, typer.Option(min=1, help="Context units per act.")]
Windows = Annotated[int | None, typer.Option(min=1, help="Multi-hop windows per act.")]
Full = Annotated[bool, typer.Option("--full", help="Lift the local model's default limits.")]
NoEvaluate = Annotated[bool, typer.Option("--no-evaluate", help="Leave out the RAG baselines.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON value.")]
ReleaseVersion = Annotated[
    str | None, typer.Option("--release-version", help="Of the release, as in 1.2.0; none: the next one.")
]
LawVersion = Annotated[
    str | None,
    typer.Option("--law-version", help="Of the law, as `claimrag laws` lists it; none: the first listed."),
]
Languages = Annotated[
    list[str] | None, typer.Option("--language", help="en or fr; may be repeated; none: all there are.")
]
Title = Annotated[
    str | None, typer.Option("--title", help="Of the law in your file, where the file does not name it.")
]
Date = Annotated[
    str | None, typer.Option("--date", help="Of the law in your file, as in 2024-01-31, where it has none.")
]
Licence = Annotated[
    str | None, typer.Option("--licence", help="Of the law in your file, where the file states none.")
]
