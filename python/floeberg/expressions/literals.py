"""Which objects can be literals?"""

from __future__ import annotations

from floeberg.expressions._literals import LiteralValue, TypedLiteral, normalised

__all__ = ["LiteralValue", "TypedLiteral", "literal"]


def literal(value: object) -> LiteralValue:
    """Converts an object to a literal: a plain Python object.

    Args:
        value: The object.

    Returns:
        The object; for one of numpy or pandas, an object of the standard library.

    Raises:
        InvalidInputError: It cannot be a literal.

    Examples:
        >>> literal(18)
        18
    """
    return normalised(value)
