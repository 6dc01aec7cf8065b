"""Labels as one JSON object with a required key per claim: the form that small models can follow.

Asked to write "1. Label" lines, a small model repeats the form; with one key per claim and an enumeration
of the labels, every claim gets a label or the reply is refused. The labels are plain words of the text's
language: a small model chose among them far better than among RefChecker's terms. The reference text comes first
in the prompt, so that a server's prefix cache serves it again for the next claims about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from claimrag import prompts
from claimrag.schemas.claim import Label
from claimrag.schemas.question import ModelTrace
from claimrag.tasks.claims.triplets import Triplet
from claimrag.tasks.llm.gateway import Gateway
from claimrag.tasks.llm.request import Message, ModelRequest
from claimrag.tasks.llm.traces import trace_of

PROMPT_ID = "claims/label"

WORDS: dict[str, dict[Label, str]] = {
    "en": {
        Label.ENTAILMENT: "supported",
        Label.CONTRADICTION: "contradicted",
        Label.NEUTRAL: "not mentioned",
    },
    "fr": {
        Label.ENTAILMENT: "confirmée",
        Label.CONTRADICTION: "contredite",
        Label.NEUTRAL: "non mentionnée",
    },
}
"""What the model is offered instead of the three labels."""

_TOKENS_PER_CLAIM = 24
_TOKENS_AROUND = 48

Labelled = tuple[tuple[Label, ...], ModelTrace]


async def ask_keyed(
    triplets: Sequence[Triplet], reference: str, question: str, language: str, gateway: Gateway
) -> Labelled:
    """One label per claim, in one request. Raises ReplyRejectedError when the reply does not have them."""
    prompt = prompts.load(PROMPT_ID, language)
    reply = await gateway.complete(keyed_request(triplets, reference, question, language))
    given: dict[str, str] = reply.parsed or {}
    label_of = {word: label for label, word in WORDS[language].items()}
    trace = trace_of(reply, prompt_id=prompt.id, prompt_hash=prompt.hash)
    return tuple(label_of[given[key]] for key in _keys(triplets)), trace


def keyed_request(triplets: Sequence[Triplet], reference: str, question: str, language: str) -> ModelRequest:
    """What the keyed form asks the model."""
    prompt = prompts.load(PROMPT_ID, language)
    keys = _keys(triplets)
    claims = [{"key": key, "sentence": " ".join(t)} for key, t in zip(keys, triplets, strict=True)]
    words = WORDS[language]
    offered = {label.name.lower(): word for label, word in words.items()}
    messages = prompt.render(reference=reference, question=question, claims=claims, labels=offered)
    return ModelRequest(
        messages=tuple(Message(role, content) for role, content in messages),
        max_tokens=_TOKENS_AROUND + _TOKENS_PER_CLAIM * len(keys),
        temperature=prompt.temperature_rule.draw(0),
        schema=labels_schema(keys, list(words.values())),
        schema_name="labels",
        purpose=PROMPT_ID,
    )


def _keys(triplets: Sequence[Triplet]) -> list[str]:
    return [f"c{number}" for number in range(1, len(triplets) + 1)]


def labels_schema(keys: Sequence[str], words: Sequence[str]) -> dict[str, Any]:
    """The JSON schema of the answer: exactly these keys, each with one of the words."""
    label = {"type": "string", "enum": list(words)}
    return {
        "type": "object",
        "properties": dict.fromkeys(keys, label),
        "required": list(keys),
        "additionalProperties": False,
    }
