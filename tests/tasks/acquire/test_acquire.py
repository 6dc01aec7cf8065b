from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest

from claimrag.legal_sources.catalogue import load_catalogue
from claimrag.schemas.errors import InputError, SourceError
from claimrag.schemas.settings import AcquireSettings
from claimrag.tasks.acquire.acquire import Acquired, Wish, acquire
from claimrag.tasks.acquire.errors import (
    AcquireError,
    ForeignRedirectError,
    LocalFileError,
    NotAcceptableError,
    OfflineError,
    TruncatedBodyError,
)
from claimrag.tasks.acquire.snapshot import LawKey, SnapshotStore
from tests.tasks.acquire.publisher_server import LAW, Handler, PublisherServer, running_server

CELLAR = "/resource/celex/32016R0679"
LEGILUX = (
    "/filestore/eli/etat/leg/code/commerce/20260803/fr/xml/eli-etat-leg-code-commerce-20260803-fr-xml.xml"
)


@pytest.fixture
def server() -> Iterator[PublisherServer]:
    with running_server() as running:
        yield running


@pytest.fixture
def store(tmp_path: Path) -> SnapshotStore:
    return SnapshotStore(fsspec.filesystem("file"), str(tmp_path / "ws"))


def run(wish: Wish, store: SnapshotStore, server: PublisherServer | None = None) -> list[Acquired]:
    address = server.address if server else "http://127.0.0.1:9"
    settings = AcquireSettings(
        base_addresses={"eu": address, "lu": address}, requests_per_second=1000.0, max_attempts=1
    )
    return asyncio.run(acquire(wish, store, load_catalogue(), settings))


def cellar(handler: Handler) -> None:
    """Cellar: 303 to the document in the language asked, which is then served with an entity tag."""
    if handler.headers["Accept"] != "application/xhtml+xml":
        handler.reply(406)
        return
    handler.reply(303, Location=f"/resource/cellar/{handler.headers['Accept-Language']}/DOC_1")


def document(handler: Handler) -> None:
    if handler.headers.get("If-None-Match") == '"v1"':
        handler.reply(304)
    else:
        handler.law(LAW + handler.path.encode(), ETag='"v1"')


def play_cellar(server: PublisherServer) -> None:
    server.answers |= {
        CELLAR: cellar,
        "/resource/cellar/eng/DOC_1": document,
        "/resource/cellar/fra/DOC_1": document,
    }


def test_both_languages_of_the_gdpr_come_from_cellar_by_negotiation(
    server: PublisherServer, store: SnapshotStore
) -> None:
    play_cellar(server)
    english, french = run(Wish("gdpr"), store, server)
    assert english.snapshot.key == LawKey(law_id="gdpr", version="2016-04-27", language="en")
    assert french.snapshot.key.language == "fr"
    assert store.read(english.snapshot).endswith(b"/eng/DOC_1")
    assert store.read(french.snapshot).endswith(b"/fra/DOC_1")
    assert english.snapshot.address == f"{server.address}/resource/cellar/eng/DOC_1"
    assert english.changed
    assert english.previous is None
    assert english.entry is not None
    assert english.entry.short_title == "GDPR"


def test_a_second_run_never_touches_the_network(server: PublisherServer, store: SnapshotStore) -> None:
    play_cellar(server)
    first = run(Wish("gdpr"), store, server)
    asked = len(server.seen)
    again = run(Wish("gdpr", offline=True), store)
    assert len(server.seen) == asked
    assert [a.snapshot for a in again] == [a.snapshot for a in first]
    assert not any(a.changed or a.asked_publisher for a in again)


def test_refresh_asks_conditionally_and_keeps_what_has_not_changed(
    server: PublisherServer, store: SnapshotStore
) -> None:
    play_cellar(server)
    first = run(Wish("gdpr", languages=("en",)), store, server)
    again = run(Wish("gdpr", languages=("en",), refresh=True), store, server)
    assert server.seen[-1][1]["If-None-Match"] == '"v1"'
    assert again[0].asked_publisher
    assert not again[0].changed
    assert again[0].snapshot == first[0].snapshot
    server.answers["/resource/cellar/eng/DOC_1"] = lambda h: h.law(LAW + b"<!-- corrected -->", ETag='"v2"')
    changed = run(Wish("gdpr", languages=("en",), refresh=True), store, server)
    assert changed[0].changed
    assert changed[0].previous == first[0].snapshot
    assert len(store.history(changed[0].snapshot.key)) == 2


def test_a_format_that_is_not_served_gives_way_to_the_next(
    server: PublisherServer, store: SnapshotStore
) -> None:
    def only_html(handler: Handler) -> None:
        if handler.headers["Accept"] == "text/html":
            handler.law(Content_Type="text/html")
        else:
            handler.reply(406)

    server.answers[CELLAR] = only_html
    (english,) = run(Wish("gdpr", languages=("en",)), store, server)
    assert english.snapshot.media_type == "text/html"
    server.answers[CELLAR] = lambda h: h.reply(406)
    with pytest.raises(NotAcceptableError, match="application/xhtml"):
        run(Wish("gdpr", languages=("fr",)), store, server)


