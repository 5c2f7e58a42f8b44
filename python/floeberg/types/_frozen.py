"""How is a frozen object made, and which call does its repr show?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def called(made: object, *positional: object, **keywords: object) -> str:
    """The call that makes an object."""
    arguments = [*map(repr, positional), *(f"{name}={value!r}" for name, value in keywords.items())]
    return f"{type(made).__name__}({', '.join(arguments)})"


def set_frozen(frozen: object, **values: object) -> None:
    """Sets what a frozen object is made of."""
    for name, value in values.items():
        object.__setattr__(frozen, name, value)


def ids_of(source_id: int | Iterable[int]) -> tuple[int, ...]:
    return (source_id,) if isinstance(source_id, int) else tuple(source_id)


def id_of(source_ids: tuple[int, ...]) -> int | tuple[int, ...]:
    """What gives these ids."""
    return source_ids[0] if len(source_ids) == 1 else source_ids
