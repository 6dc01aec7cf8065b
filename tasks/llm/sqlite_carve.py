"""Reads rows out of an SQLite file that SQLite itself refuses to read, page by page.

For tables WITHOUT ROWID, whose rows lie in index pages. Promises every row whose page and overflow pages are
intact, whatever happened to the rest of the file, also those that are only in the write-ahead log; it may give
an old version of a row beside the newer one. It judges no row: the caller knows what a sound one looks like.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

Value = None | int | float | str | bytes
Row = tuple[Value, ...]

_MAGIC = b"SQLite format 3\x00"
_DEFAULT_PAGE_BYTES = 4096
_FILE_HEADER_BYTES = 100
_INTERIOR, _LEAF = 0x02, 0x0A
_WAL_MAGIC = (0x377F0682, 0x377F0683)
_WAL_HEADER_BYTES, _FRAME_HEADER_BYTES = 32, 24
_INTEGER_BYTES = (0, 1, 2, 3, 4, 6, 8)
_FLOAT, _ZERO, _ONE, _FIRST_BLOB = 7, 8, 9, 12
_NOT_A_ROW = (IndexError, ValueError, struct.error)


def carve_rows(path: Path) -> Iterator[Row]:
    """Every row that can be read from the file and its write-ahead log, in no particular order."""
    if path.stat().st_size == 0:
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        pages = _Pages.of(data, path.with_name(path.name + "-wal"))
        for number in pages.numbers():
            page = pages.read(number)
            for place in _cells(page, _FILE_HEADER_BYTES if number == 1 else 0):
                try:
                    yield _record(_payload(pages, page, place))
                except _NOT_A_ROW:
                    continue


@dataclass(frozen=True)
class _Pages:
    """Numbered pages, from 1; the log's version of a page is the newer one."""

    data: mmap.mmap
    size: int
    count: int
    logged: dict[int, bytes]

    @classmethod
    def of(cls, data: mmap.mmap, log: Path) -> _Pages:
        header = data[:_FILE_HEADER_BYTES]
        size = _DEFAULT_PAGE_BYTES
        if header.startswith(_MAGIC):
            (found,) = struct.unpack_from(">H", header, 16)
            found = 65536 if found == 1 else found
            size = found if found >= 512 and found & (found - 1) == 0 else size
        logged = _logged_pages(log.read_bytes(), size) if log.exists() else {}
        return cls(data, size, len(data) // size, logged)

    def numbers(self) -> Iterator[int]:
        yield from range(1, self.count + 1)
        yield from sorted(number for number in self.logged if number > self.count)

    def read(self, number: int) -> bytes:
        if number in self.logged:
            return self.logged[number]
        if not 1 <= number <= self.count:
            raise IndexError(number)
        return self.data[(number - 1) * self.size : number * self.size]


def _logged_pages(log: bytes, size: int) -> dict[int, bytes]:
    """The last committed version of each page in a write-ahead log."""
    if len(log) < _WAL_HEADER_BYTES or struct.unpack_from(">I", log)[0] not in _WAL_MAGIC:
        return {}
    salt = log[16:24]
    committed: dict[int, bytes] = {}
    pending: dict[int, bytes] = {}
    place = _WAL_HEADER_BYTES
    while place + _FRAME_HEADER_BYTES + size <= len(log):
        number, pages_after_commit = struct.unpack_from(">II", log, place)
        if log[place + 8 : place + 16] != salt:
            break
        start = place + _FRAME_HEADER_BYTES
        pending[number] = log[start : start + size]
        if pages_after_commit:
            committed |= pending
            pending = {}
        place = start + size
    return committed


def _cells(page: bytes, header: int) -> Iterator[int]:
    """Where the rows of an index page begin; nothing for other pages."""
    if len(page) < header + 12 or page[header] not in (_INTERIOR, _LEAF):
        return
    interior = page[header] == _INTERIOR
    (count,) = struct.unpack_from(">H", page, header + 3)
    pointers = header + (12 if interior else 8)
    if pointers + 2 * count > len(page):
        return
    for (place,) in struct.iter_unpack(">H", page[pointers : pointers + 2 * count]):
        yield place + (4 if interior else 0)


def _payload(pages: _Pages, page: bytes, place: int) -> bytes:
    """The bytes of a row, put together from its overflow pages."""
    length, place = _varint(page, place)
    usable = pages.size
    most = (usable - 12) * 64 // 255 - 23
    here = length
    if length > most:
        least = (usable - 12) * 32 // 255 - 23
        here = least + (length - least) % (usable - 4)
        here = here if here <= most else least
    parts = [page[place : place + here]]
    left = length - here
    if left > pages.size * (pages.count + len(pages.logged)):
        raise ValueError("longer than the file")
    (following,) = struct.unpack_from(">I", page, place + here) if left > 0 else (0,)
    while left > 0:
        overflow = pages.read(following)
        (following,) = struct.unpack_from(">I", overflow)
        parts.append(overflow[4 : 4 + left])
        left -= len(parts[-1])
    payload = b"".join(parts)
    if len(payload) != length:
        raise ValueError("cut off")
    return payload


def _record(payload: bytes) -> Row:
    header_end, place = _varint(payload, 0)
    kinds = []
    while place < header_end:
        kind, place = _varint(payload, place)
        kinds.append(kind)
    values: list[Value] = []
    for kind in kinds:
        value, place = _value(payload, place, kind)
        values.append(value)
    if place != len(payload):
        raise ValueError("its header does not describe it")
    return tuple(values)


def _value(payload: bytes, place: int, kind: int) -> tuple[Value, int]:
    if kind < len(_INTEGER_BYTES):
        end = place + _INTEGER_BYTES[kind]
        return (int.from_bytes(payload[place:end], "big", signed=True) if kind else None), end
    if kind == _FLOAT:
        return struct.unpack_from(">d", payload, place)[0], place + 8
    if kind in (_ZERO, _ONE):
        return kind - _ZERO, place
    if kind < _FIRST_BLOB:
        raise ValueError("a reserved type")
    end = place + (kind - _FIRST_BLOB) // 2
    raw = payload[place:end]
    return (raw.decode("utf-8") if kind % 2 else raw), end


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where the next thing begins."""
    number = 0
    for index in range(8):
        byte = data[place + index]
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            return number, place + index + 1
    return number << 8 | data[place + 8], place + 9
