"""The commands, each loaded only when it runs, and the one place where errors become a sentence."""

from __future__ import annotations

import os
import sys
from importlib.metadata import version as installed_version
from typing import Annotated

import typer

from claimrag.flows.cli import bench, build, doctor, laws, parse, stages
from claimrag.flows.cli.output import complain
from claimrag.schemas.errors import ClaimragError

PREFECT_DEFAULTS = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    # A first run compiles bytecode and migrates a database; twenty seconds are not enough on a small machine.
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "90",
    "PREFECT_LOGGING_LEVEL": "ERROR",
    "PREFECT_LOGGING_TO_API_ENABLED": "true",
}

app = typer.Typer(
    name="claimrag",
    help="Turn a law into a claim-level RAG benchmark.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("build")(build.build)
app.command("laws")(laws.laws)
app.command("acquire")(laws.acquire)
app.command("parse")(parse.parse)
app.command("chunk")(parse.chunk)
app.command("generate")(stages.generate)
app.command("claims")(stages.claims)
app.command("validate")(stages.validate)
app.command("evaluate")(stages.evaluate)
app.command("release")(stages.release)
app.command("bench")(bench.bench)
app.command("doctor")(doctor.doctor)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"claimrag {installed_version('claimrag')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Turn a law into a claim-level RAG benchmark: questions, exact quotations, claims, scores, a dataset."""
    del version


def run() -> None:
    """Run the command line; a ClaimragError becomes one sentence on standard error and its exit code."""
    for name, value in PREFECT_DEFAULTS.items():
        os.environ.setdefault(name, value)
    try:
        app()
    except ClaimragError as error:
        complain(str(error))
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        complain("stopped; what was made so far is kept, run the same command to go on")
        sys.exit(130)
