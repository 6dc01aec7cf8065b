from __future__ import annotations

import asyncio
import gzip
import re
import time
import tracemalloc
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from claimrag.schemas.errors import SettingsError, SourceError
from claimrag.schemas.settings import AcquireSettings
from claimrag.tasks.acquire import errors
from claimrag.tasks.acquire.addresses import Bounds
from claimrag.tasks.acquire.fetch import Fetched, Fetcher, FetchRequest, user_agent
from tests.tasks.acquire.publisher_server import LAW, Handler, PublisherServer, Sleeps, running_server

XHTML = "application/xhtml+xml"


@pytest.fixture
def server() -> Iterator[PublisherServer]:
    with running_server() as running:
        yield running


def ask_for(server: PublisherServer, path: str = "/law", **options: Any) -> FetchRequest:
    bounds = Bounds(frozenset({server.address.removeprefix("http://")}), frozenset({"http"}))
    return FetchRequest(
        server.address + path, XHTML, (XHTML, "text/html", "application/pdf"), bounds, **options
    )


def fetch(ask: FetchRequest, sleeps: Sleeps | None = None, **settings: Any) -> Fetched:
    async def run() -> Fetched:
        chosen = AcquireSettings(**({"requests_per_second": 1000.0} | settings))
        now = datetime(2026, 1, 1, tzinfo=UTC)
        async with Fetcher(chosen, sleep=sleeps or Sleeps(), now=lambda: now) as fetcher:
            return await fetcher.get(ask)

    return asyncio.run(run())


def answers_in_turn(*turns: Callable[[Handler], None]) -> Callable[[Handler], None]:
    remaining = list(turns)
    return lambda handler: (remaining.pop(0) if len(remaining) > 1 else remaining[0])(handler)


def test_a_law_comes_back_whole_with_the_negotiation_that_was_asked(server: PublisherServer) -> None:
    server.answers["/law"] = lambda h: h.law(ETag='"v1"')
    fetched = fetch(ask_for(server, accept_language="eng"), contact="law@example.org")
    assert fetched.body == LAW
    assert fetched.media_type == XHTML
    assert fetched.headers["etag"] == '"v1"'
    sent = server.seen[0][1]
    assert sent["Accept"] == XHTML
    assert sent["Accept-Language"] == "eng"
    assert sent["User-Agent"].startswith("claimrag/")
    assert sent["User-Agent"].endswith("(law@example.org)")
    assert "If-None-Match" not in sent


def test_a_copy_that_is_still_good_answers_304_without_a_body(server: PublisherServer) -> None:
    server.answers["/law"] = lambda h: h.reply(304)
    fetched = fetch(ask_for(server, etag='"v1"', last_modified="Thu, 01 Jan 2026 00:00:00 GMT"))
    assert fetched.body is None
    assert server.seen[0][1]["If-None-Match"] == '"v1"'
    assert server.seen[0][1]["If-Modified-Since"] == "Thu, 01 Jan 2026 00:00:00 GMT"


@pytest.mark.parametrize(
    ("status", "error", "sentence"),
    [
        (404, errors.NotFoundError, "does not exist"),
        (410, errors.NotFoundError, "does not exist"),
        (406, errors.NotAcceptableError, "not served as application/xhtml\\+xml in the language 'fra'"),
        (300, errors.NotAcceptableError, "several parts"),
        (202, errors.ChallengeError, "robot check"),
        (403, errors.UnexpectedStatusError, "status 403"),
        (400, errors.UnexpectedStatusError, "status 400"),
        (304, errors.UnexpectedStatusError, "status 304"),
        (204, errors.UnexpectedStatusError, "status 204"),
    ],
)
def test_a_permanent_refusal_is_tried_once_and_says_why(
    server: PublisherServer, status: int, error: type[errors.AcquireError], sentence: str
) -> None:
    server.answers["/law"] = lambda h: h.reply(status)
    with pytest.raises(error, match=sentence):
        fetch(ask_for(server, accept_language="fra"))
    assert len(server.seen) == 1


def test_429_waits_as_long_as_the_publisher_asks_then_succeeds(server: PublisherServer) -> None:
    sleeps = Sleeps()
    server.answers["/law"] = answers_in_turn(
        lambda h: h.reply(429, Retry_After="7"),
        lambda h: h.reply(429, Retry_After="Thu, 01 Jan 2026 00:00:09 GMT"),
        lambda h: h.reply(429, Retry_After="soon"),
        lambda h: h.law(),
    )
    assert fetch(ask_for(server), sleeps).body == LAW
    assert [wait for wait in sleeps.waits if wait >= 1] == [7.0, 9.0, 4.0]


def test_a_wait_beyond_the_bound_is_refused_without_waiting(server: PublisherServer) -> None:
    sleeps = Sleeps()
    server.answers["/law"] = lambda h: h.reply(429, Retry_After="86400")
    with pytest.raises(errors.RateLimitedError, match="asks to wait 86400 s"):
        fetch(ask_for(server), sleeps)
    assert len(server.seen) == 1
    assert sleeps.waits == []


