"""How is MERGE INTO run?

The source is evaluated once, and kept. Spark joins it to the table, whose rows have their places, and finds the clause
and the new values of each row. Tasks change the rows.

Invariant: of the clauses for a row, the first whose condition holds is applied. A row of the source that no row of the
table matches sees no column of the table, and the other way round.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from floeberg.errors import FloebergError, InvalidInputError, UnsupportedError
from floeberg.expressions import EqualTo
from floeberg.spark.sql.changes import check_once, no_default, places_of
from floeberg.spark.sql.clause_columns import ClauseColumns
from floeberg.spark.sql.targets import ChangedTable, quoted
from floeberg.spark.write.assignment import Assignments
from floeberg.spark.write.row_changes import ChangedCounts, RowChange
from floeberg.spark.write.tasks import DELETED, INSERTED, KEPT, PLACES, UPDATED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from floeberg.spark.sql.grammar import Clause, Merge
    from floeberg.spark.sql.queries import Queries

__all__ = ["merge"]

_ROW = "floeberg_row"
"""The column that numbers the rows of the source."""
_NEW = "floeberg_new"


def merge(queries: Queries, statement: Merge) -> ChangedCounts:
    """Runs a merge."""
    changed = ChangedTable.of(queries.spark, queries.known, statement.target)
    _check_clauses(statement)
    source = _source(queries, statement)
    view = f"floeberg_source_{uuid.uuid4().hex}"
    source.createOrReplaceTempView(view)
    try:
        return _Merge(queries, statement, changed, source, view).run()
    finally:
        queries.spark.catalog.dropTempView(view)


def _source(queries: Queries, statement: Merge) -> DataFrame:
    """The rows of the source, with a number each. They are computed now, and not again."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - importing floeberg.spark imports nothing large

    frame = queries.frame(f"SELECT * FROM {statement.source}\n")  # noqa: S608 - the user's own text
    folded = [name.lower() for name in frame.columns]
    if len(set(folded)) < len(folded):
        twice = next(name for name in folded if folded.count(name) > 1)
        raise InvalidInputError(f"MERGE: the source has two columns {twice!r}: give one another name")
    return frame.withColumn(_ROW, F.monotonically_increasing_id()).localCheckpoint(eager=True)


def _check_clauses(statement: Merge) -> None:
    """Checks that every clause can be reached.

    Raises:
        InvalidInputError: One follows a clause that always holds.
    """
    closed = set[str]()
    for clause in statement.clauses:
        if clause.rows in closed:
            raise InvalidInputError(
                f"MERGE: a clause WHEN {clause.rows.upper()} follows one without a condition, and is never reached"
            )
        if clause.condition is None:
            closed.add(clause.rows)


