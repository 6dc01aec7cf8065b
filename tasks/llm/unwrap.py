"""What a reply says inside what some models put around it: a think block, a Markdown fence.

Promises to take away wrapping only: nothing inside is changed, and where it is not clear what is meant, nothing is
chosen. A value in a fence is taken from prose only where exactly one fence holds JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_OPENED = re.compile(r"\s*<(?:think|thinking)>", re.IGNORECASE)
_CLOSED = re.compile(r"</(?:think|thinking)>\s*", re.IGNORECASE)
_FENCE = re.compile(
    r"""
      ^[ \t]*(`{3,})[ \t]*                   # three or more backticks,
      (?:[\w+.-]*[ \t]*\r?\n|json[ \t]+|)   # a language and the end of the line, or neither,
      (.*?)                                 # the content,
      \r?\n?[ \t]*\1[ \t]*$                 # and the same backticks at the end of a line
    """,
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)


def plain_text(text: str) -> str:
    """`text` without its think block and without a fence around all of it; empty where it is a thought alone."""
    if "<" not in text and "`" not in text:
        return text
    rest = _after_thought(text)
    fence = _FENCE.fullmatch(rest.strip())
    return fence[2] if fence and not _FENCE.search(fence[2]) else rest


def json_value(text: str) -> Any:
    """The one JSON value in `text`, bare, fenced, or after a think block; raises ValueError where there is none."""
    try:
        return load_json(text)
    except ValueError as error:
        first = error
    text = text.lstrip("\ufeff")
    found = [] if _OPENED.match(text) else list(_values(text.strip()))
    found = found or list(_values(_after_thought(text).strip()))
    if not found:
        raise first
    if len(found) > 1:
        raise ValueError(f"{len(found)} fences hold a JSON value each, and one is wanted")
    return found[0]


def load_json(text: str) -> Any:
    """The JSON value that `text` is; NaN and infinities are none. Raises ValueError."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _values(text: str) -> Iterator[Any]:
    """The value that `text` is, or else those that its fences hold."""
    outer = _FENCE.fullmatch(text)
    for whole in (text, outer[2] if outer else None):
        if whole is None:
            continue
        try:
            yield load_json(whole)
        except ValueError:
            continue
        return
    for fence in _FENCE.finditer(text):
        try:
            yield load_json(fence[2])
        except ValueError:
            continue


def _after_thought(text: str) -> str:
    """What follows the think block at the beginning. A model whose template opens it sends its end alone."""
    closed = _CLOSED.search(text)
    if closed:
        return text[closed.end() :]
    return "" if _OPENED.match(text) else text


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
