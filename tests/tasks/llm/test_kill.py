"""kill -9 at any moment: what was answered and stored is never asked again, and the file stays whole."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from claimrag.tasks.llm import Message, ModelRequest, RequestCache, request_key

REQUESTS, IN_FLIGHT = 120, 8

CHILD = """
import asyncio, sys
from claimrag.schemas.settings import ModelSettings
from claimrag.tasks.llm import Gateway, Message, ModelRequest, RequestCache

async def run(base_url, path, count, in_flight):
    settings = ModelSettings(base_url=base_url, model="m", max_in_flight=in_flight)
    with RequestCache(path) as cache:
        async with Gateway(settings, cache) as gateway:
            print("ready", flush=True)
            calls = (gateway.complete(ModelRequest((Message("user", str(n)),), 10, 0.0)) for n in range(count))
            await asyncio.gather(*calls)

asyncio.run(run(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
"""


def test_a_process_killed_at_random_moments_repeats_nothing_that_was_stored(serve, tmp_path: Path):
    server = serve(latency_s=0.05)
    path = tmp_path / "requests.sqlite"
    keys = {
        str(n): request_key("m", ModelRequest((Message("user", str(n)),), 10, 0.0), 0.0)
        for n in range(REQUESTS)
    }
    chance = random.Random(5)
    stored: set[str] = set()
    kills = 0
    while True:
        sent_before = len(server.requests)
        command = [sys.executable, "-c", CHILD, server.base_url, str(path), str(REQUESTS), str(IN_FLIGHT)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
            assert child.stdout is not None and child.stdout.readline() == b"ready\n"
            time.sleep(chance.uniform(0.05, 0.4))
            if kills < 4:
                child.send_signal(signal.SIGKILL)
            child.wait()
        sent = {body["messages"][0]["content"] for body in server.requests[sent_before:]}
        assert not sent & stored, "a stored reply was asked again"
        with RequestCache(path) as cache:
            stored = {text for text, key in keys.items() if cache.get(key) is not None}
        if child.returncode == 0:
            break
        kills += 1
    assert kills >= 2
    assert len(stored) == REQUESTS
    repeated = len(server.requests) - REQUESTS
    assert repeated <= kills * IN_FLIGHT, "more was repeated than was in flight"
    assert len(server.stats["answered_twice"]) <= repeated