@dataclass(frozen=True)
class _Merge:
    """One run."""

    queries: Queries
    statement: Merge
    changed: ChangedTable
    source: DataFrame
    view: str

    def run(self) -> ChangedCounts:
        from pyspark.sql import functions as F  # noqa: N812, PLC0415 - the same

        statement, changed = self._qualified(), self.changed
        clauses = statement.clauses
        schema = changed.spark_schema() if any(each.action != "delete" for each in clauses) else None
        types = self._types(clauses)
        parts = {
            rows: self._applied(clauses, rows, types, schema)
            for rows in ("matched", "not matched", "not matched by source")
        }
        old, new = f"{changed.visible}.`_file` IS NOT NULL", f"{self._alias}.{_ROW} IS NOT NULL"
        text = (
            f"SELECT CASE WHEN {old} AND {new} THEN {parts['matched']} WHEN {new} THEN {parts['not matched']} "  # noqa: S608 - the same
            f"ELSE {parts['not matched by source']} END AS {_NEW}, {places_of(changed, with_row_ids=True)}, "
            f"{self._alias}.{_ROW} AS {_ROW} FROM {self._joined(clauses)} ON ({statement.condition}\n)"
        )
        frame = self.queries.frame(text).where(F.col(_NEW).isNotNull())
        # All rows with a place are in one task, and a row of the source is in the same one however often it is asked.
        key = F.coalesce(F.col(PLACES[1]), F.col(_ROW).cast("string"))
        values = (
            []
            if schema is None
            else [F.col(f"{_NEW}.c{at}").alias(each.name) for at, each in enumerate(schema)]
        )
        chosen = frame.repartition(key).select(
            F.col(f"{_NEW}.done").alias(PLACES[0]), *(F.col(name) for name in PLACES[1:]), *values
        )
        change = RowChange(
            changed.table,
            "merge",
            changed.branch,
            changed.read_snapshot_id,
            conflict_filter=True,
            explain_twice=self._explain,
        )
        return change.run(self.queries.spark, chosen)

    @property
    def _alias(self) -> str:
        return quoted(self.statement.source_alias or "floeberg_source")

    def _joined(self, clauses: tuple[Clause, ...]) -> str:
        """The tables and their join, which gives the rows that some clause is for."""
        rows = {each.rows for each in clauses}
        source, target = f"{quoted(self.view)} AS {self._alias}", self.changed.relation
        if {"not matched", "not matched by source"} <= rows:
            return f"{source} FULL OUTER JOIN {target}"
        if "not matched by source" in rows:
            return f"{target} LEFT OUTER JOIN {source}"
        return f"{source} {'LEFT OUTER' if 'not matched' in rows else 'INNER'} JOIN {target}"

    def _qualified(self) -> Merge:
        """The statement, with the columns of each clause as that clause sees them."""
        columns = ClauseColumns(
            self.changed, [name for name in self.source.columns if name != _ROW], self.statement.source_alias
        )
        clauses = []
        for each in self.statement.clauses:
            condition = None if each.condition is None else columns.seen(each.condition, each.rows)
            settings = self._settings(each)
            for _, text in settings:
                no_default(text, "MERGE")
            seen = tuple((parts, columns.seen(text, each.rows)) for parts, text in settings)
            clauses.append(replace(each, condition=condition, settings=seen))
        return replace(self.statement, clauses=tuple(clauses))

    def _settings(self, clause: Clause) -> tuple[tuple[tuple[str, ...], str], ...]:
        """The columns that a clause sets, those of `*` too, by their names in the table."""
        if clause.settings is not None:
            names = [self.changed.column(parts, "MERGE") for parts, _ in clause.settings]
            check_once(names, "MERGE")
            return tuple(((name,), text) for name, (_, text) in zip(names, clause.settings, strict=True))
        fold = (lambda name: name) if self.changed.case_sensitive else str.lower
        own = {fold(name): name for name in self.source.columns if name != _ROW}
        found = []
        for field in self.changed.table.schema().fields:
            if fold(field.name) not in own:
                raise InvalidInputError(
                    f"MERGE: * needs all columns of the table, and the source has no column {field.name!r}"
                )
            found.append(((field.name,), f"{self._alias}.{quoted(own[fold(field.name)])}"))
        return tuple(found)

    def _types(self, clauses: tuple[Clause, ...]) -> dict[tuple[int, str], Any]:
        """The types of all values, by the clause and the column."""
        asked = [
            (at, parts[0], text) for at, each in enumerate(clauses) for parts, text in each.settings or ()
        ]
        if not asked:
            return {}
        listed = ", ".join(f"({text}\n) AS floeberg_{number}" for number, (_, _, text) in enumerate(asked))
        source, target = f"{quoted(self.view)} AS {self._alias}", self.changed.relation
        have = self.queries.frame(f"SELECT {listed} FROM {source} CROSS JOIN {target}", empty=True).schema  # noqa: S608 - the same
        return {(at, name): have[number].dataType for number, (at, name, _) in enumerate(asked)}

    def _applied(
        self,
        clauses: tuple[Clause, ...],
        rows: str,
        types: dict[tuple[int, str], Any],
        schema: StructType | None,
    ) -> str:
        """What becomes of rows: a struct, or null where nothing does."""
        cases, last = [], None
        for at, clause in enumerate(clauses):
            if clause.rows != rows:
                continue
            done = {"delete": DELETED, "update": UPDATED, "insert": INSERTED}[clause.action]
            made = self._struct(
                done, clause, {name: kind for (number, name), kind in types.items() if number == at}, schema
            )
            if clause.condition is None:
                last = made
            else:
                cases.append(f"WHEN ({clause.condition}\n) THEN {made}")
        if last is None and rows == "matched" and any(each.rows != "not matched" for each in clauses):
            # Rows that stay count too where the source matches a row twice.
            last = self._struct(KEPT, None, {}, schema)
        if not cases:
            return "NULL" if last is None else last
        return f"CASE {' '.join(cases)} ELSE {'NULL' if last is None else last} END"

    def _struct(
        self, done: int, clause: Clause | None, types: dict[str, Any], schema: StructType | None
    ) -> str:
        assign = Assignments(self.queries.spark)
        given = {} if clause is None else {parts[0]: text for parts, text in clause.settings or ()}
        parts = [f"'done', {done}"]
        for at, field in enumerate(schema or ()):
            kind = field.dataType.simpleString()
            if field.name in given:
                cast = assign.cast(field.name, types[field.name], field.dataType)
                text = (
                    f"({given[field.name]}\n)" if cast is None else f"CAST(({given[field.name]}\n) AS {cast})"
                )
            elif done == UPDATED:
                text = f"{self.changed.visible}.{quoted(field.name)}"
            else:
                if done == INSERTED:
                    self._check_no_default(field.name)
                text = f"CAST(NULL AS {kind})"
            parts.append(f"'c{at}', {text}")
        return f"named_struct({', '.join(parts)})"

    def _check_no_default(self, name: str) -> None:
        """Refuses an insert without a column that has a default."""
        field = self.changed.table.schema().find_field(name)
        if field.write_default is not None:
            raise UnsupportedError(
                f"MERGE: the column {name!r} has a default, which INSERT of a merge does not fill in: give its value"
            )

    def _explain(self, file: str, position: int) -> str:
        """The values of the columns that join a row of the table."""
        columns = ClauseColumns(self.changed, [], self.statement.source_alias)
        names = columns.of_table(self.statement.condition)
        try:
            scan = self.changed.scan.filter(EqualTo("_file", file)).filter(EqualTo("_pos", position))
            row = scan.select(*names).to_arrow().to_pylist()[0] if names else {}
        except (FloebergError, IndexError):
            row = {}
        shown = ", ".join(_shown(row))
        return shown or f"row {position} of {file}"


def _shown(row: dict[str, Any]) -> Iterator[str]:
    return (f"{name} = {value!r}" for name, value in row.items())
