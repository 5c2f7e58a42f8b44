"""How does Spark keep the rows that a filter of Floeberg keeps?

In: a bound filter, whose literals have the types of its columns, and which has no `not`. Out: a condition of Spark.

A filter is true or false, never null: `x != 5` is true where x is null, and NaN is less and greater than nothing. SQL
has another logic, and Spark takes NaN for the largest number, so that tests for null and NaN stand beside comparisons.

Invariant: what cannot be said in exactly that meaning is refused.
"""

from __future__ import annotations

import math
import operator
import re
from datetime import datetime, timedelta
from decimal import Decimal
from functools import reduce
from typing import TYPE_CHECKING, Any, cast

from floeberg.spark.native.proof import Unproven
from floeberg.spark.session.names import named, quoted
from floeberg.types import PrimitiveType

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyspark.sql.types as spark
    from pyspark.sql import Column

    from floeberg.types import NestedField

__all__ = ["condition", "placeholder", "tested_columns"]

_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq,
    "not-eq": operator.ne,
    "lt": operator.lt,
    "lt-eq": operator.le,
    "gt": operator.gt,
    "gt-eq": operator.ge,
}
_TRUE_OF_NULL = ("not-eq", "not-in", "not-starts-with")
_FLOATING = ("float", "double")
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896
"""The years 1 to 9999, as days from 1970-01-01."""
_MICROSECONDS = 86_400_000_000


def placeholder(kind: spark.DataType) -> Column:
    """Any value of a type, for a place where none is ever taken. Casts of text would be nullable."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - the same

    name = kind.typeName()
    if name in {"string", "binary", "boolean"}:
        return F.lit({"string": "", "binary": b"", "boolean": False}[name])
    if name == "timestamp":
        return F.timestamp_micros(F.lit(0))
    if name in {"date", "timestamp_ntz"}:
        return F.date_from_unix_date(F.lit(0)).cast(kind)
    if name == "decimal":
        return F.lit(Decimal(0).scaleb(-cast("spark.DecimalType", kind).scale)).cast(kind)
    return F.lit(0).cast(kind)


def tested_columns(tree: Any) -> set[str]:  # noqa: ANN401 - a tree of tuples
    """The names of the columns that a filter tests.

    Raises:
        Unproven: It tests no column, but a transform of one, or a condition that is computed: Spark's functions differ.
    """
    kind, *rest = tree
    if kind in {"sql", "not"}:
        text = rest[0] if kind == "sql" else rest[0][1]
        raise Unproven(f"the filter computes {text[:100]!r}")
    if kind in {"and", "or"}:
        return set().union(*map(tested_columns, rest[0]))
    if kind in {"true", "false"}:
        return set()
    name, transform, _ = rest
    if transform is not None:
        raise Unproven(f"the filter tests {transform} of {name!r}")
    return {name}


def condition(tree: Any, fields: Mapping[str, NestedField]) -> Column:  # noqa: ANN401 - a tree of tuples
    """A filter as a condition of Spark, which is not true where the filter is not.

    Args:
        tree: The filter.
        fields: The columns that it tests, by their names in it.

    Raises:
        Unproven: Spark has no words for it.
    """
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - the same

    kind, *rest = tree
    if kind in {"true", "false"}:
        return F.lit(kind == "true")
    if kind in {"and", "or"}:
        join = operator.and_ if kind == "and" else operator.or_
        return reduce(join, (condition(each, fields) for each in rest[0]))
    name, _, literals = rest
    return _test(kind, name, fields[name], literals)


def _test(kind: str, name: str, field: NestedField, literals: list[Any]) -> Column:
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - the same

    column = named(name)
    is_floating = str(field.field_type) in _FLOATING
    if kind in {"is-null", "not-null"}:
        return column.isNull() if kind == "is-null" else column.isNotNull()
    if kind in {"is-nan", "not-nan"}:
        if not is_floating:
            raise Unproven(f"the filter asks for NaN in {field.name!r}")
        return F.isnan(column) if kind == "is-nan" else ~F.isnan(column)
    if kind in {"in", "not-in"}:
        # One text: Spark takes a millisecond for each literal that is made by a call.
        listed = ", ".join(text for each in literals for text in _texts(each, field))
        found = F.expr(f"{quoted(name)} IN ({listed})")
        return (column.isNull() | ~found) if kind == "not-in" else found
    values = [F.expr(_text(each, field)) for each in literals]
    if kind in _COMPARISONS:
        found = _COMPARISONS[kind](column, values[0])
        if is_floating and kind.startswith("gt"):
            found = found & ~F.isnan(column)
    elif str(field.field_type) == "string":
        found = column.startswith(values[0])
        found = ~found if kind == "not-starts-with" else found
    else:
        raise Unproven(f"the filter tests how {field.name!r} starts")
    return (column.isNull() | found) if kind in _TRUE_OF_NULL else found


def _texts(tree: Any, field: NestedField) -> tuple[str, ...]:  # noqa: ANN401 - a tree of tuples
    """A literal of a list; both zeros for a zero, which a set of Java's doubles tells apart."""
    kind, value = tree
    zeros = (("float", 0.0), ("float", -0.0)) if kind == "float" and value == 0 else (tree,)
    return tuple(_text(each, field) for each in zeros)


def _text(tree: Any, field: NestedField) -> str:  # noqa: ANN401, PLR0911 - a tree; one return a type
    """A literal of the column's type, as SQL that means the same under every setting of a session."""
    kind, value = tree
    type_name = str(field.field_type) if isinstance(field.field_type, PrimitiveType) else ""
    if kind == "integer" and type_name in {"int", "long"}:
        return f"CAST({value}L AS INT)" if type_name == "int" else f"{value}L"
    if kind == "float" and type_name in _FLOATING and not math.isnan(value):
        return f"CAST('{value!r}' AS {type_name})"
    if kind == type_name == "boolean":
        return str(value).lower()
    if kind == type_name == "string":
        return f"CAST(X'{value.encode().hex()}' AS STRING)"
    if kind == type_name == "binary":
        return f"X'{bytes(value).hex()}'"
    if kind == type_name == "date" and _FIRST_DAY <= value <= _LAST_DAY:
        return f"date_from_unix_date({value})"
    if kind == type_name and kind in {"timestamp", "timestamptz"} and _is_common(value):
        if kind == "timestamptz":
            return f"timestamp_micros({value}L)"
        moment = datetime(1970, 1, 1) + timedelta(microseconds=value)  # noqa: DTZ001 - it has no zone
        return f"CAST('{moment.isoformat(sep=' ')}' AS TIMESTAMP_NTZ)"
    decimal = re.fullmatch(r"decimal\((\d+),\s*(\d+)\)", type_name)
    if kind == "decimal" and decimal:
        from floeberg.expressions._literals import from_tree  # noqa: PLC0415 - only decimals need it

        written = str(from_tree(tree))
        return f"CAST('{written}' AS DECIMAL({decimal[1]}, {decimal[2]}))"
    raise Unproven(f"the filter has a literal of {kind} for {field.name!r}, which is {field.field_type}")


def _is_common(microseconds: int) -> bool:
    """Whether a time is in a year that literals of every kind can say."""
    return _FIRST_DAY * _MICROSECONDS <= microseconds < (_LAST_DAY + 1) * _MICROSECONDS
