"""When to try again, and after how long."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimrag.tasks.llm.retries import is_transient, retry_after_s, wait_before_retry_s

NOW = datetime(2026, 11, 30, 10, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Mon, 30 Nov 2026 10:00:30 GMT"}, 30.0),
        ({"retry-after": "Mon, 30 Nov 2026 10:00:30 GMT", "date": "Mon, 30 Nov 2026 10:00:20 GMT"}, 10.0),
        ({"retry-after": "Mon, 30 Nov 2026 09:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
    ],
)
def test_what_the_endpoint_asks_is_read(headers, seconds):
    assert retry_after_s(headers, NOW) == seconds


@settings(deadline=None)
@given(st.text(), st.integers(1, 20), st.none() | st.floats(0, 600))
def test_waits_are_bounded_repeatable_and_never_shorter_than_asked(key, attempt, asked):
    wait = wait_before_retry_s(key, attempt, asked)
    assert wait == wait_before_retry_s(key, attempt, asked)
    if asked is None:
        assert 0.375 <= wait <= 30
    else:
        assert asked <= wait <= max(asked + 1, 0 if attempt < 3 else 30)


def test_waits_grow_and_differ_between_requests():
    waits = [wait_before_retry_s("k", attempt, None) for attempt in range(1, 7)]
    assert waits == sorted(waits)
    assert wait_before_retry_s("a", 1, None) != wait_before_retry_s("b", 1, None)


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_these_may_pass(status):
    assert is_transient(status)


@pytest.mark.parametrize("status", [300, 400, 401, 403, 404, 413, 422])
def test_these_will_not(status):
    assert not is_transient(status)
