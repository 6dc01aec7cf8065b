"""What the checks by a model are asked about: a statement, and the part most foreign to a provision."""

from __future__ import annotations

from claimrag.tasks.generate.model_checks import as_statement, most_foreign_part


def test_a_spoken_yes_or_no_is_not_part_of_the_statement() -> None:
    assert as_statement("No, the ringer reports it.") == "The ringer reports it."
    assert as_statement("Non, le sonneur le signale.") == "Le sonneur le signale."
    assert as_statement("Nobody reports it.") == "Nobody reports it."
    assert as_statement("No.") == "No."


def test_the_most_foreign_part_of_an_answer_is_what_a_provision_says_least_of() -> None:
    answer = "The ringer reports a broken bell to the mayor. The village pays a fee of 40 euros."
    assert (
        most_foreign_part(answer, "Ringers report broken bells to the mayor.")
        == "The village pays a fee of 40 euros."
    )
    assert (
        most_foreign_part(answer, "The village pays a fee.")
        == "The ringer reports a broken bell to the mayor."
    )
    assert most_foreign_part("", "x") == ""


def test_the_first_of_equally_foreign_parts_is_tested() -> None:
    assert most_foreign_part("Copper bells. Silver ropes.", "Nothing.") == "Copper bells."
    assert most_foreign_part("It is so. Silver ropes.", "Silver ropes.") == "It is so."
    assert most_foreign_part("Silver ropes hang. Copper bells hang low.", "Silver copper bells ropes") == (
        "Silver ropes hang."
    )
