"""Prompt files: what claimrag says to a language model, per stage and language.

`load(prompt_id, language)` reads `prompts/<stage>/<name>.<language>.md`, checks it, and gives a `Prompt`
whose `render(**variables)` makes the messages. Rendering is strict: a missing or unused variable fails,
and values (the law's text, a model's words) are never read as templates. Nothing here calls a model.
"""

from __future__ import annotations

from claimrag.prompts.loader import languages, load
from claimrag.prompts.prompt import Prompt, PromptMessage
from claimrag.prompts.temperature import TemperatureRule

__all__ = ["Prompt", "PromptMessage", "TemperatureRule", "languages", "load"]
