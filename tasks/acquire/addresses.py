"""Where a version of a law is asked for: one rule per publisher's way of serving, and the hosts it may use.

`acquire.base_addresses` (by publisher id) replaces a publisher's base address and, with it, its hosts: that
is how a mirror, or a test's own server, stands in for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from claimrag.legal_sources.catalogue import CatalogueEntry, LawVersion, Publisher
from claimrag.schemas.settings import AcquireSettings
from claimrag.tasks.acquire.errors import AcquireError, ForeignRedirectError

_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Bounds:
    """The hosts (with port, where it is not the scheme's own) and schemes that bytes may come from."""

    hosts: frozenset[str]
    schemes: frozenset[str]

    def check(self, address: str) -> None:
        """Raises ForeignRedirectError for an address outside the bounds, or with a user name in it."""
        parts = urlsplit(address)
        if (
            parts.scheme not in self.schemes
            or host_of(address) not in self.hosts
            or parts.username is not None
        ):
            allowed = ", ".join(sorted(self.hosts))
            raise ForeignRedirectError(
                f"{parts.scheme}://{host_of(address)} is not the publisher's: only {allowed} "
                f"({' or '.join(sorted(self.schemes))}) is allowed. If the publisher moved, set its "
                "address in acquire.base_addresses, or give the file with --from"
            )


@dataclass(frozen=True)
class Target:
    """What to ask, and within which bounds. `accepts` are asked one after the other, best first."""

    address: str
    accepts: tuple[str, ...]
    accept_language: str | None
    bounds: Bounds


def host_of(address: str) -> str:
    """The host in lower case, with its port unless it is the scheme's own."""
    parts = urlsplit(address)
    host = (parts.hostname or "").lower()
    return host if parts.port in (None, _DEFAULT_PORTS.get(parts.scheme)) else f"{host}:{parts.port}"


def target_of(
    entry: CatalogueEntry, version: LawVersion, language: str, publisher: Publisher, settings: AcquireSettings
) -> Target:
    """How this version is asked for; raises AcquireError where a law can only be given by hand."""
    override = settings.base_addresses.get(publisher.id)
    base = (override or publisher.base_address or "").rstrip("/")
    path = _path(entry, version, language, publisher)
    if path is None or not base:
        raise AcquireError(
            f"{entry.id} ({version.label}, {language}) has no address to fetch: give it with --from FILE"
        )
    if override:
        bounds = Bounds(frozenset({host_of(base)}), frozenset({urlsplit(base).scheme}))
    else:
        bounds = Bounds(frozenset(publisher.hosts), frozenset(publisher.schemes))
    accepts = (version.media_type,) if version.media_type else publisher.accept
    code = publisher.language_codes.get(language, language)
    negotiated = code if publisher.access == "cellar" else None
    return Target(f"{base}{path}", accepts, negotiated, bounds)


def _path(entry: CatalogueEntry, version: LawVersion, language: str, publisher: Publisher) -> str | None:
    if version.address is not None:
        parts = urlsplit(version.address)
        return parts.path + (f"?{parts.query}" if parts.query else "")
    if publisher.access == "cellar":
        celex = version.celex or (entry.celex if version.kind == "as_adopted" else None)
        return f"/resource/celex/{quote(celex, safe='()-')}" if celex else None
    if publisher.access == "legilux":
        eli = version.eli or entry.eli
        return _legilux_file(eli, language) if eli else None
    return None


def _legilux_file(eli: str, language: str) -> str:
    """The file store's rule: ELI, language and format, then the same with hyphens as the file name."""
    path = urlsplit(eli).path.strip("/") if "//" in eli else eli.strip("/")
    folder = f"{path}/{language}/xml"
    return f"/filestore/{folder}/{folder.replace('/', '-')}.xml"
