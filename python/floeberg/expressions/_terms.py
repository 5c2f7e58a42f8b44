"""What do tests compare: a column, or a partition transform of one?

Spec: Expressions specification, Terms.
"""

from __future__ import annotations

from dataclasses import dataclass

from floeberg._arguments import checked_text
from floeberg.errors import InvalidInputError


@dataclass(frozen=True)
class Reference:
    """A column by name; nested ones are dotted. An exact name wins over a nested path.

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


@dataclass(frozen=True)
class Transformed:
    """A partition transform of a column, to compare its result.

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


Term = str | Reference | Transformed
