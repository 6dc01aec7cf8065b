"""How fast laws are parsed, how much memory that takes, and how other parsers do on the same files in one run.

Every parser runs in processes of its own, on one file in turn with the other parsers; a time is the median over
the processes of the median CPU time of a few parses, so that neither a busy machine nor one unlucky layout of a
process's memory blurs the ratios. All are treated alike: imports, a small act and one parse of the file come
before the clock. Memory is the growth of the process's peak in that first parse over the bytes of the file. The
peers `eurlex` and `eurlex-corpus` are installed into a throwaway environment with `uv`; where that cannot be done
their rows say so. Set LEGAL_CORPUS to a folder of real laws, else a made-up act of the size of the GDPR is measured.
Run it as a script, or through `claimrag bench parse`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PROCESSES = 5
ROUNDS = 7
INSTALL_TIMEOUT_S = 240
RUN_TIMEOUT_S = 240
REAL_LAWS = (
    "eurlex-raw/32016r0679/2016-04-27/en.xml",
    "eurlex-raw/32016r0679/2016-05-04/en.html",
    "eurlex-raw/32016r0679/2016-05-04/en.fmx4/CL2016R0679EN0000020.0001.xml",
    "eurlex-raw/32024r1689/2024-06-13/en.xml",
    "eurlex-raw/31995l0046/1995-10-24/en.html",
)
RUNNER = """
import json, resource, statistics, sys, time
from pathlib import Path
{setup}
def resident(name):
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
def peak_from_now():
    try:
        Path("/proc/self/clear_refs").write_text("5")
        return resident("VmRSS")
    except OSError:
        return None
def peak(start):
    return resident("VmHWM") if start else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
parse({warm_up!r}.encode())
name = sys.argv[2]
raw = Path(name).read_bytes()
start = peak_from_now()
before = start or peak(start)
grown, times, finds, note = 0, [], {{}}, ""
try:
    found = parse(raw)
    grown = peak(start) - before
    finds = counts(found)
    del found
    for _ in range(int(sys.argv[1])):
        started = time.process_time()
        parse(raw)
        times.append(time.process_time() - started)
except Exception as error:
    note = f"{{type(error).__name__}}: {{error}}"[:80]
print(json.dumps([name, statistics.median(times) if times else None, finds, grown / len(raw), note]))
"""
OURS = """
import importlib
from claimrag import legal_sources
from claimrag.legal_sources.recognise import LAYOUT_MODULES
for name in LAYOUT_MODULES:
    importlib.import_module(name)
def parse(raw):
    return legal_sources.parse_bytes(raw, origin="bench")
def counts(parsed):
    return parsed.counts()
"""
PEERS = {
    "eurlex 0.1.12": (
        "eurlex==0.1.12",
        """
from eurlex.parser import parse_html
def parse(raw):
    return parse_html(raw.decode("utf-8"))
def counts(found):
    if "article" not in found:
        return {}
    paragraphs = found[["article", "paragraph"]].dropna().drop_duplicates() if "paragraph" in found else []
    return {"article": int(found["article"].nunique()), "paragraph": len(paragraphs), "row": len(found)}
""",
    ),
    "eurlex-corpus 0.2.1": (
        "eurlex-corpus==0.2.1",
        """
from eurlex_corpus.parse import parse_articles
def parse(raw):
    return parse_articles(raw.decode("utf-8"), "32016R0679", "en")
def counts(articles):
    return {"article": len(articles), "paragraph": sum(len(article.paragraphs or ()) for article in articles)}
