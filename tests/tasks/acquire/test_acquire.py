from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest

from claimrag.legal_sources.catalogue import load_catalogue
from claimrag.schemas.errors import InputError
from claimrag.schemas.settings import AcquireSettings
from claimrag.tasks.acquire.acquire import Acquired, AcquireRequest, acquire
from claimrag.tasks.acquire.errors import (
    AcquireError,
    ForeignRedirectError,
    LocalFileError,
    NotAcceptableError,
    OfflineError,
    TruncatedBodyError,
)
from claimrag.tasks.acquire.fetch import Fetcher
from claimrag.tasks.acquire.naming import NamedLaw, name_law, name_law_in_file, name_laws
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


def run(
    laws: list[NamedLaw],
    store: SnapshotStore,
    server: PublisherServer | None = None,
    *,
    refresh: bool = False,
    offline: bool = False,
) -> list[Acquired]:
    address = server.address if server else "http://127.0.0.1:9"
    settings = AcquireSettings(
        base_addresses={"eu": address, "lu": address}, requests_per_second=1000.0, max_attempts=1
    )

    async def each() -> list[Acquired]:
        return [
            await acquire(AcquireRequest(law, refresh, offline), store, load_catalogue(), settings)
            for law in laws
        ]

    return asyncio.run(each())


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
    english, french = run(name_laws(["gdpr"]), store, server)
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
    first = run(name_laws(["gdpr"]), store, server)
    asked = len(server.seen)
    again = run(name_laws(["gdpr"]), store, offline=True)
    assert len(server.seen) == asked
    assert [a.snapshot for a in again] == [a.snapshot for a in first]
    assert not any(a.changed or a.asked_publisher for a in again)


def test_refresh_asks_conditionally_and_keeps_what_has_not_changed(
    server: PublisherServer, store: SnapshotStore
) -> None:
    play_cellar(server)
    first = run(name_laws(["gdpr"], language="en"), store, server)
    again = run(name_laws(["gdpr"], language="en"), store, server, refresh=True)
    assert server.seen[-1][1]["If-None-Match"] == '"v1"'
    assert again[0].asked_publisher
    assert not again[0].changed
    assert again[0].snapshot == first[0].snapshot
    server.answers["/resource/cellar/eng/DOC_1"] = lambda h: h.law(LAW + b"<!-- corrected -->", ETag='"v2"')
    changed = run(name_laws(["gdpr"], language="en"), store, server, refresh=True)
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
    (english,) = run(name_laws(["gdpr"], language="en"), store, server)
    assert english.snapshot.media_type == "text/html"
    server.answers[CELLAR] = lambda h: h.reply(406)
    with pytest.raises(NotAcceptableError, match="application/xhtml"):
        run(name_laws(["gdpr"], language="fr"), store, server)


def test_a_code_comes_from_the_file_store_of_legilux(server: PublisherServer, store: SnapshotStore) -> None:
    server.answers[LEGILUX] = lambda h: h.law(b"<akomaNtoso/>", Content_Type="application/xml")
    name = "https://legilux.public.lu/eli/etat/leg/code/commerce/20260803/fr"
    (code,) = run(name_laws([name]), store, server)
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
        run(name_laws(["gdpr"]), store, server)
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


def test_a_mirror_cannot_send_elsewhere(server: PublisherServer, store: SnapshotStore) -> None:
    server.answers[CELLAR] = lambda h: h.reply(303, Location="http://publications.europa.eu/x")
    with pytest.raises(ForeignRedirectError, match=r"publications\.europa\.eu"):
        run(name_laws(["gdpr"]), store, server)


def test_offline_without_a_snapshot_says_what_to_do(store: SnapshotStore) -> None:
    with pytest.raises(OfflineError, match="gdpr/2016-05-04/en"):
        run(name_laws(["02016R0679-20160504"]), store, offline=True)


