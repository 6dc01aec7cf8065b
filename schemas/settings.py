"""Settings: one typed model, filled from defaults, then `claimrag.toml`, then `CLAIMRAG_*`, then options.

Unknown keys fail, in the file and in the environment. Secrets are `SecretStr` and appear in no dump that
leaves the process; `Settings.fingerprint` leaves them out, and everything that cannot change a row.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from claimrag.schemas.canonical import canonical_json, sha256_text
from claimrag.schemas.context import ContextStrategy
from claimrag.schemas.errors import SettingsError
from claimrag.schemas.model_settings import OPENAI_BASE_URL as OPENAI_BASE_URL
from claimrag.schemas.model_settings import EmbeddingSettings as EmbeddingSettings
from claimrag.schemas.model_settings import JudgeSettings as JudgeSettings
from claimrag.schemas.model_settings import ModelSettings as ModelSettings
from claimrag.schemas.model_settings import Price as Price
from claimrag.schemas.model_settings import Section as _Section
from claimrag.schemas.model_settings import is_openai, openai_key, same_origin, with_key
from claimrag.schemas.question import Category

ENVIRONMENT_PREFIX = "CLAIMRAG_"
SETTINGS_FILE = "claimrag.toml"


class AcquireSettings(_Section):
    """How sources are fetched. Bytes are bounded; hosts are confined to the publisher's own."""

    contact: str | None = None
    timeout_s: float = Field(60, gt=0)
    total_timeout_s: float = Field(300, gt=0)
    max_bytes: int = Field(64 * 1024 * 1024, ge=1024)
    requests_per_second: float = Field(1.0, gt=0)
    max_attempts: int = Field(4, ge=1)
    base_addresses: dict[str, str] = Field(default_factory=dict)


class GenerateSettings(_Section):
    """What is generated, and how many. None means no limit."""

    seed: int = 13
    strategy: ContextStrategy = ContextStrategy.ARTICLE
    units_per_act: int | None = Field(None, ge=1)
    categories: tuple[Category, ...] = tuple(Category)
    factual_per_unit: int = Field(1, ge=1)
    multi_hop: bool = True
    windows_per_act: int | None = Field(None, ge=1)
    units_in_window: int | None = Field(None, ge=2)
    window_tokens: int = Field(100_000, ge=500)
    reserved_tokens: int = Field(4_096, ge=100)
    support_check: bool = True
    necessity_check: bool = True
    max_tokens: int = Field(700, ge=50)


class ClaimsSettings(_Section):
    """Claim extraction and checking (RefChecker). `keyed` asks labels as JSON, one key per claim."""

    checker: Literal["refchecker", "keyed"] = "refchecker"
    parser: Literal["strict", "compat"] = "strict"
    max_tokens: int = Field(1000, ge=50)
    joint: int = Field(5, ge=1, le=50)


class EvaluateSettings(_Section):
    """The RAG baselines, as in ClaimRAG-LAW section on experiments unless set otherwise."""

    k: int = Field(10, ge=1)
    context_tokens: int = Field(8192, ge=512)
    reserved_tokens: int = Field(2048, ge=64)
    questions_per_language: int | None = Field(None, ge=1)
    chunk_tokens: int = Field(600, ge=50)
    chunk_overlap: int = Field(120, ge=0)
    retrievers: tuple[Literal["bm25", "dense"], ...] = ("bm25", "dense")
    max_answer_tokens: int = Field(512, ge=16)
    bootstrap: int = Field(1000, ge=100)
    seed: int = 13


class LocalSettings(_Section):
    """The embedded model: where its weights are, and what a laptop can do in minutes."""

    weights: Path | None = None
    threads: int | None = Field(None, ge=1)
    units_per_act: int = Field(3, ge=1)
    windows_per_act: int = Field(2, ge=1)
    units_in_window: int = Field(2, ge=2)
    factual_per_unit: int = Field(2, ge=1)
    questions_evaluated: int = Field(1, ge=1)
    k: int = Field(2, ge=1)


