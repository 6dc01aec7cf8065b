"""Labels by RefChecker's joint check: its prompt and its class, through our gateway.

RefChecker pads missing labels with Neutral, cuts surplus ones, and takes label words out of comments. Here
every reply is read before RefChecker sees it (tasks/claims/label_lines.py); one that does not hold a label per
claim is asked for once more in the keyed form, and what fails again is refused. Slot names of the prompt are
broken up in the texts that fill it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from claimrag.schemas.canonical import sha256_text
from claimrag.schemas.claim import Label
from claimrag.schemas.question import ModelTrace
from claimrag.schemas.reason import Reason
from claimrag.tasks.claims.keyed_labels import Labelled, ask_keyed, keyed_request
from claimrag.tasks.claims.label_lines import read_labels
from claimrag.tasks.claims.refchecker_calls import ONE_BATCH, run_through
from claimrag.tasks.claims.refchecker_import import refchecker_modules, refchecker_version
from claimrag.tasks.claims.triplets import Triplet
from claimrag.tasks.llm.errors import ReplyRejectedError
from claimrag.tasks.llm.gateway import Gateway
from claimrag.tasks.llm.request import Message, ModelReply, ModelRequest
from claimrag.tasks.llm.traces import trace_of
from claimrag.tasks.together import together

CHECKING_TEMPERATURE = 0.0

_SLOT = re.compile(r"\[(QUESTION|REFERENCE|CLAIMS)\]")
_KEYED_MAY_HELP = (Reason.LENGTH, Reason.EMPTY_REPLY, Reason.LABEL_COUNT_MISMATCH)


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
        """`labels[i][k]` and their traces, claim i against text k; see `label_claims` for the errors."""
        checker = refchecker_modules()["checker"].LLMChecker(model="gateway", batch_size=ONE_BATCH)
        parts = [
            _Part(triplets[start : start + self.joint], reference)
            for reference in references
            for start in range(0, len(triplets), self.joint)
        ]
        results: list[Labelled] = []

        async def reply_to(prompts: list[str]) -> list[str]:
            pairs = zip(prompts, parts, strict=True)
            results.extend(await together(self._label(prompt, part) for prompt, part in pairs))
            return ["\n".join(labels) for labels, _ in results]

        labels = await run_through(
            lambda complete: checker.check(
                [[list(triplet) for triplet in triplets]],
                [[_without_slots(reference) for reference in references]],
                [_without_slots(self.question)],
                is_joint=True,
                joint_check_num=self.joint,
                custom_llm_api_func=complete,
            ),
            reply_to,
        )
        traces = [trace for part, (_, trace) in zip(parts, results, strict=True) for _ in part.triplets]
        per_claim = [traces[i :: len(triplets)] for i in range(len(triplets))]
        return [[Label(label) for label in row] for row in labels[0]], per_claim

    async def _label(self, prompt: str, part: _Part) -> Labelled:
        request = ModelRequest(
            messages=(Message("user", prompt),),
            max_tokens=10 * self.joint + 100,  # as RefChecker
            temperature=CHECKING_TEMPERATURE,
            purpose="refchecker/labels",
        )
        count = len(part.triplets)
        try:
            reply = await self.gateway.complete(
                request,
                usable=lambda reply: _check_count(reply, count),
                settled=lambda error: error.reason in _KEYED_MAY_HELP and self._has_keyed(part),
            )
        except ReplyRejectedError as error:
            if error.reason not in _KEYED_MAY_HELP:
                raise
            return await self._label_keyed(part, error.raw)
        labels = read_labels(reply.text, count) or ()
        return labels, trace_of(reply, prompt_id=_prompt_id(), prompt_hash=_prompt_hash())

    def _has_keyed(self, part: _Part) -> bool:
        """Whether an earlier run got the labels in the keyed form: they stay as they are."""
        request = keyed_request(part.triplets, part.reference, self.question, self.language)
        return self.gateway.holds(request)

    async def _label_keyed(self, part: _Part, raw: str) -> Labelled:
        try:
            return await ask_keyed(part.triplets, part.reference, self.question, self.language, self.gateway)
        except ReplyRejectedError as error:
            raise ReplyRejectedError(
                Reason.LABEL_COUNT_MISMATCH,
                f"{len(part.triplets)} claims, and twice not one label each; second reply: {error.detail}",
                f"{raw}\n---\n{error.raw}",
                key=error.key,
            ) from error


def _check_count(reply: ModelReply, count: int) -> None:
    """Raises ReplyRejectedError unless the reply gives a label to each of `count` claims."""
    if read_labels(reply.text, count) is None:
        raise ReplyRejectedError(
            Reason.LABEL_COUNT_MISMATCH, f"{count} claims, and not one label each", reply.text, key=reply.key
        )


def _without_slots(text: str) -> str:
    return _SLOT.sub(r"(\1)", text)


def _prompt_id() -> str:
    return f"refchecker-{refchecker_version()}/joint_checking_q"


def _prompt_hash() -> str:
    return sha256_text(refchecker_modules()["checker_prompts"].JOINT_CHECKING_PROMPT_Q)
