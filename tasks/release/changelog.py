"""CHANGELOG.md of a release folder: in words what each release brought, the newest first.

The sections of earlier releases are those of the previous release's own file, letter for letter. Every number is one
that the card states too; which rows they are stands in the configuration `changes`.
"""

from __future__ import annotations

from claimrag.schemas.release import ChangeReason
from claimrag.tasks.release.acts import names_of_laws
from claimrag.tasks.release.card import CardFacts
from claimrag.tasks.release.figures import Figures, counted
from claimrag.tasks.release.version import Changes, why_version
from claimrag.tasks.validate.markdown import literal

CHANGELOG_PATH = "CHANGELOG.md"
_TITLE = "# Changelog\n\n"


def render_changelog(facts: CardFacts, earlier: str | None) -> str:
    """The CHANGELOG.md, ending in a newline; `earlier` is the previous release's, None where it is not at hand."""
    changes = facts.rows.changes
    sections = [
        f"## {facts.version}",
        why_version(facts.version, facts.previous, changes),
        f"Laws: {literal(names_of_laws(facts.rows.acts))}.",
        "\n".join(f"- {line}" for line in _lines(facts, changes)),
    ]
    if earlier is not None:
        sections.append(earlier.removeprefix(_TITLE).strip())
    elif facts.previous is not None:
        sections.append(f"The changelog of {facts.previous} was damaged or not at hand.")
    return _TITLE + "\n\n".join(sections) + "\n"


def _lines(facts: CardFacts, changes: Changes | None) -> list[str]:
    if changes is None:
        return [f"`{name}`: {counted(rows, 'row')}" for name, rows in facts.rows.figures.rows.items()]
    lines = [
        f"`{name}`: {counted(each.added, 'row')} added, {each.removed} removed, {each.changed} changed"
        + _reasons(name, facts.rows.figures)
        for name, each in changes.configurations.items()
        if each.any
    ]
    lines += [f"new column {literal(column)}" for column in changes.new_columns]
    lines += [literal(sentence) for sentence in changes.breaking]
    return lines or ["no row differs from those of " + str(facts.previous)]


def _reasons(name: str, figures: Figures) -> str:
    """How many rows of a configuration left or changed for which reason; empty where none is known."""
    found = [(reason, figures.change_reasons[name, reason]) for reason in ChangeReason]
    known = [f"{number} `{reason.value}`: {reason.meaning}" for reason, number in found if number]
    return f" ({'; '.join(known)})" if known else ""
