"""Every public name of the package with its signature."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from typing import Any

import floeberg


def record() -> dict[str, Any]:
    """The names of each public module."""
    found: dict[str, Any] = {"floeberg": names_of(floeberg)}
    for module in pkgutil.walk_packages(floeberg.__path__, "floeberg."):
        if not any(part.startswith("_") for part in module.name.split(".")):
            found[f"names {module.name}"] = names_of(importlib.import_module(module.name))
    return found


def names_of(module: Any) -> dict[str, Any]:
    """The public names of a module."""
    return {name: of_object(getattr(module, name)) for name in sorted(getattr(module, "__all__", []))}


def of_object(thing: Any) -> Any:
    """A signature; of a class, those of its methods too."""
    if not inspect.isclass(thing):
        return signature(thing)
    members = {
        name: signature(member) for name, member in inspect.getmembers(thing) if not name.startswith("_")
    }
    bases = [base.__name__ for base in thing.__mro__[1:] if base is not object]
    return {"bases": bases, "init": signature(thing), "members": members}


def signature(thing: Any) -> str:
    """A signature as text; the type of what has none."""
    try:
        return str(inspect.signature(thing))
    except (TypeError, ValueError):
        return type(thing).__name__
