"""A release: its version is given or refused, the same content gives the same bytes, no change makes no release."""

from __future__ import annotations

import json
import uuid
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import fsspec
import pytest

from claimrag.schemas.errors import InputError, StoreError
from claimrag.tasks.release import (
    ReleaseStore,
    check_version,
    damaged_files,
    latest_release,
    make_release,
    read_release,
)


@pytest.fixture
def source(made_up_build, source_of):
    return source_of(made_up_build)


def readme(result):
    return (Path(result.folder) / "README.md").read_text()


def test_the_first_release_is_0_1_0_and_says_what_it_holds(source, tmp_path, files_of):
    result = make_release(tmp_path, source, lineage={"b": "2", "a": "1"})
    assert (result.created, result.repaired) == (True, ())
    assert result.folder == str(tmp_path / "0.1.0")
    release = result.release
    assert (release.version, release.previous) == ("0.1.0", None)
    assert release.acts == tuple(sorted(act.id for act in source.acts))
    assert release.rows == {"qa": 18, "claims": 36, "corpus": 5, "context_units": 5, "runs": 2, "rejected": 5}
    assert release.lineage == {"a": "1", "b": "2"}
    assert sorted(files_of(result.folder)) == sorted([*(file.path for file in release.files), "release.json"])
    assert [file.path for file in release.files] == [
        "CHANGELOG.md",
        "CITATION.cff",
        "README.md",
        "categories.svg",
        "croissant.json",
        "data/claims/test.parquet",
        "data/context_units/test.parquet",
        "data/corpus/test.parquet",
        "data/qa/test.parquet",
        "data/rejected/test.parquet",
        "data/runs/test.parquet",
    ]
    assert read_release(tmp_path, "0.1.0") == latest_release(tmp_path) == release
    assert [path.name for path in tmp_path.iterdir()] == ["0.1.0"]


def test_the_record_has_no_time_in_it(source, tmp_path):
    result = make_release(tmp_path, source)
    record = json.loads((Path(result.folder) / "release.json").read_text())
    assert not [key for key in record if "time" in key or "date" in key or key.endswith("_at")]


def test_the_same_tables_in_another_order_give_the_same_bytes(source, tmp_path, files_of):
    lists = [name for name in vars(source) if name != "counts"]
    reversed_ = replace(source, **{name: list(getattr(source, name))[::-1] for name in lists})
    first = make_release(tmp_path / "a", source)
    second = make_release(tmp_path / "b", reversed_)
    assert files_of(first.folder) == files_of(second.folder)


def test_when_an_act_was_fetched_is_no_part_of_the_release(source, tmp_path, files_of):
    fetched = datetime(2025, 1, 1, tzinfo=UTC)
    later = [act.model_copy(update={"retrieved_at": fetched}) for act in source.acts]
    first = make_release(tmp_path / "a", source)
    second = make_release(tmp_path / "b", replace(source, acts=later))
    assert files_of(first.folder) == files_of(second.folder)


@pytest.mark.parametrize("part", ["acts", "runs", "counts", "all_questions", "left out"])
def test_whatever_the_release_says_is_its_content(source, tmp_path, part):
    first = make_release(tmp_path, source)
    one, counts = source.all_questions[0], source.counts["question_shards"]
    changes = {
        "acts": {"acts": [act.model_copy(update={"licence": "other"}) for act in source.acts]},
        "runs": {"runs": ()},
        "counts": {"counts": {"question_shards": counts.model_copy(update={"considered": 24, "kept": 19})}},
        "all_questions": {"all_questions": [one.model_copy(update={"rationale": "!"}), *source.all_questions[1:]]},
        "left out": {"all_questions": [*source.all_questions, one.model_copy(update={"id": "q_nowhere"})]},
    }  # fmt: skip
    second = make_release(tmp_path, replace(source, **changes[part]))
    assert second.created
    assert second.release.content_sha256 != first.release.content_sha256
    expected = "0.2.0" if part in ("all_questions", "runs") else "0.1.1"
    assert (second.release.version, second.release.previous) == (expected, "0.1.0")


def test_unchanged_content_makes_no_new_release(source, tmp_path, files_of):
    first = make_release(tmp_path, source, lineage={"run": "one"})
    before = files_of(tmp_path)
    again = make_release(tmp_path, source, lineage={"run": "another"})
    assert (again.created, again.repaired, again.folder) == (False, (), first.folder)
    assert again.release == first.release
    assert files_of(tmp_path) == before


def test_unchanged_content_under_a_new_number_is_a_release_that_says_so(source, tmp_path, files_of):
    first = make_release(tmp_path, source)
    second = make_release(tmp_path, source, version="1.0.0")
    assert second.created
    assert (second.release.version, second.release.previous) == ("1.0.0", "0.1.0")
    assert second.release.content_sha256 == first.release.content_sha256
    card = readme(second)
    assert "## Changes since 0.1.0\n\nNo rows changed.\n" in card
    assert "Version 1.0.0:" in card
    one, other = files_of(first.folder), files_of(second.folder)
    assert {path for path in one if one[path] != other[path]} == {
        "CHANGELOG.md",
        "CITATION.cff",
        "README.md",
        "croissant.json",
        "release.json",
    }


