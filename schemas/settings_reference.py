"""The reference of settings, made from the model: key, environment variable, default, meaning.

docs/settings.md is `settings_markdown()`, and a test holds that it is. Knows nothing of what is in force.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any, get_args

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from claimrag.schemas.base import Noun
from claimrag.schemas.canonical import canonical_json
from claimrag.schemas.presets import preset_names
from claimrag.schemas.settings import ENVIRONMENT_PREFIX, SETTINGS_FILE, Settings

NOT_SET = "not set"
_HEAD = f"""# Settings

Made from the model by `claimrag settings --markdown`; a test holds that this page is what the model says.

A setting is looked for in this order, and the first place that sets it wins: an option of the command, the
environment (`{ENVIRONMENT_PREFIX}`, nested by `__`), `{SETTINGS_FILE}` in the current folder, the preset, the default.
`claimrag settings` shows what is in force and where each value comes from. An unknown key is an error. Lists and
tables are written as JSON in the environment, and as TOML in the file.

```toml
# {SETTINGS_FILE}
workspace = "workspaces/gdpr"

[llm]
base_url = "http://127.0.0.1:8000/v1"
model = "meta-llama/Llama-3.1-8B-Instruct"

[llm.prices."meta-llama/Llama-3.1-8B-Instruct"]
prompt_usd_per_million = 0.05
completion_usd_per_million = 0.08
```

"""


class SettingEntry(Noun):
    """One setting: its key in the file, its variable, its default and its meaning as people read them."""

    key: str
    variable: str
    default: str
    meaning: str


def setting_entries() -> Iterator[tuple[str, list[SettingEntry]]]:
    """The settings by section, with the section's docstring; those without a section come first."""
    yield (
        "",
        [_entry(name, field) for name, field in Settings.model_fields.items() if section_of(field) is None],
    )
    for name, field in Settings.model_fields.items():
        section = section_of(field)
        if section is not None:
            fields = section.model_fields.items()
            yield name, [_entry(f"{name}.{inner}", each) for inner, each in fields]


def section_of(field: FieldInfo) -> type[BaseModel] | None:
    """The model of a field that is a section; None for a plain setting."""
    annotation: object = field.annotation
    return annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else None


def variable_of(key: str) -> str:
    """The environment variable of `llm.base_url`: `CLAIMRAG_LLM__BASE_URL`."""
    return ENVIRONMENT_PREFIX + key.replace(".", "__").upper()


def shown(value: Any) -> str:
    """A value as it is shown: keys only as set or not set, lists with commas, tables as JSON."""
    if isinstance(value, SecretStr):
        return "set" if value.get_secret_value() else NOT_SET
    if value is None or value == ():
        return NOT_SET
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, tuple):
        return ", ".join(map(shown, value))
    if isinstance(value, dict):
        rows = {k: v.model_dump(mode="json") if isinstance(v, BaseModel) else v for k, v in value.items()}
        return canonical_json(rows) if rows else NOT_SET
    return f"{value:g}" if isinstance(value, float) else str(value)


def settings_markdown() -> str:
    """The page docs/settings.md."""
    lines = [_HEAD.rstrip(), ""]
    for section, entries in setting_entries():
        if section:
            model = section_of(Settings.model_fields[section])
            lines += [f"## {section}", "", *_paragraphs(model.__doc__ if model else ""), ""]
        lines += ["| key | environment | default | meaning |", "|---|---|---|---|"]
        lines += [
            f"| `{e.key}` | `{e.variable}` | {_cell(e.default)} | {_escaped(e.meaning)} |" for e in entries
        ]
        lines.append("")
    lines += [
        "## Presets",
        "",
        "`--preset NAME` of `build` and of the stage commands, or the setting `preset`:",
    ]
    lines += ["", *(f"- `{name}`: [presets/{name}.toml](../presets/{name}.toml)" for name in preset_names())]
    return "\n".join(lines) + "\n"


def _entry(key: str, field: FieldInfo) -> SettingEntry:
    return SettingEntry(
        key=key,
        variable=variable_of(key),
        default=shown(field.get_default(call_default_factory=True)),
        meaning=(field.description or "") + _choices(field.annotation),
    )


def _choices(annotation: Any) -> str:
    """The values a setting is chosen from, where it is."""
    named = list(_named_values(annotation))
    return f" ({', '.join(f'`{value}`' for value in named)})" if named else ""


def _named_values(annotation: Any) -> Iterator[str]:
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        yield from (str(member.value) for member in annotation)
    for inner in get_args(annotation):
        yield from [inner] if isinstance(inner, str) else _named_values(inner)


def _paragraphs(docstring: str | None) -> list[str]:
    return [line.strip() for line in (docstring or "").strip().splitlines()]


def _cell(default: str) -> str:
    return default if default == NOT_SET else f"`{_escaped(default)}`"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")
