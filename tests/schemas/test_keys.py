"""Which key goes to which address, and what no message shows."""

from __future__ import annotations

import traceback

import pytest

from claimrag.schemas.errors import SettingsError
from claimrag.schemas.settings import ModelSettings, Settings, load_settings

OPENAI = "https://api.openai.com/v1"
MINE, THEIRS = "http://mine.example:8000/v1", "http://theirs.example/v1"


@pytest.fixture(autouse=True)
def _somewhere_else(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")


def key(section) -> str | None:
    return None if section.api_key is None else section.api_key.get_secret_value()


@pytest.mark.parametrize(
    ("base_url", "given"),
    [
        (OPENAI, "sk-openai"),
        ("https://API.openai.com:443/v1/", "sk-openai"),
        ("http://api.openai.com/v1", None),
        ("https://api.openai.com.evil.example/v1", None),
        ("https://api.openai.com@evil.example/v1", None),
        (MINE, None),
    ],
)
def test_the_openai_key_goes_to_openai_alone(base_url, given):
    model = {"base_url": base_url, "model": "m"}
    settings = load_settings(llm=model, judge=model, embeddings=model)
    assert key(settings.llm) == key(settings.judge_model()) == key(settings.embeddings) == given


def test_the_openai_key_goes_elsewhere_when_that_is_asked_for():
    settings = load_settings(llm={"base_url": MINE, "model": "m", "use_openai_key": True})
    assert key(settings.llm) == "sk-openai"
    assert key(load_settings().llm) is None  # the local model needs none


def test_embeddings_without_an_address_are_openais():
    assert key(load_settings(embeddings={"model": "text-embedding-3-small"}).embeddings) == "sk-openai"
    assert key(load_settings().embeddings) is None


@pytest.mark.parametrize(
    ("other", "given"),
    [
        ({"model": "j"}, "sk-mine"),
        ({"base_url": "http://mine.example:8000/other/v1", "model": "j"}, "sk-mine"),
        ({"base_url": THEIRS, "model": "j"}, None),
        ({"base_url": "https://mine.example:8000/v1", "model": "j"}, None),
        ({"base_url": "http://mine.example/v1", "model": "j"}, None),
        ({"base_url": THEIRS, "model": "j", "api_key": "sk-theirs"}, "sk-theirs"),
        ({"model": "j", "api_key": "sk-theirs"}, "sk-theirs"),
        ({"base_url": OPENAI, "model": "j"}, "sk-openai"),
    ],
)
def test_the_key_of_the_llm_goes_to_the_judge_of_the_same_origin_only(other, given):
    settings = load_settings(llm={"base_url": MINE, "model": "m", "api_key": "sk-mine"}, judge=other)
    assert key(settings.judge_model()) == given


def test_the_key_of_the_llm_goes_to_embeddings_of_the_same_origin_only():
    def of(**embeddings):
        llm = {"base_url": MINE, "model": "m", "api_key": "sk-mine"}
        return key(load_settings(llm=llm, embeddings={"model": "e", **embeddings}).embeddings)

    assert of(base_url=MINE) == "sk-mine"
    assert of(base_url=MINE, api_key="own") == "own"
    assert of(base_url=THEIRS) is None
    assert of() == "sk-openai"


@pytest.mark.parametrize("section", ["llm", "judge", "embeddings"])
@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("base_url", "ftp://u:hunter2@h/v1", "http"),
        ("base_url", "http://u:hunter2@h:99999/v1", "port"),
        ("base_url", "http://[::1/v1", "brackets"),
        ("api_key", "hunter2-clé", "character"),
        ("api_key", "hunter2 x", "character"),
    ],
)
def test_what_cannot_be_sent_is_one_sentence_that_shows_no_secret(section, field, value, words):
    with pytest.raises(SettingsError, match=rf"{section}\.{field}.*{words}") as caught:
        load_settings(**{section: {"base_url": MINE, "model": "m", field: value}})
    assert "hunter2" not in "".join(traceback.format_exception(caught.value))


def test_white_space_around_a_key_is_left_out(monkeypatch):
    settings = load_settings(llm={"base_url": MINE, "model": "m", "api_key": " sk-mine\n"})
    assert key(settings.llm) == "sk-mine"
    monkeypatch.setenv("OPENAI_API_KEY", "sk-clé")
    with pytest.raises(SettingsError, match="OPENAI_API_KEY"):
        load_settings()


def test_what_nobody_set_for_the_llm_stays_unset_for_the_judge():
    settings = Settings(llm=ModelSettings(base_url=MINE, model="m"))
    assert "context_tokens" not in settings.judge_model().model_fields_set
    assert settings.judge_model() == settings.llm


def test_a_judge_that_makes_no_endpoint_is_a_sentence():
    price = {"m": {"prompt_usd_per_million": 1, "completion_usd_per_million": 1}}
    llm = {"base_url": MINE, "model": "m", "api_key": "hunter2", "budget_usd": 1, "prices": price}
    with pytest.raises(SettingsError, match=r"judge .*price for 'j'") as caught:
        load_settings(llm=llm, judge={"model": "j"}).judge_model()
    assert "hunter2" not in "".join(traceback.format_exception(caught.value))
