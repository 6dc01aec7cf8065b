"""A workspace to look at: a scripted law in two versions with rejected rows, scores and a release. Made once."""

from __future__ import annotations

import asyncio
import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

import pytest
from faulty_law import FAULTS, FaultyLaw
from scripted_model import ScriptedServer
from scripted_process import model_environment
from step_driver import run_steps

from claimrag.legal_sources.samples import find_sample, read_sample
from claimrag.schemas.build import BuildRequest
from claimrag.tasks.release.step import release_acts
from claimrag.tasks.run.runtime import open_runtime
from claimrag.tasks.run.tables import workspace_acts
from claimrag.tasks.store import Workspace

OLD, NEW = (version.version for version in find_sample("sample-en").versions[:2])


def copy_of_workspace(folder: Path) -> Workspace:
    """A copy of it at `folder`, which may be changed."""
    shutil.copytree(_made_once(), folder)
    return Workspace.open(str(folder), create=False)


@cache
def _made_once() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="claimrag-readers-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    law = FaultyLaw()
    law.begin(FAULTS["half a reply"][0], share=0.15)
    with pytest.MonkeyPatch.context() as patch, ScriptedServer(law) as server:
        patch.chdir(folder)
        for name, value in model_environment(server.base_url).items():
            patch.setenv(name, value)
        patch.setenv("CLAIMRAG_LLM__MAX_ATTEMPTS", "1")
        patch.setenv("CLAIMRAG_EVALUATE__QUESTIONS_PER_LANGUAGE", "4")
        laws = [f"{version}.xhtml" for version in (OLD, NEW)]
        for version, name in zip((OLD, NEW), laws, strict=True):
            Path(name).write_bytes(read_sample("sample-en", version))
        asyncio.run(run_steps("w", laws, units=8))
        asyncio.run(_release())
    return folder / "w"


def in_memory(workspace: Workspace, address: str) -> Workspace:
    """The same files in an object store."""
    copied = Workspace.open(address)
    for file in sorted(Path(workspace.root).rglob("*")):
        if file.is_file():
            copied.fs.pipe_file(copied.path(str(file.relative_to(workspace.root))), file.read_bytes())
    return copied


def damage(workspace: Workspace, path: str) -> None:
    """Half of that file is lost."""
    file = Path(workspace.path(path))
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


async def _release() -> None:
    async with open_runtime(BuildRequest(workspace="w"), models=False) as runtime:
        await release_acts(runtime, workspace_acts(runtime))
