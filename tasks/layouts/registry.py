"""The layouts by name: every module of this package that exposes a `LAYOUT`. Adding a layout is adding its module."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from claimrag.schemas.errors import InputError
from claimrag.tasks import layouts
from claimrag.tasks.layouts.layout import Layout


@cache
def all_layouts() -> dict[str, Layout]:
    """The layouts by their names, in order."""
    modules = [import_module(f"{layouts.__name__}.{each.name}") for each in iter_modules(layouts.__path__)]
    found = [module.LAYOUT for module in modules if hasattr(module, "LAYOUT")]
    return {layout.name: layout for layout in sorted(found, key=lambda layout: layout.name)}


def find_layout(name: str) -> Layout:
    """The layout of that name; raises InputError that lists the known ones."""
    known = all_layouts()
    if name not in known:
        raise InputError(f"unknown layout {name!r}: known are {', '.join(known)}")
    return known[name]
