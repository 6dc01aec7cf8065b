"""One polite HTTP client for laws: conditional, rate-limited, bounded in bytes and time, confined to hosts.

Transient failures (broken connections, 429, 5xx, a body that breaks off) are tried again a bounded number
of times; everything else is refused at once with its own error. It writes nothing: what it returns is
complete. Time and sleep are injected.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from types import TracebackType
from urllib.parse import urljoin

import httpx

from claimrag.schemas.errors import SettingsError
from claimrag.schemas.settings import AcquireSettings
from claimrag.tasks.acquire.addresses import Bounds, host_of
from claimrag.tasks.acquire.body import ACCEPT_ENCODING, read_body, refuse_challenge
from claimrag.tasks.acquire.errors import (
    AcquireError,
    ForeignRedirectError,
    NotAcceptableError,
    NotFoundError,
    PublisherUnavailableError,
    RateLimitedError,
    TooSlowError,
    TruncatedBodyError,
    UnexpectedStatusError,
    WrongContentTypeError,
)
from claimrag.tasks.acquire.pace import Pace
from claimrag.tasks.run.clock import wall_clock

MAX_REDIRECTS = 5
LONGEST_WAIT_S = 120.0
_REDIRECTS = (301, 302, 303, 307, 308)
_TRANSIENT = (500, 502, 503, 504)


@dataclass(frozen=True)
class FetchRequest:
    """One document: where, in which formats it may come, and the validators of the copy already kept."""

    address: str
    accept: str
    media_types: tuple[str, ...]
    bounds: Bounds
    accept_language: str | None = None
    etag: str | None = None
    last_modified: str | None = None

    def headers(self) -> dict[str, str]:
        """The request headers of this request."""
        wanted = {
            "Accept": self.accept,
            "Accept-Language": self.accept_language,
            "If-None-Match": self.etag,
            "If-Modified-Since": self.last_modified,
        }
        return {name: value for name, value in wanted.items() if value}


@dataclass(frozen=True)
class Fetched:
    """A complete answer; `body` is None when the copy already kept is still good (304)."""

    address: str
    body: bytes | None
    media_type: str
    headers: dict[str, str]


class _TryAgain(Exception):
    """A transient failure: what to raise when attempts run out, and the wait the publisher asks for."""

    def __init__(self, error: AcquireError, wait_s: float | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.wait_s = wait_s


class Fetcher:
    """Use as `async with Fetcher(settings) as fetcher`; one per run, so that the pace is shared."""

    def __init__(
        self,
        settings: AcquireSettings,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        now: Callable[[], datetime] = wall_clock,
    ) -> None:
        self._settings = settings
        self._sleep = sleep
        self._now = now
        self._pace = Pace(settings.requests_per_second, sleep)

    @cached_property
    def _client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            headers={"User-Agent": user_agent(self._settings.contact), "Accept-Encoding": ACCEPT_ENCODING},
            timeout=self._settings.timeout_s,
            follow_redirects=False,
        )

    async def __aenter__(self) -> Fetcher:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close what was opened: nothing, where nobody was asked."""
        if "_client" in vars(self):
            await self._client.aclose()

    async def get(self, request: FetchRequest) -> Fetched:
        """Fetch one document; raises a subclass of AcquireError, never returns part of one."""
        for attempt in range(1, self._settings.max_attempts + 1):
            try:
                return await self._attempt(request)
            except _TryAgain as trouble:
                if attempt == self._settings.max_attempts:
                    raise trouble.error from trouble
                wait_s = trouble.wait_s if trouble.wait_s is not None else 2.0 ** (attempt - 1)
                if wait_s > LONGEST_WAIT_S:
                    raise RateLimitedError(
                        f"{request.address}: the publisher asks to wait {wait_s:.0f} s; try again then"
                    ) from trouble
                await self._sleep(wait_s)
        raise SettingsError("acquire.max_attempts must be at least 1")

    async def _attempt(self, request: FetchRequest) -> Fetched:
        limit_s = self._settings.total_timeout_s
        try:
            async with asyncio.timeout(limit_s):
                return await self._follow(request)
        except TimeoutError as error:
            raise TooSlowError(
                f"{request.address} was not complete after {limit_s:.0f} s: raise acquire.total_timeout_s, "
                "or give the file with --from"
            ) from error
        except TruncatedBodyError as error:
            raise _TryAgain(error) from error
        except httpx.TransportError as error:
            reason = str(error) or type(error).__name__
            raise _TryAgain(
                PublisherUnavailableError(f"{request.address} cannot be reached: {reason}")
            ) from error

    async def _follow(self, request: FetchRequest) -> Fetched:
        address = request.address
        for _ in range(MAX_REDIRECTS + 1):
            request.bounds.check(address)
            await self._pace.wait(host_of(address))
            async with self._client.stream("GET", address, headers=request.headers()) as response:
                if response.status_code not in _REDIRECTS:
                    return await self._read(request, response)
                location = response.headers.get("location")
            if not location:
                raise UnexpectedStatusError(f"{address} redirects without saying where")
            address = urljoin(address, location)
        raise ForeignRedirectError(f"{request.address} redirects more than {MAX_REDIRECTS} times")

    async def _read(self, request: FetchRequest, response: httpx.Response) -> Fetched:
        address = str(response.url)
        if response.status_code == 304 and (request.etag or request.last_modified):
            return Fetched(address, None, "", dict(response.headers))
        media_type = response.headers.get("content-type", "").split(";")[0].strip().lower()
        refuse_challenge(address, response.status_code, response.headers, b"", "")
        self._refuse_status(request, response)
        if media_type not in request.media_types:
            raise WrongContentTypeError(
                f"{address} answers with '{media_type or 'no content type'}', "
                f"not {' or '.join(request.media_types)}"
            )
        body = await read_body(response, self._settings.max_bytes)
        refuse_challenge(address, response.status_code, response.headers, body, media_type)
        if not body.strip():
            raise TruncatedBodyError(f"{address} sent an empty body")
        if media_type == "application/pdf" and not body.startswith(b"%PDF-"):
            raise WrongContentTypeError(f"{address} says PDF, but the bytes are not one")
        return Fetched(address, body, media_type, dict(response.headers))

    def _refuse_status(self, request: FetchRequest, response: httpx.Response) -> None:
        status, address = response.status_code, str(response.url)
        if status == 200:
            return
        if status in (404, 410):
            raise NotFoundError(f"{address} does not exist (status {status}); check the number and the date")
        if status == 406:
            language = f" in the language '{request.accept_language}'" if request.accept_language else ""
            raise NotAcceptableError(f"{address} is listed but not served as {request.accept}{language}")
        if status == 300:
            raise NotAcceptableError(f"{address} is served in several parts; give the file with --from FILE")
        if status == 429:
            error = RateLimitedError(f"{address} asks to slow down; try again later")
            raise _TryAgain(error, self._retry_after(response))
        if status in _TRANSIENT:
            gone = PublisherUnavailableError(f"{address} fails with status {status}; try again later")
            raise _TryAgain(gone, self._retry_after(response))
        raise UnexpectedStatusError(
            f"{address} answered with status {status}; download the law in a browser and give it "
            "with --from FILE"
        )

    def _retry_after(self, response: httpx.Response) -> float | None:
        """Seconds to wait, from `Retry-After` in seconds or as a date; None when absent or unreadable."""
        value = response.headers.get("retry-after", "").strip()
        if value.isascii() and value.isdigit():
            return float(value)
        try:
            return max(0.0, (parsedate_to_datetime(value) - self._now()).total_seconds())
        except (TypeError, ValueError):
            return None


def user_agent(contact: str | None) -> str:
    """`claimrag/<version> (<contact>)`; raises SettingsError when the contact cannot stand in a header."""
    try:
        version = importlib.metadata.version("claimrag")
    except importlib.metadata.PackageNotFoundError:
        version = "0"
    if contact is not None and not (contact.isascii() and contact.isprintable()):
        raise SettingsError("acquire.contact must be printable ASCII, for instance an e-mail address")
    return f"claimrag/{version} ({contact or 'no contact given'})"
