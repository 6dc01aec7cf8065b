"""The request cache: every reply that was paid for, in one SQLite file, kept for ever.

Promises that a reply is committed before `put` returns, that several processes may share the file, and that a
process killed at any moment leaves it whole. A power cut may lose the last replies, never the file (WAL with
synchronous=NORMAL). Raw replies are kept even when they turn out unusable; errors and keys are never stored.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from claimrag.schemas.errors import StoreError

_BUSY_TIMEOUT_S = 30.0
_OPEN_ATTEMPTS = 100
_TABLE = """
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY,
    model TEXT NOT NULL,
    reply TEXT NOT NULL,
    received_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
) WITHOUT ROWID
"""


@dataclass(frozen=True)
class StoredReply:
    """What a model answered, before anything judged it. `text` is None where the content was null."""

    text: str | None
    refusal: str | None
    finish_reason: str
    model: str
    prompt_tokens: int
    completion_tokens: int
    temperature: float | None
    temperature_note: str
    logprobs: tuple[dict[str, float], ...] | None = None


class RequestCache:
    """Replies by request key. Safe to share between threads; each process opens its own."""

    def __init__(self, path: Path | str) -> None:
        """Open or create the file; raises StoreError where it is not a whole cache or cannot be written."""
        self.path = Path(path)
        self._lock = threading.Lock()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                self.path, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
        except (OSError, sqlite3.Error) as error:
            raise self._store_error(error) from error
        try:
            self._prepare()
        except sqlite3.Error as error:
            self._connection.close()
            raise self._store_error(error) from error

    def get(self, key: str) -> StoredReply | None:
        """The reply stored under `key`, or None."""
        row = self._execute("SELECT reply FROM replies WHERE key = ?", key).fetchone()
        return None if row is None else self._decode(key, row[0])

    def put(self, key: str, reply: StoredReply) -> StoredReply:
        """Commit `reply` and return what is now stored: the first reply wins when two processes asked."""
        text = json.dumps(vars(reply), sort_keys=True, separators=(",", ":"))
        done = self._execute(
            "INSERT INTO replies (key, model, reply) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING",
            key,
            reply.model.encode("utf-8", "backslashreplace").decode(),
            text,
        )
        if done.rowcount == 1:
            return reply
        stored = self.get(key)
        return reply if stored is None else stored

    def __len__(self) -> int:
        count: int = self._execute("SELECT count(*) FROM replies").fetchone()[0]
        return count

    def close(self) -> None:
        """Close the file; the cache cannot be used afterwards."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> RequestCache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _prepare(self) -> None:
        # Two processes that create the file at once: SQLite answers "locked" without waiting, so we wait.
        for attempt in range(1, _OPEN_ATTEMPTS + 1):
            try:
                if self._connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                    self._connection.execute("PRAGMA journal_mode = WAL")
                self._connection.execute("PRAGMA synchronous = NORMAL")
                self._connection.execute(_TABLE)
                self._connection.execute("SELECT key FROM replies LIMIT 1").fetchone()
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or attempt == _OPEN_ATTEMPTS:
                    raise
                time.sleep(0.02)

    def _execute(self, statement: str, *values: str) -> sqlite3.Cursor:
        try:
            with self._lock:
                return self._connection.execute(statement, values)
        except sqlite3.Error as error:
            raise self._store_error(error) from error

    def _decode(self, key: str, text: str) -> StoredReply:
        try:
            fields = json.loads(text)
            logprobs = fields.pop("logprobs")
            return StoredReply(**fields, logprobs=None if logprobs is None else tuple(logprobs))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise StoreError(
                f"{self.path}: the reply stored under {key} is damaged ({error}). Move the file aside: its "
                "replies will be asked and paid for again"
            ) from error

    def _store_error(self, error: Exception) -> StoreError:
        message = str(error)
        if "locked" in message or "busy" in message:
            remedy = f"another process has held it for {_BUSY_TIMEOUT_S:.0f} s: wait for it or end it"
        elif isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
            remedy = (
                "the file is damaged or is no request cache: save what is left with "
                f"`sqlite3 {self.path} .recover`, or move it aside; its replies will be asked and paid for "
                "again"
            )
        else:
            remedy = "check that the folder exists, is writable and has free space"
        return StoreError(f"request cache {self.path}: {message}. Remedy: {remedy}")
