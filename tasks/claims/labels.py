"""Labels claims against reference texts: Entailment, Neutral or Contradiction, one per claim and text.

Two checkers: RefChecker's joint check (`refchecker`), and one JSON object with a required key per claim
(`keyed`), which small models need. Labels are never padded, cut or guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from claimrag.schemas.claim import Label
from claimrag.schemas.question import ModelTrace
from claimrag.schemas.settings import ClaimsSettings
from claimrag.tasks.claims.joint_labels import JointCheck
from claimrag.tasks.claims.keyed_labels import ask_keyed
from claimrag.tasks.claims.triplets import Triplet
from claimrag.tasks.llm.gateway import Gateway
from claimrag.tasks.together import together


@dataclass(frozen=True)
class Labelling:
    """`labels[i][k]`: claim i against reference k; `traces[i][k]`: the model that labelled it."""

    labels: tuple[tuple[Label, ...], ...]
    traces: tuple[tuple[ModelTrace, ...], ...]


async def label_claims(
    triplets: Sequence[Triplet],
    references: Sequence[str],
    *,
    question: str,
    language: str,
    gateway: Gateway,
    settings: ClaimsSettings,
) -> Labelling:
    """Label every claim against every reference text; no claims or no texts need no model.

    Raises ReplyRejectedError: `label_count_mismatch` when a joint reply has not one label per claim and the
    keyed reply has not either, else the reason why the model's reply cannot be used.
    """
    if not triplets or not references:
        return Labelling(((),) * len(triplets), ((),) * len(triplets))
    if settings.checker == "refchecker":
        check = JointCheck(question, language, gateway, settings.joint)
        labels, traces = await check.check(triplets, references)
        return Labelling(tuple(map(tuple, labels)), tuple(map(tuple, traces)))
    answers = await together(ask_keyed(triplets, text, question, language, gateway) for text in references)
    return Labelling(
        labels=tuple(zip(*(labels for labels, _ in answers), strict=True)),
        traces=(tuple(trace for _, trace in answers),) * len(triplets),
    )
