"""Every rule holds on a sound set, and has a planted row that breaks it and nothing else."""

from __future__ import annotations

import pytest

from claimrag.tasks.validate.book import HAS_ROWS
from claimrag.tasks.validate.engine import validate_groups
from claimrag.tasks.validate.stage_rules import COUNT_RULES, REJECTED_RULES
from claimrag.tasks.validate.suites import RULES, UNIQUE, VALID, key_fields
from tests.tasks.conftest import EVALUATION
from tests.tasks.validate.planted import BY_NATURE, PLANTED, VARIANTS
from tests.tasks.validate.sound import MODELS, SoundBuild, without_great_expectations


def broken(build: SoundBuild) -> set[tuple[str, str]]:
    """What fails, by table and rule."""
    with without_great_expectations():
        report = validate_groups([build.group()], EVALUATION)
    return {
        (table.table, result.code)
        for table in report.tables
        for result in table.expectations
        if result.failing
    }


def test_a_sound_set_breaks_nothing(sound):
    assert broken(sound) == set()


@pytest.mark.parametrize(("table", "code"), list(PLANTED), ids=lambda name: name)
def test_a_planted_row_breaks_its_rule_and_nothing_else(sound, table, code):
    spoiled = PLANTED[table, code](sound) or sound
    _, others = BY_NATURE.get((table, code), ("", set()))
    assert broken(spoiled) == {(table, VARIANTS.get(code, code))} | others


def test_every_rule_has_a_planted_row():
    names = {model: name for name, model in MODELS.items()}
    wanted = {(names[model], rule.code) for model, rules in RULES.items() for rule in rules}
    wanted |= {(name, UNIQUE) for name, model in MODELS.items() if key_fields(model)} - {
        ("decisions", UNIQUE)
    }
    assert wanted <= set(PLANTED)
    codes = {code for _, code in PLANTED}
    assert {rule.code for rule in (*COUNT_RULES, *REJECTED_RULES, HAS_ROWS)} | {VALID} <= codes
    known = wanted | {(table, VARIANTS[code]) for table, code in PLANTED if code in VARIANTS}
    assert {pair for pair in PLANTED if pair not in known and pair[1] in VARIANTS.values()} == set()


def test_every_rule_judges_some_row_of_the_sound_set(sound):
    with without_great_expectations():
        report = validate_groups([sound.group()], EVALUATION)
    idle = {
        (table.table, result.code)
        for table in report.tables
        for result in table.expectations
        if not result.evaluated and not result.code.endswith(".type") and "rejected" not in result.code
    }
    assert idle == {("claims", "expert_stands_behind")}
