"""Model endpoints and their keys: does the address answer, does it know the model, is there a key at all.

Sends one GET to `/models`, which costs nothing. A key is sent to its own endpoint and appears in no check.
"""

from __future__ import annotations

import httpx

from claimrag.schemas.address import Origin, origin_of
from claimrag.schemas.model_settings import is_openai
from claimrag.schemas.settings import OPENAI_BASE_URL, EmbeddingSettings, ModelSettings
from claimrag.tasks.doctor.check import Check, failed, ok, warning
from claimrag.tasks.llm.http_client import goes_through_proxy, proxy_sentence

TIMEOUT_S = 10.0


def check_endpoint(role: str, settings: ModelSettings | EmbeddingSettings) -> Check:
    """Whether the endpoint of `role` (llm, judge, embeddings) answers and lists the model."""
    name, variable = f"{role} endpoint", f"CLAIMRAG_{role.upper()}__BASE_URL"
    if settings.base_url is None and settings.model is None:
        return ok(name, "none set: the local model is used")
    address = settings.base_url or OPENAI_BASE_URL
    try:
        origin = origin_of(address)
    except ValueError as problem:
        return failed(name, f"{role}.base_url {problem}", f"correct {variable}")
    try:
        client = _client(origin)
    except (ImportError, ValueError, httpx.InvalidURL) as problem:
        return failed(name, proxy_sentence(problem), f"or name an endpoint on this machine in {variable}")
    place, headers = str(origin), {}
    if settings.api_key is not None:
        headers["Authorization"] = f"Bearer {settings.api_key.get_secret_value()}"
    try:
        with client:
            answer = client.get(f"{address.rstrip('/')}/models", headers=headers)
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError, ValueError) as failure:
        # The exception's own text may quote the address with a password, or a header: its type is enough.
        reason = type(failure).__name__
        return failed(
            name, f"{place} does not answer ({reason})", f"start the server there, or correct {variable}"
        )
    return _judge_answer(name, place, settings.model or "", answer, variable)


def _client(origin: Origin) -> httpx.Client:
    """A client that goes where the gateway's goes: through the environment's proxy, if it goes through one."""
    return httpx.Client(timeout=TIMEOUT_S, trust_env=goes_through_proxy(origin), follow_redirects=False)


def _judge_answer(name: str, place: str, model: str, answer: httpx.Response, variable: str) -> Check:
    key_variable = variable.replace("BASE_URL", "API_KEY")
    status = answer.status_code
    if status in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
        return failed(name, f"{place} refuses the key (HTTP {status})", f"set {key_variable}")
    if status in (httpx.codes.NOT_FOUND, httpx.codes.METHOD_NOT_ALLOWED):
        return warning(
            name,
            f"{place} answers but lists no models (HTTP {status})",
            f"if calls fail too, correct {variable}: it usually ends with /v1",
        )
    if not answer.is_success:
        return failed(name, f"{place} answers HTTP {status}", f"look at that server, or correct {variable}")
    known = _model_names(answer)
    if known is None:
        return warning(name, f"{place} answers, but not with a list of models", f"correct {variable}")
    if model not in known:
        shown_names = ", ".join(sorted(known)[:5]) or "none"
        return warning(
            name,
            f"{place} answers but does not list {model!r} (it lists {shown_names})",
            f"correct {variable.replace('BASE_URL', 'MODEL')}, unless the server takes any name",
        )
    return ok(name, f"{place} answers and knows {model}")


def _model_names(answer: httpx.Response) -> set[str] | None:
    try:
        body = answer.json()
    except ValueError:
        return None
    listed = body.get("data") if isinstance(body, dict) else None
    if not isinstance(listed, list):
        return None
    return {str(entry["id"]) for entry in listed if isinstance(entry, dict) and "id" in entry}


def check_key(role: str, settings: ModelSettings | EmbeddingSettings) -> Check:
    """Whether a key is set where one is likely to be needed; the key itself is never shown."""
    name = f"{role} key"
    if settings.api_key is not None and settings.api_key.get_secret_value():
        return ok(name, "present (not shown)")
    if settings.base_url is None and settings.model is None:
        return ok(name, "none needed: the local model is used")
    address = settings.base_url or OPENAI_BASE_URL
    if origin_of(address).is_loopback:
        return ok(name, "none set; the endpoint is on this machine")
    variable = f"CLAIMRAG_{role.upper()}__API_KEY"
    also = (
        " or OPENAI_API_KEY" if is_openai(address) else " (OPENAI_API_KEY goes to OpenAI's own address alone)"
    )
    return warning(
        name,
        "none set, and the endpoint is not on this machine",
        f"set {variable}{also}, unless the endpoint asks for none",
    )