def test_the_number_of_the_latest_release_may_be_asked_for_again_only_with_its_content(
    source, changed, tmp_path, files_of
):
    first = make_release(tmp_path, source, version="1.2.3")
    before = files_of(tmp_path)
    again = make_release(tmp_path, source, version="1.2.3")
    assert (again.created, again.release) == (False, first.release)
    with pytest.raises(InputError, match=r"version 1\.2\.3 does not follow 1\.2\.3, the latest release"):
        make_release(tmp_path, changed, version="1.2.3")
    assert files_of(tmp_path) == before


@pytest.mark.parametrize("version", ["0.0.9", "1.0.0", "1.1.9", "1.2.2"])
def test_a_version_below_the_latest_is_refused_before_a_row_is_read(source, tmp_path, files_of, version):
    make_release(tmp_path, source, version="1.2.3")
    before = files_of(tmp_path)
    with pytest.raises(InputError, match=rf"version {version} does not follow 1\.2\.3.*choose a higher one"):
        make_release(tmp_path, None, version=version)
    with pytest.raises(InputError, match=r"does not follow 1\.2\.3"):
        check_version(tmp_path, version)
    assert files_of(tmp_path) == before


@pytest.mark.parametrize("version", ["v2", "1.0", "../1.0.0", "01.0.0", "1.0.0-rc1", ""])
def test_what_is_no_version_is_refused_before_a_row_is_read(tmp_path, version):
    for call in (
        lambda: make_release(tmp_path, None, version=version),
        lambda: check_version(tmp_path, version),
    ):
        with pytest.raises(InputError, match="three numbers"):
            call()
    assert list(tmp_path.iterdir()) == []


def test_a_version_is_checked_against_the_latest_release(source, tmp_path):
    assert check_version(tmp_path, None) is None
    assert check_version(tmp_path, "0.0.1") is None
    first = make_release(tmp_path, source, version="1.2.3").release
    assert [check_version(tmp_path, version) for version in (None, "1.2.3", "1.2.4", "2.0.0")] == [first] * 4


@pytest.mark.parametrize("version", ["1.2.4", "1.10.0", "2.0.0", "10.0.0"])
def test_a_higher_version_is_given(source, changed, tmp_path, version):
    make_release(tmp_path, source, version="1.2.3")
    assert make_release(tmp_path, changed, version=version).release.version == version
    assert latest_release(tmp_path).version == version


def test_changed_rows_raise_the_minor_version_and_the_card_counts_them(source, tmp_path, table_under):
    make_release(tmp_path, source)
    gone = source.all_questions[-1].id
    kept = [one for one in source.all_questions if one.id != gone]
    kept[0] = kept[0].model_copy(update={"answer": "Another answer."})
    second = make_release(
        tmp_path,
        replace(
            source,
            all_questions=kept,
            all_occurrences=[one for one in source.all_occurrences if one.question_id != gone],
            all_claims=[claim for claim in source.all_claims if claim.question_id != gone],
        ),
    )
    assert second.release.version == "0.2.0"
    lines = {
        line.pop("configuration"): list(line.values())
        for line in table_under(readme(second), "Changes since 0.1.0")
    }
    assert lines == {
        "`claims`": ["0", "2", "0"],
        "`context_units`": ["0", "0", "0"],
        "`corpus`": ["0", "0", "0"],
        "`qa`": ["0", "1", "1"],
        "`rejected`": ["0", "0", "0"],
        "`runs`": ["0", "0", "0"],
    }


def test_an_object_store_holds_the_same_bytes_and_no_more(source, tmp_path, files_of):
    local = make_release(tmp_path, source)
    bucket = uuid.uuid4().hex
    memory = fsspec.filesystem("memory")
    stored = make_release(f"memory://{bucket}/releases", source)
    try:
        root = f"/{bucket}/releases/0.1.0"
        assert stored.folder == f"memory://{root}"
        found = {path.removeprefix(f"{root}/"): memory.cat_file(path) for path in memory.find(f"/{bucket}")}
        assert found == files_of(local.folder)
        assert latest_release(ReleaseStore(memory, f"/{bucket}/releases")) == stored.release
        assert damaged_files(f"memory://{bucket}/releases", stored.release) == []
        assert not make_release(ReleaseStore(memory, f"/{bucket}/releases"), source).created
    finally:
        memory.rm(f"/{bucket}", recursive=True)


def test_a_release_that_was_never_made_is_not_read(source, tmp_path):
    assert latest_release(tmp_path / "nowhere") is None
    with pytest.raises(StoreError, match=r"9\.0\.0 holds no release\.json; that release was not made here"):
        read_release(tmp_path, "9.0.0")


def test_only_folders_of_versions_are_releases(source, tmp_path):
    for name in ("v1.0.0", "notes", "2.0"):
        (tmp_path / name).mkdir()
    assert make_release(tmp_path, source).release.version == "0.1.0"
    assert ReleaseStore.at(tmp_path).versions() == ["0.1.0"]


def test_versions_are_listed_by_their_numbers(tmp_path):
    for name in ("0.9.0", "0.10.0", "0.9.10"):
        (tmp_path / name).mkdir()
    assert ReleaseStore.at(str(tmp_path)).versions() == ["0.10.0", "0.9.10", "0.9.0"]


@pytest.mark.parametrize("path", ["../secret", "data/../../secret", "/etc/passwd"])
def test_a_path_that_leaves_the_release_folder_is_refused(source, tmp_path, path):
    release = make_release(tmp_path, source).release
    outside = release.files[0].model_copy(update={"path": path})
    with pytest.raises(StoreError, match="leaves the release folder"):
        damaged_files(tmp_path, release.model_copy(update={"files": (outside,)}))
