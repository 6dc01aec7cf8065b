"""Workspaces on every kind of storage: a disk, objects in memory, and objects behind a cache of listings."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from claimrag.schemas.rejected import Rejected
from claimrag.tasks.store import Workspace


class RememberingFileSystem(MemoryFileSystem):
    """Objects whose listings and sizes are remembered until invalidated, as those of s3fs are."""

    protocol = "remembering"
    store: dict[str, Any] = {}  # noqa: RUF012
    pseudo_dirs = [""]  # noqa: RUF012

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        if isinstance(path, list):
            return [cls._strip_protocol(each) for each in path]
        return super()._strip_protocol(str(path).removeprefix("remembering://"))

    def ls(self, path: str, detail: bool = True, **options: Any) -> Any:
        path = self._strip_protocol(path)
        if path not in self.dircache:
            self.dircache[path] = super().ls(path, detail=True, **options)
        entries = self.dircache[path]
        return entries if detail else [entry["name"] for entry in entries]

    def info(self, path: str, **options: Any) -> Any:
        path = self._strip_protocol(path)
        remembered = self.dircache.get(self._parent(path))
        if remembered is None:
            return super().info(path, **options)
        for entry in remembered:
            if entry["name"] == path:
                return entry
        raise FileNotFoundError(path)

    def invalidate_cache(self, path: str | None = None) -> None:
        if path is None:
            self.dircache.clear()
            return
        self.dircache.pop(self._strip_protocol(path), None)


fsspec.register_implementation("remembering", RememberingFileSystem, clobber=True)


@pytest.fixture(params=["local", "memory", "remembering"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a workspace that is not there yet."""
    if request.param == "local":
        yield str(tmp_path / "w")
        return
    name = f"{request.param}://{uuid.uuid4().hex}"
    yield name
    filesystem, root = fsspec.core.url_to_fs(name)
    filesystem.invalidate_cache()
    if filesystem.exists(root):
        filesystem.rm(root, recursive=True)


@pytest.fixture
def workspace(address: str) -> Workspace:
    """An empty workspace."""
    return Workspace.open(address)


@pytest.fixture
def files_of() -> Callable[[Workspace], dict[str, bytes]]:
    """Every file of a workspace by its path in it."""

    def read(workspace: Workspace) -> dict[str, bytes]:
        workspace.fs.invalidate_cache()
        return {
            str(path).removeprefix(f"{workspace.root}/"): workspace.fs.cat_file(path)
            for path in workspace.fs.find(workspace.root)
        }

    return read


@pytest.fixture
def lose() -> Callable[..., Rejected]:
    """A rejected row with a reason."""
    return lambda reason, item="x": Rejected(stage="texts", item=item, reason=reason, detail="why", raw="raw")
