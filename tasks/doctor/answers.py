"""Does a model answer as a build needs it: one small request with a JSON schema, sent as the gateway sends all.

It is the only check that may cost something (some forty tokens), so it is made on demand. The reply is kept nowhere.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path

from claimrag.schemas.errors import ClaimragError
from claimrag.schemas.settings import ModelSettings
from claimrag.tasks.doctor.check import Check, failed, ok, warning
from claimrag.tasks.llm import Gateway, Message, ModelRequest, ReplyRejectedError, RequestCache

ATTEMPTS = 2
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["article"],
    "properties": {"article": {"type": "integer"}},
}
REQUEST = ModelRequest(
    (
        Message("system", "You answer with one JSON object and nothing else."),
        Message("user", 'Which article does "Article 7 applies." name? Answer as {"article": number}.'),
    ),
    max_tokens=200,
    temperature=0.0,
    schema=SCHEMA,
)


def check_answer(role: str, settings: ModelSettings) -> Check:
    """Whether the model of `role` (llm, judge) answers in JSON, and which way its endpoint takes the schema."""
    return asyncio.run(_ask(role, settings))


async def _ask(role: str, settings: ModelSettings) -> Check:
    name, variable = f"{role} answer", f"CLAIMRAG_{role.upper()}__MODEL"
    tried = settings.model_copy(update={"max_attempts": min(settings.max_attempts, ATTEMPTS)})
    with tempfile.TemporaryDirectory() as folder, RequestCache(Path(folder) / "requests.sqlite") as cache:
        async with Gateway(tried, cache, role=role) as gateway:
            began = time.perf_counter()
            try:
                reply = await gateway.complete(REQUEST)
            except ReplyRejectedError as error:
                return failed(name, f"no usable JSON: {error}", f"name another model in {variable}")
            except ClaimragError as error:
                return failed(name, str(error), f"correct what it says, or name another model in {variable}")
            seconds = time.perf_counter() - began
            schema = gateway.identity["schema"]
    took = f"in {seconds:.1f} s, schema sent as {schema}"
    if reply.parsed != {"article": 7}:
        return warning(
            name, f"JSON, but not the right one, {took}", "expect many rejected rows of this model"
        )
    return ok(name, f"right, {took}")