def test_429_without_end_gives_up_after_the_attempts(server: PublisherServer) -> None:
    server.answers["/law"] = lambda h: h.reply(429, Retry_After="1")
    with pytest.raises(errors.RateLimitedError, match="slow down"):
        fetch(ask_for(server), max_attempts=3)
    assert len(server.seen) == 3


def test_503_is_tried_again_and_then_reported(server: PublisherServer) -> None:
    server.answers["/law"] = lambda h: h.reply(503)
    with pytest.raises(errors.PublisherUnavailableError, match="status 503"):
        fetch(ask_for(server), max_attempts=2)
    server.answers["/law"] = answers_in_turn(lambda h: h.reply(502), lambda h: h.law())
    assert fetch(ask_for(server)).body == LAW


def test_a_truncated_body_is_tried_again_and_never_returned(server: PublisherServer) -> None:
    def truncated(handler: Handler) -> None:
        handler.law(LAW[:100], Content_Length=str(len(LAW)))
        handler.close_connection = True

    server.answers["/law"] = truncated
    with pytest.raises(errors.TruncatedBodyError, match="broke off"):
        fetch(ask_for(server), max_attempts=2)
    assert len(server.seen) == 2
    server.answers["/law"] = answers_in_turn(truncated, lambda h: h.law())
    assert fetch(ask_for(server)).body == LAW


def test_an_empty_body_is_not_a_law(server: PublisherServer) -> None:
    server.answers["/law"] = lambda h: h.law(b" \n")
    with pytest.raises(errors.TruncatedBodyError, match="empty body"):
        fetch(ask_for(server), max_attempts=1)


@pytest.mark.parametrize("content_type", ["application/zip", "application/rdf+xml", ""])
def test_another_content_type_is_refused(server: PublisherServer, content_type: str) -> None:
    server.answers["/law"] = lambda h: h.law(Content_Type=content_type)
    with pytest.raises(errors.WrongContentTypeError, match=re.escape(content_type) or "no content type"):
        fetch(ask_for(server))


def test_a_pdf_must_be_one(server: PublisherServer) -> None:
    server.answers["/law"] = lambda h: h.law(b"<html>", Content_Type="application/pdf")
    with pytest.raises(errors.WrongContentTypeError, match="says PDF"):
        fetch(ask_for(server))
    server.answers["/law"] = lambda h: h.law(b"%PDF-1.7 ...", Content_Type="application/pdf")
    assert fetch(ask_for(server)).media_type == "application/pdf"


@pytest.mark.parametrize(
    "page",
    [
        b"<html><head><title>Please wait for the law you asked for</title></head><body><script>"
        + b"var challenge = 1;" * 100
        + b"</script><noscript>Enable JavaScript</noscript></body></html>",
        b"<html><body><div id='app'></div><SCRIPT src='main.js'></SCRIPT></body></html>",
        b"<html><script>never closed " + b"<script" * 20000,
    ],
)
def test_a_script_shell_is_a_challenge_not_a_law(server: PublisherServer, page: bytes) -> None:
    server.answers["/law"] = lambda h: h.law(page, Content_Type="text/html")
    started = time.monotonic()
    with pytest.raises(errors.ChallengeError, match="--from FILE"):
        fetch(ask_for(server))
    assert time.monotonic() - started < 5


def test_a_law_page_with_a_script_is_a_law(server: PublisherServer) -> None:
    page = LAW.replace(b"<body>", b"<body><script>var x = 1 < 2;</script>")
    server.answers["/law"] = lambda h: h.law(page)
    assert fetch(ask_for(server)).body == page


def test_a_challenge_header_is_enough(server: PublisherServer) -> None:
    server.answers["/law"] = lambda h: h.law(x_amzn_waf_action="challenge")
    with pytest.raises(errors.ChallengeError, match="robot check"):
        fetch(ask_for(server))


def test_a_redirect_on_the_same_host_is_followed_with_the_same_negotiation(server: PublisherServer) -> None:
    server.answers["/law"] = lambda h: h.reply(303, Location="/cellar/doc_1")
    server.answers["/cellar/doc_1"] = lambda h: h.law()
    fetched = fetch(ask_for(server, accept_language="fra"))
    assert fetched.address.endswith("/cellar/doc_1")
    assert server.seen[1][1]["Accept-Language"] == "fra"


@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.2:{port}/law",
        "http://localhost:{port}/law",
        "https://127.0.0.1:{port}/law",
        "http://127.0.0.1/law",
        "file:///etc/passwd",
        "http://user:pw@127.0.0.1:{port}/law",
    ],
)
def test_a_redirect_to_a_foreign_host_is_refused_before_it_is_asked(
    server: PublisherServer, location: str
) -> None:
    there = location.format(port=server.server_address[1])
    server.answers["/law"] = lambda h: h.reply(302, Location=there)
    with pytest.raises(errors.ForeignRedirectError, match="is not the publisher's") as caught:
        fetch(ask_for(server))
    assert len(server.seen) == 1
    assert "pw" not in str(caught.value)


