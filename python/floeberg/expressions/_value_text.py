"""How are names, constants and types of values written as SQL text?

Invariant: the text of a constant means the same value; one that SQL text cannot say is an error.
"""

from __future__ import annotations

import math
import re
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.expressions._literals import normalised

__all__ = ["sql_type", "text_of_literal", "text_of_name", "text_of_prefix"]

_TYPES = {
    "boolean": "BOOLEAN",
    "bool": "BOOLEAN",
    "int": "INT",
    "integer": "INT",
    "int32": "INT",
    "long": "BIGINT",
    "bigint": "BIGINT",
    "int64": "BIGINT",
    "float": "FLOAT",
    "real": "FLOAT",
    "float32": "FLOAT",
    "double": "DOUBLE",
    "float64": "DOUBLE",
    "string": "VARCHAR",
    "varchar": "VARCHAR",
    "text": "VARCHAR",
    "large_string": "VARCHAR",
    "str": "VARCHAR",
    "binary": "BINARY",
    "bytes": "BINARY",
    "uuid": "UUID",
    "date": "DATE",
    "date32": "DATE",
    "date32[day]": "DATE",
    "time": "TIME",
    "time64[us]": "TIME",
    "timestamp": "TIMESTAMPNTZ",
    "timestamp[us]": "TIMESTAMPNTZ",
    "timestamptz": "TIMESTAMPTZ",
    "timestamp[us, tz=utc]": "TIMESTAMPTZ",
}
_DECIMAL = re.compile(r"(?:decimal|decimal128|numeric)\((\d+)(?:, ?(\d+))?\)")


def sql_type(given: object) -> str:
    """The SQL name of a type that a user names.

    Raises:
        InvalidInputError: The type is unknown.
    """
    # Polars has classes as types, and so has Python.
    shown = given.__name__ if isinstance(given, type) else str(given)
    name = shown.strip().lower()
    decimal = _DECIMAL.fullmatch(name)
    if decimal:
        return f"DECIMAL({decimal[1]}, {decimal[2] or 0})"
    if name not in _TYPES:
        raise InvalidInputError(
            f"type: expected a type such as 'long', 'double', 'string', 'decimal(9,2)', 'date' or 'timestamptz', found "
            f"{shown!r}"
        )
    return _TYPES[name]


def text_of_name(name: str) -> str:
    """A column in quotes. The dots of a path may be inside."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def text_of_prefix(prefix: str) -> str:
    """The pattern of LIKE for texts that begin so."""
    escaped = re.sub(r"([\\%_])", r"\\\1", prefix)
    return _quoted(f"{escaped}%")


def text_of_literal(given: Any) -> str:  # noqa: ANN401, C901, PLR0911 - one return a type
    """A constant as SQL text.

    Raises:
        UnsupportedError: SQL text has no such constant.
    """
    if given is None:
        return "NULL"
    value = normalised(given)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(value) if value >= 0 else f"({value})"
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, Decimal) and value.is_finite():
        text = f"{value:f}"
        return f"({text})" if text.startswith("-") else text
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    if isinstance(value, datetime):
        kind = "TIMESTAMPNTZ" if value.tzinfo is None else "TIMESTAMPTZ"
        return f"CAST('{value.isoformat(sep=' ')}' AS {kind})"
    if isinstance(value, date):
        return f"CAST('{value.isoformat()}' AS DATE)"
    if isinstance(value, time):
        return f"CAST('{value.isoformat()}' AS TIME)"
    if isinstance(value, UUID):
        return f"CAST('{value}' AS UUID)"
    raise UnsupportedError(
        f"the constant {value!r} cannot be computed with: use an expression of pyarrow.compute or a function"
    )


def _float(value: float) -> str:
    if not math.isfinite(value):
        return f"CAST('{value}' AS DOUBLE)"
    text = repr(value)
    # Without an exponent, a number is a decimal.
    text = text if "e" in text else f"{text}e0"
    return f"({text})" if text.startswith("-") else text


def _quoted(text: str) -> str:
    doubled = text.replace("'", "''")
    return f"'{doubled}'"
