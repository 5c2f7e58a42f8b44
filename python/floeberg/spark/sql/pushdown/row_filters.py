"""Which rows of a table can a query not need, by its own conditions?

In: the WHERE and the ON of the SELECT that a table stands in. Out: a filter for planning. Spark still evaluates the
    whole conditions.

Invariant: a condition is used only where a row that fails it is in no row of the result, whatever is joined to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg.errors import InvalidInputError, LimitExceededError
from floeberg.spark.session.conf import texts_are_certain, timestamps_are_certain
from floeberg.spark.sql.pushdown.inclusive import Condition
from floeberg.spark.sql.pushdown.literals import SessionTimestamps
from floeberg.spark.sql.pushdown.supported import is_understood
from floeberg.spark.sql.pushdown.table_columns import Columns
from floeberg.spark.sql.text.references import direct_relations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from floeberg.scan import Scan
    from floeberg.spark.sql.text.references import TableReference
    from floeberg.spark.sql.text.statement import Statement
    from floeberg.spark.sql.text.targets import ChangedTable

__all__ = ["certain", "conditions", "conditions_of", "pushed"]

_SELECT_PARTS = frozenset(
    [
        "distinct",
        "expressions",
        "from",
        "from_",
        "group",
        "having",
        "hint",
        "joins",
        "kind",
        "laterals",
        "limit",
        "offset",
        "operation_modifiers",
        "order",
        "sort",
        "cluster",
        "distribute",
        "qualify",
        "where",
        "windows",
        "with",
        "with_",
    ]
)
_TABLE_PARTS = frozenset({"this", "db", "catalog", "alias"})


def conditions(
    reference: TableReference, scan: Scan, statement: Statement, *, case_sensitive: bool
) -> list[Condition]:
    """The conditions without which no row of a table can matter."""
    select = reference.select
    if statement.is_opaque or select is None or not _is_plain(reference):
        return []
    columns = Columns.of_use(reference, scan, case_sensitive=case_sensitive)
    relations = direct_relations(select)
    place = next((at for at, (relation, _) in enumerate(relations) if relation is reference.node), None)
    if place is None or any(relation.args.get("pivots") for relation, _ in relations):
        return []
    if any(join is not None and join.args.get("method") for _, join in relations):
        return []
    found: list[Any] = []
    if _is_kept(relations, place, len(relations)) and select.args.get("where"):
        found.extend(_conjuncts(select.args["where"].this))
    for at, (_, join) in enumerate(relations):
        on = None if join is None else join.args.get("on")
        if on is not None and _on_decides(relations, place, at):
            found.extend(_conjuncts(on))
    return [Condition(tree, columns, statement) for tree in found]


def conditions_of(
    changed: ChangedTable, condition: Statement | None, beside: str | None = None
) -> list[Condition]:
    """The conditions that the rows of a table meet that a statement changes.

    Args:
        changed: The table.
        condition: What the statement says; `None` is nothing.
        beside: What columns of the source of a merge are qualified with.
    """
    if condition is None or condition.is_opaque or condition.expression is None:
        return []
    columns = Columns.of_target(changed, beside)
    return [Condition(each, columns, condition) for each in _conjuncts(condition.expression)]


def certain(
    spark: SparkSession, *found: list[Condition]
) -> tuple[tuple[list[Condition], ...], SessionTimestamps]:
    """The conditions that mean the same here and in a session, and what it says of their moments."""
    if not texts_are_certain(spark):
        found = tuple([] for _ in found)
    if not timestamps_are_certain(spark):
        found = tuple([each for each in group if not list(each.moments())] for group in found)
    moments = SessionTimestamps(spark)
    moments.ask(moment for group in found for each in group for moment in each.moments())
    return found, moments


def pushed(found: list[Condition], scan: Scan, moments: SessionTimestamps) -> Scan:
    """The scan with all filters that conditions imply."""
    for condition in found:
        try:
            row_filter = condition.filter(moments)
            scan = scan if row_filter is None else scan.filter(row_filter)
        except (InvalidInputError, LimitExceededError, RecursionError):  # noqa: PERF203 - the others still help
            # A literal that the column cannot have, or a filter that is too deep: it need not help.
            continue
    return scan


def _conjuncts(tree: Any) -> Iterator[Any]:  # noqa: ANN401 - sqlglot's
    from sqlglot import exp  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    if isinstance(tree, exp.Paren) and is_understood(tree):
        yield from _conjuncts(tree.this)
    elif isinstance(tree, exp.And) and is_understood(tree):
        for each in tree.flatten():
            yield from _conjuncts(each)
    else:
        yield tree


def _is_plain(reference: TableReference) -> bool:
    """Whether nothing stands between the table and the conditions."""
    table = {key for key, value in reference.node.args.items() if value}
    select = {key for key, value in reference.select.args.items() if value}
    alias = reference.node.args.get("alias")
    renamed = alias is not None and bool(alias.args.get("columns"))
    return table <= _TABLE_PARTS and select <= _SELECT_PARTS and not renamed


def _is_kept(relations: list[tuple[Any, Any]], place: int, end: int) -> bool:
    """Whether joins before `end` give no row in which the table's columns are null instead of a row of it."""
    own = relations[place][1]
    if own is not None and not _is_inner(own):
        return False
    return all(join.side not in {"RIGHT", "FULL"} for _, join in relations[place + 1 : end])


def _on_decides(relations: list[tuple[Any, Any]], place: int, at: int) -> bool:
    """Whether a row of the table that fails the ON of a join is in no row that the join gives."""
    join = relations[at][1]
    if _is_inner(join):
        return place <= at and _is_kept(relations, place, at)
    # The right side of a left join, a semi join or an anti join: what fails matches nothing.
    return place == at and join.side in {"", "LEFT"}


def _is_inner(join: Any) -> bool:  # noqa: ANN401 - sqlglot's
    return not join.side and join.kind in {"", "INNER", "CROSS"}
