"""Which rows does a merge change, and how? Its clauses, one method each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Literal, TypeAlias, TypeVar

from floeberg import _native
from floeberg._arguments import checked_text
from floeberg._display import facts_html, rows_html
from floeberg._keywords import says_keywords_of_methods
from floeberg.commit.new_values import Assignments, Functions, aliases_of_sides, condition_of, sql_of
from floeberg.errors import InvalidInputError
from floeberg.expressions import ValueExpression
from floeberg.expressions._sql import SqlExpression

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa
    from typing_extensions import Self

    from floeberg.commit.new_values import NewValue

__all__ = ["Clause", "Clauses", "JoinKeys", "MergeBuilder", "join_keys", "matches_once"]

Result = TypeVar("Result")
For: TypeAlias = Literal["matched", "not matched", "not matched by source"]


@dataclass(frozen=True)
class Clause:
    """What is done to rows.

    Args:
        rows: The rows that it is for.
        sets: The columns that are set: some, all that the source has (`all`), or none: `None` deletes the rows.
        condition: Which of the rows; `None` is all.
    """

    rows: For
    sets: Assignments | Literal["all"] | None
    condition: _native.NewValue | None

    def native(self, schema: pa.Schema, source: pa.Schema, *, case_sensitive: bool) -> _native.MergeClause:
        """The clause, for a table.

        Raises:
            InvalidInputError: A column is unknown, or a literal does not fit.
        """
        sets = self.sets
        some = (
            sets.of(schema, case_sensitive=case_sensitive, others=source.names)
            if isinstance(sets, Assignments)
            else None
        )
        return _native.MergeClause.of(
            self.rows, condition=self.condition, assignments=some, sets_all=sets == "all"
        )


@dataclass(frozen=True)
class Clauses:
    """The clauses of a merge, with their functions.

    Args:
        every: The clauses, in order.
        functions: The functions of all of them.
    """

    every: Sequence[Clause]
    functions: Functions


def matches_once(matched: Sequence[tuple[bool, bool]]) -> bool:
    """Whether a row of the table that two rows of the source match is an error, as in Spark and Iceberg Java.

    It is not where nothing is done to matched rows, or all of them are deleted whatever their row of the source.

    Args:
        matched: For each clause for matched rows whether it deletes, and whether it has a condition.
    """
    return bool(matched) and list(matched) != [(True, False)]


@dataclass(frozen=True)
class JoinKeys:
    """What joins a source to the table.

    Args:
        columns: Key columns of the table, and columns of the source that equal them.
        condition: What must hold too; `None` is nothing.
        whole: The condition with the equalities of the keys, for floats: keys take NaN for equal to NaN, and a
            condition in SQL does not. `None` where nothing but keys was given.
    """

    columns: Sequence[tuple[str, str]]
    condition: _native.NewValue | None
    whole: _native.NewValue | None = None


@says_keywords_of_methods
class MergeBuilder(Generic[Result]):
    """The clauses of a merge, in order. `Table.merge` makes it, and the names are those of delta-rs.

    A row of the table that a row of the source matches is for the `matched` clauses, any other row of the table for
    those of `not_matched_by_source`, and a row of the source without a match for those of `not_matched`. The first
    clause whose condition holds is applied.

    New values and conditions name columns `target.x` and `source.x`, or only `x` where one side has it. A condition is
    SQL text, a comparison of `fb.col`, an expression of `pyarrow.compute`, or a function from a batch to an array of
    bools.

    Examples:
        >>> _ = orders.append(pa.table({"id": [1, 2]}))
        >>> changes = pa.table({"id": [2, 3], "gone": [True, False]})
        >>> merge = orders.merge(changes, on=["id"]).when_matched_delete("source.gone")
        >>> done = merge.when_not_matched_insert({"id": fb.col("source.id")}).execute()
        >>> done.deleted_rows, done.inserted_rows, sorted(orders.scan().to_arrow()["id"].to_pylist())
        (1, 1, [1, 3])
    """

    def __init__(self, run: Callable[[Clauses], Result]) -> None:
        """Use `Table.merge`."""
        self.run = run
        self._functions = Functions(aliases_of_sides)
        self._clauses: list[Clause] = []
        self._is_executed = False

    def when_matched_update(self, updates: Mapping[str, NewValue], predicate: object = None) -> Self:
        """Sets columns of rows that match.

        Args:
            updates: New values by the names of columns, as with `Table.update`.
            predicate: Which of the rows; all of them unless given.
        """
        return self._add("matched", Assignments(updates, self._functions), predicate)

    def when_matched_update_all(self, predicate: object = None) -> Self:
        """Sets every column that the source has, of rows that match."""
        return self._add("matched", "all", predicate)

    def when_matched_delete(self, predicate: object = None) -> Self:
        """Deletes rows that match."""
        return self._add("matched", None, predicate)

    def when_not_matched_insert(self, updates: Mapping[str, NewValue], predicate: object = None) -> Self:
        """Inserts rows of the source that match no row, with these values. Other columns get their default, or null."""
        return self._add("not matched", Assignments(updates, self._functions), predicate)

    def when_not_matched_insert_all(self, predicate: object = None) -> Self:
        """Inserts rows of the source that match no row, with all columns that the source has."""
        return self._add("not matched", "all", predicate)

    def when_not_matched_by_source_update(
        self, updates: Mapping[str, NewValue], predicate: object = None
    ) -> Self:
        """Sets columns of rows that no row of the source matches. All rows of the table are read."""
        return self._add("not matched by source", Assignments(updates, self._functions), predicate)

    def when_not_matched_by_source_delete(self, predicate: object = None) -> Self:
        """Deletes rows that no row of the source matches. All rows of the table are read."""
        return self._add("not matched by source", None, predicate)

    def execute(self) -> Result:
        """Executes the merge, in one snapshot. This can be done once: a source is read once.

        Returns:
            What the commit did, or which earlier commit did it; in a transaction nothing.

        Raises:
            InvalidInputError: The merge has no clause; several rows of the source match one row of the table: the error
                shows their keys; or values do not fit. Nothing was changed.
            CommitConflictError: Another writer changed the same rows, or added rows with the same keys, again and
                again.
        """
        if not self._clauses:
            raise InvalidInputError("a merge needs at least one clause, such as when_matched_update_all()")
        self._check_open()
        self._is_executed = True
        return self.run(Clauses(self._clauses, self._functions))

    def __repr__(self) -> str:
        clauses = [f"{rows}{condition and ' '}{condition}: {does}" for rows, condition, does in self._shown()]
        state = "executed" if self._is_executed else "not executed yet"
        return f"MergeBuilder({state}; {'; '.join(clauses) or 'no clause'})"

    def _repr_html_(self) -> str:
        state = "executed" if self._is_executed else "not executed yet"
        table = rows_html(("rows", "", "clause"), self._shown()) if self._clauses else "no clause"
        return facts_html(f"MergeBuilder: {state}", {}, table)

    def _shown(self) -> list[tuple[str, str, str]]:
        """The rows, whether there is a condition, and what each clause does."""
        return [
            (
                each.rows,
                "" if each.condition is None else "with a condition",
                "delete" if each.sets is None else "insert" if each.rows == "not matched" else "update",
            )
            for each in self._clauses
        ]

    def _check_open(self) -> None:
        if self._is_executed:
            raise InvalidInputError("the merge was executed: begin another one with merge()")

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a MergeBuilder cannot be pickled: send the source, and merge it there")

    def _add(
        self,
        rows: For,
        sets: Assignments | Literal["all"] | None,
        predicate: object,
    ) -> Self:
        self._check_open()
        if any(each.rows == rows and each.condition is None for each in self._clauses):
            raise InvalidInputError(
                f"an earlier clause takes every row that is {rows}, so that this one would never be applied. Give the "
                "earlier one a predicate, or put it last"
            )
        condition = condition_of("predicate", predicate, self._functions)
        self._clauses.append(Clause(rows, sets, condition))
        return self


def join_keys(on: Sequence[str] | str | None, predicate: object, *, case_sensitive: bool) -> JoinKeys:
    """What joins a source to a table.

    Args:
        on: Columns that both have.
        predicate: A condition in SQL or a comparison of `fb.col`, with at least one `target.x = source.y`.
        case_sensitive: Whether the case of names counts.

    Raises:
        InvalidInputError: Neither is given, or both; or the condition has no such term.
    """
    if (on is None) == (predicate is None):
        raise InvalidInputError("a merge needs either on=[...] or predicate='target.x = source.x'")
    return _of_names(on) if on is not None else _of_predicate(predicate, case_sensitive=case_sensitive)


def _of_names(on: Sequence[str] | str) -> JoinKeys:
    names = [on] if isinstance(on, str) else on
    if not isinstance(names, (list, tuple)) or not names or not all(isinstance(each, str) for each in names):
        raise InvalidInputError(f"on: expected the names of columns, found {on!r}")
    names = [checked_text("on", each) for each in names]
    return JoinKeys([(name, name) for name in names], None)


def _of_predicate(predicate: object, *, case_sensitive: bool) -> JoinKeys:
    if isinstance(predicate, ValueExpression):
        predicate = sql_of(predicate)
    if not isinstance(predicate, str):
        raise InvalidInputError(
            "predicate: expected a condition in SQL, or a comparison of fb.col, found an object of type "
            f"{type(predicate).__name__}"
        )
    expression = SqlExpression(predicate)
    columns, rest, seen = [], [], set()
    for term in expression.conjuncts():
        pair = _key_pair(term, case_sensitive=case_sensitive)
        # A second equality of a column is part of the condition.
        key = None if pair is None else pair[0] if case_sensitive else pair[0].lower()
        if pair is None or key in seen:
            rest.append(term)
        else:
            columns.append(pair)
            seen.add(key)
    if not columns:
        raise InvalidInputError(
            f"predicate: {predicate!r} has no term such as target.id = source.id, by which rows are looked up"
        )
    condition = _native.NewValue.sql(expression.all_of(rest).native()) if rest else None
    return JoinKeys(columns, condition, _native.NewValue.sql(expression.native()))


def _key_pair(term: SqlExpression, *, case_sensitive: bool) -> tuple[str, str] | None:
    """The columns that an equality joins: of the table, and of the source."""
    pair = term.equal_columns()
    if pair is None:
        return None
    sides = dict(each.partition(".")[::2] for each in pair)
    if not case_sensitive:
        sides = {side.lower(): name for side, name in sides.items()}
    if set(sides) != {"target", "source"}:
        return None
    return sides["target"], sides["source"]
