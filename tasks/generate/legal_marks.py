"""Marks by which a statement is recognised: time and place, norms, conditions, words that point elsewhere.

Regular expressions for English and French; they choose what to ask about and judge nothing.
"""

from __future__ import annotations

import re

TIME_OR_PLACE = {
    "en": re.compile(
        r"\b(?:enter(?:s|ed)? into force|entry into force|shall apply (?:from|until|as from|as of)|apply from|"
        r"applies from|applies (?:to|in) (?:every|any|all|the)|territor(?:y|ies|ial)|established in|"
        r"third countr(?:y|ies)|(?:in|within|outside) the Union|in one Member State|with effect from|as from|"
        r"(?:from|until|since|after|before) \d{1,2} [A-Z][a-z]+ \d{4}|transitional|abroad)\b",
        re.IGNORECASE,
    ),
    "fr": re.compile(
        r"\b(?:entre(?:nt|ra|ront)? en vigueur|entrée en vigueur|territoires?|territorial(?:e|es)?|à compter d|"
        r"établie?s? dans|pays tiers|dans l['’]Union|Grand-Duché|à l['’]étranger|produi(?:t|sent) ses effets|"
        r"(?:jusqu['’]au|du|depuis le|avant le|après le|à partir du) \d{1,2}(?:er)? [a-zéû]+ \d{4}|transitoires?|"
        r"luxembourgeoise?s?|rétroactif|s['’]appliquent? (?:à|aux?|dès|ni)|ressort)\b",
        re.IGNORECASE,
    ),
}

NAMED_BODY = {
    "en": re.compile(
        r"(?<=[a-z,] )(?!Article|Member|Union|Regulation|Directive|Annex|Chapter|Section|State)[A-Z][a-z]{3,}"
        r"|\b(?:court|tribunal|authority|agency|board|minister|ministry|council|committee|registrar)\b"
    ),
    "fr": re.compile(
        r"\b(?:tribunal|juge|cour|ministre|ministère|collège|conseil|chambre|commission|autorité|agence|"
        r"procureur|notaire|bourgmestre|médiateur|greffe|greffier|comité)\b",
        re.IGNORECASE,
    ),
}

NORM = {
    "en": re.compile(r"\b(?:shall|must|may|means|is|are)\b", re.IGNORECASE),
    "fr": re.compile(
        r"\b(?:doi(?:t|vent)|peu(?:t|vent)|es?t tenu|sont|est|ne|n['’]\w+|fixe|désigne|interdit|paie|répond)\b",
        re.IGNORECASE,
    ),
}

CONDITION = {
    "en": re.compile(
        r"\b(?:where|if|unless|provided that|except|derogation|only|without prejudice|however|even|longer than|"
        r"no later|deemed)\b",
        re.IGNORECASE,
    ),
    "fr": re.compile(
        r"\b(?:lorsqu|si|sauf|à moins|à condition|toutefois|dérogation|sans que|sous réserve|à défaut|en cas|"
        r"pourvu|ne \w+ que|seulement|réputée?|au-delà|passé ce délai)",
        re.IGNORECASE,
    ),
}

POINTS_ELSEWHERE = {
    "en": re.compile(
        r"\b(?:those|these|such|said|thereof|thereafter|that (?:purpose|period|date|reading|time|case|end)|"
        r"paragraphs? \d|points? \(|referred to|laid down in|first subparagraph)|^[^,]{0,40}, (?:it|they|he|she)\b",
        re.IGNORECASE,
    ),
    "fr": re.compile(
        r"\b(?:ces|cet|cette|celui-ci|celle-ci|ceux-ci|ledit|ladite|dudit|précitée?s?|susvisée?s?|"
        r"paragraphes? \d|alinéas?|points? \d|visée?s? à|prévue?s? à|ce délai|cette date)\b"
        r"|^[^,]{0,40}, (?:ils?|elles?)\b",
        re.IGNORECASE,
    ),
}

_OPENINGS = {
    "en": (
        (r"\bmeans\b", "What is meant by"),
        (r"\b(?:shall not|may not|cannot|must not)\b", "What"),
        (r"\bmay\b.*\b(?:where|if|unless|except|only|provided)\b|\b(?:where|if)\b.*\bmay\b", "When may"),
        (r"\bmay\b", "Who may"),
        (
            r"\b(?:where|if|when)\b.*\b(?:shall|must)\b|\b(?:shall|must)\b.*\b(?:where|if|unless|when)\b",
            "When must",
        ),
        (r"\b(?:shall|must)\b", "What must"),
        (r"", "What"),
    ),
    "fr": (
        (r"« .* » :", "Qu'entend-on par"),
        (r"\bnul\b|\baucune?\b|\bne (?:peut|peuvent|doit|doivent)\b", "Que ne peut"),
        (
            r"\bpeu(?:t|vent)\b.*\b(?:si|sauf|lorsqu|à condition|en cas|pour obtenir)"
            r"|\b(?:si|lorsqu|en cas).*\bpeu(?:t|vent)\b",
            "Dans quel cas",
        ),
        (r"\bpeu(?:t|vent)\b", "Qui peut"),
        (r"\b(?:si|sauf|lorsqu|à moins|à condition|en cas|à défaut)\b", "Dans quel cas"),
        (r"", "Que"),
    ),
}


def opening_of(statement: str, language: str) -> str:
    """How a question about a statement may begin: the first of the patterns that fits."""
    return next(
        opening for pattern, opening in _OPENINGS[language] if re.search(pattern, statement, re.IGNORECASE)
    )
