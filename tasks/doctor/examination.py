"""All checks in the order in which a person would repair them: machine, models, packages, Prefect."""

from __future__ import annotations

import os
from pathlib import Path

from claimrag.schemas.settings import ModelSettings, Settings
from claimrag.tasks.doctor.answers import check_answer
from claimrag.tasks.doctor.check import Check, State
from claimrag.tasks.doctor.endpoints import check_endpoint, check_key
from claimrag.tasks.doctor.local_parts import check_embedder, check_runtime, check_tokens, check_weights
from claimrag.tasks.doctor.machine import check_disk, check_python, check_workspace
from claimrag.tasks.doctor.packages import check_expectations, check_refchecker, check_tantivy
from claimrag.tasks.doctor.prefect_api import check_prefect, check_proxies
from claimrag.tasks.local.weights import cache_folder


def examine(
    settings: Settings,
    *,
    cache_dir: Path | None = None,
    prefect_api_url: str | None = None,
    ask: bool = False,
) -> list[Check]:
    """Look at everything that a build with `settings` needs; nothing is installed, downloaded or changed.

    With `ask` each model endpoint that answers gets one small request, which may cost some forty tokens.
    `prefect_api_url` is the server that Prefect is configured with, for callers that know it; else the
    environment's PREFECT_API_URL counts. No key ever stands in a check.
    """
    cache = cache_dir or cache_folder()
    checks = [check_python(), check_workspace(settings.workspace), check_disk(settings.workspace, cache)]
    checks += _model_checks(settings, cache, ask)
    checks += [check_tokens(), check_tantivy(), check_refchecker(), check_expectations()]
    checks.append(check_proxies())
    checks.append(check_prefect(prefect_api_url or os.environ.get("PREFECT_API_URL")))
    return checks


def _model_checks(settings: Settings, cache: Path, ask: bool) -> list[Check]:
    llm, judge = settings.llm, settings.judge_model()
    needed = llm.is_local or judge.is_local
    checks = _endpoint_checks("llm", llm, ask)
    if (judge.base_url, judge.model, judge.api_key) != (llm.base_url, llm.model, llm.api_key):
        checks += _endpoint_checks("judge", judge, ask)
    checks += [check_weights(settings.local.weights, cache, needed=needed), check_runtime(needed=needed)]
    embeddings = settings.embeddings
    if embeddings.base_url is None and embeddings.model is None:
        checks.append(check_embedder())
    else:
        checks += [check_endpoint("embeddings", embeddings), check_key("embeddings", embeddings)]
    return checks


def _endpoint_checks(role: str, model: ModelSettings, ask: bool) -> list[Check]:
    checks = [check_endpoint(role, model), check_key(role, model)]
    if ask and not model.is_local and checks[0].state is not State.FAILED:
        checks.append(check_answer(role, model))
    return checks
