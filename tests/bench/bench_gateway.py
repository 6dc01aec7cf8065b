"""How close the gateway comes to the ideal: 500 requests to a server that answers after 200 ms, 32 in flight.

The window, from the first request to the last reply as the server (its own process) saw them, over the ideal
`requests * latency / in_flight`. Every round also measures the plain `openai` client behind a semaphore and bare
sockets (what this machine can do at all, now), one after the other, so that their ratios compare on a busy
machine too. `--throttled` answers every tenth request 429 with Retry-After 1 first. Run it as a script; it
prints one JSON object. The answers are scripted: this measures no model.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from scripted_model import ScriptedReply

from claimrag.schemas.settings import ModelSettings
from claimrag.tasks.llm import Gateway, Message, ModelRequest, RequestCache
from claimrag.tasks.llm.request import request_body

SCHEMA = {"type": "object", "additionalProperties": False}
MODEL = "scripted"
ECHO = "scripted_model:echo"


@dataclass(frozen=True)
class Window:
    """One measurement. Seconds; the ratio is over the ideal; CPU milliseconds of the client per request."""

    client: str
    requests: int
    in_flight: int
    latency_s: float
    ideal_s: float
    window_s: float
    ratio: float
    cpu_ms_per_request: float
    load_average: float


@contextmanager
def separate_server(latency_s: float, reply: str = ECHO) -> Iterator[str]:
    """The base URL of a scripted server in its own process."""
    command = [sys.executable, "-m", "scripted_model", "--latency", str(latency_s), "--reply", reply]
    here = Path(__file__).resolve().parent
    found = os.environ | {"PYTHONPATH": os.pathsep.join([str(here), str(here.parent)])}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=found) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def stats(base_url: str) -> dict[str, Any]:
    """What the server counted."""
    with urllib.request.urlopen(f"{base_url}/_stats") as answer:
        counted: dict[str, Any] = json.load(answer)
    return counted


def measure(
    client: str = "gateway",
    requests: int = 500,
    in_flight: int = 32,
    latency_s: float = 0.2,
    reply: str = ECHO,
) -> Window:
    """Send `requests` different requests with nothing cached. `client`: gateway, openai or bare."""
    asked = [_request(number) for number in range(requests)]
    ideal_s = requests * latency_s / in_flight
    with separate_server(latency_s, reply) as base_url:
        send = {"gateway": _through_gateway, "openai": _through_openai, "bare": _through_sockets}[client]
        cpu_s = asyncio.run(send(base_url, in_flight, asked))
        counted = stats(base_url)
    if counted["answered"] != requests or counted["answered_twice"]:
        raise RuntimeError(f"not a valid measurement: {counted}")
    return Window(
        client=client,
        requests=requests,
        in_flight=in_flight,
        latency_s=latency_s,
        ideal_s=round(ideal_s, 4),
        window_s=round(counted["window_s"], 4),
        ratio=round(counted["window_s"] / ideal_s, 4),
        cpu_ms_per_request=round(1000 * cpu_s / requests, 4),
        load_average=round(os.getloadavg()[0], 2),
    )


async def _through_gateway(base_url: str, in_flight: int, asked: list[ModelRequest]) -> float:
    settings = ModelSettings(base_url=base_url, model=MODEL, max_in_flight=in_flight)
    with tempfile.TemporaryDirectory() as folder, RequestCache(Path(folder) / "requests.sqlite") as cache:
        async with Gateway(settings, cache) as gateway:
            cpu = time.process_time()
            await asyncio.gather(*(gateway.complete(request) for request in asked))
            return time.process_time() - cpu


async def _through_openai(base_url: str, in_flight: int, asked: list[ModelRequest]) -> float:
    from openai import AsyncOpenAI

    free = asyncio.Semaphore(in_flight)
    async with AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0) as client:

        async def ask(request: ModelRequest) -> None:
            async with free:
                await client.chat.completions.create(**request_body(MODEL, request, request.temperature))

        cpu = time.process_time()
        await asyncio.gather(*(ask(request) for request in asked))
        return time.process_time() - cpu


async def _through_sockets(base_url: str, in_flight: int, asked: list[ModelRequest]) -> float:
    address = urlsplit(base_url)
    bodies = iter(
        [json.dumps(request_body(MODEL, request, request.temperature)).encode() for request in asked]
    )

    async def ask_in_turn() -> None:
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        for body in bodies:
            head = f"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
            answer = await reader.readuntil(b"\r\n\r\n")
            length = answer.lower().split(b"content-length: ")[1].split(b"\r\n")[0]
            await reader.readexactly(int(length))
        writer.close()

    cpu = time.process_time()
    await asyncio.gather(*(ask_in_turn() for _ in range(in_flight)))
    return time.process_time() - cpu


def throttle_every_tenth(body: dict[str, Any]) -> ScriptedReply | str:
    """The script of `--throttled`: the first time, every tenth question is answered 429."""
    text = body["messages"][-1]["content"]
    if text.split()[1].rstrip(".").endswith("7") and text not in _throttled:
        _throttled.add(text)
        return ScriptedReply.throttled("1")
    return "{}"


_throttled: set[str] = set()


def _request(number: int) -> ModelRequest:
    instructions = "You write one question about one provision. " * 20
    text = f"Provision {number}. The controller shall notify the authority within {number} hours. " * 10
    return ModelRequest((Message("system", instructions), Message("user", text)), 300, 0.0, schema=SCHEMA)


def run() -> list[dict[str, Any]]:
    """What `claimrag bench gateway` shows: bare sockets, our gateway, the plain client, then the real flow."""
    from flow_run import measure_flow

    rows = [_row(measure(client)) for client in ("bare", "gateway", "openai")]
    return rows + [measure_flow(prefect=prefect) for prefect in (False, True)]


def _row(window: Window) -> dict[str, Any]:
    return {
        "client": window.client,
        "requests": window.requests,
        "window_s": window.window_s,
        "window_ratio": window.ratio,
        "process_s": "",
        "process_ratio": "",
        "load_average": window.load_average,
    }


def main() -> int:
    """Measure `--repeats` rounds and print every measurement and the median ratio of each client."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=500)
    parser.add_argument("--in-flight", type=int, default=32)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--throttled", action="store_true")
    given = parser.parse_args()
    clients = ("gateway",) if given.throttled else ("bare", "gateway", "openai")
    reply = "bench_gateway:throttle_every_tenth" if given.throttled else ECHO
    runs = [
        measure(client, given.requests, given.in_flight, given.latency, reply)
        for _ in range(given.repeats)
        for client in clients
    ]
    medians = {name: statistics.median(run.ratio for run in runs if run.client == name) for name in clients}
    print(json.dumps({"median_ratio": medians, "runs": [asdict(run) for run in runs]}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
