"""Sends one request until it is answered, refused for good, or out of attempts.

Promises: a slot, money and room in the limits before every attempt; the slot freed while waiting to try
again; the reply committed to the cache before anything else happens to it. It belongs to one event loop.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from claimrag.schemas.canonical import canonical_json
from claimrag.schemas.settings import ModelSettings
from claimrag.tasks.llm.cache import RequestCache, StoredReply
from claimrag.tasks.llm.endpoint import Endpoint
from claimrag.tasks.llm.errors import (
    AttemptsExhaustedError,
    PermanentRefusalError,
    TokensFieldError,
    TransientError,
)
from claimrag.tasks.llm.rate_limit import REQUEST_BURST_S, TOKEN_BURST_S, RateLimit
from claimrag.tasks.llm.replies import read_completion
from claimrag.tasks.llm.request import ModelRequest, TokensField, request_body, temperature_to_send
from claimrag.tasks.llm.retries import LONGEST_WAIT_S, wait_before_retry_s
from claimrag.tasks.llm.slots import Slots
from claimrag.tasks.llm.usage import Budget, TokenEstimate, Usage, cost_usd


class Dispatch:
    """The way out to one endpoint: slots, limits, budget, retries, and the commit of what comes back."""

    def __init__(
        self,
        settings: ModelSettings,
        role: str,
        cache: RequestCache,
        budget: Budget,
        usage: Usage,
        on_usage: Callable[[Usage], None] | None,
    ) -> None:
        self._settings = settings
        self._role = role
        self._cache = cache
        self._budget = budget
        self._usage = usage
        self._on_usage = on_usage
        self._model = settings.model or ""
        self._price = settings.prices.get(self._model)
        self._endpoint = Endpoint(settings, role)
        self._slots = Slots(settings.max_in_flight)
        self._requests = _limit(settings.requests_per_minute, REQUEST_BURST_S)
        self._tokens = _limit(settings.tokens_per_minute, TOKEN_BURST_S)
        self._estimate = TokenEstimate()
        self._tokens_field: TokensField = "max_tokens"
        self._answers = 0
        self.on_the_wire: set[str] = set()

    async def close(self) -> None:
        """Close the connections."""
        await self._endpoint.close()

    async def send(self, key: str, request: ModelRequest) -> StoredReply:
        """The reply to `request`, already stored under `key`.

        Raises PermanentRefusalError, AttemptsExhaustedError, BudgetExceededError or StoreError.
        """
        answers_before = self._answers
        await self._slots.acquire()
        for attempt in count(1):
            try:
                return await self._attempt(key, request)
            except TransientError as error:
                failure = error
                wait_s = self._wait_after(failure, key, attempt, alive=self._answers > answers_before)
            finally:
                self._slots.release()
            self._usage.retries += 1
            self._usage.seconds_waited += wait_s
            pause_s = (failure.retry_after_s or wait_s) if failure.throttled else None
            await self._slots.return_after(wait_s, attempt=attempt, pause_s=pause_s)
        raise AssertionError("an endless count ended")

    def _wait_after(self, failure: TransientError, key: str, attempt: int, *, alive: bool) -> float:
        asked_s = failure.retry_after_s or 0.0
        if attempt < self._settings.max_attempts and asked_s <= LONGEST_WAIT_S:
            return wait_before_retry_s(key, attempt, failure.retry_after_s)
        asked = f"; it asks to wait {asked_s:.0f} s" if asked_s > LONGEST_WAIT_S else ""
        attempts = f"attempt {attempt} of {self._role}.max_attempts = {self._settings.max_attempts}"
        raise AttemptsExhaustedError(
            f"{failure} ({attempts}{asked}). What was answered is kept: run again to go on from here",
            per_request=alive,
            raw=failure.raw or str(failure),
        ) from None

    async def _attempt(self, key: str, request: ModelRequest) -> StoredReply:
        """One paid attempt inside a slot: money and tokens are set aside first and corrected afterwards."""
        size = _prompt_bytes(request)
        prompt_tokens = self._estimate.prompt_tokens(size, len(request.messages))
        counted = prompt_tokens + request.max_tokens
        reserved_usd = cost_usd(self._price, prompt_tokens, request.max_tokens) or 0.0
        await self._budget.reserve(reserved_usd)
        used, spent_usd = 0, 0.0
        try:
            await self._wait_for_limits(counted)
            # From here on the endpoint may bill the request even if we never see the reply.
            used, spent_usd = counted, reserved_usd
            stored = await self._exchange(key, request, (prompt_tokens, request.max_tokens))
            used = stored.prompt_tokens + stored.completion_tokens
            spent_usd = cost_usd(self._price, stored.prompt_tokens, stored.completion_tokens) or 0.0
        except TransientError as failure:
            if failure.free:
                used, spent_usd = 0, 0.0
            self._usage.unconfirmed_cost_usd += spent_usd
            raise
        except PermanentRefusalError:
            used, spent_usd = 0, 0.0
            raise
        finally:
            self._budget.settle(reserved_usd, spent_usd)
            if self._tokens is not None:
                self._tokens.correct(counted, used)
        self._estimate.learn(size, len(request.messages), stored.prompt_tokens)
        return stored

    async def _wait_for_limits(self, tokens: int) -> None:
        if self._requests is not None:
            self._usage.seconds_waited += await self._requests.take(1)
        if self._tokens is not None:
            self._usage.seconds_waited += await self._tokens.take(tokens)

    async def _exchange(self, key: str, request: ModelRequest, estimated: tuple[int, int]) -> StoredReply:
        supported = self._settings.temperature == "as_designed"
        temperature, note = temperature_to_send(request, supported)
        body = request_body(self._model, request, temperature, self._tokens_field)
        self.on_the_wire.add(key)
        try:
            raw = await self._post(body, request, temperature)
        finally:
            self.on_the_wire.discard(key)
        received = read_completion(
            raw, model=self._model, temperature=temperature, note=note, estimated=estimated
        )
        stored = self._cache.put(key, received)
        self._count(stored)
        return stored

    async def _post(self, body: dict[str, object], request: ModelRequest, temperature: float | None) -> bytes:
        self._usage.requests_sent += 1
        try:
            return await self._endpoint.complete(body)
        except TokensFieldError:
            if "max_completion_tokens" in body:
                raise
            # Some models take the limit only under its newer name; said once, it holds for the rest.
            self._tokens_field = "max_completion_tokens"
            self._usage.requests_sent += 1
            return await self._endpoint.complete(
                request_body(self._model, request, temperature, self._tokens_field)
            )

    def _count(self, stored: StoredReply) -> None:
        self._answers += 1
        self._slots.note_answered()
        usage = self._usage
        usage.prompt_tokens += stored.prompt_tokens
        usage.completion_tokens += stored.completion_tokens
        cost = cost_usd(self._price, stored.prompt_tokens, stored.completion_tokens)
        if cost is not None:
            usage.cost_usd = (usage.cost_usd or 0.0) + cost
        if self._on_usage is not None:
            self._on_usage(usage)


def _limit(per_minute: int | None, burst_s: float) -> RateLimit | None:
    return None if per_minute is None else RateLimit(per_minute, burst_s)


def _prompt_bytes(request: ModelRequest) -> int:
    """UTF-8 bytes of what the model reads; a lone surrogate counts as its escape."""
    texts = [message.content for message in request.messages]
    if request.schema is not None:
        texts.append(canonical_json(request.schema))
    return sum(len(text.encode("utf-8", "backslashreplace")) for text in texts)