def test_redirects_in_a_circle_and_without_a_place_end(server: PublisherServer) -> None:
    server.answers["/law"] = lambda h: h.reply(302, Location="/law")
    with pytest.raises(errors.ForeignRedirectError, match="more than 5 times"):
        fetch(ask_for(server))
    server.answers["/law"] = lambda h: h.reply(302)
    with pytest.raises(errors.UnexpectedStatusError, match="without saying where"):
        fetch(ask_for(server))


def test_a_body_of_2_gb_stops_at_the_limit(server: PublisherServer) -> None:
    two_gb, sent = 2 * 1024**3, []

    def endless(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", XHTML)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        piece = b"x" * 65536
        for _ in range(two_gb // len(piece)):
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            sent.append(len(piece))

    server.answers["/law"] = endless
    tracemalloc.start()
    try:
        with pytest.raises(errors.TooLargeError, match="larger than 1048576 bytes"):
            fetch(ask_for(server), max_bytes=1024 * 1024)
        assert tracemalloc.get_traced_memory()[1] < 16 * 1024 * 1024
    finally:
        tracemalloc.stop()
    assert sum(sent) < 64 * 1024 * 1024


def test_an_announced_size_beyond_the_limit_is_refused_unread(server: PublisherServer) -> None:
    server.answers["/law"] = lambda h: h.law(b"x", Content_Length=str(2 * 1024**3))
    with pytest.raises(errors.TooLargeError):
        fetch(ask_for(server))


def test_a_small_body_that_unpacks_to_a_huge_one_stops_at_the_limit(server: PublisherServer) -> None:
    bomb = gzip.compress(b"\0" * (64 * 1024 * 1024))
    assert len(bomb) < 100_000
    server.answers["/law"] = lambda h: h.law(bomb, Content_Encoding="gzip")
    tracemalloc.start()
    try:
        with pytest.raises(errors.TooLargeError):
            fetch(ask_for(server), max_bytes=1024 * 1024)
        assert tracemalloc.get_traced_memory()[1] < 16 * 1024 * 1024
    finally:
        tracemalloc.stop()


def test_gzip_is_unpacked_and_other_encodings_are_refused(server: PublisherServer) -> None:
    packed = gzip.compress(LAW)
    server.answers["/law"] = lambda h: h.law(packed, Content_Encoding="gzip")
    assert fetch(ask_for(server)).body == LAW
    server.answers["/law"] = lambda h: h.law(packed[:-12], Content_Encoding="gzip")
    with pytest.raises(errors.TruncatedBodyError, match="gzip body that breaks off"):
        fetch(ask_for(server), max_attempts=1)
    server.answers["/law"] = lambda h: h.law(b"not gzip", Content_Encoding="gzip")
    with pytest.raises(errors.EncodingRefusedError, match="damaged gzip"):
        fetch(ask_for(server))
    server.answers["/law"] = lambda h: h.law(LAW, Content_Encoding="br")
    with pytest.raises(errors.EncodingRefusedError, match="'br'"):
        fetch(ask_for(server))


def test_a_slow_drip_is_given_up_at_the_time_limit(server: PublisherServer) -> None:
    def drip(handler: Handler) -> None:
        handler.law(b"", Content_Length="1000")
        for _ in range(100):
            handler.wfile.write(b"x")
            time.sleep(0.05)

    server.answers["/law"] = drip
    started = time.monotonic()
    with pytest.raises(errors.TooSlowError, match="total_timeout_s"):
        fetch(ask_for(server), total_timeout_s=0.3, timeout_s=0.3)
    assert time.monotonic() - started < 3
    assert len(server.seen) == 1


def test_an_unreachable_publisher_is_tried_again_then_reported(server: PublisherServer) -> None:
    ask = ask_for(server)
    server.shutdown()
    server.server_close()
    sleeps = Sleeps()
    with pytest.raises(errors.PublisherUnavailableError, match="cannot be reached"):
        fetch(ask, sleeps, max_attempts=3)
    assert [wait for wait in sleeps.waits if wait >= 1] == [1.0, 2.0]


def test_requests_to_one_host_keep_the_pace(server: PublisherServer) -> None:
    server.answers["/law"] = lambda h: h.reply(303, Location="/doc")
    server.answers["/doc"] = lambda h: h.law()
    sleeps = Sleeps()
    fetch(ask_for(server), sleeps, requests_per_second=0.5)
    assert len(sleeps.waits) == 1
    assert 1.5 < sleeps.waits[0] <= 2.0


def test_every_error_is_a_source_error_and_a_contact_cannot_add_a_header() -> None:
    for name, error in vars(errors).items():
        if isinstance(error, type) and name.endswith("Error"):
            assert issubclass(error, SourceError)
    with pytest.raises(SettingsError, match="printable ASCII"):
        user_agent("me\r\nX-Evil: 1")
    assert user_agent(None).endswith("(no contact given)")
