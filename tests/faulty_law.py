"""The scripted law behind faults: a part of the distinct requests is answered badly, until the endpoint is repaired."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import scripted_law
from scripted_replies import ScriptedReply
from step_driver import Outcome

from claimrag.schemas.canonical import canonical_json, sha256_text

Fault = Callable[[str], ScriptedReply]
"""From the good reply to what is sent instead."""

FAULTS: dict[str, tuple[Fault, str]] = {
    "a policy": (
        lambda good: ScriptedReply.refused(400, "The request was flagged by our policy", code="policy"),
        "model_refused",
    ),
    "a short context": (
        lambda good: ScriptedReply.refused(
            400, "maximum context length is 2048", code="context_length_exceeded"
        ),
        "context_length",
    ),
    "half a reply": (lambda good: ScriptedReply(text=good[: len(good) // 2]), "malformed_reply"),
    "the limit of tokens": (
        lambda good: ScriptedReply(text=good[: len(good) // 2], finish_reason="length"),
        "length",
    ),
    "a refusal": (lambda good: ScriptedReply(text=None, refusal="I cannot help with that."), "refusal"),
    "a filter": (lambda good: ScriptedReply(text="", finish_reason="content_filter"), "content_filter"),
    "nothing": (lambda good: ScriptedReply(text=None), "empty_reply"),
}

Steps = Callable[..., Outcome]
"""Every step on a workspace (`w` by default), on a few units of the laws that are given."""


class FaultyLaw:
    """Answers as `scripted_law`, and with `fault` a `share` of the distinct requests of the kind `only`.

    `good` and `bad` count the requests by what they say, so that a test sees which of them came again; `labels` are
    those that ask for labels in RefChecker's form.
    """

    def __init__(self) -> None:
        self.fault: Fault | None = None
        self.share, self.only = 1.0, ""
        self.good: Counter[str] = Counter()
        self.bad: Counter[str] = Counter()
        self.labels: set[str] = set()

    def begin(self, fault: Fault | None = None, *, share: float = 1.0, only: str = "") -> None:
        """Answer so from now on, and count anew. `only`: `schema`, `text`, or every request."""
        self.fault, self.share, self.only = fault, share, only
        self.good, self.bad = Counter(), Counter()

    def __call__(self, body: dict[str, Any]) -> ScriptedReply | str:
        key = sha256_text(canonical_json([body["messages"], body.get("response_format")]))
        good = scripted_law.reply(body)
        if "### Claims" in body["messages"][-1]["content"]:
            self.labels.add(key)
        kind = "schema" if "response_format" in body else "text"
        drawn = int(key[:8], 16) / 0xFFFFFFFF
        if self.fault is None or drawn >= self.share or self.only not in ("", kind):
            self.good[key] += 1
            return good
        self.bad[key] += 1
        assert isinstance(good, str)
        return self.fault(good)
