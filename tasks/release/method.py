"""The card's section on method: which published methods were followed, and only where the rows show that they were."""

from __future__ import annotations

from collections.abc import Mapping

from claimrag.tasks.validate.markdown import literal

_REFCHECKER = "refchecker-"
"""How the ids of RefChecker's own prompts begin."""


def method_section(label_prompts: Mapping[str, int]) -> str:
    """`label_prompts` counts the labels by the id of the prompt that asked for them."""
    sentences = [
        "Categories, personas and temperatures follow ClaimRAG-LAW (arXiv 2605.21071).",
        "Claims are extracted with RefChecker.",
        *(_labels(prompt, number) for prompt, number in sorted(label_prompts.items())),
        "Scores follow the definitions of RAGChecker.",
        "Made with claimrag.",
    ]
    return "## Method\n\n" + " ".join(sentences)


def _labels(prompt: str, number: int) -> str:
    labels = f"{number} label{' was' if number == 1 else 's were'} asked for"
    if prompt.startswith(_REFCHECKER):
        return f"{labels} as RefChecker's joint check does ({literal(prompt)})."
    return f"{labels} with the keyed check, which is claimrag's own: JSON with one key per claim ({literal(prompt)})."
