"""The scripted server itself: what it speaks, what it counts, and that it is fast enough."""

from __future__ import annotations

import asyncio
import json
import math
import os
import subprocess
import sys
import urllib.request
from pathlib import Path

import httpx
import pytest
from scripted_model import ScriptedReply, ScriptedServer, load_reply, main

TESTS = Path(__file__).resolve().parents[2]


def test_it_lists_its_model_and_refuses_other_paths(serve):
    server = serve(model="tiny")
    assert httpx.get(f"{server.base_url}/models", trust_env=False).json()["data"][0]["id"] == "tiny"
    assert httpx.get(f"{server.base_url}/nothing", trust_env=False).status_code == 404


def test_its_embeddings_are_unit_vectors_of_the_text(serve):
    server = serve()
    request = {"model": "e", "input": ["query: a", "passage: b", "query: a"]}
    data = httpx.post(f"{server.base_url}/embeddings", json=request, trust_env=False).json()["data"]
    first, second, third = (item["embedding"] for item in data)
    assert first == third != second
    assert math.isclose(sum(number * number for number in first), 1.0)
    assert server.embedding_requests == [request]


def test_the_openai_client_reads_its_embeddings(serve):
    from openai import OpenAI

    with OpenAI(base_url=serve().base_url, api_key="none", max_retries=0) as client:
        vectors = client.embeddings.create(model="e", input=["a", "b"]).data
    assert len(vectors[0].embedding) == len(vectors[1].embedding) == 64


def test_a_script_that_fails_fails_the_test():
    def broken(body):
        raise KeyError("oops")

    def run():
        with ScriptedServer(broken) as server:
            body = {"model": "m", "messages": [{"role": "user", "content": "x"}]}
            assert (
                httpx.post(f"{server.base_url}/chat/completions", json=body, trust_env=False).status_code
                == 500
            )

    with pytest.raises(KeyError):
        run()


def test_it_counts_what_was_answered_and_what_twice(serve):
    server = serve(lambda body: ScriptedReply.failed() if body["messages"][0]["content"] == "bad" else "ok")

    def post(text):
        body = {"model": "m", "messages": [{"role": "user", "content": text}]}
        httpx.post(f"{server.base_url}/chat/completions", json=body, trust_env=False)

    for text in ("a", "a", "b", "bad"):
        post(text)
    stats = httpx.get(f"{server.base_url}/_stats", trust_env=False).json()
    assert (stats["received"], stats["answered"], stats["distinct_answered"]) == (4, 3, 2)
    assert len(stats["answered_twice"]) == 1


def scripted_answer(body):
    """Loaded by name in the separate process."""
    return ScriptedReply(text="from the script", latency_s=0.0)


def test_it_runs_as_its_own_process_with_a_script_by_name(tmp_path):
    (tmp_path / "my_script.py").write_text("def answer(body):\n    return 'from the script'\n")
    command = [sys.executable, "-m", "scripted_model", "--latency", "0.01", "--reply", "my_script:answer"]
    found = os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), str(tmp_path)])}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=found) as process:
        assert process.stdout is not None
        base_url = process.stdout.readline().strip()
        body = {"model": "m", "messages": [{"role": "user", "content": "x"}]}
        reply = httpx.post(f"{base_url}/chat/completions", json=body, trust_env=False).json()
        with urllib.request.urlopen(f"{base_url}/_stats") as stats:
            assert json.load(stats)["answered"] == 1
        process.terminate()
        process.wait()
    assert reply["choices"][0]["message"]["content"] == "from the script"


def test_a_script_that_is_not_there_is_refused(capsys):
    assert load_reply("scripted_model:echo")({"messages": [{"content": "x"}]}) == "x"
    with pytest.raises(ValueError, match="module:function"):
        load_reply("scripted_model:nothing")
    with pytest.raises(SystemExit):
        main(["--reply", "scripted_model:nothing"])


def test_it_serves_many_connections_at_once(serve, gateway, question, ask):
    server = serve(latency_s=0.5)
    replies = ask(gateway(server, max_in_flight=128), *(question(str(number)) for number in range(256)))
    assert [reply.text for reply in replies] == [str(number) for number in range(256)]
    assert server.stats["peak_in_flight"] == 128


def test_a_request_in_pieces_is_put_together(serve):
    server = serve()
    host, port = "127.0.0.1", int(server.base_url.split(":")[2].split("/")[0])

    async def run():
        reader, writer = await asyncio.open_connection(host, port)
        body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "x"}]}).encode()
        head = f"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        for part in (head[:20], head[20:], body[:5], body[5:]):
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(0.01)
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        writer.close()
        await writer.wait_closed()

    asyncio.run(run())
