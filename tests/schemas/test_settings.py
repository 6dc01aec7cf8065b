"""Settings: sources in their order, unknown keys refused, secrets out of every dump."""

from __future__ import annotations

from pathlib import Path

import pytest

from claimrag.schemas.errors import SettingsError
from claimrag.schemas.settings import Settings, load_settings


def test_defaults_are_the_local_model() -> None:
    settings = load_settings()
    assert settings.llm.is_local and settings.judge_model().is_local
    assert settings.workspace == "./workspace"
    assert (settings.llm.max_in_flight, settings.llm.temperature) == (8, "as_designed")


def test_options_win_over_the_environment_which_wins_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "claimrag.toml").write_text(
        'workspace = "from-file"\n[llm]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\nmax_in_flight = 3\n'
    )
    assert load_settings().workspace == "from-file"
    monkeypatch.setenv("CLAIMRAG_WORKSPACE", "from-environment")
    monkeypatch.setenv("CLAIMRAG_LLM__MODEL", "n")
    settings = load_settings()
    assert (settings.workspace, settings.llm.model, settings.llm.max_in_flight) == (
        "from-environment",
        "n",
        3,
    )
    assert load_settings(workspace="option").workspace == "option"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('worksapce = "x"', "worksapce"),
        ("[llm]\nmodle = 'x'", "llm.modle"),
        ("[llm]\nmax_in_flight = 0", "max_in_flight"),
    ],
)
def test_a_wrong_key_or_value_in_the_file_is_named(tmp_path: Path, text: str, named: str) -> None:
    (tmp_path / "claimrag.toml").write_text(text)
    with pytest.raises(SettingsError, match=named):
        load_settings()


def test_an_unknown_variable_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAIMRAG_LMM__MODEL", "x")
    with pytest.raises(SettingsError, match="CLAIMRAG_LMM__MODEL"):
        load_settings()


def test_an_unknown_nested_variable_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAIMRAG_LLM__MODLE", "x")
    with pytest.raises(SettingsError, match="modle"):
        load_settings()


def test_broken_toml_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "claimrag.toml").write_text("[llm\n")
    with pytest.raises(SettingsError, match=r"claimrag\.toml"):
        load_settings()


def test_a_base_url_needs_a_model_name() -> None:
    with pytest.raises(SettingsError, match="model name"):
        load_settings(llm={"base_url": "http://127.0.0.1:1/v1"})


def test_a_budget_needs_a_price() -> None:
    with pytest.raises(SettingsError, match="price"):
        load_settings(llm={"model": "m", "budget_usd": 1.0})


def test_the_openai_key_is_taken_when_a_model_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    assert load_settings().llm.api_key is None
    settings = load_settings(llm={"model": "gpt"})
    assert settings.llm.api_key is not None and settings.llm.api_key.get_secret_value() == "sk-secret"


def test_a_key_is_in_no_dump_and_no_fingerprint() -> None:
    with_key = load_settings(llm={"model": "m", "api_key": "sk-secret"})
    without = load_settings(llm={"model": "m"})
    assert "sk-secret" not in repr(with_key) and "sk-secret" not in with_key.model_dump_json()
    assert with_key.fingerprint() == without.fingerprint()


def test_the_judge_is_the_generator_except_for_what_it_sets() -> None:
    settings = load_settings(llm={"model": "g", "base_url": "http://127.0.0.1:1/v1"}, judge={"model": "j"})
    assert (settings.judge_model().model, settings.judge_model().base_url) == ("j", "http://127.0.0.1:1/v1")


def test_local_limits_fill_only_what_nobody_set() -> None:
    settings = load_settings(generate={"units_per_act": 99}).with_local_limits()
    assert settings.generate.units_per_act == 99
    assert settings.generate.windows_per_act == settings.local.windows_per_act
    assert settings.evaluate.k == settings.local.k


def test_speed_does_not_change_the_fingerprint_but_the_seed_does() -> None:
    base = Settings()
    faster = load_settings(llm={"max_in_flight": 64})
    other = load_settings(generate={"seed": 14})
    assert base.fingerprint() == faster.fingerprint() != other.fingerprint()
