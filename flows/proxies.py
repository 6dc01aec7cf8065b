"""Proxies of the environment: this machine is never reached through one, and a SOCKS proxy needs its package.

Prefect's client, its event stream and the model client all read the same variables, so they are set once, before
anything that reads them is imported. Nothing here asks the network.
"""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from importlib.util import find_spec

from claimrag.schemas.errors import MissingDependencyError

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_PROXIES = ("ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY")
_EXCEPTIONS = ("no_proxy", "NO_PROXY")


def reach_loopback_directly(environment: MutableMapping[str, str] = os.environ) -> None:
    """Add this machine's addresses to NO_PROXY and no_proxy, for this process and those it starts.

    Both get what either held: a program that reads one of them must not lose what stands in the other.
    """
    listed = [
        host.strip() for name in _EXCEPTIONS for host in environment.get(name, "").split(",") if host.strip()
    ]
    merged = ",".join(dict.fromkeys((*listed, *LOOPBACK)))
    for name in _EXCEPTIONS:
        environment[name] = merged


def socks_variable(environment: MutableMapping[str, str] = os.environ) -> str | None:
    """The variable that names a SOCKS proxy which cannot be used here; None where nothing stands in the way."""
    if find_spec("socksio") is not None:
        return None
    for name in _PROXIES:
        for spelling in (name.lower(), name):
            if environment.get(spelling, "").lower().startswith("socks"):
                return spelling
    return None


def refuse_unusable_proxies() -> None:
    """Raise MissingDependencyError for a SOCKS proxy without the package that speaks to it."""
    variable = socks_variable()
    if variable is not None:
        raise MissingDependencyError(socks_sentence(variable))


def socks_sentence(variable: str) -> str:
    """What to do about a SOCKS proxy that cannot be used."""
    return (
        f"{variable} names a SOCKS proxy, which needs a package that is not installed: "
        f"`pip install 'httpx[socks]'`, give an http:// proxy, or unset {variable}"
    )
