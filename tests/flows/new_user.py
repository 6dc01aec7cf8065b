"""Plays a new user on a terminal of 80 columns and 24 lines, and says of each command how it ended.

    PYTHONPATH=tests python tests/flows/new_user.py [NAME ...]

Every scenario is one command as such a user types it: what goes right, what is mistyped, endpoints and publishers
that are not there, laws in other languages, Ctrl-C and SIGTERM at several moments. Held against each: the exit code,
no traceback, one sentence for a failure, no silence over five seconds, no line over 80 columns, no process left
behind. Prints the transcript; exits 1 where something does not hold. Needs no network; the model is the scripted one.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from scripted_model import ScriptedReply, ScriptedServer
from scripted_process import model_environment, scripted_process
from started_command import Started, started

COLUMNS, LINES = 80, 24
SILENCE_S = 5.0
STOP_S = 3.0
LONGEST_S = 240.0
SMALL = ["--units", "3", "--windows", "1", "--no-evaluate"]
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

GERMAN = """# Gesetz über die Führung des Registers

### Artikel 1

Die Behörde führt ein öffentliches Register. Wer eine Tätigkeit aufnimmt, meldet sie der Behörde binnen dreißig Tagen.

### Artikel 2

Die Eintragung wird gelöscht, wenn der Inhaber die Tätigkeit nicht mehr ausübt oder die Gebühr nicht bezahlt hat.
"""
ITALIAN = """# Legge sulla tenuta del registro

### Article 1

L'autorità tiene un registro pubblico. Chi inizia un'attività la comunica all'autorità entro trenta giorni.

### Article 2

L'iscrizione è cancellata quando il titolare non esercita più l'attività o non ha pagato il contributo dovuto.
"""
OWN = """# Register Act

### Article 1

The authority shall keep a public register. Whoever takes up an activity shall notify the authority within thirty days.

### Article 2

