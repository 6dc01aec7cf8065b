"""Plays the operator: server, deploy twice, a schedule, ten triggers at once, cancel, kill -9 of worker, engine, both.

Run by hand (`python tests/flows/play_operator.py [FOLDER]`), not by pytest: it waits for minutes, as an operator
would. Every line says what was done and what Prefect showed; the exit code is 1 where a state was not right within
two minutes, a slot stayed held, or a model request was paid twice.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]

from scripted_process import model_environment, scripted_process, stats  # noqa: E402
from test_readme_block import asked, free_port  # noqa: E402

BIN = Path(sys.executable).parent
TWO_MINUTES = 120.0
TRIGGERS = int(os.environ.get("TRIGGERS", "10"))
BUILD = "build-benchmark/build-benchmark"
began = time.monotonic()
wrong: list[str] = []


def say(sentence: str) -> None:
    print(f"{time.monotonic() - began:7.1f} s  {sentence}", flush=True)


def check(good: bool, sentence: str) -> None:
    say(f"{'right' if good else 'WRONG'}: {sentence}")
    if not good:
        wrong.append(sentence)


@contextmanager
def process(name: str, folder: Path, *command: str, **variables: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process in a group of its own, ended at the end with all it started."""
    with (folder / f"{name}.log").open("ab") as log:
        started = subprocess.Popen(
            command, cwd=folder, env=os.environ | variables, stdout=log, stderr=log, start_new_session=True
        )
        try:
            yield started
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(started.pid, signal.SIGKILL)
            started.wait()


def engines(worker: subprocess.Popen[bytes]) -> list[int]:
    """The processes of runs below a worker."""
    found, waiting = [], [worker.pid]
    while waiting:
        parent = waiting.pop()
        for folder in Path("/proc").iterdir():
            with contextlib.suppress(OSError, ValueError, IndexError):
                if int((folder / "stat").read_text().rpartition(")")[2].split()[1]) == parent:
                    waiting.append(int(folder.name))
                    if b"prefect" in (folder / "cmdline").read_bytes():
                        found.append(int(folder.name))
    return found


def wait(what: str, seen: Callable[[], bool], seconds: float = TWO_MINUTES) -> float:
    """Seconds until `seen`; checks that it came in time."""
    start = time.monotonic()
    while time.monotonic() - start < seconds:
        if seen():
            break
        time.sleep(1)
    took = time.monotonic() - start
    check(took < seconds, f"{what} after {took:.0f} s")
    return took


class Server:
    """The server's API, as the operator looks at it."""

    def __init__(self, address: str) -> None:
        self.address = address

    def runs(self, **of: Any) -> list[dict[str, Any]]:
        return list(asked(self.address, "/flow_runs/filter", {"limit": 200, "flow_runs": of}) or [])

    def run(self, run_id: str) -> dict[str, Any]:
        return self.runs(id={"any_": [run_id]})[0]

    def is_in(self, run_id: str, *states: str) -> bool:
        return self.run(run_id)["state_name"] in states

    def trigger(self, deployment: str, request: dict[str, Any]) -> str:
        found = asked(self.address, f"/deployments/name/{deployment}")
        body = {"parameters": {"request": request}, "state": {"type": "SCHEDULED"}}
        return str(asked(self.address, f"/deployments/{found['id']}/create_flow_run", body)["id"])

    def cancel(self, run_id: str) -> None:
        state = {"state": {"type": "CANCELLING", "name": "Cancelling"}}
        asked(self.address, f"/flow_runs/{run_id}/set_state", state)

    def slots(self) -> dict[str, float]:
        limits = asked(self.address, "/v2/concurrency_limits/filter", {"limit": 50}) or []
        return {limit["name"]: limit["active_slots"] for limit in limits if limit["active_slots"]}


async def schedule_every(address: str, seconds: int) -> None:
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.schedules import IntervalSchedule

    async with get_client() as client:
        found = await client.read_deployment_by_name("acquire-laws/acquire-laws")
        often = IntervalSchedule(interval=timedelta(seconds=seconds))
        await client.create_deployment_schedules(UUID(str(found.id)), [(often, True)])


