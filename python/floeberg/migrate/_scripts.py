"""Which scripts can be looked at, and what is found in one?"""

from __future__ import annotations

import ast
import sys
import warnings
from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError, LimitExceededError
from floeberg.migrate._chains import longest_chain
from floeberg.migrate._finder import Finder

if TYPE_CHECKING:
    from pathlib import Path

    from floeberg.migrate._change import Change

__all__ = ["changes_of", "changes_of_file", "scripts_in"]

_LARGEST = 10 << 20
_LONG_CHAINS_CRASH = sys.version_info[:2] < (3, 11)
_LINKS = 50_000
_SKIPPED = {"__pycache__", "node_modules", "site-packages"}


def changes_of(source: str | bytes, name: str = "<script>") -> list[Change]:
    r"""Lists what a script for PyIceberg must change to run here, and what means something else.

    The script is parsed, and never imported or run. What an object is, is known as far as the script says it: by calls
    such as `catalog.load_table`, by annotations, and by names that only PyIceberg has.

    Args:
        source: The text of the script, or its bytes.
        name: What errors call it.

    Returns:
        The places, in their order.

    Raises:
        InvalidInputError: It is not Python.
        LimitExceededError: It has more than 10 MiB, or is nested too deeply.

    Examples:
        >>> from floeberg.migrate import changes_of
        >>> for change in changes_of("from pyiceberg.table import Table\ndef size(t: Table): return t.io"):
        ...     print(change.line, change.what)
        1 from pyiceberg.table import Table
        2 Table.io
    """
    if len(source) > _LARGEST:
        raise LimitExceededError(
            f"{name}: a script has at most {_LARGEST >> 20} MiB: found {len(source)} bytes"
        )
    try:
        if _LONG_CHAINS_CRASH and len(source) > _LINKS:
            written = source.encode() if isinstance(source, str) else source
            if longest_chain(written) > _LINKS:
                raise RecursionError  # noqa: TRY301 - as later versions do
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
        return Finder().changes_of(tree)
    except SyntaxError as error:
        place = f"{name}:{error.lineno or 1}:{error.offset or 1}"
        raise InvalidInputError(f"{place}: this is not Python: {error.msg}") from None
    except ValueError as error:
        raise InvalidInputError(f"{name}: this is not Python: {error}") from None
    except (RecursionError, MemoryError):
        raise LimitExceededError(f"{name}: the script is nested too deeply to be looked at") from None


def changes_of_file(path: Path) -> list[Change]:
    """The same of a file, whose encoding it says itself.

    Raises:
        InvalidInputError: It is not Python.
        LimitExceededError: It is too large.
        OSError: It cannot be read.
    """
    if path.suffix == ".ipynb":
        raise InvalidInputError(
            f"{path}: this is a notebook: make a script of it with `jupyter nbconvert --to script`"
        )
    with path.open("rb") as file:
        # One byte more than is taken: whatever the size of the file, no more is read.
        return changes_of(file.read(_LARGEST + 1), str(path))


def scripts_in(path: Path) -> list[Path]:
    """The file itself, or the Python files in a folder and the folders in it."""
    if not path.is_dir():
        return [path]
    found = (each for each in path.rglob("*.py") if each.is_file())
    return sorted(
        each
        for each in found
        if not any(part in _SKIPPED or part.startswith(".") for part in each.relative_to(path).parts)
    )
