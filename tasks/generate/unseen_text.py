"""Finds where a question points at a text that its reader does not see: "this Article", "the text above".

A question must be understood without the law before one's eyes. An article that is named by its number may be
named. Rules for English and French that err on the side of finding something.
"""

from __future__ import annotations

import re

from claimrag.tasks.generate.languages import ByLanguage
from claimrag.tasks.generate.patterns import any_of, words

_TEXTS_EN = (
    r"articles?|provisions?|texts?|passages?|paragraphs?|contexts?|sections?|sentences?|excerpts?|"
    r"regulations?|laws?|acts?|directives?|codes?|statements?|rules?"
)
_TEXTS_FR = (
    r"articles?|dispositions?|textes?|passages?|paragraphes?|contextes?|sections?|phrases?|extraits?|"
    r"règlements?|lois?|directives?|codes?|alinéas?|règles?"
)
POINTERS = ByLanguage(
    "words that point at an unseen text",
    {
        "en": any_of(
            before="",
            after="",
            this_text=r"\b(?:this|these|that|the "
            rf"(?:{words('above given provided following cited present aforementioned said')}))\s+(?:{_TEXTS_EN})\b",
            # "the provision of Article 3" and "the sentence 2 of Article 3" name what they mean.
            the_text=r"\bthe (?:provisions?|texts?|passages?|paragraphs?|contexts?|excerpts?|sentences?)\b"
            r"(?!\s+(?:\d|of))",
            the_article=r"\bthe article\b(?!\s+\d)",
            above=r"\b(?:mentioned|described|stated|listed|provided|referred to) (?:above|below)\b",
            according_to=r"\baccording to (?:sentence|paragraph|point)\b",
            number_shown=r"\bsentences? \[?\d|\[\d",
        ),
        "fr": any_of(
            before="",
            after="",
            this_text=rf"\b(?:cet|cette|ces|ce)\s+(?:{_TEXTS_FR})\b",
            present=r"\b(?:la présente|le présent|les présentes|les présents)\b",
            # "la disposition de l'article 3" and "le texte légal" name what they mean.
            the_text=r"\b(?:la disposition|les dispositions|le texte|le passage|le paragraphe|le contexte|"
            r"l['’]extrait|la phrase|l['’]alinéa)\b(?!\s+(?:\d|de|du|des|d['’]|légal))",
            the_article=r"\bl['’]article\b(?!\s+(?:\d|premier|[LR]\.))",
            above=r"\bci-(?:dessus|dessous|après|avant)\b",
            number_shown=r"\bphrases? \[?\d|\[\d",
        ),
    },
)
PART_OF_AN_ARTICLE = ByLanguage(
    "parts of an article",
    {
        "en": any_of(
            after="", part=r"(?:paragraphs?|subparagraphs?|points?) \(?[\da-z]{1,2}\b\)?(?!\)? of Article)"
        ),
        "fr": any_of(
            before="",
            after="",
            # Not "article 3 paragraphe 2" and "article 12, paragraphe 2", which say of what.
            part=r"(?<!article \d)(?<!article \d\d)(?<!article \d,)(?<!article \d\d,) "
            r"(?:paragraphes?|alinéas?|points?) \(?\d+(?:er)?\)?(?! de l['’]article)",
        ),
    },
)
"""A paragraph or point by its number, without the article that it is of."""


def words_pointing_at_unseen_text(question: str, language: str) -> str | None:
    """The words by which a question points at a text that its reader does not see; None where it does not."""
    match: re.Match[str] | None = POINTERS[language].search(question)
    match = match or PART_OF_AN_ARTICLE[language].search(question)
    return match.group().strip() if match else None
