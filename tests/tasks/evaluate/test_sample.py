"""The sample depends on its seed alone, and reference claims are those of the reference answer."""

from typing import Any

from claimrag.schemas.claim import ClaimOrigin
from claimrag.schemas.question import ReviewStatus
from claimrag.tasks.evaluate.sample import reference_claims, sample_questions


def test_a_sample_depends_on_its_seed_alone() -> None:
    names = [f"q{n}" for n in range(50)]
    one = sample_questions(names, 5, 13)  # type: ignore[arg-type]
    assert one == sample_questions(names[::-1], 5, 13)  # type: ignore[arg-type]
    assert one == sample_questions(names * 2, 5, 13)  # type: ignore[arg-type]
    assert len(one) == 5
    assert one != sample_questions(names, 5, 14)  # type: ignore[arg-type]
    for size in (None, 50, 99):
        assert sample_questions(names, size, 13) == frozenset(names)  # type: ignore[arg-type]


def test_reference_claims_are_neither_edited_nor_rejected_by_an_expert(made_up_build: Any) -> None:
    first, second, *_ = made_up_build.claims
    edited = first.model_copy(update={"id": "clm_edited", "order": 9, "origin": ClaimOrigin.EDITED})
    rejected = first.model_copy(
        update={"id": "clm_rejected", "order": 8, "review": ReviewStatus.EXPERT_REJECTED}
    )
    accepted = first.model_copy(
        update={"id": "clm_accepted", "order": 7, "review": ReviewStatus.EXPERT_VALIDATED}
    )
    found = reference_claims([edited, accepted, rejected, second, first])
    assert found == {first.question_id: (first, second, accepted)}


def test_a_question_whose_claims_are_all_rejected_has_no_reference(made_up_build: Any) -> None:
    rejected = [
        claim.model_copy(update={"review": ReviewStatus.EXPERT_REJECTED})
        for claim in made_up_build.claims[:2]
    ]
    others = made_up_build.claims[2:]
    found = reference_claims([*rejected, *others])
    assert rejected[0].question_id not in found
    assert set(found) == {claim.question_id for claim in others}


def test_claims_of_equal_order_stand_in_the_order_of_their_ids(made_up_build: Any) -> None:
    first = made_up_build.claims[0]
    pair = [first.model_copy(update={"id": name}) for name in ("clm_b", "clm_a")]
    (claims,) = reference_claims(pair).values()
    assert [claim.id for claim in claims] == ["clm_a", "clm_b"]
