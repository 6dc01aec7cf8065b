"""The card's section on the acts: which versions there are, how many questions hold in each, and their licences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from claimrag.schemas.act import Act
from claimrag.schemas.base import ActId
from claimrag.tasks.release.law import versions_by_law
from claimrag.tasks.validate.markdown import literal, table

_TITLE_LENGTH = 160
_HEADINGS = ("act", "number", "language", "version", "questions", "licence", "attribution", "source")


def acts_section(acts: Sequence[Act], holding: Mapping[ActId, int]) -> str:
    """One line per act, by law and language, the newest version first."""
    lines = [
        _line(act, holding.get(act.id, 0), is_newest_of_several=len(versions) > 1 and act is versions[0])
        for versions in versions_by_law(acts)
        for act in versions
    ]
    return (
        "## Licence and attribution\n\nThe texts of the acts, and the quotations of them, keep the licence of "
        "their publisher. Name the attribution when you use them. `questions` counts those that hold in the "
        "version.\n\n" + table(_HEADINGS, lines)
    )


def _line(act: Act, questions: int, *, is_newest_of_several: bool) -> tuple[str, ...]:
    title = act.title if len(act.title) <= _TITLE_LENGTH else act.title[: _TITLE_LENGTH - 1] + "…"
    state = "consolidated" if act.consolidated else "as adopted"
    newest = ", the newest here" if is_newest_of_several else ""
    return (
        literal(title),
        literal(act.celex or act.eli or act.work),
        literal(act.language),
        f"{act.version_date.isoformat()}, {state}{newest}",
        str(questions),
        literal(act.licence),
        literal(act.attribution),
        _source(act),
    )


def _source(act: Act) -> str:
    """The address only when it is a plain web address; anything else is shown as text."""
    address = act.source_address
    if address is None:
        return f"SHA-256 {act.raw_sha256[:12]}"
    plain = address.startswith(("https://", "http://")) and not set(address) & set(" \t\r\n<>|\\`\"'")
    return f"<{address}>" if plain and address.isascii() else literal(address)
