"""One OpenAI-compatible endpoint: the `openai` client, and its failures in our words.

The edge where third-party exceptions end: a failure is transient (`TransientError`, may be sent again) or
permanent (`PermanentRefusalError`). The key is sent to the endpoint and appears nowhere else. It neither
retries nor caches.
"""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from claimrag.schemas.errors import ModelError, SettingsError
from claimrag.schemas.settings import ModelSettings
from claimrag.tasks.llm.errors import (
    ContextLengthError,
    PermanentRefusalError,
    TokensFieldError,
    TransientError,
    UnsupportedTemperatureError,
)
from claimrag.tasks.llm.retries import is_transient, retry_after_s

if TYPE_CHECKING:
    from httpx2 import AsyncClient
    from openai import APIConnectionError, APIStatusError

_KEEPALIVE_S = 30.0
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_CONTEXT_LENGTH = re.compile(
    r"context[ _-]?(length|size|window)|maximum context|too many tokens|prompt is too long"
    r"|exceeds? .{0,40}context",
    re.IGNORECASE,
)
_NOT_SUPPORTED = re.compile(
    r"unsupported|not support|deprecated|only the default|does not allow|unknown|unrecogni[sz]ed",
    re.IGNORECASE,
)
_MASKED_KEY = re.compile(r"\b(?:sk|pk|key)-[\w*.-]{6,}|Bearer\s+\S+", re.IGNORECASE)
_PARAMETERS_OF_ALL = ("seed", "response_format", "logprobs", "top_logprobs", "model")


class Endpoint:
    """A client for `settings.base_url`; use as an async context manager, in one event loop."""

    def __init__(self, settings: ModelSettings, role: str) -> None:
        """Open the client; raises SettingsError where the address is not one."""
        from openai import AsyncOpenAI

        self._role = role
        self._model = settings.model or ""
        self._timeout_s = settings.timeout_s
        self._key = settings.api_key.get_secret_value() if settings.api_key else ""
        address = urlsplit(settings.base_url or "")
        if address.scheme not in ("http", "https") or not address.hostname:
            raise SettingsError(
                f"{role}.base_url must be an http(s) address such as http://127.0.0.1:8000/v1"
            )
        self._place = f"{address.scheme}://{address.hostname}{f':{address.port}' if address.port else ''}"
        self._client = AsyncOpenAI(
            base_url=settings.base_url,
            api_key=self._key or "none",
            max_retries=0,
            timeout=settings.timeout_s,
            http_client=_http_client(settings),
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def complete(self, body: dict[str, Any]) -> bytes:
        """Send one chat request and return the body of its answer.

        Raises TransientError, PermanentRefusalError or TokensFieldError. The plain response is asked for,
        not the client's typed one: building that costs more than the rest of the call.
        """
        from httpx2 import Response
        from openai import APIConnectionError, APIStatusError

        try:
            async with asyncio.timeout(self._timeout_s):
                response = await self._client.post("/chat/completions", cast_to=Response, body=body)
            return response.content
        except TimeoutError:
            raise self._late() from None
        except APIConnectionError as error:
            raise self._connection_error(error) from None
        except APIStatusError as error:
            # `from None`: an endpoint may repeat the key in its message, and tracebacks are logged.
            raise self._status_error(error) from None

    def _connection_error(self, error: APIConnectionError) -> TransientError:
        cause = error.__cause__ or error
        detail = self.redact(str(cause)) or type(cause).__name__
        unsent = type(cause).__name__ in ("ConnectError", "ConnectTimeout")
        return TransientError(f"{self._place}: connection failed: {detail}", free=unsent)

    def _late(self) -> TransientError:
        return TransientError(f"{self._place}: no answer within {self._timeout_s:g} s", free=False)

    def _status_error(self, error: APIStatusError) -> ModelError:
        status = error.status_code
        fields = error.body if isinstance(error.body, dict) else {}
        code, param = str(fields.get("code") or ""), str(fields.get("param") or "")
        message = self.redact(str(fields.get("message") or error.response.text or error))[:1000]
        said = f"{self._place} answered HTTP {status}: {message}"
        if is_transient(status) and code != "insufficient_quota":
            wait_s = retry_after_s(error.response.headers, datetime.now(UTC))
            return TransientError(said, status=status, retry_after_s=wait_s, free=True)
        if status in (400, 422) and "max_completion_tokens" in message:
            return TokensFieldError(said, per_request=False, status=status, raw=message)
        return self._refusal(status, code, param, message, said)

    def _refusal(self, status: int, code: str, param: str, message: str, said: str) -> PermanentRefusalError:
        if status == 413 or code == "context_length_exceeded" or _CONTEXT_LENGTH.search(message):
            remedy = f"ask for less, or set {self._role}.context_tokens to what the model takes"
            return ContextLengthError(f"{said}. {remedy}", per_request=True, status=status, raw=message)
        if status in (400, 422) and _names(param, message, "temperature"):
            remedy = f'set {self._role}.temperature = "unsupported": none is sent, and every row says so'
            said = f"{said}. {remedy}"
            return UnsupportedTemperatureError(said, per_request=False, status=status, raw=message)
        everything = (
            status not in (400, 422)
            or code in ("model_not_found", "invalid_api_key")
            or any(_names(param, message, name) for name in _PARAMETERS_OF_ALL)
        )
        said = f"{said}. {self._remedy(status, code)}"
        return PermanentRefusalError(said, per_request=not everything, status=status, raw=message)

    def _remedy(self, status: int, code: str) -> str:
        if code == "insufficient_quota":
            return f"The account of {self._role}.api_key has no quota left"
        if status in (401, 403):
            return f"Check {self._role}.api_key and what it may use"
        if status == 404:
            return f"Check {self._role}.model = {self._model!r} and {self._role}.base_url"
        if 300 <= status < 400:
            return f"Give the final address in {self._role}.base_url: redirects are not followed"
        return f"Model {self._model!r}, settings {self._role}.*"

    def redact(self, text: str) -> str:
        """`text` without the key, masked or plain."""
        if self._key:
            text = text.replace(self._key, "[key]")
        return _MASKED_KEY.sub("[key]", text)


def _http_client(settings: ModelSettings) -> AsyncClient:
    """The lean transport, or the stock one where the environment puts a proxy before the endpoint."""
    import httpx2

    from claimrag.tasks.llm.transport import LeanTransport

    base_url = settings.base_url or ""
    address = urlsplit(base_url)
    host = address.hostname or ""
    # A proxy set for the outside world must not catch the local model's traffic.
    proxied = address.scheme in getproxies() and host not in _LOOPBACK and not proxy_bypass(host)
    size = settings.max_in_flight
    limits = httpx2.Limits(
        max_connections=size, max_keepalive_connections=size, keepalive_expiry=_KEEPALIVE_S
    )
    transport = None if proxied else LeanTransport(base_url, keepalive_s=_KEEPALIVE_S)
    # Compressed replies would save nothing, and could unpack to any size.
    headers = {"Accept-Encoding": "identity"}
    return httpx2.AsyncClient(transport=transport, limits=limits, headers=headers, trust_env=proxied)


def _names(param: str, message: str, name: str) -> bool:
    """Whether a refusal is about parameter `name`, by its `param` field or by its wording."""
    if param == name or param.startswith(f"{name}."):
        return True
    return bool(re.search(rf"\b{name}\b", message) and _NOT_SUPPORTED.search(message))
