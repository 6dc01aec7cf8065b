"""The registry of retrievers: names are known before an engine is imported, and what is unknown is refused."""

import subprocess
import sys
from typing import Any

import pytest

from claimrag.schemas.errors import InputError
from claimrag.tasks.retrieve import RETRIEVERS, build_retriever, find_retriever, retriever_names


def test_every_retriever_is_found_by_its_name_and_says_whether_it_embeds() -> None:
    assert retriever_names() == ["bm25", "dense", "hybrid"]
    assert [find_retriever(name) for name in retriever_names()] == list(RETRIEVERS)
    assert [engine.needs_embedder for engine in RETRIEVERS] == [False, True, True]


@pytest.mark.parametrize("name", ["elastic", "BM25", ""])
def test_an_unknown_retriever_is_refused_with_the_known_names(name: str) -> None:
    with pytest.raises(InputError, match="known are bm25, dense, hybrid"):
        find_retriever(name)
    with pytest.raises(InputError, match=f"unknown retriever '{name}'"):
        build_retriever(name, [])


@pytest.mark.parametrize("name", ["dense", "hybrid"])
def test_a_retriever_that_embeds_needs_an_embedder(name: str) -> None:
    with pytest.raises(InputError, match=f"the {name} retriever needs an embedder"):
        build_retriever(name, [])


class NoEmbedder:
    """Never asked, as there is nothing to embed."""

    def embed_queries(self, texts: Any) -> Any:
        raise AssertionError(texts)

    embed_passages = embed_queries


@pytest.mark.parametrize("name", ["bm25", "dense", "hybrid"])
def test_a_built_retriever_has_the_name_of_its_row(name: str) -> None:
    retriever = build_retriever(name, [], embedder=NoEmbedder())
    assert retriever.name == name
    assert retriever.search(["law"], 3) == [[]]


def test_looking_up_names_imports_no_engine() -> None:
    script = (
        "import sys; from claimrag.tasks.retrieve import find_retriever; from claimrag.tasks.chunk import find_chunker;"
        "find_retriever('hybrid'); find_chunker('fixed-20-5');"
        "print(sorted({'numpy', 'tantivy', 'sentencepiece', 'openai'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
