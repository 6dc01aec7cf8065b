"""WorkspaceStatus: what `claimrag status` answers. Its JSON form is this model, field by field.

Times are UTC, sizes bytes, money US dollars, durations seconds. None means that the workspace does not say.
"""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum

from claimrag.schemas.base import ActId, LawId, Noun


class LockStatus(Noun):
    """Who holds the workspace. `is_alive` is False for an owner that is gone; the next command takes over."""

    purpose: str
    host: str
    process: int
    since: datetime
    heartbeat_age_s: float
    is_alive: bool


class LawStatus(Noun):
    """One version of a law. `name` is the catalogue's, or `file-` and a file's name.

    `is_current`: the newest of its law and language here. `units` and `questions` (those that hold in this version)
    are None where that was not made yet. A law whose parse was not healthy is here only if the settings allowed it.
    """

    act_id: ActId
    law_id: LawId
    name: str | None
    title: str
    language: str
    version_date: date
    consolidated: bool
    is_current: bool
    units: int | None
    questions: int | None


class StageStatus(Noun):
    """The tables of one stage. `kept` and the numbers in `rejected` (rows by reason) add up to `considered`.

    `asked_again`: rejected rows that the next run asks the model for again. `outdated`: tables made from rows that
    have changed since; a table that is not among them may still be remade, for another setting, prompt or model.
    """

    stage: str
    tables: int
    considered: int
    kept: int
    rejected: dict[str, int]
    asked_again: int
    outdated: int


class RunState(StrEnum):
    """How a build stands. `killed`: its manifest says running, and nobody who works here is that run."""

    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    STOPPED = "stopped"
    KILLED = "killed"
    UNKNOWN = "unknown"


class RunStatus(Noun):
    """One build, by its manifest. `phase` is the last that is complete.

    `seconds`, `calls` (requests sent) and what else was spent are counted up to there while a build runs, None where
    the manifest does not say. `exit_code` and `verdict` are those of a build that finished. `sentence` says why it
    failed; `failed_laws` which laws, each with its reason.
    """

    run: str
    state: RunState
    phase: str | None = None
    laws: tuple[str, ...] = ()
    started_at: datetime | None = None
    seconds: float | None = None
    calls: int | None = None
    from_cache: int | None = None
    retries: int | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None
    exit_code: int | None = None
    verdict: str | None = None
    sentence: str | None = None
    failed_laws: tuple[str, ...] = ()


class ErrorStatus(Noun):
    """A failure: in the manifest or the log at `source`, a path in the workspace."""

    at: datetime | None
    source: str
    sentence: str


class ReleaseStatus(Noun):
    """A release by its record: rows by configuration. `rows` is empty for one whose record is damaged."""

    version: str
    rows: dict[str, int]
    acts: tuple[ActId, ...]


class WorkspaceStatus(Noun):
    """Newest first where there is an order of time; of the laws current versions first.

    `bytes` are by folder; `damaged` says what cannot be read.
    """

    workspace: str
    lock: LockStatus | None
    laws: tuple[LawStatus, ...]
    stages: tuple[StageStatus, ...]
    runs: tuple[RunStatus, ...]
    errors: tuple[ErrorStatus, ...]
    releases: tuple[ReleaseStatus, ...]
    bytes: dict[str, int]
    damaged: tuple[str, ...]
