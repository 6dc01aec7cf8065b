"""The child of `temporary_server`: Prefect's API under uvicorn, until standard input closes."""

from __future__ import annotations

import os
import sys
import threading

ENVIRONMENT = {
    "PREFECT_UI_ENABLED": "0",
    "PREFECT__SERVER_EPHEMERAL": "1",
    "PREFECT__SERVER_FINAL": "1",
    # One event at a time loses records of short tasks (measured: 510 of 2,000 kept); in batches none is lost.
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_READ_BATCH_SIZE": "200",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "200",
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_READ_BATCH_SIZE": "200",
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_BATCH_SIZE": "200",
}


def exit_with_parent() -> None:
    """End this process when the parent closes our standard input, or dies."""

    def watch() -> None:
        while os.read(0, 1024):
            pass
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()


def serve(port: int) -> None:
    """Serve Prefect's API on 127.0.0.1."""
    exit_with_parent()
    os.environ.pop("PREFECT_API_URL", None)
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    import uvicorn

    uvicorn.run(
        "prefect.server.api.server:create_app",
        factory=True,
        host="127.0.0.1",
        port=port,
        log_level="error",
        lifespan="on",
    )


if __name__ == "__main__":
    serve(int(sys.argv[1]))
