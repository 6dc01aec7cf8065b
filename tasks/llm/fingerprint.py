"""The cache key of a request: what the model sees, and nothing else.

| in the key                          | why                                                             |
|-------------------------------------|-----------------------------------------------------------------|
| model name                          | another model, another answer                                   |
| messages: roles, contents, order    | what is asked                                                   |
| schema, schema name                 | constrain decoding; the name is shown to some models            |
| temperature as sent                 | not as designed: none is sent where it is unsupported           |
| seed, max_tokens, top_logprobs      | change the answer, where it is cut, or what comes with it       |
| how the schema was sent, no seed    | where the endpoint does not take the usual way (`key_under`)    |
| format version                      | so that a change of this table never meets old replies          |

| left out                            | why                                                             |
|-------------------------------------|-----------------------------------------------------------------|
| base URL                            | the same model served elsewhere; a cache outlives a host        |
| API key                             | never stored, not even as a hash                                |
| timeout, attempts, in flight, rates | when and how often, not what                                    |
| budget, prices                      | money does not change an answer                                 |
| role (llm, judge), stage            | the same question is the same question                          |
| `max_tokens` or its newer name      | two spellings of one limit                                      |
"""

from __future__ import annotations

from claimrag.schemas.canonical import canonical_json, sha256_text
from claimrag.tasks.llm.modes import Modes, SchemaMode
from claimrag.tasks.llm.request import ModelRequest

KEY_VERSION = 1


def request_key(model: str, request: ModelRequest, temperature: float | None) -> str:
    """Hex SHA-256 of the canonical JSON of the table above; `temperature` is the one that is sent."""
    seen = {
        "version": KEY_VERSION,
        "model": model,
        "messages": [[message.role, message.content] for message in request.messages],
        "schema": request.schema,
        "schema_name": None if request.schema is None else request.schema_name,
        "temperature": None if temperature is None else float(temperature),
        "seed": request.seed,
        "max_tokens": request.max_tokens,
        "top_logprobs": request.top_logprobs,
    }
    return sha256_text(canonical_json(seen))


def key_under(key: str, request: ModelRequest, modes: Modes) -> str:
    """The key under which the reply to a request with `key` is stored when it is sent in `modes`.

    It is `key` itself where everything goes out as asked.
    """
    lowered: dict[str, object] = {}
    if request.schema is not None and modes.schema is not SchemaMode.STRICT:
        lowered["schema_mode"] = modes.schema
    if request.seed is not None and not modes.seed:
        lowered["seed"] = "not_sent"
    return sha256_text(canonical_json({"of": key, **lowered})) if lowered else key
