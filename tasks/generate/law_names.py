"""Puts the law's name where a text says "this Regulation" or "la présente loi".

A question must be understood without the law before one's eyes. Only the self-reference is replaced, and only
where the law's short title is built on the same noun; law texts in the workspace are never touched.
"""

from __future__ import annotations

import re

from claimrag.tasks.generate.languages import ByLanguage

_SELF_REFERENCE = ByLanguage(
    "names of this law",
    {
        "en": re.compile(
            r"\b(?P<this>this|the present) (?P<noun>Regulation|Directive|Decision|Law|Act|Code)\b", re.I
        ),
        "fr": re.compile(
            r"\b(?P<this>la présente|cette|le présent|ce) (?P<noun>loi|directive|décision|règlement|code|arrêté)\b",
            re.IGNORECASE,
        ),
    },
)
_ASIDE = re.compile(r"\s*\([^()]*\)\s*$")


def with_law_named(text: str, law: str, language: str) -> str:
    """`text` with each self-reference of the law replaced by the short title `law`, where that is possible."""
    title = _ASIDE.sub("", law).strip()

    def named(match: re.Match[str]) -> str:
        noun = match["noun"].casefold()
        words = title.casefold().split()
        if noun not in words:
            return match.group()
        article = _article(match["this"], language)
        if language == "fr":
            name = title[:1].lower() + title[1:] if words[0] == noun else title
            phrase = f"{article} {name}" if words[0] == noun else match.group()
        else:
            # "Regulation (EU) 2016/679" is a name of its own; "Data Sensor Regulation" takes an article.
            phrase = title if words[0] == noun else f"{article} {title}"
        return phrase[:1].upper() + phrase[1:] if match.group()[:1].isupper() else phrase

    return _SELF_REFERENCE[language].sub(named, text)


def _article(this: str, language: str) -> str:
    if language == "en":
        return "the"
    return "la" if this.casefold() in ("la présente", "cette") else "le"
