"""The model gateway: `Gateway.complete(ModelRequest) -> ModelReply`, its cache, its errors, its totals.

Importing this package is cheap; the client is imported when a gateway is entered. tests/scripted_model holds
the scripted server that tests run the real client against.
"""

from __future__ import annotations

from claimrag.tasks.llm.cache import RequestCache
from claimrag.tasks.llm.errors import (
    AttemptsExhaustedError,
    ContextLengthError,
    PermanentRefusalError,
    ReplyRejectedError,
    UnsupportedTemperatureError,
    rejected_row,
)
from claimrag.tasks.llm.fingerprint import request_key
from claimrag.tasks.llm.gateway import MAX_ASKINGS, Gateway
from claimrag.tasks.llm.request import Message, ModelReply, ModelRequest
from claimrag.tasks.llm.stored_reply import StoredReply
from claimrag.tasks.llm.usage import Budget, Usage

__all__ = [
    "MAX_ASKINGS",
    "AttemptsExhaustedError",
    "Budget",
    "ContextLengthError",
    "Gateway",
    "Message",
    "ModelReply",
    "ModelRequest",
    "PermanentRefusalError",
    "ReplyRejectedError",
    "RequestCache",
    "StoredReply",
    "UnsupportedTemperatureError",
    "Usage",
    "rejected_row",
    "request_key",
]
