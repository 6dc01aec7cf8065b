"""ModelTrace of a reply: what every row says about the model that wrote it."""

from __future__ import annotations

from claimrag.schemas.question import ModelTrace
from claimrag.tasks.llm.request import ModelReply


def trace_of(reply: ModelReply, *, prompt_id: str, prompt_hash: str, seed: int | None = None) -> ModelTrace:
    """Model, temperature as sent, prompt and request key of `reply`; `seed` is the one that was asked with."""
    return ModelTrace(
        model=reply.model,
        temperature=reply.temperature,
        temperature_note=reply.temperature_note,
        seed=seed,
        prompt_id=prompt_id,
        prompt_hash=prompt_hash,
        request_key=reply.key,
    )