def deploy(folder: Path) -> Counter[str]:
    done = subprocess.run(
        [str(BIN / "claimrag"), "deploy", "--json"], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        check(False, f"claimrag deploy: exit {done.returncode}: {done.stderr.strip()}")
        return Counter()
    return Counter(each["done"] for each in json.loads(done.stdout))


def worker(folder: Path) -> contextlib.AbstractContextManager[subprocess.Popen[bytes]]:
    return process("worker", folder, str(BIN / "prefect"), "worker", "start", "--pool", "cpu")


def play(folder: Path, server: Server, model: str) -> None:
    say(f"claimrag deploy: {dict(deploy(folder))}")
    check(set(deploy(folder)) == {"unchanged"}, "a second claimrag deploy changes nothing")
    with worker(folder) as running:
        asyncio.run(schedule_every(server.address, 30))
        wait("a scheduled run of acquire-laws completed", lambda: _scheduled_completed(server))
        slow = {"laws": ["sample-fr"], "workspace": str(folder / "cancelled")}
        run = server.trigger(BUILD, slow)
        wait("a build is Running", lambda: server.is_in(run, "Running"))
        server.cancel(run)
        wait("a cancelled build is Cancelled", lambda: server.is_in(run, "Cancelled"))

        run = server.trigger(BUILD, slow | {"workspace": str(folder / "engine")})
        wait("a build is Running", lambda: server.is_in(run, "Running"))
        for pid in engines(running):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        wait("kill -9 of the engine: Crashed", lambda: server.is_in(run, "Crashed"))
        say(f"  {server.run(run)['state']['message']}")

        run = server.trigger(BUILD, slow | {"workspace": str(folder / "both")})
        wait("a build is Running", lambda: server.is_in(run, "Running"))
        time.sleep(3)  # its first sign of life
        for pid in [running.pid, *engines(running)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        say("kill -9 of worker and engine")
        wait("kill -9 of both: Crashed", lambda: server.is_in(run, "Crashed"))
        say(f"  {server.run(run)['state']['message']}")
        wait("no slot is held", lambda: not server.slots())

    with worker(folder) as running:
        again = server.trigger(BUILD, slow | {"workspace": str(folder / "both")})
        wait("the build that was killed, run again, is Running", lambda: server.is_in(again, "Running"))
        os.kill(running.pid, signal.SIGKILL)
        say("kill -9 of the worker alone")
        wait(
            "its run ends by itself, or is Crashed",
            lambda: server.is_in(again, "Completed", "Crashed"),
            seconds=TWO_MINUTES * 2,
        )
        say(f"  {server.run(again)['state_name']}: {server.run(again)['state']['message']}")

    before = stats(model)
    with worker(folder):
        at_once(server, {"laws": ["sample-en"], "evaluate": False})
    after = stats(model)
    sent, distinct = (after[name] - before[name] for name in ("answered", "distinct_answered"))
    check(sent == distinct, f"{sent} model requests, {distinct} distinct: none was paid twice")
    wait("no slot is held", lambda: not server.slots())


def at_once(server: Server, request: dict[str, Any]) -> None:
    """Many builds of one workspace, triggered together."""
    many = [server.trigger(BUILD, request) for _ in range(TRIGGERS)]
    say(f"{TRIGGERS} builds triggered at once")
    together, start = 0, time.monotonic()
    while time.monotonic() - start < TRIGGERS * TWO_MINUTES:
        names = Counter(server.run(run)["state_name"] for run in many)
        together = max(together, names["Running"])
        if names.keys() <= {"Completed", "Partial", "Failed", "Crashed", "Cancelled"}:
            break
        time.sleep(1)
    check(
        names == {"Completed": TRIGGERS}, f"all together: {dict(names)} in {time.monotonic() - start:.0f} s"
    )
    check(together == 1, f"at most {together} of them at work at once")


def _scheduled_completed(server: Server) -> bool:
    done = server.runs(state={"name": {"any_": ["Completed"]}})
    return any(run["auto_scheduled"] and run["name"].startswith("acquire-laws") for run in done)


def main(folder: Path) -> int:
    port = str(free_port())
    address = f"http://127.0.0.1:{port}/api"
    os.environ |= {
        "PREFECT_HOME": str(folder / "home"),
        "PREFECT_SERVER_API_PORT": port,
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1",
    }
    started = process("server", folder, str(BIN / "prefect"), "server", "start")
    with scripted_process(latency_s=0.3) as model, started:
        os.environ |= {"PREFECT_API_URL": address, **model_environment(model)}
        os.environ |= {"CLAIMRAG_GENERATE__UNITS_PER_ACT": "3", "CLAIMRAG_LLM__MAX_IN_FLIGHT": "2"}
        wait("the server answers", lambda: asked(address, "/health") is not None)
        play(folder, Server(address), model)
    say(f"{len(wrong)} wrong" + "".join(f"; {sentence}" for sentence in wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM):  # also where a shell's `&` has them ignored
        signal.signal(number, signal.default_int_handler)
    where = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp())
    where.mkdir(parents=True, exist_ok=True)
    sys.exit(main(where.resolve()))
