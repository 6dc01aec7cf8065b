"""The section on baselines: every system in full, over how many questions, intervals only where they say something."""

from __future__ import annotations

import pytest

from claimrag.schemas.run import MeanScore
from claimrag.tasks.release.scores import scores_section


def scored(run, number, total=40):
    """The run with every mean over `number` questions."""
    scores = tuple(
        MeanScore(metric=one.metric, mean=50.0, low=40.0, high=60.0, scored=number, total=total)
        for one in run.scores
    )
    return run.model_copy(update={"scores": scores, "questions": total})


@pytest.fixture
def section(table_under):
    """A table of the section, by its number."""
    return lambda runs, number: table_under(f"\n{scores_section(runs)}", "Baselines", number)


def test_without_a_run_there_is_no_section():
    assert scores_section(()) == ""


def test_every_system_is_named_in_full(made_up_build, section):
    asked = {
        "generator_mode": "seed=sent",
        "judge_mode": "seed=no",
        "answer_prompt": "answer@1",
        "checker": "keyed (2)",
    }
    runs = [
        run.model_copy(update={"system": run.system.model_copy(update=asked)}) for run in made_up_build.runs
    ]
    run = runs[0]
    embeds = run.system.model_copy(update={"embedder": "made-up-embedder", "retriever": "dense"})
    runs.append(run.model_copy(update={"id": "run_x", "system": embeds}))
    lines = section(runs, 0)
    assert [(line["system"], line["language"], line["questions"]) for line in lines] == [
        ("S1", "EN", "13"), ("S2", "EN", "13"), ("S3", "FR", "5"),
    ]  # fmt: skip
    assert [line["embedder"] for line in lines] == ["-", "made-up-embedder", "-"]
    system = run.system
    assert lines[0] == {
        "system": "S1",
        "language": "EN",
        "questions": "13",
        "chunker": system.chunker,
        "retriever": "bm25",
        "embedder": "-",
        "generator": "made-up-model",
        "asked with": "seed=sent",
        "answer prompt": "answer@1",
        "chunks (k)": "2",
        "context tokens": str(system.context_tokens),
        "judge": "made-up-judge",
        "judge asked with": "seed=no",
        "checker": "keyed (2)",
    }


def test_a_system_that_is_asked_in_no_special_way_shows_a_dash(made_up_build, section):
    assert {line["asked with"] for line in section(made_up_build.runs, 0)} == {"-"}


def test_two_systems_with_one_retriever_and_generator_are_told_apart(made_up_build, with_systems, section):
    runs = with_systems(made_up_build, chunker="fixed-600-120")
    english = sorted((run for run in runs if run.language == "en"), key=lambda run: run.id)
    for number in (1, 2):
        names = [line["RAG System"] for line in section(runs, number)]
        assert names == [f"S{n} bm25 + made-up-model" for n in (1, 2, 3, 4)]
    chunkers = [line["chunker"] for line in section(runs, 0)[:2]]
    assert chunkers == [run.system.chunker for run in english]
    assert set(chunkers) == {"article", "fixed-600-120"}


def test_the_order_of_the_runs_does_not_matter(made_up_build, with_systems):
    runs = with_systems(made_up_build, retriever="dense")
    assert scores_section(runs) == scores_section(runs[::-1])


def test_means_stand_with_over_how_many_questions(made_up_build, section):
    english, french = section(made_up_build.runs, 1)
    assert (english["Lang"], english["P"], english["Scored"]) == ("EN", "50.0", "13/13")
    assert (french["Lang"], french["Scored"]) == ("FR", "5/5")
    assert [line["Scored"] for line in section(made_up_build.runs, 2)] == ["13/13", "5/5"]


def test_intervals_are_given_for_means_of_ten_questions_or_more(made_up_build, section):
    english, french = made_up_build.runs
    runs = [scored(english, 10), scored(french, 9)]
    lines = section(runs, 3)
    assert {line["Lang"] for line in lines} == {"EN"}
    assert len(lines) == len(english.scores)
    assert lines[0] == {
        "RAG System": "S1 bm25 + made-up-model",
        "Lang": "EN",
        "Metric": "P",
        "Mean": "50.0",
        "95 % interval": "40.0 to 60.0",
        "Scored": "10/40",
    }
    total = len(english.scores) + len(french.scores)
    text = scores_section(runs)
    assert f"are given for means of 10 questions or more: {len(lines)} of the {total} means." in text


def test_an_interval_stands_with_the_metric_it_is_of(made_up_build, section):
    run = made_up_build.runs[0]
    scores = [one.model_copy(update={"scored": 10 if one.metric == "recall" else 9}) for one in run.scores]
    [line] = section([run.model_copy(update={"scores": tuple(scores)})], 3)
    assert line["Metric"] == "R"


def test_without_a_mean_of_ten_questions_there_is_no_table_of_intervals(made_up_build, section):
    runs = [scored(run, 1) for run in made_up_build.runs]
    text = scores_section(runs)
    assert "No mean stands on 10 questions or more, so no interval is given." in text
    assert "95 %" not in text
    assert list(section(runs, 3)[0]) == ["metric", "meaning"]


def test_every_abbreviation_of_the_tables_is_in_the_legend(made_up_build, section):
    legend = {line["metric"]: line["meaning"] for line in section(made_up_build.runs, 4)}
    shown = {name for number in (1, 2) for name in section(made_up_build.runs, number)[0]}
    assert shown - {"RAG System", "Lang", "Scored"} == legend.keys()
    assert all(meaning.endswith(".") for meaning in legend.values())
