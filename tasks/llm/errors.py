"""The gateway's own errors, and how a stage turns those that concern one row into a rejected row.

ModelError
├── TransientError                one failed attempt; never leaves the gateway
├── ReplyRejectedError            the model answered, the answer cannot be used: this row only
├── ModelUnavailableError
│   └── AttemptsExhaustedError    `per_request`: whether others were answered meanwhile
└── ModelRefusedError
    └── PermanentRefusalError     `per_request`: whether another request may still be accepted
        ├── ContextLengthError
        ├── TokensFieldError
        └── UnsupportedTemperatureError
"""

from __future__ import annotations

from claimrag.schemas.errors import ModelError, ModelRefusedError, ModelUnavailableError
from claimrag.schemas.reason import Reason
from claimrag.schemas.rejected import Rejected


class ReplyRejectedError(ModelError):
    """A reply that was paid for and cannot be used.

    `reason`: `length`, `content_filter`, `refusal`, `empty_reply` or `malformed_reply`. `raw` is what the
    model wrote, `key` the cache key under which it is kept.
    """

    def __init__(self, reason: Reason, detail: str, raw: str, *, key: str = "") -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail
        self.raw = raw
        self.key = key


class AttemptsExhaustedError(ModelUnavailableError):
    """Every attempt failed for a reason that might have passed.

    `per_request` is true when the endpoint answered other requests since the first attempt: then this
    request is the trouble and its row may be rejected; else the endpoint is, and the stage must stop.
    """

    reason = Reason.MODEL_UNAVAILABLE

    def __init__(self, message: str, *, per_request: bool, raw: str = "") -> None:
        super().__init__(message)
        self.per_request = per_request
        self.raw = raw


class PermanentRefusalError(ModelRefusedError):
    """The endpoint refused the request and would refuse it again; tried once.

    `per_request` is true when the request itself is at fault (too long, filtered), false when every other
    one would be refused too (key, model, parameter). `status` is the HTTP status.
    """

    reason = Reason.MODEL_REFUSED

    def __init__(self, message: str, *, per_request: bool, status: int, raw: str = "") -> None:
        super().__init__(message)
        self.per_request = per_request
        self.status = status
        self.raw = raw


class ContextLengthError(PermanentRefusalError):
    """The prompt and the room for the answer do not fit the model's context."""

    reason = Reason.CONTEXT_LENGTH


class UnsupportedTemperatureError(PermanentRefusalError):
    """The model takes no temperature, or not this one."""


class TokensFieldError(PermanentRefusalError):
    """The endpoint wants `max_completion_tokens` instead of `max_tokens`."""


class TransientError(ModelError):
    """One attempt failed and may be repeated; never leaves the gateway.

    `throttled`: HTTP 429. `retry_after_s`: the wait the endpoint asked for. `free`: the request was surely
    not billed; false where nobody knows.
    """

    def __init__(
        self,
        message: str,
        *,
        free: bool,
        status: int | None = None,
        retry_after_s: float | None = None,
        raw: str = "",
    ) -> None:
        super().__init__(message)
        self.free = free
        self.throttled = status == 429
        self.retry_after_s = retry_after_s
        self.raw = raw


def rejected_row(stage: str, item: str, error: ModelError) -> Rejected | None:
    """The rejected row for an error that concerns `item` alone, or None when the stage must stop."""
    if isinstance(error, ReplyRejectedError):
        return Rejected(stage=stage, item=item, reason=error.reason, detail=error.detail, raw=error.raw)
    if isinstance(error, (AttemptsExhaustedError, PermanentRefusalError)) and error.per_request:
        return Rejected(stage=stage, item=item, reason=error.reason, detail=str(error), raw=error.raw)
    return None
