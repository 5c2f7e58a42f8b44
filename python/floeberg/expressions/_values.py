"""Which values do rows get: a column's, or those of a SQL expression?

A string is a literal wherever a value is expected. These classes say that it is not one.
"""

from __future__ import annotations

from dataclasses import dataclass

from floeberg._arguments import checked_text

__all__ = ["ColumnValue", "SqlValue", "col", "sql_expr"]


@dataclass(frozen=True)
class ColumnValue:
    """The values of a column. `col` makes it."""

    name: str


@dataclass(frozen=True)
class SqlValue:
    """The values of a SQL expression. `sql_expr` makes it."""

    text: str


def col(name: str) -> ColumnValue:
    """The values of a column, for `Table.update` and `Table.merge`.

    Args:
        name: The name, after `target.` or `source.` where both could have it. Fields of structs are dotted.

    Examples:
        >>> _ = orders.append(pa.table({"id": [1, 2]}))
        >>> orders.update({"id": fb.col("target.id")}, "id = 1").updated_rows
        1
    """
    return ColumnValue(checked_text("name", name))


def sql_expr(text: str) -> SqlValue:
    """The values of a SQL expression, for `Table.update` and `Table.merge`.

    Literals, columns, arithmetic, comparisons, `AND`, `OR`, `NOT`, `IS NULL`, `IN`, `BETWEEN`, `LIKE`, `CASE`, `CAST`
    and the usual functions of numbers and text are understood; anything else is an error. Integers and decimals divide
    as doubles. An overflow or a division by zero is an error, but a part is computed only for the rows that need it:
    `CASE WHEN b = 0 THEN 0 ELSE a / b END` never fails. Literals mean what they mean in the filter of a scan. Needs
    sqlglot: `pip install 'floeberg[expr]'`.

    Args:
        text: The expression, such as `price * 2`.

    Examples:
        >>> _ = orders.append(pa.table({"id": [1, 2]}))
        >>> _ = orders.update({"id": fb.sql_expr("id * 10")})
        >>> orders.scan().to_arrow()["id"].to_pylist()
        [10, 20]
    """
    return SqlValue(checked_text("text", text))
