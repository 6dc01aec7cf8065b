"""The gateway's own errors, and how a stage turns those that concern one row into a rejected row.

ModelError
├── TransientError                one failed attempt; never leaves the gateway
├── ReplyRejectedError            the model answered, the answer cannot be used: this row only
├── ModelUnavailableError
│   └── AttemptsExhaustedError    `per_request`: whether others were answered meanwhile
└── ModelRefusedError
    └── PermanentRefusalError     `per_request`: whether another request may still be accepted
        ├── ContextLengthError
        ├── ParameterRefusedError     another way to put the request is tried; leaves the gateway at the end
        └── UnsupportedTemperatureError
"""

from __future__ import annotations

from claimrag.schemas.errors import ModelError, ModelRefusedError, ModelUnavailableError
from claimrag.schemas.reason import Reason
from claimrag.schemas.rejected import Rejected
from claimrag.tasks.llm.modes import Parameter


class ReplyRejectedError(ModelError):
    """A reply that was paid for and cannot be used.

    `reason`: `length`, `content_filter`, `refusal`, `empty_reply`, `malformed_reply`, or what a caller's `usable`
    finds. `raw` is what the model wrote, `key` the cache key under which it is kept. `askings` counts the replies
    to this request so far; `asked_again` is whether the next run sends it once more.
    """

    def __init__(self, reason: Reason, detail: str, raw: str, *, key: str = "") -> None:
        super().__init__(f"{reason}: {detail}")
        self.askings = 1
        self.asked_again = False
        self.reason = reason
        self.detail = detail
        self.raw = raw
        self.key = key

    def add(self, sentence: str) -> None:
        """Say one thing more."""
        self.detail = f"{self.detail}. {sentence}"
        self.args = (f"{self.reason}: {self.detail}",)


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


class ParameterRefusedError(PermanentRefusalError):
    """The endpoint does not take `parameter`, or not so; what can be sent in another way is."""

    def __init__(self, message: str, *, parameter: Parameter, status: int, raw: str) -> None:
        super().__init__(message, per_request=False, status=status, raw=raw)
        self.parameter = parameter


class TransientError(ModelError):
    """One attempt failed and may be repeated; never leaves the gateway.

    `throttled`: HTTP 429. `retry_after_s`: the wait the endpoint asked for. `free`: the request was surely
    not billed; false where nobody knows. `most_attempts` bounds the attempts where many would not help.
    """

    def __init__(
        self,
        message: str,
        *,
        free: bool,
        status: int | None = None,
        retry_after_s: float | None = None,
        raw: str = "",
        most_attempts: int = 1000,
    ) -> None:
        super().__init__(message)
        self.free = free
        self.most_attempts = most_attempts
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
