"""Claim extraction: RefChecker's LLMExtractor, its prompt and class, called through our gateway.

Promises that no reply is ever evaluated as code, that the model's raw text is kept, and that repeated and
malformed triplets are reported; a reply of malformed triplets alone is refused, and asked for again by the next
run. Of a reply that goes round in a circle until it is cut, what it said first is kept; one that was cut while it
still had something to say is refused. Temperature 0.0 (ClaimRAG-LAW, claim extraction), where RefChecker sends
0.00001. Does not label: tasks/claims/labels.py does.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

from claimrag.schemas.canonical import sha256_text
from claimrag.schemas.question import ModelTrace
from claimrag.schemas.reason import Reason
from claimrag.schemas.settings import ClaimsSettings
from claimrag.tasks.claims.refchecker_calls import ONE_BATCH, run_through
from claimrag.tasks.claims.refchecker_import import refchecker_modules, refchecker_version
from claimrag.tasks.claims.triplets import Triplet, read_compat, read_triplets
from claimrag.tasks.llm.errors import ReplyRejectedError
from claimrag.tasks.llm.gateway import Gateway
from claimrag.tasks.llm.request import Message, ModelReply, ModelRequest
from claimrag.tasks.llm.traces import trace_of

EXTRACTION_TEMPERATURE = 0.0


@dataclass(frozen=True)
class Extraction:
    """Distinct triplets in order; the repeated ones; the lines that are none; the model's text.

    `cut` is why the reply ended too early, where it did: it went round in a circle, and `repeated` is empty.
    """

    triplets: tuple[Triplet, ...]
    repeated: tuple[Triplet, ...]
    malformed: tuple[str, ...]
    cut: str | None
    raw: str
    trace: ModelTrace


async def extract_triplets(
    question: str, answer: str, gateway: Gateway, settings: ClaimsSettings
) -> Extraction:
    """The claims that `answer` makes. Raises ReplyRejectedError for a reply that cannot be used."""
    extractor = _extractor_class()(settings.parser)
    usable = _check_triplets if settings.parser == "strict" else _check_not_cut
    replies: list[ModelReply] = []

    async def reply_to(prompts: list[str]) -> list[str]:
        for prompt in prompts:
            replies.append(await gateway.complete(_request(prompt, settings), usable=usable))
        return [reply.text for reply in replies]

    results = await run_through(
        lambda complete: extractor.extract(
            [answer], [question], max_new_tokens=settings.max_tokens, custom_llm_api_func=complete
        ),
        reply_to,
    )
    counted = Counter(_as_triplet(claim.content) for claim in results[0].claims)
    repeated = tuple(triplet for triplet, times in counted.items() for _ in range(times - 1))
    raw = replies[0].text
    malformed = read_triplets(raw).malformed if settings.parser == "strict" else ()
    cut = None
    if (
        replies[0].finish_reason == "length"
    ):  # the last line is half a triplet, and the repetitions say nothing
        cut = f"the reply repeats itself until it is cut at claims.max_tokens = {settings.max_tokens}"
        repeated, malformed = (), ()
    return Extraction(tuple(counted), repeated, malformed, cut, raw, _trace(replies[0]))


def _check_not_cut(reply: ModelReply) -> None:
    """Raises ReplyRejectedError for a reply that was cut."""
    if reply.finish_reason == "length":
        raise ReplyRejectedError(
            Reason.LENGTH, "the reply was cut at claims.max_tokens", reply.text, key=reply.key
        )


def _check_triplets(reply: ModelReply) -> None:
    """Raises ReplyRejectedError for a reply that tries to write triplets and writes none, or was cut in the middle.

    No triplet at all is a reply.
    """
    reading = read_triplets(reply.text)
    if not reading.loops:
        _check_not_cut(reply)
    if reading.malformed and not reading.triplets:
        raise ReplyRejectedError(
            Reason.MALFORMED_REPLY,
            f"{len(reading.malformed)} lines open like a triplet, and none is three quoted values",
            reply.text,
            key=reply.key,
        )


def _request(prompt: str, settings: ClaimsSettings) -> ModelRequest:
    return ModelRequest(
        messages=(Message("user", prompt),),
        max_tokens=settings.max_tokens,
        temperature=EXTRACTION_TEMPERATURE,
        purpose="refchecker/claims",
        may_be_cut=True,
    )


def _trace(reply: ModelReply) -> ModelTrace:
    template = refchecker_modules()["extractor_prompts"].LLM_TRIPLET_EXTRACTION_PROMPT_Q
    return trace_of(
        reply,
        prompt_id=f"refchecker-{refchecker_version()}/triplet_extraction_q",
        prompt_hash=sha256_text(template),
    )


def _as_triplet(content: list[str]) -> Triplet:
    return content[0], content[1], content[2]


@cache
def _extractor_class() -> Any:
    """LLMExtractor with a parser that treats the reply as data; made when RefChecker is first needed."""
    modules = refchecker_modules()
    claim_type = modules["base"].RCClaim

    class DataOnlyExtractor(modules["extractor"].LLMExtractor):  # type: ignore[misc]
        def __init__(self, parser: str) -> None:
            super().__init__(claim_format="triplet", model="gateway", batch_size=ONE_BATCH)
            self.parser = parser

        def parse_claims(self, response: str, *args: Any, **kwargs: Any) -> list[Any]:
            if self.parser == "compat":
                return super().parse_claims(response, *args, **kwargs)  # type: ignore[no-any-return]
            return [claim_type("triplet", list(t), None) for t in read_triplets(response).triplets]

        def _parse_triplets(self, pattern: str, text: str, triple_length: int = 3) -> list[list[str]]:
            read = (read_compat(match) for match in re.findall(pattern, text))
            return [fields for fields in read if fields and len(fields) == triple_length and all(fields)]

    return DataOnlyExtractor
