"""Prompt files: what is accepted, and what is refused with which sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from claimrag import prompts
from claimrag.prompts.loader import languages_of, load_from
from claimrag.prompts.temperature import TemperatureRule
from claimrag.schemas.errors import InputError

FRONT = "id: stage/name\nversion: 3\nlanguage: en\nvariables: [who]\n"
BODY = "## system\nBe exact.\n\n## user\nHello {{ who }}.\n"


def write(folder: Path, front: str = FRONT, body: str = BODY, name: str = "name.en.md") -> Path:
    (folder / "stage").mkdir(exist_ok=True)
    (folder / "stage" / name).write_text(f"---\n{front}---\n{body}", encoding="utf-8")
    return folder


def test_a_prompt_file_becomes_messages(tmp_path: Path) -> None:
    prompt = load_from(write(tmp_path), "stage/name", "en")
    assert prompt.render(who="you") == (("system", "Be exact."), ("user", "Hello you."))
    assert (prompt.id, prompt.version, prompt.language, prompt.schema) == ("stage/name", 3, "en", None)


def test_the_hash_changes_with_the_words_and_with_what_the_file_begins_with(tmp_path: Path) -> None:
    first = load_from(write(tmp_path), "stage/name", "en").hash
    assert load_from(tmp_path, "stage/name", "en").hash == first
    assert load_from(write(tmp_path, body=BODY + "More."), "stage/name", "en").hash != first
    child = FRONT.replace("stage/name", "stage/child") + "begins_with: stage/name\n"
    write(tmp_path, child, "## user\nBye {{ who }}.", "child.en.md")
    before = load_from(tmp_path, "stage/child", "en").hash
    write(tmp_path, body=BODY + "Other.")
    assert load_from(tmp_path, "stage/child", "en").hash != before


def test_a_prompt_that_begins_with_another_continues_its_last_message(tmp_path: Path) -> None:
    write(tmp_path)
    child = "id: stage/child\nversion: 1\nlanguage: en\nbegins_with: stage/name\nvariables: [what]\n"
    write(tmp_path, child, "## user\nDo {{ what }}.", "child.en.md")
    prompt = load_from(tmp_path, "stage/child", "en")
    assert prompt.variables == {"who", "what"}
    assert prompt.render(who="you", what="it")[-1] == ("user", "Hello you.\n\nDo it.")


@pytest.mark.parametrize(
    ("front", "body", "said"),
    [
        (FRONT + "colour: red\n", BODY, "front matter is wrong"),
        (FRONT.replace("[who]", "[who, when]"), BODY, "make them equal"),
        (FRONT.replace("[who]", "[]"), BODY, "make them equal"),
        (FRONT.replace("stage/name", "stage/other"), BODY, "calls itself"),
        (FRONT + "temperature: 3.0\n", BODY, "not ordered"),
        (FRONT + "temperature: {uniform: [0.5, 0.3]}\n", BODY, "not ordered"),
        (FRONT, "No role {{ who }}.\n" + BODY, "must begin with"),
        (FRONT, "## user\n{{ who ", "section user"),
        ("id: [unclosed\n", BODY, "front matter is wrong"),
    ],
)
def test_a_wrong_file_is_refused_with_its_name(tmp_path: Path, front: str, body: str, said: str) -> None:
    write(tmp_path, front, body)
    with pytest.raises(InputError, match=said) as caught:
        load_from(tmp_path, "stage/name", "en")
    assert "stage/name.en.md" in str(caught.value)


def test_a_file_without_front_matter_or_not_utf8_or_too_big_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path) / "stage" / "name.en.md"
    for content, said in (
        (b"hello", "front matter"),
        (b"---\n\xff\n---\n", "UTF-8"),
        (b"x" * 70_000, "bytes"),
    ):
        path.write_bytes(content)
        with pytest.raises(InputError, match=said):
            load_from(tmp_path, "stage/name", "en")


@pytest.mark.parametrize(
    "prompt_id", ["../secret", "stage/../../x", "/etc/passwd", "stage", "Stage/Name", ""]
)
def test_an_id_cannot_point_outside_the_package(prompt_id: str) -> None:
    with pytest.raises(InputError, match="an id is"):
        prompts.load(prompt_id, "en")


def test_a_language_without_a_prompt_is_refused() -> None:
    with pytest.raises(InputError, match=r"support\.de\.md does not exist"):
        prompts.load("generate/support", "de")


def test_a_temperature_is_drawn_once_per_seed_within_its_bounds() -> None:
    rule = TemperatureRule(0.3, 0.5)
    drawn = [rule.draw(seed) for seed in range(200)]
    assert drawn == [rule.draw(seed) for seed in range(200)]
    assert min(drawn) >= 0.3
    assert max(drawn) <= 0.5
    assert len(set(drawn)) > 100
    assert TemperatureRule(0.7, 0.7).draw(5) == 0.7


def test_a_language_counts_once_every_prompt_is_written_in_it(tmp_path: Path) -> None:
    for name in ("a.en.md", "a.fr.md", "b.en.md"):
        write(tmp_path, name=name)
    (tmp_path / "notes.de.md").write_text("not a prompt: it is in no stage", encoding="utf-8")
    assert languages_of(tmp_path) == ("en",)
    write(tmp_path, name="b.fr.md")
    assert languages_of(tmp_path) == ("en", "fr")
    assert languages_of(tmp_path / "stage") == ()
