"""LawCheckRequest and ChangedLaw: which laws `acquire-laws` asks about, and what it says of one that changed."""

from __future__ import annotations

from pydantic import Field

from claimrag.schemas.base import ActId, Noun


class LawCheckRequest(Noun):
    """Which laws to ask their publisher about.

    Without `laws`: every law of the catalogue, of that `publisher`, that the workspace holds.
    """

    publisher: str | None = Field(
        None, description="A publisher of the catalogue, as in eu or lu; none: every publisher"
    )
    laws: tuple[str, ...] = Field(
        (), description="Catalogue ids, CELEX or ELI numbers; none: the laws that the workspace holds"
    )
    workspace: str | None = Field(
        None, description="Folder or address of the workspace; none: that of the worker's settings"
    )


class ChangedLaw(Noun):
    """A law whose text differs from the snapshot before, in one language or several.

    `name` is the CELEX or ELI that means this version, or the law's id where there is none. `acts` are the language
    versions that changed, as they are now; `compared_with` says what each was compared with; `articles` counts
    those added, changed and removed in all of them.
    """

    law: str
    name: str
    publisher: str
    version: str
    languages: tuple[str, ...]
    acts: tuple[ActId, ...]
    compared_with: tuple[str, ...]
    articles: int

    @property
    def sentence(self) -> str:
        """For a log."""
        counted = "1 article differs" if self.articles == 1 else f"{self.articles} articles differ"
        languages = ", ".join(self.languages)
        return f"{self.law} {self.version} ({languages}): {counted} from {', '.join(self.compared_with)}"
