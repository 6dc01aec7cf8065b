"""Reading triplets: every form that models write, and nothing ever run."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimrag.tasks.claims.triplets import TripletReading, read_compat, read_triplets

ABC = ("a", "b", "c")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('("a", "b", "c")', [ABC]),
        ('("a","b","c")', [ABC]),
        ('("a", "b", "c") ("d", "e", "f")', [ABC, ("d", "e", "f")]),
        ('("a", "b", "c"), ("d", "e", "f")', [ABC, ("d", "e", "f")]),
        ('("a",\n "b",\n "c")', [ABC]),
        ('- ("a", "b", "c")\n2. ("d", "e", "f")', [ABC, ("d", "e", "f")]),
        ('("a", "b", "c", )', [ABC]),
        ("('a', 'b', 'c')", [ABC]),
        ('("a", \'b\', "c")', [ABC]),
        ("(“a”, “b”, “l’État”)", [("a", "b", "l’État")]),
        ("(« a », « b », « c »)", [ABC]),
        ("('L'obligation', 'est', 'due')", [("L'obligation", "est", "due")]),
        (r'("a", "says \"no\"", "c")', [("a", 'says "no"', "c")]),
        ('("Art. 5", "says", "the "controller" must")', [("Art. 5", "says", 'the "controller" must')]),
        ('("a", "b", "c (d), e")', [("a", "b", "c (d), e")]),
        ('### KG:\n("a", "b", "c")', [ABC]),
        ('("a", "b", "c")\n### Notes\n("d", "e", "f")', [ABC, ("d", "e", "f")]),
        ('("a", "b", "### c")', [("a", "b", "### c")]),
        ('("subject", "predicate", "object")\n("a", "b", "c")', [ABC]),
        ('("a", "b", "c")\n("a", "b", "c")', [ABC, ABC]),
        ('("a", "b (1), (2)", "c")', [("a", "b (1), (2)", "c")]),
        ('{"claims": [("a", "b", "c")]}', [ABC]),
        ("Abstain", []),
        ('("the list", "enters", "sensors", "by May")', [("the list", "enters", "sensors by May")]),
        ('("a", "b", "c", "d", "e", "f")', [("a", "b", "c d e f")]),
        ("", []),
        ("See Articles (5, 6 and 7).", []),
    ],
)
def test_triplets_are_read_in_every_form_that_models_write(
    text: str, expected: list[tuple[str, ...]]
) -> None:
    reading = read_triplets(text)
    assert list(reading.triplets) == expected
    assert reading.malformed == ()


@pytest.mark.parametrize(
    "line",
    [
        '("a", "b", "c", "d", "e", "f", "g")',
        '("a", "b")',
        '("a", "b", "")',
        '("a", "b", c)',
        '("a", "b", "c',
        '("a", b)',
        '("a", "b)',
        '- ("a", "b',
        '("x", "y", __import__("os").system("id"))',
    ],
)
def test_what_opens_like_a_triplet_and_is_none_is_reported_and_the_next_line_still_read(line: str) -> None:
    for following in ('\n("a", "b", "c")', '\n\n 2. ("a", "b", "c")', '\n- ("a", "b", "c")'):
        reading = read_triplets(line + following)
        assert reading.triplets == (ABC,)
        assert reading.malformed == (line.removeprefix("- "),)


@pytest.mark.parametrize("line", ['("x", y), ("a", "b", "c")', '("x", y) ("a", "b", "c")'])
def test_a_malformed_triplet_takes_none_behind_it_along(line: str) -> None:
    reading = read_triplets(f'{line}\n("d", "e", "f")')
    assert reading.triplets == (("d", "e", "f"),)
    assert reading.malformed == (line,)


def test_an_invented_next_example_is_not_read() -> None:
    text = '("a", "b", "c")\n\n### Question:\nWhat else?\n### KG:\n("d", "e", "f")'
    assert read_triplets(text).triplets == (ABC,)


def test_code_in_a_reply_is_data_and_never_runs(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    code = f'__import__("pathlib").Path("{mark}").touch()'
    for line in (f'("x", "y", {code})', f'("x", "y", "z" + str({code}))', f'("x", {code}, "z")'):
        read_triplets(line)
        read_compat(line)
    assert not mark.exists()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('("a", "b", "c")', ["a", "b", "c"]),
        ('("a", "b", "c"), ("d", "e", "f")', None),
        ('("a", 1, "c")', None),
        ('("a", "the "b"", "c")', ['"a"', '"the "b""', '"c"']),
        (r'("a\d", "b", "c")', [r"a\d", "b", "c"]),
    ],
)
def test_compat_reading_gives_what_refchecker_makes_of_a_line(line: str, expected: list[str] | None) -> None:
    assert read_compat(line) == expected


@given(st.text(max_size=300))
def test_no_text_breaks_the_reader(text: str) -> None:
    for opened in (text, f'("{text}', f'("a", "{text}", "c")'):
        reading = read_triplets(opened)
        assert all(len(triplet) == 3 and all(triplet) for triplet in reading.triplets)


@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\"\\'“”‘’«»„,()#"), min_size=1),
        min_size=3,
        max_size=3,
    )
)
def test_plain_values_come_back_as_written_but_for_white_space(values: list[str]) -> None:
    values = [" ".join(value.split()) for value in values]
    text = "(" + ", ".join(f'"{value}"' for value in values) + ")"
    expected = () if not all(values) or values == ["subject", "predicate", "object"] else (tuple(values),)
    assert read_triplets(text).triplets == expected


def test_hostile_text_is_read_in_linear_time() -> None:
    assert read_triplets('("a\n' * 100_000).triplets == ()


def test_text_beyond_20000_characters_is_not_read() -> None:
    line = '("a", "b", "c")'
    padding = "x" * (20_000 - len(line))
    assert read_triplets(padding + line).triplets == (ABC,)
    cut = read_triplets("x" + padding + line)
    assert (cut.triplets, len(cut.malformed)) == ((), 1)


@pytest.mark.parametrize(("length", "read"), [(1_998, True), (1_999, True), (2_000, False), (5_000, False)])
def test_a_value_is_at_most_1999_characters_long(length: int, read: bool) -> None:
    value = "v" * length
    reading = read_triplets(f'("a", "b", "{value}")')
    assert reading.triplets == ((("a", "b", value),) if read else ())
    assert len(reading.malformed) == (0 if read else 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r'("a", "b", "c\\")', ("a", "b", "c\\")),
        (r'("a", "b \"x\", y", "c")', ("a", 'b "x", y', "c")),
        ("(„a“, „b”, „c“)", ABC),
        ("""("a", "x\\", 'y", "c")""", ("a", "x\", 'y", "c")),
        ('(   "a"   ,   "b"   ,   "c"   )', ABC),
        ('("a  b\n c", "d", "e")', ("a b c", "d", "e")),
        ('("a","b","c") trailing ) words', ABC),
    ],
)
def test_quotes_escapes_and_white_space_are_read_as_meant(text: str, expected: tuple[str, ...]) -> None:
    assert read_triplets(text) == TripletReading((expected,), ())  # type: ignore[arg-type]


def test_a_malformed_line_is_reported_alone_and_reading_goes_on_after_it() -> None:
    text = 'first ("a", "b")  \n("d", "e", "f") and ("g", h)\n("a", "b", "c")'
    reading = read_triplets(text)
    assert reading.triplets == (("d", "e", "f"), ABC)
    assert reading.malformed == ('("a", "b")', '("g", h)')


@pytest.mark.parametrize("heading", ["### Question: Q", "## Candidate Answer", "  # Input"])
def test_reading_ends_at_the_heading_of_an_invented_example(heading: str) -> None:
    assert read_triplets(f'{heading}\n("a", "b", "c")\n{heading}\n("d", "e", "f")').triplets == (ABC,)
    assert read_triplets(f'("a", "b", "c")\n{heading}s\n("d", "e", "f")').triplets[0] == ABC
