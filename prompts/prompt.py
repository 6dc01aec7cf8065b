"""Prompt: a checked prompt file, ready to render.

Promises that a rendered message holds the given values as they are, except that the marks by which chat
templates tell roles apart are broken up, so that a law's text cannot close its own message. Values are
data: they are never parsed as templates. Does not talk to a model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from jinja2 import StrictUndefined, Template, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from claimrag.prompts.temperature import TemperatureRule
from claimrag.schemas.errors import InputError

ENVIRONMENT = ImmutableSandboxedEnvironment(
    undefined=StrictUndefined,
    autoescape=False,  # plain text for a model, never HTML
    keep_trailing_newline=False,
    trim_blocks=True,
    lstrip_blocks=True,
)

_CHAT_MARKS = ("<|", "[INST]", "[/INST]", "<start_of_turn>", "<end_of_turn>", "<s>", "</s>")


class PromptMessage(NamedTuple):
    """One message of a conversation; `role` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True)
class Section:
    """A role and the Jinja source of its text."""

    role: str
    source: str


@lru_cache(maxsize=512)
def compiled(source: str) -> Template:
    """The template of a prompt file's section; raises TemplateSyntaxError. Never call it on a value."""
    return ENVIRONMENT.from_string(source)


@dataclass(frozen=True)
class Prompt:
    """A prompt of one language. `hash` covers the file and the file that it begins with.

    `schema` is the JSON schema of the answer, or None for free text; `variables` are the names that
    `render` needs, no more and no less.
    """

    id: str
    version: int
    language: str
    temperature_rule: TemperatureRule
    schema: Mapping[str, Any] | None
    variables: frozenset[str]
    sections: tuple[Section, ...]
    hash: str

    def render(self, **values: Any) -> tuple[PromptMessage, ...]:
        """The messages. Raises InputError when a variable is missing, unknown, or not data."""
        if values.keys() != self.variables:
            missing, unused = sorted(self.variables - values.keys()), sorted(values.keys() - self.variables)
            raise InputError(
                f"prompt {self.id} ({self.language}): missing variables {missing}, unused {unused}: "
                f"give exactly those that its front matter lists"
            )
        data = {name: _as_data(value, f"{self.id}.{name}") for name, value in values.items()}
        try:
            rendered = [(one.role, compiled(one.source).render(data).strip()) for one in self.sections]
        except TemplateError as error:
            raise InputError(f"prompt {self.id} ({self.language}) cannot be rendered: {error}") from error
        return _joined(rendered)


def _joined(parts: list[tuple[str, str]]) -> tuple[PromptMessage, ...]:
    """Neighbours of one role become one message: many chat templates refuse two user turns in a row."""
    messages: list[PromptMessage] = []
    for role, content in parts:
        if messages and messages[-1].role == role:
            messages[-1] = PromptMessage(role, f"{messages[-1].content}\n\n{content}")
        else:
            messages.append(PromptMessage(role, content))
    return tuple(messages)


def _as_data(value: Any, place: str) -> Any:
    """Strings, numbers, and lists or mappings of them; anything else could carry behaviour."""
    if isinstance(value, str):
        for mark in _CHAT_MARKS:
            value = value.replace(mark, f"{mark[0]} {mark[1:]}")
        return value
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, list | tuple):
        return [_as_data(item, place) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _as_data(item, place) for key, item in value.items()}
    raise InputError(
        f"prompt variable {place} is a {type(value).__name__}; give text, numbers or lists of them"
    )
