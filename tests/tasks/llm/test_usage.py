"""Tokens, money and the budget."""

from __future__ import annotations

import asyncio

import pytest
from scripted_model import ScriptedReply, in_turn

from claimrag.schemas.errors import BudgetExceededError, SettingsError
from claimrag.schemas.settings import ModelSettings, Price
from claimrag.tasks.llm import Budget, Gateway
from claimrag.tasks.llm.usage import TokenEstimate, cost_usd

PRICES = {"scripted": Price(prompt_usd_per_million=1.0, completion_usd_per_million=10.0)}


def priced(text="ok", prompt=1000, completion=100):
    """A reply that costs 0.002 USD at the default."""
    return ScriptedReply(text=text, prompt_tokens=prompt, completion_tokens=completion)


def test_tokens_and_money_are_added_up_and_the_cache_costs_nothing(serve, gateway, question, ask):
    server = serve(lambda body: priced())
    sender = gateway(server, prices=PRICES)
    replies = ask(sender, question("a"), question("b"))
    (again,) = ask(sender, question("a"))
    assert [reply.cost_usd for reply in replies] == [pytest.approx(0.002)] * 2
    assert (again.cached, again.cost_usd, again.prompt_tokens) == (True, 0.0, 1000)
    usage = sender.usage
    assert (usage.prompt_tokens, usage.completion_tokens) == (2000, 200)
    assert usage.cost_usd == pytest.approx(0.004)


def test_an_unusable_reply_is_paid_for_all_the_same(serve, gateway, question, ask):
    sender = gateway(serve(lambda body: priced("not JSON")), prices=PRICES)
    ask(sender, question(schema={"type": "object"}))
    assert sender.usage.cost_usd == pytest.approx(0.002)


def test_a_model_without_a_price_costs_none_not_zero(serve, gateway, question, ask):
    sender = gateway(serve())
    (reply,) = ask(sender, question())
    assert reply.cost_usd is None and sender.usage.cost_usd is None
    assert cost_usd(None, 5, 5) is None


def test_the_budget_stops_before_the_call_that_would_exceed_it_and_keeps_the_rest(
    serve, gateway, question, ask, cache
):
    server = serve(lambda body: priced(), latency_s=0.02)
    sender = gateway(server, prices=PRICES, budget_usd=0.0205, max_in_flight=8)
    asked = [question(f"{number:04} " * 600, max_tokens=100) for number in range(40)]
    outcomes = ask(sender, *asked)
    stopped = [outcome for outcome in outcomes if isinstance(outcome, BudgetExceededError)]
    assert sender.usage.cost_usd <= 0.0205
    assert len(server.requests) == len(cache) == 40 - len(stopped) == 10
    assert "llm.budget_usd = 0.0205" in str(stopped[0])
    more = gateway(server, prices=PRICES, budget_usd=1.0)
    assert not [outcome for outcome in ask(more, *asked) if isinstance(outcome, Exception)]
    assert len(server.requests) == 40  # the ten answered ones were not sent again


def test_calls_in_flight_are_set_aside_but_do_not_stop_those_that_fit_in_the_end(
    serve, gateway, question, ask
):
    server = serve(lambda body: priced(prompt=10, completion=1), latency_s=0.01)
    # At most one call fits by its estimate (1,000 answer tokens); all ten fit by what they really cost.
    sender = gateway(server, prices=PRICES, budget_usd=0.0103, max_in_flight=10)
    replies = ask(sender, *(question(str(number), max_tokens=1000) for number in range(10)))
    assert [reply for reply in replies if isinstance(reply, Exception)] == []
    assert server.stats["peak_in_flight"] == 1


def test_a_request_whose_reply_was_lost_counts_as_spent(serve, gateway, question, ask):
    server = serve(in_turn(ScriptedReply(dropped=True), priced(prompt=10, completion=1)))
    sender = gateway(server, prices=PRICES, budget_usd=1.0)
    ask(sender, question(max_tokens=1000))
    assert sender.usage.unconfirmed_cost_usd > 0.01
    assert sender.usage.cost_usd == pytest.approx(0.00002)
    assert sender._budget.spent_usd == pytest.approx(sender.usage.unconfirmed_cost_usd + 0.00002)


@pytest.mark.parametrize("status", [429, 500, 400, 401])
def test_a_request_that_was_refused_costs_nothing(serve, gateway, question, ask, status):
    server = serve(lambda body: ScriptedReply(status=status, message="no"))
    sender = gateway(server, prices=PRICES, budget_usd=1.0, max_attempts=1)
    ask(sender, question())
    assert (sender._budget.spent_usd, sender.usage.unconfirmed_cost_usd) == (0.0, 0.0)


def test_two_gateways_can_share_one_budget(serve, gateway, question, ask):
    server = serve(lambda body: priced())
    budget = Budget(0.0025)
    first = gateway(server, prices=PRICES, budget=budget)
    second = gateway(server, prices=PRICES, budget=budget, role="judge")
    ask(first, question("a"))
    (error,) = ask(second, question("b"))
    assert isinstance(error, BudgetExceededError)


