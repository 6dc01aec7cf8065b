"""Settings: one typed model, filled from defaults, then a preset, `claimrag.toml`, `CLAIMRAG_*`, options.

Unknown keys fail, in the file and in the environment. Secrets are `SecretStr` and appear in no dump that
leaves the process; `Settings.fingerprint` leaves them out, and everything that cannot change a row.
"""

from __future__ import annotations

import os
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from claimrag.schemas.canonical import canonical_json, sha256_text
from claimrag.schemas.errors import SettingsError
from claimrag.schemas.model_settings import OPENAI_BASE_URL as OPENAI_BASE_URL
from claimrag.schemas.model_settings import EmbeddingSettings as EmbeddingSettings
from claimrag.schemas.model_settings import JudgeSettings as JudgeSettings
from claimrag.schemas.model_settings import ModelSettings as ModelSettings
from claimrag.schemas.model_settings import Price as Price
from claimrag.schemas.model_settings import Section as _Section
from claimrag.schemas.model_settings import is_openai, openai_key, same_origin, with_key
from claimrag.schemas.presets import read_preset
from claimrag.schemas.stage_settings import AcquireSettings as AcquireSettings
from claimrag.schemas.stage_settings import ClaimsSettings as ClaimsSettings
from claimrag.schemas.stage_settings import EvaluateSettings as EvaluateSettings
from claimrag.schemas.stage_settings import GenerateSettings as GenerateSettings
from claimrag.schemas.stage_settings import LocalSettings as LocalSettings
from claimrag.schemas.stage_settings import PublishSettings as PublishSettings

ENVIRONMENT_PREFIX = "CLAIMRAG_"
SETTINGS_FILE = "claimrag.toml"


def _named_place(workspace: str) -> str:
    if not workspace.strip():
        raise ValueError("it is blank; name a folder, or leave the option out for ./workspace")
    if "::" in workspace:
        raise ValueError("'::' joins two addresses; name one folder or address")
    return workspace.strip()


class Settings(BaseSettings):
    """Everything that can be set, by the names that others script against."""

    model_config = SettingsConfigDict(
        env_prefix=ENVIRONMENT_PREFIX,
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        toml_file=SETTINGS_FILE,
        use_attribute_docstrings=True,
    )

    workspace: Annotated[str, AfterValidator(_named_place)] = "./workspace"
    """Folder or address that holds everything that is made"""
    preset: str | None = None
    """Settings by name that fill what is set nowhere else; `claimrag-law` has the paper's parameters"""
    llm: ModelSettings = Field(default_factory=ModelSettings)
    judge: JudgeSettings = Field(default_factory=JudgeSettings)
    embeddings: EmbeddingSettings = Field(default_factory=EmbeddingSettings)
    acquire: AcquireSettings = Field(default_factory=AcquireSettings)
    generate: GenerateSettings = Field(default_factory=GenerateSettings)
    claims: ClaimsSettings = Field(default_factory=ClaimsSettings)
    evaluate: EvaluateSettings = Field(default_factory=EvaluateSettings)
    publish: PublishSettings = Field(default_factory=PublishSettings)
    local: LocalSettings = Field(default_factory=LocalSettings)
    allowed_rejected_share: float = Field(0.2, ge=0, le=1)
    """Share of a stage's rows that may be lost to malfunctions before a build counts as partial (exit 3)"""
    allow_unhealthy: tuple[str, ...] = ()
    """Laws to go on with although their parse is not healthy: catalogue id, file name or act id"""
    webhook_url: SecretStr | None = None
    """Where Prefect posts runs that failed, crashed or ended partial; `claimrag deploy` gives it to Prefect"""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Options first, then the environment, the file, and the preset: the first that sets a value wins."""
        del dotenv_settings, file_secret_settings
        file = TomlConfigSettingsSource(settings_cls)
        return init_settings, env_settings, file, PresetSource(settings_cls)

    @model_validator(mode="after")
    def _a_reply_fits_its_model(self) -> Settings:
        """Where a model's context was set, a reply leaves room in it for a prompt."""
        for reply, length, role, room in (
            ("generate.max_tokens", self.generate.max_tokens, "llm", self.llm),
            ("evaluate.max_answer_tokens", self.evaluate.max_answer_tokens, "llm", self.llm),
            ("claims.max_tokens", self.claims.max_tokens, "judge", self.judge),
        ):
            context = room.context_tokens if "context_tokens" in room.model_fields_set else None
            if not self.llm.is_local and context is not None and length >= context:
                raise ValueError(
                    f"{reply} = {length} leaves nothing of {role}.context_tokens = {context} for a prompt: "
                    "lower the first or raise the second"
                )
        return self

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


class PresetSource(PydanticBaseSettingsSource):
    """The settings of the preset that an earlier source names."""

    def get_field_value(self, field: Any, field_name: str) -> tuple[Any, str, bool]:
        """Not used: a preset is read at once."""
        del field
        return None, field_name, False

    def __call__(self) -> dict[str, Any]:
        """What the preset sets; nothing where none is named. Raises SettingsError for an unknown one."""
        name = self.current_state.get("preset")
        return {} if name is None else read_preset(str(name))


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
        message = problem["msg"].removeprefix("Value error, ")
        named = not key or message.startswith(f"{key}.")  # a message about two settings names both
        parts.append(message if named else f"{key}: {message}")
    return (
        "settings are not valid: "
        + "; ".join(parts)
        + f". They come from {SETTINGS_FILE}, CLAIMRAG_* variables (nested by __) and options"
    )
