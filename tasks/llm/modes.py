"""How a request is put to an endpoint: a ladder from what every endpoint should take to what every one does.

A schema goes out as a strict `json_schema`, then without `strict` and without limits that some refuse, then as
`json_object` with the schema in the prompt, then in the prompt alone; a seed is sent or not; the limit of tokens
has two names. `Ladder` remembers, per endpoint and model, on which step the next run begins. Replies are checked
against the full schema on every step.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any, Literal

from claimrag.schemas.canonical import canonical_json
from claimrag.tasks.llm.cache import RequestCache

TokensField = Literal["max_tokens", "max_completion_tokens"]
Parameter = Literal["response_format", "seed", "max_tokens"]

_INSTRUCTION = "\n\nAnswer with one JSON value that follows this JSON Schema, and with nothing else:\n"
# The keywords that endpoints with strict schemas refuse; they say how long or large, not of what shape.
_LIMITS = frozenset(
    (
        *("minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems", "contains"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minContains", "maxContains", "minProperties", "maxProperties"),
    )
)
_NAMED_SCHEMAS = ("properties", "$defs", "definitions", "patternProperties")


class SchemaMode(StrEnum):
    """How the schema of an answer is sent, from the best to what always works."""

    STRICT = "json_schema"
    PLAIN = "json_schema_plain"
    OBJECT = "json_object"
    PROMPT = "prompt"


_ORDER = tuple(SchemaMode)


@dataclass(frozen=True)
class Modes:
    """What an endpoint takes, as far as is known; the defaults are what is tried first."""

    schema: SchemaMode = SchemaMode.STRICT
    seed: bool = True
    tokens_field: TokensField = "max_tokens"

    def after(self, refused: Parameter, *, has_schema: bool, has_seed: bool) -> Modes | None:
        """One step down because `refused` was; None where there is none, or where it was not sent."""
        match refused:
            case "response_format" if has_schema and self.schema is not SchemaMode.PROMPT:
                return replace(self, schema=_ORDER[_ORDER.index(self.schema) + 1])
            case "seed" if has_seed and self.seed:
                return replace(self, seed=False)
            case "max_tokens" if self.tokens_field == "max_tokens":
                return replace(self, tokens_field="max_completion_tokens")
            case _:
                return None

    def tried_before(self) -> Iterator[Modes]:
        """These modes and every one above them, the nearest first: under which replies may be stored."""
        for schema in reversed(_ORDER[: _ORDER.index(self.schema) + 1]):
            for seed in dict.fromkeys((self.seed, True)):
                yield replace(self, schema=schema, seed=seed)


class Ladder:
    """The step on which one endpoint and model are, kept in the request cache."""

    def __init__(self, cache: RequestCache, endpoint: str, model: str) -> None:
        self._cache = cache
        self._place = (endpoint, model)
        self.modes = self._kept = _decode(cache.modes(endpoint, model))

    def keep(self, modes: Modes) -> None:
        """`modes` were taken: the next run begins there."""
        if modes != self._kept:
            self._cache.keep_modes(*self._place, canonical_json(asdict(modes)))
            self._kept = modes


def response_format(name: str, schema: Mapping[str, Any], mode: SchemaMode) -> dict[str, Any] | None:
    """The parameter of that name for `schema`, or None where it is not sent."""
    match mode:
        case SchemaMode.STRICT:
            answer = {"name": name, "schema": schema, "strict": True}
        case SchemaMode.PLAIN:
            answer = {"name": name, "schema": without_limits(schema)}
        case SchemaMode.OBJECT:
            return {"type": "json_object"}
        case SchemaMode.PROMPT:
            return None
    return {"type": "json_schema", "json_schema": answer}


def instruction(schema: Mapping[str, Any], mode: SchemaMode) -> str:
    """What is added to the last message: nothing where the endpoint takes the schema itself."""
    return _INSTRUCTION + canonical_json(schema) if mode in (SchemaMode.OBJECT, SchemaMode.PROMPT) else ""


def without_limits(schema: Any) -> Any:
    """`schema` without limits on lengths, counts, sizes and patterns; its shape stays."""
    if isinstance(schema, list):
        return [without_limits(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    kept = {}
    for word, part in schema.items():
        if word in _NAMED_SCHEMAS and isinstance(part, Mapping):
            kept[word] = {name: without_limits(named) for name, named in part.items()}
        elif word in ("enum", "const", "default", "examples"):
            kept[word] = part
        elif word not in _LIMITS:
            kept[word] = without_limits(part)
    return kept


def _decode(text: str | None) -> Modes:
    """The kept modes; those of a file that was changed by hand count as none."""
    try:
        values = json.loads(text or "{}")
        return Modes(**values | {"schema": SchemaMode(values.get("schema", SchemaMode.STRICT))})
    except (ValueError, TypeError, AttributeError):
        return Modes()
