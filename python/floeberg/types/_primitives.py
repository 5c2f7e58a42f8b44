"""Which types have no children?"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PrimitiveType:
    """A type without children, `variant`, or a type that this version does not know.

    Args:
        name: As the specification writes it: `long`, `decimal(9,2)`, `timestamptz`.
    """

    name: str

    def __str__(self) -> str:
        return self.name
