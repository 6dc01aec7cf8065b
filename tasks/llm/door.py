"""The way out to an endpoint that everything paid goes through, chat and embeddings alike.

Promises: a slot, money and room in the limits before every attempt; the slot freed while waiting to try again;
transient failures tried again, permanent ones not; money counted once, also when a reply is lost. What is sent,
and what becomes of the answer, is the caller's `exchange`. It belongs to one event loop.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import count
from typing import Generic, TypeVar

from claimrag.schemas.settings import ModelSettings
from claimrag.tasks.llm.errors import AttemptsExhaustedError, PermanentRefusalError, TransientError
from claimrag.tasks.llm.rate_limit import REQUEST_BURST_S, TOKEN_BURST_S, RateLimit
from claimrag.tasks.llm.retries import LONGEST_WAIT_S, wait_before_retry_s
from claimrag.tasks.llm.slots import Slots
from claimrag.tasks.llm.usage import Budget, TokenEstimate, Usage, cost_usd

T = TypeVar("T")

REFUSED_ALIKE = 8
"""So many first requests refused with the same words are not the requests' fault."""


@dataclass(frozen=True)
class Load:
    """How large a request is: bytes and messages of the prompt, and the most tokens of its answer."""

    prompt_bytes: int
    messages: int
    answer_tokens: int


@dataclass(frozen=True)
class Passed(Generic[T]):
    """What came back, and its tokens. `paid` is false where it lay in a cache after all."""

    value: T
    prompt_tokens: int
    completion_tokens: int
    paid: bool = True


class Attempt:
    """One attempt inside a slot. `exchange` calls `go` before everything that it sends."""

    def __init__(self, prompt_tokens: int, requests: RateLimit | None, usage: Usage) -> None:
        self.prompt_tokens = prompt_tokens
        self.sent = False
        self._requests = requests
        self._usage = usage

    async def go(self) -> None:
        """Wait until the limit of requests lets one more go; from then on the endpoint may bill it."""
        if self._requests is not None:
            self._usage.seconds_waited += await self._requests.take(1)
        self._usage.requests_sent += 1
        self.sent = True


