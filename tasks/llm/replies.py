"""From the bytes of a chat completion to a reply that can be used, or to the reason why it cannot.

`read_completion` takes the envelope apart; `read_reply` judges the answer: finish reason, refusal, emptiness,
JSON against the schema. Model output is data: it is parsed, validated, never evaluated.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Protocol, cast

from claimrag.schemas.canonical import canonical_json
from claimrag.schemas.reason import Reason
from claimrag.tasks.llm.errors import ReplyRejectedError
from claimrag.tasks.llm.modes import Modes
from claimrag.tasks.llm.request import ModelReply, ModelRequest
from claimrag.tasks.llm.stored_reply import StoredReply
from claimrag.tasks.llm.unwrap import json_value, plain_text

_QUOTED = 120


class _Violation(Protocol):
    @property
    def absolute_path(self) -> Iterable[str | int]: ...

    @property
    def message(self) -> str: ...


class _Validator(Protocol):
    def iter_errors(self, instance: Any) -> Iterator[_Violation]: ...


class NoCompletionError(ValueError):
    """A response body that holds no chat completion; the message says what is missing."""


def read_completion(
    body: bytes,
    *,
    model: str,
    temperature: float | None,
    note: str,
    estimated: tuple[int, int],
    modes: Modes | None = None,
) -> StoredReply:
    """The reply inside a response body; `estimated` stands for prompt and answer tokens it does not count.

    Raises NoCompletionError where there is none.
    """
    try:
        payload = json.loads(body)
        choice = payload["choices"][0]
        message = choice["message"]
        text, refusal = _text(message.get("content")), message.get("refusal")
        usage = payload.get("usage") or {}
        finish_reason = str(choice.get("finish_reason") or "stop")
        logprobs = _read_logprobs(choice.get("logprobs"))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise NoCompletionError(_missing(error)) from error
    if not isinstance(refusal, str | None):
        raise NoCompletionError("its refusal is no text")
    if finish_reason == "error":
        raise NoCompletionError("it ended with an error")
    sent = modes or Modes()
    return StoredReply(
        text=text,
        refusal=refusal,
        finish_reason=finish_reason,
        model=str(payload.get("model") or model),
        prompt_tokens=_count(usage, "prompt_tokens", estimated[0]),
        completion_tokens=_count(usage, "completion_tokens", estimated[1]),
        temperature=temperature,
        temperature_note=note,
        logprobs=logprobs,
        schema_mode=sent.schema,
        seed_sent=sent.seed,
    )


def read_reply(
    request: ModelRequest, stored: StoredReply, *, key: str, cached: bool, cost_usd: float | None
) -> ModelReply:
    """The usable reply; raises ReplyRejectedError with the reason and the raw text."""
    raw = (stored.text or "").encode("utf-8", "backslashreplace").decode("utf-8")
    problem = _problem(request, stored)
    if problem is not None:
        raise ReplyRejectedError(*problem, raw or stored.refusal or "", key=key)
    text, parsed = stored.text or "", None
    if request.schema is not None:
        try:
            parsed = parse_answer(text, request.schema)
        except ValueError as error:
            detail = f'{error}. It begins: "{raw[:_QUOTED]}"'
            raise ReplyRejectedError(Reason.MALFORMED_REPLY, detail, raw, key=key) from error
    elif raw != text:
        raise ReplyRejectedError(Reason.MALFORMED_REPLY, "the reply is not valid Unicode", raw, key=key)
    else:
        text = plain_text(text)
        if not text.strip():
            raise ReplyRejectedError(
                Reason.EMPTY_REPLY, "the reply is a thought without an answer", raw, key=key
            )
    return ModelReply(
        text=text,
        parsed=parsed,
        model=stored.model,
        finish_reason=stored.finish_reason,
        prompt_tokens=stored.prompt_tokens,
        completion_tokens=stored.completion_tokens,
        cost_usd=cost_usd,
        cached=cached,
        temperature=stored.temperature,
        temperature_note=stored.temperature_note,
        key=key,
        logprobs=stored.logprobs,
        schema_mode=stored.schema_mode if request.schema is not None else None,
        seed=request.seed if stored.seed_sent else None,
    )


def is_json(text: str | None) -> bool:
    """Whether a reply holds one JSON value, whatever schema it follows."""
    try:
        json_value(text or "")
    except ValueError:
        return False
    return True


def prepare_schema(schema: Mapping[str, Any]) -> None:
    """Compile `schema` before anything is paid for; raises ValueError where it is no JSON schema."""
    _validator(canonical_json(schema))


def parse_answer(text: str, schema: Mapping[str, Any]) -> Any:
    """The JSON value in `text`, valid under `schema`; raises ValueError that says where it is not.

    It may stand in a Markdown fence or after a think block (`unwrap.py`).
    """
    try:
        value = json_value(text)
        canonical_json(value).encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError("the reply is not valid Unicode") from error
    except RecursionError as error:
        raise ValueError("the reply is nested too deeply") from error
    except ValueError as error:
        raise ValueError(f"the reply is not JSON: {error}") from error
    problem = next(iter(_validator(canonical_json(schema)).iter_errors(value)), None)
    if problem is not None:
        place = "/".join(str(step) for step in problem.absolute_path) or "the reply"
        raise ValueError(f"the reply does not follow its schema at {place}: {problem.message[:300]}")
    return value


@lru_cache(maxsize=256)
def _validator(schema: str) -> _Validator:
    from jsonschema.exceptions import SchemaError  # type: ignore[import-untyped]
    from jsonschema.validators import validator_for  # type: ignore[import-untyped]
    from referencing import Registry

    parsed = json.loads(schema)
    try:
        validator_for(parsed).check_schema(parsed)
    except SchemaError as error:
        raise ValueError(f"not a JSON schema: {error.message}") from error
    elsewhere = next(_references_elsewhere(parsed), None)
    if elsewhere is not None:
        raise ValueError(f"the schema refers to {elsewhere}: only references within it are followed")
    # An empty registry: nothing is ever fetched.
    return cast(_Validator, validator_for(parsed)(parsed, registry=Registry()))


def _references_elsewhere(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        reference = schema.get("$ref")
        if isinstance(reference, str) and not reference.startswith("#"):
            yield reference
    for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from _references_elsewhere(part)


def _problem(request: ModelRequest, stored: StoredReply) -> tuple[Reason, str] | None:
    if stored.finish_reason == "length" and not request.may_be_cut:
        return Reason.LENGTH, f"the reply was cut at max_tokens = {request.max_tokens}"
    if stored.finish_reason == "content_filter":
        return Reason.CONTENT_FILTER, "the endpoint's content filter stopped the reply"
    if stored.refusal:
        return Reason.REFUSAL, f"the model refused: {stored.refusal[:300]}"
    if not (stored.text or "").strip():
        return Reason.EMPTY_REPLY, f"the reply has no text (finish_reason {stored.finish_reason})"
    return None


def _read_logprobs(value: Any) -> tuple[dict[str, float], ...] | None:
    if not value or not value.get("content"):
        return None
    steps = []
    for step in value["content"]:
        candidates = {str(top["token"]): float(top["logprob"]) for top in step.get("top_logprobs") or ()}
        candidates.setdefault(str(step["token"]), float(step["logprob"]))
        steps.append(candidates)
    return tuple(steps)


def _count(usage: Mapping[str, Any], name: str, estimated: int) -> int:
    value = usage.get(name)
    return value if isinstance(value, int) and value >= 0 else estimated


def _text(content: Any) -> str | None:
    """The text of a message: as such, or in parts of type text, beside which there may be thoughts."""
    if isinstance(content, str | None):
        return content
    if not isinstance(content, list):
        raise ValueError("its content is no text")
    return "".join(part["text"] for part in content if part.get("type") in ("text", "output_text")) or None


def _missing(error: Exception) -> str:
    """What a body lacks, from the error that reading it gave."""
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError):
        return "it is not JSON"
    if isinstance(error, LookupError):
        return "it has no choices[0].message"
    return str(error) if isinstance(error, ValueError) else "it has another shape"
