"""The lean transport: connections reused, replaced when closed, TLS checked, replies bounded."""

from __future__ import annotations

import asyncio
import datetime
import ssl
from pathlib import Path

import httpx2
import pytest
from scripted_model import ScriptedReply

from claimrag.tasks.llm.http_client import open_http_client
from claimrag.tasks.llm.transport import LeanTransport

BODY = {"model": "m", "messages": [{"role": "user", "content": "x"}]}


async def _serve_raw(replies: list[bytes], connections: list[int], **options):
    """A server that sends `replies` in turn, closing after a reply that says so."""

    async def handle(reader, writer):
        connections.append(1)
        while replies:
            head = await reader.readuntil(b"\r\n\r\n") if not reader.at_eof() else b""
            length = next(
                (
                    int(line.split(b":")[1])
                    for line in head.split(b"\r\n")
                    if line.lower().startswith(b"content-length")
                ),
                0,
            )
            await reader.readexactly(length)
            reply = replies.pop(0)
            writer.write(reply)
            await writer.drain()
            if b"Connection: close" in reply or not replies:
                break
        writer.close()
        await writer.wait_closed()

    return await asyncio.start_server(handle, "127.0.0.1", 0, **options)


def _reply(body: bytes, *extra: str) -> bytes:
    lines = ["HTTP/1.1 200 OK", f"Content-Length: {len(body)}", *extra, "", ""]
    return "\r\n".join(lines).encode() + body


def _exchange(replies, count, *, scheme="http", server_tls=None, **options):
    """Send `count` requests one after the other; gives the responses and the number of connections."""

    async def run():
        connections: list[int] = []
        server = await _serve_raw(list(replies), connections, ssl=server_tls)
        port = server.sockets[0].getsockname()[1]
        base = f"{scheme}://127.0.0.1:{port}"
        transport = LeanTransport(base, keepalive_s=5, **options)
        try:
            async with httpx2.AsyncClient(transport=transport) as client:
                responses = []
                for _ in range(count):
                    responses.append(await client.post(f"{base}/x", json=BODY, timeout=5))
                    await asyncio.sleep(0.02)
        finally:
            server.close()
            await server.wait_closed()
        return responses, len(connections)

    return asyncio.run(run())


def test_a_connection_is_used_again():
    responses, connections = _exchange([_reply(b"1"), _reply(b"2"), _reply(b"3")], 3)
    assert ([response.text for response in responses], connections) == (["1", "2", "3"], 1)


def test_a_connection_that_the_server_closed_is_replaced():
    responses, connections = _exchange([_reply(b"1", "Connection: close"), _reply(b"2"), _reply(b"3")], 3)
    assert ([response.text for response in responses], connections) == (["1", "2", "3"], 2)


def test_a_chunked_reply_is_put_together():
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"
    assert _exchange([chunked], 1)[0][0].text == "abc"


def test_a_reply_longer_than_the_bound_is_not_read_to_its_end():
    with pytest.raises(httpx2.ReadError, match="longer than 10 bytes"):
        _exchange([_reply(b"x" * 11)], 1, max_reply_bytes=10)


def test_what_is_no_http_is_a_protocol_error():
    with pytest.raises(httpx2.RemoteProtocolError):
        _exchange([b"hello\r\n\r\n"], 1)


def test_a_port_where_nobody_listens_is_a_connection_error():
    async def run():
        async with httpx2.AsyncClient(transport=LeanTransport("http://127.0.0.1:9", keepalive_s=5)) as client:
            await client.post("http://127.0.0.1:9/x", json=BODY)

    with pytest.raises(httpx2.ConnectError):
        asyncio.run(run())


def _certificate(folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's context with a certificate for 127.0.0.1, and a client's that trusts it."""
    import ipaddress

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "scripted")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False
        )
        .sign(key, hashes.SHA256())
    )
    pem = folder / "certificate.pem"
    pem.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(pem)
    client = ssl.create_default_context(cadata=certificate.public_bytes(serialization.Encoding.PEM).decode())
    return server, client


def test_tls_works_and_keeps_the_connection(tmp_path: Path):
    server_tls, client_tls = _certificate(tmp_path)
    responses, connections = _exchange(
        [_reply(b"1"), _reply(b"2")], 2, scheme="https", server_tls=server_tls, tls=client_tls
    )
    assert ([response.text for response in responses], connections) == (["1", "2"], 1)


def test_a_certificate_that_is_not_trusted_is_refused(tmp_path: Path):
    server_tls, _ = _certificate(tmp_path)
    with pytest.raises(httpx2.ConnectError, match="certificate"):
        _exchange([_reply(b"1")], 1, scheme="https", server_tls=server_tls)


def test_a_proxy_in_the_environment_is_used_for_others_and_never_for_this_machine(monkeypatch):
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")

    def is_lean(base_url):
        client = open_http_client(base_url, 8)
        lean = isinstance(client._transport, LeanTransport)
        asyncio.run(client.aclose())
        return lean

    assert is_lean("http://127.0.0.1:8000/v1")
    assert not is_lean("https://api.example.org/v1")


def test_the_gateway_works_through_the_stock_transport_too(serve, gateway, question, ask, monkeypatch):
    monkeypatch.setattr("claimrag.schemas.address.Origin.is_loopback", False)
    server = serve(lambda body: ScriptedReply(text="through the proxy"))
    proxy = server.base_url.removesuffix("/v1")
    monkeypatch.setenv("http_proxy", proxy)
    monkeypatch.delenv("no_proxy", raising=False)
    (reply,) = ask(gateway(server), question())
    assert reply.text == "through the proxy"