def test_a_file_stands_for_a_law_when_it_is_given(store: SnapshotStore, tmp_path: Path) -> None:
    path = tmp_path / "gdpr.pdf"
    path.write_bytes(b"%PDF-1.7")
    (kept,) = run([name_law_in_file("gdpr", path, language="en")], store)
    assert kept.snapshot.origin == "file"
    assert kept.snapshot.key.law_id == "gdpr"
    with pytest.raises(LocalFileError, match="not a file"):
        run([name_law_in_file("gdpr", tmp_path / "absent", language="en")], store)


def test_a_path_alone_is_enough(store: SnapshotStore, tmp_path: Path) -> None:
    path = tmp_path / "my-law.html"
    path.write_bytes(b"<html/>")
    (kept,) = run(name_laws([str(path)]), store)
    assert kept.snapshot.key == LawKey(law_id="file-my-law", version="undated", language="und")
    assert kept.entry is None
    assert kept.previous is None
    path.write_bytes(b"<html></html>")
    (again,) = run(name_laws([str(path)]), store)
    assert again.changed
    assert again.previous == kept.snapshot


def test_a_sample_needs_no_network(store: SnapshotStore) -> None:
    (sample,) = run(name_laws(["sample-en"]), store)
    assert sample.snapshot.origin == "sample"
    assert store.read(sample.snapshot).startswith(b"<?xml")
    (french,) = run(name_laws(["sample-fr"], version="2101-07-01"), store)
    assert french.snapshot.key.version == "2101-07-01"


def test_a_law_that_was_not_named_by_the_naming_is_refused(store: SnapshotStore) -> None:
    with pytest.raises(InputError, match="name it with name_laws"):
        run([NamedLaw(name="gdpr")], store)
    with pytest.raises(InputError, match="does not list gdpr in version 1999-01-01 and language en"):
        run([NamedLaw(name="gdpr", law_id="gdpr", language="en", version="1999-01-01")], store)
    with pytest.raises(InputError, match="language None"):
        run([NamedLaw(name="gdpr", law_id="gdpr")], store)


def test_one_fetcher_serves_every_law_of_a_run(server: PublisherServer, store: SnapshotStore) -> None:
    play_cellar(server)
    settings = AcquireSettings(base_addresses={"eu": server.address}, requests_per_second=1000.0)

    async def both() -> list[Acquired]:
        async with Fetcher(settings) as fetcher:
            return [
                await acquire(AcquireRequest(law), store, load_catalogue(), settings, fetcher)
                for law in name_laws(["gdpr"])
            ]

    assert [one.snapshot.key.language for one in asyncio.run(both())] == ["en", "fr"]


def test_an_indian_code_is_asked_at_its_own_address_or_given_by_hand(
    server: PublisherServer, store: SnapshotStore
) -> None:
    settings = AcquireSettings(base_addresses={"india": server.address}, requests_per_second=1000.0)
    path = "/bitstream/123456789/15272/1/the_code_of_criminal_procedure%2C_1973.pdf"
    server.answers[path] = lambda h: h.law(b"%PDF-1.4 ...", Content_Type="application/pdf")
    request = AcquireRequest(name_law("india-crpc"))
    code = asyncio.run(acquire(request, store, load_catalogue(), settings))
    assert code.snapshot.key == LawKey(law_id="india-crpc", version="undated", language="en")


def test_a_law_without_an_address_asks_for_a_file(store: SnapshotStore, tmp_path: Path) -> None:
    extra = tmp_path / "mine.yaml"
    extra.write_text(
        "laws:\n"
        "  - id: mine\n    title: Mine\n    publisher: samples\n    languages: [en]\n"
        "    versions: [{kind: as_adopted}]\n"
    )
    with pytest.raises(AcquireError, match="no address to fetch: give it with --from FILE"):
        asyncio.run(
            acquire(
                AcquireRequest(name_law("mine", catalogue=load_catalogue(extra))),
                store,
                load_catalogue(extra),
                AcquireSettings(),
            )
        )
