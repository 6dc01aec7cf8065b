"""Presets: settings by name, as TOML files of the package `claimrag.presets`.

A preset fills what neither options, environment nor claimrag.toml set, and holds no address and no key.
"""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

from claimrag.schemas.errors import SettingsError

PACKAGE = "claimrag.presets"


def preset_names() -> list[str]:
    """The presets there are."""
    return sorted(
        file.name.removesuffix(".toml") for file in files(PACKAGE).iterdir() if file.name.endswith(".toml")
    )


def read_preset(name: str) -> dict[str, Any]:
    """The settings of a preset; SettingsError lists the known ones where there is none of this name."""
    known = preset_names()
    if name not in known:
        raise SettingsError(f"there is no preset {name!r}; choose one of: {', '.join(known)}")
    return tomllib.loads(files(PACKAGE).joinpath(f"{name}.toml").read_text(encoding="utf-8"))
