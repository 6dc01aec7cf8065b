"""What the catalogue says of a publisher, a law and its versions.

Facts only: identifiers, dates, languages, licence, and counts measured on the publisher's own files. How an
address is asked is in tasks/acquire; how bytes are read is in the parsers.
"""

from __future__ import annotations

import datetime
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, StringConstraints, model_validator

from claimrag.schemas.base import Noun

LawId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,79}$")]
Celex = Annotated[
    str, StringConstraints(pattern=r"^[0-9CE][0-9]{4}[A-Z]{1,2}[0-9]{4}(R?\([0-9]{2}\))?(-[0-9]{8})?$")
]
LanguageCode = Annotated[str, StringConstraints(pattern=r"^[a-z]{2}$")]
Access = Literal["cellar", "legilux", "address", "sample", "by_hand"]
UNDATED = "undated"


class Publisher(Noun):
    """Who publishes, where, and on what terms.

    `hosts` are the only hosts that bytes are taken from, redirects included. `accept` lists the media types
    asked for, best first; `language_codes` are what the publisher calls a language.
    """

    id: LawId
    name: str
    access: Access
    base_address: str | None = None
    hosts: tuple[str, ...] = ()
    schemes: tuple[Literal["http", "https"], ...] = ("https",)
    accept: tuple[str, ...] = ()
    language_codes: dict[LanguageCode, str] = Field(default_factory=dict)
    licence: str
    attribution: str

    @model_validator(mode="after")
    def _the_base_address_is_its_own(self) -> Publisher:
        if self.base_address is not None:
            parts = urlsplit(self.base_address)
            if parts.hostname not in self.hosts or parts.scheme not in self.schemes:
                raise ValueError(
                    f"base_address {self.base_address} is not on the publisher's hosts and schemes"
                )
        return self


class Expectations(Noun):
    """Counts measured on the publisher's file; absent means not measured, never zero."""

    articles: int | None = Field(None, ge=0)
    recitals: int | None = Field(None, ge=0)
    chapters: int | None = Field(None, ge=0)
    sections: int | None = Field(None, ge=0)
    annexes: int | None = Field(None, ge=0)
    paragraphs: int | None = Field(None, ge=0)
    points: int | None = Field(None, ge=0)

    def measured(self) -> dict[str, int]:
        """Counts by unit kind in the singular (`article`), as `claimrag parse --json` names them."""
        return {name.removesuffix("s").replace("annexe", "annex"): n for name, n in self if n is not None}


class LawVersion(Noun):
    """One version of a law: as adopted, or consolidated at a date.

    `address` overrides what the publisher's rule would make; `resource` is a file of the sample package.
    """

    kind: Literal["as_adopted", "consolidated"]
    date: datetime.date | None = None
    celex: Celex | None = None
    eli: str | None = None
    address: str | None = None
    resource: str | None = None
    media_type: str | None = None
    expectations: Expectations = Expectations()

    @property
    def label(self) -> str:
        """The version's date, or `undated`: what snapshots are filed under."""
        return self.date.isoformat() if self.date else UNDATED


class JsonMapping(Noun):
    """How to read a law's articles from a JSON file given by hand: names of members, dots for nesting.

    `items` leads to the list of articles (None: the document is the list); the others are relative to one
    item. `kind` is the unit kind of an item.
    """

    items: str | None = None
    kind: Literal["article", "section"] = "article"
    number: str
    heading: str | None = None
    text: str
    path: str | None = None


class CatalogueEntry(Noun):
    """One law. `versions` lists the one used by default first; `licence` and `attribution` override the
    publisher's, where the terms of one law differ."""

    id: LawId
    title: str
    short_title: str | None = None
    publisher: LawId
    celex: Celex | None = None
    eli: str | None = None
    languages: tuple[LanguageCode, ...] = Field(min_length=1)
    versions: tuple[LawVersion, ...] = Field(min_length=1)
    licence: str
    attribution: str
    json_mappings: dict[LawId, JsonMapping] = Field(default_factory=dict)
    note: str | None = None

    @model_validator(mode="after")
    def _versions_are_distinct(self) -> CatalogueEntry:
        labels = [version.label for version in self.versions]
        if len(set(labels)) != len(labels):
            raise ValueError(f"law {self.id} lists a version date twice: {', '.join(labels)}")
        return self

    @property
    def default_version(self) -> LawVersion:
        """The version taken when none is named."""
        return self.versions[0]

    def version(self, label: str) -> LawVersion | None:
        """The version with this date (`2016-05-04`), or None."""
        return next((version for version in self.versions if version.label == label), None)
