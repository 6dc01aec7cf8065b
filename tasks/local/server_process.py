"""The child process of `server.LocalServer`: llama.cpp's server, and nothing of claimrag.

Run by path, with one JSON argument; it imports only the standard library and xllamacpp. It reports one JSON
line on standard output: the address, or what went wrong. Everything llama.cpp logs goes to standard error.
It ends when its standard input closes or its parent changes, so a killed pipeline leaves no server behind.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from typing import IO, Any

PARENT_CHECK_S = 1.0


def exit_with_parent(parent: int) -> None:
    """Start the two watches that end this process with its parent; both are daemons and cost nothing."""

    def watch_input() -> None:
        while os.read(0, 1024):
            pass
        os._exit(0)

    def watch_parent() -> None:
        # A process forked by the parent may still hold the other end of our standard input open.
        while os.getppid() == parent:
            time.sleep(PARENT_CHECK_S)
        os._exit(0)

    for watch in (watch_input, watch_parent):
        threading.Thread(target=watch, daemon=True).start()


def report(stream: IO[str], **fields: Any) -> None:
    """Write one JSON line for the parent."""
    stream.write(json.dumps(fields) + "\n")
    stream.flush()


def parameters(spec: dict[str, Any]) -> Any:
    """llama.cpp's parameters from `spec`; everything that matters is set, nothing left to a default of -1."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = spec["weights"]
    params.model_alias = {spec["model"]}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = spec["slot_tokens"] * spec["slots"]
    params.n_parallel = spec["slots"]
    params.kv_unified = False
    params.fit_params = False
    params.n_gpu_layers = 0
    params.cpuparams.n_threads = spec["threads"]
    params.cpuparams_batch.n_threads = spec["threads"]
    params.cont_batching = True
    params.cache_prompt = True
    params.cache_ram_mib = spec["prefix_cache_mib"]
    # A prompt that does not fit must be an error (HTTP 400), never a silently shortened prompt.
    params.ctx_shift = False
    params.ui = False
    params.cors_origins = ""
    params.offline = True
    for name, value in spec.get("extra", {}).items():
        setattr(params, name, value)
    return params


def main() -> int:
    """Serve until standard input closes; 0 on a normal end, 3 when the server did not start."""
    spec: dict[str, Any] = json.loads(sys.argv[1])
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as replies:
        os.dup2(2, 1)
        # Ctrl-C reaches the whole group; when to stop is the parent's decision, told by closing our input.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        exit_with_parent(spec["parent"])
        try:
            import xllamacpp

            server = xllamacpp.Server(parameters(spec))
        except (ImportError, RuntimeError, ValueError, OSError, AttributeError) as failure:
            report(replies, error=type(failure).__name__, detail=str(failure))
            return 3
        report(replies, address=server.listening_address)
    threading.Event().wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
