"""Quantities: numbers with their units, amounts and dates as English and French laws write them.

Numbers of articles and paragraphs have no unit and are no quantities.
"""

from __future__ import annotations

import re

from claimrag.tasks.generate.languages import ByLanguage
from claimrag.tasks.generate.patterns import words

NUMBER_WORDS: ByLanguage[dict[str, tuple[str, ...]]] = ByLanguage(
    "number words",
    {
        "en": {
            "one": ("three", "two"),
            "two": ("four", "three"),
            "three": ("six", "five"),
            "four": ("two", "eight"),
            "five": ("ten", "three"),
            "six": ("three", "twelve"),
            "seven": ("ten", "five"),
            "eight": ("four", "twelve"),
            "ten": ("five", "twenty"),
            "twelve": ("six", "twenty"),
            "fifteen": ("ten", "thirty"),
            "twenty": ("ten", "thirty"),
            "thirty": ("twenty", "sixty"),
        },
        "fr": {
            "un": ("trois", "deux"),
            "une": ("trois", "deux"),
            "deux": ("quatre", "trois"),
            "trois": ("six", "cinq"),
            "quatre": ("deux", "huit"),
            "cinq": ("dix", "trois"),
            "six": ("trois", "douze"),
            "sept": ("dix", "cinq"),
            "huit": ("quatre", "quinze"),
            "dix": ("cinq", "vingt"),
            "douze": ("six", "vingt"),
            "quatorze": ("sept", "vingt et un"),
            "quinze": ("dix", "trente"),
            "seize": ("douze", "vingt"),
            "dix-huit": ("vingt et un", "seize"),
            "vingt": ("dix", "trente"),
            "vingt et un": ("dix-huit", "vingt-cinq"),
            "vingt-quatre": ("douze", "trente-six"),
            "trente": ("vingt", "soixante"),
            "quarante": ("vingt", "soixante"),
            "quarante-cinq": ("trente", "soixante"),
            "cinquante": ("vingt", "cent"),
            "soixante": ("trente", "cent"),
            "cent": ("cinquante", "deux cents"),
        },
    },
)

"""Numbers in letters, each with the numbers that somebody may take it for."""

_MONTHS = ByLanguage(
    "months",
    {
        "en": words("January February March April May June July August September October November December"),
        "fr": words("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
    },
)
_UNITS = ByLanguage(
    "units of measure",
    {
        "en": "|".join(
            (
                r"minutes?|hours?|(?:working )?days?|weeks?|months?|years?",  # time
                r"per cent|percent|euros?|EUR",  # shares and money
                r"km|kilomet(?:re|er)s?|met(?:re|er)s?|cubic metres",  # measures
                r"inhabitants|members?|employees|persons|copies|times|characters|units",  # what is counted
            )
        ),
        "fr": "|".join(
            (
                r"minutes?|heures?|jours?(?: francs| ouvrables)?|semaines?|mois|ans?|années?",
                r"pour cent|pour mille|euros?|EUR|francs",
                r"kilomètres?|mètres?|litres?",
                r"membres?|salariés|personnes|habitants|exemplaires|témoins|fois|objets|avocats|experts|gérants|"
                r"associés|communes",
            )
        ),
    },
)
_FIGURES = r"\d{1,3}(?:[ .,]\d{3})+|\d+"  # "12 000", "12.000", "12,000", "12000"


def _longest_first(numbers: dict[str, tuple[str, ...]]) -> str:
    """Alternatives; a regular expression takes the first that fits, and "vingt" fits "vingt et un" too."""
    return "|".join(sorted(numbers, key=lambda number: -len(number)))


MEASURE = ByLanguage(
    "measures",
    {
        language: re.compile(
            rf"(?<!\w-)\b(?P<number>{_FIGURES}|{_longest_first(numbers)})(?P<unit>\s?(?:{_UNITS[language]})\b|\s?%)",
            re.IGNORECASE,
        )
        for language, numbers in NUMBER_WORDS.items()
    },
)
"""`number` in figures or letters, and its `unit` with the space before it: "72 hours", "vingt et un jours", "5 %"."""

AMOUNT = re.compile(rf"\bEUR (?P<number>{_FIGURES})\b")
"""An amount with its currency first, as the Union's English law has it: "EUR 12 000"."""

DATE = ByLanguage(
    "dates",
    {
        language: re.compile(
            rf"\b(?P<day>\d{{1,2}}(?:er)?\s+(?:{months})\s+)(?P<year>\d{{4}})\b", re.IGNORECASE
        )
        for language, months in _MONTHS.items()
    },
)
"""A full date, `day` with its month and the space after it, and `year`: "1 July 2101", "1er juillet 2101"."""


def quantities_in(text: str, language: str) -> list[str]:
    """The quantities that a text states, in its words and order."""
    found = (*MEASURE[language].finditer(text), *AMOUNT.finditer(text), *DATE[language].finditer(text))
    return [match.group() for match in sorted(found, key=lambda match: match.start())]
