"""The story of one thing: its words in place, what was made of it, and where it was kept or rejected."""

from __future__ import annotations

from pathlib import Path

import pytest
from reader_workspace import NEW, OLD, copy_of_workspace, damage, in_memory

from claimrag.schemas.errors import InputError
from claimrag.schemas.story import ClaimStory, QuestionStory, RejectedStory, UnitStory
from claimrag.tasks.chunk.step import CHUNKS
from claimrag.tasks.claims.step import CLAIMS
from claimrag.tasks.evaluate.average_step import RUNS
from claimrag.tasks.generate.join_step import QUESTIONS
from claimrag.tasks.occurrences.step import OCCURRENCES
from claimrag.tasks.parse.step import TEXTS
from claimrag.tasks.run.story import tell
from claimrag.tasks.segment.step import CONTEXT_UNITS
from claimrag.tasks.store import Workspace

OLD_ACT, NEW_ACT = (f"eu/32099R1001/{version}/en" for version in (OLD, NEW))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return copy_of_workspace(tmp_path / "w")


def question_in(workspace: Workspace, *acts: str) -> str:
    """A question that holds in exactly these versions."""
    held = {
        act: {row.question_id for row in workspace.read_table(OCCURRENCES.of(act), OCCURRENCES.noun)}
        for act in (OLD_ACT, NEW_ACT)
    }
    chosen = set.intersection(*(held[act] for act in acts))
    return min(chosen - set().union(*(held[act] for act in held if act not in acts)))


def of_question(workspace: Workspace, word: str) -> QuestionStory:
    story = tell(workspace, word)
    assert isinstance(story, QuestionStory)
    return story


def test_quotations_stand_in_the_newest_version_with_the_words_around_them(workspace: Workspace) -> None:
    story = of_question(workspace, question_in(workspace, OLD_ACT, NEW_ACT))
    assert story.holds_in == (NEW_ACT, OLD_ACT) and story.passages
    text = workspace.read_table(TEXTS.of(NEW_ACT), TEXTS.noun)[0].text
    for passage in story.passages:
        around = passage.before + passage.quotation + passage.after
        start = passage.start - len(passage.before)
        assert passage.act_id == NEW_ACT and text[start : start + len(around)] == around
        assert start == 0 or text[start].isspace()
        assert len(passage.place) > 1 and any("Article" in part for part in passage.place)
    assert [one.text for one in story.question.quotations] == [one.quotation for one in story.passages]


def test_a_question_knows_its_claims_scores_and_releases(workspace: Workspace) -> None:
    claim = workspace.read_table(CLAIMS.of(NEW_ACT), CLAIMS.noun)[0]
    story = of_question(workspace, claim.question_id)
    assert claim in story.claims and [one.order for one in story.claims] == sorted(
        one.order for one in story.claims
    )
    assert story.releases == ("0.1.0",)
    assert {score.system for score in story.scores} == {"bm25 + scripted", "dense + scripted"}
    assert all(0 <= value <= 1 for score in story.scores for value in score.scores.values())
    assert story.title == "Drinking-Water Sensor Regulation"


def test_a_version_without_the_words_of_a_question_is_named_with_the_reason(workspace: Workspace) -> None:
    story = of_question(workspace, question_in(workspace, OLD_ACT))
    assert story.holds_in == (OLD_ACT,)
    lost = [(row.stage, row.act_id, row.reason.value) for row in story.rejections]
    assert ("occurrences", NEW_ACT, "not_in_this_version") in lost


def test_the_beginning_of_an_id_is_enough_when_one_alone_begins_so(workspace: Workspace) -> None:
    full = question_in(workspace, NEW_ACT)
    assert of_question(workspace, full[:12]).question.id == full


def test_an_ambiguous_beginning_lists_the_candidates_and_chooses_none(workspace: Workspace) -> None:
    tables = [workspace.read_table(QUESTIONS.of(act), QUESTIONS.noun) for act in (OLD_ACT, NEW_ACT)]
    ids = sorted({row.id for rows in tables for row in rows})
    with pytest.raises(
        InputError, match=rf"'q_' may be one of {len(ids)}: {ids[0]}, {ids[1]}, .*and \d+ more"
    ):
        tell(workspace, "q_")


def test_an_exact_id_wins_over_longer_ones(workspace: Workspace) -> None:
    story = tell(workspace, f"{NEW_ACT}#art_1")
    assert isinstance(story, UnitStory) and story.unit.id == f"{NEW_ACT}#art_1"
    with pytest.raises(InputError, match=f"{OLD_ACT}#art_1, {NEW_ACT}#art_1; give more"):
        tell(workspace, "art_1")


