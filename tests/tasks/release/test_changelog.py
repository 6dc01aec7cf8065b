"""The changelog says in words what each release brought, and keeps what was said of those before it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from claimrag.tasks.release import make_release
from claimrag.tasks.release.acts import names_of_laws

LAWS = "Laws: Regulation on village libraries (en) (32020R0001) and Regulation on village libraries (fr) (32021R0001)."


@pytest.fixture
def source(made_up_build, source_of):
    return source_of(made_up_build)


def changelog(result):
    return (Path(result.folder) / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_first_release_counts_its_rows(source, tmp_path, rows_of):
    result = make_release(tmp_path, source)
    counts = "\n".join(
        f"- `{name}`: {len(rows_of(result.folder, name))} rows" for name in result.release.rows
    )
    assert changelog(result) == (
        "# Changelog\n\n## 0.1.0\n\nThe number is 0.1.0 because it is the first release.\n\n"
        f"{LAWS}\n\n{counts}\n"
    )


def test_a_later_release_counts_what_changed_above_what_was_said_before(source, changed, tmp_path, rows_of):
    first = changelog(make_release(tmp_path, source))
    result = make_release(tmp_path, changed)
    assert [row["kind"] for row in rows_of(result.folder, "changes")] == ["changed"]
    assert changelog(result) == (
        "# Changelog\n\n## 0.2.0\n\nThe number is 0.2.0 because rows or columns came, went or changed.\n\n"
        f"{LAWS}\n\n- `qa`: 0 rows added, 0 removed, 1 changed\n\n" + first.removeprefix("# Changelog\n\n")
    )
    third = make_release(tmp_path, source)
    assert [line for line in changelog(third).splitlines() if line.startswith("## ")] == [
        "## 0.3.0",
        "## 0.2.0",
        "## 0.1.0",
    ]


def test_rows_that_left_are_counted_by_their_reason(source, tmp_path, rows_of):
    make_release(tmp_path, source)
    gone, stays = source.acts[0].id, source.acts[1].id
    tables = ("all_units", "all_context_units", "all_occurrences", "all_rejected")
    left = {name: [row for row in getattr(source, name) if row.act_id == stays] for name in tables}
    question, *questions = [one for one in source.all_questions if not gone.startswith(one.law_id)]
    left["all_questions"] = questions
    left["all_occurrences"] = [one for one in left["all_occurrences"] if one.question_id != question.id]
    left["all_claims"] = [one for one in source.all_claims if one.question_id in {q.id for q in questions}]
    fewer = replace(source, acts=[source.acts[1]], runs=(), counts={}, **left)
    result = make_release(tmp_path, fewer)
    removed = [row["reason"] for row in rows_of(result.folder, "changes") if row["configuration"] == "qa"]
    assert (removed.count("law_left"), removed.count("law_unchanged")) == (13, 1)
    text = changelog(result)
    assert (
        "- `qa`: 0 rows added, 14 removed, 0 changed (13 `law_left`: its law is no part of the release any more; "
        "1 `law_unchanged`: the units have the same words, and it was made anew or not kept)\n"
    ) in text
    assert "- `runs`: 0 rows added, 2 removed, 0 changed\n" in text


def test_a_release_without_changed_rows_says_so(source, tmp_path):
    make_release(tmp_path, source)
    text = changelog(make_release(tmp_path, source, version="1.0.0"))
    assert "The number 1.0.0 was chosen; from what changed it would be 0.1.1, because no row changed" in text
    assert "- no row differs from those of 0.1.0\n" in text


def test_a_changelog_that_was_edited_is_not_carried_over(source, changed, tmp_path):
    first = make_release(tmp_path, source)
    (Path(first.folder) / "CHANGELOG.md").write_text("by hand")
    text = changelog(make_release(tmp_path, changed))
    assert "by hand" not in text
    assert text.endswith("The changelog of 0.1.0 was damaged or not at hand.\n")


def test_a_damaged_changelog_is_written_again(source, changed, tmp_path):
    make_release(tmp_path, source)
    result = make_release(tmp_path, changed)
    before = changelog(result)
    (Path(result.folder) / "CHANGELOG.md").write_text("by hand")
    again = make_release(tmp_path, changed)
    assert (again.repaired, changelog(again)) == (("CHANGELOG.md",), before)


def test_the_name_of_a_law_is_shown_as_it_is(source, tmp_path):
    acts = [act.model_copy(update={"title": "x\n## [win](https://evil.example)"}) for act in source.acts]
    text = changelog(make_release(tmp_path, replace(source, acts=acts)))
    assert "Laws: x ## \\[win\\](https\\://evil.example)" in text


def test_a_law_is_named_once_and_of_many_the_first_and_how_many_more(made_up_build, two_versions):
    [english] = [act for act in made_up_build.acts if act.language == "en"]

    def law(number, language="en", **fields):
        act_id = f"eu/{number}/2024-01-01/{language}"
        return english.model_copy(
            update={"id": act_id, "celex": number, "short_title": f"Law {number}", **fields}
        )

    assert names_of_laws([law("1"), law("1", "fr"), law("2")]) == "Law 1 (1) and Law 2 (2)"
    assert names_of_laws([law("1")]) == "Law 1 (1)"
    assert names_of_laws([law(number) for number in "321"]) == "Law 1 (1), Law 2 (2) and Law 3 (3)"
    assert names_of_laws([law(number) for number in "54321"]) == "Law 1 (1), Law 2 (2), Law 3 (3) and 2 more"
    assert names_of_laws([law("1", short_title="t" * 81)]) == f"{'t' * 79}… (1)"
    assert names_of_laws(two_versions.acts).count("32020R0001") == 1
