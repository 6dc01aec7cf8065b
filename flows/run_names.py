"""The names of flow runs: which laws or workspace, and which model, so that a list of runs can be read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prefect.runtime import flow_run

from claimrag.schemas.errors import SettingsError
from claimrag.schemas.settings import load_settings
from claimrag.tasks.acquire.naming import SAMPLE_LAWS

_NAMED = 3
_LONGEST = 40


def run_name() -> str:
    """As in `gdpr, code-civil and 2 more, gpt-4o`, of the run that is about to begin; without addresses or keys."""
    fields = _request()
    laws = [_short(str(law)) for law in fields.get("laws") or ()]
    workspace = fields.get("workspace")
    if flow_run.flow_name == "build-benchmark":
        laws = laws or list(SAMPLE_LAWS)
    else:
        laws = laws or [f"in {_short(str(workspace or 'workspace'))}"]
    more = f" and {len(laws) - _NAMED} more" if len(laws) > _NAMED else ""
    return f"{flow_run.flow_name} {', '.join(laws[:_NAMED])}{more}, {_model(fields)}"


def check_name() -> str:
    """As in `acquire-laws eu`: the laws, or the publisher, of the run that is about to begin."""
    fields = _request()
    named = ", ".join(str(law) for law in (fields.get("laws") or ())[:_NAMED])
    return f"{flow_run.flow_name} {named or fields.get('publisher') or 'every publisher'}"


def publication_name() -> str:
    """As in `publish-release 1.2.0 to organisation/name`."""
    fields = _request()
    to = fields.get("dataset")
    return f"{flow_run.flow_name} {fields.get('release_version') or 'latest'}{f' to {_short(str(to))}' if to else ''}"


def _request() -> Mapping[str, Any]:
    """The fields of the run's request, which is a model where a caller gave one and plain where a server did."""
    request = flow_run.parameters.get("request") or {}
    return request if isinstance(request, Mapping) else dict(request.model_dump())


def _short(name: str) -> str:
    """A file without its folders, an address without its host."""
    last = name.partition("?")[0].rstrip("/\\").replace("\\", "/").rpartition("/")[2]
    return last if len(last) <= _LONGEST else f"{last[:_LONGEST]}…"


def _model(fields: Mapping[str, Any]) -> str:
    try:
        settings = load_settings(workspace=fields.get("workspace"), preset=fields.get("preset"))
    except SettingsError:
        return "settings with an error"
    return settings.llm.model or "local model"
