"""Addresses: what is one, what is shown of it, and when two are the same endpoint."""

from __future__ import annotations

import pytest

from claimrag.schemas.address import origin_of, secrets_in


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000"),
        ("HTTPS://API.Example.org/v1?x=1", "https://api.example.org"),
        ("https://user:pass@example.org:443/v1", "https://example.org"),
        ("http://user:p%40ss@example.org:443/", "http://example.org:443"),
        ("http://[::1]:8000/v1", "http://[::1]:8000"),
        ("http://büro.example/v1", "http://büro.example"),
    ],
)
def test_an_address_is_shown_as_scheme_host_and_port(address, shown):
    assert str(origin_of(address)) == shown


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("", "http"),
        ("example.org/v1", "http"),
        ("ftp://example.org", "http"),
        ("http://", "host"),
        ("http:///v1", "host"),
        ("http://[::1/v1", "brackets"),
        ("http://h:99999/v1", "port"),
        ("http://h:0/v1", "port"),
        ("http://h:eight/v1", "port"),
        ("http://user:hunter2@h:eight/v1", "port"),
        ("http://h h/v1", "white space"),
        ("http://h\n/v1", "white space"),
        ("http://a..b/v1", "host"),
    ],
)
def test_what_is_no_address_is_refused_without_being_quoted(address, words):
    with pytest.raises(ValueError, match=words) as caught:
        origin_of(address)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "loopback"),
    [
        ("http://localhost:1", True),
        ("http://a.localhost", True),
        ("http://127.8.9.1", True),
        ("http://[::1]", True),
        ("http://0.0.0.0:8000", True),
        ("http://10.0.0.1", False),
        ("http://localhost.example.org", False),
    ],
)
def test_this_machine_is_told_from_others(address, loopback):
    assert origin_of(address).is_loopback is loopback


def test_two_spellings_of_one_origin_are_equal_and_schemes_are_not():
    assert origin_of("https://h/v1") == origin_of("https://H:443/other")
    assert origin_of("http://h") != origin_of("https://h")
    assert origin_of("http://h:1") != origin_of("http://h:2")


def test_a_password_is_found_as_written_and_decoded():
    assert secrets_in("http://u:p%40ss@h") == ("p%40ss", "p@ss")
    assert secrets_in("http://h") == secrets_in("http://[") == ()
