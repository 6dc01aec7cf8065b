"""The dataset card: README.md with the metadata that `datasets` and the Hub read, and computed tables.

Every number comes from tasks/release/figures.py or from the scores and counts of the source. Titles, attributions and
codes are shown literally: neither the YAML nor the Markdown can be changed by them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from claimrag.schemas.act import Act, law_of
from claimrag.schemas.claim import Label
from claimrag.schemas.question import Category, Hop, Persona
from claimrag.tasks.release.acts import acts_section, names_of_laws
from claimrag.tasks.release.citation import bibtex, title_of
from claimrag.tasks.release.example import example_section
from claimrag.tasks.release.fields import fields_section
from claimrag.tasks.release.figures import Figures, counted
from claimrag.tasks.release.front_matter import front_matter
from claimrag.tasks.release.law import versions_by_law
from claimrag.tasks.release.limits import limits_section
from claimrag.tasks.release.method import method_section
from claimrag.tasks.release.rejected import rejected_section
from claimrag.tasks.release.rows import SPLIT
from claimrag.tasks.release.scores import scores_section
from claimrag.tasks.release.staging import Staged
from claimrag.tasks.release.version import Changes
from claimrag.tasks.validate.markdown import literal, table

CARD_PATH = "README.md"
CHART_PATH = "categories.svg"
_MEANINGS = {
    "qa": "questions, answers, rationales, quotations, and how each was generated",
    "claims": "triplets from the answers, each with its relation to the law's text",
    "corpus": "articles, recitals and annexes of each version, for retrieval",
    "context_units": "what the question generator saw, cut into numbered sentences",
    "runs": "the evaluated systems: what each was, its means, their intervals, over how many",
    "answers": "what each system answered and was given, with the verdicts and scores of each question",
    "chunks": "the pieces of the law that the systems retrieved from",
    "changes": "which rows were added, removed or changed since the previous release, and why",
    "rejected": "what the stages did not keep, with the reason and the raw material",
}


@dataclass(frozen=True)
class CardFacts:
    """What a card is written from. `previous` is the version before, None for a first release."""

    version: str
    previous: str | None
    rows: Staged


def render_card(facts: CardFacts) -> str:
    """The README.md, ending in a newline."""
    rows, figures = facts.rows, facts.rows.figures
    sections = [
        _introduction(facts.version, rows.acts, figures),
        _contents(figures),
        example_section(figures.example),
        _figures_section(figures),
        rejected_section(rows.counts),
        scores_section(rows.runs),
        limits_section(figures, rows.runs),
        _changes_section(facts.previous, rows.changes, figures),
        acts_section(rows.acts, figures.holding),
        fields_section(figures),
        method_section(figures.models.label_prompts),
        _citation_section(facts),
    ]
    body = "\n\n".join(section for section in sections if section)
    return front_matter(rows.acts, figures, rows.digests) + "\n" + body + "\n"


def _introduction(version: str, acts: Sequence[Act], figures: Figures) -> str:
    laws = versions_by_law(acts)
    total = figures.total
    languages = ", ".join(literal(one.language) for one in figures.languages)
    return "\n\n".join(
        (
            f"# {literal(title_of(acts))}",
            f"A benchmark on {counted(len({law_of(act.id) for act in acts}), 'law')}: {literal(names_of_laws(acts))}.",
            f"Version {version}: {counted(total.questions, 'question')} with reference answers and exact quotations "
            f"of the law, {counted(total.claims, 'claim')} taken from the answers, in {languages}. The texts are "
            f"{counted(len(acts), 'dated version')} of {counted(len(laws), 'law')}, each language counted by "
            f"itself. {_versions_sentence(len(acts) > len(laws), figures)} Each quotation is the text of that "
            "version, character for character.",
            "```python\nfrom datasets import load_dataset\n\n"
            f'questions = load_dataset("path/or/name", "qa", split="{SPLIT}")\n```',
        )
    )


def _versions_sentence(several: bool, figures: Figures) -> str:
    """What a row says of versions; the numbers only where a law has several."""
    if not several:
        return "Each question names the version in which it holds."
    return (
        "A question that holds in several versions is one row: `versions` names them all, `act_id`, `version_date` "
        "and `evidence` are those of the newest, `in_force` says whether the newest version in this release is one "
        f"of them. {figures.in_several_versions} of the questions hold in several versions, {figures.superseded} no "
        "longer in the newest."
    )


def _contents(figures: Figures) -> str:
    lines = [(f"`{name}`", _MEANINGS[name], figures.rows[name]) for name in figures.rows]
    return "## Configurations\n\n" + table(("configuration", "rows are", "rows"), lines, numbers_from=2)


def _figures_section(figures: Figures) -> str:
    lines = (*figures.languages, figures.total)
    asked = table(
        ("language", "questions", *map(_words, (*Persona, *Category)), *(f"{hop.value}-hop" for hop in Hop)),
        [
            (literal(f.language), f.questions, *f.personas.values(), *f.categories.values(), *f.hops.values())
            for f in lines
        ],
        numbers_from=1,
    )
    claimed = table(
        ("language", "answers with claims", "claims", *map(_words, Label)),
        [(literal(f.language), f.answers_with_claims, f.claims, *f.labels.values()) for f in lines],
        numbers_from=1,
    )
    chart = f"![Questions by category and language]({CHART_PATH})"
    return f"## Figures\n\n{asked}\n\n{claimed}\n\n{chart}"


def _changes_section(previous: str | None, changes: Changes | None, figures: Figures) -> str:
    if previous is None:
        return ""
    title = f"## Changes since {previous}"
    if changes is None:
        return f"{title}\n\nThe rows of release {previous} were damaged or not at hand, so they were not compared."
    lines = [
        (f"`{name}`", each.added, each.removed, each.changed)
        for name, each in sorted(changes.configurations.items())
    ]
    notes = [f"- new column {literal(column)}" for column in changes.new_columns]
    notes += [f"- {literal(sentence)}" for sentence in changes.breaking]
    rows = "No rows changed."
    if changes.any_row:
        headings = ("configuration", "rows added", "rows removed", "rows changed")
        rows = table(headings, lines, numbers_from=1)
    parts = (title, rows, _reasons(figures), "\n".join(notes))
    return "\n\n".join(part for part in parts if part)


def _reasons(figures: Figures) -> str:
    """A table of the reasons for which rows left or changed; empty where none is known."""
    lines = [
        (f"`{name}`", f"`{reason.value}`", reason.meaning, number)
        for (name, reason), number in sorted(figures.change_reasons.items())
    ]
    headings = ("configuration", "reason", "means that", "rows removed or changed")
    return table(headings, lines, numbers_from=3) if lines else ""


def _citation_section(facts: CardFacts) -> str:
    entry = bibtex(facts.version, facts.rows.acts, facts.rows.figures)
    return f"## Citation\n\n```bibtex\n{entry}```\n\nThe same stands in `CITATION.cff`."


def _words(member: str) -> str:
    return str(member).replace("_", " ").lower()
