"""What a person said of a law in their own file, put where the file is silent.

The file wins: its bytes are the evidence that rows are bound to. A detail that the file gives differently is not used,
and a warning says so. A file names its law when its parser found a work in it; a heading alone is no name, so that the
title given for such a file is taken, and the work is called by it. Text, offsets and hashes are never changed.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from typing import Any

from claimrag.legal_sources.parsed import UNKNOWN_DATE, ParsedAct
from claimrag.schemas.act import Act
from claimrag.schemas.base import ActId, UnitId
from claimrag.schemas.law_details import LawDetails

NOT_STATED = "not stated"
"""What every parser writes for a licence that the source does not give."""
_ANSWERED = {"work": "work_unknown", "version_date": "version_date_unknown", "language": "language_unknown"}
"""The field of an act, and the note of the health report that falls away when it is filled."""
_SLUG_LENGTH = 80


def add_details(parsed: ParsedAct, details: LawDetails) -> tuple[ParsedAct, list[str]]:
    """The act with its gaps filled from `details`, and a sentence for each detail that the file says differently."""
    gaps = missing(parsed)
    given = {f"--{name}": value for name, value in details.model_dump().items() if value is not None}
    filled: dict[str, Any] = {}
    if "--title" in gaps and details.title is not None:
        filled |= {"title": details.title, "work": _slug(details.title) or parsed.act.work}
    for option, field in (("--date", "version_date"), ("--licence", "licence"), ("--language", "language")):
        if option in gaps and option in given:
            filled[field] = given[option]
    unused = [
        f"{option} {value} is not used, since the file says {kept}"
        for option, value in given.items()
        if option not in gaps and str(value) != (kept := _kept(parsed.act, option))
    ]
    return (_filled(parsed, filled) if filled else parsed), unused


def missing(parsed: ParsedAct) -> tuple[str, ...]:
    """The options that would say what the file does not, in the order of the help."""
    codes = {problem.code for problem in parsed.health.problems}
    gaps = {
        "--title": "work_unknown" in codes,
        "--date": parsed.act.version_date == UNKNOWN_DATE,
        "--licence": parsed.act.licence == NOT_STATED,
        "--language": "language_unknown" in codes,
    }
    return tuple(option for option, open_ in gaps.items() if open_)


def missing_sentence(parsed: ParsedAct) -> str | None:
    """What to give so that the law is named in every row; None where the file, or its details, say everything."""
    gaps = missing(parsed)
    if not gaps:
        return None
    return f"the file does not say everything of its law; say it with {', '.join(gaps)}"


def _filled(parsed: ParsedAct, fields: dict[str, Any]) -> ParsedAct:
    act = parsed.act.model_copy(update=fields)
    new = ActId(f"{act.publisher}/{act.work}/{act.version_date.isoformat()}/{act.language}")
    old = parsed.act.id
    answered = {code for field, code in _ANSWERED.items() if field in fields}
    problems = tuple(
        problem.model_copy(update={"unit_id": _moved(problem.unit_id, old, new)})
        for problem in parsed.health.problems
        if problem.code not in answered
    )
    units = tuple(
        unit.model_copy(
            update={"act_id": new}
            | {name: _moved(getattr(unit, name), old, new) for name in ("id", "parent_id", "anchor_unit_id")}
        )
        for unit in parsed.units
    )
    return replace(
        parsed,
        act=act.model_copy(update={"id": new}),
        units=units,
        health=parsed.health.model_copy(update={"problems": problems}),
    )


def _moved(unit_id: UnitId | None, old: ActId, new: ActId) -> UnitId | None:
    return None if unit_id is None else UnitId(new + unit_id.removeprefix(old))


def _kept(act: Act, option: str) -> str:
    field = "version_date" if option == "--date" else option.removeprefix("--")
    return str(getattr(act, field))


def _slug(title: str) -> str:
    """`Loi relative à l'eau` is `loi-relative-a-l-eau`; empty where no letter has a Latin form."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:_SLUG_LENGTH].strip("-")
