"""What happens to pickles that were made before version 0.1.0?

They name modules that are gone. They are refused, with what to do instead of Python's word for a missing module.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NoReturn

from floeberg.errors import UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

__all__ = ["refuse", "refuse_modules"]

_GONE = {"_homes", "_rows", "_snapshots", "inspect", "plan", "writing"}
"""The modules of objects that could be pickled."""


class _OlderPickleError(UnsupportedError, ModuleNotFoundError):
    """A module of an older version was asked for."""


def refuse(what: str) -> NoReturn:
    """Raises `UnsupportedError`: a pickle of an older version has this."""
    raise _OlderPickleError(
        f"{what} is of a version before 0.1.0. Pickles of other versions cannot be read: make the object again by this "
        "version, and send that"
    )


class _Refusing:
    @staticmethod
    def find_spec(name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None) -> None:
        """Asked of modules that nobody else found."""
        package, _, module = name.partition(".")
        if package == "floeberg" and module in _GONE:
            refuse(f"the module {name}")


def refuse_modules() -> None:
    """Has imports of these modules refused by `UnsupportedError`, which is a `ModuleNotFoundError` here."""
    if not any(isinstance(each, _Refusing) for each in sys.meta_path):
        sys.meta_path.append(_Refusing())
