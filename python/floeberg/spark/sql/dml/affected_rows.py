"""Which rows of a table can a statement change, as far as that is known before Spark evaluates it?

In: the condition of a DELETE or an UPDATE, or the ON of a MERGE with the keys of its source. Out: filters. Files
without such rows are not read, and rows that others add meanwhile are a conflict only if they are such rows.

Invariant: every row that the statement changes passes the filters, and so does every row that it would have changed,
had it been there. What is not certain is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floeberg.errors import FloebergError
from floeberg.expressions import (
    AlwaysFalse,
    AlwaysTrue,
    And,
    GreaterThanOrEqual,
    In,
    IsNull,
    LessThanOrEqual,
    Or,
    TypedLiteral,
)
from floeberg.spark.session.conf import texts_are_certain
from floeberg.spark.session.names import folding
from floeberg.spark.sql.pushdown.row_filters import certain, conditions_of
from floeberg.spark.sql.pushdown.supported import is_understood

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from floeberg.expressions import Expression
    from floeberg.spark.sql.dml.merge_source import Keys, MergeSource
    from floeberg.spark.sql.pushdown.inclusive import Condition
    from floeberg.spark.sql.query.queries import Queries
    from floeberg.spark.sql.text.statement import Statement
    from floeberg.spark.sql.text.targets import ChangedTable

__all__ = ["combined", "reach_of_condition", "reach_of_join"]

_WHOLE = {"int": 1 << 31, "long": 1 << 63}
_SAME_ORDER = {"date": "date", "string": "string", "timestamptz": "timestamp", "timestamp": "timestamp_ntz"}
"""Types that Spark and Floeberg compare alike, by Spark's name."""
_LONGEST = 1000
"""Of a longer text no filter is made."""


@dataclass(frozen=True)
class _Equality:
    """A column of the table that equals one of the source.

    Args:
        name: The column of the table.
        kind: Its type.
        source: The column of the source.
        nulls: Whether null equals null.
    """

    name: str
    kind: str
    source: str
    nulls: bool


def combined(filters: Sequence[Expression]) -> Expression:
    """All filters as one."""
    return And(*filters) if len(filters) > 1 else next(iter(filters), AlwaysTrue())


def reach_of_condition(
    queries: Queries, changed: ChangedTable, condition: Statement | None
) -> list[Expression]:
    """The filters that the condition of a DELETE or an UPDATE implies."""
    return _tested(changed, _implied(queries, conditions_of(changed, condition)))


def reach_of_join(
    queries: Queries, changed: ChangedTable, condition: Statement, source: MergeSource, alias: str
) -> list[Expression]:
    """The filters that the ON of a merge implies, by its own constants and by the keys of the source.

    Args:
        queries: The queries of the statement.
        changed: The table.
        condition: The ON.
        source: The source.
        alias: What its columns are qualified with.
    """
    conditions = conditions_of(changed, condition, alias) if texts_are_certain(queries.spark) else []
    filters = _implied(queries, conditions)
    equalities = [each for one in conditions for each in _equalities(one, changed, source, alias)]
    if equalities:
        keys = source.keys(list(dict.fromkeys(each.source for each in equalities)))
        filters += [_of_keys(each, keys[each.source]) for each in equalities]
    return _tested(changed, filters)


def _tested(changed: ChangedTable, filters: Sequence[Expression]) -> list[Expression]:
    """The filters that the table can be tested by."""
    kept = []
    for each in filters:
        try:
            changed.scan.filter(each)
        except (FloebergError, RecursionError):
            # A literal that the column cannot have, or a filter that is too deep.
            continue
        kept.append(each)
    return kept


def _implied(queries: Queries, conditions: list[Condition]) -> list[Expression]:
    """What conditions say of the table alone."""
    (known,), moments = certain(queries.spark, conditions)
    filters = [each.filter(moments) for each in known]
    return [each for each in filters if each is not None]


