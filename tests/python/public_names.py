"""Which names may users count on?"""

from __future__ import annotations

import importlib
import re
from importlib.util import find_spec
from types import ModuleType

from cargo_workspace import ROOT

NAMED = re.compile(r"\bfloeberg(?:\.[a-z]\w*)+")


def public_modules() -> list[str]:
    """The package, the modules among its public names, and those that the guide names."""
    # Those that import what is not installed everywhere are not among the names of the package.
    found = {"floeberg", "floeberg.catalog.sql", "floeberg.spark"}
    for page in [ROOT / "README.md", *(ROOT / "docs" / "guide").glob("*.md")]:
        found |= {module_in(name) for name in NAMED.findall(page.read_text(encoding="utf-8"))}
    waiting = list(found)
    while waiting:
        module = importlib.import_module(waiting.pop())
        inner = [value.__name__ for value in public_values(module).values() if isinstance(value, ModuleType)]
        waiting += set(inner) - found
        found |= set(inner)
    return sorted(found)


def module_in(name: str) -> str:
    """The longest part of a whole name that is a module."""
    module = "floeberg"
    for part in name.split(".")[1:]:
        if not hasattr(importlib.import_module(module), "__path__") or not find_spec(f"{module}.{part}"):
            break
        module = f"{module}.{part}"
    return module


def public_values(module: ModuleType) -> dict[str, object]:
    """What the `__all__` of a module names."""
    return {name: getattr(module, name) for name in module.__all__}


def public_names() -> dict[str, object]:
    """Every public class, function and alias by its whole name; the same thing may have several."""
    return {
        f"{module}.{name}": value
        for module in public_modules()
        for name, value in public_values(importlib.import_module(module)).items()
        if not isinstance(value, ModuleType)
    }
