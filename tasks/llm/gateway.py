"""The gateway: everything that asks a language model goes through `Gateway.complete`.

Promises: a reply is stored before anyone uses it and never asked for twice; identical requests in flight are
sent once; at most `max_in_flight` at a time, within the limits per minute and the budget; transient failures
are retried with the slot freed, permanent ones are not. It does not choose prompts or judge content.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType

from claimrag.schemas.errors import SettingsError
from claimrag.schemas.settings import ModelSettings
from claimrag.tasks.llm.cache import RequestCache, StoredReply
from claimrag.tasks.llm.dispatch import Dispatch
from claimrag.tasks.llm.fingerprint import request_key
from claimrag.tasks.llm.replies import prepare_schema, read_reply
from claimrag.tasks.llm.request import ModelReply, ModelRequest, temperature_to_send
from claimrag.tasks.llm.usage import Budget, Usage, cost_usd

_GRACE_S = 5.0


class Gateway:
    """One model behind one endpoint. Use `async with`, in one event loop; may be entered again later.

    `role` (`llm`, `judge`) names the settings in messages. `on_usage` is called with the totals after every
    answer. `budget` shares one budget between gateways; by default it is `settings.budget_usd`, for as long
    as the gateway lives. `usage` holds the totals.
    """

    def __init__(
        self,
        settings: ModelSettings,
        cache: RequestCache,
        *,
        role: str = "llm",
        on_usage: Callable[[Usage], None] | None = None,
        budget: Budget | None = None,
    ) -> None:
        if not settings.base_url or not settings.model:
            raise SettingsError(f"{role}.base_url and {role}.model must both be set to reach a model")
        self.model_name = settings.model
        self._settings = settings
        self._cache = cache
        self._role = role
        self._on_usage = on_usage
        self._price = settings.prices.get(settings.model)
        if self._price is None and (settings.budget_usd is not None or budget is not None):
            raise SettingsError(
                f"{role}.budget_usd cannot be held without a price: add {settings.model!r} to {role}.prices"
            )
        self._budget = budget if budget is not None else Budget(settings.budget_usd, f"{role}.budget_usd")
        self._under_way: dict[str, asyncio.Task[StoredReply]] = {}
        self._dispatch: Dispatch | None = None
        self.usage = Usage(cost_usd=None if self._price is None else 0.0)

    @property
    def max_in_flight(self) -> int:
        """How many requests this endpoint gets at a time."""
        return self._settings.max_in_flight

    async def __aenter__(self) -> Gateway:
        if self._dispatch is not None:
            raise RuntimeError("the gateway is already open")
        self._dispatch = Dispatch(
            self._settings, self._role, self._cache, self._budget, self.usage, self._on_usage
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        dispatch, self._dispatch = self._dispatch, None
        if dispatch is None:
            return
        tasks = dict(self._under_way)
        for key, task in tasks.items():
            # What is on the wire will be billed: its reply gets a moment to arrive and be stored.
            if key not in dispatch.on_the_wire:
                task.cancel()
        if tasks:
            _, late = await asyncio.wait(tasks.values(), timeout=_GRACE_S)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        await dispatch.close()

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Answer `request` from the cache or from the model.

        Raises ReplyRejectedError (this row only); PermanentRefusalError and AttemptsExhaustedError, whose
        `per_request` says whether the row or the whole stage is concerned; BudgetExceededError; StoreError.
        `tasks.llm.rejected_row` makes the rejected row, or says that the stage must stop.
        """
        temperature, _ = temperature_to_send(request, self._settings.temperature == "as_designed")
        key = request_key(self.model_name, request, temperature)
        stored, cached = self._cache.get(key), True
        if stored is None:
            task = self._under_way.get(key)
            if task is None:
                if request.schema is not None:
                    prepare_schema(request.schema)
                task, cached = self._start(key, request), False
            # Shielded: a caller that gives up does not throw away a reply that will be billed.
            stored = await asyncio.shield(task)
        if cached:
            self.usage.answered_from_cache += 1
            if self._on_usage is not None:
                self._on_usage(self.usage)
        cost = 0.0 if cached else cost_usd(self._price, stored.prompt_tokens, stored.completion_tokens)
        return read_reply(request, stored, key=key, cached=cached, cost_usd=cost)

    def _start(self, key: str, request: ModelRequest) -> asyncio.Task[StoredReply]:
        if self._dispatch is None:
            raise RuntimeError("the gateway is closed: use it inside `async with`")
        task = asyncio.create_task(self._dispatch.send(key, request))
        self._under_way[key] = task
        task.add_done_callback(lambda done: self._finish(key, done))
        return task

    def _finish(self, key: str, task: asyncio.Task[StoredReply]) -> None:
        del self._under_way[key]
        if not task.cancelled():
            task.exception()  # read here, so that asyncio does not warn when every caller has gone
