"""A system names everything that decides a score; a run's id follows from what was set and asked."""

from typing import Any

import pytest

from claimrag import prompts
from claimrag.schemas.run import RagSystem
from claimrag.schemas.settings import ClaimsSettings, EvaluateSettings
from claimrag.tasks.evaluate.system import run_id_of, system_for

GENERATOR = {"model": "g", "temperature": "as_designed", "schema": "json_schema", "seed": "sent"}
JUDGE = {"model": "j", "temperature": "unsupported", "schema": "json_schema", "seed": "sent"}
BASE: dict[str, Any] = {
    "language": "en",
    "retriever": "dense",
    "chunker": "fixed-600-120",
    "embedder_identity": "e5",
    "generator": GENERATOR,
    "judge": JUDGE,
    "settings": EvaluateSettings(),
    "claims_settings": ClaimsSettings(),
}


def _system(**changes: Any) -> RagSystem:
    return system_for(**(BASE | changes))


def test_a_system_is_named_in_full() -> None:
    system = _system()
    assert system.model_dump(exclude={"answer_prompt", "checker"}) == {
        "chunker": "fixed-600-120",
        "retriever": "dense",
        "embedder": "e5",
        "generator": "g",
        "generator_mode": "schema=json_schema seed=sent temperature=as_designed",
        "k": 10,
        "context_tokens": 8192,
        "reserved_tokens": 2048,
        "max_answer_tokens": 512,
        "seed": 13,
        "judge": "j",
        "judge_mode": "schema=json_schema seed=sent temperature=unsupported",
        "claim_parser": "strict",
        "joint": 5,
        "max_claim_tokens": 1000,
    }
    answer, label = (prompts.load(name, "en").hash[:12] for name in ("answer/from_chunks", "claims/label"))
    assert system.answer_prompt == f"answer/from_chunks@{answer}"
    assert system.checker == f"refchecker (refchecker 0.2.17, claims/label@{label})"


@pytest.mark.parametrize(
    "change",
    [
        {"language": "fr"},
        {"retriever": "hybrid"},
        {"chunker": "article"},
        {"embedder_identity": "bge"},
        {"embedder_identity": None},
        {"generator": GENERATOR | {"model": "other"}},
        {"generator": GENERATOR | {"temperature": "unsupported"}},
        {"generator": GENERATOR | {"seed": "not_sent"}},
        {"judge": JUDGE | {"model": "other"}},
        {"judge": JUDGE | {"schema": "json_object"}},
        {"generator": JUDGE, "judge": GENERATOR},
        {"settings": EvaluateSettings(k=9)},
        {"settings": EvaluateSettings(context_tokens=4096)},
        {"settings": EvaluateSettings(reserved_tokens=1024)},
        {"settings": EvaluateSettings(max_answer_tokens=100)},
        {"settings": EvaluateSettings(seed=14)},
        {"claims_settings": ClaimsSettings(checker="keyed")},
        {"claims_settings": ClaimsSettings(parser="compat")},
        {"claims_settings": ClaimsSettings(joint=4)},
        {"claims_settings": ClaimsSettings(max_tokens=400)},
    ],
)
def test_another_part_is_another_system_and_another_run(change: dict[str, Any]) -> None:
    one, other = _system(), _system(**change)
    assert one.id != other.id
    assert _run_id(one) != _run_id(other)


def test_the_same_settings_are_the_same_system() -> None:
    assert _system().id == _system(generator=dict(reversed(GENERATOR.items()))).id
    unused = EvaluateSettings(retrievers=("bm25",), bootstrap=500, questions_per_language=3)
    assert _system().id == _system(settings=unused).id


def _run_id(system: RagSystem, language: str = "en", acts: Any = ("a", "b"), **settings: Any) -> str:
    return run_id_of(system, language, acts, EvaluateSettings(**settings))


def test_a_runs_id_depends_on_system_language_corpus_and_sampling() -> None:
    system = _system()
    ids = {
        _run_id(system),
        _run_id(system, "fr"),
        _run_id(system, acts=("a",)),
        _run_id(system, acts=("a", "c")),
        _run_id(system, questions_per_language=5),
        _run_id(system, seed=14),
    }
    assert len(ids) == 6
    assert all(run_id.startswith("run_") for run_id in ids)


def test_a_runs_id_does_not_depend_on_the_order_of_acts_or_on_intervals() -> None:
    system = _system()
    assert _run_id(system) == _run_id(system, acts=("b", "a", "a")) == _run_id(system, bootstrap=500)
