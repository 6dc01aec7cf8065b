"""Statements carry what they need to be understood."""

from __future__ import annotations

from collections.abc import Callable

from claimrag.legal_sources.parsed import ParsedAct
from claimrag.schemas.context import ContextUnit
from claimrag.tasks.generate.links import linked_statements
from claimrag.tasks.generate.statements import list_statements, sentence_statements

MakeContexts = Callable[[ParsedAct], list[ContextUnit]]


def test_a_point_comes_with_the_words_that_introduce_it(
    bells: ParsedAct, make_contexts: MakeContexts
) -> None:
    fine = sentence_statements(make_contexts(bells)[0], bells.text)
    assert [one.text(bells.text) for one in fine][1:3] == [
        "2. The ringer shall: (a) ring the great bell at noon;",
        "2. The ringer shall: (b) report a broken bell to the mayor within six hours.",
    ]
    assert [one.core for one in fine] == [(1,), (3,), (4,), (5,), (6,)]


def test_a_sentence_that_points_back_comes_with_the_one_before(
    bells: ParsedAct, make_contexts: MakeContexts
) -> None:
    last = sentence_statements(make_contexts(bells)[0], bells.text)[-1]
    assert last.numbers == (5, 6)
    assert last.text(bells.text).endswith("It is then rung the next day.")


def test_a_short_list_is_one_whole_statement(bells: ParsedAct, make_contexts: MakeContexts) -> None:
    whole = list_statements(make_contexts(bells)[0], bells.text)
    assert [one.numbers for one in whole] == [(1,), (2, 3, 4), (5, 6)]
    assert whole[1].lead_ins == {2}


def test_a_long_list_stays_in_pieces(make_law: Callable[..., ParsedAct], make_contexts: MakeContexts) -> None:
    law = make_law([("1", "Parts", [("A bell has:", [f"part number {n};" for n in range(6)])])])
    assert all(len(one.numbers) == 2 for one in list_statements(make_contexts(law)[0], law.text))


def test_what_is_cited_is_completed_by_its_lead_in(bells: ParsedAct, make_contexts: MakeContexts) -> None:
    statement = list_statements(make_contexts(bells)[0], bells.text)[1]
    assert statement.completed([4]) == [2, 4]
    assert statement.completed([2]) == [2, 3, 4]
    assert statement.completed([99]) == [2, 3, 4]


def test_linked_statements_lie_in_two_provisions_and_share_words(
    bells: ParsedAct, make_contexts: MakeContexts
) -> None:
    window = make_contexts(bells)[:2]
    (first, one), (second, other) = linked_statements(window, bells.text, 13)
    assert (first, second) == (1, 2)
    assert "broken bell" in one.text(bells.text)
    assert "broken bell" in other.text(bells.text)
    assert linked_statements(window * 2, bells.text, 13) == ()
