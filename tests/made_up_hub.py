"""A small Hub on 127.0.0.1: enough of its datasets API for `huggingface_hub` and `datasets` to run unchanged.

Repositories live in memory. `fail_next` makes one coming request fail, and `requests` records every one.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

import pytest

CUT = -1
TOKEN = "hf_made_up_write_token"
DATE = "2024-01-01T00:00:00.000Z"


def blob_id(data: bytes) -> str:
    """Git's id of a file."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


@dataclass
class Repository:
    """Commits as (id, title, files by path); files are (key into the blobs, whether stored as LFS)."""

    private: bool
    commits: list[tuple[str, str, dict[str, tuple[str, bool]]]] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)

    def commit(self, title: str, tree: dict[str, tuple[str, bool]]) -> str:
        seed = json.dumps([len(self.commits), title, sorted(tree.items())])
        self.commits.append((hashlib.sha1(seed.encode()).hexdigest(), title, dict(tree)))
        return self.commits[-1][0]

    def at(self, revision: str) -> tuple[str, str, dict[str, tuple[str, bool]]] | None:
        if revision == "main":
            return self.commits[-1]
        wanted = self.tags.get(revision, revision)
        return next((commit for commit in self.commits if commit[0] == wanted), None)


@dataclass
class Hub:
    """The state of the server, and what tests ask of it."""

    url: str = ""
    repositories: dict[str, Repository] = field(default_factory=dict)
    blobs: dict[str, bytes] = field(default_factory=dict)
    requests: list[tuple[str, str]] = field(default_factory=list)
    failures: list[tuple[str, str, int]] = field(default_factory=list)
    corrupted: set[str] = field(default_factory=set)
    breaks: dict[int, int] = field(default_factory=dict)
    """By the number of a request, from 1: the status that it gets, or `CUT` for a connection without an answer."""

    def fail_next(self, method: str, path: str, status: int = 500) -> None:
        """The next request of this method whose path holds `path` gets `status`."""
        self.failures.append((method, path, status))

    def begin_again(self) -> None:
        """Forget everything, as if nothing had been asked or published yet."""
        self.repositories.clear()
        self.blobs.clear()
        self.requests.clear()
        self.failures.clear()
        self.breaks.clear()

    def writes(self) -> list[str]:
        """The paths of all requests that change anything."""
        return [path for method, path in self.requests if method in ("POST", "PUT", "DELETE")]

    def failure(self, method: str, path: str) -> int | None:
        for each in self.failures:
            if each[0] == method and each[1] in path:
                self.failures.remove(each)
                return each[2]
        return None


class Answer(Exception):
    """Ends the handling of a request with this answer."""

    def __init__(self, status: int, body: object = b"", **headers: object) -> None:
        super().__init__(status)
        self.status, self.headers = status, headers
        self.body = body if isinstance(body, bytes) else json.dumps(body).encode()


