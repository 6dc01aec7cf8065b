"""Requests and tokens per minute, and who gets a slot."""

from __future__ import annotations

import asyncio

import pytest

from tasks.llm.rate_limit import RateLimit
from tasks.llm.slots import Slots


def _times(per_minute, burst_s, amounts):
    """When each amount went, in seconds of a clock that jumps instead of waiting."""
    now = [0.0]
    times = []

    async def run():
        limit = RateLimit(per_minute, burst_s, clock=lambda: now[0])
        loop = asyncio.get_running_loop()
        real = loop.time
        loop.time = lambda: real() * 0 + now[0]
        wait = loop._selector.select

        def jump(timeout):
            if timeout and timeout > 0:
                now[0] += timeout
            return wait(0)

        loop._selector.select = jump
        for amount in amounts:
            await limit.take(amount)
            times.append(now[0])

    asyncio.run(run())
    return times


@pytest.mark.parametrize("per_minute", [1, 7, 60, 600, 6000])
def test_no_minute_holds_more_requests_than_the_limit(per_minute):
    times = _times(per_minute, 1.0, [1] * min(3 * per_minute, 2000))
    for start in range(0, len(times), max(1, len(times) // 200)):
        in_window = sum(1 for at in times[start:] if at < times[start] + 60)
        assert in_window <= per_minute + 1e-9


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
    ask(sender, *(question(str(number)) for number in range(20)))
    assert server.stats["window_s"] >= 0.9  # ten at once, ten more at just under ten a second
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
                await slots.return_after(0.0, throttled=False)
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
        away = [asyncio.create_task(slots.return_after(0.2, throttled=True))]
        await asyncio.sleep(0)
        assert slots.allowed == 16
        await asyncio.wait_for(slots.acquire(), 0.05)
        slots.release()
        away += [asyncio.create_task(slots.return_after(0.2, throttled=True)) for _ in range(3)]
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
