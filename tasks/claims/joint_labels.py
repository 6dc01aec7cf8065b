"""Labels by RefChecker's joint check: its prompt and its class, through our gateway.

RefChecker pads missing labels with Neutral and cuts surplus ones. Here every reply is counted before
RefChecker reads it; one that does not hold a label per claim is asked for once more in the keyed form, and
what fails again is refused. Slot names of the prompt are broken up in the texts that fill it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from claimrag.schemas.canonical import sha256_text
from claimrag.schemas.claim import Label
from claimrag.schemas.question import ModelTrace
from claimrag.schemas.reason import Reason
from claimrag.tasks.claims.keyed_labels import Labelled, ask_keyed
from claimrag.tasks.claims.refchecker_calls import ONE_BATCH, run_through
from claimrag.tasks.claims.refchecker_import import refchecker_modules, refchecker_version
from claimrag.tasks.claims.traces import trace_of
from claimrag.tasks.claims.triplets import Triplet
from claimrag.tasks.llm.errors import ReplyRejectedError
from claimrag.tasks.llm.gateway import Gateway
from claimrag.tasks.llm.request import Message, ModelRequest
from claimrag.tasks.together import together

CHECKING_TEMPERATURE = 0.0

_LABEL = re.compile(r"\b(Entailment|Neutral|Contradiction)\b", re.IGNORECASE)
_SLOT = re.compile(r"\[(QUESTION|REFERENCE|CLAIMS)\]")
_COUNT_AGAIN = (Reason.LENGTH, Reason.EMPTY_REPLY)


@dataclass(frozen=True)
class _Part:
    """What one of RefChecker's joint prompts asks: some claims against one reference text."""

    triplets: Sequence[Triplet]
    reference: str


@dataclass(frozen=True)
class JointCheck:
    """Everything about one check but the claims and texts."""

    question: str
    language: str
    gateway: Gateway
    joint: int

    async def check(
        self, triplets: Sequence[Triplet], references: Sequence[str]
    ) -> tuple[list[list[Label]], list[list[ModelTrace]]]:
        """`labels[i][k]` and who said so, claim i against text k; see `label_claims` for the errors."""
        checker = refchecker_modules()["checker"].LLMChecker(model="gateway", batch_size=ONE_BATCH)
        parts = [
            _Part(triplets[start : start + self.joint], reference)
            for reference in references
            for start in range(0, len(triplets), self.joint)
        ]
        answers: list[Labelled] = []

        async def reply_to(prompts: list[str]) -> list[str]:
            asked = [self._ask(prompt, part) for prompt, part in zip(prompts, parts, strict=True)]
            answers.extend(await together(asked))
            return ["\n".join(labels) for labels, _ in answers]

        labels = await run_through(
            lambda ask: checker.check(
                [[list(triplet) for triplet in triplets]],
                [[_without_slots(reference) for reference in references]],
                [_without_slots(self.question)],
                is_joint=True,
                joint_check_num=self.joint,
                custom_llm_api_func=ask,
            ),
            reply_to,
        )
        traces = [trace for part, (_, trace) in zip(parts, answers, strict=True) for _ in part.triplets]
        per_claim = [traces[i :: len(triplets)] for i in range(len(triplets))]
        return [[Label(label) for label in row] for row in labels[0]], per_claim

    async def _ask(self, prompt: str, part: _Part) -> Labelled:
        request = ModelRequest(
            messages=(Message("user", prompt),),
            max_tokens=10 * self.joint + 100,  # as RefChecker
            temperature=CHECKING_TEMPERATURE,
        )
        try:
            reply = await self.gateway.complete(request)
        except ReplyRejectedError as error:
            if error.reason not in _COUNT_AGAIN:
                raise
            return await self._ask_again(part, error.raw)
        labels = read_labels(reply.text)
        if len(labels) != len(part.triplets):
            return await self._ask_again(part, reply.text)
        return tuple(labels), trace_of(reply, prompt_id=_prompt_id(), prompt_hash=_prompt_hash())

    async def _ask_again(self, part: _Part, raw: str) -> Labelled:
        try:
            return await ask_keyed(part.triplets, part.reference, self.question, self.language, self.gateway)
        except ReplyRejectedError as error:
            raise ReplyRejectedError(
                Reason.LABEL_COUNT_MISMATCH,
                f"{len(part.triplets)} claims, and twice not one label each; second reply: {error.detail}",
                f"{raw}\n---\n{error.raw}",
                key=error.key,
            ) from error


def read_labels(text: str) -> list[Label]:
    """The labels in a joint reply, in order, as RefChecker finds them; numbers and bullets do not matter."""
    return [Label(match.title()) for match in _LABEL.findall(text)]


def _without_slots(text: str) -> str:
    return _SLOT.sub(r"(\1)", text)


def _prompt_id() -> str:
    return f"refchecker-{refchecker_version()}/joint_checking_q"


def _prompt_hash() -> str:
    return sha256_text(refchecker_modules()["checker_prompts"].JOINT_CHECKING_PROMPT_Q)
