"""Marks by which a statement is recognised: time and place, named bodies, norms, conditions, pointers elsewhere.

Regular expressions for English and French; they choose what to ask about and judge nothing. Each is built from
named parts, and tests/tasks/generate/test_legal_marks.py shows an example of every part.
"""

from __future__ import annotations

import re

from claimrag.tasks.generate.languages import ByLanguage
from claimrag.tasks.generate.patterns import any_of, words

TIME_OR_PLACE = ByLanguage(
    "marks of time and place",
    {
        "en": any_of(
            entry_into_force=r"enter(?:s|ed)? into force|entry into force",
            application_from=r"shall apply (?:from|until|as from|as of)|appl(?:y|ies) from|with effect from|as from",
            date=r"(?:from|until|since|after|before) \d{1,2} [A-Z][a-z]+ \d{4}",
            scope=r"applies (?:to|in) (?:every|any|all|the)",
            territory=r"territor(?:y|ies|ial)|established in|third countr(?:y|ies)|abroad",
            union=r"(?:in|within|outside) the Union|in one Member State",
            transition=r"transitional",
        ),
        "fr": any_of(
            entry_into_force=r"entre(?:nt|ra|ront)? en vigueur|entrée en vigueur",
            application_from=r"à compter d(?:u|es?|['’])|produi(?:t|sent) ses effets|rétroactif",
            date=r"(?:jusqu['’]au|du|depuis le|avant le|après le|à partir du) \d{1,2}(?:er)? [a-zéû]+ \d{4}",
            scope=r"s['’]applique(?:nt)? (?:à|aux?|dès|ni)|ressort",
            territory=r"territoires?|territorial(?:e|es)?|établie?s? dans|pays tiers|à l['’]étranger",
            country=r"dans l['’]Union|Grand-Duché|luxembourgeoise?s?",
            transition=r"transitoires?",
        ),
    },
)
"""Where and when a rule holds: the material of questions about jurisdiction and time."""

NAMED_BODY = ByLanguage(
    "marks of named bodies",
    {
        "en": any_of(
            before="",
            after="",
            ignore_case=False,
            # A capital within a sentence, but not that of a part of the law or of the Union's own words.
            name=r"(?<=[a-z,] )"
            r"(?!Article|Member|Union|Regulation|Directive|Annex|Chapter|Section|State)[A-Z][a-z]{3,}",
            kind=rf"\b(?:{words('court tribunal authority agency board minister ministry')}|"
            rf"{words('council committee registrar')})\b",
        ),
        "fr": any_of(
            justice=words("tribunal juge cour chambre procureur notaire greffe greffier médiateur"),
            administration=words(
                "ministre ministère collège conseil commission autorité agence bourgmestre comité"
            ),
        ),
    },
)
"""Somebody who can be asked for by name."""

NORM = ByLanguage(
    "marks of norms",
    {
        "en": any_of(modality=words("shall must may"), definition=words("means is are")),
        "fr": any_of(
            modality=r"doi(?:t|vent)|peu(?:t|vent)|interdit",
            negation=r"ne|n['’]\w+",
            statement=words("sont est fixe désigne paie répond"),
        ),
    },
)
"""The verb of a rule."""

CONDITION = ByLanguage(
    "marks of conditions",
    {
        "en": any_of(
            condition=words("where, if, provided that, only, deemed"),
            exception=words("unless, except, derogation, without prejudice, however, even"),
            bound=words("longer than, no later"),
        ),
        "fr": any_of(
            after="",  # "lorsqu" before "il", "lorsque" before "le"
            condition=r"lorsqu|si\b|s['’]il|à condition|en cas|pourvu|seulement|réputée?",
            exception=words("sauf, à moins, toutefois, dérogation, sans que, sous réserve, à défaut"),
            restriction=r"ne \w+ que",
            bound=words("au-delà, passé ce délai"),
        ),
    },
)
"""A rule that holds in some cases only: worth explaining."""

POINTS_ELSEWHERE = ByLanguage(
    "marks of words that point elsewhere",
    {
        "en": any_of(
            before="",
            after="",
            demonstrative=rf"\b(?:{words('those these such said thereof thereafter')})",
            that_thing=r"\bthat (?:purpose|period|date|reading|time|case|end)",
            reference=r"\b(?:paragraphs? \d|points? \(|referred to|laid down in|first subparagraph)",
            # A pronoun soon after the beginning has its noun in an earlier sentence.
            pronoun=r"^[^,]{0,40}, (?:it|they|he|she)\b",
        ),
        "fr": any_of(
            before="",
            after=r"\b",
            demonstrative=r"\b(?:ces|cet|cette|celui-ci|celle-ci|ceux-ci|ce délai)",
            said=r"\b(?:ledit|ladite|dudit|précitée?s?|susvisée?s?)",
            reference=r"\b(?:paragraphes? \d|alinéas?|points? \d|visée?s? à|prévue?s? à)",
            pronoun=r"^[^,]{0,40}, (?:ils?|elles?)",
        ),
    },
)
"""Words that their reader does not understand without another sentence."""


def _opening(opening: str, *parts: str) -> tuple[re.Pattern[str], str]:
    return re.compile("|".join(parts), re.IGNORECASE), opening


_MAY_FR = r"\bpeu(?:t|vent)\b"
_OPENINGS = ByLanguage(
    "openings of questions",
    {
        "en": (
            _opening("What is meant by", r"\bmeans\b"),
            _opening("What", r"\b(?:shall not|may not|cannot|must not)\b"),
            _opening(
                "When may",
                r"\bmay\b.*\b(?:where|if|unless|except|only|provided)\b",
                r"\b(?:where|if)\b.*\bmay\b",
            ),
            _opening("Who may", r"\bmay\b"),
            _opening(
                "When must",
                r"\b(?:where|if|when)\b.*\b(?:shall|must)\b",
                r"\b(?:shall|must)\b.*\b(?:where|if|unless|when)\b",
            ),
            _opening("What must", r"\b(?:shall|must)\b"),
            _opening("What", ""),
        ),
        "fr": (
            _opening("Qu'entend-on par", r"« .* » :"),
            _opening("Que ne peut", r"\bnul\b", r"\baucune?\b", r"\bne (?:peut|peuvent|doit|doivent)\b"),
            _opening(
                "Dans quel cas",
                rf"{_MAY_FR}.*\b(?:si\b|sauf|lorsqu|à condition|en cas|pour obtenir)",
                rf"\b(?:si\b|lorsqu|en cas).*{_MAY_FR}",
            ),
            _opening("Qui peut", _MAY_FR),
            _opening("Dans quel cas", r"\b(?:si|sauf|à moins|à condition|en cas|à défaut)\b|\blorsqu"),
            _opening("Que", ""),
        ),
    },
)


def opening_of(statement: str, language: str) -> str:
    """How a question about a statement may begin: the first of the patterns that fits."""
    return next(opening for pattern, opening in _OPENINGS[language] if pattern.search(statement))
