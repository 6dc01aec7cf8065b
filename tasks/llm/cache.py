"""The request cache: every reply that was paid for, in one SQLite file, kept for ever.

Promises that a reply is committed before `put` returns, that several processes may share the file, and that
nothing that was paid for is thrown away: a reply that could not be used stays, with its number, when the request
is asked again; a damaged row or file is set aside and named in `warnings`. It also keeps what an endpoint was
found to take, and what the runs of this workspace have spent. Keys and errors are never stored.
"""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from types import TracebackType

from claimrag.tasks.llm.sqlite_carve import Row
from claimrag.tasks.llm.sqlite_file import Layout, SqliteFile
from claimrag.tasks.llm.stored_reply import StoredReply, checksum, decode_reply, encode_reply

_NOW = "(strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))"
_TABLES = (
    "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, model TEXT NOT NULL, reply TEXT NOT NULL, "
    f"received_at TEXT NOT NULL DEFAULT {_NOW}) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS earlier_replies (key TEXT, asking INTEGER, reply TEXT NOT NULL, "
    "received_at TEXT NOT NULL, PRIMARY KEY (key, asking)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS damaged_replies (key TEXT, reply BLOB NOT NULL, "
    f"found_at TEXT NOT NULL DEFAULT {_NOW}, PRIMARY KEY (key, found_at)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS endpoint_modes (endpoint TEXT, model TEXT, modes TEXT NOT NULL, "
    "PRIMARY KEY (endpoint, model)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS spent (role TEXT PRIMARY KEY, usd REAL NOT NULL) WITHOUT ROWID",
)
_INSERT = "INSERT INTO replies (key, model, reply, crc) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO NOTHING"
_SPEND = "INSERT INTO spent VALUES (?, ?) ON CONFLICT (role) DO UPDATE SET usd = usd + excluded.usd"
_KEY = re.compile(r"[0-9a-f]{64}")


