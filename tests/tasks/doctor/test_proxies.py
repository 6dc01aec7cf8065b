"""The doctor's look at proxies, and that a Prefect server on this machine is asked past them."""

from __future__ import annotations

import http.server
import importlib.util
import threading
from collections.abc import Iterator

import pytest

from claimrag.tasks.doctor.check import State
from claimrag.tasks.doctor.prefect_api import check_prefect, check_proxies

VARIABLES = (
    "http_proxy",
    "HTTP_PROXY",
    "https_proxy",
    "HTTPS_PROXY",
    "all_proxy",
    "ALL_PROXY",
    "no_proxy",
    "NO_PROXY",
)


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server() -> Iterator[str]:
    class Healthy(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *parts: object) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Healthy) as listening:
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{listening.server_port}/api"
        listening.shutdown()


def test_a_server_on_this_machine_is_asked_past_a_proxy(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert check_prefect(server).state == State.OK
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1080")
    assert check_prefect(server).state == State.OK


def test_proxies_are_named_by_their_variable_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    assert check_proxies().detail == "none"
    monkeypatch.setenv("https_proxy", "http://user:hunter2@proxy.example:3128")
    check = check_proxies()
    assert check.state == State.OK and check.detail.startswith("https_proxy;")
    assert "hunter2" not in check.model_dump_json()


def test_a_socks_proxy_without_its_package_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1080")
    monkeypatch.setattr("claimrag.tasks.doctor.prefect_api.find_spec", lambda name: None)
    check = check_proxies()
    assert check.state == State.FAILED and "ALL_PROXY" in check.detail and "httpx[socks]" in str(check.remedy)
    monkeypatch.setattr(
        "claimrag.tasks.doctor.prefect_api.find_spec", lambda name: importlib.util.find_spec("json")
    )
    assert check_proxies().state == State.OK
