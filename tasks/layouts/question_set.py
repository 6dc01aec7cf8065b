"""Reads the question files of a set in the published ClaimRAG-LAW layout: untrusted JSON, checked field by field.

Promises: a file that is too large, no JSON or of another shape is refused with its name, row and field; nothing is
guessed. Fields that the layout does not have are passed over. Does not look at the law.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from claimrag.schemas.base import Noun, Sha256
from claimrag.schemas.errors import InputError
from claimrag.schemas.question import Category, FalsePremise, Persona
from claimrag.tasks.layouts.claimrag_law import FIELD, OURS
from claimrag.tasks.layouts.published_words import (
    CATEGORY_WORDS,
    PERSONA_WORDS,
    Correctness,
    category_of,
    correctness_of,
    persona_of,
)

T = TypeVar("T")
MOST_BYTES = 64 << 20
MOST_ROWS = 100_000
LONGEST_ID, LONGEST_TEXT, LONGEST_CHUNK = 200, 20_000, 500_000
_MOST_QUOTATIONS = 200
_UNREVIEWED = "unreviewed"


class SetQuestion(Noun):
    """One question of a set. `correctness` is what the set's expert found; None where none did.

    `evidence`, `rationale` and `false_premise` are there only in files that claimrag wrote.
    """

    query_id: str
    query: str
    relevant_chunk: str
    gt_answer: str
    correctness: Correctness | None
    category: Category
    persona: Persona
    evidence: tuple[str, ...] = ()
    rationale: str | None = None
    false_premise: FalsePremise | None = None


@dataclass(frozen=True)
class QuestionSet:
    """The questions of some files, in order, and the SHA-256 of each file's bytes."""

    questions: tuple[SetQuestion, ...]
    files: dict[str, Sha256]


def read_question_set(paths: Sequence[Path]) -> QuestionSet:
    """The questions of the files together; raises InputError that names file, row and field."""
    questions: dict[str, SetQuestion] = {}
    files: dict[str, Sha256] = {}
    for path in paths:
        raw = _bytes(path)
        digest = hashlib.sha256(raw).hexdigest()
        if digest in files.values():
            raise InputError(f"{path} was named twice; name each file once")
        files[str(path)] = digest
        for number, item in enumerate(_items(path, raw), start=1):
            question = _question(_Row(path, number, item))
            if question.query_id in questions:
                raise InputError(f"{path}, row {number}: query_id {question.query_id!r} is there twice")
            questions[question.query_id] = question
        if len(questions) > MOST_ROWS:
            raise InputError(f"{path}: more than {MOST_ROWS:,} questions; import them law by law")
    if not questions:
        raise InputError(f"{', '.join(files) or 'no file'}: there is no question in it")
    return QuestionSet(tuple(questions.values()), files)


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            raw = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(
            f"{path} cannot be read: {error.strerror}; give the path of a question file"
        ) from error
    if len(raw) > MOST_BYTES:
        raise InputError(f"{path} has more than {MOST_BYTES >> 20} MiB; split it")
    return raw


def _items(path: Path, raw: bytes) -> list[Any]:
    try:
        value = json.loads(raw.decode("utf-8-sig"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is no JSON in UTF-8: {error}; give a question file of the set") from error
    items = value.get(FIELD) if isinstance(value, dict) else value
    if not isinstance(items, list):
        raise InputError(f"{path} has no list of questions under {FIELD!r}; give a question file of the set")
    if any(isinstance(item, dict) and "claims" in item for item in items):
        raise InputError(
            f"{path} holds claims; give the file of questions, and run `claimrag claims` for claims of its answers"
        )
    return items


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no number of JSON")


@dataclass(frozen=True)
class _Row:
    """An item of a file, and where it stands."""

    path: Path
    number: int
    item: Any

    def wrong(self, field: str, what: str) -> InputError:
        return InputError(f"{self.path}, row {self.number}, field {field}: {what}")

    def text(self, field: str, longest: int) -> str:
        """A string with words in it."""
        return self.checked(field, self.item.get(field), longest)

    def checked(self, field: str, value: Any, longest: int) -> str:
        if not isinstance(value, str):
            raise self.wrong(field, "it is absent" if value is None else "it is no text")
        if not value.strip():
            raise self.wrong(field, "it is blank")
        if len(value) > longest:
            raise self.wrong(field, f"it has more than {longest:,} characters")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise self.wrong(field, "it holds half a character") from None
        return value.strip()


def _question(row: _Row) -> SetQuestion:
    if not isinstance(row.item, dict):
        raise InputError(f"{row.path}, row {row.number}: it is no object with fields")
    ours = row.item.get(OURS)
    return SetQuestion(
        query_id=row.text("query_id", LONGEST_ID),
        query=row.text("query", LONGEST_TEXT),
        relevant_chunk=row.text("relevant_chunk", LONGEST_CHUNK),
        gt_answer=row.text("gt_answer", LONGEST_TEXT),
        correctness=_correctness(row),
        category=_known(row, "question_category", category_of, CATEGORY_WORDS.values()),
        persona=_known(row, "persona", persona_of, PERSONA_WORDS.values()),
        **({} if ours is None else _ours(row, ours)),
    )


def _ours(row: _Row, ours: Any) -> dict[str, Any]:
    """What claimrag itself wrote beside the fields of the set; it may be absent in part."""
    if not isinstance(ours, dict):
        raise row.wrong(OURS, "it is no object with fields")
    found: dict[str, Any] = {}
    evidence = ours.get("evidence")
    if evidence is not None:
        if not isinstance(evidence, list) or len(evidence) > _MOST_QUOTATIONS:
            raise row.wrong(f"{OURS}.evidence", f"it is no list of at most {_MOST_QUOTATIONS} quotations")
        found["evidence"] = tuple(row.checked(f"{OURS}.evidence", one, LONGEST_CHUNK) for one in evidence)
    if ours.get("rationale") is not None:
        found["rationale"] = row.checked(f"{OURS}.rationale", ours["rationale"], LONGEST_TEXT)
    if ours.get("false_premise") is not None:
        try:
            found["false_premise"] = FalsePremise.model_validate(ours["false_premise"])
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, (OURS, "false_premise", *first["loc"])))
            raise row.wrong(place, first["msg"]) from None
    return found


def _correctness(row: _Row) -> Correctness | None:
    word = row.item.get("answer_correctness")
    if word is None or word == _UNREVIEWED:
        return None
    return _known(row, "answer_correctness", correctness_of, (*Correctness, _UNREVIEWED))


def _known(row: _Row, field: str, read: Callable[[str], T | None], words: Iterable[str]) -> T:
    word = row.text(field, LONGEST_ID)
    found = read(word)
    if found is None:
        raise row.wrong(field, f"{word!r} is none of {', '.join(words)}")
    return found