def test_a_budget_without_a_price_is_refused(cache):
    with pytest.raises(SettingsError, match=r"llm\.prices"):
        Gateway(ModelSettings(base_url="http://127.0.0.1:9/v1", model="m"), cache, budget=Budget(1.0))


def test_a_reply_without_usage_is_counted_by_the_estimate(serve, gateway, question, ask):
    body = b'{"model": "m", "choices": [{"message": {"content": "hello"}, "finish_reason": "stop"}]}'
    (reply,) = ask(gateway(serve(lambda _: ScriptedReply(raw_body=body))), question(max_tokens=50))
    assert (reply.text, reply.completion_tokens) == ("hello", 50)
    assert reply.prompt_tokens > 5


def test_the_estimate_learns_when_a_prompt_takes_more_tokens_than_thought():
    estimate = TokenEstimate()
    first = estimate.prompt_tokens(3000, 1)
    estimate.learn(3000, 1, 2500)
    assert estimate.prompt_tokens(3000, 1) >= 2500 > first
    estimate.learn(3000, 1, 10)
    assert estimate.prompt_tokens(3000, 1) >= 2500


def test_a_waiter_for_the_budget_goes_on_when_a_call_in_flight_turns_out_cheaper():
    async def run():
        budget = Budget(1.0)
        await budget.reserve(0.9)
        waiting = asyncio.create_task(budget.reserve(0.5))
        await asyncio.sleep(0)
        assert not waiting.done()
        budget.settle(0.9, 0.1)
        await asyncio.wait_for(waiting, 1)
        waiting = asyncio.create_task(budget.reserve(0.5))
        await asyncio.sleep(0)
        budget.settle(0.5, 0.6)
        with pytest.raises(BudgetExceededError):
            await waiting

    asyncio.run(run())


def test_a_budget_holds_over_the_runs_of_a_workspace(serve, gateway, question, ask, cache):
    server = serve(lambda body: priced(), latency_s=0.01)
    requests = [question(f"{number:04} " * 600, max_tokens=100) for number in range(40)]

    def run(budget_usd):
        outcomes = ask(gateway(server, prices=PRICES, budget_usd=budget_usd), *requests)
        return [outcome for outcome in outcomes if isinstance(outcome, BudgetExceededError)]

    first, second = run(0.0205), run(0.0205)
    assert (len(first), len(second), len(server.requests)) == (30, 30, 10)
    assert cache.spent_usd("llm") == pytest.approx(0.02)
    assert "0.020000 (0.020000 by earlier runs) of llm.budget_usd = 0.0205" in str(second[0])
    assert "set llm.budget_usd to more than 0.0" in str(second[0])
    assert run(0.1) == []
    assert cache.spent_usd("llm") == pytest.approx(0.08)


def test_roles_that_share_a_budget_share_what_they_spent_earlier(serve, gateway, question, ask):
    server = serve(lambda body: priced())

    def open_both(limit):
        budget = Budget(limit)
        roles = ("llm", "judge")
        return [gateway(server, prices=PRICES, budget=budget, role=role) for role in roles], budget

    (llm, judge), _ = open_both(1.0)
    ask(llm, question("a"))
    ask(judge, question("b"))
    (llm, judge), budget = open_both(0.005)
    assert budget.earlier_usd == budget.spent_usd == pytest.approx(0.004)
    assert isinstance(ask(judge, question("c"))[0], BudgetExceededError)
    gateway(server, prices=PRICES, budget=budget, role="judge")
    assert budget.earlier_usd == budget.spent_usd == pytest.approx(0.004)
    own = gateway(server, prices=PRICES, budget_usd=0.005, role="judge")
    assert not isinstance(ask(own, question("c"))[0], Exception)


def test_what_a_lost_reply_may_have_cost_is_remembered_too(serve, gateway, question, ask, cache):
    server = serve(lambda body: ScriptedReply(dropped=True))
    sender = gateway(server, prices=PRICES, budget_usd=1.0, max_attempts=2)
    ask(sender, question(max_tokens=1000))
    assert sender.usage.unconfirmed_cost_usd > 0.02
    assert cache.spent_usd("llm") == pytest.approx(sender.usage.unconfirmed_cost_usd)


def test_a_request_that_was_never_sent_is_not_counted_as_spent(serve, gateway, question, cache):
    server = serve(lambda body: priced())

    async def leave() -> None:
        async with gateway(server, prices=PRICES, requests_per_minute=60) as sender:
            calls = [asyncio.create_task(sender.complete(question(str(number)))) for number in range(5)]
            await asyncio.sleep(0.1)
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)

    asyncio.run(leave())
    assert len(server.requests) == 1
    assert cache.spent_usd("llm") == pytest.approx(0.002)
