"""The vocabulary: nouns are frozen and closed, counts add up, canonical JSON is canonical."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up_system import rag_system
from pydantic import ValidationError

from claimrag import schemas
from claimrag.schemas import errors
from claimrag.schemas.base import Noun
from claimrag.schemas.canonical import canonical_json, content_id, sha256_text
from claimrag.schemas.reason import Reason
from claimrag.schemas.rejected import Rejected, StageCounts
from claimrag.schemas.run import RagSystem
from claimrag.schemas.unit import Unit, UnitKind
from claimrag.schemas.validation import ExpectationResult, Severity, TableReport, ValidationReport, Verdict

NOUNS = sorted(
    {value for value in vars(schemas).values() if isinstance(value, type) and issubclass(value, Noun)}
    - {Noun},
    key=lambda noun: noun.__name__,
)


def unit(**changes):
    return Unit(
        **(
            {"id": "a#1", "act_id": "a", "kind": UnitKind.ARTICLE, "order": 0, "depth": 0}
            | {"start": 2, "end": 5, "text": "abc"}
            | changes
        )
    )


@pytest.mark.parametrize("noun", NOUNS)
def test_every_noun_is_frozen_closed_and_documented(noun):
    assert noun.model_config["frozen"] is True
    assert noun.model_config["extra"] == "forbid"
    assert noun.__doc__ and noun.__doc__ != Noun.__doc__


def test_an_unknown_field_is_an_error():
    with pytest.raises(ValidationError, match="extra"):
        unit(colour="red")


def test_a_noun_cannot_be_changed():
    with pytest.raises(ValidationError, match="frozen"):
        unit().text = "x"


def test_a_noun_survives_json():
    assert Unit.model_validate_json(unit().model_dump_json()) == unit()


@pytest.mark.parametrize("offsets", [{"start": 3}, {"end": 6}, {"start": -1, "end": 2}, {"text": "ab"}])
def test_a_units_offsets_measure_its_text(offsets):
    with pytest.raises(ValidationError, match="do not measure"):
        unit(**offsets)


@given(st.lists(st.sampled_from(Reason)), st.integers(0, 9))
def test_counts_always_add_up(reasons, kept):
    rejected = [Rejected(stage="s", item="i", reason=reason, detail="d", raw="r") for reason in reasons]
    counts = StageCounts.of(kept, rejected)
    assert counts.considered == kept + len(reasons) == counts.kept + sum(counts.rejected.values())
    assert counts.rejected_share == (len(reasons) / (kept + len(reasons)) if kept + len(reasons) else 0.0)
    both = counts + counts
    assert both.considered == 2 * counts.considered
    assert both.considered == both.kept + sum(both.rejected.values())


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.none()))
def test_canonical_json_ignores_the_order_of_keys_and_reads_back(value):
    assert canonical_json(dict(reversed(value.items()))) == canonical_json(value)
    assert json.loads(canonical_json(value)) == value


def test_canonical_json_refuses_what_json_cannot_say():
    with pytest.raises(ValueError, match="Out of range"):
        canonical_json({"a": float("nan")})


def test_hashes_and_ids_are_those_of_the_bytes():
    assert sha256_text("é") == "4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c"
    assert content_id("q", {"a": 1}) == content_id("q", {"a": 1})
    assert content_id("q", {"a": 1}) != content_id("q", {"a": 2})
    assert len(content_id("q", [], 12)) == len("q_") + 12


def test_a_system_is_named_by_retriever_and_generator():
    assert rag_system(retriever="BM25", generator="m").name == "BM25 + m"


@pytest.mark.parametrize("field", list(RagSystem.model_fields))
def test_a_system_that_differs_in_any_field_is_another_system(field):
    value = getattr(rag_system(), field)
    other = rag_system(**{field: f"{value}x" if isinstance(value, str) or value is None else value + 1})
    assert other.id != rag_system().id
    assert rag_system(**{field: value}).id == rag_system().id


def test_every_error_has_an_exit_code_and_one_tree():
    found = [value for value in vars(errors).values() if isinstance(value, type)]
    assert all(issubclass(error, errors.ClaimragError) for error in found)
    assert errors.ClaimragError("x").exit_code == 1
    assert errors.SettingsError("x").exit_code == 2
    assert errors.UnhealthyParseError("x").exit_code == 1
    assert errors.MissingDependencyError("x").exit_code == 2
    assert all(error.__name__ in (errors.__doc__ or "") for error in found)


def test_a_report_passes_when_only_warnings_failed():
    def result(severity, verdict):
        return ExpectationResult(
            code="c", description="d", severity=severity, verdict=verdict, evaluated=1, failing=0
        )

    def report(*results):
        return ValidationReport(tables=(TableReport(table="t", noun="N", rows=1, expectations=results),))

    warning = result(Severity.WARNING, Verdict.FAILED)
    critical = result(Severity.CRITICAL, Verdict.FAILED)
    assert report(warning, result(Severity.CRITICAL, Verdict.NOT_EVALUATED)).passed
    assert not report(warning, critical).passed
    assert report(warning, critical).failed(Severity.CRITICAL) == [("t", critical)]
    assert report(warning).tables[0].with_verdict(Verdict.FAILED) == [warning]
