"""Reads and checks prompt files: YAML front matter, then `## role` sections that are Jinja templates.

A file may begin with another one (`begins_with`): its messages come first, so that a model server's
prefix cache serves what several tasks share. Files are read from the installed package only; a prompt id
can never point outside of it. A file that is wrong raises InputError with its name and the remedy.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextvars import ContextVar
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Annotated, Any

import yaml
from jinja2 import TemplateSyntaxError, meta
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from claimrag.prompts.prompt import ENVIRONMENT, Prompt, Section, compiled
from claimrag.prompts.temperature import TemperatureRule
from claimrag.schemas.canonical import canonical_json, sha256_text
from claimrag.schemas.errors import InputError

_PROMPT_ID = re.compile(r"[a-z0-9_]+(?:/[a-z0-9_]+)+")
_FILE = re.compile(r"\A---\n(?P<front>.*?)\n---\n(?P<body>.*)\Z", re.DOTALL)
_ROLE = re.compile(r"^## (system|user|assistant)[ \t]*$", re.MULTILINE)
_NAME = re.compile(r"(?P<id>[a-z0-9_]+)\.(?P<language>[a-z]{2})\.md")
_MAX_BYTES = 64_000

Bounds = Annotated[list[float], Field(min_length=2, max_length=2)]


class UniformTemperature(BaseModel):
    """`temperature: {uniform: [low, high]}`."""

    model_config = ConfigDict(extra="forbid")
    uniform: Bounds


class FrontMatter(BaseModel):
    """What a prompt file says about itself. `variables` are those that its own text uses."""

    model_config = ConfigDict(extra="forbid")
    id: str
    version: int
    language: str
    begins_with: str | None = None
    temperature: float | UniformTemperature = 0.0
    variables: list[str] = []
    output_schema: dict[str, Any] | None = Field(default=None, alias="schema")


on_load: ContextVar[Callable[[Prompt], None] | None] = ContextVar("claimrag_on_load", default=None)
"""Who wants to know which prompts are used: the record of what a table is made from."""


def load(prompt_id: str, language: str) -> Prompt:
    """The prompt `<stage>/<name>` in a language (`en`, `fr`). Raises InputError if it is absent or wrong."""
    prompt = _load(prompt_id, language)
    if (tell := on_load.get()) is not None:
        tell(prompt)
    return prompt


@cache
def _load(prompt_id: str, language: str) -> Prompt:
    return load_from(files("claimrag.prompts"), prompt_id, language)


@cache
def languages() -> tuple[str, ...]:
    """The languages that every prompt of the package is written in, in alphabetical order."""
    return languages_of(files("claimrag.prompts"))


def languages_of(root: Traversable) -> tuple[str, ...]:
    """As `languages`, of another folder of prompt files; none where it holds no prompt."""
    by_prompt: dict[str, set[str]] = {}
    for stage in root.iterdir():
        for found in map(_NAME.fullmatch, (file.name for file in stage.iterdir()) if stage.is_dir() else ()):
            if found:
                by_prompt.setdefault(f"{stage.name}/{found['id']}", set()).add(found["language"])
    return tuple(sorted(set.intersection(*by_prompt.values()))) if by_prompt else ()


def load_from(root: Traversable, prompt_id: str, language: str) -> Prompt:
    """As `load`, from another folder of prompt files."""
    name = f"{prompt_id}.{language}.md"
    if not _PROMPT_ID.fullmatch(prompt_id) or not re.fullmatch(r"[a-z]{2}", language):
        raise InputError(f"prompt {name!r}: an id is <stage>/<name> in small letters, a language two letters")
    source = _read(root, name)
    front, body = _front_and_body(source, name)
    if (front.id, front.language) != (prompt_id, language):
        raise InputError(
            f"prompts/{name} calls itself {front.id} ({front.language}); correct its front matter"
        )
    sections, used = _sections(body, name)
    if used != set(front.variables):
        listed = sorted(front.variables)
        raise InputError(
            f"prompts/{name} uses {sorted(used)} but lists {listed} as variables; make them equal"
        )
    opening = load_from(root, front.begins_with, language) if front.begins_with else None
    return Prompt(
        id=front.id,
        version=front.version,
        language=language,
        temperature_rule=_temperature_rule(front, name),
        schema=front.output_schema,
        variables=frozenset(used) | (opening.variables if opening else frozenset()),
        sections=(*(opening.sections if opening else ()), *sections),
        hash=sha256_text(canonical_json([opening.hash if opening else None, source])),
    )


def _read(root: Traversable, name: str) -> str:
    try:
        raw = root.joinpath(*name.split("/")).read_bytes()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        raise InputError(
            f"prompts/{name} does not exist: add it, or ask for a language that has it"
        ) from error
    if len(raw) > _MAX_BYTES:
        raise InputError(f"prompts/{name} has {len(raw)} bytes; a prompt file has at most {_MAX_BYTES}")
    try:
        return raw.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise InputError(f"prompts/{name} is not UTF-8: save it as UTF-8 ({error})") from error


def _front_and_body(source: str, name: str) -> tuple[FrontMatter, str]:
    match = _FILE.match(source)
    if not match:
        raise InputError(f"prompts/{name} must start with front matter between two lines of '---'")
    try:
        return FrontMatter.model_validate(yaml.safe_load(match["front"])), match["body"]
    except (yaml.YAMLError, ValidationError) as error:
        raise InputError(f"prompts/{name}: its front matter is wrong: {error}") from error


def _sections(body: str, name: str) -> tuple[tuple[Section, ...], set[str]]:
    """The role sections, split before anything is rendered, and the variables that they use."""
    before, *pieces = _ROLE.split(body)
    if before.strip() or not pieces:
        raise InputError(f"prompts/{name}: its text must begin with '## system', '## user' or '## assistant'")
    sections, used = [], set()
    for role, text in zip(pieces[::2], pieces[1::2], strict=True):
        try:
            used |= meta.find_undeclared_variables(ENVIRONMENT.parse(text))
            compiled(text)
            sections.append(Section(role, text))
        except TemplateSyntaxError as error:
            raise InputError(f"prompts/{name}, section {role}: {error}") from error
    return tuple(sections), used


def _temperature_rule(front: FrontMatter, name: str) -> TemperatureRule:
    asked = front.temperature
    low, high = asked.uniform if isinstance(asked, UniformTemperature) else (asked, asked)
    try:
        return TemperatureRule(low, high)
    except ValueError as error:
        raise InputError(f"prompts/{name}: {error}") from error
