"""Which printed lines begin an article, a division or an annex, in English, French, Dutch and German.

Works on text alone. A line inside quotation marks that opened on an earlier line begins nothing: amending
laws quote chapters of other laws.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from claimrag.legal_sources.generic.lines import Line

_NUMBER = (
    r"(?:[LRDA]\.?\s?)?(?:\d+(?:[.:/_-]\d+)*(?:[a-z]{1,2}\b)?|[IVXL]+(?:\.\d+)+|[IVXL]+\b)"
    r"(?:\s?(?:er|bis|ter|quater|quinquies|sexies|septies|octies|novies|decies)\b)?(?:\s?[A-Z]\b(?!\.?\s[a-z]))?"
)
_ARTICLE = re.compile(
    rf"""
    (?P<label>
        (?: Articles? | ARTICLES? | Arti[kc]el | Art\.? ) \s*
        (?P<number> {_NUMBER} | premier | unique | PREMIER | UNIQUE )
        (?P<stop> \s?[.:]?[°]? )                                            # Art. 5., Art. 1°
    )
    (?P<rest> (?: \s*[-–—.:]+ )? .* )                                      # – Scope
    """,
    re.VERBOSE,
)
_SECTION_SIGN = re.compile(
    rf"""
    (?P<label>
        (?: § | Section | SECTION | Sec\. ) \s*
        (?P<number> {_NUMBER} )
        (?P<stop> \s?[.:]? )                                                # § 5., Section 12:
    )
    (?P<rest> .* )
    """,
    re.VERBOSE,
)
_DIVISION = re.compile(
    r"""
    (?P<label>
        (?:
            (?: (?: Première | Deuxième | Troisième | Quatrième | First | Second | Third ) \s+ )?
            (?: Livre | Tome | Partie | Titre | Sous-titre | Chapitre | Section | Sous-section      # French
              | Book | Part | Title | Chapter | Sub-?section                                        # English
              | Boek | Deel | Titel | Hoofdstuk | Afdeling | Onderafdeling                          # Dutch
              | Buch | Teil | Kapitel | Abschnitt )                                                 # German
        )
        (?: \s+
            (?: préliminaire | premier | première | unique
              | [IVXLC]+ (?: er | re | bis | ter )?                         # II, Ier
              | \d+ (?: er | re | e | bis | ter )?                          # 2, 1re
              | [A-Z] )
        )? \b \.?
    )
    (?P<rest> \s*[-–—.:]*\s*.* )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ANNEX = re.compile(
    r"(?P<label>(?:Annexe|Annex|Appendix|Schedule|Bijlage|Anlage|Anhang)(?:\s+[A-Z0-9]{1,5})?)\b(?P<rest>.{0,200})",
    re.I,
)
_PUNCTUATION = " \t-–—.:"


class Role(StrEnum):
    """What a line begins."""

    ARTICLE = "article"
    DIVISION = "division"
    ANNEX = "annex"
    TEXT = "text"


@dataclass(frozen=True)
class Part:
    """A line with its role; `label` and `number` as printed, `rest` what follows them on the line."""

    role: Role
    line: Line
    label: str = ""
    number: str = ""
    rest: str = ""


def classify(lines: Sequence[Line]) -> list[Part]:
    """The role of each line. "Section 5" begins an article only in a text that has no "Article" lines."""
    articles = sum(_begins(_ARTICLE, line) is not None for line in lines)
    sections = sum(_begins(_SECTION_SIGN, line) is not None for line in lines)
    pattern = _SECTION_SIGN if articles < 2 <= sections else _ARTICLE
    parts: list[Part] = []
    open_quote = False
    for line in lines:
        part = Part(Role.TEXT, line) if open_quote else _classify(line, pattern)
        parts.append(part)
        open_quote = _quote_open_after(line.text, open_quote)
    return parts


def _classify(line: Line, article: re.Pattern[str]) -> Part:
    match = _begins(article, line)
    if match is not None:
        rest = match["rest"].strip(_PUNCTUATION)
        return Part(Role.ARTICLE, line, match["label"].strip(), match["number"].strip(), rest)
    match = _DIVISION.fullmatch(line.text)
    if match is not None and len(line.text) < 300 and (line.level or _looks_titled(match)):
        return Part(Role.DIVISION, line, match["label"].strip(), "", match["rest"].strip(_PUNCTUATION))
    match = _ANNEX.fullmatch(line.text)
    if match is not None and (line.level or len(line.text) < 60) and not line.text.endswith((";", ",")):
        return Part(Role.ANNEX, line, match["label"].strip(), "", match["rest"].strip(_PUNCTUATION))
    return Part(Role.TEXT, line)


def _begins(pattern: re.Pattern[str], line: Line) -> re.Match[str] | None:
    """A heading on its own line, or a label with a stop; "Article 5 of Directive..." is running text."""
    match = pattern.fullmatch(line.text)
    if match is None:
        return None
    rest = match["rest"].strip()
    if not rest or line.level or line.anchors or match["stop"].strip():
        return match
    return match if re.match(r"[-–—(]|[A-ZÀ-Ý«“\"]", rest) and len(line.text) < 200 else None


def _looks_titled(match: re.Match[str]) -> bool:
    """A division stands alone, in capitals, or its title follows a dash or stop and begins with a capital."""
    label, rest = match["label"], match["rest"]
    if " " not in label.strip(". "):
        return False
    if not rest.strip(_PUNCTUATION):
        return True
    title = rest.strip(_PUNCTUATION)
    return (title[0].isupper() or title[0] in "(«[") and (
        rest.lstrip() != title or label.endswith(".") or label.isupper()
    )


def _quote_open_after(text: str, was_open: bool) -> bool:
    """Whether a quotation goes on after this line; only one that begins the line and is not closed opens."""
    if was_open:
        return not re.search(r"[”»\"’]\s*[.;,]?\s*$", text)
    if text[:1] in '“«"‘„':
        closing = {"“": "”", "«": "»", '"': '"', "‘": "’", "„": "“"}[text[0]]
        return closing not in text[1:]
    return False
