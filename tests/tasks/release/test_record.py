"""release.json checks itself."""

from __future__ import annotations

import json

import pytest

from claimrag.schemas.release import Release, ReleaseFile
from claimrag.tasks.release.record import parse_record, render_record

RELEASE = Release(
    version="1.2.3",
    acts=("eu/é/2024-01-01/en",),
    rows={"qa": 2, "claims": 1},
    content_sha256="a" * 64,
    previous="1.2.2",
    lineage={"b": "2", "a": "1"},
    files=(ReleaseFile(path="README.md", sha256="b" * 64, bytes=7),),
)


def test_a_record_is_read_as_it_was_written():
    raw = render_record(RELEASE)
    assert parse_record(raw) == RELEASE
    assert "é" in raw.decode()
    assert raw.endswith(b"}\n")
    assert list(json.loads(raw)) == sorted(json.loads(raw))
    assert render_record(RELEASE.model_copy(update={"rows": {"claims": 1, "qa": 2}})) == raw


def test_every_byte_that_is_flipped_and_means_something_is_noticed():
    raw = render_record(RELEASE)
    for place in range(len(raw)):
        flipped = raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :]
        assert parse_record(flipped) in (None, RELEASE)
        if not raw[place : place + 1].isspace():
            assert parse_record(flipped) is None


@pytest.mark.parametrize(
    "raw", [b"", b"[]", b"{}", b"null", b"\xff", b"1", b'{"record_sha256": 1}', b"[" * 100_000]
)
def test_anything_else_is_no_record(raw):
    assert parse_record(raw) is None


def test_a_record_that_is_cut_is_no_record():
    raw = render_record(RELEASE)
    assert [cut for cut in range(len(raw) - 1) if parse_record(raw[:cut]) is not None] == []


def test_a_record_with_another_field_is_no_record():
    from claimrag.schemas.canonical import canonical_json, sha256_text

    value = json.loads(render_record(RELEASE))
    del value["record_sha256"]
    value["more"] = 1
    value["record_sha256"] = sha256_text(canonical_json(value))
    assert parse_record(json.dumps(value).encode()) is None
