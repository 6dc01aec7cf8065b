"""BuildRequest and BuildSummary: what a build is asked for, and what it says at the end.

A request carries no secret: endpoints and keys come from the settings of the machine that runs it.
"""

from __future__ import annotations

import datetime as dt
import re
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from claimrag.schemas.base import ActId, Noun
from claimrag.schemas.rejected import StageCounts
from claimrag.schemas.run import Run

ExitCode = Literal[0, 1, 3]
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)", re.ASCII)


def _semantic(version: str) -> str:
    """Checked here, before a build begins, and not where the release is written at its end."""
    if not _VERSION.fullmatch(version):
        raise ValueError(f"{version!r} is not a version; write three numbers as in 1.2.0, without a v")
    return version


ReleaseVersion = Annotated[str, AfterValidator(_semantic)]


def _iso_date(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        if _ISO_DATE.fullmatch(value):
            return dt.date.fromisoformat(value)
    except ValueError:  # a month 13, a 31st of February
        pass
    raise ValueError(f"{value!r} is not a date; write year, month and day as in 2024-01-31")


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("it is blank; leave the option out, or give words")
    return " ".join(value.split())


VersionDate = Annotated[dt.date, BeforeValidator(_iso_date)]
Words = Annotated[str, AfterValidator(_not_blank)]


class BuildRequest(Noun):
    """What to build.

    `laws` are catalogue ids, CELEX or ELI numbers, or paths of local files; none means the sample laws.
    `units` and `windows` limit the context units and multi-hop windows per act; `full` lifts the limits
    that the local model sets by default. `law_version` and `languages` narrow the laws of the catalogue.
    `title`, `date` and `licence` say of one file, with one language, what it does not say itself.
    `release_version` names the release; None takes the next one. `preset` names settings that fill what the
    machine's settings leave open.
    """

    laws: tuple[str, ...] = Field((), description="Catalogue ids, CELEX or ELI numbers, or file paths")
    workspace: str | None = Field(None, description="Folder or address of the workspace")
    units: int | None = Field(None, ge=1, description="Context units per act")
    windows: int | None = Field(None, ge=1, description="Multi-hop windows per act")
    full: bool = Field(False, description="Lift the local model's default limits")
    evaluate: bool = Field(True, description="Score the RAG baselines")
    law_version: str | None = Field(None, description="Version of the laws, as the catalogue names it")
    languages: tuple[str, ...] = Field((), description="Languages of the laws; none means all there are")
    title: Words | None = Field(None, description="Title of the law in a file that does not name its law")
    date: VersionDate | None = Field(None, description="Version date of the law in a file without one")
    licence: Words | None = Field(None, description="Licence of the law in a file that states none")
    release_version: ReleaseVersion | None = Field(None, description="Version of the release, as in 1.2.0")
    preset: str | None = Field(None, description="Settings by name, as in claimrag-law")


class StageSummary(Noun):
    """One stage's counts over all its tables, and how long its slowest path took."""

    stage: str
    counts: StageCounts
    seconds: float


class Usage(Noun):
    """Model calls of one run."""

    model: str
    requests_sent: int
    answered_from_cache: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    retries: int
    asked_again_next_run: int = 0


class LawFailure(Noun):
    """A law that could not be built, and why: one sentence."""

    law: str
    sentence: str


class BuildSummary(Noun):
    """What a build made, what it rejected, what it spent, and where everything is."""

    run: str
    workspace: str
    acts: tuple[ActId, ...]
    stages: tuple[StageSummary, ...]
    runs: tuple[Run, ...]
    usage: tuple[Usage, ...]
    release_version: str | None
    release_path: str | None
    report_path: str | None
    warnings: tuple[str, ...]
    failures: tuple[LawFailure, ...] = ()
    exit_code: ExitCode
    verdict: str
    started_at: datetime
    finished_at: datetime


class StageReport(Noun):
    """What one stage, run by itself, did and where it is."""

    stages: tuple[StageSummary, ...]
    runs: tuple[Run, ...] = ()
    sentences: tuple[str, ...]
    exit_code: ExitCode
    verdict: str
