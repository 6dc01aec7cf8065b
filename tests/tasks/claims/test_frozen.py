"""What this stage passes around cannot be changed on its way."""

import dataclasses
import pkgutil
from importlib import import_module

from claimrag.tasks import claims


def test_every_dataclass_is_frozen() -> None:
    modules = [
        import_module(f"{claims.__name__}.{found.name}") for found in pkgutil.iter_modules(claims.__path__)
    ]
    declared = {
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and dataclasses.is_dataclass(value) and value.__module__ == module.__name__
    }
    assert declared
    assert [one.__qualname__ for one in declared if not one.__dataclass_params__.frozen] == []  # type: ignore[attr-defined]
