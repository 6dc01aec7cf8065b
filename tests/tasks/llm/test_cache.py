"""The request cache on disk: shared and whole, with every reply that was paid for."""

from __future__ import annotations

import json
import multiprocessing
import sqlite3
from contextlib import closing
from dataclasses import replace
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


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="writable"):
        RequestCache(tmp_path / "file" / "requests.sqlite")


def test_a_file_that_another_process_holds_is_named(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("claimrag.tasks.llm.sqlite_file.BUSY_TIMEOUT_S", 0.1)
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


def test_a_reply_that_is_asked_again_is_kept_beside_the_next_one(cache):
    cache.put("k", REPLY)
    second = replace(REPLY, text="second")
    assert cache.put("k", second, asking=2) == second
    assert (cache.get("k"), cache.earlier("k"), cache.askings("k")) == (second, [REPLY], 2)
    assert (len(cache), cache.askings("unknown"), cache.earlier("unknown")) == (1, 0, [])


def test_of_two_second_replies_the_first_wins(tmp_path: Path):
    path = tmp_path / "requests.sqlite"
    with RequestCache(path) as one, RequestCache(path) as two:
        one.put("k", REPLY)
        second = replace(REPLY, text="second")
        one.put("k", second, asking=2)
        assert two.put("k", replace(REPLY, text="late"), asking=2) == second
        assert two.askings("k") == 2


def test_money_is_added_up_by_role_and_over_runs(tmp_path: Path):
    path = tmp_path / "requests.sqlite"
    with RequestCache(path) as cache:
        assert cache.spent_usd("llm") == 0.0
        cache.put("k", REPLY, role="llm", cost_usd=0.25)
        cache.put("k", REPLY, role="llm", cost_usd=0.25)  # paid for, though another one is stored
        cache.add_spent("judge", 1.5)
    with RequestCache(path) as cache:
        cache.add_spent("llm", 0.5)
        assert (cache.spent_usd("llm"), cache.spent_usd("judge")) == (1.0, 1.5)


def test_what_an_endpoint_takes_is_kept_for_each_endpoint_and_model(tmp_path: Path):
    path = tmp_path / "requests.sqlite"
    with RequestCache(path) as cache:
        cache.keep_modes("http://h", "m", "old")
        cache.keep_modes("http://h", "m", "new")
    with RequestCache(path) as cache:
        assert cache.modes("http://h", "m") == "new"
        assert cache.modes("http://h", "other") is cache.modes("http://i", "m") is None


def test_a_file_of_the_first_version_opens_with_everything_in_it(tmp_path: Path):
    path = tmp_path / "requests.sqlite"
    old = {name: value for name, value in vars(REPLY).items() if name not in ("schema_mode", "seed_sent")}
    with closing(sqlite3.connect(path, isolation_level=None)) as first:
        first.execute("PRAGMA journal_mode = WAL")
        first.execute(
            "CREATE TABLE replies (key TEXT PRIMARY KEY, model TEXT NOT NULL, reply TEXT NOT NULL, received_at TEXT "
            "NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))) WITHOUT ROWID"
        )
        row = ("k", "m", json.dumps(old, sort_keys=True, separators=(",", ":")))
        first.execute("INSERT INTO replies (key, model, reply) VALUES (?, ?, ?)", row)
    for _ in range(2):
        with RequestCache(path) as cache:
            assert cache.get("k") == REPLY
            assert cache.warnings == []
            cache.put("new", REPLY)
            assert cache.get("new") == REPLY
