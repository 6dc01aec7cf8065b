"""Which code made a table: a hash over a package's source files, so that a changed parser makes new tables."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

SOURCE_SUFFIXES = (".py", ".md", ".yaml")


@cache
def code_sha256(*packages: str) -> str:
    """SHA-256 over the names and bytes of the source files of `packages`, data folders left out."""
    digest = hashlib.sha256()
    for package in packages:
        for name, file in sorted(_sources(resources.files(package), package)):
            digest.update(f"{name}\0".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _sources(folder: Traversable, name: str) -> list[tuple[str, Traversable]]:
    found: list[tuple[str, Traversable]] = []
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name not in {"__pycache__", "data"}:
            found.extend(_sources(entry, f"{name}/{entry.name}"))
        elif entry.name.endswith(SOURCE_SUFFIXES):
            found.append((f"{name}/{entry.name}", entry))
    return found
