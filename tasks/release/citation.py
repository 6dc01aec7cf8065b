"""How a release is cited: its title, a BibTeX entry for the card, and CITATION.cff (Citation File Format 1.2.0).

Nothing is invented: no person, no DOI, no date. The maker that is known is claimrag itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from claimrag.schemas.act import Act
from claimrag.tasks.release.acts import names_of_laws
from claimrag.tasks.release.figures import Figures, counted

CITATION_PATH = "CITATION.cff"
MAKER = "claimrag"
_OF_BIBTEX = {
    **{sign: f"\\{sign}" for sign in "#$%&_"},
    "\\": "\\textbackslash{}",
    "{": "\\textbraceleft{}",
    "}": "\\textbraceright{}",
    "`": "\\textasciigrave{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
}


def title_of(acts: Sequence[Act]) -> str:
    """The title of a release, as plain text on one line."""
    return _plain(f"Claim-level RAG benchmark on {names_of_laws(acts)}")


def abstract_of(acts: Sequence[Act], figures: Figures) -> str:
    """What a release holds, in one sentence with computed numbers."""
    total = figures.total
    languages = ", ".join(sorted({act.language for act in acts}))
    return (
        f"{counted(total.questions, 'question')} with reference answers and exact quotations of the law, and "
        f"{counted(total.claims, 'claim')} taken from the answers, in {languages}."
    )


def bibtex(version: str, acts: Sequence[Act], figures: Figures) -> str:
    """A BibTeX entry, ending in a newline."""
    fields = {
        "title": title_of(acts),
        "author": MAKER,
        "version": version,
        "howpublished": "Dataset",
        "note": abstract_of(acts, figures),
    }
    lines = [f"  {name} = {{{{{_escaped(value)}}}}}," for name, value in fields.items()]
    return "\n".join([f"@misc{{{MAKER}-{version},", *lines, "}"]) + "\n"


def citation_file(version: str, acts: Sequence[Act], figures: Figures) -> str:
    """The text of CITATION.cff."""
    citation: dict[str, Any] = {
        "cff-version": "1.2.0",
        "message": "If you use this dataset, please cite it as below, with its version.",
        "type": "dataset",
        "title": title_of(acts),
        "version": version,
        "abstract": abstract_of(acts, figures),
        "authors": [{"name": MAKER}],
        "keywords": ["law", "RAG", "benchmark", "claims"],
    }
    return yaml.safe_dump(citation, sort_keys=False, allow_unicode=True, width=100)


def _escaped(text: str) -> str:
    return "".join(_OF_BIBTEX.get(sign, sign) for sign in text)


def _plain(text: str) -> str:
    """On one line, without signs that are not seen."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
