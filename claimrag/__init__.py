"""claimrag: turn a law into a claim-level RAG benchmark.

    import claimrag

    parsed = claimrag.parse("law.xml")            # a law's tree: parsed.act, parsed.units, parsed.text, parsed.health
    summary = claimrag.build("gdpr", units=5)     # the pipeline, to a release folder: summary.release_path
    release = claimrag.open_release(summary.release_path)
    release.table("qa")[0]["question"]

The names below are the public interface; everything else may change from one version to the next. They are loaded
when they are first used, so that `import claimrag` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from claimrag.flows.api import OpenedRelease, build, open_release, parse
    from claimrag.legal_sources.parsed import ParsedAct
    from claimrag.schemas.act import Act
    from claimrag.schemas.build import BuildSummary
    from claimrag.schemas.claim import Claim, Label
    from claimrag.schemas.context import ContextUnit
    from claimrag.schemas.errors import ClaimragError
    from claimrag.schemas.occurrence import Occurrence
    from claimrag.schemas.question import Question
    from claimrag.schemas.reason import Reason
    from claimrag.schemas.rejected import Rejected
    from claimrag.schemas.release import Release
    from claimrag.schemas.run import Run
    from claimrag.schemas.unit import Unit

_MODULES = {
    "parse": "claimrag.flows.api",
    "build": "claimrag.flows.api",
    "open_release": "claimrag.flows.api",
    "OpenedRelease": "claimrag.flows.api",
    "ParsedAct": "claimrag.legal_sources.parsed",
    "Act": "claimrag.schemas.act",
    "BuildSummary": "claimrag.schemas.build",
    "Claim": "claimrag.schemas.claim",
    "ClaimragError": "claimrag.schemas.errors",
    "ContextUnit": "claimrag.schemas.context",
    "Label": "claimrag.schemas.claim",
    "Occurrence": "claimrag.schemas.occurrence",
    "Question": "claimrag.schemas.question",
    "Reason": "claimrag.schemas.reason",
    "Rejected": "claimrag.schemas.rejected",
    "Release": "claimrag.schemas.release",
    "Run": "claimrag.schemas.run",
    "Unit": "claimrag.schemas.unit",
}

__all__ = [
    "Act",
    "BuildSummary",
    "Claim",
    "ClaimragError",
    "ContextUnit",
    "Label",
    "Occurrence",
    "OpenedRelease",
    "ParsedAct",
    "Question",
    "Reason",
    "Rejected",
    "Release",
    "Run",
    "Unit",
    "build",
    "open_release",
    "parse",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'claimrag' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
