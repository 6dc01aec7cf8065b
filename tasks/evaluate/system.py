"""The RAG system that a run evaluates, named in full, and the run's id.

A RagSystem holds everything that decides a score besides the questions and the corpus: change the embedder, a
prompt or the judge, and it is another system with other rows. Limits on speed, addresses and keys are not in
it. Does not evaluate: tasks/evaluate/scoring.py does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from claimrag import prompts
from claimrag.schemas.base import ActId, RunId
from claimrag.schemas.canonical import content_id
from claimrag.schemas.run import RagSystem
from claimrag.schemas.settings import ClaimsSettings, EvaluateSettings
from claimrag.tasks.claims.keyed_labels import PROMPT_ID as LABEL_PROMPT
from claimrag.tasks.claims.refchecker_import import refchecker_version
from claimrag.tasks.evaluate.answers import PROMPT_ID as ANSWER_PROMPT

_HASH_CHARACTERS = 12


def system_for(
    language: str,
    retriever: str,
    chunker: str,
    embedder_identity: str | None,
    generator: Mapping[str, str],
    judge: Mapping[str, str],
    settings: EvaluateSettings,
    claims_settings: ClaimsSettings,
) -> RagSystem:
    """The system that these settings make for one language.

    `generator` and `judge` are the gateways' identities: `model`, and how the endpoint is asked.
    `embedder_identity` is None for a retriever that embeds nothing.
    """
    return RagSystem(
        chunker=chunker,
        retriever=retriever,
        embedder=embedder_identity,
        generator=generator["model"],
        generator_mode=_mode(generator),
        answer_prompt=_named_prompt(ANSWER_PROMPT, language),
        k=settings.k,
        context_tokens=settings.context_tokens,
        reserved_tokens=settings.reserved_tokens,
        max_answer_tokens=settings.max_answer_tokens,
        seed=settings.seed,
        judge=judge["model"],
        judge_mode=_mode(judge),
        checker=_checker(language, claims_settings),
        claim_parser=claims_settings.parser,
        joint=claims_settings.joint,
        max_claim_tokens=claims_settings.max_tokens,
    )


def run_id_of(system: RagSystem, language: str, acts: Iterable[ActId], settings: EvaluateSettings) -> RunId:
    """A hash of the system, the corpus and the sampling; never of results."""
    sampling = {"questions_per_language": settings.questions_per_language, "seed": settings.seed}
    return RunId(
        content_id(
            "run",
            {
                "system": system.model_dump(mode="json"),
                "language": language,
                "acts": sorted(set(acts)),
                "sampling": sampling,
            },
        )
    )


def _mode(identity: Mapping[str, str]) -> str:
    """How the endpoint is asked, as `name=value` in the order of the names."""
    return " ".join(f"{name}={value}" for name, value in sorted(identity.items()) if name != "model")


def _checker(language: str, settings: ClaimsSettings) -> str:
    """RefChecker always extracts; its joint check falls back on the keyed prompt, so both name that too."""
    keyed = _named_prompt(LABEL_PROMPT, language)
    return f"{settings.checker} (refchecker {refchecker_version()}, {keyed})"


def _named_prompt(prompt_id: str, language: str) -> str:
    return f"{prompt_id}@{prompts.load(prompt_id, language).hash[:_HASH_CHARACTERS]}"