def handler_for(hub: Hub) -> type[BaseHTTPRequestHandler]:
    lock = threading.RLock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = (
            True  # head and body go out apart, and each would wait for the other's receipt
        )

        def log_message(self, *_: object) -> None:
            pass

        def answer(self) -> None:
            body = self._body()
            path = unquote(urlsplit(self.path).path)
            with lock:
                hub.requests.append((self.command, path))
                broken = hub.breaks.pop(len(hub.requests), None)
                if broken == CUT:
                    self.close_connection = True
                    return
                try:
                    if broken is not None:
                        raise Answer(broken, {"error": "made-up failure"})
                    status = hub.failure(self.command, path)
                    if status is not None:
                        raise Answer(status, {"error": "made-up failure"})
                    self._route(path, body)
                except Answer as answer:
                    self._send(answer)

        do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = answer

        def _body(self) -> bytes:
            if self.headers.get("Transfer-Encoding", "") == "chunked":
                whole = b""
                while size := int(self.rfile.readline().split(b";")[0], 16):
                    whole += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return whole
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))

        def _send(self, answer: Answer) -> None:
            self.send_response(answer.status)
            headers = {"Content-Type": "application/json", "Content-Length": len(answer.body)}
            headers |= {name.replace("_", "-"): value for name, value in answer.headers.items()}
            for name, value in headers.items():
                self.send_header(name, str(value))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(answer.body)

        def _may_write(self) -> bool:
            return self.headers.get("Authorization") == f"Bearer {TOKEN}"

        def _route(self, path: str, body: bytes) -> None:
            if match := re.fullmatch(r"/_lfs/([0-9a-f]{64})(/verify)?", path):
                self._lfs(match[1], body, verify=bool(match[2]))
            if self.command == "POST" and path != "/api/validate-yaml" and not self._may_write():
                raise Answer(401, {"error": "Invalid username or password."})
            if path == "/api/validate-yaml":
                raise Answer(200, {"errors": [], "warnings": []})
            if path == "/api/repos/create":
                self._create(json.loads(body))
            if match := re.fullmatch(r"/datasets/(.+)\.git/info/lfs/objects/batch", path):
                self._lfs_batch(json.loads(body))
            if match := re.fullmatch(r"/datasets/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
                self._file(self._repository(match[1]), match[2], match[3])
            if match := re.fullmatch(r"/api/datasets/([^/]+/[^/]+)(/.*)?", path):
                self._api(match[1], self._repository(match[1]), match[2] or "", body)
            raise Answer(404, {"error": f"no route {path}"})

        def _repository(self, name: str) -> Repository:
            found = hub.repositories.get(name)
            if found is None or (found.private and not self._may_write()):
                raise Answer(404, {"error": "not found"}, X_Error_Code="RepoNotFound")
            return found

        def _commit_at(self, repository: Repository, revision: str) -> tuple:
            found = repository.at(revision)
            if found is None:
                raise Answer(404, {"error": "no revision"}, X_Error_Code="RevisionNotFound")
            return found

        def _create(self, asked: dict) -> None:
            name = f"{asked.get('organization') or 'alice'}/{asked['name']}"
            if name in hub.repositories:
                raise Answer(409, {"error": "exists", "url": f"{hub.url}/datasets/{name}"})
            private = bool(asked.get("private")) or asked.get("visibility") == "private"
            repository = hub.repositories[name] = Repository(private)
            attributes = b"*.parquet filter=lfs\n"
            hub.blobs[blob_id(attributes)] = attributes
            repository.commit("initial commit", {".gitattributes": (blob_id(attributes), False)})
            raise Answer(200, {"url": f"{hub.url}/datasets/{name}", "name": name})

        def _lfs_batch(self, asked: dict) -> None:
            objects = []
            for each in asked["objects"]:
                href = f"{hub.url}/_lfs/{each['oid']}"
                actions = {
                    "upload": {"href": href, "header": {}},
                    "verify": {"href": f"{href}/verify", "header": {}},
                }
                new = {} if each["oid"] in hub.blobs else {"actions": actions}
                objects.append({"oid": each["oid"], "size": each["size"], **new})
            raise Answer(
                200, {"transfer": "basic", "objects": objects}, Content_Type="application/vnd.git-lfs+json"
            )

        def _lfs(self, oid: str, body: bytes, *, verify: bool) -> None:
            if self.command == "PUT" and not verify:
                if hashlib.sha256(body).hexdigest() != oid:
                    raise Answer(400, {"error": "the bytes have another hash"})
                hub.blobs[oid] = body
                raise Answer(200)
            raise Answer(200 if oid in hub.blobs else 404, {})

        def _file(self, repository: Repository, revision: str, path: str) -> None:
            commit, _, tree = self._commit_at(repository, revision)
            if path not in tree:
                raise Answer(404, {"error": "no entry"}, X_Error_Code="EntryNotFound", X_Repo_Commit=commit)
            key, is_lfs = tree[path]
            data = hub.blobs[key]
            if path in hub.corrupted:
                data = data[:-1] + bytes([data[-1] ^ 1])
            linked = {"X_Linked_Etag": f'"{key}"', "X_Linked_Size": len(data)} if is_lfs else {}
            raise Answer(200, data, ETag=f'"{key}"', X_Repo_Commit=commit, **linked)

        def _api(self, name: str, repository: Repository, rest: str, body: bytes) -> None:
            if rest == "" or rest.startswith("/revision/"):
                commit, _, tree = self._commit_at(repository, rest.removeprefix("/revision/") or "main")
                siblings = [{"rfilename": path} for path in tree]
                known = {"_id": "x", "id": name, "sha": commit, "private": repository.private, "tags": []}
                dated = {"lastModified": DATE, "createdAt": DATE, "downloads": 0, "likes": 0, "gated": False}
                raise Answer(200, known | dated | {"disabled": False, "siblings": siblings})
            if rest == "/refs":
                branches = [
                    {"name": "main", "ref": "refs/heads/main", "targetCommit": repository.commits[-1][0]}
                ]
                tags = [
                    {"name": tag, "ref": f"refs/tags/{tag}", "targetCommit": commit}
                    for tag, commit in repository.tags.items()
                ]
                raise Answer(200, {"branches": branches, "tags": tags, "converts": []})
            if rest.startswith("/preupload/"):
                files = [
                    {
                        "path": each["path"],
                        "uploadMode": "lfs" if each["path"].endswith(".parquet") else "regular",
                        "shouldIgnore": False,
                        "oid": None,
                    }
                    for each in json.loads(body)["files"]
                ]
                raise Answer(200, {"files": files, "commitOid": repository.commits[-1][0]})
            if rest.startswith("/commit/"):
                self._commit(name, repository, body)
            if match := re.fullmatch(r"/tag/(.+)", rest):
                tag = json.loads(body)["tag"]
                if tag in repository.tags:
                    raise Answer(409, {"error": "Tag reference exists already"})
                repository.tags[tag] = self._commit_at(repository, match[1])[0]
                raise Answer(200)
            if match := re.fullmatch(r"/tree/([^/]+)(?:/(.*))?", rest):
                self._tree(repository, match[1], match[2] or "")

        def _commit(self, name: str, repository: Repository, body: bytes) -> None:
            head, _, tree = repository.commits[-1]
            tree, title = dict(tree), ""
            for line in filter(None, body.splitlines()):
                entry = json.loads(line)
                key, value = entry["key"], entry["value"]
                if key == "header":
                    title = value["summary"]
                    if value.get("parentCommit") not in (None, head):
                        raise Answer(412, {"error": "A commit has happened since."})
                elif key == "file":
                    data = base64.b64decode(value["content"])
                    hub.blobs[blob_id(data)] = data
                    tree[value["path"]] = (blob_id(data), False)
                elif key == "lfsFile":
                    tree[value["path"]] = (value["oid"], True)
                elif key == "deletedFile":
                    tree.pop(value["path"])
            made = repository.commit(title, tree)
            url = f"{hub.url}/datasets/{name}/commit/{made}"
            raise Answer(200, {"success": True, "commitOid": made, "commitUrl": url, "hookOutput": ""})

        def _tree(self, repository: Repository, revision: str, folder: str) -> None:
            _, _, tree = self._commit_at(repository, revision)
            entries = []
            for path, (key, is_lfs) in sorted(tree.items()):
                if path.startswith(f"{folder}/" if folder else ""):
                    size = len(hub.blobs[key])
                    lfs = {"lfs": {"oid": key, "size": size, "pointerSize": 130}} if is_lfs else {}
                    entries.append({"type": "file", "oid": key[:40], "size": size, "path": path, **lfs})
            raise Answer(200, entries)

    return Handler


@contextmanager
def made_up_hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A running Hub; the Hub client of this process may reach it, and it alone is named to it."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    made = Hub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler_for(made))
    server.daemon_threads = True
    made.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
