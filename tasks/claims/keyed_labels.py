"""Labels as one JSON object with a required key per claim: the form that small models can follow.

Asked to write "1. Label" lines, a small model repeats the form; with one key per claim and an enumeration
of the labels, every claim gets a label or the reply is refused. The reference text comes first in the
prompt, so that a server's prefix cache serves it again for the next claims about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import prompts
from schemas.claim import Label
from schemas.question import ModelTrace
from tasks.claims.traces import trace_of
from tasks.claims.triplets import Triplet
from tasks.llm.gateway import Gateway
from tasks.llm.request import Message, ModelRequest

PROMPT_ID = "claims/label"

_TOKENS_PER_CLAIM = 24
_TOKENS_AROUND = 48

Labelled = tuple[tuple[Label, ...], ModelTrace]


async def ask_keyed(
    triplets: Sequence[Triplet], reference: str, question: str, language: str, gateway: Gateway
) -> Labelled:
    """One label per claim, in one request. Raises ReplyRejectedError when the reply does not have them."""
    prompt = prompts.load(PROMPT_ID, language)
    keys = [f"c{number}" for number in range(1, len(triplets) + 1)]
    claims = [
        {"key": key, "subject": s, "predicate": p, "object": o}
        for key, (s, p, o) in zip(keys, triplets, strict=True)
    ]
    messages = prompt.render(reference=reference, question=question, claims=claims)
    reply = await gateway.complete(
        ModelRequest(
            messages=tuple(Message(role, content) for role, content in messages),
            max_tokens=_TOKENS_AROUND + _TOKENS_PER_CLAIM * len(keys),
            temperature=prompt.temperature_rule.draw(0),
            schema=labels_schema(keys),
            schema_name="labels",
        )
    )
    labels: dict[str, str] = reply.parsed or {}
    trace = trace_of(reply, prompt_id=prompt.id, prompt_hash=prompt.hash)
    return tuple(Label(labels[key]) for key in keys), trace


def labels_schema(keys: Sequence[str]) -> dict[str, Any]:
    """The JSON schema of the answer: exactly these keys, each one of the three labels."""
    label = {"type": "string", "enum": [label.value for label in Label]}
    return {
        "type": "object",
        "properties": dict.fromkeys(keys, label),
        "required": list(keys),
        "additionalProperties": False,
    }
