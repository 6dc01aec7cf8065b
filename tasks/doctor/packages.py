"""Packages whose absence shows only late in a build: the text index, RefChecker, Great Expectations."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from claimrag.schemas.errors import MissingDependencyError
from claimrag.tasks.doctor.check import Check, failed, ok, warning

EXPECTATIONS_TESTED = (1, 24)


def check_tantivy() -> Check:
    """Whether the BM25 index can be built."""
    try:
        import tantivy
    except ImportError as failure:
        return failed("tantivy", str(failure), "reinstall claimrag: tantivy is one of its dependencies")
    return ok("tantivy", f"{version('tantivy')} loads ({tantivy.__name__})")


def check_refchecker() -> Check:
    """Whether RefChecker loads without the model-training stack that its package declares."""
    from claimrag.tasks.claims.refchecker_import import refchecker_modules, refchecker_version

    remedy = "`uv sync`, or `pip install 'claimrag[claims]'`; or set CLAIMRAG_CLAIMS__CHECKER=keyed"
    try:
        refchecker_modules()
    except (MissingDependencyError, ImportError) as failure:
        return warning("refchecker", str(failure), remedy)
    return ok("refchecker", f"{refchecker_version()} loads, without torch")


def check_expectations(package: str = "great-expectations") -> Check:
    """Great Expectations' version, from its metadata: importing it takes seconds."""
    try:
        found = version(package)
    except PackageNotFoundError:
        return failed(package, "not installed", "reinstall claimrag: it is one of its dependencies")
    if _major_minor(found) < EXPECTATIONS_TESTED:
        tested = ".".join(map(str, EXPECTATIONS_TESTED))
        return warning(package, f"{found} is older than what was tested", f"upgrade it to {tested} or later")
    return ok(package, found)


def _major_minor(found: str) -> tuple[int, ...]:
    return tuple(int(piece) for piece in found.split(".")[:2] if piece.isdecimal())
