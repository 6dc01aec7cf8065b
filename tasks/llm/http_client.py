"""The HTTP client under the `openai` client: the lean transport, or the stock one behind a proxy.

A proxy set for the outside world never catches traffic to this machine; everything else follows the environment
(`HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`). docs/decisions/gateway.md has the figures for two transports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.request import getproxies, proxy_bypass

from claimrag.schemas.address import Origin, origin_of
from claimrag.schemas.errors import SettingsError

if TYPE_CHECKING:
    from httpx2 import AsyncClient

_KEEPALIVE_S = 30.0


def open_http_client(base_url: str, max_in_flight: int) -> AsyncClient:
    """A client for one endpoint; raises SettingsError where the proxy in the environment cannot be used."""
    import httpx2

    from claimrag.tasks.llm.transport import LeanTransport

    proxied = goes_through_proxy(origin_of(base_url))
    limits = httpx2.Limits(
        max_connections=max_in_flight,
        max_keepalive_connections=max_in_flight,
        keepalive_expiry=_KEEPALIVE_S,
    )
    transport = None if proxied else LeanTransport(base_url, keepalive_s=_KEEPALIVE_S)
    # Compressed replies would save nothing, and could unpack to any size.
    headers = {"Accept-Encoding": "identity"}
    try:
        return httpx2.AsyncClient(transport=transport, limits=limits, headers=headers, trust_env=proxied)
    except (ImportError, ValueError, httpx2.InvalidURL) as error:
        raise SettingsError(proxy_sentence(error)) from None


def goes_through_proxy(origin: Origin) -> bool:
    """Whether the environment puts a proxy before `origin`."""
    proxies = getproxies()
    if origin.is_loopback or not (origin.scheme in proxies or "all" in proxies):
        return False
    return not proxy_bypass(origin.host)


def proxy_sentence(error: Exception) -> str:
    """What is wrong with the proxy in the environment, and what to do; without its address, which may hold a
    password."""
    names = "HTTP_PROXY, HTTPS_PROXY or ALL_PROXY"
    if isinstance(error, ImportError):
        return (
            f"{names} names a SOCKS proxy, which needs one more package: install socksio, name an HTTP proxy "
            "instead, or unset the variable; NO_PROXY leaves single hosts out"
        )
    return f"{names} is not the address of a proxy: correct or unset it; NO_PROXY leaves single hosts out"
