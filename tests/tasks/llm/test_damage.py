"""A damaged cache is no dead end: what can be read is kept, what cannot is asked again, and somebody is told."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from claimrag.schemas.errors import StoreError
from claimrag.tasks.llm import RequestCache, StoredReply
from claimrag.tasks.llm.sqlite_carve import carve_rows

COUNT = 400


def reply(number: int) -> StoredReply:
    # Some are longer than a page, so that they have overflow pages.
    text = f"reply {number} " * (1 + 900 * (number % 7 == 0))
    return StoredReply(text, None, "stop", "m", number, 1, 0.0, "sent")


def key(number: int) -> str:
    return f"{number * 2654435761 % 2**64:064x}"


def fill(path: Path) -> None:
    with RequestCache(path) as cache:
        for number in range(COUNT):
            cache.put(key(number), reply(number))
        cache.put(key(3), reply(1003), asking=2)
        cache.add_spent("llm", 1.25)
        cache.keep_modes("http://h:1", "m", '{"seed":false}')


def readable(path: Path) -> tuple[int, list[str]]:
    """How many replies come back as they were, and the warnings; a wrong one fails the test."""
    with RequestCache(path) as cache:
        found = 0
        for number in range(COUNT):
            stored = cache.get(key(number))
            if stored is not None:
                assert stored in (reply(number), reply(1003) if number == 3 else None)
                found += 1
        return found, list(cache.warnings)


def damaged(path: Path) -> list[Path]:
    return [file for file in path.parent.glob("*.damaged*") if not file.name.endswith("-wal")]


def test_a_text_in_its_place_is_set_aside_and_a_new_file_begun(tmp_path: Path):
    path = tmp_path / "requests.sqlite"
    path.write_bytes(b"this is no database, and long enough to be read as one" * 20)
    found, warnings = readable(path)
    assert (found, len(warnings)) == (0, 1)
    assert "requests.sqlite.damaged" in warnings[0] and "paid for, again" in warnings[0]
    assert damaged(path)[0].read_bytes().startswith(b"this is no database")
    assert readable(path) == (0, [])


def test_an_empty_file_is_a_new_cache(tmp_path: Path):
    path = tmp_path / "requests.sqlite"
    path.touch()
    assert readable(path) == (0, [])


def test_a_lost_first_page_costs_nothing(tmp_path: Path):
    path = tmp_path / "requests.sqlite"
    fill(path)
    raw = path.read_bytes()
    path.write_bytes(b"\0" * 4096 + raw[4096:])
    found, warnings = readable(path)
    assert (found, len(warnings), len(damaged(path))) == (COUNT, 1, 1)
    with RequestCache(path) as cache:
        assert cache.spent_usd("llm") == 1.25
        assert cache.modes("http://h:1", "m") == '{"seed":false}'
        assert (cache.askings(key(3)), cache.get(key(3))) == (2, reply(1003))


@pytest.mark.parametrize("share", [0.3, 0.7])
def test_of_a_cut_file_the_rest_is_kept(tmp_path: Path, share: float):
    path = tmp_path / "requests.sqlite"
    fill(path)
    raw = path.read_bytes()
    path.write_bytes(raw[: int(len(raw) * share)])
    found, warnings = readable(path)
    assert COUNT * share * 0.6 < found < COUNT
    assert len(warnings) == len(damaged(path)) == 1
    assert readable(path) == (found, [])


@pytest.mark.parametrize("seed", range(12))
def test_flipped_bits_lose_few_replies_and_change_none(tmp_path: Path, seed: int):
    path = tmp_path / "requests.sqlite"
    fill(path)
    raw = bytearray(path.read_bytes())
    chance = random.Random(seed)
    for _ in range(8):
        raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
    path.write_bytes(raw)
    found, _ = readable(path)
    assert found > COUNT * 0.85
    with RequestCache(path) as cache:
        for number in range(COUNT):
            if cache.get(key(number)) is None:
                cache.put(key(number), reply(number))
    assert readable(path)[0] == COUNT


def test_pages_of_noise_lose_their_own_rows_only(tmp_path: Path):
    path = tmp_path / "requests.sqlite"
    fill(path)
    raw = bytearray(path.read_bytes())
    for page in range(4, len(raw) // 4096, 9):
        raw[page * 4096 : (page + 1) * 4096] = b"\x55" * 4096
    path.write_bytes(raw)
    found, warnings = readable(path)
    assert found > COUNT * 0.5 and any(".damaged" in warning for warning in warnings)


def test_what_is_only_in_the_log_is_rescued_too(tmp_path: Path):
    path = tmp_path / "requests.sqlite"
    with closing(RequestCache(path)) as cache:
        for number in range(40):
            cache.put(key(number), reply(number))
        log = path.with_name("requests.sqlite-wal").read_bytes()
    path.write_bytes(b"\xff" * 4096)
    path.with_name("requests.sqlite-wal").write_bytes(log)
    assert readable(path)[0] == 40


def test_damage_that_shows_while_the_file_is_open_is_met(tmp_path: Path):
    path = tmp_path / "requests.sqlite"
    fill(path)
    with RequestCache(path) as cache:
        raw = bytearray(path.read_bytes())
        raw[8192:] = b"\x77" * (len(raw) - 8192)
        path.write_bytes(raw)
        lost = [number for number in range(COUNT) if cache.get(key(number)) is None]
        assert lost and len(cache.warnings) == 1
        cache.put(key(lost[0]), reply(lost[0]))
        assert cache.get(key(lost[0])) == reply(lost[0])


def test_a_damaged_row_is_set_aside_and_asked_again(serve, gateway, question, ask, cache):
    server = serve(lambda body: "fine")
    (first,) = ask(gateway(server), question())
    with closing(sqlite3.connect(cache.path, isolation_level=None)) as connection:
        connection.execute("UPDATE replies SET reply = replace(reply, 'fine', 'wine')")
    (again,) = ask(gateway(server), question())
    assert (again.text, again.cached, len(server.requests)) == ("fine", False, 2)
    assert first.key in cache.warnings[0] and "damaged" in cache.warnings[0]
    with closing(sqlite3.connect(cache.path)) as connection:
        ((kept,),) = connection.execute("SELECT reply FROM damaged_replies")
    assert b"wine" in kept


@pytest.mark.parametrize("text", ["not json", "[]", "{}", '{"text": 3}', "\udcff"])
def test_a_row_that_cannot_be_read_counts_as_none(cache, text):
    cache.put("k", reply(1))
    raw = text.encode("utf-8", "surrogateescape")
    with closing(sqlite3.connect(cache.path, isolation_level=None)) as connection:
        connection.execute("UPDATE replies SET reply = CAST(? AS TEXT), crc = NULL", (raw,))
    assert cache.get("k") is None
    assert len(cache.warnings) == 1
    assert cache.put("k", reply(2)) == reply(2) == cache.get("k")


@pytest.mark.parametrize("step", range(6))
def test_a_rescue_that_is_interrupted_goes_on(tmp_path: Path, monkeypatch, step: int):
    path = tmp_path / "requests.sqlite"
    fill(path)
    raw = path.read_bytes()
    path.write_bytes(b"\0" * 4096 + raw[4096:])
    moves = []

    def killed_at(move):
        def moved(self, target):
            if len(moves) == step:
                raise KeyboardInterrupt
            moves.append(target)
            return move(self, target)

        return moved

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", killed_at(Path.rename))
        patch.setattr(Path, "replace", killed_at(Path.replace))
        try:
            readable(path)
        except KeyboardInterrupt:
            pass
        else:
            assert len(moves) <= step
    assert readable(path)[0] == COUNT
    assert readable(path) == (COUNT, [])


def test_a_file_that_cannot_be_opened_is_named_with_a_remedy(tmp_path: Path):
    (tmp_path / "requests.sqlite").mkdir()
    with pytest.raises(StoreError, match=r"requests\.sqlite.*Remedy"):
        RequestCache(tmp_path / "requests.sqlite")


def test_rows_are_carved_as_sqlite_reads_them_whatever_their_length(tmp_path: Path):
    path = tmp_path / "requests.sqlite"
    fill(path)
    with RequestCache(path) as cache:
        for length in range(0, 14_000, 61):
            cache.put(f"{length:064x}", replace(reply(1), text="x" * length))
    with closing(sqlite3.connect(path)) as connection:
        tables = ("replies", "earlier_replies", "spent")
        expected = {row for table in tables for row in connection.execute(f"SELECT * FROM {table}")}
    assert expected <= set(carve_rows(path))


def test_rows_are_carved_from_the_log_too_as_far_as_it_is_committed(tmp_path: Path):
    path, copy = tmp_path / "requests.sqlite", tmp_path / "copy.sqlite"
    with RequestCache(path) as cache:
        for number in range(40):
            cache.put(key(number), reply(number))
        log = path.with_name("requests.sqlite-wal").read_bytes()
    copy.write_bytes(b"\xff" * 4096)
    for cut, fewest in ((len(log), 40), (len(log) - 1, 39), (len(log) // 2, 5)):
        copy.with_name("copy.sqlite-wal").write_bytes(log[:cut])
        found = {row[0] for row in carve_rows(copy)} & {key(number) for number in range(40)}
        assert fewest <= len(found) <= 40 and (cut < len(log) or len(found) == 40)


def test_two_processes_that_find_the_damage_rescue_once(tmp_path: Path):
    path = tmp_path / "requests.sqlite"
    fill(path)
    with RequestCache(path) as one, RequestCache(path) as two:
        raw = path.read_bytes()
        path.write_bytes(raw[:8192] + b"\x77" * (len(raw) - 8192))
        for cache in (one, two):
            for number in range(COUNT):
                cache.get(key(number))
        assert len(one.warnings) + len(two.warnings) == len(damaged(path)) == 1
