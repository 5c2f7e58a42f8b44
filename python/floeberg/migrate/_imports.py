"""What becomes of an import of PyIceberg?

In: what is imported. Out: the import to write, or what there is in its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module

import floeberg
from floeberg._pyiceberg_names import IMPORTED
from floeberg.errors import NotInstalledError

__all__ = ["Import", "imported", "is_of_iceberg", "ours"]

_THEIRS, _OURS = "pyiceberg", "floeberg"


@dataclass(frozen=True)
class Import:
    """What to write for an import: `None` if it can stay."""

    instead: str | None
    is_import: bool = True
    """Whether that is a line of code."""


def imported(module: str, name: str | None) -> Import | None:
    """What to write for `import module`, or for `from module import name`; `None` if it is of another package."""
    if not is_of_iceberg(module):
        return None
    root, _, rest = module.partition(".")
    whole = ".".join(filter(None, (_THEIRS, rest, name)))
    if _is_there(ours(module), name):
        line = f"import {ours(module)}" if name is None else f"from {ours(module)} import {name}"
        return Import(line if root == _THEIRS else None)
    if said := _said(whole):
        package, _, moved = said.partition(".")
        if package == _OURS and moved.isidentifier():
            return Import(f"from {_OURS} import {moved}")
        return Import(f"not here: {said}", is_import=False)
    if name is not None and name in floeberg.__all__:
        return Import(f"from {_OURS} import {name}")
    return Import("not here: nothing of this name is public in Floeberg", is_import=False)


def is_of_iceberg(module: str) -> bool:
    """Is it PyIceberg's, or Floeberg's?"""
    return module.partition(".")[0] in {_THEIRS, _OURS}


def ours(module: str) -> str:
    """The module of the same name here."""
    _, _, rest = module.partition(".")
    return f"{_OURS}.{rest}" if rest else _OURS


def _said(whole: str) -> str | None:
    parts = whole.split(".")
    return next(
        (IMPORTED[key] for end in range(len(parts), 1, -1) if (key := ".".join(parts[:end])) in IMPORTED),
        None,
    )


@cache
def _is_there(module: str, name: str | None) -> bool:
    try:
        found = import_module(module)
        if name in {None, "*"}:
            return True
        return hasattr(found, str(name)) or _is_there(f"{module}.{name}", None)
    except ImportError as error:
        # A module that needs a package that is not installed is there: it says so when it is used.
        return isinstance(error, NotInstalledError) or not is_of_iceberg(error.name or _OURS)