The entry shall be deleted where the holder no longer carries on the activity or has not paid the fee that is due.
"""


@dataclass(frozen=True)
class Scenario:
    """One command: its arguments, with which exit codes it may end, and words that its text must have."""

    name: str
    arguments: list[str]
    codes: tuple[int, ...]
    words: tuple[str, ...] = ()
    model: str = "scripted"
    variables: dict[str, str] = field(default_factory=dict)
    stop_after_s: float | None = None
    stop: Callable[[Started], None] | None = None


def type_ctrl_c(command: Started) -> None:
    """As a person does it: the terminal makes it a signal to the foreground group."""
    os.write(command.source, b"\x03")


def terminate(command: Started) -> None:
    """As a service manager does it."""
    os.kill(command.process.pid, signal.SIGTERM)


STOPPED = ("stopped; what was made so far is kept",)
SCENARIOS = [
    Scenario("help", ["--help"], (0,), ("build",)),
    Scenario("laws", ["laws"], (0,), ("gdpr",)),
    Scenario("mistyped command", ["biuld"], (2,), ("--help",)),
    Scenario("mistyped law", ["build", "gdrp"], (1, 2), ("gdpr",)),
    Scenario("literal LAW_OR_FILE", ["parse", "LAW_OR_FILE"], (1, 2), ("claimrag laws",)),
    Scenario("build", ["build", "sample-en", *SMALL], (0,), ("verdict: complete", "next:")),
    Scenario("own law", ["build", "own.md", *SMALL], (0,), ("verdict: complete",)),
    Scenario("German law", ["build", "german.md", *SMALL], (1, 2), ("German",)),
    Scenario("Italian law", ["build", "italian.md", *SMALL], (1, 2), ("Italian",)),
    Scenario("dead endpoint", ["build", "sample-en", *SMALL], (1,), ("127.0.0.1:9",), model="dead"),
    Scenario("wrong key", ["build", "sample-en", *SMALL], (1, 2), ("key",), model="refuses"),
    Scenario(
        "unreachable publisher",
        ["build", "gdpr", *SMALL],
        (1,),
        ("eur",),
        variables={"HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"},
    ),
    Scenario("doctor", ["doctor", "--ask"], (0,), ("llm answer",)),
    *(
        Scenario(
            f"Ctrl-C after {moment} s",
            ["build", "sample-en", "--units", "8"],
            (130,),
            STOPPED,
            "slow",
            {},
            moment,
            type_ctrl_c,
        )
        for moment in (0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0, 12.0, 15.0)
    ),
    Scenario(
        "SIGTERM after 9 s",
        ["build", "sample-en", "--units", "8"],
        (130,),
        STOPPED,
        "slow",
        {},
        9.0,
        terminate,
    ),
]


@dataclass
class Ended:
    """How a command ended: its text without escapes, its code, the longest silence, and what does not hold."""

    text: str
    code: int
    seconds: float
    silence_s: float
    faults: list[str]


def play(scenario: Scenario, folder: Path, models: dict[str, str]) -> Ended:
    """Run one scenario in `folder`."""
    address = models[scenario.model]
    environment = model_environment(address) | {
        "COLUMNS": str(COLUMNS),
        "LINES": str(LINES),
        "PREFECT_HOME": str(folder / "prefect"),
        "CLAIMRAG_LLM__MAX_ATTEMPTS": "2",
        **scenario.variables,
    }
    began = time.monotonic()
    with started([*scenario.arguments], folder, environment, on_terminal=True) as command:
        silence_s, stopped_at = _follow(command, scenario, began)
        code = command.process.wait(10)
        seconds = time.monotonic() - began
        faults = [f"left behind: {line}" for line in command.left_behind()]
        text = (
            _ESCAPES.sub("", command.text).replace("\r", "\n").replace("^C", "")
        )  # which the terminal echoes
    if stopped_at is not None and time.monotonic() - stopped_at > STOP_S + 2:
        faults.append(f"{time.monotonic() - stopped_at:.1f} s from the signal to the end")
    faults += _faults(scenario, text, code, silence_s)
    return Ended(text, code, seconds, silence_s, faults)


def _follow(command: Started, scenario: Scenario, began: float) -> tuple[float, float | None]:
    """Read to the end, stop it at its moment; the longest silence, and when it was stopped."""
    silence_s, last, stopped_at = 0.0, began, None
    while command.process.poll() is None and time.monotonic() - began < LONGEST_S:
        size = len(command.text)
        if not command.read(0.05):
            break
        now = time.monotonic()
        if len(command.text) != size:
            silence_s, last = max(silence_s, now - last), now
        if scenario.stop is not None and stopped_at is None and now - began >= (scenario.stop_after_s or 0):
            scenario.stop(command)
            stopped_at = now
    with contextlib.suppress(OSError):
        while command.read(0.0) and len(command.text) < 10_000_000:
            size = len(command.text)
            command.read(0.05)
            if len(command.text) == size:
                break
    return max(silence_s, time.monotonic() - last), stopped_at


def _faults(scenario: Scenario, text: str, code: int, silence_s: float) -> list[str]:
    faults = []
    if code not in scenario.codes:
        faults.append(f"exit code {code}, not {' or '.join(map(str, scenario.codes))}")
    if "Traceback" in text:
        faults.append("a traceback")
    if silence_s > SILENCE_S:
        faults.append(f"silent for {silence_s:.1f} s")
    if code and text.count("claimrag: ") != 1:
        faults.append(f"{text.count('claimrag: ')} sentences of failure")
    faults += [f"no {word!r}" for word in scenario.words if word not in " ".join(text.split())]
    long = [
        line
        for line in text.replace("\ufffd", "").splitlines()
        if len(line) > COLUMNS and not line.startswith(("claimrag: ", "next: "))
    ]
    faults += [f"a line of {len(line)} columns: {line[:60]}..." for line in long[:1]]
    return faults


@contextlib.contextmanager
def models() -> Iterator[dict[str, str]]:
    """The endpoints by name."""
    refusal = ScriptedReply(status=401, message="Incorrect API key provided", code="invalid_api_key")
    with (
        scripted_process(0.05) as quick,
        scripted_process(0.6) as slow,
        ScriptedServer(lambda _: refusal) as refuses,
    ):
        yield {"scripted": quick, "slow": slow, "refuses": refuses.base_url, "dead": "http://127.0.0.1:9/v1"}


def main() -> int:
    """Play the named scenarios, or all."""
    chosen = [one for one in SCENARIOS if not sys.argv[1:] or one.name in sys.argv[1:]]
    failed = 0
    with tempfile.TemporaryDirectory() as root, models() as addresses:
        for number, scenario in enumerate(chosen):
            folder = Path(root) / str(number)
            folder.mkdir()
            for name, law in (("german", GERMAN), ("italian", ITALIAN), ("own", OWN)):
                (folder / f"{name}.md").write_text(law, encoding="utf-8")
            ended = play(scenario, folder, addresses)
            failed += bool(ended.faults)
            print(f"== {scenario.name}: claimrag {' '.join(scenario.arguments)}")
            print(f"   exit {ended.code}, {ended.seconds:.1f} s, longest silence {ended.silence_s:.1f} s")
            print("".join(f"   FAULT {fault}\n" for fault in ended.faults), end="")
            shown = [line for line in ended.text.splitlines() if line.strip()]
            print("".join(f"   | {line}\n" for line in shown[-6:]), flush=True)
    print(f"{len(chosen) - failed} of {len(chosen)} hold")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