def test_a_code_comes_from_the_file_store_of_legilux(server: PublisherServer, store: SnapshotStore) -> None:
    server.answers[LEGILUX] = lambda h: h.law(b"<akomaNtoso/>", Content_Type="application/xml")
    name = "https://legilux.public.lu/eli/etat/leg/code/commerce/20260803/fr"
    (code,) = run(Wish(name), store, server)
    assert code.snapshot.key == LawKey(law_id="code-commerce", version="2026-08-03", language="fr")
    assert "Accept-Language" not in server.seen[0][1]


def test_a_failed_fetch_leaves_nothing_behind(
    server: PublisherServer, store: SnapshotStore, tmp_path: Path
) -> None:
    def truncated(handler: Handler) -> None:
        handler.law(LAW[:50], Content_Length=str(len(LAW)))
        handler.close_connection = True

    server.answers[CELLAR] = truncated
    with pytest.raises(TruncatedBodyError):
        run(Wish("gdpr"), store, server)
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


def test_a_mirror_cannot_send_elsewhere(server: PublisherServer, store: SnapshotStore) -> None:
    server.answers[CELLAR] = lambda h: h.reply(303, Location="http://publications.europa.eu/x")
    with pytest.raises(ForeignRedirectError, match=r"publications\.europa\.eu"):
        run(Wish("gdpr"), store, server)


def test_offline_without_a_snapshot_says_what_to_do(store: SnapshotStore) -> None:
    with pytest.raises(OfflineError, match="gdpr/2016-05-04/en"):
        run(Wish("02016R0679-20160504", offline=True), store)


def test_a_file_stands_for_a_law_when_it_is_given(store: SnapshotStore, tmp_path: Path) -> None:
    path = tmp_path / "gdpr.pdf"
    path.write_bytes(b"%PDF-1.7")
    (kept,) = run(Wish("gdpr", languages=("en",), from_file=path), store)
    assert kept.snapshot.origin == "file"
    assert kept.snapshot.key.law_id == "gdpr"
    with pytest.raises(InputError, match="one file is one language"):
        run(Wish("gdpr", from_file=path), store)
    with pytest.raises(LocalFileError, match="not a file"):
        run(Wish("gdpr", languages=("en",), from_file=tmp_path / "absent"), store)


def test_a_path_alone_is_enough(store: SnapshotStore, tmp_path: Path) -> None:
    path = tmp_path / "my-law.html"
    path.write_bytes(b"<html/>")
    (kept,) = run(Wish(str(path)), store)
    assert kept.snapshot.key == LawKey(law_id="file-my-law", version="undated", language="und")
    assert kept.entry is None
    assert kept.previous is None
    path.write_bytes(b"<html></html>")
    (again,) = run(Wish(str(path)), store)
    assert again.changed
    assert again.previous == kept.snapshot


def test_a_sample_needs_no_network(store: SnapshotStore) -> None:
    (sample,) = run(Wish("sample-en"), store)
    assert sample.snapshot.origin == "sample"
    assert store.read(sample.snapshot).startswith(b"<?xml")
    (french,) = run(Wish("sample-fr", version="2101-07-01"), store)
    assert french.snapshot.key.version == "2101-07-01"


def test_what_is_not_there_is_named_with_what_is(store: SnapshotStore) -> None:
    with pytest.raises(InputError, match="lists 2016-04-27, 2016-05-04"):
        run(Wish("gdpr", version="1999-01-01"), store)
    with pytest.raises(InputError, match="not published in de; it is in en, fr"):
        run(Wish("gdpr", languages=("de",)), store)
    with pytest.raises(SourceError, match="did you mean gdpr"):
        run(Wish("gpdr"), store)
    with pytest.raises(InputError, match="neither a law nor a file"):
        run(Wish("./" + "x" * 5000), store)


def test_an_indian_code_is_asked_at_its_own_address_or_given_by_hand(
    server: PublisherServer, store: SnapshotStore
) -> None:
    settings = AcquireSettings(base_addresses={"india": server.address}, requests_per_second=1000.0)
    path = "/bitstream/123456789/15272/1/the_code_of_criminal_procedure%2C_1973.pdf"
    server.answers[path] = lambda h: h.law(b"%PDF-1.4 ...", Content_Type="application/pdf")
    (code,) = asyncio.run(acquire(Wish("india-crpc"), store, load_catalogue(), settings))
    assert code.snapshot.key == LawKey(law_id="india-crpc", version="undated", language="en")


def test_a_law_without_an_address_asks_for_a_file(store: SnapshotStore, tmp_path: Path) -> None:
    extra = tmp_path / "mine.yaml"
    extra.write_text(
        "laws:\n"
        "  - id: mine\n    title: Mine\n    publisher: samples\n    languages: [en]\n"
        "    versions: [{kind: as_adopted}]\n"
    )
    with pytest.raises(AcquireError, match="no address to fetch: give it with --from FILE"):
        asyncio.run(acquire(Wish("mine"), store, load_catalogue(extra), AcquireSettings()))
