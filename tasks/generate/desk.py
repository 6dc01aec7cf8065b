"""Desk: what every item of one act needs to be written: the law, the model, the settings, the language test.

`Desk.ask` is the only place in this package that calls a model. A reply that cannot be used becomes an
ItemRejectedError; errors that concern every further request (key, budget, endpoint) pass through.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from claimrag import prompts
from claimrag.schemas.act import Act
from claimrag.schemas.errors import ModelError
from claimrag.schemas.question import ModelTrace
from claimrag.schemas.settings import GenerateSettings
from claimrag.tasks.generate.law_names import with_law_named
from claimrag.tasks.generate.reasons import STAGE, ItemRejectedError
from claimrag.tasks.generate.seeds import item_seed
from claimrag.tasks.llm import Gateway, Message, ModelRequest, rejected_row
from claimrag.tasks.llm.traces import trace_of

IdentifyLanguage = Callable[[str], tuple[str, float]]
"""Gives the language of a text (`en`, `fr`) and the confidence from 0.5 to 1."""


@dataclass(frozen=True)
class Answer:
    """A reply that followed its schema, and the trace of how it came about."""

    parsed: dict[str, Any]
    raw: str
    trace: ModelTrace


@dataclass(frozen=True)
class Desk:
    """One act and everything that is needed to write questions about it."""

    act: Act
    text: str
    gateway: Gateway
    settings: GenerateSettings
    identify: IdentifyLanguage

    @property
    def law(self) -> str:
        """The law's name as prompts show it: the short title where there is one."""
        return self.act.short_title or self.act.title

    def named(self, text: str) -> str:
        """`text` with the law's name in place of "this Regulation"."""
        return with_law_named(text, self.law, self.act.language)

    async def ask(
        self,
        prompt_id: str,
        item: str,
        schema: Mapping[str, Any] | None = None,
        **values: Any,
    ) -> Answer:
        """Ask what a prompt asks about an item; `schema` replaces the prompt's own where the item narrows it.

        The temperature is drawn from the prompt's rule with the item's seed. Raises ItemRejectedError.
        """
        prompt = prompts.load(prompt_id, self.act.language)
        seed = item_seed(self.settings.seed, prompt_id, item)
        rendered = prompt.render(**values)
        request = ModelRequest(
            messages=tuple(Message(message.role, message.content) for message in rendered),
            max_tokens=self.settings.max_tokens,
            temperature=prompt.temperature_rule.draw(seed),
            seed=seed,
            schema=schema if schema is not None else prompt.schema,
            schema_name=prompt_id.rpartition("/")[2],
            purpose=prompt_id,
        )
        try:
            reply = await self.gateway.complete(request)
        except ModelError as error:
            row = rejected_row(STAGE, item, error)
            if row is None:
                raise
            raise ItemRejectedError(row.reason, row.detail, row.raw) from error
        trace = trace_of(reply, prompt_id=prompt.id, prompt_hash=prompt.hash)
        return Answer(parsed=dict(reply.parsed or {}), raw=reply.text, trace=trace)
