"""The wire of the scripted server: HTTP/1.1 with keep-alive on one asyncio loop, and its counts.

Promises little work per request, so that it is never the bottleneck of a measurement, and that `answered`
counts a request only once its whole reply has been handed to the system. Does not speak TLS, chunked
request bodies or pipelining: no client of ours needs them.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections import Counter
from typing import Any, cast

from scripted_replies import (
    EmbeddingReply,
    Reply,
    ScriptedReply,
    completion_body,
    embeddings_body,
    models_body,
)

_REASONS = {200: "OK", 404: "Not Found", 429: "Too Many Requests", 500: "Internal Server Error"}


_EMBEDDING = "embedding"


class ScriptedState:
    """The script, its latency in seconds, and everything that was counted while serving."""

    def __init__(
        self, reply: Reply, latency_s: float, model: str, embed: EmbeddingReply | None = None
    ) -> None:
        self.reply = reply
        self.embed = embed
        self.latency_s = latency_s
        self.model = model
        self.requests: list[dict[str, Any]] = []
        self.embedding_requests: list[dict[str, Any]] = []
        self.embedding_headers: list[dict[str, str]] = []
        self.embeddings_in_flight = 0
        self.peak_embeddings_in_flight = 0
        self.headers: list[dict[str, str]] = []
        self.answered: Counter[str] = Counter()
        self.answered_at: dict[str, list[float]] = {}
        self.received: Counter[str] = Counter()
        self.failures: list[Exception] = []
        self.in_flight = 0
        self.peak_in_flight = 0
        self.first_request_at: float | None = None
        self.last_reply_at: float | None = None

    def stats(self) -> dict[str, Any]:
        """Counts for `GET /_stats`; requests are named by the SHA-256 of their body bytes."""
        twice = sorted(key for key, count in self.answered.items() if count > 1)
        window = None
        if self.first_request_at is not None and self.last_reply_at is not None:
            window = self.last_reply_at - self.first_request_at
        return {
            "received": self.received.total(),
            "answered": self.answered.total(),
            "distinct_answered": len(self.answered),
            "answered_twice": twice,
            "answered_twice_at": [self.answered_at[key] for key in twice],
            "in_flight": self.in_flight,
            "peak_in_flight": self.peak_in_flight,
            "window_s": window,
        }


class ScriptedConnection(asyncio.Protocol):
    """One client connection; answers its requests one after the other."""

    def __init__(self, state: ScriptedState, open_connections: set[ScriptedConnection]) -> None:
        self._state = state
        self._open = open_connections
        self._buffer = bytearray()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._open.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._transport = None
        self._open.discard(self)

    def close(self) -> None:
        """Close the connection at once."""
        if self._transport is not None:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            return
        line, _, fields = self._buffer[:end].decode("latin-1").partition("\r\n")
        headers = _parse_headers(fields)
        length = int(headers.get("content-length", "0"))
        if len(self._buffer) < end + 4 + length:
            return
        body = bytes(self._buffer[end + 4 : end + 4 + length])
        del self._buffer[: end + 4 + length]
        method, path, _ = line.split(" ", 2)
        self._route(method, path.partition("?")[0], headers, body)

    def _route(self, method: str, path: str, headers: dict[str, str], body: bytes) -> None:
        if method == "POST" and path.endswith("/chat/completions"):
            self._complete(headers, body)
        elif method == "POST" and path.endswith("/embeddings"):
            self._embed(headers, body)
        elif method == "GET" and path.endswith("/models"):
            self._write(ScriptedReply(), models_body(self._state.model))
        elif method == "GET" and path.endswith("/_stats"):
            self._write(ScriptedReply(), json.dumps(self._state.stats()).encode())
        else:
            self._write(ScriptedReply(status=404), b'{"error": {"message": "no such path"}}')

    def _embed(self, headers: dict[str, str], body: bytes) -> None:
        state = self._state
        request = json.loads(body)
        state.embedding_requests.append(request)
        state.embedding_headers.append(headers)
        state.embeddings_in_flight += 1
        state.peak_embeddings_in_flight = max(state.peak_embeddings_in_flight, state.embeddings_in_flight)
        reply = state.embed(request) if state.embed is not None else None
        answer = embeddings_body(request) if reply is None else completion_body(request, reply)
        reply = reply or ScriptedReply()
        latency = state.latency_s if reply.latency_s is None else reply.latency_s
        self._send_later(reply, answer, latency, _EMBEDDING)

    def _complete(self, headers: dict[str, str], body: bytes) -> None:
        state = self._state
        if state.first_request_at is None:
            state.first_request_at = time.monotonic()
        request = json.loads(body)
        state.requests.append(request)
        state.headers.append(headers)
        key = hashlib.sha256(body).hexdigest()
        state.received[key] += 1
        state.in_flight += 1
        state.peak_in_flight = max(state.peak_in_flight, state.in_flight)
        try:
            reply = state.reply(request)
        except Exception as failure:
            state.failures.append(failure)
            reply = ScriptedReply.failed(message=f"the script failed: {failure!r}")
        if isinstance(reply, str):
            reply = ScriptedReply(text=reply)
        latency = state.latency_s if reply.latency_s is None else reply.latency_s
        self._send_later(reply, completion_body(request, reply), latency, key)

    def _send_later(self, reply: ScriptedReply, body: bytes, latency_s: float, key: str | None) -> None:
        if latency_s > 0:
            asyncio.get_running_loop().call_later(latency_s, self._send, reply, body, key)
        else:
            self._send(reply, body, key)

    def _send(self, reply: ScriptedReply, body: bytes, key: str | None) -> None:
        if key is _EMBEDDING:
            self._state.embeddings_in_flight -= 1
        elif key is not None:
            self._state.in_flight -= 1
        if not self._write(reply, body) or key is None or key is _EMBEDDING:
            return
        self._state.last_reply_at = time.monotonic()
        if reply.status == 200 and not reply.truncated:
            self._state.answered[key] += 1
            self._state.answered_at.setdefault(key, []).append(time.time())

    def _write(self, reply: ScriptedReply, body: bytes) -> bool:
        transport = self._transport
        if transport is None or transport.is_closing():
            return False
        if reply.dropped:
            transport.abort()
            return False
        extra = "".join(f"{name}: {value}\r\n" for name, value in reply.headers.items())
        head = (
            f"HTTP/1.1 {reply.status} {_REASONS.get(reply.status, 'Scripted')}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n{extra}\r\n"
        ).encode("latin-1")
        if reply.truncated:
            transport.write(head + body[: len(body) // 2])
            transport.close()
        else:
            transport.write(head + body)
        return True


def _parse_headers(fields: str) -> dict[str, str]:
    pairs = (line.split(":", 1) for line in fields.split("\r\n") if ":" in line)
    return {name.strip().lower(): value.strip() for name, value in pairs}
