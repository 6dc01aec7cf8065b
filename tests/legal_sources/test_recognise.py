"""Which module parses which bytes."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from claimrag.legal_sources import ParsedAct, parse_bytes, recognise
from claimrag.legal_sources.markup import Document
from claimrag.schemas.errors import SourceError, UnrecognisedLayoutError

NOTHING = b"<unheard-of><p>x</p></unheard-of>"


def test_every_layout_module_says_its_name_and_offers_both_functions() -> None:
    for name in recognise.LAYOUT_MODULES:
        module = recognise._import_or_none(name)
        assert module is not None, name
        assert isinstance(module.LAYOUT, str) and callable(module.recognises) and callable(module.parse)


def test_markup_that_no_module_knows_is_refused_by_its_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        recognise,
        "LAYOUT_MODULES",
        ("claimrag.legal_sources.eurlex.oj", "claimrag.legal_sources.eurlex.nowhere"),
    )
    with pytest.raises(UnrecognisedLayoutError) as caught:
        parse_bytes(NOTHING, origin="law.xml")
    assert "law.xml: <unheard-of>" in str(caught.value)
    assert "not installed: claimrag.legal_sources.eurlex.nowhere" in str(caught.value)


@pytest.mark.parametrize(("raw", "what"), [(b"%PDF-1.7", "a PDF"), (b' {"a": 1}', "JSON"), (b"[1]", "JSON")])
def test_bytes_for_an_absent_parser_are_refused_by_its_name(
    raw: bytes, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recognise, "PDF_MODULE", "claimrag.legal_sources.nowhere.act")
    monkeypatch.setattr(recognise, "JSON_MODULE", "claimrag.legal_sources.nowhere.act")
    with pytest.raises(
        UnrecognisedLayoutError, match=f"is {what}, which needs the parser claimrag.legal_sources.nowhere"
    ):
        parse_bytes(raw, origin="law")


def test_an_absent_import_inside_a_module_is_not_taken_for_an_absent_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "made_up_layout.py").write_text("import a_package_that_is_not_there\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert recognise._import_or_none("claimrag.legal_sources.nowhere.act") is None
    with pytest.raises(ModuleNotFoundError):
        recognise._import_or_none("made_up_layout")


def test_nesting_too_deep_for_a_parser_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def parse(_document: Document) -> ParsedAct:
        raise RecursionError

    module = SimpleNamespace(LAYOUT="made-up", recognises=lambda _document: True, parse=parse)
    monkeypatch.setattr(recognise, "_import_or_none", lambda _name: module)
    with pytest.raises(SourceError, match="law: nested too deep for the layout made-up"):
        parse_bytes(NOTHING, origin="law")