class Settings(BaseSettings):
    """Everything that can be set, by the names that others script against."""

    model_config = SettingsConfigDict(
        env_prefix=ENVIRONMENT_PREFIX,
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        toml_file=SETTINGS_FILE,
    )

    workspace: str = "./workspace"
    llm: ModelSettings = Field(default_factory=ModelSettings)
    judge: JudgeSettings = Field(default_factory=JudgeSettings)
    embeddings: EmbeddingSettings = Field(default_factory=EmbeddingSettings)
    acquire: AcquireSettings = Field(default_factory=AcquireSettings)
    generate: GenerateSettings = Field(default_factory=GenerateSettings)
    claims: ClaimsSettings = Field(default_factory=ClaimsSettings)
    evaluate: EvaluateSettings = Field(default_factory=EvaluateSettings)
    local: LocalSettings = Field(default_factory=LocalSettings)
    allowed_rejected_share: float = Field(0.2, ge=0, le=1)
    allow_unhealthy: tuple[str, ...] = ()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Options first, then the environment, then the file: the first that sets a value wins."""
        del dotenv_settings, file_secret_settings
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)

    def judge_model(self) -> ModelSettings:
        """The judge's endpoint: `llm` with what `judge` sets; what nobody set stays unset.

        Raises SettingsError where the two together make no endpoint.
        """
        changes = {name: getattr(self.judge, name) for name in sorted(self.judge.model_fields_set)}
        given = {name: getattr(self.llm, name) for name in sorted(self.llm.model_fields_set)}
        if not same_origin(changes.get("base_url", self.llm.base_url), self.llm.base_url):
            given.pop("api_key", None)
        try:
            return ModelSettings(**given | changes)
        except ValidationError as error:
            raise SettingsError(_sentence(error, "judge (with what llm sets)")) from None

    def with_local_limits(self) -> Settings:
        """For the local model: small limits wherever none was set on purpose."""
        local = self.local
        generate = _fill(
            self.generate,
            units_per_act=local.units_per_act,
            windows_per_act=local.windows_per_act,
            units_in_window=local.units_in_window,
            factual_per_unit=local.factual_per_unit,
        )
        evaluate = _fill(
            self.evaluate, k=local.k, questions_per_language=local.questions_evaluated, max_answer_tokens=160
        )
        claims = _fill(self.claims, checker="keyed", max_tokens=400)
        return self.model_copy(update={"generate": generate, "evaluate": evaluate, "claims": claims})

    def fingerprint(self) -> str:
        """SHA-256 over the settings that can change a row: no keys, addresses, limits on speed or folders."""
        dump = self.model_dump(mode="json", include={"generate", "claims", "evaluate"})
        for name, model in (("llm", self.llm), ("judge", self.judge_model())):
            dump[name] = {"model": model.model, "temperature": model.temperature}
        dump["embeddings"] = {"model": self.embeddings.model}
        return sha256_text(canonical_json(dump))


S = TypeVar("S", bound=_Section)


def _fill(section: S, **values: Any) -> S:
    """Set the fields that nobody set."""
    return section.model_copy(update={k: v for k, v in values.items() if k not in section.model_fields_set})


def load_settings(**options: Any) -> Settings:
    """Read the settings; `options` win over the environment, which wins over the file.

    Raises SettingsError that names the key, where it was set, and what is allowed.
    """
    _refuse_unknown_environment()
    given = {name: value for name, value in options.items() if value is not None}
    try:
        settings = Settings(**given)
    except ValidationError as error:
        # `from None`: the error behind it quotes what was given, keys and passwords included.
        raise SettingsError(_sentence(error)) from None
    except ValueError as error:  # a TOML syntax error, or JSON in a variable
        raise SettingsError(
            f"settings cannot be read: {error}. Check {SETTINGS_FILE} and CLAIMRAG_*"
        ) from error
    return _with_keys(settings)


def _with_keys(settings: Settings) -> Settings:
    """Give each endpoint the key that was set for its address, and no other one."""
    found = openai_key()
    llm, judge, embeddings = settings.llm, settings.judge, settings.embeddings
    if not llm.is_local and (llm.use_openai_key or is_openai(llm.base_url or OPENAI_BASE_URL)):
        llm = with_key(llm, found)
    if is_openai(judge.base_url) and not same_origin(judge.base_url, llm.base_url):
        judge = with_key(judge, found)
    if embeddings.model is not None:
        address = embeddings.base_url or OPENAI_BASE_URL
        embeddings = with_key(embeddings, llm.api_key if same_origin(address, llm.base_url) else None)
        embeddings = with_key(embeddings, found if is_openai(address) else None)
    return settings.model_copy(update={"llm": llm, "judge": judge, "embeddings": embeddings})


def _refuse_unknown_environment() -> None:
    known = {name.upper() for name in Settings.model_fields}
    for variable in sorted(os.environ):
        if not variable.startswith(ENVIRONMENT_PREFIX):
            continue
        name = variable.removeprefix(ENVIRONMENT_PREFIX).split("__")[0].upper()
        if name not in known:
            raise SettingsError(
                f"unknown setting in the environment: {variable}. Known: "
                + ", ".join(f"{ENVIRONMENT_PREFIX}{k}" for k in sorted(known))
            )


def _sentence(error: ValidationError, section: str = "") -> str:
    parts = []
    for problem in error.errors(include_input=False, include_url=False):
        key = ".".join(str(step) for step in (section, *problem["loc"]) if step != "")
        parts.append(f"{key or 'settings'}: {problem['msg']}")
    return (
        "settings are not valid: "
        + "; ".join(parts)
        + f". They come from {SETTINGS_FILE}, CLAIMRAG_* variables (nested by __) and options"
    )
