"""The catalogue of laws: one YAML file per publisher, one entry per law.

`load_catalogue()` reads and checks all of it; `Catalogue.find` turns an id, CELEX, ELI or publisher address
into an entry and, where one was named, a version. Adding a law is adding an entry; no code changes.
"""

from claimrag.legal_sources.catalogue.entries import (
    CatalogueEntry,
    Expectations,
    JsonMapping,
    LawVersion,
    Publisher,
)
from claimrag.legal_sources.catalogue.loader import Catalogue, Match, load_catalogue

__all__ = [
    "Catalogue",
    "CatalogueEntry",
    "Expectations",
    "JsonMapping",
    "LawVersion",
    "Match",
    "Publisher",
    "load_catalogue",
]
