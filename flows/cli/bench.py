"""`claimrag bench`: the benchmarks. They print ratios measured in one run, and never pass or fail on time."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from claimrag.flows.cli.output import console, print_json, table
from claimrag.schemas.errors import InputError

BENCHES = ("gateway", "parse", "pdf-text", "scale")


def bench(
    name: Annotated[str | None, typer.Argument(help=f"One of: {', '.join(BENCHES)}; none: all.")] = None,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON value.")] = False,
) -> None:
    """Run a benchmark, or all of them."""
    if name is not None and name not in BENCHES:
        raise InputError(f"there is no benchmark {name!r}; choose one of: {', '.join(BENCHES)}")
    results = {one: load_bench(one)() for one in ([name] if name else BENCHES)}
    if json_output:
        print_json(results)
        return
    for one, rows in results.items():
        columns = list(rows[0]) if rows else []
        console.print(table(one, columns, [[str(row[column]) for column in columns] for row in rows]))


def load_bench(name: str) -> Callable[[], list[dict[str, Any]]]:
    """The `run` function of `tests/bench/bench_<name>.py`, `_` for `-`, in the source checkout."""
    module_name = f"bench_{name.replace('-', '_')}"
    path = Path(__file__).resolve().parents[2] / "tests" / "bench" / f"{module_name}.py"
    spec = importlib.util.spec_from_file_location(module_name, path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise InputError(f"{path} is not here: benchmarks come with the source checkout, not with the wheel")
    sys.path[:0] = [str(path.parent), str(path.parents[1])]  # its own modules, and those of the tests
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return cast("Callable[[], list[dict[str, Any]]]", module.run)
