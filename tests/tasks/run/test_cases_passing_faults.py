"""What a passing fault took: the build is partial while it lasts, and the next run asks for that and no more."""

from __future__ import annotations

import pytest
from faulty_law import FAULTS, FaultyLaw, Steps

from claimrag.schemas.errors import ClaimragError
from claimrag.tasks.run.tables import TABLES
from claimrag.tasks.store import Workspace

TEXT_FAULTS = ["a policy", "the limit of tokens", "nothing"]
KEYED_HELPS = ("length", "empty_reply")


def rows(workspace: str) -> dict[str, str]:
    """Each table of the workspace by the hash of its rows."""
    opened = Workspace.open(workspace)
    refs = [ref for table in TABLES for ref in opened.tables(table.stage)]
    return {f"{ref.stage} {ref.scope}": opened.rows_sha256(ref) for ref in refs}


@pytest.mark.parametrize(
    ("name", "only"),
    [*((name, "schema") for name in FAULTS), *((name, "text") for name in TEXT_FAULTS)],
)
def test_rows_lost_to_a_passing_fault_are_asked_again_by_the_next_run_and_only_those(
    name: str, only: str, law: FaultyLaw, steps: Steps
) -> None:
    fault, reason = FAULTS[name]
    law.begin(fault, share=0.4, only=only)
    faulty = steps()
    assert faulty.exit_code == 3 and reason in faulty.verdict, faulty.verdict
    answered, lost = set(law.good), set(law.bad)
    # Labels that cannot be read are got in the keyed form at once: no row was lost with them.
    keyed = lost & law.labels if only == "text" and reason in KEYED_HELPS else set()

    law.begin()
    repaired = steps()
    assert (repaired.exit_code, repaired.verdict) == (0, "complete")
    assert lost - keyed <= set(law.good) and not (answered | keyed) & set(law.good)
    assert set(law.good.values()) == {1}

    law.begin()
    assert steps().remade == set() and not law.good
    if not keyed:
        steps("undisturbed")
        assert rows("w") == rows("undisturbed")


def test_a_fault_that_lasts_ends_every_run_in_the_same_way(law: FaultyLaw, steps: Steps) -> None:
    law.begin(FAULTS["a policy"][0], share=0.4, only="schema")
    first = steps()
    answered, kept = set(law.good), rows("w")
    law.begin(FAULTS["a policy"][0], share=0.4, only="schema")
    again = [steps() for _ in range(2)]
    assert [(one.exit_code, one.verdict) for one in again] == [(3, first.verdict)] * 2
    assert rows("w") == kept and not answered & set(law.good)


@pytest.mark.parametrize("name", ["the limit of tokens", "nothing", "a refusal"])
def test_baselines_without_one_scored_answer_are_never_complete(
    name: str, law: FaultyLaw, steps: Steps, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Questions and claims are there; then every answer is lost, and no loss is too large."""
    monkeypatch.setenv("CLAIMRAG_ALLOWED_REJECTED_SHARE", "1")
    assert steps().exit_code == 0
    monkeypatch.setenv("CLAIMRAG_EVALUATE__K", "3")
    law.begin(FAULTS[name][0], only="text")
    outcome = steps()
    assert outcome.exit_code == 3 and "could be scored" in outcome.verdict
    law.begin()
    assert steps().verdict == "complete"


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_that_took_everything_is_an_error_and_leaves_nothing_to_clear_away(
    name: str, law: FaultyLaw, steps: Steps
) -> None:
    law.begin(FAULTS[name][0], only="schema")
    with pytest.raises(ClaimragError) as failure:
        steps()
    assert failure.value.exit_code == 1 and FAULTS[name][1] in str(failure.value)
    law.begin()
    assert steps().verdict == "complete"
