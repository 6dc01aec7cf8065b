"""Sends a chat request in the way its endpoint takes, and commits the reply before anything else happens to it.

The first refusal that names a parameter moves one step down the ladder of modes; whoever is refused meanwhile
waits for that step and is sent again. It belongs to one event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from claimrag.schemas.settings import ModelSettings
from claimrag.tasks.llm.cache import RequestCache
from claimrag.tasks.llm.door import Attempt, Door, Load, Passed
from claimrag.tasks.llm.endpoint import Endpoint
from claimrag.tasks.llm.errors import ParameterRefusedError
from claimrag.tasks.llm.fingerprint import key_under
from claimrag.tasks.llm.modes import Ladder, Modes
from claimrag.tasks.llm.replies import NoCompletionError, read_completion
from claimrag.tasks.llm.request import ModelRequest, prompt_bytes, request_body, temperature_to_send
from claimrag.tasks.llm.stored_reply import StoredReply
from claimrag.tasks.llm.usage import Budget, Usage


@dataclass(frozen=True)
class Received:
    """A reply and the key that it is stored under."""

    key: str
    stored: StoredReply


@dataclass(frozen=True)
class _Question:
    """A request, its key, the modes under which no reply was found, and the reply that it is asked again for."""

    key: str
    request: ModelRequest
    modes: Modes
    replaced: Received | None


class Dispatch:
    """The way out to one chat endpoint. `on_the_wire` holds the keys of requests that may be billed."""

    def __init__(
        self,
        settings: ModelSettings,
        role: str,
        cache: RequestCache,
        ladder: Ladder,
        budget: Budget,
        usage: Usage,
        on_usage: Callable[[Usage], None] | None,
    ) -> None:
        self._settings = settings
        self._role = role
        self._cache = cache
        self._ladder = ladder
        self._model = settings.model or ""
        smaller = (
            "set generate.window_tokens or evaluate.context_tokens lower, or "
            f"{role}.context_tokens to what the model takes, so that longer prompts are not sent"
        )
        self._endpoint = Endpoint(settings, role, smaller=smaller)
        self._door = Door(
            settings,
            role,
            budget,
            usage,
            on_lost=lambda usd: cache.add_spent(role, usd),
            on_usage=on_usage,
        )
        self._probing = asyncio.Lock()
        self.on_the_wire: set[str] = set()

    async def close(self) -> None:
        """Close the connections."""
        await self._endpoint.close()

    async def send(
        self, key: str, request: ModelRequest, replaced: Received | None = None
    ) -> Passed[Received]:
        """The reply to `request`, already stored under `key`, or under `key_under` for how it was sent.

        `replaced` is the stored reply that could not be used and is asked again. Raises PermanentRefusalError,
        AttemptsExhaustedError, BudgetExceededError or StoreError.
        """
        load = Load(prompt_bytes(request), len(request.messages), request.max_tokens)
        question = _Question(key, request, self._ladder.modes, replaced)
        return await self._door.send(key, load, lambda attempt: self._exchange(question, attempt))

    async def _exchange(self, question: _Question, attempt: Attempt) -> Passed[Received]:
        looked_under = question.modes
        while True:
            if self._probing.locked():
                async with self._probing:
                    pass
            modes = self._ladder.modes
            if modes != looked_under:
                looked_under, found = modes, self._stored(question)
                if found is not None:
                    return found
            try:
                return await self._once(question, attempt, modes)
            except ParameterRefusedError as refusal:
                refused = refusal
            async with self._probing:
                if self._ladder.modes == modes:
                    return await self._probe(question, attempt, refused)

    async def _probe(
        self, question: _Question, attempt: Attempt, refused: ParameterRefusedError
    ) -> Passed[Received]:
        """Go down the ladder, step by step, while the others wait."""
        request = question.request
        while True:
            lower = self._ladder.modes.after(
                refused.parameter, has_schema=request.schema is not None, has_seed=request.seed is not None
            )
            if lower is None:
                raise refused
            self._ladder.modes = lower
            found = self._stored(question)
            if found is not None:
                return found
            try:
                return await self._once(question, attempt, lower)
            except ParameterRefusedError as again:
                refused = again

    def _stored(self, question: _Question) -> Passed[Received] | None:
        """The reply that an earlier run stored for the way in which it would be sent now."""
        key = key_under(question.key, question.request, self._ladder.modes)
        if question.replaced is not None and question.replaced.key == key:
            return None
        found = self._cache.get(key)
        return None if found is None else Passed(Received(key, found), 0, 0, paid=False)

    async def _once(self, question: _Question, attempt: Attempt, modes: Modes) -> Passed[Received]:
        request = question.request
        supported = self._settings.temperature == "as_designed"
        temperature, note = temperature_to_send(request, supported)
        body = request_body(self._model, request, temperature, modes)
        await attempt.go()
        self.on_the_wire.add(question.key)
        try:
            raw = await self._endpoint.post("/chat/completions", body)
        finally:
            self.on_the_wire.discard(question.key)
        try:
            received = read_completion(
                raw,
                model=self._model,
                temperature=temperature,
                note=note,
                estimated=(attempt.prompt_tokens, request.max_tokens),
                modes=modes,
            )
        except NoCompletionError as error:
            raise self._endpoint.unreadable(raw, str(error)) from None
        if modes == self._ladder.modes:
            self._ladder.keep(modes)
        return self._commit(key_under(question.key, request, modes), received, question.replaced)

    def _commit(self, key: str, received: StoredReply, replaced: Received | None) -> Passed[Received]:
        tokens = received.prompt_tokens, received.completion_tokens
        cost_usd = self._door.cost_usd(Passed(received, *tokens))
        again = replaced is not None and replaced.key == key
        stored = self._cache.put(
            key,
            received,
            asking=self._cache.askings(key) + 1 if again else 1,
            role=self._role,
            cost_usd=cost_usd or 0.0,
        )
        return Passed(Received(key, stored), *tokens)
