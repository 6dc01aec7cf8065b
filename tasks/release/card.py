"""The dataset card: README.md with the metadata that `datasets` and the Hub read, and computed tables.

Every number comes from tasks/release/figures.py or from the scores and counts that were passed in. Titles,
attributions and codes are shown literally: neither the YAML nor the Markdown can be changed by them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from claimrag.schemas.act import Act
from claimrag.schemas.arrow import arrow_schema
from claimrag.schemas.claim import Label
from claimrag.schemas.question import Category, Hop, Persona
from claimrag.tasks.release.content import ReleaseContent, Rows
from claimrag.tasks.release.figures import LanguageFigures, language_figures
from claimrag.tasks.release.front_matter import front_matter
from claimrag.tasks.release.limits import limits_section
from claimrag.tasks.release.rows import CONFIGURATIONS, SPLIT
from claimrag.tasks.release.scores import scores_section
from claimrag.tasks.release.version import Changes
from claimrag.tasks.validate.markdown import literal, table

CHART_PATH = "categories.svg"
_TITLE_LENGTH = 160


@dataclass(frozen=True)
class CardFacts:
    """What a card is written from. `changes` is None where there is nothing to compare with."""

    version: str
    previous: str | None
    content: ReleaseContent
    rows: Rows
    changes: Changes | None


def render_card(facts: CardFacts) -> str:
    """The whole README.md, ending in a newline."""
    figures = language_figures(facts.rows)
    sections = [
        _introduction(facts, figures),
        _contents(facts.rows),
        _figures_section(figures),
        _rejected_section(facts.content),
        scores_section(facts.content.runs),
        limits_section(facts.content, facts.rows),
        _changes_section(facts),
        _acts_section(facts.content.acts),
        _fields_section(),
        _sources_section(),
    ]
    body = "\n\n".join(section for section in sections if section)
    return front_matter(facts.content.acts, facts.rows) + "\n" + body + "\n"


def _introduction(facts: CardFacts, figures: Sequence[LanguageFigures]) -> str:
    total = figures[-1]
    languages = ", ".join(one.language for one in figures[:-1])
    return "\n\n".join(
        (
            f"# Claim-level RAG benchmark on {_counted(len(facts.content.acts), 'act')} of law",
            f"Version {facts.version}: {_counted(total.questions, 'question')} with reference answers and exact "
            f"quotations of the law, {_counted(total.claims, 'claim')} taken from the answers, in {languages}. "
            "Each question is bound to one dated version of one act; each quotation is that act's text, "
            "character for character.",
            "```python\nfrom datasets import load_dataset\n\n"
            f'questions = load_dataset("path/or/name", "qa", split="{SPLIT}")\n```',
        )
    )


def _contents(rows: Rows) -> str:
    said = {
        "qa": "questions, answers, rationales, quotations, and how each was generated",
        "claims": "triplets from the answers, each with its relation to the law's text",
        "corpus": "articles, recitals and annexes, for retrieval",
        "context_units": "what the question generator saw, cut into numbered sentences",
    }
    lines = [(f"`{name}`", said[name], len(rows[name])) for name in CONFIGURATIONS]
    return "## Configurations\n\n" + table(("configuration", "rows are", "rows"), lines, numbers_from=2)


def _figures_section(figures: Sequence[LanguageFigures]) -> str:
    asked = table(
        ("language", "questions", *map(_words, (*Persona, *Category)), *(f"{hop.value}-hop" for hop in Hop)),
        [
            (f.language, f.questions, *f.personas.values(), *f.categories.values(), *f.hops.values())
            for f in figures
        ],
        numbers_from=1,
    )
    claimed = table(
        ("language", "answers with claims", "claims", *map(_words, Label)),
        [(f.language, f.answers_with_claims, f.claims, *f.labels.values()) for f in figures],
        numbers_from=1,
    )
    chart = f"![Questions by category and language]({CHART_PATH})"
    return f"## Figures\n\n{asked}\n\n{claimed}\n\n{chart}"


def _rejected_section(content: ReleaseContent) -> str:
    if not content.counts:
        return ""
    lines = []
    for stage, counts in sorted(content.counts.items()):
        by_reason = sorted(counts.rejected.items(), key=lambda item: (-item[1], item[0]))
        reasons = ", ".join(f"{literal(reason)} {number}" for reason, number in by_reason) or "-"
        rejected = sum(counts.rejected.values())
        lines.append((literal(stage), reasons, counts.considered, counts.kept, rejected))
    headings = ("stage", "rejected by reason", "considered", "kept", "rejected")
    return (
        "## What was rejected\n\nEvery stage counts what it considered, and keeps what it rejected with the "
        "reason and the raw material.\n\n" + table(headings, lines, numbers_from=2)
    )


def _changes_section(facts: CardFacts) -> str:
    if facts.previous is None:
        return ""
    title = f"## Changes since {facts.previous}"
    if facts.changes is None:
        return f"{title}\n\nRelease {facts.previous} was not at hand, so its rows were not compared."
    lines = [
        (f"`{name}`", each.added, each.removed, each.changed)
        for name, each in sorted(facts.changes.configurations.items())
    ]
    notes = [f"- new column {literal(column)}" for column in facts.changes.new_columns]
    notes += [f"- {literal(sentence)}" for sentence in facts.changes.breaking]
    rows = table(("configuration", "rows added", "rows removed", "rows changed"), lines, numbers_from=1)
    return "\n\n".join(part for part in (title, rows, "\n".join(notes)) if part)


def _acts_section(acts: Sequence[Act]) -> str:
    lines = []
    for act in sorted(acts, key=lambda one: one.id):
        title = act.title if len(act.title) <= _TITLE_LENGTH else act.title[: _TITLE_LENGTH - 1] + "…"
        number = act.celex or act.eli or act.work
        state = "consolidated" if act.consolidated else "as adopted"
        lines.append(
            (
                literal(title),
                literal(number),
                literal(act.language),
                f"{act.version_date.isoformat()}, {state}",
                literal(act.licence),
                literal(act.attribution),
                _source(act),
            )
        )
    headings = ("act", "number", "language", "version", "licence", "attribution", "source")
    return (
        "## Licence and attribution\n\nThe texts of the acts, and the quotations of them, keep the licence of "
        "their publisher. Name the attribution when you use them.\n\n" + table(headings, lines)
    )


def _source(act: Act) -> str:
    """The address only when it is a plain web address; anything else is shown as text."""
    address = act.source_address
    if address is None:
        return f"SHA-256 {act.raw_sha256[:12]}"
    plain = address.startswith(("https://", "http://")) and not set(address) & set(" \t\r\n<>|\\`\"'")
    return f"<{address}>" if plain and address.isascii() else literal(address)


def _fields_section() -> str:
    parts = ["## Fields", "Offsets count characters of the act's canonical text; `end` is exclusive."]
    for name, model in CONFIGURATIONS.items():
        schema = arrow_schema(model)
        fields = ", ".join(f"`{field.name}` {_type_name(field.type)}" for field in schema)
        parts.append(f"**{name}**: {fields}")
    return "\n\n".join(parts)


def _type_name(data_type: object) -> str:
    """`list of struct` rather than the long spelling of nested types."""
    text = str(data_type)
    if text.startswith("list<"):
        return "list of structs" if "struct<" in text else "list of strings"
    return {"date32[day]": "date", "int64": "integer", "double": "number"}.get(text, text)


def _sources_section() -> str:
    return (
        "## Method\n\nCategories, personas and temperatures follow ClaimRAG-LAW (arXiv 2605.21071). Claims and "
        "their labels follow RefChecker, scores follow RAGChecker. Made with claimrag."
    )


def _words(member: str) -> str:
    return str(member).replace("_", " ").lower()


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
