"""Imports RefChecker without the model-training stack that its package declares.

RefChecker 0.2.17 imports spaCy, litellm, and its NLI and AlignScore checkers (torch) at import time; its
LLM extractor and LLM checker use none of them. Empty stand-in modules take their places while it is
imported, and are removed again. RefChecker's `tqdm` bars are silenced: they would write to the terminal.
Does not patch anything else: extractor, checker, prompts and parsing are the package's own.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import types
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any, TypeVar

from claimrag.schemas.errors import MissingDependencyError

T = TypeVar("T")

# module -> names that RefChecker imports from it
_STAND_INS: dict[str, tuple[str, ...]] = {
    "spacy": (),
    "spacy.lang": (),
    "spacy.lang.en": ("English",),
    "litellm": ("batch_completion",),
    "litellm.types": (),
    "litellm.types.utils": ("ModelResponse",),
    "refchecker.checker.nli_checker": ("NLIChecker",),
    "refchecker.checker.alignscore": (),
    "refchecker.checker.alignscore.alignscore_checker": ("AlignScoreChecker",),
}
_importing = Lock()


@cache
def refchecker_modules() -> dict[str, Any]:
    """RefChecker's modules by short name: `extractor`, `checker`, `base`, and the two prompt modules.

    Raises MissingDependencyError where refchecker is not installed.
    """
    if importlib.util.find_spec("refchecker") is None:
        raise MissingDependencyError(
            "claims need RefChecker, which is not installed: install claimrag with its `claims` extra"
        )
    with _importing, _stand_ins():
        modules: dict[str, Any] = {
            "extractor": importlib.import_module("refchecker.extractor.llm_extractor"),
            "checker": importlib.import_module("refchecker.checker.llm_checker"),
            "base": importlib.import_module("refchecker.base"),
            "extractor_prompts": importlib.import_module("refchecker.extractor.extractor_prompts"),
            "checker_prompts": importlib.import_module("refchecker.checker.checker_prompts"),
        }
    for name in ("extractor", "checker"):
        modules[name].tqdm = _without_a_bar
    return modules


@cache
def refchecker_version() -> str:
    """The installed version, as prompt ids and lineage state it."""
    from importlib.metadata import version

    return version("refchecker")


@contextmanager
def _stand_ins() -> Iterator[None]:
    placed: dict[str, types.ModuleType] = {}
    for name, names in _STAND_INS.items():
        if name in sys.modules:
            continue
        module = types.ModuleType(name)
        module.__path__ = []
        for attribute in names:
            setattr(module, attribute, type(attribute, (), {}))
        placed[name] = sys.modules[name] = module
    try:
        yield
    finally:
        for name, module in placed.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]


def _without_a_bar(items: Iterable[T]) -> Iterable[T]:
    return items
