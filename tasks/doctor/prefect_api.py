"""The Prefect server, over its own health address, and the proxies before it; nothing of Prefect is imported."""

from __future__ import annotations

import os
from importlib.util import find_spec

import httpx

from claimrag.schemas.address import origin_of
from claimrag.tasks.doctor.check import Check, failed, ok

TIMEOUT_S = 5.0
NAME = "prefect server"
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


def check_prefect(api_url: str | None) -> Check:
    """Whether the server at `api_url` answers; without one, a temporary server is started per command.

    A server on this machine is asked without a proxy, as a build does.
    """
    if not api_url:
        return ok(NAME, "none: an ephemeral one will be used")
    remedy = "start it (`prefect server start`), or unset PREFECT_API_URL to use a temporary one"
    try:
        place = origin_of(api_url)
    except ValueError:
        return failed(NAME, "PREFECT_API_URL is not an http(s) address", remedy)
    try:
        with httpx.Client(timeout=TIMEOUT_S, trust_env=not place.is_loopback) as client:
            answer = client.get(f"{api_url.rstrip('/')}/health")
    except (httpx.HTTPError, httpx.InvalidURL, ImportError) as failure:
        return failed(NAME, f"{place} does not answer ({type(failure).__name__})", remedy)
    if not answer.is_success:
        return failed(NAME, f"{place} answers HTTP {answer.status_code}", remedy)
    return ok(NAME, f"{place} answers")


def check_proxies() -> Check:
    """Which proxies the environment names, by variable; a SOCKS proxy needs a package of its own."""
    variables = [
        spelling for name in PROXIES for spelling in (name.lower(), name) if os.environ.get(spelling)
    ]
    socks = [name for name in variables if os.environ[name].lower().startswith("socks")]
    if socks and find_spec("socksio") is None:
        detail = f"{socks[0]} names a SOCKS proxy, and the package socksio is not installed"
        return failed("proxies", detail, f"`pip install 'httpx[socks]'`, or unset {socks[0]}")
    if variables:
        return ok("proxies", f"{', '.join(variables)}; this machine is always reached directly")
    return ok("proxies", "none")
