"""The reference of settings is what the model says, and `settings_in_force` what a build would use, with its origin."""

from __future__ import annotations

from pathlib import Path

import pytest

from claimrag.schemas.errors import SettingsError
from claimrag.schemas.presets import preset_names, read_preset
from claimrag.schemas.settings import Settings, load_settings
from claimrag.schemas.settings_in_force import settings_in_force
from claimrag.schemas.settings_reference import setting_entries, settings_markdown, variable_of

ROOT = Path(__file__).resolve().parents[2]
FILE = """
workspace = "from-file"
[llm]
model = "m"
base_url = "http://user:hunter2@h:8000/v1?key=hunter2"
api_key = "key-of-the-file"
[judge]
temperature = "unsupported"
[evaluate]
k = 7
"""


def in_force(**options) -> dict[str, tuple[str, str]]:
    return {row.key: (row.value, row.origin) for row in settings_in_force(**options)}


def test_the_page_is_what_the_model_says() -> None:
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert page == settings_markdown(), "run: claimrag settings --markdown > docs/settings.md"


def test_every_setting_has_a_meaning_and_a_variable_that_sets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [entry for _, section in setting_entries() for entry in section]
    assert len({entry.key for entry in entries}) == len(entries) > 60
    for entry in entries:
        assert len(entry.meaning) > 5 and entry.meaning[0] in "`ABCDEFGHIJKLMNOPQRSTUVWXYZ", entry.key
        assert entry.variable == "CLAIMRAG_" + entry.key.upper().replace(".", "__")
    monkeypatch.setenv(variable_of("evaluate.k"), "3")
    assert load_settings().evaluate.k == 3


def test_the_strongest_source_wins_and_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert in_force(full=True)["evaluate.k"] == ("10", "default")
    assert in_force(preset="claimrag-law")["evaluate.k"] == ("10", "preset claimrag-law")
    (tmp_path / "claimrag.toml").write_text(FILE)
    assert in_force(preset="claimrag-law")["evaluate.k"] == ("7", "claimrag.toml")
    monkeypatch.setenv("claimrag_evaluate__k", "5")
    assert in_force(preset="claimrag-law")["evaluate.k"] == ("5", "claimrag_evaluate__k")
    assert in_force()["workspace"] == ("from-file", "claimrag.toml")
    assert in_force(workspace="w")["workspace"] == ("w", "option")
    monkeypatch.setenv("CLAIMRAG_GENERATE", '{"seed": 5}')
    assert in_force()["generate.seed"] == ("5", "CLAIMRAG_GENERATE")


def test_the_preset_may_be_named_in_the_file_or_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "claimrag.toml").write_text('preset = "claimrag-law"\n')
    assert in_force()["generate.strategy"] == ("p", "preset claimrag-law")
    monkeypatch.setenv("CLAIMRAG_PRESET", "nothing")
    with pytest.raises(SettingsError, match="choose one of: claimrag-law"):
        load_settings()


def test_no_key_and_no_password_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "claimrag.toml").write_text(FILE)
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-openai")
    monkeypatch.setenv("CLAIMRAG_EMBEDDINGS__MODEL", "text-embedding-3-small")
    rows = in_force()
    assert rows["llm.api_key"] == ("set", "claimrag.toml")
    assert rows["judge.api_key"] == ("set", "as llm")
    assert rows["embeddings.api_key"] == ("set", "OPENAI_API_KEY")
    assert rows["llm.base_url"] == ("http://***@h:8000/v1", "claimrag.toml")
    assert rows["judge.temperature"] == ("unsupported", "claimrag.toml")
    assert not any(secret in str(rows) for secret in ("hunter2", "key-of-the-file", "key-of-openai"))


def test_the_limits_of_the_local_model_are_named_unless_they_are_lifted() -> None:
    assert in_force()["generate.units_per_act"] == ("3", "limit of the local model")
    assert in_force(full=True)["generate.units_per_act"] == ("not set", "default")
    assert in_force(llm={"model": "m", "base_url": "http://h/v1"})["generate.units_per_act"][1] == "default"


def test_what_is_in_force_is_what_a_build_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAIMRAG_PRESET", "claimrag-law")
    monkeypatch.setenv("CLAIMRAG_CLAIMS__JOINT", "2")
    settings, rows = load_settings(), in_force(full=True)
    assert rows["claims.joint"][0] == str(settings.claims.joint) == "2"
    assert rows["generate.strategy"][0] == settings.generate.strategy.value == "p"
    assert set(rows) == {entry.key for _, section in setting_entries() for entry in section}


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_holds_valid_settings_and_no_address_or_key(name: str) -> None:
    values = read_preset(name)
    settings = load_settings(preset=name)
    assert settings.llm.is_local and not {"workspace", "preset", "local"} & set(values)
    assert not {"base_url", "model", "api_key"} & set(values.get("llm", {}))
    assert Settings.model_validate(values).evaluate == settings.evaluate


def test_the_paper_preset_has_the_parameters_of_the_paper() -> None:
    settings = load_settings(preset="claimrag-law")
    evaluate, generate = settings.evaluate, settings.generate
    assert (evaluate.chunk_tokens, evaluate.chunk_overlap, evaluate.k) == (600, 120, 10)
    assert (evaluate.context_tokens, evaluate.reserved_tokens) == (8192, 2048)
    assert (generate.strategy, generate.window_tokens, generate.reserved_tokens) == ("p", 100_000, 4096)
    assert (settings.claims.checker, settings.claims.joint) == ("refchecker", 5)
