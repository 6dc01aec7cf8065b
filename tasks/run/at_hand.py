"""The tables that a workspace holds, for those who only look: by record, without the lock, damage as a sentence.

Promises: nothing is written, nothing is waited for; a table that cannot be read never hides the others. A record
that is sound names its rows and their counts; whether the rows' files are sound is found out when they are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from claimrag.legal_sources.catalogue import load_catalogue
from claimrag.schemas.act import Act
from claimrag.schemas.base import ActId
from claimrag.schemas.errors import InputError, SourceError, StoreError
from claimrag.tasks.acquire.local import key_of_file
from claimrag.tasks.generate.join_step import QUESTIONS
from claimrag.tasks.generate.step import QUESTION_SHARDS
from claimrag.tasks.parse.step import ACTS
from claimrag.tasks.run.tables import TABLES
from claimrag.tasks.store import TableRecord, Workspace
from claimrag.tasks.store.check import REMEDY, record_at, record_paths, stage_names
from claimrag.tasks.store.files import read_if_there

STAGES = tuple(table.stage for table in TABLES)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class AtHand:
    """The records of a workspace in the order of the build, and what is wrong with those that cannot be read."""

    records: tuple[TableRecord, ...]
    damaged: tuple[str, ...]

    def of(self, stage: str) -> list[TableRecord]:
        """The records of one stage."""
        return [record for record in self.records if record.stage == stage]

    @property
    def acts(self) -> list[ActId]:
        """Every act that some table is about, sorted."""
        return sorted({act for record in self.records if (act := act_in(record.scope)) is not None})


def tables_at_hand(workspace: Workspace) -> AtHand:
    """Every table. StoreError only when the storage itself does not answer."""
    records: list[TableRecord] = []
    damaged: list[str] = []
    for stage in sorted(stage_names(workspace.fs, workspace.root), key=_place):
        for path in record_paths(workspace.fs, workspace.root, [stage]):
            record = record_at(workspace.fs, workspace.root, path)
            if record is not None:
                records.append(record)
            elif workspace.fs.exists(workspace.path(path)):  # else it was removed since it was listed
                damaged.append(
                    f"{workspace.path(path)} is damaged, or of another version of claimrag; {REMEDY}"
                )
    return AtHand(tuple(records), tuple(damaged))


def _place(stage: str) -> tuple[int, str]:
    return (STAGES.index(stage) if stage in STAGES else len(STAGES), stage)


def counted_once(at_hand: AtHand) -> list[TableRecord]:
    """The tables whose counts may be added: parts of questions count only until they are joined."""
    joined = {record.scope for record in at_hand.of(QUESTIONS.stage)}
    return [
        record
        for record in at_hand.records
        if record.stage != QUESTION_SHARDS.stage or act_in(record.scope) not in joined
    ]


def act_in(scope: str) -> ActId | None:
    """The act that a scope names (`run/act`, `act/shard`): up to the language after its date; None without one."""
    parts = scope.split("/")
    for place in range(2, len(parts) - 1):
        if _DATE.fullmatch(parts[place]):
            return ActId("/".join(parts[place - 2 : place + 2]))
    return None


def rows_of_acts(workspace: Workspace, at_hand: AtHand) -> tuple[list[Act], list[str]]:
    """The acts themselves, by id, and what is wrong with those that cannot be read."""
    acts: list[Act] = []
    damaged: list[str] = []
    for record in at_hand.of(ACTS.stage):
        try:
            acts += workspace.read_table(record.ref, Act)
        except StoreError as error:
            damaged.append(str(error))
    return sorted(acts, key=lambda act: act.id), damaged


def acts_called(workspace: Workspace, at_hand: AtHand, law: str) -> set[ActId]:
    """The acts that `law` names: an act id or a part of it, a catalogue id, CELEX, ELI or file name.

    Raises InputError that lists the laws there are when it names none of them.
    """
    wanted = law.strip().strip("/").casefold()
    found = {act for act in at_hand.acts if wanted and f"/{wanted}/" in f"/{act}/".casefold()}
    if not found:
        numbers = {wanted, _id_of_file(law), *_numbers_of(law)}
        rows, _ = rows_of_acts(workspace, at_hand)
        found = {act.id for act in rows if _names(workspace, act) & numbers}
    if not found:
        there = ", ".join(at_hand.acts) or "none"
        raise InputError(f"--law {law}: the workspace holds no such law; it holds: {there}")
    return found


def _id_of_file(name: str) -> str:
    return key_of_file(Path(name.strip()), law_id=None, version=None, language="").law_id


def catalogue_id(workspace: Workspace, act: Act) -> str | None:
    """The name that its bytes are kept under: `gdpr`, or `file-` and a file's name; None where it is not known."""
    data = read_if_there(workspace.fs, workspace.path("raw", f"{act.raw_sha256}.json"))
    try:
        name = None if data is None else json.loads(data)["key"]["law_id"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return name if isinstance(name, str) else None


def _names(workspace: Workspace, act: Act) -> set[str]:
    return {name.casefold() for name in (act.celex, act.eli, catalogue_id(workspace, act)) if name}


def _numbers_of(law: str) -> Iterable[str]:
    """CELEX and ELI of the catalogue's entry; none when it has no such entry."""
    try:
        match = load_catalogue().find(law)
    except SourceError:
        return
    entry = match.entry
    numbers = [
        entry.celex,
        entry.eli,
        *(n for version in entry.versions for n in (version.celex, version.eli)),
    ]
    yield from (number.casefold() for number in numbers if number)
