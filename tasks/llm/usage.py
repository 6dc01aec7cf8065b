"""What the model calls cost: tokens, money, retries, waits; and the budget that stops before it is exceeded.

Money is counted from the table `prices` in US dollars. A model without a price costs None, not 0. It promises
that finished and pending calls never add up to more than the budget, as long as the estimate of a prompt is
not below the truth.
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass

from claimrag.schemas.errors import BudgetExceededError
from claimrag.schemas.settings import Price

# Byte-pair tokenizers need at most one token per byte; legal English and French take a third of that or less.
_TOKENS_PER_BYTE = 1 / 3
_TOKENS_PER_MESSAGE = 8
_MOST_BYTES_PER_TOKEN = 4


@dataclass
class Usage:
    """Totals since the gateway was made.

    `requests_sent` counts every attempt; `answered_from_cache` calls that sent nothing. `cost_usd` is None
    for a model without a price. `unconfirmed_cost_usd` is the most that requests may have cost whose
    replies were lost on the way; it counts against the budget. `seconds_waited` adds the waits of all
    requests for rate limits and retries. `asked_again_next_run` counts the requests whose replies could not
    be used and that the next run will send once more: whether running again may help.
    """

    requests_sent: int = 0
    answered_from_cache: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = None
    unconfirmed_cost_usd: float = 0.0
    retries: int = 0
    seconds_waited: float = 0.0
    asked_again_next_run: int = 0


def least_prompt_tokens(prompt_bytes: int) -> int:
    """Tokens that a prompt of so many bytes takes at least: what surely does not fit need not be sent."""
    return prompt_bytes // _MOST_BYTES_PER_TOKEN


class TokenEstimate:
    """Estimates a prompt's tokens from its bytes; learns upwards from what the endpoint counts."""

    def __init__(self) -> None:
        self._per_byte = _TOKENS_PER_BYTE

    def prompt_tokens(self, prompt_bytes: int, messages: int) -> int:
        """Tokens of a prompt, rather too many than too few."""
        return math.ceil(prompt_bytes * self._per_byte) + _TOKENS_PER_MESSAGE * (messages + 1)

    def learn(self, prompt_bytes: int, messages: int, counted: int) -> None:
        """Correct the ratio where a prompt took more tokens than was thought."""
        if prompt_bytes and counted > self.prompt_tokens(prompt_bytes, messages):
            self._per_byte = (counted - _TOKENS_PER_MESSAGE * (messages + 1)) / prompt_bytes


def cost_usd(price: Price | None, prompt_tokens: int, completion_tokens: int) -> float | None:
    """Price of one call, or None without a price."""
    if price is None:
        return None
    prompt = prompt_tokens * price.prompt_usd_per_million
    return (prompt + completion_tokens * price.completion_usd_per_million) / 1_000_000


class Budget:
    """Money that may be spent, that was spent, and that calls in flight may still cost; over all runs.

    Gateways that share one add what their role spent in earlier runs, once each. One event loop at a time.
    """

    def __init__(self, limit_usd: float | None, setting: str = "llm.budget_usd") -> None:
        self._limit_usd = math.inf if limit_usd is None else limit_usd
        self._setting = setting
        self._reserved_usd = 0.0
        self._waiting: list[asyncio.Future[None]] = []
        self._earlier_usd: dict[str, float] = {}
        self.spent_usd = 0.0

    @property
    def earlier_usd(self) -> float:
        """What earlier runs spent."""
        return sum(self._earlier_usd.values())

    def begin(self, role: str, earlier_usd: float) -> None:
        """Count what `role` spent in earlier runs; a second call for a role changes nothing."""
        if role not in self._earlier_usd:
            self._earlier_usd[role] = earlier_usd
            self.spent_usd += earlier_usd

    async def reserve(self, amount_usd: float) -> None:
        """Set `amount_usd` aside, after waiting for calls in flight that may turn out cheaper.

        Raises BudgetExceededError when it does not fit into what is left.
        """
        while self.spent_usd + self._reserved_usd + amount_usd > self._limit_usd:
            if self.spent_usd + amount_usd > self._limit_usd:
                raise BudgetExceededError(self._sentence(amount_usd))
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn
        self._reserved_usd += amount_usd

    def settle(self, reserved_usd: float, spent_usd: float) -> None:
        """Replace what was set aside by what was spent."""
        self._reserved_usd -= reserved_usd
        self.spent_usd += spent_usd
        waiting, self._waiting = self._waiting, []
        for turn in waiting:
            if not turn.done():
                turn.set_result(None)

    def _sentence(self, amount_usd: float) -> str:
        earlier = f" ({self.earlier_usd:.6f} by earlier runs)" if self.earlier_usd else ""
        return (
            f"the next call may cost {amount_usd:.6f} USD, and {self.spent_usd:.6f}{earlier} of {self._setting} = "
            f"{self._limit_usd} are spent. It was not sent and what was answered is kept: set {self._setting} to "
            f"more than {self.spent_usd + amount_usd:.6f} and run again to go on from here"
        )
