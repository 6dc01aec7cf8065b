"""The request cache on disk: shared, whole, and clear about damage."""

from __future__ import annotations

import multiprocessing
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimrag.schemas.errors import StoreError
from claimrag.tasks.llm import RequestCache, StoredReply

REPLY = StoredReply(
    text="é\u2028\ud800",
    refusal=None,
    finish_reason="stop",
    model="m",
    prompt_tokens=3,
    completion_tokens=2,
    temperature=0.1,
    temperature_note="sent",
    logprobs=({"a": -0.5},),
)


def test_a_stored_reply_comes_back_as_it_was(cache):
    assert cache.get("k") is None
    assert cache.put("k", REPLY) == REPLY
    assert cache.get("k") == REPLY


@settings(deadline=None, max_examples=30)
@given(
    text=st.none() | st.text(),
    model=st.text(),
    tokens=st.integers(0, 2**40),
    temperature=st.none() | st.floats(0, 2),
)
def test_any_reply_survives_the_file(tmp_path_factory, text, model, tokens, temperature):
    reply = StoredReply(text, text, "stop", model, tokens, 0, temperature, "sent")
    path = tmp_path_factory.mktemp("cache") / "requests.sqlite"
    with RequestCache(path) as cache:
        cache.put("k", reply)
    with RequestCache(path) as cache:
        assert cache.get("k") == reply


def test_the_first_reply_wins_and_is_given_to_both(tmp_path: Path):
    path = tmp_path / "requests.sqlite"
    second = StoredReply("other", None, "stop", "m", 1, 1, None, "unsupported")
    with RequestCache(path) as one, RequestCache(path) as two:
        one.put("k", REPLY)
        assert two.put("k", second) == REPLY
        assert len(two) == 1


def test_a_reply_is_on_disk_before_put_returns(tmp_path: Path):
    path = tmp_path / "requests.sqlite"
    with RequestCache(path) as writer, RequestCache(path) as reader:
        for number in range(50):
            writer.put(str(number), REPLY)
            assert reader.get(str(number)) == REPLY


def _write(path: str, first: int) -> None:
    with RequestCache(path) as cache:
        for number in range(first, first + 60):
            cache.put(str(number), REPLY)


def test_several_processes_write_at_once(tmp_path: Path):
    path = tmp_path / "new" / "requests.sqlite"
    spawn = multiprocessing.get_context("spawn")
    writers = [spawn.Process(target=_write, args=(str(path), first)) for first in (0, 30, 60)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    with RequestCache(path) as cache:
        assert len(cache) == 120


@pytest.mark.parametrize("damage", ["text", "truncated", "scrambled"])
def test_a_damaged_file_is_named_with_a_remedy(tmp_path: Path, damage):
    path = tmp_path / "requests.sqlite"
    with RequestCache(path) as cache:
        for number in range(300):
            cache.put(f"{number:064}", REPLY)
    raw = path.read_bytes()
    if damage == "text":
        path.write_bytes(b"this is no database, and long enough to be read as one" * 20)
    elif damage == "truncated":
        path.write_bytes(raw[: len(raw) // 2])
    else:
        path.write_bytes(raw[:4096] + b"\x55" * (len(raw) - 4096))
    with pytest.raises(StoreError) as caught, RequestCache(path) as cache:
        for number in range(300):
            cache.get(f"{number:064}")
    assert str(path) in str(caught.value) and "move it aside" in str(caught.value)


def test_a_damaged_row_is_named_with_its_key(cache):
    cache.put("k", REPLY)
    with sqlite3.connect(cache.path) as connection:
        connection.execute("UPDATE replies SET reply = 'not json'")
    connection.close()
    with pytest.raises(StoreError, match="stored under k is damaged"):
        cache.get("k")


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="writable"):
        RequestCache(tmp_path / "file" / "requests.sqlite")


def test_a_file_that_another_process_holds_is_named(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("claimrag.tasks.llm.cache._BUSY_TIMEOUT_S", 0.1)
    path = tmp_path / "requests.sqlite"
    with RequestCache(path) as cache:
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="another process has held it"):
            cache.put("k", REPLY)
        holder.close()


def test_a_closed_cache_says_so(tmp_path: Path):
    cache = RequestCache(tmp_path / "requests.sqlite")
    cache.close()
    with pytest.raises(StoreError, match="closed"):
        cache.get("k")
