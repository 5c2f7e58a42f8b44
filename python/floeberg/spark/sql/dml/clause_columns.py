"""Which columns does a clause of a merge see?

WHEN MATCHED sees both sides, WHEN NOT MATCHED the source alone, WHEN NOT MATCHED BY SOURCE the table alone. All are
evaluated on one join, where a column that both sides have must be qualified. So columns get the name of their side
where a clause sees one.

Invariant: a clause that names a column it does not see is an error, as in Spark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.spark.session.names import folding, quoted
from floeberg.spark.sql.text.edits import Edit, edited

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from floeberg.spark.sql.text.grammar import ClauseRows
    from floeberg.spark.sql.text.statement import Statement
    from floeberg.spark.sql.text.targets import ChangedTable

__all__ = ["ClauseColumns"]


class ClauseColumns:
    """The columns of a merge.

    Args:
        changed: The table.
        source: The columns of the source.
        alias: What they are qualified with.
    """

    def __init__(self, changed: ChangedTable, source: Sequence[str], alias: str | None) -> None:
        self._fold = folding(case_sensitive=changed.case_sensitive)
        self._changed = changed
        self._table = {self._fold(each.name) for each in changed.table.schema().fields}
        self._source = {self._fold(name) for name in source}
        self._alias = "floeberg_source" if alias is None else alias
        self.uncertain: set[tuple[str, ClauseRows]] = set()
        """Expressions with subqueries, whose columns are not qualified. They must have a meaning on one side alone."""

    def seen(self, part: Statement, rows: ClauseRows) -> str:
        """A condition or a value, as one that is evaluated on the join.

        Args:
            part: As written.
            rows: The rows that the clause is for.

        Raises:
            InvalidInputError: It names a column that the clause does not see.
            UnsupportedError: It cannot be parsed, or its columns cannot be told apart.
        """
        from sqlglot import exp  # noqa: PLC0415 - importing floeberg.spark imports nothing large

        text = part.text
        if rows == "matched":
            return text
        own = self._source if rows == "not matched" else self._table
        other = self._table if rows == "not matched" else self._source
        hidden = self._changed.target.visible if rows == "not matched" else self._alias
        shown = self._alias if rows == "not matched" else self._changed.target.visible
        tree = self._parsed(part)
        edits = []
        for node in self._columns(tree, text):
            if node.find_ancestor(exp.Select) is not None:
                # What names mean in a subquery is for Spark to say.
                self.uncertain.add((text, rows))
                continue
            parts = [part.name for part in node.parts]
            first = self._fold(parts[0])
            if len(parts) > 1 and (
                first == self._fold(hidden) or (rows == "not matched" and self._is_table(parts[:-1]))
            ):
                raise InvalidInputError(
                    f"MERGE: WHEN {rows.upper()}: {text}: {'.'.join(parts)!r} is a column of the other side"
                )
            if len(parts) > 1 and (first == self._fold(shown) or first not in own | other):
                continue
            if first in own and first in other:
                self._check_plain(tree, text)
                place = node.parts[0].meta["start"]
                edits.append(Edit(place, place, f"{quoted(shown)}."))
            elif first in other:
                raise InvalidInputError(
                    f"MERGE: WHEN {rows.upper()}: {text}: there is no column {parts[0]!r}"
                )
        return edited(part, edits)

    def of_table(self, condition: Statement) -> list[str]:
        """The columns of the table that a condition names, for errors."""
        visible, found = self._fold(self._changed.target.visible), []
        try:
            nodes = list(self._columns(self._parsed(condition), condition.text))
        except UnsupportedError:
            return []
        names = {self._fold(each.name): each.name for each in self._changed.table.schema().fields}
        for node in nodes:
            parts = [self._fold(part.name) for part in node.parts]
            if len(parts) > 1 and parts[-2] == visible and parts[-1] in names:
                found.append(names[parts[-1]])
        return list(dict.fromkeys(found))

    def _is_table(self, qualifier: Sequence[str]) -> bool:
        """Whether a long qualifier is the whole name of the table, or its end."""
        if self._changed.target.alias is not None or len(qualifier) < 2:  # noqa: PLR2004 - a namespace and a name
            return False
        full = [self._fold(each) for each in self._changed.found.full]
        return full[-len(qualifier) :] == [self._fold(each) for each in qualifier]

    def _parsed(self, part: Statement) -> Any:  # noqa: ANN401 - sqlglot's
        if part.expression is None:
            raise UnsupportedError(f"MERGE: the expression cannot be understood: {part.text}")
        return part.expression

    def _columns(self, tree: Any, text: str) -> Iterator[Any]:  # noqa: ANN401 - the same
        from sqlglot import exp  # noqa: PLC0415 - importing floeberg.spark imports nothing large

        for node in tree.find_all(exp.Column):
            if not isinstance(node.parts[0], exp.Identifier):
                continue
            if "start" not in node.parts[0].meta:
                raise UnsupportedError(f"MERGE: the expression cannot be understood: {text}")
            yield node

    def _check_plain(self, tree: Any, text: str) -> None:  # noqa: ANN401 - the same
        """Refuses what gives names a meaning of its own beside a column that must be qualified."""
        from sqlglot import exp  # noqa: PLC0415 - the same

        if tree.find(exp.Lambda) is not None:
            raise UnsupportedError(
                f"MERGE: {text}: qualify the columns with the name of the table or the source"
            )
