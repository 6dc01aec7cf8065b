"""What is retrieved for the questions of one act, out of the chunks of all acts of its language."""

from typing import Any

import pytest

from claimrag.schemas.base import RunId
from claimrag.schemas.errors import InputError, ValidationFailedError
from claimrag.tasks.evaluate.retrieval import check_chunks, retrieve_questions
from claimrag.tasks.retrieve.hits import Hit

RUN = RunId("run_1")


class FixedRetriever:
    """Finds the chunks given, in this order, for every question."""

    name = "fixed"

    def __init__(self, chunks: list[Any]) -> None:
        self.chunks = chunks
        self.asked: list[tuple[list[str], int]] = []

    def search(self, queries: Any, k: int) -> list[list[Hit]]:
        self.asked.append((list(queries), k))
        hits = [Hit(chunk.id, 9.0 - rank) for rank, chunk in enumerate(self.chunks)]
        return [hits[: k - number] for number, _ in enumerate(queries)]


@pytest.fixture
def english(made_up_build: Any) -> Any:
    questions = [q for q in made_up_build.questions if q.language == "en"]
    chunks = [c for c in made_up_build.chunks if c.language == "en"]
    return questions, {o.question_id: o for o in made_up_build.occurrences}, chunks


def _retrieve(english: Any, retriever: FixedRetriever, count: int, k: int) -> Any:
    questions, occurrences, chunks = english
    by_id = {chunk.id: chunk for chunk in chunks}
    return retrieve_questions(RUN, questions[:count], occurrences, retriever, by_id, k)


def test_rows_stand_by_question_then_rank_from_one_with_the_engines_score(english: Any) -> None:
    questions, _, chunks = english
    retriever = FixedRetriever(chunks)
    rows = _retrieve(english, retriever, 2, 2)
    assert retriever.asked == [([q.question for q in questions[:2]], 2)]
    assert [(r.run_id, r.question_id, r.rank, r.chunk_id, r.score) for r in rows] == [
        (RUN, questions[0].id, 1, chunks[0].id, 9.0),
        (RUN, questions[0].id, 2, chunks[1].id, 8.0),
        (RUN, questions[1].id, 1, chunks[0].id, 9.0),
    ]


def test_a_row_says_whether_its_chunk_holds_the_evidence_of_its_question(english: Any) -> None:
    questions, occurrences, chunks = english
    rows = _retrieve(english, FixedRetriever(chunks), len(questions), 99)
    spans = {chunk.id: (chunk.start, chunk.end) for chunk in chunks}
    for row in rows:
        start, end = spans[row.chunk_id]
        evidence = occurrences[row.question_id].evidence
        assert row.holds_evidence is any(start < e.end and e.start < end for e in evidence)
    assert {row.holds_evidence for row in rows} == {True, False}


def test_a_chunk_of_another_act_holds_no_evidence(english: Any) -> None:
    questions, occurrences, chunks = english
    elsewhere = [c.model_copy(update={"act_id": "x/other/2024-01-01/en"}) for c in chunks]
    rows = _retrieve((questions, occurrences, elsewhere), FixedRetriever(elsewhere), 3, 9)
    assert {row.holds_evidence for row in rows} == {False}


def test_a_question_without_its_occurrence_is_named(english: Any) -> None:
    questions, _, chunks = english
    with pytest.raises(InputError, match=questions[0].id):
        _retrieve((questions, {}, chunks), FixedRetriever(chunks), 1, 1)


def test_chunks_are_held_against_their_text(made_up_build: Any) -> None:
    check_chunks(made_up_build.chunks, made_up_build.texts)
    moved = {act_id: "." + text for act_id, text in made_up_build.texts.items()}
    with pytest.raises(ValidationFailedError, match="chunk again"):
        check_chunks(made_up_build.chunks, moved)
    last = made_up_build.chunks[-1]
    cut = last.model_copy(update={"body": last.body[:-1]})
    with pytest.raises(ValidationFailedError, match=last.id):
        check_chunks([*made_up_build.chunks[:-1], cut], made_up_build.texts)
    with pytest.raises(InputError, match="is not given"):
        check_chunks(made_up_build.chunks, {})
