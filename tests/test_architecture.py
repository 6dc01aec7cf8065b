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
