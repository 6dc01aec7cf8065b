"""What is written is registered: a chunker, a check, a layout that nobody lists fails here, by its name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from claimrag.schemas.base import Language
from claimrag.schemas.run import ScoredAnswer
from claimrag.tasks.run.code import imported_by

ROOT = Path(__file__).resolve().parent.parent


def modules_of(folder: str) -> Iterator[tuple[str, ast.Module]]:
    """Name and syntax tree of each module below a folder."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        name = ".".join(("claimrag", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
        yield name, ast.parse(path.read_text(encoding="utf-8"))


def classes_with(folder: str, *methods: str) -> set[str]:
    """Names of the classes, protocols left out, that define all these methods."""
    return {
        node.name
        for _, tree in modules_of(folder)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and not any(isinstance(base, ast.Name) and base.id == "Protocol" for base in node.bases)
        and set(methods) <= {child.name for child in node.body if isinstance(child, ast.FunctionDef)}
    }


def names_used(folder: str, *, outside: str = "") -> set[str]:
    """Every name and attribute that is read in a folder, but not in the module `outside`."""
    return {
        node.id if isinstance(node, ast.Name) else node.attr
        for name, tree in modules_of(folder)
        if name != outside
        for node in ast.walk(tree)
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load)
    }


def test_every_chunker_that_is_written_is_registered() -> None:
    from claimrag.tasks.chunk.registry import CHUNKERS

    written = classes_with("tasks/chunk", "spans") - {"MistralTokenizer"}
    assert written == {type(chunker).__name__ for chunker in CHUNKERS}
    assert len({chunker.name for chunker in CHUNKERS}) == len(CHUNKERS)


def test_every_retriever_that_is_written_is_registered() -> None:
    from claimrag.tasks.retrieve import registry

    written = {name for name in classes_with("tasks/retrieve", "search") if name.endswith("Retriever")}
    source = Path(registry.__file__).read_text(encoding="utf-8")
    assert {name for name in written if f"import {name}" not in source} == set()
    assert len(written) == len(registry.RETRIEVERS)


def test_every_metric_has_its_field_and_every_field_its_metric() -> None:
    from claimrag.tasks.evaluate.metrics import CLAIM_METRICS
    from claimrag.tasks.evaluate.retrieval_metrics import RETRIEVAL_METRICS

    fields = {name for name, field in ScoredAnswer.model_fields.items() if field.annotation == float | None}
    assert {metric.name for metric in (*CLAIM_METRICS, *RETRIEVAL_METRICS)} == fields


def test_every_check_of_drafts_is_called() -> None:
    written = {
        (name, node.name)
        for name, tree in modules_of("tasks/generate")
        for node in tree.body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("check_")
    }
    assert written
    assert {
        check for module, check in written if check not in names_used("tasks/generate", outside=module)
    } == set()


def test_every_layout_that_is_written_is_tried() -> None:
    from claimrag.legal_sources import recognise

    listed = {
        *recognise.LAYOUT_MODULES,
        recognise.PDF_MODULE,
        recognise.JSON_MODULE,
        recognise.MARKDOWN_MODULE,
    }
    written = {
        name
        for name, tree in modules_of("legal_sources")
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name == "recognises"
    }
    tried_by_the_pdf_module = imported_by(recognise.PDF_MODULE)
    assert written <= listed | tried_by_the_pdf_module


@pytest.mark.parametrize("language", list(Language))
def test_every_table_by_language_has_every_language(language: Language) -> None:
    """A dictionary whose keys are language codes has an entry for each language, wherever it is."""
    lacking = []
    for folder in ("tasks", "legal_sources"):
        for name, tree in modules_of(folder):
            for node in ast.walk(tree):
                if isinstance(node, ast.Dict) and node.keys:
                    keys = {key.value for key in node.keys if isinstance(key, ast.Constant)}
                    if len(keys) == len(node.keys) and {"en", "fr"} & keys and keys <= set(CODES):
                        lacking += [] if language.value in keys else [f"{name}:{node.lineno}"]
    assert lacking == []


CODES = ("en", "fr", "de", "it", "es", "nl", "lb")


def test_every_step_has_its_flow_task() -> None:
    source = (ROOT / "flows" / "steps.py").read_text(encoding="utf-8")
    steps = [
        import_module(f"claimrag.tasks.{path.parent.name}.{path.stem}")
        for path in (ROOT / "tasks").glob("*/*step.py")
        if path.parent.name != "run"
    ]
    assert len(steps) >= 9
    assert {
        step.__name__
        for step in steps
        if f"from claimrag.tasks.{step.__name__.split('.')[2]} import" not in source
    } == set()
