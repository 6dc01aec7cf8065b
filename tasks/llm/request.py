"""What is asked of a model and what comes back: the gateway's two nouns, and the body that is sent.

`ModelRequest` states what the design asks for; `ModelReply` what was really sent and received. Neither holds
a key, an address or a time limit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from claimrag.schemas.canonical import canonical_json
from claimrag.tasks.llm.modes import Modes, instruction, response_format

TemperatureNote = Literal["sent", "unsupported", "not_asked"]

_SCHEMA_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True)
class Message:
    """One turn: `role` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True)
class ModelRequest:
    """One question to a model.

    `max_tokens` bounds the answer; `schema` is the JSON schema of the answer, sent as the endpoint takes it
    (`modes.py`) and checked on receipt; `top_logprobs` asks for that many candidates per token. No part of what is
    asked: `purpose`, under which the request is counted, and `may_be_cut`, which leaves the judgement on a reply that
    was cut at `max_tokens` to the caller's `usable`.
    """

    messages: tuple[Message, ...]
    max_tokens: int
    temperature: float | None
    seed: int | None = None
    schema: Mapping[str, Any] | None = None
    schema_name: str = "answer"
    top_logprobs: int | None = None
    purpose: str = field(default="other", compare=False)
    may_be_cut: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        if not self.messages:
            raise ValueError("a model request needs at least one message")
        if self.max_tokens < 1:
            raise ValueError(f"max_tokens must be at least 1, not {self.max_tokens}")
        if not _SCHEMA_NAME.fullmatch(self.schema_name):
            raise ValueError(f"schema_name {self.schema_name!r}: 1 to 64 letters, digits, _ or -")


@dataclass(frozen=True)
class ModelReply:
    """One usable answer.

    `text` is without a think block and without a fence around it; `parsed` is the JSON value where the request
    had a schema. `model` is the name the endpoint gave. Tokens are those of the answer, whoever paid; `cost_usd`
    is what this call cost now: 0 when `cached`, None when the model has no price. `temperature` and `seed` are
    what was sent, `schema_mode` how the schema was (None without one). `logprobs`: per generated token, the
    candidates and their log probabilities.
    """

    text: str
    parsed: Any | None
    model: str
    finish_reason: str
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    cached: bool
    temperature: float | None
    temperature_note: str
    key: str
    logprobs: tuple[dict[str, float], ...] | None
    schema_mode: str | None = None
    seed: int | None = None


def temperature_to_send(request: ModelRequest, supported: bool) -> tuple[float | None, TemperatureNote]:
    """The temperature that goes out, and the note that says why."""
    if request.temperature is None:
        return None, "not_asked"
    return (request.temperature, "sent") if supported else (None, "unsupported")


def request_body(
    model: str, request: ModelRequest, temperature: float | None, modes: Modes | None = None
) -> dict[str, Any]:
    """The JSON body of `POST /chat/completions`; parameters that are None, or not taken, are left out."""
    modes = modes or Modes()
    messages = [{"role": message.role, "content": message.content} for message in request.messages]
    body: dict[str, Any] = {"model": model, "messages": messages, modes.tokens_field: request.max_tokens}
    if temperature is not None:
        body["temperature"] = temperature
    if request.seed is not None and modes.seed:
        body["seed"] = request.seed
    if request.schema is not None:
        messages[-1]["content"] += instruction(request.schema, modes.schema)
        form = response_format(request.schema_name, request.schema, modes.schema)
        if form is not None:
            body["response_format"] = form
    if request.top_logprobs is not None:
        body |= {"logprobs": True, "top_logprobs": request.top_logprobs}
    return body


def prompt_bytes(request: ModelRequest) -> int:
    """UTF-8 bytes of what the model reads; a lone surrogate counts as its escape."""
    texts = [message.content for message in request.messages]
    if request.schema is not None:
        texts.append(canonical_json(request.schema))
    return sum(len(text.encode("utf-8", "backslashreplace")) for text in texts)
