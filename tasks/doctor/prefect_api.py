"""The Prefect server, over its own health address; nothing of Prefect is imported."""

from __future__ import annotations

import httpx

from claimrag.tasks.doctor.check import Check, failed, ok
from claimrag.tasks.doctor.endpoints import shown

TIMEOUT_S = 5.0
NAME = "prefect server"


def check_prefect(api_url: str | None) -> Check:
    """Whether the server at `api_url` answers; without one, a temporary server is started per command."""
    if not api_url:
        return ok(NAME, "none: an ephemeral one will be used")
    place = shown(api_url)
    remedy = "start it (`prefect server start`), or unset PREFECT_API_URL to use a temporary one"
    if place is None:
        return failed(NAME, "PREFECT_API_URL is not an http(s) address", remedy)
    try:
        answer = httpx.get(f"{api_url.rstrip('/')}/health", timeout=TIMEOUT_S)
    except (httpx.HTTPError, httpx.InvalidURL) as failure:
        return failed(NAME, f"{place} does not answer ({type(failure).__name__})", remedy)
    if not answer.is_success:
        return failed(NAME, f"{place} answers HTTP {answer.status_code}", remedy)
    return ok(NAME, f"{place} answers")
