"""Which table or namespace does an identifier name?

An identifier is a tuple of names: the levels of a namespace, and the name of a table last. A dotted string may be given
instead where no name has a dot.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from floeberg._arguments import checked_text
from floeberg.errors import InvalidInputError

__all__ = ["Identifier", "Namespace", "checked_identifier", "checked_namespace", "dotted", "folder_of"]

Identifier: TypeAlias = tuple[str, ...]
"""The levels of a namespace and the name of a table."""

Namespace: TypeAlias = tuple[str, ...]
"""The levels of a namespace, outermost first."""


def checked_identifier(name: str, value: str | Iterable[str]) -> Identifier:
    """The identifier of a table: a namespace of one level or more, and a name.

    Raises:
        InvalidInputError: It is of another type. The error names the argument.

    Examples:
        >>> checked_identifier("identifier", "sales.europe.orders")
        ('sales', 'europe', 'orders')
        >>> checked_identifier("identifier", ("sales", "orders.v2"))
        ('sales', 'orders.v2')
    """
    levels = _levels(name, value)
    if len(levels) < 2:  # noqa: PLR2004 - a namespace and a name
        raise InvalidInputError(
            f"{name}: expected a namespace and a name, such as 'sales.orders' or ('sales', 'orders'), found {value!r}"
        )
    return levels


_MOST_LEVELS = 64
"""So many levels a name has at most: each is a folder, or is looked at by itself."""


def checked_namespace(name: str, value: str | Iterable[str], *, root: bool = False) -> Namespace:
    """A namespace of one level or more; with `root`, also the empty one.

    Raises:
        InvalidInputError: It is of another type. The error names the argument.

    Examples:
        >>> checked_namespace("namespace", "sales.europe"), checked_namespace("namespace", (), root=True)
        (('sales', 'europe'), ())
    """
    levels = _levels(name, value) if value or not root else ()
    if not levels and not root:
        raise InvalidInputError(
            f"{name}: expected a namespace, such as 'sales' or ('sales',), found {value!r}"
        )
    return levels


def dotted(identifier: Identifier) -> str:
    """An identifier as it is shown.

    Examples:
        >>> dotted(("sales", "orders"))
        'sales.orders'
    """
    return ".".join(identifier)


def folder_of(warehouse: str, identifier: Identifier) -> str:
    """The folder of a table or namespace in a warehouse: one folder for each level, as in Iceberg Java.

    Raises:
        InvalidInputError: A name cannot be that of a folder.

    Examples:
        >>> folder_of("s3://bucket/warehouse/", ("sales", "orders"))
        's3://bucket/warehouse/sales/orders'
    """
    for level in identifier:
        if level.startswith(".") or "/" in level or "\\" in level:
            raise InvalidInputError(
                f"a folder cannot be named {level!r}: names begin without a dot, and have no slash"
            )
    return "/".join((warehouse.rstrip("/"), *identifier))


def _levels(name: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        levels = checked_text(name, value).split(".")
    elif isinstance(value, Iterable) and not isinstance(value, (bytes, dict)):
        levels = [checked_text(name, level) for level in value]
    else:
        raise InvalidInputError(
            f"{name}: expected names, such as 'sales.orders' or ('sales', 'orders'), "
            f"found an object of type {type(value).__name__}"
        )
    if len(levels) > _MOST_LEVELS:
        raise InvalidInputError(f"{name}: expected at most {_MOST_LEVELS} levels, found {len(levels)}")
    for level in levels:
        if not level or any(ord(letter) < ord(" ") for letter in level):
            raise InvalidInputError(
                f"{name}: expected non-empty names without control characters, found {str(value)[:200]!r}"
            )
    return tuple(levels)
