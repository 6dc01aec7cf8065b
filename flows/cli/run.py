"""Running a flow from the command line: a Prefect server, progress on standard error, one result."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import TypeVar

from claimrag.flows.cli.output import stderr
from claimrag.flows.cli.progress import TerminalProgress
from claimrag.flows.temporary_server import TemporaryPrefectServer
from claimrag.schemas.base import Noun
from claimrag.schemas.build import BuildRequest
from claimrag.schemas.errors import ClaimragError
from claimrag.schemas.settings import load_settings

T = TypeVar("T", bound=Noun)


def run_flow(module: str, flow: str, request: BuildRequest, result: type[T]) -> T:
    """Run the flow `flow` of `module`; both are imported here, while the server comes up.

    Wrong settings raise before anything is started.
    """
    load_settings(workspace=request.workspace)
    server = TemporaryPrefectServer()
    server.start()
    run = getattr(import_module(module), flow)
    progress_sink = import_module("claimrag.tasks.build.runtime").progress_sink
    server.wait()
    with TerminalProgress(stderr) as progress:
        token = progress_sink.set(progress)
        try:
            made = asyncio.run(run(request))
        finally:
            progress_sink.reset(token)
    if not isinstance(made, result):
        raise ClaimragError(f"the flow returned a {type(made).__name__}, not a {result.__name__}")
    return made
