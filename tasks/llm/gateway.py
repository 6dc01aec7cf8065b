"""The gateway: everything that asks a language model goes through `Gateway.complete`.

Promises: a reply is stored before anyone uses it, and a usable one is never asked for twice; one that cannot be
used is kept as evidence and asked again by the next run, at most `MAX_ASKINGS` times in all; identical requests in
flight are sent once; at most `max_in_flight` at a time, within the limits per minute and the budget; transient
failures are retried with the slot freed, permanent ones are not. It does not choose prompts or judge content.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType

from claimrag.schemas.address import origin_of
from claimrag.schemas.errors import ModelError, SettingsError
from claimrag.schemas.reason import Reason
from claimrag.schemas.settings import ModelSettings
from claimrag.tasks.llm.asked import asked_so_far
from claimrag.tasks.llm.cache import RequestCache
from claimrag.tasks.llm.dispatch import Dispatch, Received
from claimrag.tasks.llm.door import Passed
from claimrag.tasks.llm.errors import ContextLengthError, ReplyRejectedError
from claimrag.tasks.llm.fingerprint import key_under, request_key
from claimrag.tasks.llm.modes import Ladder
from claimrag.tasks.llm.replies import is_json, prepare_schema, read_reply
from claimrag.tasks.llm.request import ModelReply, ModelRequest, prompt_bytes, temperature_to_send
from claimrag.tasks.llm.usage import Budget, Usage, cost_usd, least_prompt_tokens

MAX_ASKINGS = 3
"""So many replies to one request, over all runs, before one that cannot be used counts for good."""

_GRACE_S = 5.0
_FIRST_REPLIES = 8


class Gateway:
    """One model behind one endpoint. Use `async with`, in one event loop; may be entered again later.

    `role` (`llm`, `judge`) names the settings in messages. `on_usage` is called with the totals after every
    answer. `budget` shares one budget between gateways; by default it is `settings.budget_usd`. Either way it
    begins with what the role spent in earlier runs with this cache. `usage` holds the totals. A gateway's
    lifetime is one run: what it asked, it does not ask again. With `refuse` nothing is ever sent: a request that the
    cache does not answer raises what `refuse` makes of the model's name and the request.
    """

    def __init__(
        self,
        settings: ModelSettings,
        cache: RequestCache,
        *,
        role: str = "llm",
        on_usage: Callable[[Usage], None] | None = None,
        budget: Budget | None = None,
        refuse: Callable[[str, ModelRequest], ModelError] | None = None,
    ) -> None:
        if not settings.base_url or not settings.model:
            raise SettingsError(f"{role}.base_url and {role}.model must both be set to reach a model")
        self.model_name = settings.model
        self._settings = settings
        self._cache = cache
        self._role = role
        self._on_usage = on_usage
        self._refuse = refuse
        self._price = settings.prices.get(settings.model)
        if self._price is None and (settings.budget_usd is not None or budget is not None):
            raise SettingsError(
                f"{role}.budget_usd cannot be held without a price: add {settings.model!r} to {role}.prices"
            )
        self._budget = budget if budget is not None else Budget(settings.budget_usd, f"{role}.budget_usd")
        self._budget.begin(role, cache.spent_usd(role))
        self._ladder = Ladder(cache, _endpoint(settings.base_url, role), settings.model)
        self._under_way: dict[str, asyncio.Task[Passed[Received]]] = {}
        self._asked: set[str] = set()
        self._again: set[str] = set()
        self._without_json: int | None = 0
        self._dispatch: Dispatch | None = None
        self.usage = Usage(cost_usd=None if self._price is None else 0.0)

    @property
    def max_in_flight(self) -> int:
        """How many requests this endpoint gets at a time."""
        return self._settings.max_in_flight

    @property
    def context_tokens(self) -> int | None:
        """How many tokens prompt and answer may take together; None where nobody set it and nobody knows."""
        settings = self._settings
        return settings.context_tokens if "context_tokens" in settings.model_fields_set else None

    @property
    def identity(self) -> dict[str, str]:
        """What decides a reply besides the request, for the keys of tables: neither address nor key.

        Modes may still step down while a new endpoint gets its first requests.
        """
        modes = self._ladder.modes
        return {
            "model": self.model_name,
            "temperature": self._settings.temperature,
            "schema": modes.schema.value,
            "seed": "sent" if modes.seed else "not_sent",
        }

    async def __aenter__(self) -> Gateway:
        if self._dispatch is not None:
            raise RuntimeError("the gateway is already open")
        self._dispatch = Dispatch(
            self._settings, self._role, self._cache, self._ladder, self._budget, self.usage, self._on_usage
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

    async def complete(
        self,
        request: ModelRequest,
        *,
        usable: Callable[[ModelReply], None] | None = None,
        settled: Callable[[ReplyRejectedError], bool] | None = None,
    ) -> ModelReply:
        """Answer `request` from the cache or from the model.

        `usable` looks at a reply that can be read and raises ReplyRejectedError where it is of no use to the
        caller (a label reply with too few labels): it is then treated like one that cannot be read. `settled` says
        of a stored reply that was rejected whether the caller has its answer elsewhere: then it is not asked again.

        Raises ReplyRejectedError (this row only; `asked_again` says whether the next run may help);
        PermanentRefusalError and AttemptsExhaustedError, whose `per_request` says whether the row or the whole
        stage is concerned; BudgetExceededError; StoreError. `tasks.llm.rejected_row` makes the rejected row, or
        says that the stage must stop.
        """
        key = self._key(request)
        found = self._find(key, request)
        if found is not None:
            try:
                return self._answer(key, request, found, cached=True, usable=usable)
            except ReplyRejectedError as error:
                if key in self._asked or not error.asked_again:
                    raise
                if settled is not None and settled(error):
                    self._count(key, cached=True, again=False)
                    raise
        task, cached = self._under_way.get(key), True
        if task is None:
            self._check(request)
            if self._refuse is not None:
                raise self._refuse(self.model_name, request)
            task, cached = self._start(key, request, found), False
        # Shielded: a caller that gives up does not throw away a reply that will be billed.
        passed = await asyncio.shield(task)
        return self._answer(key, request, passed.value, cached=cached or not passed.paid, usable=usable)

    def holds(self, request: ModelRequest) -> bool:
        """Whether a stored reply to `request` can be read, so that nothing would be asked."""
        found = self._find(self._key(request), request)
        if found is None:
            return False
        try:
            read_reply(request, found.stored, key=found.key, cached=True, cost_usd=0.0)
        except ReplyRejectedError:
            return False
        return True

    def _key(self, request: ModelRequest) -> str:
        temperature, _ = temperature_to_send(request, self._settings.temperature == "as_designed")
        return request_key(self.model_name, request, temperature)

    def _find(self, key: str, request: ModelRequest) -> Received | None:
        """What is stored for the request, sent as it would be now or as it was before the endpoint refused."""
        for modes in self._ladder.modes.tried_before():
            stored_under = key_under(key, request, modes)
            stored = self._cache.get(stored_under)
            if stored is not None:
                return Received(stored_under, stored)
        return None

    def _answer(
        self,
        key: str,
        request: ModelRequest,
        received: Received,
        *,
        cached: bool,
        usable: Callable[[ModelReply], None] | None,
    ) -> ModelReply:
        """The usable reply; raises ReplyRejectedError that says whether the next run asks again."""
        stored = received.stored
        cost = 0.0 if cached else cost_usd(self._price, stored.prompt_tokens, stored.completion_tokens)
        try:
            reply = read_reply(request, stored, key=received.key, cached=cached, cost_usd=cost)
            if usable is not None:
                usable(reply)
        except ReplyRejectedError as error:
            error.key = error.key or received.key
            error.raw = error.raw or stored.text or ""
            error.askings = self._cache.askings(received.key)
            error.asked_again = error.reason.asked_again and error.askings < MAX_ASKINGS
            if not cached:
                self._note_schema_ignored(request, received, error)
            self._note_asked(request, received)
            if key in self._asked or not error.asked_again:
                self._count(key, cached=cached, again=error.asked_again)
            raise
        if request.schema is not None:
            self._without_json = None
        self._count(key, cached=cached, again=False)
        self._note_asked(request, received)
        return reply

    def _count(self, key: str, *, cached: bool, again: bool) -> None:
        if again:
            self._again.add(key)
            self.usage.asked_again_next_run = len(self._again)
        if cached:
            self.usage.answered_from_cache += 1
            if self._on_usage is not None:
                self._on_usage(self.usage)

    def _note_asked(self, request: ModelRequest, received: Received) -> None:
        """Count the reply for the item that is worked on."""
        asked, stored = asked_so_far(), received.stored
        if asked is not None:
            tokens = stored.prompt_tokens, stored.completion_tokens
            asked.reply(received.key, request, self.model_name, *tokens)

    def _note_schema_ignored(
        self, request: ModelRequest, received: Received, error: ReplyRejectedError
    ) -> None:
        """Say so where none of the first replies of a run is JSON at all."""
        if request.schema is None or self._without_json is None:
            return
        if error.reason is not Reason.MALFORMED_REPLY or is_json(received.stored.text):
            self._without_json = None
            return
        self._without_json += 1
        if self._without_json >= _FIRST_REPLIES:
            error.add(
                f"None of the first {_FIRST_REPLIES} replies is JSON: the endpoint ignores response_format, or "
                "the model cannot follow it"
            )

    def _check(self, request: ModelRequest) -> None:
        """Raises before anything is paid: ValueError for what is no schema, ContextLengthError."""
        if request.schema is not None:
            prepare_schema(request.schema)
        least = least_prompt_tokens(prompt_bytes(request))
        limit = self.context_tokens
        if limit is not None and least + request.max_tokens > limit:
            raise ContextLengthError(
                f"the prompt takes {least} tokens or more and its answer up to {request.max_tokens}, together more "
                f"than {self._role}.context_tokens = {limit}: it was not sent. Set generate.window_tokens or "
                f"evaluate.context_tokens lower, or {self._role}.context_tokens to what the model takes",
                per_request=True,
                status=0,
            )

    def _start(
        self, key: str, request: ModelRequest, replaced: Received | None
    ) -> asyncio.Task[Passed[Received]]:
        if self._dispatch is None:
            raise RuntimeError("the gateway is closed: use it inside `async with`")
        task = asyncio.create_task(self._dispatch.send(key, request, replaced))
        self._under_way[key] = task
        task.add_done_callback(lambda done: self._finish(key, done))
        return task

    def _finish(self, key: str, task: asyncio.Task[Passed[Received]]) -> None:
        del self._under_way[key]
        # The error is read here, so that asyncio does not warn when every caller has gone.
        if not task.cancelled() and task.exception() is None:
            self._asked.add(key)


def _endpoint(base_url: str, role: str) -> str:
    """The endpoint's name in the cache and in messages: scheme, host and port."""
    try:
        return str(origin_of(base_url))
    except ValueError as error:
        raise SettingsError(f"{role}.base_url {error}") from None
