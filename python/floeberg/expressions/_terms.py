"""What do tests compare: a column, or a partition transform of one?

Spec: Expressions specification, Terms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from floeberg._arguments import checked_text
from floeberg.errors import InvalidInputError


def _no_comparison(term: Reference | Transformed, other: object) -> NoReturn:
    """Raises: Python would decide the comparison, and its answer would be taken for a filter."""
    raise TypeError(
        f"{term!r} is a term, and is not compared with an object of type {type(other).__name__}: write "
        f"fb.col({term.name!r}) == ..., or a filter such as EqualTo({term!r}, ...)"
    )


@dataclass(frozen=True, eq=False)
class Reference:
    """A column by name; nested ones are dotted. An exact name wins over a nested path.

    It equals its name and references of the same name. Comparing it with anything else raises, since the answer would
    be no filter: `fb.col` builds filters by comparison.

    Args:
        name: The full name, such as `address.city`.

    Examples:
        >>> EqualTo(Reference("address.city"), "Riga") == EqualTo("address.city", "Riga")
        True
    """

    name: str

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInputError(
                f"expected the name of a column as a str, found {type(self.name).__name__}"
            )
        checked_text("name", self.name)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (Reference, str)):
            return self.name == (other if isinstance(other, str) else other.name)
        if isinstance(other, Transformed):
            return False
        _no_comparison(self, other)

    def __hash__(self) -> int:
        return hash(self.name)


@dataclass(frozen=True, eq=False)
class Transformed:
    """A partition transform of a column, to compare its result.

    It equals the same transform of the same column. Comparing it with anything but a term or a text raises.

    Args:
        transform: As partition specs write it: `bucket[16]`, `truncate[4]`, `day`.
        name: The column.

    Examples:
        >>> EqualTo(Transformed("bucket[16]", "id"), 3).to_json()["term"]
        {'type': 'transform', 'transform': 'bucket[16]', 'term': 'id'}
    """

    transform: str
    name: str

    def __post_init__(self) -> None:
        checked_text("transform", self.transform)
        checked_text("name", self.name)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Transformed):
            return (self.transform, self.name) == (other.transform, other.name)
        if isinstance(other, (Reference, str)):
            return False
        _no_comparison(self, other)

    def __hash__(self) -> int:
        return hash((self.transform, self.name))


Term = str | Reference | Transformed
