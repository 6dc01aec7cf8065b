"""Running a flow from the command line: a Prefect server, progress on standard error, one result."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Coroutine
from importlib import import_module
from typing import Any, TypeVar

from pydantic import ValidationError

from claimrag.flows.cli.ending import ending
from claimrag.flows.cli.journal import current_journal
from claimrag.flows.cli.output import stderr
from claimrag.flows.cli.progress import TerminalProgress
from claimrag.flows.proxies import reach_loopback_directly, refuse_unusable_proxies
from claimrag.flows.temporary_server import TemporaryPrefectServer
from claimrag.schemas.base import Noun
from claimrag.schemas.build import BuildRequest
from claimrag.schemas.errors import ClaimragError, InputError
from claimrag.schemas.settings import load_settings

T = TypeVar("T", bound=Noun)
SERVER_LOOK_S = 0.5
NEEDED_LATER = ("openai", "fastapi.encoders", "pandas")
"""What the gateway, Prefect and pyarrow import when they are first used, long after the server was asked for."""


def build_request(**options: Any) -> BuildRequest:
    """The request that these options make; InputError names the option that cannot be used."""
    try:
        return BuildRequest(**options)
    except ValidationError as error:
        parts = [
            f"--{'-'.join(map(str, problem['loc'])).replace('_', '-')}: {problem['msg'].removeprefix('Value error, ')}"
            for problem in error.errors(include_input=False, include_url=False)
        ]
        raise InputError("; ".join(parts)) from None


def run_flow(module: str, flow: str, request: BuildRequest, result: type[T]) -> T:
    """Run the flow `flow` of `module`; both are imported here, while the server comes up.

    Wrong settings, proxies that cannot be used and a configured server that is not there raise before anything is
    started. A temporary server that dies ends the command: what was made is kept.
    """
    reach_loopback_directly()
    settings = load_settings(workspace=request.workspace, preset=request.preset)
    journal = current_journal()
    if journal is not None:
        journal.follow(settings)
    refuse_unusable_proxies()
    server = TemporaryPrefectServer()
    if ending.listening:
        ending.at_last += [server.kill, _kill_local_models]
    with TerminalProgress(stderr) as progress:
        progress.begin("starting", 3)
        server.start()
        run = getattr(import_module(module), flow)
        import_module("claimrag.tasks.store").Workspace.open(
            settings.workspace
        )  # before anything is waited for
        progress.advance("starting")
        threading.Thread(target=_preload, daemon=True, name="preload").start()
        progress_sink = import_module("claimrag.tasks.progress").progress_sink
        progress.advance("starting")
        server.wait()
        progress.advance("starting")
        token = progress_sink.set(progress)
        try:
            value = asyncio.run(_beside(server, run, request))
        finally:
            progress_sink.reset(token)
    if not isinstance(value, result):
        raise ClaimragError(f"the flow returned a {type(value).__name__}, not a {result.__name__}")
    return value


async def _beside(
    server: TemporaryPrefectServer,
    run: Callable[[BuildRequest], Coroutine[Any, Any, object]],
    request: BuildRequest,
) -> object:
    """The flow's result. Prefect would ask a dead server again for minutes, so its end is the flow's end."""
    flow = asyncio.ensure_future(run(request))
    while not flow.done():
        await asyncio.wait([flow], timeout=SERVER_LOOK_S)
        last_words = None if flow.done() else server.last_words()
        if last_words is not None:
            sentence = f"{last_words}; what was made so far is kept; the same command goes on from there"
            ending.begin(sentence, ClaimragError.exit_code)
            flow.cancel()
            await asyncio.wait([flow])
            raise ClaimragError(sentence)
    return flow.result()


def _preload() -> None:
    """Load what is needed later while the flow waits for the server's answers; whoever needs it first waits for it."""
    import_module("claimrag.tasks.local.language").identify("the law")
    for package in NEEDED_LATER:
        import_module(package)


def _kill_local_models() -> None:
    """End the local model's servers, where any was ever started."""
    module = sys.modules.get("claimrag.tasks.local.server")
    if module is not None:
        module.kill_running()