""",
    ),
}
SHOWN = ("chapter", "section", "article", "recital", "paragraph", "point", "annex", "footnote", "row")


@dataclass(frozen=True)
class Measured:
    """One parser on one file; `cpu_s` is None when it failed, and `note` then says how."""

    file: str
    cpu_s: float | None
    finds: Mapping[str, int]
    memory_times_bytes: float
    note: str


def run(files: Sequence[Path] | None = None, *, peers: bool = True) -> list[dict[str, Any]]:
    """Rows of one table: a parser on a file, its time, speed, memory, and its time over ours."""
    with tempfile.TemporaryDirectory() as folder:
        chosen = [Path(file) for file in files] if files else default_files(Path(folder))
        parsers = {"claimrag": (sys.executable, OURS)}
        missing: list[dict[str, Any]] = []
        for name, (requirement, setup) in PEERS.items() if peers else ():
            python = environment(Path(folder) / name.partition(" ")[0], requirement)
            if python is None:
                missing.append(skipped(name, f"{requirement} could not be installed with uv"))
            else:
                parsers[name] = (python, setup)
        rows = [line for file in chosen for line in compare(parsers, file)]
    return sorted(rows, key=lambda line: list(parsers).index(line["parser"])) + missing


def compare(parsers: Mapping[str, tuple[str, str]], file: Path) -> list[dict[str, Any]]:
    """One file through every parser (its interpreter and its code) in turn, ours first."""
    runs: dict[str, list[Measured]] = {name: [] for name in parsers}
    for _ in range(PROCESSES):
        for name, (python, setup) in parsers.items():
            runs[name].append(measure(python, setup, file))
    measured = {name: middle(found) for name, found in runs.items()}
    ours = next(iter(measured.values()))
    return [row(name, one, ours) for name, one in measured.items()]


def middle(runs: Sequence[Measured]) -> Measured:
    """The run with the middle time; one that failed, where any did."""
    failed = next((run for run in runs if run.cpu_s is None), None)
    return failed or sorted(runs, key=lambda run: run.cpu_s or 0.0)[len(runs) // 2]


def default_files(folder: Path) -> list[Path]:
    """Real laws where LEGAL_CORPUS points to them, else one made-up act written into `folder`."""
    corpus = os.environ.get("LEGAL_CORPUS")
    real = [Path(corpus) / "data" / name for name in REAL_LAWS] if corpus else []
    if real and all(file.is_file() for file in real):
        return real
    made_up = folder / "made-up-act.xml"
    made_up.write_text(made_up_act(articles=99), encoding="utf-8")
    return [made_up]


def made_up_act(articles: int) -> str:
    """An Official Journal page of `articles` articles with four paragraphs of four points each."""
    sentence = "The baker shall weigh every loaf that is sold, and keep the weights for a year. " * 3
    point = (
        '<table><col width="4%"/><col width="96%"/><tbody><tr><td><p class="oj-normal">({letter})</p></td>'
        f'<td><p class="oj-normal">{sentence}</p></td></tr></tbody></table>'
    )
    points = "".join(point.format(letter=letter) for letter in "abcd")
    parts = [
        f'<div class="eli-subdivision" id="art_{number}"><p class="oj-ti-art">Article {number}</p>'
        + "".join(
            f'<div id="{number:03d}.{part:03d}"><p class="oj-normal">{part}.   {sentence}</p>{points}</div>'
            for part in range(1, 5)
        )
        + "</div>"
        for number in range(1, articles + 1)
    ]
    return (
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>'
        '<p class="oj-hd-date">4.5.2031</p><p class="oj-hd-lg">EN</p><div class="eli-container">'
        '<div class="eli-main-title" id="tit_1"><p class="oj-doc-ti">REGULATION (EU) 2031/77</p></div>'
        f'<div class="eli-subdivision" id="enc_1">{"".join(parts)}</div></div></body></html>'
    )


def environment(folder: Path, requirement: str) -> str | None:
    """The interpreter of a fresh environment with `requirement` in it; None when that cannot be had."""
    uv = shutil.which("uv")
    if uv is None:
        return None
    python = folder / "bin" / "python"
    for command in (
        [uv, "venv", "--no-config", "--quiet", "--python", sys.executable, str(folder)],
        [uv, "pip", "install", "--no-config", "--quiet", "--python", str(python), requirement],
    ):
        try:
            done = subprocess.run(
                command, timeout=INSTALL_TIMEOUT_S, cwd=folder.parent, capture_output=True, check=False
            )
        except subprocess.TimeoutExpired:
            return None
        if done.returncode != 0:
            return None
    return str(python)


def measure(python: str, setup: str, file: Path) -> Measured:
    """Run one parser over one file in a process of its own."""
    program = RUNNER.format(setup=setup, warm_up=made_up_act(articles=2))
    command = [python, "-c", program, str(ROUNDS), str(file)]
    done = subprocess.run(
        command, cwd=ROOT, timeout=RUN_TIMEOUT_S, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["no output"])[-1][:80]
        return Measured(str(file), None, {}, 0.0, reason)
    return Measured(*json.loads(done.stdout.strip().splitlines()[-1]))


def row(parser: str, measured: Measured, ours: Measured) -> dict[str, Any]:
    """One line of the table: sizes in megabytes, CPU milliseconds, the time over ours, memory over the file."""
    file = Path(measured.file)
    megabytes = file.stat().st_size / 1e6
    seconds = measured.cpu_s
    return {
        "parser": parser,
        "file": "/".join(file.parts[-3:]) if len(file.parts) > 4 else file.name,
        "MB": round(megabytes, 3),
        "ms": round(seconds * 1000, 1) if seconds is not None else None,
        "MB/s": round(megabytes / seconds, 1) if seconds else None,
        "x ours": round(seconds / ours.cpu_s, 2) if seconds and ours.cpu_s else None,
        "memory": round(measured.memory_times_bytes, 1),
        "finds": ", ".join(f"{measured.finds[kind]} {kind}" for kind in SHOWN if measured.finds.get(kind)),
        "note": measured.note,
    }


def skipped(parser: str, reason: str) -> dict[str, Any]:
    """The line of a parser that could not be measured."""
    columns = ("file", "MB", "ms", "MB/s", "x ours", "memory", "finds")
    return {"parser": parser, **dict.fromkeys(columns), "note": f"skipped: {reason}"}


if __name__ == "__main__":
    for line in run([Path(name) for name in sys.argv[1:]] or None):
        print(json.dumps(line))
