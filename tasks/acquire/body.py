"""Reading a response body within bounds, and telling a law from a robot check.

The body is read piece by piece and given up at the limit, counted after decompression, so neither a huge
file nor a small file that unpacks to a huge one is ever held. It does not judge markup beyond that.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator

import httpx

from claimrag.tasks.acquire.errors import (
    ChallengeError,
    EncodingRefusedError,
    TooLargeError,
    TruncatedBodyError,
)

ACCEPT_ENCODING = "gzip"
_SHELL_LIMIT = 256 * 1024
_SHELL_TEXT = 200
_TAG_NAME_ENDS = (b">", b" ", b"\n", b"\t", b"\r", b"/")


class _Plain:
    def feed(self, piece: bytes, _room: int) -> bytes:
        return piece

    def finish(self) -> bool:
        return True


class _Gzip:
    """A gzip stream, unpacked no further than one byte beyond the room that is left."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)

    def feed(self, piece: bytes, room: int) -> bytes:
        return self._stream.decompress(piece, room + 1)

    def finish(self) -> bool:
        return self._stream.eof


def _decoder(response: httpx.Response) -> _Plain | _Gzip:
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding in ("", "identity"):
        return _Plain()
    if encoding in ("gzip", "x-gzip"):
        return _Gzip()
    raise EncodingRefusedError(
        f"{response.url} answers in the encoding '{encoding}', which was not asked for"
    )


async def read_body(response: httpx.Response, max_bytes: int) -> bytes:
    """The complete decoded body; raises TooLargeError, TruncatedBodyError or EncodingRefusedError."""
    decoder = _decoder(response)
    announced = _announced(response)
    if announced is not None and announced > max_bytes:
        raise _too_large(response, max_bytes)
    pieces: list[bytes] = []
    room = max_bytes
    received = 0
    async for piece in _raw_pieces(response):
        received += len(piece)
        try:
            unpacked = decoder.feed(piece, room)
        except zlib.error as error:
            raise EncodingRefusedError(f"{response.url} sent a damaged gzip body: {error}") from error
        room -= len(unpacked)
        if room < 0:
            raise _too_large(response, max_bytes)
        pieces.append(unpacked)
    if announced is not None and received != announced:
        raise TruncatedBodyError(f"{response.url} announced {announced} bytes and sent {received}")
    if not decoder.finish():
        raise TruncatedBodyError(f"{response.url} sent a gzip body that breaks off after {received} bytes")
    return b"".join(pieces)


async def _raw_pieces(response: httpx.Response) -> AsyncIterator[bytes]:
    try:
        async for piece in response.aiter_raw():
            yield piece
    except (httpx.RemoteProtocolError, httpx.ReadError) as error:
        raise TruncatedBodyError(f"{response.url} broke off in the middle of the body: {error}") from error


def _announced(response: httpx.Response) -> int | None:
    value = response.headers.get("content-length", "")
    return int(value) if value.isascii() and value.isdigit() else None


def _too_large(response: httpx.Response, max_bytes: int) -> TooLargeError:
    return TooLargeError(
        f"{response.url} is larger than {max_bytes} bytes: raise acquire.max_bytes if this is a law"
    )


def refuse_challenge(address: str, status: int, headers: httpx.Headers, body: bytes, media_type: str) -> None:
    """Raises ChallengeError for a robot check, or a page whose text only a script would write."""
    if status == 202 or headers.get("x-amzn-waf-action") or headers.get("cf-mitigated") == "challenge":
        raise ChallengeError(_remedy(address, f"a robot check (status {status})"))
    if media_type not in ("text/html", "application/xhtml+xml") or len(body) > _SHELL_LIMIT:
        return
    if b"<script" in body.lower() and len(visible_text(body)) < _SHELL_TEXT:
        raise ChallengeError(_remedy(address, "a page with a script and no text"))


def _remedy(address: str, what: str) -> str:
    return (
        f"{address} answered with {what} instead of the law. Wait and try again, or download the law in a "
        "browser and give it with --from FILE"
    )


def visible_text(markup: bytes) -> bytes:
    """What a reader sees of a page: no scripts, styles or tags, blanks folded; one pass over the bytes."""
    lowered = markup.lower()
    kept: list[bytes] = []
    at = 0
    while at < len(markup):
        start = markup.find(b"<", at)
        if start < 0:
            kept.append(markup[at:])
            break
        kept.append(markup[at:start])
        at = _after_tag(lowered, start)
    return b" ".join(b" ".join(kept).split())


def _after_tag(lowered: bytes, start: int) -> int:
    for name in (b"script", b"style", b"head"):
        follows = start + 1 + len(name)
        if lowered.startswith(b"<" + name, start) and lowered[follows : follows + 1] in _TAG_NAME_ENDS:
            end = lowered.find(b"</" + name, start)
            start = end if end >= 0 else len(lowered)
            break
    close = lowered.find(b">", start)
    return close + 1 if close >= 0 else len(lowered)
