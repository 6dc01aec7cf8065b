"""A lean HTTP/1.1 transport for the client: one connection per request in flight, no pool to search.

Built on the public parts of httpcore2. The stock transport looks through every connection for every request
(slow from some 64 in flight) and sends head and body in two system calls. This one keeps a stack of idle
connections, sends once, and bounds what it reads. It does not do proxies, HTTP/2 or streaming of replies.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterable
from typing import Any, cast

import httpcore2
import httpx2

_FAILURES = (
    httpcore2.TimeoutException,
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.ConnectionNotAvailable,
)
MAX_REPLY_BYTES = 64 * 1024 * 1024


class LeanTransport(httpx2.AsyncBaseTransport):
    """Requests to one origin. Certificates are verified as httpx2 does unless `tls` says otherwise."""

    def __init__(
        self,
        base_url: str,
        *,
        keepalive_s: float,
        max_reply_bytes: int = MAX_REPLY_BYTES,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        url = httpx2.URL(base_url)
        self._origin = httpcore2.URL(
            scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=b"/"
        ).origin
        self._tls = tls or (httpx2.create_ssl_context() if url.scheme == "https" else None)
        self._keepalive_s = keepalive_s
        self._max_reply_bytes = max_reply_bytes
        self._idle: list[httpcore2.AsyncHTTPConnection] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send `request` and read the whole reply; a connection that failed is not used again."""
        url = request.url
        outgoing = httpcore2.Request(
            method=request.method,
            url=httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            content=await request.aread(),
            extensions=request.extensions,
        )
        connection = await self._connection()
        try:
            response = await connection.handle_async_request(outgoing)
            body = await self._read(response)
            await response.aclose()
        except _FAILURES as error:
            await connection.aclose()
            raise _in_client_terms(error, request) from error
        except BaseException:
            await connection.aclose()
            raise
        self._idle.append(connection)
        return httpx2.Response(response.status, headers=response.headers, content=body)

    async def aclose(self) -> None:
        """Close every idle connection."""
        while self._idle:
            await self._idle.pop().aclose()

    async def _connection(self) -> httpcore2.AsyncHTTPConnection:
        while self._idle:
            connection = self._idle.pop()
            if connection.is_available() and not connection.has_expired():
                return connection
            await connection.aclose()
        return httpcore2.AsyncHTTPConnection(
            self._origin,
            ssl_context=self._tls,
            keepalive_expiry=self._keepalive_s,
            network_backend=_Network(),
        )

    async def _read(self, response: httpcore2.Response) -> bytes:
        parts, size = [], 0
        async for part in response.aiter_stream():
            size += len(part)
            if size > self._max_reply_bytes:
                raise httpcore2.ReadError(f"the reply is longer than {self._max_reply_bytes} bytes")
            parts.append(part)
        return b"".join(parts)


def _in_client_terms(error: Exception, request: httpx2.Request) -> httpx2.TransportError:
    """The client's own exception for one of httpcore2: they have the same names."""
    kind = getattr(httpx2, type(error).__name__, httpx2.TransportError)
    return cast(httpx2.TransportError, kind(str(error), request=request))


class _Network(httpcore2.AsyncNetworkBackend):
    """Opens TCP connections on the running asyncio loop."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        del local_address, socket_options
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(timeout):
                _, wire = await loop.create_connection(_Wire, host, port)
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout(f"no connection within {timeout} s") from error
        except OSError as error:
            raise httpcore2.ConnectError(str(error)) from error
        return _Stream(wire)


class _Wire(asyncio.Protocol):
    """Bytes received and not yet read, and whether more may come."""

    def __init__(self) -> None:
        self.received = bytearray()
        self.ended = False
        self.arrival: asyncio.Future[None] | None = None
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self.received += data
        self._wake()

    def eof_received(self) -> None:
        self.ended = True
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self.ended = True
        self._wake()

    def _wake(self) -> None:
        if self.arrival is not None and not self.arrival.done():
            self.arrival.set_result(None)


class _Stream(httpcore2.AsyncNetworkStream):
    """Collects what is written and sends it when the reply is waited for.

    Time limits are the caller's: `Endpoint.complete` bounds the whole exchange.
    """

    def __init__(self, wire: _Wire) -> None:
        self._wire = wire
        self._unsent: list[bytes] = []

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        del timeout
        wire = self._wire
        if self._unsent and wire.transport is not None:
            wire.transport.write(b"".join(self._unsent))
            self._unsent.clear()
        while not wire.received and not wire.ended:
            wire.arrival = asyncio.get_running_loop().create_future()
            await wire.arrival
        part = bytes(wire.received[:max_bytes])
        del wire.received[:max_bytes]
        return part

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        del timeout
        if buffer:
            self._unsent.append(buffer)

    async def aclose(self) -> None:
        if self._wire.transport is not None:
            self._wire.transport.close()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        wire = self._wire
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(timeout):
                plain = cast(asyncio.Transport, wire.transport)
                wire.transport = await loop.start_tls(
                    plain, wire, ssl_context, server_hostname=server_hostname
                )
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout(f"no TLS handshake within {timeout} s") from error
        except (OSError, ssl.SSLError) as error:
            raise httpcore2.ConnectError(str(error)) from error
        return self

    def get_extra_info(self, info: str) -> Any:
        transport = self._wire.transport
        if info == "is_readable":  # an idle connection with something to read was closed by the server
            return self._wire.ended or bool(self._wire.received)
        if info == "ssl_object" and transport is not None:
            return transport.get_extra_info("ssl_object")
        return None
