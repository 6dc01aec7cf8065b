"""Which settings are in force, and where each value comes from. Keys are shown as set or not set, never themselves.

The sources are read one by one in the order in which `Settings` reads them; the values are those that
`load_settings` gives, so that this can never show another value than a build uses.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, SecretStr
from pydantic_settings import EnvSettingsSource, TomlConfigSettingsSource

from claimrag.schemas.base import Noun
from claimrag.schemas.model_settings import OPENAI_KEY
from claimrag.schemas.presets import read_preset
from claimrag.schemas.settings import SETTINGS_FILE, Settings, load_settings
from claimrag.schemas.settings_reference import section_of, shown, variable_of

ADDRESSES = ("base_url", "base_addresses", "workspace")


class SettingInForce(Noun):
    """One setting: its key, its value as people may see it, and what set it."""

    key: str
    value: str
    origin: str


def settings_in_force(*, full: bool = False, **options: Any) -> list[SettingInForce]:
    """Every setting, in the order of the model. `full` leaves out the local model's limits, as `--full` does.

    Raises SettingsError as `load_settings` does.
    """
    given = {name: value for name, value in options.items() if value is not None}
    settings = load_settings(**given)
    limited = settings.with_local_limits() if settings.llm.is_local and not full else settings
    sources = _sources(given, settings.preset)
    rows = []
    for name, field in Settings.model_fields.items():
        section = section_of(field)
        for key in [name] if section is None else [f"{name}.{inner}" for inner in section.model_fields]:
            value, origin = _value(limited, key), _origin(key, sources)
            if value != _value(settings, key):
                origin = "limit of the local model"
            elif origin == "default" and key.startswith("judge."):
                value, origin = _judge_value(settings, key), "as llm"
            elif origin == "default" and isinstance(value, SecretStr):
                origin = _origin_of_key(value)
            rows.append(SettingInForce(key=key, value=_masked(key, value), origin=origin))
    return rows


def _sources(given: Mapping[str, Any], preset: str | None) -> dict[str, Mapping[str, Any]]:
    """What each source sets, the strongest first."""
    return {
        "option": given,
        "environment": EnvSettingsSource(Settings)(),
        SETTINGS_FILE: TomlConfigSettingsSource(Settings)(),
        f"preset {preset}": {} if preset is None else read_preset(preset),
    }


def _origin(key: str, sources: Mapping[str, Mapping[str, Any]]) -> str:
    for name, values in sources.items():
        if not _sets(values, key):
            continue
        if name == "environment":
            return _variable(key)
        return name
    return "default"


def _sets(values: Any, key: str) -> bool:
    for part in key.split("."):
        if isinstance(values, BaseModel):
            values = values.model_dump(exclude_unset=True)
        if not isinstance(values, Mapping) or part not in values:
            return False
        values = values[part]
    return True


def _variable(key: str) -> str:
    """The variable that sets it, as it is spelled: its own, one for a part of it, or one of its section as JSON."""
    own, section = variable_of(key), variable_of(key.partition(".")[0])
    spelled = {variable.upper(): variable for variable in os.environ}
    parts = [variable for variable in sorted(spelled) if variable.startswith(f"{own}__")]
    return next(spelled[name] for name in (own, *parts, section) if name in spelled)


def _value(settings: BaseModel, key: str) -> Any:
    value: Any = settings
    for part in key.split("."):
        value = getattr(value, part)
    return value


def _judge_value(settings: Settings, key: str) -> Any:
    return getattr(settings.judge_model(), key.partition(".")[2])


def _origin_of_key(key: SecretStr) -> str:
    """A key that no source of settings set was found for the address: OpenAI's, or that of `llm` beside it."""
    return OPENAI_KEY if key.get_secret_value() == os.environ.get(OPENAI_KEY, "").strip() else "as llm"


def _masked(key: str, value: Any) -> str:
    """Addresses without user and password."""
    if key.rpartition(".")[2] not in ADDRESSES or not value:
        return shown(value)
    if isinstance(value, dict):
        return shown({name: _without_user(address) for name, address in value.items()})
    return _without_user(str(value))


def _without_user(address: str) -> str:
    scheme, separator, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    if not separator or "@" not in host:
        return address
    return f"{scheme}://***@{host.rpartition('@')[2]}{slash}{path.partition('?')[0]}"