@pytest.mark.parametrize("number", ["1", "10"])
def test_a_unit_lists_the_questions_that_rest_on_it_or_on_its_parts_alone(
    workspace: Workspace, number: str
) -> None:
    """Article 10 is no part of Article 1."""
    ref = OCCURRENCES.of(NEW_ACT)
    rows = workspace.read_table(ref, OCCURRENCES.noun)[:3]
    parts = (f"{NEW_ACT}#art_1.par_2", f"{NEW_ACT}#art_10", f"{NEW_ACT}#art_10.par_1.pnt_a")
    moved = [
        row.model_copy(update={"evidence": (row.evidence[0].model_copy(update={"unit_id": part}),)})
        for row, part in zip(rows, parts, strict=True)
    ]
    workspace.write_table(ref, OCCURRENCES.noun, moved)
    story = tell(workspace, f"{NEW_ACT}#art_{number}")
    assert isinstance(story, UnitStory)
    expected = rows[:1] if number == "1" else rows[1:]
    assert {question.id for question in story.questions} == {row.question_id for row in expected}


def test_a_question_that_came_after_the_release_is_in_none(workspace: Workspace) -> None:
    ref = QUESTIONS.of(NEW_ACT)
    rows = workspace.read_table(ref, QUESTIONS.noun)
    workspace.write_table(ref, QUESTIONS.noun, [*rows, rows[0].model_copy(update={"id": "q_new"})])
    story = of_question(workspace, "q_new")
    assert (story.releases, story.claims, story.holds_in, story.written_for) == ((), (), (), (NEW_ACT,))


def test_a_claim_comes_with_its_question_and_the_words_it_was_judged_by(workspace: Workspace) -> None:
    claim = workspace.read_table(CLAIMS.of(NEW_ACT), CLAIMS.noun)[-1]
    story = tell(workspace, claim.id)
    assert isinstance(story, ClaimStory) and story.claim == claim and story.question is not None
    assert story.question.question.id == claim.question_id and story.question.passages
    assert story.releases == ("0.1.0",)


def test_a_draft_that_was_rejected_is_found_by_what_it_was_about(workspace: Workspace) -> None:
    row = next(row for row in workspace.read_rejected(QUESTIONS.of(NEW_ACT)) if "/" in row.item)
    story = tell(workspace, row.item)
    assert isinstance(story, RejectedStory) and story.item == row.item
    assert (row.reason, row.raw) in [(one.reason, one.raw) for one in story.rejections]
    unit = tell(workspace, row.item.partition("/")[0])
    assert isinstance(unit, UnitStory) and row.item in {one.item for one in unit.rejections}


def test_every_kind_of_thing_has_a_story_in_an_object_store_too(workspace: Workspace) -> None:
    workspace.write_json(
        {"status": "failed", "sentence": "no"}, "runs", "20990101T000000Z-abc", "manifest.json"
    )
    runs = workspace.tables("runs")
    chunks = next(ref for ref in workspace.tables("chunks") if ref.scope.startswith(NEW_ACT))
    words = {
        "run": workspace.read_table(runs[0], RUNS.noun)[0].id,
        "chunk": workspace.read_table(chunks, CHUNKS.noun)[0].id,
        "context unit": workspace.read_table(CONTEXT_UNITS.of(NEW_ACT), CONTEXT_UNITS.noun)[0].id,
        "unit": f"{NEW_ACT}#art_2",
        "question": question_in(workspace, NEW_ACT),
        "build": "2099",
    }
    copied = in_memory(workspace, "memory://readers/story")
    for kind, word in words.items():
        story = tell(workspace, word)
        assert story.kind == kind and story == tell(copied, word) and not story.damaged


def test_what_names_nothing_is_answered_with_how_ids_look(workspace: Workspace) -> None:
    for word in ("q_ffffffffffff", "nonsense", "", "  ", "#", "20", "art_999", "💥", "run_"[:3], "q_%"):
        with pytest.raises(InputError, match="an id is as in q_"):
            tell(workspace, word)


def test_a_story_goes_on_without_a_table_that_is_damaged_and_names_it(workspace: Workspace) -> None:
    question = question_in(workspace, OLD_ACT, NEW_ACT)
    texts, scores = (
        workspace.record(ref) for ref in (TEXTS.of(NEW_ACT), workspace.tables("scored_answers")[0])
    )
    assert texts is not None and scores is not None
    damage(workspace, texts.kept.path)
    damage(workspace, scores.kept.path)
    story = of_question(workspace, question)
    assert story.claims and not story.passages and len(story.scores) == 1
    assert len(story.damaged) == 2
    assert texts.kept.path in story.damaged[0] and scores.kept.path in story.damaged[1]


def test_what_may_lie_in_a_damaged_table_is_said_to_be_unknown(workspace: Workspace) -> None:
    question = question_in(workspace, OLD_ACT, NEW_ACT)
    for stage in ("questions", "question_shards"):
        for ref in workspace.tables(stage):
            record = workspace.record(ref)
            assert record is not None
            damage(workspace, record.kept.path)
    with pytest.raises(InputError, match=r"It may be in what cannot be read: .*run `claimrag build` again"):
        tell(workspace, question)