def _equalities(
    condition: Condition, changed: ChangedTable, source: MergeSource, alias: str
) -> Iterator[_Equality]:
    from sqlglot import exp  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    node = condition.tree
    if not isinstance(node, (exp.EQ, exp.NullSafeEQ)) or not is_understood(node):
        return
    for own, other in ((node.this, node.expression), (node.expression, node.this)):
        column, name = condition.columns.find(own), _of_source(other, changed, source, alias)
        if column is not None and name is not None and _compares_alike(column[1], source.kind(name)):
            yield _Equality(*column, name, isinstance(node, exp.NullSafeEQ))


def _of_source(node: Any, changed: ChangedTable, source: MergeSource, alias: str) -> str | None:  # noqa: ANN401 - the same
    """The column of the source that a part of the tree is; `None` where it is not, or may not be."""
    from sqlglot import exp  # noqa: PLC0415 - the same

    if not isinstance(node, exp.Column) or not is_understood(node):
        return None
    fold = folding(case_sensitive=changed.case_sensitive)
    parts = [fold(part.name) for part in node.parts]
    visible = fold(changed.target.visible)
    if len(parts) == 2 and (parts[0] != fold(alias) or parts[0] == visible):  # noqa: PLR2004 - a qualifier and a name
        return None
    if len(parts) > 2 or (len(parts) == 1 and parts[0] in map(fold, changed.table.schema().column_names)):  # noqa: PLR2004
        return None
    return next((name for name in source.columns if fold(name) == parts[-1]), None)


def _compares_alike(kind: str, source: str) -> bool:
    """Whether the least and the greatest value of a type of Spark bound those of a column that equal it."""
    if kind in _WHOLE:
        return source in {"tinyint", "smallint", "int", "bigint"}
    return _SAME_ORDER.get(kind) == source or (kind.startswith("decimal") and kind.replace(" ", "") == source)


def _of_keys(equality: _Equality, keys: Keys | None) -> Expression:
    """The filter of rows of the table that have a key of the source."""
    if keys is None:
        return AlwaysFalse()
    name, kind = equality.name, equality.kind
    found: Expression = AlwaysFalse()
    if keys.least.is_valid:
        few = _listed(name, kind, keys)
        found = _between(name, kind, keys) if few is None else few
    return Or(found, IsNull(name)) if equality.nulls and keys.has_null else found


def _listed(name: str, kind: str, keys: Keys) -> Expression | None:
    """The filter of keys that are few."""
    if keys.listed is None:
        return None
    values = [_literal(kind, each) for each in keys.listed]
    if any(isinstance(each, str) and len(each) > _LONGEST for each in values):
        return None
    if (limit := _WHOLE.get(kind)) is not None:
        values = [each for each in values if -limit <= each < limit]
    return In(name, values) if values else AlwaysFalse()


def _between(name: str, kind: str, keys: Keys) -> Expression:
    least, greatest = _literal(kind, keys.least), _literal(kind, keys.greatest)
    if (limit := _WHOLE.get(kind)) is not None:
        if least >= limit or greatest < -limit:
            return AlwaysFalse()
        least, greatest = max(least, -limit), min(greatest, limit - 1)
    ends = (least, GreaterThanOrEqual), (greatest, LessThanOrEqual)
    tests: list[Expression] = [
        test(name, end) for end, test in ends if not (isinstance(end, str) and len(end) > _LONGEST)
    ]
    return combined(tests)


def _literal(kind: str, value: Any) -> Any:  # noqa: ANN401 - a scalar of Arrow, and a literal
    """The literal of a value of Arrow."""
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    if kind in {"date", "timestamp", "timestamptz"}:
        # Spark has years that no class of Python has.
        number = value.cast(pa.int32() if kind == "date" else pa.int64()).as_py()
        return TypedLiteral(kind, number)  # type: ignore[arg-type]
    return value.as_py()
