"""Sentence ends in legal English and French."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimrag.tasks.segment import split_sentences


def sentences(text: str, **options: object) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text, **options)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "sentence",
    [
        "Sont applicables l'art. 5, al. 2 et l'annexe.",
        "Voir art. 5, al. 2, et No. 12 de la liste.",
        "Cela vaut p. ex. Pour les cloches et M. Dupont.",
        "Art. L. 234-1. Le bourgmestre fait sonner les cloches.",
        "Art. 12-1. Le sonneur garde la clef.",
        "1. The ringer keeps the key (see No. 4 of Annex I).",
        "(L. 2 juillet 2087) Le sonneur garde la clef.",
        "A ringer of category A. Smith and Co. Ltd. Rings twice.",
        "The bell weighs 1.5 tonnes, e.g. Those of 2090.",
        "Siehe Nr. 5 and ART. 6 of it.",
        "Il sonne (cf. Annexe) puis « op. Cit » encore.",
        "3bis. La cloche sonne.",
        "§ 2 quater. La cloche sonne.",
        "xiv. The bell rings.",
    ],
)
def test_abbreviations_initials_and_printed_numbers_end_no_sentence(sentence: str) -> None:
    assert sentences(sentence) == [sentence]


def test_sentences_end_at_full_stops_questions_and_exclamations() -> None:
    text = "The bell rings. Does it ring twice? It does! In paragraph 3. The end."
    assert sentences(text) == [
        "The bell rings.",
        "Does it ring twice?",
        "It does!",
        "In paragraph 3.",
        "The end.",
    ]


def test_quotation_marks_stay_with_their_sentence() -> None:
    assert sentences("« La cloche sonne. » Elle se tait.") == ["« La cloche sonne. »", "Elle se tait."]
    assert sentences("He said ‘ring’. ‘No’ means no.") == ["He said ‘ring’.", "‘No’ means no."]


def test_line_breaks_and_given_places_end_a_sentence() -> None:
    text = "the first;\nthe second; the third"
    assert sentences(text, breaks=[text.index("the third")]) == ["the first;", "the second;", "the third"]


def test_a_lone_number_joins_what_it_announces() -> None:
    assert sentences("(a)\nthe bell;\n2°\nla cloche") == ["(a)\nthe bell;", "2°\nla cloche"]
    assert sentences("The bell.\n3.") == ["The bell.\n3."]
    assert sentences("12.") == ["12."]


def test_a_list_within_a_line_is_not_cut_before_small_letters() -> None:
    text = "The ringer needs: a) a key. b) a rope."
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("It rings... Then not.", ["It rings...", "Then not."]),
        ("It rings… Then not.", ["It rings…", "Then not."]),
        ("Vue par I. Elle sonne?! Oui.", ["Vue par I. Elle sonne?!", "Oui."]),
        ("See art.. Then not.", ["See art..", "Then not."]),
        ("Is it art? Then not.", ["Is it art?", "Then not."]),
        ("It rings (twice.) “Then” not.", ["It rings (twice.)", "“Then” not."]),
        ("Elle sonne. « Non », dit-elle. À midi.", ["Elle sonne.", "« Non », dit-elle.", "À midi."]),
        ("It weighs 3. 4 bells weigh 9.", ["It weighs 3.", "4 bells weigh 9."]),
        ("It rings.Then not. and not.", ["It rings.Then not. and not."]),
        ("It rings in May. B. Smith rings.", ["It rings in May.", "B. Smith rings."]),
        ("It is so. b. Smith rings.", ["It is so. b.", "Smith rings."]),
        ("Sound it out: a. Then not.", ["Sound it out: a.", "Then not."]),
        ("the ( . Then not.", ["the ( .", "Then not."]),
        (f"It is {'x' * 45}art. Then not.", [f"It is {'x' * 45}art.", "Then not."]),
        ("a.\n\n\nb.", ["a.\n\n\nb."]),
        ("The end.\n \nThe start.", ["The end.", "The start."]),
        ("  The end.  The start.  ", ["The end.", "The start."]),
        ("The bell;\n3.\n4.\n", ["The bell;\n3.\n4."]),
        ("7.\n(a)\n1° the bell", ["7.\n(a)\n1° the bell"]),
        ("One bell.\nTwo bells.\n3. \n", ["One bell.", "Two bells.\n3."]),
        ("", []),
        (" \n ", []),
    ],
)
def test_ends_and_beginnings(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


def test_only_the_span_asked_for_is_split_and_breaks_outside_it_do_nothing() -> None:
    text = "The first. The second. The third."
    start, end = text.index("The second"), text.index(" The third")
    for breaks in ([], [0, start, end, len(text), 3]):
        assert sentences(text, start=start, end=end, breaks=breaks) == ["The second."]
    assert sentences(text, start=start, end=end, breaks=[start + 4]) == ["The", "second."]
    assert sentences("A\nb rings", start=2) == ["b rings"]


def test_a_long_line_of_abbreviations_or_dots_takes_no_time() -> None:
    begun = time.process_time()
    assert len(sentences("see art. 5 and " * 20_000)) == 1
    assert len(sentences("." * 20_000 + "x\n" + "- " * 20_000 + "(a")) == 1
    assert time.process_time() - begun < 5


@settings(deadline=None)
@given(st.text(alphabet="aZé1. \n?!()«»:;", max_size=80), st.lists(st.integers(0, 80), max_size=4))
def test_every_visible_character_lies_in_exactly_one_sentence(text: str, breaks: list[int]) -> None:
    spans = split_sentences(text, breaks=breaks)
    assert all(start < end for start, end in spans)
    assert all(one[1] <= other[0] for one, other in zip(spans, spans[1:], strict=False))
    covered = "".join(text[start:end] for start, end in spans)
    assert "".join(covered.split()) == "".join(text.split())
    assert all(text[start:end] == text[start:end].strip() for start, end in spans)
