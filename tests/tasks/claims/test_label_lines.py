"""Joint replies: a label is read by the number of its line, and never guessed."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimrag.schemas.claim import Label
from claimrag.tasks.claims.label_lines import read_labels

E, N, C = Label.ENTAILMENT, Label.NEUTRAL, Label.CONTRADICTION

READ = {
    "bare list": ("Entailment\nNeutral\nContradiction", (E, N, C)),
    "bare list, blank lines and spaces": ("\n  Entailment \n\nNeutral\t\n\nContradiction\n", (E, N, C)),
    "bare list, other case": ("entailment\nNEUTRAL\nContradiction", (E, N, C)),
    "bullets": ("- Entailment\n* Neutral\n• Contradiction", (E, N, C)),
    "bold and code": ("**Entailment**\n`Neutral`\n_Contradiction_", (E, N, C)),
    "quotes and commas": ("'Entailment',\n\"Neutral\",\n“Contradiction”.", (E, N, C)),
    "fence": ("```\nEntailment\nNeutral\nContradiction\n```", (E, N, C)),
    "fence with a language": ("```text\nEntailment\nNeutral\nContradiction\n```", (E, N, C)),
    "numbers": ("1. Entailment\n2. Neutral\n3. Contradiction", (E, N, C)),
    "other numbers": ("1) Entailment\n(2) Neutral\n[3] Contradiction", (E, N, C)),
    "colons and dashes": ("1: Entailment\n2 - Neutral\n3 – Contradiction", (E, N, C)),
    "no space": ("1.Entailment\n2)Neutral\n3:Contradiction", (E, N, C)),
    "nothing but a space": ("1 Entailment\n2 Neutral\n3 Contradiction", (E, N, C)),
    "bold numbers": ("**1.** Entailment\n**2. Neutral**\n- **3**: *Contradiction*", (E, N, C)),
    "quoted labels": ("1. 'Entailment'\n2. \"Neutral\"\n3. [Contradiction]", (E, N, C)),
    "full stops": ("1. Entailment.\n2. Neutral,\n3. Contradiction;", (E, N, C)),
    "words for the number": ("Claim 1: Entailment\nclaim #2 - Neutral\nTriplet 3) Contradiction", (E, N, C)),
    "French words for the number": (
        "Affirmation 1 : Entailment\nN° 2 : Neutral\nno. 3: Contradiction",
        (E, N, C),
    ),
    "keys": ("c1: Entailment\n#2: Neutral\n**Claim 3**: Contradiction", (E, N, C)),
    "table rows": (
        "| Claim | Label |\n|---|:---:|\n| 1 | Entailment |\n| 2 | Neutral |\n| 3 | Contradiction |",
        (E, N, C),
    ),
    "a word for the label": (
        "1. Label: Entailment\n2. Answer = Neutral\n3. Verdict: **Contradiction**",
        (E, N, C),
    ),
    "the claim again": (
        (
            '1. ("a", "b", "c"): Entailment\n2. ("d", "e (f)", "g") - Neutral\n'
            "3. (“h”, “i”, “j”) → Contradiction"
        ),
        (E, N, C),
    ),
    "the claim again in a table": (
        (
            '| 1 | ("a", "b", "c") | Entailment |\n| 2 | ("d", "e", "f") | Neutral |\n'
            '| 3 | ("g", "h", "i") | Contradiction | why |'
        ),
        (E, N, C),
    ),
    "out of order": ("2. Neutral\n3. Contradiction\n1. Entailment", (E, N, C)),
    "heading before": (
        "The options are Entailment, Neutral or Contradiction.\n1. Entailment\n2. Neutral\n3. Contradiction",
        (E, N, C),
    ),
    "label names before": (
        "Labels (Entailment / Neutral / Contradiction):\n1. Entailment\n2. Neutral\n3. Contradiction",
        (E, N, C),
    ),
    "remarks after": (
        "1. Entailment\n2. Neutral\n3. Contradiction\n\nThe third is a contradiction, since it says ten.",
        (E, N, C),
    ),
    "remarks between": (
        (
            "1. Entailment\nIt says so.\n2. Neutral\nNothing on it, neither entailment nor contradiction.\n"
            "3. Contradiction"
        ),
        (E, N, C),
    ),
    "comment that denies": (
        "1. Entailment (there is no contradiction with the text)\n2. Neutral\n3. Contradiction",
        (E, N, C),
    ),
    "comments that deny": (
        (
            "1. Entailment, not Contradiction\n2. Neutral - neither entailment nor contradiction\n"
            "3. Contradiction, rather than Neutral"
        ),
        (E, N, C),
    ),
    "comments": (
        (
            "1. Entailment: the text says nine\n2. Neutral (not in the text)\n"
            "3. Contradiction because it says ten"
        ),
        (E, N, C),
    ),
    "the same word again": (
        "1. Entailment (a clear entailment)\n2. Neutral\n3. Contradiction - the contradiction is plain",
        (E, N, C),
    ),
    "comments with numbers": (
        "1. Entailment (Article 2, point 3)\n2. Neutral, see 1.\n3. Contradiction: 30 days, not 3",
        (E, N, C),
    ),
    "other line ends": ("1. Entailment\r\n2. Neutral\r\n3. Contradiction\r\n", (E, N, C)),
    "one claim": ("Neutral", (N,)),
    "one claim with its number": ("1. Contradiction (no entailment)", (C,)),
}

NOT_READ = {
    "nothing": ("", 1),
    "no label": ("I cannot say.", 1),
    "too few": ("Entailment\nNeutral", 3),
    "too many": ("Entailment\nNeutral\nContradiction\nNeutral", 3),
    "the case of the issue": (
        "1. Entailment (there is no contradiction with the text)\n2. Neutral\n3. Supported",
        3,
    ),
    "options, then fewer labels": (
        "The options are Entailment, Neutral or Contradiction.\nNeutral\nNeutral\nNeutral",
        3,
    ),
    "options alone": ("The options are Entailment, Neutral or Contradiction.", 3),
    "labels in a line": ("Entailment, Neutral, Contradiction", 3),
    "a list in brackets": ("['Entailment', 'Neutral', 'Contradiction']", 3),
    "numbered labels in a line": ("1. Entailment 2. Neutral 3. Contradiction", 3),
    "two labels on a line": ("1. Entailment Neutral\n2. Neutral\n3. Contradiction", 3),
    "two labels with a comma": ("1. Entailment, Neutral\n2. Neutral\n3. Contradiction", 3),
    "either label": ("1. Entailment or Neutral\n2. Neutral\n3. Contradiction", 3),
    "either label in parentheses": ("1. Entailment (or Neutral)\n2. Neutral\n3. Contradiction", 3),
    "a slash": ("1. Entailment/Neutral\n2. Neutral\n3. Contradiction", 3),
    "an arrow": ("1. Neutral -> Entailment\n2. Neutral\n3. Contradiction", 3),
    "a change of mind": ("1. Neutral. No, Entailment.\n2. Neutral\n3. Contradiction", 3),
    "a missing number": ("1. Entailment\n3. Contradiction", 3),
    "a number without a label": ("1. Entailment\n2.\n3. Contradiction", 3),
    "a label without its number": ("1. Entailment\nNeutral\n3. Contradiction", 3),
    "a label too many without a number": ("1. Entailment\n2. Neutral\nContradiction", 2),
    "a repeated number": ("1. Entailment\n2. Neutral\n2. Neutral", 3),
    "a number given twice": ("1. Entailment\n2. Neutral\n3. Contradiction\n3. Neutral", 3),
    "numbers from 0": ("0. Entailment\n1. Neutral\n2. Contradiction", 3),
    "numbers from 2": ("2. Entailment\n3. Neutral\n4. Contradiction", 3),
    "one number too many": ("1. Entailment\n2. Neutral\n3. Contradiction\n4. Neutral", 3),
    "not a label": ("1. Not Entailment\n2. Neutral\n3. Contradiction", 3),
    "denied after a name": ("1. Label: not Entailment\n2. Neutral\n3. Contradiction", 3),
    "denied in its comment": ("1. Entailment (no entailment at all)\n2. Neutral\n3. Contradiction", 3),
    "a label that cannot be": ("1. Contradiction cannot be shown\n2. Neutral\n3. Contradiction", 3),
    "a label of another word": ("1. Entailment-like\n2. Neutrality\n3. Contradictions", 3),
    "words of the family": ("1. Entailed\n2. Neutral\n3. Contradicted", 3),
    "French labels": ("1. Implication\n2. Neutre\n3. Contradiction", 3),
    "a bare list with a comment": ("Entailment\nNeutral (not in the text)\nContradiction", 3),
    "a bare list with a heading": ("Here are the labels:\nEntailment\nNeutral\nContradiction", 3),
    "prose": ("The first claim is Entailment and the second is Neutral.", 2),
    "prose that begins with a number": ("2 claims are Entailment\n1. Neutral\n2. Neutral", 2),
    "a fraction": ("1.5 Entailment", 1),
    "the claim holds a label": ('1. ("a", "is", "Neutral"): Entailment', 1),
    "options with numbers, then labels": (
        "1. Entailment\n2. Neutral\n3. Contradiction\n\nNeutral\nNeutral\nNeutral",
        3,
    ),
    "options with numbers, then numbers": (
        "1. Entailment\n2. Neutral\n3. Contradiction\n\n1. Neutral\n2. Neutral\n3. Neutral",
        3,
    ),
    "two numbers": ("1. 2. Entailment", 1),
}


@pytest.mark.parametrize("name", READ)
def test_a_reply_that_gives_each_claim_its_label_is_read(name: str) -> None:
    text, labels = READ[name]
    assert read_labels(text, len(labels)) == labels


@pytest.mark.parametrize("name", NOT_READ)
def test_a_reply_that_leaves_a_label_open_is_not_read(name: str) -> None:
    text, count = NOT_READ[name]
    assert read_labels(text, count) is None


LABELS = st.lists(st.sampled_from(list(Label)), min_size=1, max_size=50)
COMMENTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Zl", "Zp")), max_size=40)


@given(
    LABELS,
    st.randoms(),
    st.sampled_from(["{n}. {label}", "({n}) {label}", "| {n} | {label} |", "Claim {n}: **{label}**"]),
)
def test_labels_are_read_by_their_number_in_whatever_order_they_come(
    labels: list[Label], random: object, form: str
) -> None:
    lines = [form.format(n=n, label=label.value) for n, label in enumerate(labels, start=1)]
    random.shuffle(lines)  # type: ignore[attr-defined]
    assert read_labels("\n".join(lines), len(labels)) == tuple(labels)


@given(LABELS, COMMENTS, st.data())
def test_no_comment_in_parentheses_shifts_a_label(
    labels: list[Label], comment: str, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(labels) - 1))
    lines = [f"{n}. {label.value}" for n, label in enumerate(labels, start=1)]
    lines[place] += f" ({comment})"
    assert read_labels("\n".join(lines), len(labels)) in (tuple(labels), None)


@given(st.text(max_size=200), st.integers(1, 5))
def test_no_text_breaks_the_reader_and_what_it_gives_is_one_label_per_claim(text: str, count: int) -> None:
    labels = read_labels(text, count)
    assert labels is None or len(labels) == count


HOSTILE = [
    "1. " + "- " * 480 + "x",
    '1. ("' + '") ("' * 190,
    '1. ("' + '") :' * 190,
    "1. Neutral " + "not a " * 160,
    "1. Neutral (" + "no b " * 190,
    "Neutral " + "- " * 490 + "x",
    "|" * 990 + "x",
]


@pytest.mark.parametrize("line", HOSTILE)
def test_hostile_lines_are_read_in_a_moment(line: str) -> None:
    begun = time.perf_counter()
    assert read_labels("\n".join([line] * 20), 20) is None
    assert time.perf_counter() - begun < 2


def test_a_line_that_is_far_too_long_leaves_the_reply_unread() -> None:
    comment = "x" * 1_000
    assert read_labels(f"1. Neutral\n2. Neutral ({comment})", 2) is None
    assert read_labels(f"1. Neutral\n{comment}", 1) == (N,)
    assert read_labels(f"1. Neutral\n{comment}x", 1) is None
