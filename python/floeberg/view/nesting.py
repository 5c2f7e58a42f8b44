"""Is a view inside itself, and which view is an error about?

In: the views around a view, and its whole name. Out: these with the view itself, or an error.

Invariant: a circle is found through views of several catalogs too, before an engine is asked.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from floeberg.errors import FloebergError, InvalidDataError, LimitExceededError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Path", "entered", "naming"]

Path: TypeAlias = tuple[tuple[str, ...], ...]
"""Views in each other, the outermost first, by their whole names."""
DEEPEST = 50
"""How many views may be in each other."""


def entered(path: Path, full: tuple[str, ...]) -> Path:
    """The views around the query of a view, with the view itself.

    Args:
        path: Those around the view.
        full: The whole name of the view.

    Raises:
        InvalidDataError: The view is around itself.
        LimitExceededError: Too many views are in each other.
    """
    if full in path:
        circle = " -> ".join(".".join(each) for each in (*path[path.index(full) :], full))
        raise InvalidDataError(f"the view reads itself: {circle}")
    if len(path) >= DEEPEST:
        raise LimitExceededError(f"more than {DEEPEST} views are in each other")
    return (*path, full)


@contextmanager
def naming(full: tuple[str, ...]) -> Iterator[None]:
    """Errors in the block name the view, the innermost one."""
    try:
        yield
    except FloebergError as error:
        if "view" in error.context:
            raise
        context = error.context | {"view": ".".join(full)}
        raise type(error)(error.message, context=context, retryable=error.retryable) from error
