from __future__ import annotations

import pytest

from claimrag.legal_sources.catalogue import load_catalogue
from claimrag.schemas.settings import AcquireSettings
from claimrag.tasks.acquire.addresses import Bounds, host_of, target_of
from claimrag.tasks.acquire.errors import ForeignRedirectError


@pytest.mark.parametrize(
    ("name", "version", "language", "address"),
    [
        ("gdpr", "2016-04-27", "en", "http://publications.europa.eu/resource/celex/32016R0679"),
        ("gdpr", "2016-05-04", "fr", "http://publications.europa.eu/resource/celex/02016R0679-20160504"),
        (
            "code-civil",
            "2025-12-26",
            "fr",
            "http://data.legilux.public.lu/filestore/eli/etat/leg/code/civil/20251226/fr/xml/"
            "eli-etat-leg-code-civil-20251226-fr-xml.xml",
        ),
        (
            "eli/etat/leg/loi/2024/05/22/a199/jo",
            "undated",
            "fr",
            "http://data.legilux.public.lu/filestore/eli/etat/leg/loi/2024/05/22/a199/jo/fr/xml/"
            "eli-etat-leg-loi-2024-05-22-a199-jo-fr-xml.xml",
        ),
        (
            "32016R0679R(02)",
            "undated",
            "en",
            "http://publications.europa.eu/resource/celex/32016R0679R(02)",
        ),
    ],
)
def test_every_way_of_serving_has_its_address(name: str, version: str, language: str, address: str) -> None:
    catalogue = load_catalogue()
    entry = catalogue.resolve(name)
    chosen = entry.version(version)
    assert chosen is not None
    target = target_of(entry, chosen, language, catalogue.publisher(entry), AcquireSettings())
    assert target.address == address
    target.bounds.check(target.address)


def test_a_host_is_compared_with_its_port_and_without_its_case() -> None:
    assert host_of("HTTP://Example.ORG:80/x") == "example.org"
    assert host_of("https://example.org:8443/x") == "example.org:8443"
    bounds = Bounds(frozenset({"example.org"}), frozenset({"https"}))
    bounds.check("https://EXAMPLE.org:443/law")
    for foreign in (
        "http://example.org/law",
        "https://example.org.evil.example/law",
        "https://example.org:8443/law",
        "https://example.org@evil.example/law",
        "https://user@example.org/law",
        "//example.org/law",
    ):
        with pytest.raises(ForeignRedirectError):
            bounds.check(foreign)
