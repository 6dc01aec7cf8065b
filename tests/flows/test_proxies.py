"""Proxies in the environment: this machine is never reached through one."""

from __future__ import annotations

import importlib.util
import urllib.request

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimrag.flows import proxies
from claimrag.flows.proxies import LOOPBACK, reach_loopback_directly, socks_variable

HOSTS = st.lists(st.sampled_from(["corp.example", ".lan", "10.0.0.1", "*"]), max_size=3).map(",".join)


@given(lower=st.none() | HOSTS, upper=st.none() | HOSTS)
def test_both_spellings_get_what_either_held_and_this_machine(lower: str | None, upper: str | None) -> None:
    environment = {name: v for name, v in (("no_proxy", lower), ("NO_PROXY", upper)) if v is not None}
    reach_loopback_directly(environment)
    listed = environment["no_proxy"].split(",")
    assert environment["NO_PROXY"] == environment["no_proxy"] and len(set(listed)) == len(listed)
    wanted = {*LOOPBACK, *(lower or "").split(","), *(upper or "").split(",")} - {""}
    assert set(listed) == wanted
    before = dict(environment)
    reach_loopback_directly(environment)
    assert environment == before


def test_a_client_that_reads_the_environment_goes_straight_to_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert not urllib.request.proxy_bypass("127.0.0.1")
    environment = {"http_proxy": "http://127.0.0.1:9"}
    reach_loopback_directly(environment)
    monkeypatch.setenv("no_proxy", environment["no_proxy"])
    assert all(urllib.request.proxy_bypass(host) for host in ("127.0.0.1", "localhost"))
    assert not urllib.request.proxy_bypass("publisher.example")


@pytest.mark.parametrize("variable", ["ALL_PROXY", "all_proxy", "HTTPS_PROXY", "http_proxy"])
def test_a_socks_proxy_is_named_by_its_variable_unless_its_package_is_here(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = {variable: "socks5h://127.0.0.1:1080"}
    monkeypatch.setattr(proxies, "find_spec", lambda name: None)
    assert socks_variable(environment) == variable
    assert socks_variable({variable: "http://127.0.0.1:1080"}) is None
    monkeypatch.setattr(proxies, "find_spec", lambda name: importlib.util.find_spec("json"))
    assert socks_variable(environment) is None
