"""ModelTrace of a reply: what every row says about the model that wrote it."""

from __future__ import annotations

from claimrag.schemas.question import ModelTrace
from claimrag.tasks.llm.request import ModelReply


def trace_of(reply: ModelReply, *, prompt_id: str, prompt_hash: str) -> ModelTrace:
    """Model, temperature and seed as they were sent, prompt and request key of `reply`."""
    return ModelTrace(
        model=reply.model,
        temperature=reply.temperature,
        temperature_note=reply.temperature_note,
        seed=reply.seed,
        prompt_id=prompt_id,
        prompt_hash=prompt_hash,
        request_key=reply.key,
    )
