"""The prompts of this stage and their hashes, for the lineage of what is made with them."""

from __future__ import annotations

from claimrag import prompts
from claimrag.schemas.question import Category

PROMPT_IDS = (
    "generate/suitability",
    *(f"generate/{category.value}" for category in Category),
    "generate/multi_hop",
    "generate/entailment",
)


def prompt_hashes(language: str) -> dict[str, str]:
    """Content hash by prompt id, for the prompts of one language; raises InputError where it has none."""
    return {prompt_id: prompts.load(prompt_id, language).hash for prompt_id in PROMPT_IDS}
