"""Model endpoints and their keys: does the address answer, does it know the model, is there a key at all.

Sends one GET to `/models`, which costs nothing. A key is sent to its own endpoint and appears in no check.
"""

from __future__ import annotations

from urllib.parse import urlsplit

import httpx

from claimrag.schemas.settings import OPENAI_BASE_URL, EmbeddingSettings, ModelSettings
from claimrag.tasks.doctor.check import Check, failed, ok, warning

TIMEOUT_S = 10.0
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def check_endpoint(role: str, settings: ModelSettings | EmbeddingSettings) -> Check:
    """Whether the endpoint of `role` (llm, judge, embeddings) answers and lists the model."""
    name, variable = f"{role} endpoint", f"CLAIMRAG_{role.upper()}__BASE_URL"
    if settings.base_url is None and settings.model is None:
        return ok(name, "none set: the local model is used")
    address = settings.base_url or OPENAI_BASE_URL
    place = shown(address)
    if place is None:
        return failed(name, f"{role}.base_url is not an http(s) address", f"correct {variable}")
    headers = {}
    if settings.api_key is not None:
        headers["Authorization"] = f"Bearer {settings.api_key.get_secret_value()}"
    loopback = urlsplit(address).hostname in _LOOPBACK
    try:
        with httpx.Client(timeout=TIMEOUT_S, trust_env=not loopback, follow_redirects=False) as client:
            answer = client.get(f"{address.rstrip('/')}/models", headers=headers)
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError, ValueError) as failure:
        # The exception's own text may quote the address with a password, or a header: its type is enough.
        reason = type(failure).__name__
        return failed(
            name, f"{place} does not answer ({reason})", f"start the server there, or correct {variable}"
        )
    return _judge_answer(name, place, settings.model or "", answer, variable)


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
    if urlsplit(settings.base_url or OPENAI_BASE_URL).hostname in _LOOPBACK:
        return ok(name, "none set; the endpoint is on this machine")
    also = " (or OPENAI_API_KEY)" if role == "llm" else ""
    return warning(
        name,
        "none set, and the endpoint is not on this machine",
        f"set CLAIMRAG_{role.upper()}__API_KEY{also}, unless the endpoint asks for none",
    )


def shown(address: str) -> str | None:
    """Scheme, host and port of an http(s) address, without user, password or query; None if it is not one."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    return f"{parts.scheme}://{parts.hostname}{f':{port}' if port else ''}"
