"""`claimrag parse` on several files or a folder: one row per file, with its layout, units and health."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from claimrag import legal_sources
from claimrag.schemas.errors import SourceError
from claimrag.tasks.acquire.naming import MEDIA_TYPES

SHOWN_KINDS = ("recital", "chapter", "section", "article", "paragraph", "point", "annex", "footnote")


def law_files(paths: list[Path]) -> list[Path]:
    """The files named, and those with a law's suffix below the folders named, in order."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += sorted(p for p in path.rglob("*") if p.is_file() and p.suffix.lower() in MEDIA_TYPES)
        else:
            found.append(path)
    return found


def survey(files: list[Path]) -> Iterator[dict[str, Any]]:
    """Parse each file: what was found, or why it was refused."""
    for path in files:
        try:
            parsed = legal_sources.parse_file(path)
        except SourceError as error:
            yield {"file": str(path), "outcome": "refused", "reason": str(error)}
            continue
        yield {
            "file": str(path),
            "outcome": "ok" if parsed.health.ok else "unhealthy",
            "act": parsed.act.id,
            "layout": parsed.act.layout,
            "counts": parsed.counts(),
            "landed_percent": round(100 * parsed.health.landed_share, 2),
            "problems": [problem.model_dump(mode="json") for problem in parsed.health.problems],
        }


def survey_rows(results: list[dict[str, Any]]) -> list[list[str]]:
    """The table that people read: file, layout, units by kind, words landed, problems."""
    return [_row(result) for result in results]


def _row(result: dict[str, Any]) -> list[str]:
    name = "/".join(Path(result["file"]).parts[-3:])
    if result["outcome"] == "refused":
        reason = result["reason"].removeprefix(result["file"]).lstrip(": ")
        return [name, "refused", *[""] * len(SHOWN_KINDS), "", reason[:80]]
    codes = Counter(problem["code"] for problem in result["problems"])
    problems = ", ".join(f"{code} {count}" for code, count in codes.items())
    counts = [str(result["counts"].get(kind, 0)) for kind in SHOWN_KINDS]
    health = f"{result['outcome']} {problems}".strip()
    return [name, result["layout"], *counts, f"{result['landed_percent']:.2f}", health]


COLUMNS = ["file", "layout", *SHOWN_KINDS, "landed %", "health"]
