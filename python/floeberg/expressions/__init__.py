"""Which rows are read?

Filters as objects, named as in PyIceberg, as SQL text (`parse`) and in the JSON form of the REST catalog
specification (`from_json`, `Expression.to_json`). They are immutable, hashable and can be pickled. Literals stay as
given until a scan binds them to the columns of a table.

Filter objects are two-valued, as in the Iceberg expressions specification: `NotEqualTo("x", 5)` matches where x is
null. SQL text has the meaning of SQL: `parse("x != 5")` does not match there. NaN equals nothing, -0.0 equals 0.0.

Examples:
    >>> EqualTo("id", 3) | (GreaterThan("price", 9.5) & NotNull("note"))
    Or(EqualTo('id', 3), And(GreaterThan('price', 9.5), NotNull('note')))
    >>> In("id", [1, 2]).to_json()
    {'type': 'in', 'term': 'id', 'values': [1, 2]}
"""

from floeberg.expressions._conditions import Condition
from floeberg.expressions._literals import TypedLiteral
from floeberg.expressions._logic import AlwaysFalse, AlwaysTrue, And, Expression, Not, Or
from floeberg.expressions._parsing import from_json, parse
from floeberg.expressions._predicates import (
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNaN,
    IsNull,
    LessThan,
    LessThanOrEqual,
    NotEqualTo,
    NotIn,
    NotNaN,
    NotNull,
    NotStartsWith,
    StartsWith,
)
from floeberg.expressions._reading import AnyFilter, as_expression
from floeberg.expressions._terms import Reference, Transformed
from floeberg.expressions._values import (
    ColumnValue,
    ComputedValue,
    ConstantValue,
    SqlValue,
    ValueExpression,
    col,
    lit,
    sql_expr,
)

BooleanExpression = Expression
"""PyIceberg's name of `Expression`."""

ALWAYS_TRUE = AlwaysTrue()

__all__ = [
    "ALWAYS_TRUE",
    "AlwaysFalse",
    "AlwaysTrue",
    "And",
    "AnyFilter",
    "BooleanExpression",
    "ColumnValue",
    "ComputedValue",
    "Condition",
    "ConstantValue",
    "EqualTo",
    "Expression",
    "GreaterThan",
    "GreaterThanOrEqual",
    "In",
    "IsNaN",
    "IsNull",
    "LessThan",
    "LessThanOrEqual",
    "Not",
    "NotEqualTo",
    "NotIn",
    "NotNaN",
    "NotNull",
    "NotStartsWith",
    "Or",
    "Reference",
    "SqlValue",
    "StartsWith",
    "Transformed",
    "TypedLiteral",
    "ValueExpression",
    "as_expression",
    "col",
    "from_json",
    "lit",
    "parse",
    "sql_expr",
]
