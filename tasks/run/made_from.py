"""What a table is made from: recorded while its work runs, and compared with the present before it is made again.

| recorded     | how                                                            | value                        |
|--------------|----------------------------------------------------------------|------------------------------|
| arguments    | given by the step (which shard, which raw bytes)               | canonical JSON               |
| tables       | each table that the work reads through `Inputs`                | hash of its rows             |
| settings     | each field that the work reads through `Inputs.settings`       | its value                    |
| prompts      | each prompt that is loaded while the work runs                 | its content hash             |
| models       | each gateway or embedder that the work takes from `Inputs`     | its identity, without address |
| code         | the modules that the work reaches by imports (tasks.run.code)  | hash of their sources        |
| libraries    | those among them whose version can change a row                | version                      |

Nothing of it is listed by hand. Left out on purpose: addresses, keys, limits on speed, where the workspace lies.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, cast

from pydantic import BaseModel

from claimrag import prompts
from claimrag.prompts import loader
from claimrag.prompts.prompt import Prompt
from claimrag.schemas.canonical import canonical_json
from claimrag.schemas.errors import ClaimragError
from claimrag.schemas.settings import Settings
from claimrag.tasks.run.code import code_of
from claimrag.tasks.store import TableRef

MadeFrom = dict[str, Any]
S = TypeVar("S", bound=BaseModel)


@dataclass
class Record:
    """What the work has used so far."""

    arguments: Mapping[str, Any]
    tables: dict[str, str] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    prompts: dict[str, str] = field(default_factory=dict)
    models: set[str] = field(default_factory=set)

    def made_from(self, module: str, identity: Callable[[str], Mapping[str, str]]) -> MadeFrom:
        """The record as the table keeps it; `identity` says what a model is, by its role."""
        code = code_of(module)
        return {
            "arguments": plain(self.arguments),
            "tables": dict(sorted(self.tables.items())),
            "settings": {path: plain(value) for path, value in sorted(self.settings.items())},
            "prompts": dict(sorted(self.prompts.items())),
            "models": {role: dict(identity(role)) for role in sorted(self.models)},
            "code": {module: code.sha256},
            "libraries": code.libraries,
        }


class Present(Protocol):
    """What a record is compared with."""

    @property
    def settings(self) -> Settings: ...

    def rows_sha256(self, ref: TableRef) -> str | None: ...

    def identity(self, role: str) -> Mapping[str, str]: ...


def has_changed_inputs(kept: Mapping[str, Any], rows_sha256: Callable[[str], str | None]) -> bool:
    """Whether a table that this one was made from is gone, or has other rows now; `rows_sha256` is asked by name.

    A record of another shape says nothing of it.
    """
    used = kept.get("tables")
    return isinstance(used, Mapping) and any(rows_sha256(name) != rows for name, rows in used.items())


def differences(
    kept: Mapping[str, Any], arguments: Mapping[str, Any], module: str, present: Present
) -> list[str]:
    """What has changed since a table was made, as people read it; none means that the table is current.

    A record of another shape (an older version of claimrag) differs as a whole.
    """
    try:
        return list(_differences(kept, arguments, module, present))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        return [f"its record is of another version ({type(error).__name__})"]


def _differences(
    kept: Mapping[str, Any], arguments: Mapping[str, Any], module: str, present: Present
) -> Iterator[str]:
    if _plain(kept["arguments"]) != _plain(dict(arguments)):
        yield "what it is about"
    for name, rows in kept["tables"].items():
        if present.rows_sha256(ref_of(name)) != rows:
            yield f"table {name}"
    for path, value in kept["settings"].items():
        if _plain(_value(present.settings, path)) != _plain(value):
            yield f"setting {path}"
    for name, hashed in kept["prompts"].items():
        if _prompt_hash(name) != hashed:
            yield f"prompt {name}"
    for role, identity in kept["models"].items():
        if dict(present.identity(role)) != identity:
            yield f"model {role}"
    if kept["code"] != {module: code_of(module).sha256}:
        yield "code"
    now = code_of(module).libraries
    for distribution in sorted({*kept["libraries"], *now}):
        if kept["libraries"].get(distribution) != now.get(distribution):
            yield f"library {distribution}"


@contextmanager
def recording_prompts(record: Record) -> Iterator[None]:
    """Note every prompt that is loaded inside, in this task and those that it starts."""

    def note(prompt: Prompt) -> None:
        record.prompts[f"{prompt.id} {prompt.language}"] = prompt.hash

    token = loader.on_load.set(note)
    try:
        yield
    finally:
        loader.on_load.reset(token)


def tracked(model: S, note: Callable[[str, Any], None], path: str = "") -> S:
    """`model` as the work sees it: reads like it, and notes each field that is read."""
    return cast(S, _Tracked(model, note, path))


class _Tracked:
    """Stands for a settings model. Properties and methods run on the stand-in, so that what they read is noted."""

    def __init__(self, model: BaseModel, note: Callable[[str, Any], None], path: str) -> None:
        self.__dict__.update(_model=model, _note=note, _path=path)

    def __getattr__(self, name: str) -> Any:
        model: BaseModel = self.__dict__["_model"]
        path = f"{self.__dict__['_path']}.{name}".lstrip(".")
        if name in type(model).model_fields:
            value = getattr(model, name)
            if isinstance(value, BaseModel):
                return tracked(value, self.__dict__["_note"], path)
            self.__dict__["_note"](path, value)
            return value
        if name in ("model_dump", "model_dump_json", "model_copy"):
            for field_name in type(model).model_fields:
                self._read_all(field_name)
            return getattr(model, name)
        member = getattr(type(model), name)
        if isinstance(member, property) and member.fget is not None:
            return member.fget(self)
        return member.__get__(self, type(model)) if hasattr(member, "__get__") else member

    def __setattr__(self, name: str, value: Any) -> None:
        raise TypeError(f"settings are read, never changed: {name}")

    def _read_all(self, field_name: str) -> None:
        value = getattr(self, field_name)
        if isinstance(value, _Tracked):
            for inner in type(value.__dict__["_model"]).model_fields:
                value._read_all(inner)


def _value(settings: BaseModel, path: str) -> Any:
    value: Any = settings
    for name in path.split("."):
        value = getattr(value, name)
    return value


def _plain(value: Any) -> Any:
    """The value as JSON gives it back: tuples are lists, enumerations their values, models their fields."""
    return json.loads(canonical_json(plain(value)))


def plain(value: Any) -> Any:
    """JSON-compatible form of a settings value or an argument. Secrets have none: TypeError."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted(plain(item) for item in value)
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    raise TypeError(f"{type(value).__name__} cannot be part of what a table is made from")


def name_of(ref: TableRef) -> str:
    """How a record names a table."""
    return f"{ref.stage} {ref.scope}"


def ref_of(name: str) -> TableRef:
    """The table that a record names."""
    stage, _, scope = name.partition(" ")
    return TableRef(stage=stage, scope=scope)


def _prompt_hash(name: str) -> str | None:
    prompt_id, _, language = name.rpartition(" ")
    try:
        return prompts.load(prompt_id, language).hash
    except ClaimragError:
        return None


__all__ = [
    "MadeFrom",
    "Present",
    "Record",
    "differences",
    "name_of",
    "plain",
    "recording_prompts",
    "ref_of",
    "tracked",
]
