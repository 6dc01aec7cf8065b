"""Which law of the Union a text is: CELEX number, ELI address and dates, read from its own words.

Works from the title as printed, in English and French, of regulations, directives and decisions of every
numbering era (`No 1017/68`, `95/46/EC`, `(EU) No 910/2014`, `(EU) 2016/679`). Never guesses from a file name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from claimrag.legal_sources.markup import Document
from claimrag.legal_sources.parsed import UNKNOWN_DATE, ActHead, Problem

LICENCE = "Reuse with attribution (Commission Decision 2011/833/EU)"
ATTRIBUTION = "© European Union, https://eur-lex.europa.eu"

_TYPES = (
    (re.compile(r"framework decision|d[ée]cision[- ]cadre", re.IGNORECASE), "F", ""),
    (re.compile(r"regulation|r[èe]glement", re.IGNORECASE), "R", "reg"),
    (re.compile(r"directive", re.IGNORECASE), "L", "dir"),
    (re.compile(r"decision|d[ée]cision", re.IGNORECASE), "D", "dec"),
    (re.compile(r"recommendation|recommandation", re.IGNORECASE), "H", "reco"),
)
_WORD_OF_TYPE = re.compile(
    r"""
    \b (?: (?P<variant> implementing | delegated ) \s+ )?
    (?P<type>
        framework[ ]decision | d[ée]cision[- ]cadre                         # before "decision", which they hold
      | regulation | r[èe]glement | directive | decision | d[ée]cision
      | recommendation | recommandation
    )
    (?: \s+ (?P<variant_fr> d['’]ex[ée]cution | d[ée]l[ée]gu[ée]e? ) )? \b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NUMBER = re.compile(
    r"(?P<no>\bN\s?[o°º]\s?\.?\s*)?(?P<first>\d{1,4})\s?/\s?(?P<second>\d{1,4})(?:\s?/\s?[A-Z]{2,4}\b)?",
    re.IGNORECASE,
)
_VARIANTS = {"implementing": "_impl", "delegated": "_del"}
_MONTHS = {
    name: month
    for month, names in enumerate(
        (
            "january janvier", "february février fevrier", "march mars", "april avril", "may mai", "june juin",
            "july juillet", "august août aout", "september septembre", "october octobre",
            "november novembre", "december décembre decembre",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_LONG_DATE = re.compile(
    r"\b(?:of|du|de|le)?\s*(\d{1,2})(?:er)?\s+([A-Za-zéûô]+)\s+((?:19|20|21)\d\d)\b", re.IGNORECASE
)
_POINTED_DATE = re.compile(r"\b(\d{1,2})\s?\.\s?(\d{1,2})\s?\.\s?((?:19|20|21)\d\d)\b")
_SHORT_TITLE = re.compile(r"\(([^()]{4,120})\)\s*$")
_NO_SHORT_TITLE = re.compile(
    r"EEA|EEE|recast|refonte|codifi|notified|notifiée|\bNo\b|\d{4}/\d|only the|seul le|first|Text with|Texte",
    re.IGNORECASE,
)
_CORRIGENDUM = re.compile(r"^\s*(?:corrigend|rectificatif)", re.IGNORECASE)


@dataclass(frozen=True)
class ActNumber:
    """Type letter of the CELEX number, year and number, and the word ELI uses for the type."""

    letter: str
    year: int
    number: int
    eli_type: str

    @property
    def celex(self) -> str:
        """The CELEX number of the act as adopted, as in 32016R0679."""
        return f"3{self.year}{self.letter}{self.number:04d}"

    def eli(self, version_date: date | None) -> str | None:
        """The ELI address of the act as published (`None`) or of its consolidated version of a date."""
        if not self.eli_type:
            return None
        version = version_date.isoformat() if version_date else "oj"
        return f"http://data.europa.eu/eli/{self.eli_type}/{self.year}/{self.number}/{version}"


def is_corrigendum(title: str) -> bool:
    """Whether the title is that of a corrigendum, which is another document than the act it names."""
    return bool(_CORRIGENDUM.match(title))


def act_number(title: str) -> ActNumber | None:
    """The number of the act that `title` is the title of; None when it names none.

    Only the first type word and the first number after it are read: a title goes on to name other acts.
    """
    match = _WORD_OF_TYPE.search(title)
    if not match or is_corrigendum(title):
        return None
    number = _NUMBER.search(title, match.end(), match.end() + 120)
    if not number:
        return None
    year, serial = _year_and_serial(number)
    if year is None:
        return None
    word = match.group("type")
    letter, eli_type = next((code, eli) for shape, code, eli in _TYPES if shape.fullmatch(word))
    variant = (match.group("variant") or match.group("variant_fr") or "").lower()
    if variant:
        key = "implementing" if variant.startswith(("impl", "d'ex", "d’ex")) else "delegated"
        eli_type = f"{eli_type}{_VARIANTS[key]}" if eli_type else ""
    return ActNumber(letter, year, serial, eli_type)


def _year_and_serial(number: re.Match[str]) -> tuple[int | None, int]:
    first, second = number.group("first"), number.group("second")
    year, serial = (second, first) if number.group("no") else (first, second)
    if _full_year(year) is None or (number.group("no") is None and len(first) not in (2, 4)):
        year, serial = serial, year
    return _full_year(year), int(serial)


def _full_year(digits: str) -> int | None:
    if len(digits) == 4 and 1950 <= int(digits) <= 2100:
        return int(digits)
    if len(digits) == 2 and int(digits) >= 50:
        return 1900 + int(digits)
    return None


def long_date(text: str) -> date | None:
    """The first date written out in `text` ("27 April 2016", "1er août 2001")."""
    for day, month, year in _LONG_DATE.findall(text):
        number = _MONTHS.get(month.lower())
        if number:
            return _date(int(year), number, int(day))
    return None


def pointed_date(text: str) -> date | None:
    """The first date in figures in `text` ("4.5.2016")."""
    match = _POINTED_DATE.search(text)
    return _date(int(match.group(3)), int(match.group(2)), int(match.group(1))) if match else None


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def short_title(title_lines: list[str]) -> str | None:
    """The name in brackets that ends the title ("General Data Protection Regulation"), if it has one."""
    for line in reversed(title_lines):
        match = _SHORT_TITLE.search(line)
        if match and not _NO_SHORT_TITLE.search(match.group(1)):
            return match.group(1).strip()
    return None


def head_of_act(
    document: Document,
    *,
    layout: str,
    title_lines: list[str],
    language: str | None,
    version_date: date | None,
    consolidated: bool,
    celex: str | None = None,
    number_text: str | None = None,
) -> tuple[ActHead, list[Problem]]:
    """The head of an EUR-Lex act and what could not be read.

    `celex` is one that the document states of itself; else the number is read from `number_text`, by default
    the title. Without either the work is named by the hash of the bytes, with the note `work_unknown`.
    An act as adopted is dated by its title, as it is cited, since the Official Journal's date may equal that
    of its first consolidation; `version_date` is then only what is left where the title has no date.
    """
    title = " ".join(title_lines)
    if not consolidated and not is_corrigendum(title):
        version_date = long_date(title) or version_date
    number = act_number(number_text or title)
    own_celex = celex or (number.celex if number else None)
    work = own_celex or f"sha256-{document.raw_sha256[:16]}"
    notes = list(_missing(document, title, work, own_celex is None, language is None))
    known = number if number and (celex is None or number.celex == celex) else None
    head = ActHead(
        publisher="eu",
        work=work,
        celex=own_celex,
        eli=known.eli(version_date if consolidated else None) if known else None,
        title=title or work,
        short_title=short_title(title_lines),
        language=language or "en",
        version_date=version_date or UNKNOWN_DATE,
        consolidated=consolidated,
        layout=layout,
        licence=LICENCE,
        attribution=ATTRIBUTION,
    )
    return head, notes


def _missing(
    document: Document, title: str, work: str, without_number: bool, without_language: bool
) -> Iterator[Problem]:
    """What could not be read of an act's identity."""
    if without_number:
        why = (
            "a corrigendum bears no number of its own" if is_corrigendum(title) else "no number in its title"
        )
        yield Problem(code="work_unknown", detail=f"{why}; the work is called {work}")
    if without_language:
        yield Problem(code="language_unknown", detail="the source does not say its language")
    if not document.well_formed:
        yield Problem(code="repaired_markup", detail="read by the HTML parser")
