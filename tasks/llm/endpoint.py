"""One OpenAI-compatible endpoint: the `openai` client, and its failures in our words.

The edge where third-party exceptions end: a failure is transient (`TransientError`, may be sent again) or
permanent (`PermanentRefusalError`). The key is sent to the endpoint and appears nowhere else, nor does a password
in its address. It neither retries nor caches.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

from claimrag.schemas.address import origin_of, secrets_in
from claimrag.schemas.errors import ModelError, SettingsError
from claimrag.schemas.settings import ModelSettings
from claimrag.tasks.llm.errors import (
    ContextLengthError,
    ParameterRefusedError,
    PermanentRefusalError,
    TransientError,
    UnsupportedTemperatureError,
)
from claimrag.tasks.llm.http_client import open_http_client
from claimrag.tasks.llm.refusals import Refusal, error_in_reply, read_refusal
from claimrag.tasks.llm.retries import is_transient, retry_after_s
from claimrag.tasks.run.clock import wall_clock

if TYPE_CHECKING:
    from openai import APIConnectionError, APIStatusError

_MASKED_KEY = re.compile(
    r"\b(?:sk|pk|key)-[\w*.-]{6,}|Bearer\s+\S+|Basic\s+[A-Za-z0-9+/=]{6,}", re.IGNORECASE
)
# A page or an error at HTTP 200 comes from what stands before the model; it seldom goes away by asking.
_ATTEMPTS_WITHOUT_COMPLETION = 3
_TAG = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]*>", re.IGNORECASE | re.DOTALL)


class Endpoint:
    """A client for `settings.base_url`; for one event loop. `smaller` says how to make its requests shorter."""

    def __init__(self, settings: ModelSettings, role: str, *, smaller: str = "") -> None:
        """Open the client; raises SettingsError where the address is not one."""
        from openai import AsyncOpenAI

        self._role = role
        self._model = settings.model or ""
        self._smaller = smaller or f"set {role}.context_tokens to what the model takes, so that less is sent"
        self._timeout_s = settings.timeout_s
        self._key = settings.api_key.get_secret_value() if settings.api_key else ""
        base_url = settings.base_url or ""
        self._secrets = [secret for secret in (self._key, *secrets_in(base_url)) if secret]
        try:
            self.origin = origin_of(base_url)
        except ValueError as error:
            raise SettingsError(f"{role}.base_url {error}") from None
        self._client = AsyncOpenAI(
            base_url=base_url,
            api_key=self._key or "none",
            max_retries=0,
            timeout=settings.timeout_s,
            http_client=open_http_client(base_url, settings.max_in_flight),
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def post(self, path: str, body: dict[str, Any]) -> bytes:
        """Send one request and return the body of its answer.

        Raises TransientError or PermanentRefusalError. The plain response is asked for, not the client's typed
        one: building that costs more than the rest of the call.
        """
        from httpx2 import Response
        from openai import APIConnectionError, APIStatusError

        try:
            async with asyncio.timeout(self._timeout_s):
                response = await self._client.post(path, cast_to=Response, body=body)
            return response.content
        except TimeoutError:
            raise self._late() from None
        except APIConnectionError as error:
            raise self._connection_error(error) from None
        except APIStatusError as error:
            # `from None`: an endpoint may repeat the key in its message, and tracebacks are logged.
            raise self._status_error(error) from None

    def unreadable(self, body: bytes, why: str) -> ModelError:
        """The error for an HTTP 200 whose body holds no answer: the endpoint's own words, if there are any."""
        refusal = error_in_reply(body)
        if refusal is not None:
            place = f"{self.origin} answered HTTP 200 with an error inside"
            if is_transient(refusal.status):
                return TransientError(
                    f"{place}: {self.redact(refusal.message)}",
                    free=True,
                    status=refusal.status,
                    raw=self.redact(refusal.message),
                )
            return self._refusal(refusal, place)
        raw = self.redact(body[:2000].decode("utf-8", "backslashreplace"))
        return TransientError(
            f"{self.origin} answered HTTP 200 with {_kind_of(raw, why)}",
            free=_is_page(raw),
            raw=raw,
            most_attempts=_ATTEMPTS_WITHOUT_COMPLETION,
        )

    def _connection_error(self, error: APIConnectionError) -> TransientError:
        cause = error.__cause__ or error
        detail = self.redact(str(cause)) or type(cause).__name__
        unsent = type(cause).__name__ in ("ConnectError", "ConnectTimeout", "ProxyError")
        return TransientError(f"{self.origin}: connection failed: {detail}", free=unsent)

    def _late(self) -> TransientError:
        return TransientError(f"{self.origin}: no answer within {self._timeout_s:g} s", free=False)

    def _status_error(self, error: APIStatusError) -> ModelError:
        status = error.status_code
        refusal = read_refusal(status, error.response.text)
        place = f"{self.origin} answered HTTP {status}"
        if is_transient(status) and refusal.code != "insufficient_quota":
            wait_s = retry_after_s(error.response.headers, wall_clock())
            return TransientError(
                f"{place}: {self.redact(_plain(refusal.message))}",
                status=status,
                retry_after_s=wait_s,
                free=True,
            )
        return self._refusal(refusal, place)

    def _refusal(self, refusal: Refusal, place: str) -> PermanentRefusalError:
        message, status = self.redact(_plain(refusal.message)), refusal.status
        answer = f"{place}: {message.rstrip('. ')}"
        if refusal.is_context_length:
            words = f"{answer}. Ask for less: {self._smaller}"
            return ContextLengthError(words, per_request=True, status=status, raw=message)
        if status in (400, 422) and refusal.names("temperature"):
            remedy = f'Set {self._role}.temperature = "unsupported": none is sent, and every row says so'
            words = f"{answer}. {remedy}"
            return UnsupportedTemperatureError(words, per_request=False, status=status, raw=message)
        words = f"{answer}. {self._remedy(refusal)}"
        if refusal.parameter is not None:
            return ParameterRefusedError(words, parameter=refusal.parameter, status=status, raw=message)
        if not refusal.is_of_every_request:
            return PermanentRefusalError(answer, per_request=True, status=status, raw=message)
        return PermanentRefusalError(words, per_request=False, status=status, raw=message)

    def _remedy(self, refusal: Refusal) -> str:
        status = refusal.status
        if refusal.code == "insufficient_quota" or status == 402:
            return f"The account of {self._role}.api_key has nothing left to spend"
        if status in (401, 403):
            return f"Check {self._role}.api_key and what it may use"
        if status == 404:
            return f"Check {self._role}.model = {self._model!r} and {self._role}.base_url"
        if 300 <= status < 400:
            return f"Give the final address in {self._role}.base_url: redirects are not followed"
        return f"It concerns model {self._model!r} or another setting of {self._role}"

    def redact(self, text: str) -> str:
        """`text` without the key, masked or plain, and without the address's password."""
        for secret in self._secrets:
            text = text.replace(secret, "[key]")
        return _MASKED_KEY.sub("[key]", text)


def _is_page(body: str) -> bool:
    return body.lstrip("\ufeff \t\r\n")[:200].lower().startswith(("<!doctype", "<html", "<?xml", "<head"))


def _plain(message: str) -> str:
    """The words of a web page; other messages as they are."""
    return " ".join(_TAG.sub(" ", message).split()) if _is_page(message) else message


def _kind_of(body: str, why: str) -> str:
    """What the body is instead of an answer, with its beginning."""
    if not body.strip():
        return "an empty body"
    if _is_page(body):
        return f'a web page and no answer; it reads "{_plain(body)[:200]}"'
    if body.startswith(("data:", "event:", ":")):
        return "a stream of events, although none was asked for"
    return f'a body that holds no answer ({why}); it begins "{body[:200]}"'
