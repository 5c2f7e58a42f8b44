"""Which objects are literals of a filter?"""

from __future__ import annotations

from floeberg.expressions._literals import LiteralValue, TypedLiteral, normalised

__all__ = ["LiteralValue", "TypedLiteral", "literal"]


def literal(value: object) -> LiteralValue:
    """The literal that an object is in a filter: filters hold plain objects of Python.

    Args:
        value: The object.

    Returns:
        The object, as one of the standard library's types where it is of numpy or pandas.

    Raises:
        InvalidInputError: It is no literal.

    Examples:
        >>> literal(18)
        18
    """
    return normalised(value)
