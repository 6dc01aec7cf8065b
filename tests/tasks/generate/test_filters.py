"""Each filter finds its defect and lets a good draft pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from claimrag.legal_sources.parsed import ParsedAct
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.question import AlterationKind, FalsePremise, ModelTrace, Quotation
from claimrag.schemas.reason import Reason
from claimrag.tasks.generate.alteration import choose_alteration
from claimrag.tasks.generate.desk import Desk
from claimrag.tasks.generate.drafts import Draft
from claimrag.tasks.generate.filters import (
    check_asks_no_reason,
    check_detail,
    check_each_contributes,
    check_evidence,
    check_premise,
    check_wording,
    with_belief,
)
from claimrag.tasks.generate.provisions import quoted
from claimrag.tasks.generate.reasons import ItemRejectedError

TRACE = ModelTrace(model="m", temperature=0.0, seed=1, prompt_id="p", prompt_hash="h", request_key="k")
GOOD = Draft(
    question="Within how many hours must the ringer report a broken bell to the mayor?",
    answer="The ringer must report a broken bell to the mayor within six hours.",
    rationale="The sentence says six hours.",
    cited=(4,),
    raw="{}",
    trace=TRACE,
)
MakeDesk = Callable[..., Desk]
MakeContexts = Callable[[ParsedAct], list[ContextUnit]]


@pytest.fixture
def desk(bells: ParsedAct, make_desk: MakeDesk) -> Desk:
    return make_desk(bells)


@pytest.fixture
def ringers(bells: ParsedAct, make_contexts: MakeContexts) -> ContextUnit:
    return make_contexts(bells)[0]


@pytest.fixture
def evidence(bells: ParsedAct, ringers: ContextUnit) -> tuple[Quotation, ...]:
    return quoted(ringers, [2, 4])


def reason_of(check: Callable[[], None]) -> str | None:
    try:
        check()
    except ItemRejectedError as rejected:
        assert not rejected.reason.is_malfunction
        assert rejected.detail.endswith(".")
        return rejected.reason
    return None


def test_a_good_draft_passes_every_filter(
    desk: Desk, ringers: ContextUnit, evidence: tuple[Quotation, ...]
) -> None:
    check_wording(desk, GOOD)
    check_asks_no_reason(desk, GOOD)
    check_detail(GOOD, "six hours")
    check_evidence(desk, GOOD, [ringers], evidence)


@pytest.mark.parametrize(
    ("question", "answer", "reason"),
    [
        ("The ringer reports a broken bell to the mayor.", GOOD.answer, Reason.NOT_A_QUESTION),
        ("When is it?", GOOD.answer, Reason.NOT_A_QUESTION),
        ("What must the ringer report under this Article?", GOOD.answer, Reason.REFERS_TO_UNSEEN_TEXT),
        (
            "What must the ringer report according to the text above?",
            GOOD.answer,
            Reason.REFERS_TO_UNSEEN_TEXT,
        ),
        ("What must the ringer do under paragraph 2 of the law?", GOOD.answer, Reason.REFERS_TO_UNSEEN_TEXT),
        ("What must the ringer report in the provided context?", GOOD.answer, Reason.REFERS_TO_UNSEEN_TEXT),
        (GOOD.question, "…", Reason.ANSWER_TOO_SHORT),
        (GOOD.question, "Must the ringer report it within six hours?", Reason.NOT_AN_ANSWER),
        (GOOD.question, "The ringer must report a broken bell.", Reason.ANSWER_IN_QUESTION),
        ("Quel est le délai dans lequel le sonneur signale la cloche ?", GOOD.answer, Reason.WRONG_LANGUAGE),
        (GOOD.question, "Le sonneur le signale au maire dans les six heures du jour.", Reason.WRONG_LANGUAGE),
    ],
)
def test_defects_of_wording(desk: Desk, question: str, answer: str, reason: Reason) -> None:
    assert reason_of(lambda: check_wording(desk, replace(GOOD, question=question, answer=answer))) == reason


@pytest.mark.parametrize(
    "question",
    [
        "Quelles règles cet article fixe-t-il pour le sonneur de la commune ?",
        "Que doit faire le sonneur selon la présente loi de la commune ?",
        "Que doit faire le sonneur de la commune selon le paragraphe 2 ?",
        "Quel est le sens de la disposition pour le sonneur de la commune ?",
    ],
)
def test_french_questions_that_point_at_unseen_text(
    cloches: ParsedAct, make_desk: MakeDesk, question: str
) -> None:
    draft = replace(
        GOOD, question=question, answer="Le sonneur signale la cloche au bourgmestre dans les six heures."
    )
    assert reason_of(lambda: check_wording(make_desk(cloches), draft)) == Reason.REFERS_TO_UNSEEN_TEXT


@pytest.mark.parametrize(
    "question",
    [
        "What must the ringer do under Article 1 of the Village Bells Regulation?",
        "Who counts as a ringer under point (a) of Article 2(1) of the Village Bells Regulation?",
    ],
)
def test_named_articles_are_no_unseen_text(desk: Desk, question: str) -> None:
    check_wording(desk, replace(GOOD, question=question))


def test_a_question_why_is_refused_in_both_languages(
    desk: Desk, cloches: ParsedAct, make_desk: MakeDesk
) -> None:
    english = replace(GOOD, question="Why must the ringer report a broken bell to the mayor?")
    french = replace(GOOD, question="Pourquoi le sonneur doit-il signaler la cloche cassée ?")
    assert reason_of(lambda: check_asks_no_reason(desk, english)) == Reason.ASKS_FOR_A_REASON
    assert reason_of(lambda: check_asks_no_reason(make_desk(cloches), french)) == Reason.ASKS_FOR_A_REASON


def test_a_factual_question_hides_its_detail_and_the_answer_states_it() -> None:
    revealing = replace(GOOD, question="Must the ringer report a broken bell within six hours?")
    silent = replace(GOOD, answer="The ringer must report it soon.")
    assert reason_of(lambda: check_detail(revealing, "six hours")) == Reason.ANSWER_IN_QUESTION
    assert reason_of(lambda: check_detail(silent, "six hours")) == Reason.DETAIL_NOT_STATED
    assert reason_of(lambda: check_detail(silent, None)) is None


@pytest.mark.parametrize(
    ("question", "answer", "reason"),
    [
        (GOOD.question, "The ringer must report it within twelve hours.", Reason.ANSWER_BEYOND_EVIDENCE),
        (GOOD.question, "The ringer must report it within 6 hours.", Reason.ANSWER_BEYOND_EVIDENCE),
        (GOOD.question, "Children could otherwise suffer terrible injuries.", Reason.ANSWER_BEYOND_EVIDENCE),
        ("What is the purpose of that?", GOOD.answer, Reason.TOO_VAGUE),
    ],
)
def test_defects_against_the_evidence(
    desk: Desk,
    ringers: ContextUnit,
    evidence: tuple[Quotation, ...],
    question: str,
    answer: str,
    reason: Reason,
) -> None:
    draft = replace(GOOD, question=question, answer=answer)
    assert reason_of(lambda: check_evidence(desk, draft, [ringers], evidence)) == reason


def test_a_false_premise_is_assumed_by_the_question_and_corrected_by_the_answer(
    bells: ParsedAct, ringers: ContextUnit
) -> None:
    alteration = choose_alteration(ringers, bells.text, 13)
    assert alteration is not None
    assert alteration.original == "six hours"
    false = f"Why must the ringer report a broken bell within {alteration.altered}?"
    good = replace(GOOD, question=false, answer="No, the ringer must report it within six hours.")
    check_premise(good, alteration)
    with pytest.raises(ItemRejectedError, match="says that the belief is wrong"):
        check_premise(
            replace(good, question=f"Why does one wrongly believe {alteration.altered}?"), alteration
        )
    with pytest.raises(ItemRejectedError, match=Reason.PREMISE_NOT_CORRECTED):
        check_premise(replace(good, answer="No, it is not so."), alteration)
    with pytest.raises(ItemRejectedError, match=Reason.PREMISE_NOT_ASSUMED):
        check_premise(replace(good, question="Why must the ringer report a broken bell?"), alteration)
    with pytest.raises(ItemRejectedError, match=Reason.PREMISE_NOT_ASSUMED):
        check_premise(replace(good, question=f"{false} Or within six hours?"), alteration)


def test_a_question_that_states_the_truth_gets_the_false_premise_in_code(
    bells: ParsedAct, ringers: ContextUnit
) -> None:
    alteration = choose_alteration(ringers, bells.text, 13)
    assert alteration is not None
    true = replace(GOOD, question="Why must the ringer report a broken bell within six hours?")
    assert with_belief(true, alteration).question == true.question.replace("six hours", alteration.altered)
    already = replace(GOOD, question=f"Why within {alteration.altered} and not six hours?")
    assert with_belief(already, alteration) == already


def test_each_quoted_unit_must_give_words_to_a_multi_hop_answer(
    bells: ParsedAct, make_contexts: MakeContexts
) -> None:
    first, second, _ = make_contexts(bells)
    both = (*quoted(first, [2, 4]), *quoted(second, [1]))
    joined = replace(GOOD, answer=f"{GOOD.answer} The village pays the ringer a fee of 40 euros each month.")
    check_each_contributes(joined, both)
    assert reason_of(lambda: check_each_contributes(GOOD, both)) == Reason.SINGLE_UNIT_EVIDENCE


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("May the ringer report bells?", None),
        ("May ringers report bells?", Reason.NOT_A_QUESTION),
        ("Do ringers say « who rings the bell ?»", None),
        ("Do ringers say « who rings the bell ? »", None),
        ('Do ringers say "who rings the bell?"', None),
        ("Do ringers say (who rings the bell?)", Reason.NOT_A_QUESTION),
    ],
)
def test_a_question_has_five_words_and_ends_as_one(desk: Desk, question: str, reason: Reason | None) -> None:
    assert reason_of(lambda: check_wording(desk, replace(GOOD, question=question))) == reason


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("16.", None),
        ("6.", Reason.ANSWER_TOO_SHORT),
        ("Seven.", None),
        ("x", Reason.ANSWER_TOO_SHORT),
        ("Ok", Reason.ANSWER_IN_QUESTION),
        ("Lanterns.", Reason.ANSWER_IN_QUESTION),
        ("Lanterns glow.", None),
        ("Report a broken bell", Reason.ANSWER_IN_QUESTION),
        ("ringer must report 7 bells", None),
    ],
)
def test_an_answer_brings_two_new_words_or_a_number(desk: Desk, answer: str, reason: Reason | None) -> None:
    assert reason_of(lambda: check_wording(desk, replace(GOOD, answer=answer))) == reason


@pytest.mark.parametrize(
    ("wrong", "confidence", "reason"),
    [
        (GOOD.question, 0.9, Reason.WRONG_LANGUAGE),
        (GOOD.answer, 0.9, Reason.WRONG_LANGUAGE),
        (GOOD.question, 0.89, None),
        (GOOD.answer, 0.89, None),
    ],
)
def test_a_language_counts_as_wrong_where_that_is_nine_tenths_sure(
    desk: Desk, wrong: str, confidence: float, reason: Reason | None
) -> None:
    def identify(text: str) -> tuple[str, float]:
        return ("fr", confidence) if text == wrong else ("en", 1.0)

    assert reason_of(lambda: check_wording(replace(desk, identify=identify), GOOD)) == reason


def test_words_of_a_detail_are_compared_as_words(desk: Desk) -> None:
    longer = replace(GOOD, question="Must it be twenty-six hours later?", answer="It must be in Six  Hours.")
    assert reason_of(lambda: check_detail(longer, "x hours")) == Reason.DETAIL_NOT_STATED
    assert reason_of(lambda: check_detail(longer, "six hours")) == Reason.ANSWER_IN_QUESTION
    plain = replace(longer, question="Must it be sixteen hours later?")
    assert reason_of(lambda: check_detail(plain, "six hours")) is None


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("Do bells need lightning now?", Reason.TOO_VAGUE),
        ("Do bells of lightning stay near now?", None),
        ("Do Village Regulation bells work?", None),
        ("Do ringers ask bells out?", Reason.TOO_VAGUE),
    ],
)
def test_a_question_names_three_words_of_the_law(
    desk: Desk,
    ringers: ContextUnit,
    evidence: tuple[Quotation, ...],
    question: str,
    reason: Reason | None,
) -> None:
    draft = replace(GOOD, question=question, answer="Report within six hours.")
    assert reason_of(lambda: check_evidence(desk, draft, [ringers], evidence)) == reason


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("Purple lanterns; mayor ringer six hours.", None),
        ("Purple lanterns; within six.", None),
        ("Purple lanterns shine; within six.", Reason.ANSWER_BEYOND_EVIDENCE),
        ("Report bells to the mayor.", None),
        ("Within twelve or 12.", Reason.ANSWER_BEYOND_EVIDENCE),
    ],
)
def test_half_of_an_answers_new_words_stand_in_the_evidence(
    desk: Desk, ringers: ContextUnit, evidence: tuple[Quotation, ...], answer: str, reason: Reason | None
) -> None:
    draft = replace(GOOD, question="Must the ringer report a broken bell to the mayor?", answer=answer)
    assert reason_of(lambda: check_evidence(desk, draft, [ringers], evidence)) == reason


def test_unknown_numbers_are_named_in_order(
    desk: Desk, ringers: ContextUnit, evidence: tuple[Quotation, ...]
) -> None:
    draft = replace(GOOD, answer="Within twelve or 12 hours, not six.")
    with pytest.raises(ItemRejectedError, match="The answer states 12, twelve, which the evidence does not"):
        check_evidence(desk, draft, [ringers], evidence)
    asked = replace(draft, question=GOOD.question.replace("?", " in 12 or twelve days?"))
    check_evidence(desk, asked, [ringers], evidence)


def quotation(unit: str, text: str) -> Quotation:
    return Quotation(context_unit_id=unit, sentence=1, start=0, end=len(text), text=text)


@pytest.mark.parametrize(
    ("answer", "contributes"),
    [
        ("Copper silver and marble granite.", True),
        ("Copper silver and marble.", False),
        ("Copper and marble granite.", False),
        ("Copper silver timber and marble timber.", False),
    ],
)
def test_a_provision_contributes_by_two_words_that_no_other_has(answer: str, contributes: bool) -> None:
    quotations = [
        quotation("ctx_1", "copper timber"),
        quotation("ctx_1", "silver"),
        quotation("ctx_2", "marble granite timber"),
    ]
    draft = replace(GOOD, answer=answer)
    found = reason_of(lambda: check_each_contributes(draft, quotations))
    assert found == (None if contributes else Reason.SINGLE_UNIT_EVIDENCE)


def premise(kind: AlterationKind, original: str, altered: str) -> FalsePremise:
    return FalsePremise(
        kind=kind, sentence=1, original=original, altered=altered, truth=original, belief=altered
    )


def test_a_modality_is_not_compared_word_by_word() -> None:
    modality = premise(AlterationKind.MODALITY, "shall", "need not")
    check_premise(GOOD, modality)
    addressee = premise(AlterationKind.ADDRESSEE, "the mayor", "the seller")
    assert reason_of(lambda: check_premise(GOOD, addressee)) == Reason.PREMISE_NOT_ASSUMED
    wrong = replace(GOOD, question="Why does one By mistake se trompe on it?")
    assert reason_of(lambda: check_premise(wrong, modality)) == Reason.PREMISE_NOT_ASSUMED


def test_the_belief_is_put_in_only_where_it_is_not_there_in_any_case() -> None:
    number = premise(AlterationKind.NUMBER, "Six hours", "Nine hours")
    there = replace(GOOD, question="Is nine HOURS right, or Six hours?")
    assert with_belief(there, number) == there
    assert with_belief(replace(GOOD, question="Is it Six hours?"), number).question == "Is it Nine hours?"
