"""Requests and tokens per minute, and who gets a slot."""

from __future__ import annotations

import asyncio
from bisect import bisect_left

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimrag.tasks.llm.rate_limit import Bucket, RateLimit
from claimrag.tasks.llm.slots import Slots


def _times(per_minute: int, burst_s: float, amounts: list[float]) -> list[float]:
    """When each amount goes, each as soon as it may, in seconds."""
    now, times = 0.0, []
    bucket = Bucket(per_minute, burst_s, now)
    for amount in amounts:
        now += bucket.wait_s(amount, now)
        assert bucket.wait_s(amount, now) == 0
        bucket.take(amount, now)
        times.append(now)
    return times


@settings(deadline=None)
@given(st.integers(1, 10_000), st.sampled_from([1.0, 5.0]))
def test_no_minute_holds_more_than_the_limit(per_minute, burst_s):
    times = _times(per_minute, burst_s, [1] * min(3 * per_minute, 2000))
    for start in times[:: max(1, len(times) // 50)]:
        assert bisect_left(times, start + 60 - 1e-6) - bisect_left(times, start) <= per_minute


def test_one_request_a_minute_gets_through():
    assert _times(1, 1.0, [1, 1, 1]) == pytest.approx([0.0, 60.6, 121.2], abs=0.1)


def test_the_limit_is_nearly_used_up():
    times = _times(600, 1.0, [1] * 1200)
    assert 118 < times[-1] < 126


def test_a_call_larger_than_the_burst_goes_and_the_next_one_waits_for_it():
    times = _times(6000, 5.0, [3000, 1])
    assert times[0] == 0.0
    assert 25 < times[1] < 35


def test_tokens_are_corrected_by_what_a_call_really_took():
    async def run():
        limit = RateLimit(6000, 5.0)
        await limit.take(3000)
        waiting = asyncio.create_task(limit.take(100))
        await asyncio.sleep(0.02)
        assert not waiting.done()
        limit.correct(3000, 50)
        assert await asyncio.wait_for(waiting, 1) > 0

    asyncio.run(run())


def test_requests_per_minute_hold_against_a_real_server(serve, gateway, question, ask):
    server = serve()
    sender = gateway(server, requests_per_minute=600, max_in_flight=20)
    ask(sender, *(question(str(number)) for number in range(30)))
    assert server.stats["window_s"] >= 1.5  # ten at once, twenty more at just under ten a second
    assert sender.usage.seconds_waited > 0


def test_tokens_per_minute_hold_against_a_real_server(serve, gateway, question, ask):
    server = serve()
    sender = gateway(server, tokens_per_minute=60_000, max_in_flight=20)
    ask(sender, *(question(str(number), max_tokens=2000) for number in range(10)))
    assert len(server.requests) == 10
    assert sender.usage.seconds_waited > 0


def test_those_who_come_back_go_before_those_who_are_new():
    async def run():
        slots, order = Slots(1), []

        async def hold(name, coming_back=False):
            if coming_back:
                await slots.return_after(0.0, attempt=1, pause_s=None)
            else:
                await slots.acquire()
            order.append(name)
            slots.release()

        await slots.acquire()
        tasks = [asyncio.create_task(hold("new 1")), asyncio.create_task(hold("new 2"))]
        tasks.append(asyncio.create_task(hold("back", coming_back=True)))
        await asyncio.sleep(0.02)
        slots.release()
        await asyncio.gather(*tasks)
        assert order == ["back", "new 1", "new 2"]

    asyncio.run(run())


def test_a_cancelled_waiter_leaves_its_slot_to_the_next():
    async def run():
        slots = Slots(1)
        await slots.acquire()
        first = asyncio.create_task(slots.acquire())
        second = asyncio.create_task(slots.acquire())
        await asyncio.sleep(0)
        slots.release()
        first.cancel()  # after it was given the slot, before it could take it
        await asyncio.wait_for(second, 1)
        with pytest.raises(asyncio.CancelledError):
            await first

    asyncio.run(run())


def test_one_throttled_request_delays_nobody_and_several_in_a_row_slow_all_down():
    async def run():
        slots = Slots(16)
        away = [asyncio.create_task(slots.return_after(0.2, attempt=1, pause_s=0.2))]
        await asyncio.sleep(0)
        assert slots.allowed == 16
        await asyncio.wait_for(slots.acquire(), 0.05)
        slots.release()
        away += [asyncio.create_task(slots.return_after(0.2, attempt=1, pause_s=0.2)) for _ in range(3)]
        await asyncio.sleep(0)
        assert slots.allowed == 8
        newcomer = asyncio.create_task(slots.acquire())
        await asyncio.sleep(0.05)
        assert not newcomer.done()
        await asyncio.gather(*away, newcomer)
        for _ in range(200):
            slots.note_answered()
        assert slots.allowed == 16

    asyncio.run(run())
