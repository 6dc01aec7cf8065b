"""What a scripted model answers, and the bytes that an OpenAI-compatible server would send for it.

Promises the same bytes for the same request and script. Does not open sockets: `scripted_http` does.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

EMBEDDING_DIMENSIONS = 64


@dataclass(frozen=True)
class ScriptedReply:
    """One answer of the script.

    `text` None stands for a null content. A `status` other than 200 sends an error body made of `message`,
    `code`, `param`. `raw_body` replaces the body; `truncated` announces the whole body, sends half of it
    and closes; `dropped` closes without a byte. `latency_s` replaces the server's.
    `logprobs` gives, for each generated token, the candidate tokens and their log probabilities.
    """

    text: str | None = ""
    finish_reason: str = "stop"
    refusal: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    logprobs: Sequence[Mapping[str, float]] | None = None
    status: int = 200
    message: str = ""
    code: str | None = None
    param: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    raw_body: bytes | None = None
    truncated: bool = False
    dropped: bool = False
    latency_s: float | None = None

    @classmethod
    def throttled(cls, retry_after: str | None = "1", *, code: str = "rate_limit_exceeded") -> ScriptedReply:
        """A 429 whose `Retry-After` header is `retry_after`, sent as given; None sends no header."""
        headers = {} if retry_after is None else {"Retry-After": retry_after}
        return cls(status=429, message="Rate limit reached", code=code, headers=headers)

    @classmethod
    def failed(cls, status: int = 500, message: str = "The server had an error") -> ScriptedReply:
        """A server error without Retry-After."""
        return cls(status=status, message=message)

    @classmethod
    def refused(
        cls, status: int, message: str, *, code: str | None = None, param: str | None = None
    ) -> ScriptedReply:
        """A permanent refusal, as a provider words it."""
        return cls(status=status, message=message, code=code, param=param)


Reply = Callable[[dict[str, Any]], ScriptedReply | str]
EmbeddingReply = Callable[[dict[str, Any]], ScriptedReply | None]
"""What to answer to an embedding request instead of its vectors; None gives the vectors."""


def in_turn(*replies: ScriptedReply | str) -> Reply:
    """A script that gives `replies` one after the other, whoever asks, and repeats the last for ever."""
    left = list(replies)

    def reply(body: dict[str, Any]) -> ScriptedReply | str:
        del body
        return left.pop(0) if len(left) > 1 else left[0]

    return reply


def echo(body: dict[str, Any]) -> str:
    """The default script: the last message, or `{}` where a JSON answer is asked for."""
    return "{}" if body.get("response_format") else str(body["messages"][-1]["content"])


def completion_body(request: Mapping[str, Any], reply: ScriptedReply) -> bytes:
    """The JSON body of `reply`: a chat completion, or an error object if its status is not 200."""
    if reply.raw_body is not None:
        return reply.raw_body
    if reply.status != 200:
        error = {"message": reply.message, "type": "scripted", "param": reply.param, "code": reply.code}
        return json.dumps({"error": error}).encode()
    choice: dict[str, Any] = {
        "index": 0,
        "finish_reason": reply.finish_reason,
        "message": {"role": "assistant", "content": reply.text, "refusal": reply.refusal},
        "logprobs": _logprobs_of(reply) if request.get("logprobs") else None,
    }
    completion = {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 0,
        "model": request.get("model", "scripted"),
        "choices": [choice],
        "usage": _usage_of(request, reply),
    }
    return json.dumps(completion).encode()


def embeddings_body(request: Mapping[str, Any]) -> bytes:
    """Unit vectors of `EMBEDDING_DIMENSIONS` numbers drawn from the hash of each input: equal texts, equal
    vectors; different texts, unrelated ones."""
    inputs = request["input"] if isinstance(request["input"], list) else [request["input"]]
    data = [
        {"object": "embedding", "index": index, "embedding": unit_vector(str(text))}
        for index, text in enumerate(inputs)
    ]
    tokens = sum(_token_count(str(text)) for text in inputs)
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    body = {"object": "list", "model": request.get("model"), "data": data, "usage": usage}
    return json.dumps(body).encode()


def unit_vector(text: str) -> list[float]:
    """A vector of length 1 that depends on `text` alone."""
    seed = hashlib.sha256(text.encode("utf-8")).digest()
    blocks = range(EMBEDDING_DIMENSIONS // hashlib.sha256().digest_size)
    raw = b"".join(hashlib.sha256(seed + bytes([block])).digest() for block in blocks)
    numbers = [byte - 127.5 for byte in raw]
    norm = math.sqrt(sum(number * number for number in numbers))
    return [number / norm for number in numbers]


def models_body(name: str) -> bytes:
    """The list of models: one."""
    return json.dumps({"object": "list", "data": [{"id": name, "object": "model", "created": 0}]}).encode()


def _token_count(text: str) -> int:
    return max(1, len(text) // 4)


def _usage_of(request: Mapping[str, Any], reply: ScriptedReply) -> dict[str, int]:
    prompt = reply.prompt_tokens
    if prompt is None:
        prompt = sum(_token_count(str(message.get("content", ""))) for message in request.get("messages", []))
    generated = reply.completion_tokens
    if generated is None:
        generated = _token_count(reply.text or "")
    return {"prompt_tokens": prompt, "completion_tokens": generated, "total_tokens": prompt + generated}


def _logprobs_of(reply: ScriptedReply) -> dict[str, Any]:
    steps = reply.logprobs if reply.logprobs is not None else [{reply.text or "": 0.0}]
    content = []
    for step in steps:
        ranked = sorted(step.items(), key=lambda pair: (-pair[1], pair[0]))
        top = [{"token": token, "logprob": logprob, "bytes": None} for token, logprob in ranked]
        content.append({**top[0], "top_logprobs": top})
    return {"content": content, "refusal": None}
