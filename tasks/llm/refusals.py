"""What an endpoint's error means: the shapes in which endpoints say no, and what they are saying no to.

Reads OpenAI's `{"error": {...}}`, a bare `message`, FastAPI's and Mistral's `detail` lists, an error that is one
string, and text that is no JSON. It decides whom a refusal concerns by its status, its `param` and its wording.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from claimrag.tasks.llm.modes import Parameter

_MESSAGE_CHARACTERS = 1000

# Context length: OpenAI and Azure, vLLM, llama.cpp, Anthropic-like wordings.
_CONTEXT_LENGTH = re.compile(
    r"""
      context[ _-]?(length|size|window)
    | maximum[ ]context
    | too[ ]many[ ]tokens
    | prompt[ ]is[ ]too[ ]long
    | exceeds?[ ].{0,40}context
    """,
    re.IGNORECASE | re.VERBOSE,
)

# That a parameter is not taken: narrow, for parameters whose names are everyday words (model, temperature).
_UNSUPPORTED = re.compile(
    r"unsupported|not support|deprecated|only the default|does not allow|unknown|unrecogni[sz]ed",
    re.IGNORECASE,
)

# The same, wide, for names that nothing else would bring up: also DeepSeek ("is unavailable now"), Mistral and
# vLLM ("extra_forbidden", "Extra inputs are not permitted"), Google ("Cannot find field"), llama.cpp ("must be one
# of", "failed to parse grammar"), Azure ("is enabled only for").
_NOT_TAKEN = re.compile(
    rf"""
      {_UNSUPPORTED.pattern.replace(" ", "[ ]")}
    | un(available|expected|implemented) | enabled[ ]only | does[ ]not[ ]accept
    | extra[_ ](forbidden|inputs|fields) | not[ ](permitted|allowed|available|enabled|implemented)
    | invalid | must[ ](be|have) | cannot[ ]find | failed[ ]to
    """,
    re.IGNORECASE | re.VERBOSE,
)

# Other names under which endpoints speak of response_format.
_SCHEMA = re.compile(
    r"""
      response[_ ]format | json[_ ]?schema | json[_ ]object
    | structured[_ ]outputs? | guided[_ ](json|decoding) | \bgrammar\b
    """,
    re.IGNORECASE | re.VERBOSE,
)

_OF_EVERY_REQUEST = ("seed", "logprobs", "top_logprobs", "model")
_CODES_OF_EVERY_REQUEST = ("model_not_found", "invalid_api_key")
_STATUS_OF_CODE = (("rate_limit", 429), ("overloaded", 503), ("server_error", 500), ("internal", 500))


@dataclass(frozen=True)
class Refusal:
    """An error in the endpoint's own words. `param` is the parameter that it names in a field of its own."""

    status: int
    code: str
    param: str
    message: str

    @property
    def is_context_length(self) -> bool:
        """Whether the prompt is too long."""
        too_long = self.code == "context_length_exceeded" or _CONTEXT_LENGTH.search(self.message)
        return self.status == 413 or bool(too_long)

    @property
    def is_of_every_request(self) -> bool:
        """Whether any other request would be refused too."""
        if self.status not in (400, 422) or self.code in _CODES_OF_EVERY_REQUEST:
            return True
        return self.parameter is not None or any(self.names(name) for name in _OF_EVERY_REQUEST)

    @property
    def parameter(self) -> Parameter | None:
        """The parameter that is refused and that can be sent in another way."""
        if self.status not in (400, 422):
            return None
        if "max_completion_tokens" in self.message:
            return "max_tokens"
        if self.names("seed", _NOT_TAKEN):
            return "seed"
        if self.param.startswith("response_format") or (
            _SCHEMA.search(f"{self.param} {self.message}") and _NOT_TAKEN.search(self.message)
        ):
            return "response_format"
        return None

    def names(self, name: str, wording: re.Pattern[str] = _UNSUPPORTED) -> bool:
        """Whether it is about parameter `name`, by its field or by its wording."""
        if self.param == name or self.param.startswith(f"{name}."):
            return True
        return bool(re.search(rf"\b{name}\b", self.message) and wording.search(self.message))


def read_refusal(status: int, body: str) -> Refusal:
    """The error in the body of a response with this HTTP status."""
    payload = _json(body)
    fields = payload.get("error", payload) if isinstance(payload, Mapping) else None
    if isinstance(fields, str):
        fields = {"message": fields}
    if not isinstance(fields, Mapping):
        return Refusal(status, "", "", body[:_MESSAGE_CHARACTERS].strip())
    message, place = _message(fields)
    code, param = fields.get("code") or fields.get("type") or "", fields.get("param") or place
    return Refusal(status, str(code), str(param), (message or body)[:_MESSAGE_CHARACTERS].strip())


def error_in_reply(body: bytes) -> Refusal | None:
    """The error that an endpoint sends with HTTP 200, under the status in its `code` if there is one.

    Without one it has status 0: a refusal of whatever is asked.
    """
    payload = _json(body)
    if not isinstance(payload, Mapping):
        return None
    first = payload.get("choices")
    choice = first[0] if isinstance(first, list) and first else None
    if isinstance(choice, Mapping) and choice.get("error"):
        payload = choice
    if not payload.get("error") and payload.get("object") != "error" and "detail" not in payload:
        return None
    refusal = read_refusal(0, json.dumps(payload))
    return Refusal(_status_of(refusal.code), refusal.code, refusal.param, refusal.message)


def _status_of(code: str) -> int:
    if code.isdecimal() and 400 <= int(code) < 600:
        return int(code)
    return next((status for word, status in _STATUS_OF_CODE if word in code.lower()), 0)


def _message(fields: Mapping[str, Any]) -> tuple[str, str]:
    """The message, and the parameter that a list of details names."""
    found = fields.get("message") or fields.get("detail") or fields.get("msg") or ""
    if isinstance(found, Mapping):
        found = found.get("detail") or found.get("message") or ""
    if not isinstance(found, list):
        return str(found), ""
    details = [detail for detail in found if isinstance(detail, Mapping)]
    places = [_place(detail) for detail in details]
    words = [
        f"{place}: {detail.get('msg') or ''} ({detail.get('type') or ''})"
        for place, detail in zip(places, details, strict=True)
    ]
    return "; ".join(words), next(iter(places), "")


def _place(detail: Mapping[str, Any]) -> str:
    steps = detail.get("loc")
    return ".".join(str(step) for step in steps if step != "body") if isinstance(steps, list) else ""


def _json(body: str | bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
