"""LawDetails: what a person says of a law in a file of their own, where the file does not say it."""

from __future__ import annotations

import datetime as dt

from claimrag.schemas.base import Noun


class LawDetails(Noun):
    """Title, version date, licence and language (ISO 639-1); None where nothing was given."""

    title: str | None = None
    date: dt.date | None = None
    licence: str | None = None
    language: str | None = None
