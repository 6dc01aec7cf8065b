"""The installed package: one name in site-packages, beside other packages that ship `schemas` and `tasks`."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import claimrag
from claimrag.legal_sources.samples import read_sample

ROOT = Path(__file__).resolve().parent.parent
FOREIGN = ("schemas", "tasks", "flows", "prompts", "legal_sources")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as site-packages is after our wheel and then a foreign distribution were installed into it."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = folder.glob("*.whl")
    site = folder / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    for name in FOREIGN:
        assert not (site / name).exists()
        (site / name).mkdir()
        (site / name / "__init__.py").write_text("FOREIGN = True\n", encoding="utf-8")
    return site


def run(site: Path, cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_the_wheel_puts_one_name_into_site_packages(installed: Path) -> None:
    ours = {path.name for path in installed.iterdir()} - set(FOREIGN)
    assert {name for name in ours if not name.endswith(".dist-info")} == {"claimrag"}
    for needed in (
        "py.typed",
        "schemas/act.py",
        "prompts/generate/suitability.fr.md",
        "presets/claimrag-law.toml",
        "flows/deployment/deployments.yaml",
    ):
        assert (installed / "claimrag" / needed).is_file(), needed
    assert not (installed / "claimrag" / "tests").exists()


def test_it_works_beside_packages_that_have_the_names_of_our_folders(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "law.xhtml").write_bytes(read_sample("sample-en"))
    (tmp_path / "schemas.py").write_text("raise RuntimeError('a file of the user')\n", encoding="utf-8")
    code = (
        "import claimrag, tasks\n"
        "assert tasks.FOREIGN\n"
        f"assert claimrag.__file__.startswith({str(installed)!r}), claimrag.__file__\n"
        "parsed = claimrag.parse('law.xhtml')\n"
        "print(parsed.act.id, parsed.counts()['article'], parsed.health.ok)"
    )
    done = run(installed, tmp_path, "-c", code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[1:] == ["16", "True"]
    command = run(installed, tmp_path, "-m", "claimrag", "parse", "law.xhtml", "--json")
    assert command.returncode == 0, command.stderr
    assert '"article": 16' in command.stdout


def test_a_worker_of_the_installed_package_finds_the_flows_of_every_deployment(
    installed: Path, tmp_path: Path
) -> None:
    code = (
        "from prefect.flows import load_flow_from_entrypoint\n"
        "from claimrag.flows.deployment.spec import __file__ as place, read_deployments\n"
        f"assert place.startswith({str(installed)!r}), place\n"
        "print(*(load_flow_from_entrypoint(spec.module_entrypoint).name for spec in read_deployments()))"
    )
    done = run(installed, tmp_path, "-c", code)
    assert done.returncode == 0, done.stderr
    flows = ["acquire-laws", "build-benchmark", "evaluate", "release", "publish-release"]
    assert done.stdout.split() == flows


def test_every_public_name_is_there_and_importing_the_package_loads_none_of_them(tmp_path: Path) -> None:
    assert all(getattr(claimrag, name) for name in claimrag.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        claimrag.nothing  # noqa: B018
    loaded = run(
        ROOT, tmp_path, "-c", "import claimrag, sys; print(*(m for m in sys.modules if 'claimrag.' in m))"
    )
    assert loaded.stdout.strip() == "", loaded.stderr
