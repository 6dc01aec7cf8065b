"""Addresses of model endpoints: checked once, compared by origin, shown without what is secret in them.

An address may hold a user and a password; no message and no file may. `origin_of` names scheme, host and port,
which is all that is ever shown, and what decides whether a key belongs to an endpoint.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import SplitResult, unquote, urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}
_EXAMPLE = "give one such as http://127.0.0.1:8000/v1"


@dataclass(frozen=True)
class Origin:
    """Scheme, host and port; `str()` of it is what people are shown, without a port that goes without saying."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}"

    @property
    def is_loopback(self) -> bool:
        """Whether it is on this machine; such traffic never goes through a proxy."""
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return True
        try:
            address = ipaddress.ip_address(self.host)
        except ValueError:
            return False
        return address.is_loopback or address.is_unspecified


def origin_of(address: str) -> Origin:
    """The origin of an http(s) address; raises ValueError that says what is wrong and never quotes it."""
    parts = _split(address)
    if parts.scheme not in _DEFAULT_PORTS:
        raise ValueError(f"must be an http(s) address; {_EXAMPLE}")
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ValueError(f"its port is not a number from 1 to 65535; {_EXAMPLE}") from None
    if not host or not _is_host(host):
        raise ValueError(f"must be an http(s) address with a host; {_EXAMPLE}")
    if port == 0:
        raise ValueError(f"its port is not a number from 1 to 65535; {_EXAMPLE}")
    return Origin(parts.scheme, host, port or _DEFAULT_PORTS[parts.scheme])


def secrets_in(address: str) -> tuple[str, ...]:
    """The password in an address, as written and decoded; nothing where there is none."""
    try:
        password = urlsplit(address).password
    except ValueError:
        return ()
    return tuple(dict.fromkeys((password, unquote(password)))) if password else ()


def _split(address: str) -> SplitResult:
    if any(character.isspace() or not character.isprintable() for character in address):
        raise ValueError(f"holds white space or a control character; {_EXAMPLE}")
    try:
        return urlsplit(address)
    except ValueError:
        raise ValueError(f"has brackets that are not those of an IPv6 address; {_EXAMPLE}") from None


def _is_host(host: str) -> bool:
    try:
        host.encode("idna")
    except UnicodeError:
        return ":" in host  # an IPv6 address is no domain name
    return True
