"""A damaged, missing or older table is made again from the replies that are kept: without a single request."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import scripted_law
from scripted_model import ScriptedServer
from scripted_process import model_environment
from step_driver import Outcome, run_steps

from claimrag.schemas.base import Noun
from claimrag.schemas.canonical import sha256_text
from claimrag.tasks.run.tables import TABLES
from claimrag.tasks.store import Workspace, check, writer
from claimrag.tasks.store.record import schema_sha256

Damage = Callable[[Path], None]


def put(data: bytes) -> Damage:
    return lambda file: void(file.write_bytes(data))


def cut(share: float) -> Damage:
    def damage(file: Path) -> None:
        data = file.read_bytes()
        file.write_bytes(data[: int(len(data) * share)])

    return damage


def flip(share: float) -> Damage:
    def damage(file: Path) -> None:
        data = bytearray(file.read_bytes())
        data[min(int(len(data) * share), len(data) - 1)] ^= 0x10
        file.write_bytes(bytes(data))

    return damage


def void(value: object) -> None:
    del value


ANY_FILE: dict[str, Damage] = {
    "gone": Path.unlink,
    "empty": put(b""),
    "half": cut(0.5),
    "a tenth less": cut(0.9),
    "a flipped bit in its middle": flip(0.5),
    "a flipped bit at its end": flip(1.0),
    "another file": put(b"PAR1 no table at all PAR1"),
}
RECORD: dict[str, Damage] = {
    "a list": put(b"[]"),
    "an object without keys": put(b"{}"),
    "null": put(b"null"),
    "no text": put(b"\xff\xfe\x00"),
}
KINDS = {
    **{f"rows: {name}": ("tables/*/*/*.parquet", damage) for name, damage in ANY_FILE.items()},
    **{
        f"rejected rows: {name}": ("rejected/*/*/*.parquet", ANY_FILE[name])
        for name in ("gone", "half", "a flipped bit in its middle")
    },
    **{f"record: {name}": ("tables/*/*.json", damage) for name, damage in (ANY_FILE | RECORD).items()},
}
STAGES = [table.stage for table in TABLES]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, ScriptedServer]]:
    """A workspace with every table of a sample law, and its endpoint."""
    folder = tmp_path_factory.mktemp("built")
    with ScriptedServer(scripted_law.reply) as server, pytest.MonkeyPatch.context() as patch:
        environment(patch, server, folder)
        assert run().remade == set(STAGES)
        yield folder, server


@pytest.fixture
def copy(
    built: tuple[Path, ScriptedServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Path, ScriptedServer]:
    folder, server = built
    shutil.copytree(folder / "w", tmp_path / "w")
    environment(monkeypatch, server, tmp_path)
    return tmp_path / "w", server


def environment(patch: pytest.MonkeyPatch, server: ScriptedServer, folder: Path) -> None:
    patch.chdir(folder)
    patch.setenv("SOURCE_DATE_EPOCH", "4070908800")
    for name, value in model_environment(server.base_url).items():
        patch.setenv(name, value)


def run() -> Outcome:
    return asyncio.run(run_steps("w", ["sample-en"], units=2))


def contents(workspace: Path) -> dict[str, bytes]:
    """The files of all sound tables."""
    opened = Workspace.open(str(workspace))
    records = [opened.record(ref) for stage in STAGES for ref in opened.tables(stage)]
    paths = [file.path for record in records if record for file in (record.kept, record.rejected)]
    return {path: (workspace / path).read_bytes() for path in paths}


def asked(server: ScriptedServer) -> tuple[int, int]:
    return len(server.requests), len(server.embedding_requests)


@pytest.mark.parametrize("name", KINDS)
def test_damage_to_every_table_is_mended_by_the_next_run_without_a_request(
    name: str, copy: tuple[Path, ScriptedServer]
) -> None:
    workspace, server = copy
    before, requests = contents(workspace), asked(server)
    pattern, damage = KINDS[name]
    files = sorted(workspace.glob(pattern))
    assert len(files) >= len(STAGES)
    for file in files:
        damage(file)
    assert run().remade == set(STAGES)
    assert contents(workspace) == before and asked(server) == requests
    assert run().remade == set()


@pytest.mark.parametrize("stage", STAGES)
def test_damage_to_one_kind_of_table_redoes_that_kind_alone(
    stage: str, copy: tuple[Path, ScriptedServer]
) -> None:
    workspace, server = copy
    before, requests = contents(workspace), asked(server)
    for file in workspace.glob(f"tables/{stage}/*/*.parquet"):
        flip(0.5)(file)
    assert run().remade == {stage}
    assert contents(workspace) == before and asked(server) == requests


def test_tables_with_the_columns_of_an_earlier_version_are_made_again_without_a_request(
    copy: tuple[Path, ScriptedServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, server = copy
    requests = asked(server)

    def of_the_next_version(model: type[Noun]) -> str:
        return sha256_text(f"{schema_sha256(model)} and one more column")

    for module in (check, writer):
        monkeypatch.setattr(module, "schema_sha256", of_the_next_version)
    assert run().remade == set(STAGES) and asked(server) == requests
    assert run().remade == set()
