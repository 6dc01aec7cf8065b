"""The commands, each loaded only when it runs, and the one place where errors become a sentence."""

from __future__ import annotations

import os
import sys
import traceback
from importlib.metadata import version as installed_version
from typing import Annotated, Any

import typer

from claimrag.flows.cli import (
    bench,
    build,
    clean,
    deploy,
    doctor,
    export,
    laws,
    parse,
    plan,
    publish,
    question_import,
    rejected,
    settings,
    show,
    stages,
    status,
)
from claimrag.flows.cli.ending import ending
from claimrag.flows.cli.failures import explain
from claimrag.flows.cli.journal import Journal, journal_of
from claimrag.flows.cli.output import complain, spell_out_what_cannot_be_encoded
from claimrag.flows.proxies import reach_loopback_directly
from claimrag.schemas.errors import ClaimragError

PREFECT_DEFAULTS = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    # A first run compiles bytecode and migrates a database; twenty seconds are not enough on a small machine.
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "90",
    "PREFECT_LOGGING_LEVEL": "ERROR",
    "PREFECT_LOGGING_TO_API_ENABLED": "true",
}
USAGE_CODE = 2

app = typer.Typer(
    name="claimrag",
    help="Turn a law into a claim-level RAG benchmark.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("build")(build.build)
app.command("plan")(plan.plan)
app.command("laws")(laws.laws)
app.command("acquire")(laws.acquire)
app.command("parse")(parse.parse)
app.command("chunk")(parse.chunk)
app.command("generate")(stages.generate)
app.command("claims")(stages.claims)
app.command("validate")(stages.validate)
app.command("evaluate")(stages.evaluate)
app.command("release")(stages.release)
app.command("publish")(publish.publish)
app.command("export")(export.export)
app.command("import")(question_import.import_questions)
app.command("settings")(settings.settings)
app.command("status")(status.status)
app.command("rejected")(rejected.rejected)
app.command("show")(show.show)
app.command("clean")(clean.clean)
app.command("bench")(bench.bench)
app.command("deploy")(deploy.deploy)
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
    debug: Annotated[bool, typer.Option("--debug", help="Show log lines and tracebacks here.")] = False,
) -> None:
    """Turn a law into a claim-level RAG benchmark: questions, exact quotations, claims, scores, a dataset."""
    del version, debug  # --debug is taken out of the arguments before they are read, see run


def run(arguments: list[str] | None = None, *, to_the_end: bool = True) -> None:
    """Run the command line and exit: an error is one sentence on standard error, the rest is in the log.

    With `to_the_end` what the interpreter says while it ends goes to the log too.
    """
    for name, value in PREFECT_DEFAULTS.items():
        os.environ.setdefault(name, value)
    reach_loopback_directly()
    spell_out_what_cannot_be_encoded()
    given = sys.argv[1:] if arguments is None else arguments
    arguments = [argument for argument in given if argument != "--debug"]
    command = next((word for word in arguments if word in _commands()), "claimrag")
    debug = len(arguments) < len(given)
    with journal_of(command, debug=debug, to_the_end=to_the_end) as journal:
        code = _run(arguments, journal)
        if to_the_end:
            ending.result = code
        sys.exit(code)


def _run(arguments: list[str], journal: Journal) -> int:
    try:
        _invoke(arguments)
    except typer.Exit as end:
        return end.exit_code
    except (KeyboardInterrupt, typer.Abort):
        ending.begin()
        return _stop()
    except BaseException as error:
        if ending.begun:  # Prefect turns SIGTERM into an exception of its own
            return _stop()
        if not isinstance(error, Exception):
            raise
        return _tell(error, journal)
    return 0


def _stop() -> int:
    ending.print_line()
    return ending.code


def _invoke(arguments: list[str]) -> None:
    """As Typer's own main, which would turn an interruption and errors into words of its own."""
    command = typer.main.get_command(app)
    with command.make_context("claimrag", arguments) as context:
        command.invoke(context)


def _commands() -> set[str]:
    return {command.name for command in app.registered_commands if command.name}


def _tell(error: BaseException, journal: Journal) -> int:
    """One sentence, and where the rest is if there is more to read than the sentence."""
    if hasattr(error, "format_message"):  # wrong usage, found by Typer
        return _tell_usage(error)
    failure = explain(error)
    if journal.debug or not journal.is_empty or not isinstance(error, ClaimragError):
        journal.write(f"{' '.join(sys.argv)}\n")
        journal.write("".join(traceback.format_exception(error)))
    path = journal.settle()
    if failure.is_bug:
        complain(f"{failure.sentence}; please report it with {path or 'what --debug shows'}")
    elif path is None or failure.exit_code == USAGE_CODE:
        complain(failure.sentence)
    else:
        complain(f"{failure.sentence} (log: {path})")
    return failure.exit_code


def _tell_usage(error: Any) -> int:
    sentence = str(error.format_message())
    if not sentence.strip():  # no command: Typer has shown the help
        return USAGE_CODE
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "claimrag"
    complain(f"{sentence.rstrip('.')}; `{command} --help` lists what there is")
    return int(error.exit_code)
