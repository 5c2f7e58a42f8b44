"""Which filter does a condition of Spark imply?

Invariant: every row for which Spark's condition can hold passes the filter. What is not certain is left out: AND needs
one side, OR both, NOT is moved to the comparisons.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg.expressions import (
    And,
    EqualTo,
    Expression,
    In,
    IsNull,
    NotIn,
    NotNull,
    NotStartsWith,
    Or,
    StartsWith,
)
from floeberg.spark.sql.pushdown.comparisons import compared, literals_for, timestamps_in
from floeberg.spark.sql.pushdown.literals import Constant, SessionTimestamps, constant_of
from floeberg.spark.sql.pushdown.supported import is_understood

if TYPE_CHECKING:
    from collections.abc import Iterator

    from floeberg.spark.sql.pushdown.table_columns import Columns
    from floeberg.spark.sql.text.statement import Statement

__all__ = ["Condition"]

_FLIPPED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


class Condition:
    """A condition that rows of one table must meet, and what its columns are.

    Args:
        tree: The condition.
        columns: What `Columns.find` gives a column.
        statement: The statement, or the condition alone.
    """

    def __init__(self, tree: Any, columns: Columns, statement: Statement) -> None:  # noqa: ANN401 - sqlglot's
        self.tree = tree
        self.columns = columns
        self._statement = statement
        self._is_exact = False

    def moments(self) -> Iterator[Constant]:
        """What Spark has to be asked first."""
        from sqlglot import exp  # noqa: PLC0415 - importing floeberg.spark imports nothing large

        for node in self.tree.find_all(
            exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.Between, exp.In
        ):
            sides = [each for each in node.iter_expressions() if isinstance(each, exp.Column)]
            column = self.columns.find(sides[0]) if sides else None
            others = [
                constant_of(each, self._statement) for each in node.iter_expressions() if each not in sides
            ]
            for other in others if column is not None else []:
                if other is not None and column is not None:
                    yield from timestamps_in(column[1], [other], listed=isinstance(node, exp.In))

    def filter(self, moments: SessionTimestamps) -> Expression | None:
        """The filter that the condition implies, or `None`."""
        return self._implied(self.tree, moments, negated=False)

    def exact_filter(self, moments: SessionTimestamps) -> Expression | None:
        """The filter that keeps the rows for which the condition holds, and no others; `None` if it is not sure."""
        self._is_exact = True
        try:
            return self._implied(self.tree, moments, negated=False)
        finally:
            self._is_exact = False

    def _implied(self, node: Any, moments: SessionTimestamps, *, negated: bool) -> Expression | None:  # noqa: ANN401, C901, PLR0911 - one return a form
        from sqlglot import exp  # noqa: PLC0415 - the same

        if not is_understood(node):
            return None
        if isinstance(node, exp.Paren):
            return self._implied(node.this, moments, negated=negated)
        if isinstance(node, exp.Not):
            return self._implied(node.this, moments, negated=not negated)
        if isinstance(node, (exp.And, exp.Or)):
            parts = [self._implied(each, moments, negated=negated) for each in node.flatten()]
            known = [each for each in parts if each is not None]
            if self._is_exact and len(known) < len(parts):
                return None
            if isinstance(node, exp.And) is not negated:
                return And(*known) if len(known) > 1 else next(iter(known), None)
            return Or(*known) if len(known) == len(parts) else None
        if isinstance(node, exp.Between):
            return self._between(node, moments, negated=negated)
        if isinstance(node, exp.In):
            return self._in(node, moments, negated=negated)
        if isinstance(node, exp.Like):
            return self._like(node, negated=negated is not bool(node.args.get("negate")))
        if isinstance(node, exp.Is):
            column = self.columns.find(node.this)
            if column is None or not isinstance(node.expression, exp.Null):
                return None
            return NotNull(column[0]) if negated else IsNull(column[0])
        if isinstance(node, exp.Column):
            column = self.columns.find(node)
            return EqualTo(column[0], not negated) if column is not None and column[1] == "boolean" else None
        return self._comparison(node, moments, negated=negated)

    def _comparison(self, node: Any, moments: SessionTimestamps, *, negated: bool) -> Expression | None:  # noqa: ANN401 - the same
        from sqlglot import exp  # noqa: PLC0415 - the same

        operators = {exp.EQ: "=", exp.NEQ: "!=", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}
        operator = "=" if isinstance(node, exp.NullSafeEQ) and not negated else operators.get(type(node))
        if operator is None:
            return None
        column, other = node.this, node.expression
        if not isinstance(column, exp.Column):
            column, other, operator = other, column, _FLIPPED[operator]
        return self._against(column, _OPPOSITE[operator] if negated else operator, other, moments)

    def _against(
        self,
        column: Any,  # noqa: ANN401 - a tree of sqlglot
        operator: str,
        other: Any,  # noqa: ANN401 - the same
        moments: SessionTimestamps,
    ) -> Expression | None:
        found, constant = self.columns.find(column), constant_of(other, self._statement)
        if found is None or constant is None or self._is_uncertain(found[1]):
            return None
        literals = literals_for(found[1], [constant], moments, listed=False)
        return None if literals is None else compared(*found, operator, literals[0])

    def _is_uncertain(self, kind: str) -> bool:
        """Whether NaN and zeros may make the filter of a comparison another than Spark's."""
        return self._is_exact and kind in {"float", "double"}

    def _between(self, node: Any, moments: SessionTimestamps, *, negated: bool) -> Expression | None:  # noqa: ANN401 - the same
        low = self._against(node.this, "<" if negated else ">=", node.args["low"], moments)
        high = self._against(node.this, ">" if negated else "<=", node.args["high"], moments)
        if low is None or high is None:
            either = high if low is None else low
            return None if negated or self._is_exact else either
        return low | high if negated else low & high

    def _in(self, node: Any, moments: SessionTimestamps, *, negated: bool) -> Expression | None:  # noqa: ANN401 - the same
        column = self.columns.find(node.this)
        constants = [constant_of(each, self._statement) for each in node.expressions]
        if column is None or not constants or None in constants:
            return None
        known = [each for each in constants if each is not None and each.kind != "null"]
        if not known or (negated and len(known) < len(constants)):
            return None
        literals = literals_for(column[1], known, moments, listed=True)
        if literals is None or self._is_uncertain(column[1]):
            return None
        return NotIn(column[0], literals) & NotNull(column[0]) if negated else In(column[0], literals)

    def _like(self, node: Any, *, negated: bool) -> Expression | None:  # noqa: ANN401 - the same
        column, pattern = self.columns.find(node.this), constant_of(node.expression, self._statement)
        if column is None or column[1] != "string" or pattern is None or pattern.kind != "string":
            return None
        text = str(pattern.value)
        if not text.endswith("%") or len(text) < 2 or "%" in text[:-1] or "_" in text:  # noqa: PLR2004 - a letter and %
            return None
        prefix = text[:-1]
        return (
            NotStartsWith(column[0], prefix) & NotNull(column[0])
            if negated
            else StartsWith(column[0], prefix)
        )