class Door:
    """Slots, limits, budget and retries of one endpoint. `on_lost` is called with money that a lost reply may
    have cost, `on_usage` with the totals after every answer."""

    def __init__(
        self,
        settings: ModelSettings,
        role: str,
        budget: Budget,
        usage: Usage,
        *,
        on_lost: Callable[[float], None],
        on_usage: Callable[[Usage], None] | None = None,
    ) -> None:
        self._settings = settings
        self._role = role
        self._budget = budget
        self._usage = usage
        self._on_lost = on_lost
        self._on_usage = on_usage
        self._price = settings.prices.get(settings.model or "")
        self._slots = Slots(settings.max_in_flight)
        self._requests = _limit(settings.requests_per_minute, REQUEST_BURST_S)
        self._tokens = _limit(settings.tokens_per_minute, TOKEN_BURST_S)
        self._estimate = TokenEstimate()
        self._refused: Counter[str] = Counter()
        self._answers = 0

    async def send(
        self, key: str, load: Load, exchange: Callable[[Attempt], Awaitable[Passed[T]]]
    ) -> Passed[T]:
        """What `exchange` gives; it is called for every attempt.

        Raises PermanentRefusalError, AttemptsExhaustedError, BudgetExceededError, or what `exchange` raises.
        """
        answers_before = self._answers
        await self._slots.acquire()
        for attempt in count(1):
            try:
                return await self._attempt(load, exchange)
            except TransientError as error:
                failure = error
                wait_s = self._wait_after(failure, key, attempt, alive=self._answers > answers_before)
            finally:
                self._slots.release()
            self._usage.retries += 1
            if self._on_usage is not None:
                self._on_usage(self._usage)
            self._usage.seconds_waited += wait_s
            pause_s = (failure.retry_after_s or wait_s) if failure.throttled else None
            await self._slots.return_after(wait_s, attempt=attempt, pause_s=pause_s)
        raise AssertionError("an endless count ended")

    def _wait_after(self, failure: TransientError, key: str, attempt: int, *, alive: bool) -> float:
        asked_s = failure.retry_after_s or 0.0
        most = min(self._settings.max_attempts, failure.most_attempts)
        if attempt < most and asked_s <= LONGEST_WAIT_S:
            return wait_before_retry_s(key, attempt, failure.retry_after_s)
        asked = f"; it asks to wait {asked_s:.0f} s" if asked_s > LONGEST_WAIT_S else ""
        bound = f"{self._role}.max_attempts = {most}" if most == self._settings.max_attempts else str(most)
        raise AttemptsExhaustedError(
            f"{failure} (attempt {attempt} of {bound}{asked}). What was answered is kept: run again to go on from "
            "here",
            per_request=alive,
            raw=failure.raw or str(failure),
        ) from None

    async def _attempt(self, load: Load, exchange: Callable[[Attempt], Awaitable[Passed[T]]]) -> Passed[T]:
        """One paid attempt inside a slot: money and tokens are set aside first and corrected afterwards."""
        prompt_tokens = self._estimate.prompt_tokens(load.prompt_bytes, load.messages)
        counted = prompt_tokens + load.answer_tokens
        reserved_usd = cost_usd(self._price, prompt_tokens, load.answer_tokens) or 0.0
        await self._budget.reserve(reserved_usd)
        attempt = Attempt(prompt_tokens, self._requests, self._usage)
        passed, free = None, False
        try:
            if self._tokens is not None:
                self._usage.seconds_waited += await self._tokens.take(counted)
            passed = await exchange(attempt)
        except TransientError as failure:
            free = failure.free
            raise
        except PermanentRefusalError as refusal:
            free = True
            raise self._as_all_are_refused(refusal) from None
        finally:
            # What was sent may be billed even if its reply was never seen.
            lost = passed is None and attempt.sent and not free
            self._settle(reserved_usd, passed, lost_usd=reserved_usd if lost else 0.0)
            if self._tokens is not None:
                self._tokens.correct(counted, counted if lost else _tokens_of(passed))
        if passed.paid:
            self._estimate.learn(load.prompt_bytes, load.messages, passed.prompt_tokens)
            self._count(passed)
        return passed

    def cost_usd(self, passed: Passed[T]) -> float | None:
        """What the answer cost; None without a price."""
        if not passed.paid:
            return 0.0
        return cost_usd(self._price, passed.prompt_tokens, passed.completion_tokens)

    def _settle(self, reserved_usd: float, passed: Passed[T] | None, *, lost_usd: float) -> None:
        cost = self.cost_usd(passed) if passed is not None else None
        self._budget.settle(reserved_usd, (cost or 0.0) + lost_usd)
        if lost_usd:
            self._usage.unconfirmed_cost_usd += lost_usd
            self._on_lost(lost_usd)

    def _count(self, passed: Passed[T]) -> None:
        self._answers += 1
        self._slots.note_answered()
        usage = self._usage
        usage.prompt_tokens += passed.prompt_tokens
        usage.completion_tokens += passed.completion_tokens
        cost = self.cost_usd(passed)
        if cost is not None:
            usage.cost_usd = (usage.cost_usd or 0.0) + cost
        if self._on_usage is not None:
            self._on_usage(usage)

    def _as_all_are_refused(self, refusal: PermanentRefusalError) -> PermanentRefusalError:
        """`refusal`, or one for every request where the first ones of a run were all refused in these words."""
        answered = self._answers or self._usage.answered_from_cache
        if answered or not refusal.per_request or refusal.status not in (400, 422):
            return refusal
        words = re.sub(r"\d+", "#", refusal.raw)
        self._refused[words] += 1
        if self._refused[words] < REFUSED_ALIKE:
            return refusal
        sentence = (
            f"the first {REFUSED_ALIKE} requests were all refused alike: {refusal}. Look at what this endpoint "
            f"takes, and at model and settings of {self._role}"
        )
        return PermanentRefusalError(sentence, per_request=False, status=refusal.status, raw=refusal.raw)


def _tokens_of(passed: Passed[T] | None) -> int:
    return passed.prompt_tokens + passed.completion_tokens if passed is not None and passed.paid else 0


def _limit(per_minute: int | None, burst_s: float) -> RateLimit | None:
    return None if per_minute is None else RateLimit(per_minute, burst_s)
