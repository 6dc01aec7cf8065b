"""A scripted model behind a real HTTP server on 127.0.0.1, so that tests run the real client.

In a test: `with ScriptedServer(reply) as server: ... server.base_url ... server.requests`. As its own
process, for measurements and kill tests: `python -m scripted_model --latency 0.2 --reply module:function`
prints its base URL on the first line; `GET /v1/_stats` counts. It generates nothing: it is not a model.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import sys
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Any, cast

from scripted_http import ScriptedConnection, ScriptedState
from scripted_replies import EmbeddingReply, Reply, ScriptedReply, echo, in_turn

__all__ = [
    "EmbeddingReply",
    "Reply",
    "ScriptedReply",
    "ScriptedServer",
    "echo",
    "in_turn",
    "load_reply",
    "main",
]


class ScriptedServer:
    """An OpenAI-compatible server in a background thread that answers as `reply` says, after `latency_s`.

    `reply` gets the body of each chat request and gives a text or a `ScriptedReply`; it runs on the server's
    thread, and so does `embed`, which may answer an embedding request in another way than with vectors.
    Leaving the context raises what `reply` raised.
    """

    def __init__(
        self,
        reply: Reply = echo,
        latency_s: float = 0.0,
        *,
        embed: EmbeddingReply | None = None,
        model: str = "scripted",
        port: int = 0,
    ) -> None:
        self.state = ScriptedState(reply, latency_s, model, embed)
        self.base_url = ""
        self._port = port
        self._connections: set[ScriptedConnection] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="scripted-model", daemon=True)
        self._server: asyncio.Server | None = None

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The bodies of the chat requests received, in order."""
        return self.state.requests

    @property
    def embedding_requests(self) -> list[dict[str, Any]]:
        """The bodies of the embedding requests received, in order."""
        return self.state.embedding_requests

    @property
    def stats(self) -> dict[str, Any]:
        """What `GET /_stats` gives."""
        return self.state.stats()

    def __enter__(self) -> ScriptedServer:
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()
        port = self._server.sockets[0].getsockname()[1]
        self.base_url = f"http://127.0.0.1:{port}/v1"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        if self.state.failures and error is None:
            raise self.state.failures[0]

    async def _listen(self) -> asyncio.Server:
        return await self._loop.create_server(
            lambda: ScriptedConnection(self.state, self._connections), "127.0.0.1", self._port, backlog=512
        )

    async def _stop(self) -> None:
        if self._server is not None:
            self._server.close()
        for connection in list(self._connections):
            connection.close()
        await asyncio.sleep(0)


def load_reply(address: str) -> Reply:
    """The script that `module:function` names; raises ValueError where there is no such function."""
    module, _, name = address.partition(":")
    script = getattr(importlib.import_module(module), name, None)
    if not callable(script):
        raise ValueError(f"{address} is not a function: give module:function")
    return cast(Reply, script)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser(prog="python -m scripted_model", description=__doc__)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each reply")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free port")
    parser.add_argument("--reply", type=load_reply, default=echo, metavar="MODULE:FUNCTION")
    options = parser.parse_args(arguments)
    with ScriptedServer(options.reply, options.latency, port=options.port) as server:
        sys.stdout.write(server.base_url + "\n")
        sys.stdout.flush()
        threading.Event().wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
