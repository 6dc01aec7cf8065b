"""The shape of the code: imports run one way, names say what files know, nothing private is committed."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
OURS = ("flows", "tasks", "legal_sources", "prompts", "schemas")
ALLOWED = {
    "flows": {"flows", "tasks", "legal_sources", "prompts", "schemas"},
    "tasks": {"tasks", "legal_sources", "prompts", "schemas"},
    "legal_sources": {"legal_sources", "schemas"},
    "prompts": {"prompts", "schemas"},
    "schemas": {"schemas"},
}
SOURCES = sorted(path for package in OURS for path in (ROOT / package).rglob("*.py"))


def imported_packages(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(_package(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            whole = node.module == "claimrag"
            names.update({alias.name for alias in node.names} if whole else {_package(node.module)})
    return names


def _package(module: str) -> str:
    """`claimrag.tasks.llm` is of our package `tasks`; `prefect.flows` is of `prefect`."""
    parts = module.split(".")
    return parts[1] if parts[0] == "claimrag" and len(parts) > 1 else parts[0]


@pytest.mark.parametrize("package", OURS)
def test_imports_run_in_one_direction(package: str) -> None:
    wrong = {
        str(path.relative_to(ROOT)): sorted(imported & (set(OURS) - ALLOWED[package]))
        for path in SOURCES
        if path.is_relative_to(ROOT / package)
        for imported in [imported_packages(path)]
        if imported & (set(OURS) - ALLOWED[package])
    }
    assert not wrong


@pytest.mark.parametrize("package", [name for name in OURS if name != "flows"])
def test_only_flows_know_prefect(package: str) -> None:
    wrong = [p for p in SOURCES if p.is_relative_to(ROOT / package) and "prefect" in imported_packages(p)]
    assert not wrong


def test_no_file_is_a_grab_bag_or_a_monolith() -> None:
    grab_bags = {"utils.py", "util.py", "helpers.py", "helper.py", "common.py", "misc.py", "manager.py"}
    assert not [path for path in SOURCES if path.name in grab_bags]
    long = {str(p.relative_to(ROOT)): n for p in SOURCES if (n := p.read_text().count("\n")) > 400}
    assert not long


def test_every_module_says_what_it_is_for() -> None:
    assert not [p for p in SOURCES if not ast.get_docstring(ast.parse(p.read_text(encoding="utf-8")))]


WITHOUT_A_DOOR = {
    "claimrag.legal_sources.citations": "resolves references; chunks with resolved references need it (roadmap)",
    "claimrag.schemas.citation": "the noun of the same",
}
"""Modules that no command and no flow reaches yet, each with its reason. The list may only become shorter."""


def test_every_module_is_reached_from_a_command_or_a_flow() -> None:
    from claimrag.flows.deployment.spec import read_deployments

    deployed = {spec.module_entrypoint.rpartition(".")[0] for spec in read_deployments()}
    doors = ("claimrag", "claimrag.__main__", "claimrag.flows.cli.app", *sorted(deployed))
    separate = ("claimrag.flows.temporary_server_process", "claimrag.tasks.local.server_process")
    reached = reached_modules([*doors, *separate, *found_by_a_registry()])
    modules = {module_name(path) for path in SOURCES if path.name != "__init__.py"}
    excused = {module for module in modules if module.startswith(tuple(WITHOUT_A_DOOR))}
    assert sorted(modules - reached - excused) == []
    assert sorted(name for name in WITHOUT_A_DOOR if any(m.startswith(name) for m in reached & excused)) == []


def found_by_a_registry() -> set[str]:
    """Modules that nobody imports by name: a registry finds them in their folder."""
    from claimrag.tasks.layouts.registry import all_layouts

    return {layout.write.__module__ for layout in all_layouts().values()}


def reached_modules(doors: list[str]) -> set[str]:
    from claimrag.tasks.run.code import imported_by

    reached: set[str] = set()
    waiting = list(doors)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting.extend(imported_by(name))
    return reached


def module_name(path: Path) -> str:
    return ".".join(("claimrag", *path.relative_to(ROOT).with_suffix("").parts))


def test_no_folder_has_a_name_that_tools_skip() -> None:
    skipped = {
        "build",
        "dist",
        "lib",
        "env",
        "venv",
        "test",
        "node_modules",
        "CVS",
        "_darcs",
        "site-packages",
    }
    folders = {
        part
        for path in ROOT.rglob("*.py")
        if ".venv" not in path.parts
        for part in path.relative_to(ROOT).parts[:-1]
    }
    assert not folders & skipped


def test_every_test_file_is_collected(pytestconfig: pytest.Config) -> None:
    ignored = set(pytestconfig.getini("norecursedirs"))
    parts = {part for path in (ROOT / "tests").rglob("test_*.py") for part in path.relative_to(ROOT).parts}
    assert not parts & ignored


def test_every_reason_is_given_somewhere() -> None:
    from claimrag.schemas.reason import Reason

    source = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
    assert [reason.name for reason in Reason if f"Reason.{reason.name}" not in source] == []


def test_every_table_of_a_step_is_in_the_order_of_the_build() -> None:
    from importlib import import_module

    from claimrag.tasks.run.step import Table
    from claimrag.tasks.run.tables import TABLES

    steps = [
        import_module(f"claimrag.tasks.{path.parent.name}.{path.stem}")
        for path in (ROOT / "tasks").glob("*/*step.py")
        if path.parent.name != "run"
    ]
    declared = {
        id(value): value.stage for step in steps for value in vars(step).values() if isinstance(value, Table)
    }
    assert sorted(declared.values()) == sorted(table.stage for table in TABLES)


def test_nothing_evaluates_text() -> None:
    calls = [
        (path, node.lineno)
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"eval", "exec"}
    ]
    assert not calls


def test_every_deployment_names_a_flow_and_valid_parameters() -> None:
    from importlib import import_module

    from claimrag.schemas.build import BuildRequest

    config = yaml.safe_load((ROOT / "prefect.yaml").read_text(encoding="utf-8"))
    for deployment in config["deployments"]:
        path, name = deployment["entrypoint"].split(":")
        assert (ROOT / path).is_file()
        assert hasattr(import_module("claimrag." + path.removesuffix(".py").replace("/", ".")), name)
        BuildRequest.model_validate(deployment["parameters"]["request"])
