"""Mutation testing with cosmic-ray: does a test fail when one line of the code is wrong?

    uv run --group mutation python tests/mutation.py tasks/claims tasks/chunk --sample 80
    uv run --group mutation python tests/mutation.py --since main~1

Works in a copy of the checkout, so that the tree itself is never changed. Each mutant is run against the tests of its
own package; a sample is drawn with a seed. Prints killed and survived per package, and each survivor as a diff.
Left out: mutants of `|`, which stand mostly in annotations, where nothing can notice them.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TIMEOUT_S = 60
LEFT_OUT = "core/ReplaceBinaryOperator_BitOr_"
MUTATED = ("tasks", "legal_sources", "schemas", "prompts", "flows")


def main() -> None:
    """Run it, and exit 0: what survives is for people to read."""
    parser = argparse.ArgumentParser(description="Mutation testing of packages, in a copy of the checkout.")
    parser.add_argument("packages", nargs="*", help="folders or files, as in tasks/claims")
    parser.add_argument("--since", help="instead: the files changed since this revision")
    parser.add_argument("--sample", type=int, default=100, help="mutants per package at most")
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--tests", help="test folders, where they are not those of the package")
    arguments = parser.parse_args()
    groups = changed_since(arguments.since) if arguments.since else {p: [p] for p in arguments.packages}
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        copy = Path(folder) / "copy"
        copy_checkout(copy)
        for package, paths in groups.items():
            tests = arguments.tests.split() if arguments.tests else [tests_of(package)]
            report(package, mutate(copy, Path(folder), package, paths, tests, arguments))


def changed_since(revision: str) -> dict[str, list[str]]:
    """The changed Python files below the packages, by package."""
    listed = subprocess.run(
        ["git", "diff", "--name-only", "--diff-filter=AM", revision, "--", *MUTATED],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    groups: dict[str, list[str]] = {}
    for name in listed.stdout.split():
        if name.endswith(".py"):
            groups.setdefault("/".join(name.split("/")[:2]), []).append(name)
    return groups


def tests_of(package: str) -> str:
    """The folder of tests that mirrors a package."""
    place = ROOT / "tests" / package
    while not place.is_dir():
        place = place.parent
    return str(place.relative_to(ROOT))


def copy_checkout(copy: Path) -> None:
    """What git tracks or would track, links as links."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        source, target = ROOT / name, copy / name
        if source.is_symlink() or source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)


def mutate(
    copy: Path, folder: Path, package: str, paths: Iterable[str], tests: list[str], arguments: Any
) -> list[dict[str, Any]]:
    """Run a sample of the mutants of `paths`; one result per mutant."""
    name = package.replace("/", "-")
    config, session = folder / f"{name}.toml", folder / f"{name}.sqlite"
    modules = ", ".join(json.dumps(path) for path in paths)
    command = f"env PYTHONPATH=. {sys.executable} -m pytest -x -q -p no:randomly -p no:cacheprovider {' '.join(tests)}"
    config.write_text(
        f"[cosmic-ray]\nmodule-path = [{modules}]\ntimeout = {TIMEOUT_S}\nexcluded-modules = ['**/step.py']\n"
        f"test-command = {json.dumps(command)}\n[cosmic-ray.distributor]\nname = 'local'\n",
        encoding="utf-8",
    )
    subprocess.run(command.split(), cwd=copy, check=True, stdout=subprocess.DEVNULL)
    cosmic_ray(copy, "init", str(config), str(session))
    draw_sample(session, arguments.sample, arguments.seed)
    cosmic_ray(copy, "exec", str(config), str(session))
    dumped = cosmic_ray(copy, "dump", str(session))
    return [dict(zip(("item", "result"), json.loads(line), strict=True)) for line in dumped.splitlines()]


def cosmic_ray(copy: Path, *arguments: str) -> str:
    """Run cosmic-ray in the copy; returns what it printed."""
    command = [sys.executable, "-m", "cosmic_ray.cli", *arguments]
    return subprocess.run(command, cwd=copy, check=True, stdout=subprocess.PIPE, text=True).stdout


def draw_sample(session: Path, size: int, seed: int) -> None:
    """Keep `size` mutants of the session, drawn with `seed`, without those that are left out."""
    with sqlite3.connect(session) as database:
        rows = database.execute("SELECT job_id, operator_name FROM mutation_specs ORDER BY job_id").fetchall()
        kept = [job for job, operator in rows if not operator.startswith(LEFT_OUT)]
        places = database.execute(
            "SELECT job_id, module_path, start_pos_row, start_pos_col, operator_name FROM mutation_specs"
        ).fetchall()
        order = {job: tuple(map(str, place)) for job, *place in places}
        kept.sort(key=lambda job: order[job])
        chosen = set(random.Random(seed).sample(kept, min(size, len(kept))))
        for table in ("mutation_specs", "work_items"):
            database.executemany(
                f"DELETE FROM {table} WHERE job_id = ?",
                [(job,) for job, _ in rows if job not in chosen],
            )


def report(package: str, results: list[dict[str, Any]]) -> None:
    """Killed and survived, and the survivors."""
    outcomes = Counter(str((each["result"] or {}).get("test_outcome")) for each in results)
    total = sum(outcomes.values())
    killed = total - outcomes["survived"]
    print(f"{package}: {killed} of {total} mutants killed ({100 * killed / max(1, total):.0f} %)", flush=True)
    for each in results:
        if (each["result"] or {}).get("test_outcome") == "survived":
            print(each["result"].get("diff") or each["item"], flush=True)


if __name__ == "__main__":
    main()
