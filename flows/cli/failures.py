"""Why a command failed, in one sentence with its exit code: our own errors, those of the machine, and bugs.

Errors that claimrag raises bring their sentence. Prefect's client and the operating system raise theirs deep
inside code that is not ours; the ones that a person can do something about are put into words here. Anything
else is a bug, and the sentence says so.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from claimrag.flows.proxies import socks_sentence, socks_variable
from claimrag.schemas.errors import ClaimragError

PACKAGE = Path(__file__).resolve().parents[2]
_REMEDIES = {
    errno.ENOSPC: "free some space, or set CLAIMRAG_WORKSPACE to a larger disk",
    errno.EDQUOT: "free some of your quota, or set CLAIMRAG_WORKSPACE to another disk",
    errno.EACCES: "correct its rights, or name a place of yours",
    errno.EPERM: "correct its rights, or name a place of yours",
    errno.EROFS: "set CLAIMRAG_WORKSPACE to a disk that can be written",
    errno.ENAMETOOLONG: "give a shorter name",
    errno.ENOTDIR: "a part of that path is a file: give another path",
    errno.EISDIR: "that is a folder: name a file in it",
    errno.EEXIST: "that is there already: give another path",
    errno.ENOENT: "correct the path",
    errno.EMFILE: "raise the limit on open files (`ulimit -n 4096`)",
    errno.EIO: "the disk does not read or write: look at it before you go on",
}


class Failure(NamedTuple):
    """One sentence and the exit code; `is_bug` for an error that nobody foresaw."""

    sentence: str
    exit_code: int
    is_bug: bool = False


def explain(error: BaseException) -> Failure:
    """Put an error into one sentence."""
    for each in _chain(error):
        found = _our_error(each) or _of_prefect(each) or _of_the_machine(each)
        if found is not None:
            return found
    return Failure(_bug(error), 1, is_bug=True)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error, those of its group, and what each was raised from; what it was raised beside does not count."""
    yield error
    if isinstance(error, BaseExceptionGroup):
        for member in error.exceptions:
            yield from _chain(member)
    if error.__cause__ is not None:
        yield from _chain(error.__cause__)


def _our_error(error: BaseException) -> Failure | None:
    return Failure(str(error), error.exit_code) if isinstance(error, ClaimragError) else None


def _of_prefect(error: BaseException) -> Failure | None:
    """Prefect's client speaks httpx, and nothing else here lets an httpx error through."""
    httpx = sys.modules.get("httpx")
    if httpx is None:
        return None
    address = prefect_place()
    if isinstance(error, httpx.HTTPStatusError):
        status = error.response.status_code
        return Failure(f"{address} answered HTTP {status}; check PREFECT_API_URL and PREFECT_API_KEY", 1)
    unreachable = isinstance(error, RuntimeError) and str(error).startswith("Failed to reach API")
    if unreachable or isinstance(error, httpx.TransportError):
        return Failure(
            f"{address} does not answer; start it with `prefect server start`, or unset PREFECT_API_URL "
            "for a temporary one. What was made so far is kept",
            1,
        )
    if isinstance(error, httpx.InvalidURL):
        return Failure("PREFECT_API_URL is not an address; give one such as http://127.0.0.1:4200/api", 2)
    return None


def prefect_place() -> str:
    """The Prefect server by its origin, without path or password."""
    from claimrag.schemas.address import origin_of

    try:
        return f"the Prefect server at {origin_of(os.environ.get('PREFECT_API_URL', ''))}"
    except ValueError:
        return "the Prefect server"


def _of_the_machine(error: BaseException) -> Failure | None:
    if isinstance(error, ImportError) and not (error.name or "").startswith("claimrag"):
        if "socksio" in str(error):
            return Failure(socks_sentence(socks_variable() or "ALL_PROXY"), 2)
        return Failure(f"a package is missing or broken: {error}; install claimrag again", 1)
    if isinstance(error, sqlite3.Error):
        return Failure(
            f"the request cache or Prefect's database cannot be used: {error}; check the disk, and that no "
            "other program holds the file",
            1,
        )
    if isinstance(error, MemoryError):
        return Failure("there is not enough memory; lower llm.max_in_flight, or use a larger machine", 1)
    if isinstance(error, OSError) and error.errno in _REMEDIES:
        place = f"{_shortened(str(error.filename))}: " if error.filename is not None else ""
        return Failure(f"{place}{error.strerror}; {_REMEDIES[error.errno]}", 1)
    return None


def _shortened(path: str, longest: int = 120) -> str:
    return path if len(path) <= longest else f"{path[:longest]}…"


def _bug(error: BaseException) -> str:
    """Which error, and the last place of ours that it passed."""
    what = " ".join(str(error).split())[:200]
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).resolve().is_relative_to(PACKAGE) and "site-packages" not in frame.filename
    ]
    place = ""
    if frames:
        file = Path(frames[-1].filename).resolve().relative_to(PACKAGE)
        place = f" in {file}, line {frames[-1].lineno}"
    return f"this is a bug in claimrag: {type(error).__name__}{f': {what}' if what else ''}{place}"
