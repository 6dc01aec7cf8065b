"""The laws of a release by name, and the card's section on their versions, with how many questions hold in each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from claimrag.schemas.act import Act, law_of
from claimrag.schemas.base import ActId, LawId
from claimrag.tasks.release.law import versions_by_law
from claimrag.tasks.validate.markdown import literal, table

_TITLE_LENGTH = 160
_NAME_LENGTH = 80
_MOST_NAMES = 3
_HEADINGS = ("act", "number", "language", "version", "questions", "licence", "attribution", "source")


def names_of_laws(acts: Sequence[Act]) -> str:
    """The laws by name and number, as plain text on one line: all where they are few, else some and how many more."""
    newest: dict[LawId, Act] = {}
    for versions in versions_by_law(acts):
        newest.setdefault(law_of(versions[0].id), versions[0])
    names = [
        f"{_shortened(act.short_title or act.title, _NAME_LENGTH)} ({_number(act)})"
        for act in newest.values()
    ]
    shown, more = names[:_MOST_NAMES], len(names) - _MOST_NAMES
    if more > 0:
        return f"{', '.join(shown)} and {more} more"
    return " and ".join(part for part in (", ".join(shown[:-1]), shown[-1]) if part)


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
    state = "consolidated" if act.consolidated else "as adopted"
    newest = ", the newest here" if is_newest_of_several else ""
    return (
        literal(_shortened(act.title, _TITLE_LENGTH)),
        literal(_number(act)),
        literal(act.language),
        f"{act.version_date.isoformat()}, {state}{newest}",
        str(questions),
        literal(act.licence),
        literal(act.attribution),
        _source(act),
    )


def _shortened(title: str, length: int) -> str:
    return title if len(title) <= length else title[: length - 1] + "…"


def _number(act: Act) -> str:
    return act.celex or act.eli or act.work


def _source(act: Act) -> str:
    """The address only when it is a plain web address; anything else is shown as text."""
    address = act.source_address
    if address is None:
        return f"SHA-256 {act.raw_sha256[:12]}"
    plain = address.startswith(("https://", "http://")) and not set(address) & set(" \t\r\n<>|\\`\"'")
    return f"<{address}>" if plain and address.isascii() else literal(address)