class RequestCache:
    """Replies by request key. Safe to share between threads; each process opens its own."""

    def __init__(self, path: Path | str) -> None:
        """Open or create the file; raises StoreError where it cannot be opened or written.

        A file that is damaged, or is no database, is set aside after everything readable was taken over.
        """
        self.path = Path(path)
        self._file = SqliteFile(self.path, Layout(_TABLES, (("replies", "crc INTEGER"),), _rescued_row))

    @property
    def warnings(self) -> list[str]:
        """What was found damaged, and what became of it: sentences to show."""
        return self._file.warnings

    def get(self, key: str) -> StoredReply | None:
        """The last reply stored under `key`, or None; a damaged one is set aside and counts as none."""
        rows = self._file.read("SELECT CAST(reply AS BLOB), crc FROM replies WHERE key = ?", key)
        if not rows:
            return None
        raw, crc = rows[0]
        try:
            if crc is not None and crc != checksum(key, raw):
                raise ValueError("its checksum differs")
            return decode_reply(raw)
        except ValueError as error:
            self._set_aside(key, raw, str(error))
            return None

    def put(
        self,
        key: str,
        reply: StoredReply,
        *,
        asking: int = 1,
        role: str = "",
        cost_usd: float = 0.0,
    ) -> StoredReply:
        """Commit `reply`, and `cost_usd` spent by `role`; gives what is now stored.

        The first reply wins when two processes asked. With `asking` above 1 the reply takes the place of the
        one before it, which is kept beside it.
        """
        text = encode_reply(reply)
        model = reply.model.encode("utf-8", "backslashreplace").decode()
        row = (key, model, text, checksum(key, text.encode()))
        if asking == 1 and not cost_usd:
            stored = self._file.write(_INSERT, *row) == 1
        else:

            def insert(connection: sqlite3.Connection) -> bool:
                if cost_usd:
                    connection.execute(_SPEND, (role, cost_usd))
                if asking > 1:
                    _make_room(connection, key, asking)
                return connection.execute(_INSERT, row).rowcount == 1

            stored = self._file.transaction(insert)
        if stored:
            return reply
        return self.get(key) or reply

    def askings(self, key: str) -> int:
        """How many replies to `key` were received."""
        query = "SELECT (SELECT count(*) FROM replies WHERE key = ?1) + count(*) FROM earlier_replies WHERE key = ?1"
        return int(self._file.read(query, key)[0][0])

    def earlier(self, key: str) -> list[StoredReply]:
        """The replies under `key` that were asked again, oldest first."""
        rows = self._file.read("SELECT reply FROM earlier_replies WHERE key = ? ORDER BY asking", key)
        return [decode_reply(text) for (text,) in rows]

    def modes(self, endpoint: str, model: str) -> str | None:
        """What `keep_modes` kept for this endpoint (scheme, host, port) and model."""
        query = "SELECT modes FROM endpoint_modes WHERE endpoint = ? AND model = ?"
        rows = self._file.read(query, endpoint, model)
        return str(rows[0][0]) if rows else None

    def keep_modes(self, endpoint: str, model: str, modes: str) -> None:
        """Keep what an endpoint was found to take, so that the next run begins there."""
        self._file.write("INSERT OR REPLACE INTO endpoint_modes VALUES (?, ?, ?)", endpoint, model, modes)

    def spent_usd(self, role: str) -> float:
        """US dollars spent by `role` in all runs that used this file."""
        rows = self._file.read("SELECT usd FROM spent WHERE role = ?", role)
        return float(rows[0][0]) if rows else 0.0

    def add_spent(self, role: str, usd: float) -> None:
        """Count money that was or may have been spent without a reply to store."""
        self._file.write(_SPEND, role, usd)

    def __len__(self) -> int:
        return int(self._file.read("SELECT count(*) FROM replies")[0][0])

    def close(self) -> None:
        """Close the file; the cache cannot be used afterwards."""
        self._file.close()

    def __enter__(self) -> RequestCache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _set_aside(self, key: str, raw: bytes, why: str) -> None:
        def move(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT OR IGNORE INTO damaged_replies (key, reply) VALUES (?, ?)", (key, raw))
            connection.execute("DELETE FROM replies WHERE key = ?", (key,))

        self._file.transaction(move)
        self.warnings.append(
            f"{self.path}: the reply stored under {key} is damaged ({why}); it is kept in the table "
            "damaged_replies, and its request will be asked and paid for again"
        )


def _make_room(connection: sqlite3.Connection, key: str, asking: int) -> None:
    """Move the reply before `asking` aside, unless another process has done so already."""
    connection.execute(
        "INSERT OR IGNORE INTO earlier_replies SELECT key, ?, reply, received_at FROM replies WHERE key = ?",
        (asking - 1, key),
    )
    if connection.execute("SELECT changes()").fetchone()[0]:
        connection.execute("DELETE FROM replies WHERE key = ?", (key,))


def _rescued_row(row: Row) -> tuple[str, Row] | None:
    """How to keep a row read from a damaged file; of two versions of one the later stays."""
    match row:
        case (str(key), str(), str(text), str(), *crc) if _KEY.fullmatch(key) and len(crc) < 2:
            if not _is_sound(key, text, *crc):
                return None
            return (
                "INSERT INTO replies VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET reply = excluded.reply, "
                "received_at = excluded.received_at, crc = excluded.crc WHERE excluded.received_at > received_at",
                (*row[:4], *(crc or [None])),
            )
        case (str(key), int(), str(text), str()) if _KEY.fullmatch(key) and _is_sound(key, text):
            return "INSERT OR IGNORE INTO earlier_replies VALUES (?, ?, ?, ?)", row
        case (str(role), int() | float() as usd) if role.isidentifier() and 0 <= usd < float("inf"):
            return (
                "INSERT INTO spent VALUES (?, ?) ON CONFLICT (role) DO UPDATE SET usd = max(usd, excluded.usd)",
                row,
            )
        case (str(endpoint), str(), str()) if endpoint.startswith("http"):
            return "INSERT OR REPLACE INTO endpoint_modes VALUES (?, ?, ?)", row
        case _:
            return None


def _is_sound(key: str, text: str, crc: object = None) -> bool:
    try:
        decode_reply(text)
    except ValueError:
        return False
    return crc is None or crc == checksum(key, text.encode())
