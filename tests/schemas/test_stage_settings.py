"""Settings that must fit each other are refused together, with a sentence that names both."""

from __future__ import annotations

import pytest

from claimrag.schemas.errors import SettingsError
from claimrag.schemas.settings import load_settings

MODEL = {"base_url": "http://127.0.0.1:1/v1", "model": "m"}


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (
            {"evaluate": {"chunk_tokens": 100, "chunk_overlap": 100}},
            ("evaluate.chunk_overlap", "evaluate.chunk_tokens"),
        ),
        ({"evaluate": {"chunk_tokens": 120}}, ("evaluate.chunk_overlap", "evaluate.chunk_tokens")),
        ({"evaluate": {"context_tokens": 2048}}, ("evaluate.reserved_tokens", "evaluate.context_tokens")),
        (
            {"evaluate": {"max_answer_tokens": 2048}},
            ("evaluate.max_answer_tokens", "evaluate.reserved_tokens"),
        ),
        ({"generate": {"window_tokens": 4096}}, ("generate.reserved_tokens", "generate.window_tokens")),
        ({"acquire": {"timeout_s": 301}}, ("acquire.timeout_s", "acquire.total_timeout_s")),
        ({"llm": MODEL | {"context_tokens": 700}}, ("generate.max_tokens", "llm.context_tokens")),
        (
            {"llm": MODEL | {"context_tokens": 1024}, "evaluate": {"max_answer_tokens": 1024}},
            ("evaluate.max_answer_tokens", "llm.context_tokens"),
        ),
        ({"llm": MODEL, "judge": {"context_tokens": 1000}}, ("claims.max_tokens", "judge.context_tokens")),
        ({"evaluate": {"retrievers": ["bm25", "bm25"]}}, ("evaluate.retrievers", "twice")),
        ({"evaluate": {"retrievers": []}}, ("evaluate.retrievers", "at least 1")),
        ({"generate": {"categories": []}}, ("generate.categories", "at least 1")),
        ({"acquire": {"base_addresses": {"eu": "nowhere"}}}, ("acquire.base_addresses", "eu")),
        ({"workspace": " \t"}, ("workspace", "blank")),
        ({"workspace": "a::b"}, ("workspace", "'::'")),
    ],
)
def test_two_settings_that_do_not_fit_are_refused_by_name(options: dict, named: tuple[str, str]) -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings(**options)
    assert all(name in str(refused.value) for name in named)
    assert "Value error" not in str(refused.value) and "evaluate: evaluate" not in str(refused.value)


def test_the_last_value_that_fits_is_taken() -> None:
    options = {"chunk_tokens": 101, "chunk_overlap": 100, "context_tokens": 2049, "max_answer_tokens": 2047}
    settings = load_settings(evaluate=options, generate={"window_tokens": 4097}, acquire={"timeout_s": 300})
    assert settings.evaluate.chunk_tokens == 101 and settings.generate.window_tokens == 4097


def test_the_context_of_a_model_bounds_replies_only_where_it_was_set() -> None:
    assert load_settings(llm=MODEL, generate={"max_tokens": 9000}).generate.max_tokens == 9000
    assert load_settings(llm={"context_tokens": 512}).llm.is_local


def test_a_workspace_is_taken_without_white_space_around_it() -> None:
    assert load_settings(workspace=" w ").workspace == "w"
