"""Proxies in the environment: never for this machine, always for others, and sentences where one cannot be used."""

from __future__ import annotations

import asyncio

import pytest

from claimrag.schemas.address import origin_of
from claimrag.schemas.errors import SettingsError
from claimrag.schemas.settings import ModelSettings
from claimrag.tasks.llm import Gateway
from claimrag.tasks.llm.http_client import goes_through_proxy, open_http_client
from claimrag.tasks.llm.transport import LeanTransport

VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.mark.parametrize(
    ("variables", "address", "proxied"),
    [
        ({}, "https://api.example.org/v1", False),
        ({"https_proxy": "http://p:1"}, "https://api.example.org/v1", True),
        ({"HTTPS_PROXY": "http://p:1"}, "https://api.example.org/v1", True),
        ({"https_proxy": "http://p:1"}, "http://api.example.org/v1", False),
        ({"all_proxy": "http://p:1"}, "http://api.example.org/v1", True),
        ({"all_proxy": "http://p:1", "no_proxy": "example.org"}, "http://api.example.org/v1", False),
        ({"all_proxy": "http://p:1", "no_proxy": "*"}, "http://api.example.org/v1", False),
        *(
            ({"http_proxy": "http://p:1", "all_proxy": "http://p:1"}, f"http://{host}:8000/v1", False)
            for host in ("127.0.0.1", "127.1.2.3", "localhost", "x.localhost", "[::1]", "0.0.0.0")
        ),
    ],
)
def test_the_environment_decides_for_others_and_never_for_this_machine(
    monkeypatch, variables, address, proxied
):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert goes_through_proxy(origin_of(address)) is proxied
    client = open_http_client(address, 8)
    assert isinstance(client._transport, LeanTransport) is not proxied
    asyncio.run(client.aclose())


@pytest.mark.parametrize(
    ("proxy", "words"),
    [
        ("socks5://user:hunter2@h:1080", "SOCKS proxy.*socksio"),
        ("telepathy://user:hunter2@h", "not the address of a proxy"),
        ("http://user:hunter2@[::1", "not the address of a proxy"),
    ],
)
def test_a_proxy_that_cannot_be_used_is_a_sentence_without_its_password(
    monkeypatch, cache, question, ask, proxy, words
):
    monkeypatch.setenv("all_proxy", proxy)
    sender = Gateway(ModelSettings(base_url="http://api.example.org/v1", model="m"), cache)
    with pytest.raises(SettingsError, match=words) as caught:
        ask(sender, question())
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("proxy", ["socks5://h:1080", "telepathy://h"])
def test_a_useless_proxy_is_no_matter_for_this_machine(monkeypatch, serve, gateway, question, ask, proxy):
    monkeypatch.setenv("all_proxy", proxy)
    (reply,) = ask(gateway(serve(lambda body: "fine")), question())
    assert reply.text == "fine"


@pytest.mark.parametrize("status", [0, 401])
def test_the_password_of_an_address_is_sent_and_never_shown(serve, cache, question, ask, status):
    from scripted_model import ScriptedReply

    basic = "dXNlcjpodW50ZXIy"  # user:hunter2
    server = serve(lambda body: ScriptedReply(status=401, message=f"no: Basic {basic}, hunter2"))
    address = server.base_url.replace("http://", "http://user:hunter2@")
    if not status:
        address = "http://user:hunter2@127.0.0.1:9/v1"
    (error,) = ask(Gateway(ModelSettings(base_url=address, model="m", max_attempts=1), cache), question())
    assert "hunter2" not in str(error) and basic not in str(error) and "http://127.0.0.1:" in str(error)
    assert not status or server.state.headers[0]["authorization"] == f"Basic {basic}"
