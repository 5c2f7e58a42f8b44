"""How is MERGE INTO run?

The source is evaluated once, and kept. Spark joins it to the table, whose rows have their places, and finds the clause
and the new values of each row. Tasks change the rows.

Invariant: of the clauses for a row, the first whose condition holds is applied. A row of the source that no row of the
table matches sees no column of the table, and the other way round.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from floeberg.commit.merge_builder import matches_once
from floeberg.errors import FloebergError, InvalidInputError
from floeberg.expressions import ALWAYS_TRUE, EqualTo
from floeberg.spark.session.names import folding, quoted
from floeberg.spark.sql.dml.affected_rows import combined, reach_of_join
from floeberg.spark.sql.dml.assignments import check_paths, default_of, resolved, value_of
from floeberg.spark.sql.dml.clause_columns import ClauseColumns
from floeberg.spark.sql.dml.evolution import evolve, new_columns
from floeberg.spark.sql.dml.merge_source import ROW, MergeSource
from floeberg.spark.sql.dml.retry import reads_of, repeated
from floeberg.spark.sql.dml.row_changes import places_of
from floeberg.spark.sql.query.queries import KEPT_ROWS
from floeberg.spark.sql.text.dialect import dialect
from floeberg.spark.sql.text.targets import ChangedTable
from floeberg.spark.write.assignment import Assignments, written
from floeberg.spark.write.row_changes import ChangedCounts, RowChange
from floeberg.spark.write.tasks import DELETED, INSERTED, KEPT, PLACES, UPDATED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyspark.sql import DataFrame
    from pyspark.sql.types import DataType
    from pyspark.sql.types import StructType as SparkStruct

    from floeberg.expressions import Expression
    from floeberg.spark.sql.dml.assignments import Path
    from floeberg.spark.sql.query.queries import Queries
    from floeberg.spark.sql.text.grammar import Clause, ClauseRows, Merge

__all__ = ["merge"]

_NEW = "floeberg_new"


def merge(queries: Queries, statement: Merge) -> ChangedCounts:
    """Runs a merge."""
    changed = ChangedTable.of(queries.spark, queries.known, statement.target)
    _check_clauses(statement)
    sources: list[MergeSource] = []
    not_kept, reads_itself = list[str](), [False]

    def run() -> ChangedCounts:
        queries.reads.clear()
        if not sources:
            sources.append(MergeSource.of(queries, statement.source))
            not_kept[:] = queries.reads.others
            reads_itself[:] = [reads_of(queries, changed) > 0]
        source = sources[0]
        if statement.evolves:
            _evolve(changed, statement, source)
        if reads_itself[0]:
            # When the statement runs again, the source reads the rows that there are then.
            sources.clear()
        else:
            not_kept.clear()
        queries.reads.clear()
        return _Merge(queries, statement, changed, source, reads_itself[0]).run()

    return repeated(changed, run, lambda: [*not_kept, *queries.reads.others])


def _evolve(changed: ChangedTable, statement: Merge, source: MergeSource) -> None:
    """Gives the table the columns of the source that are assigned to columns of their names, in a commit of its own.

    A star assigns all columns of the source.
    """
    fold = folding(case_sensitive=changed.case_sensitive)
    alias = fold(statement.source_alias or "")
    named = {fold(name): name for name in source.columns}
    chosen = set[str]()
    for clause in statement.clauses:
        if clause.settings is None:
            chosen |= set(source.columns)
        for path, given in clause.settings or ():
            parts = [fold(each) for each in given.as_name or ()]
            if parts and parts[-1] == fold(path[-1]) and parts[:-1] in ([], [alias]) and parts[-1] in named:
                chosen.add(named[parts[-1]])
    columns = new_columns(changed, [each for each in source.frame.schema if each.name in chosen])
    if columns:
        with changed.table.update_schema(case_sensitive=dialect().case_sensitive) as update:
            evolve(update, columns)


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
class _SeenClause:
    """A clause, with SQL that is evaluated on the join.

    Args:
        rows: The rows that it is for.
        action: What is done to them.
        condition: Which of them; `None` is all.
        settings: Columns of the table, or fields of structs, and their values.
    """

    rows: ClauseRows
    action: Literal["delete", "update", "insert"]
    condition: str | None
    settings: tuple[tuple[Path, str], ...]


@dataclass(frozen=True)
class _Merge:
    """One run.

    Args:
        queries: The queries of the statement.
        statement: What it says.
        changed: The table.
        source: The source.
        reads_itself: Whether the source was read from the table.
        clauses: The clauses, once the source has its view.
    """

    queries: Queries
    statement: Merge
    changed: ChangedTable
    source: MergeSource
    reads_itself: bool
    clauses: tuple[_SeenClause, ...] = ()
    view: str = field(default_factory=lambda: f"{KEPT_ROWS}_{uuid.uuid4().hex}")

    def run(self) -> ChangedCounts:
        from pyspark.sql import functions as F  # noqa: N812, PLC0415 - importing floeberg.spark imports nothing large

        sends_all = self.source.is_small
        frame = F.broadcast(self.source.frame) if sends_all else self.source.frame
        frame.createOrReplaceTempView(self.view)
        try:
            return replace(self, clauses=self._qualified()).changes(sends_all=sends_all)
        finally:
            for view in (self.view, self._view_of_new):
                self.queries.spark.catalog.dropTempView(view)

    def changes(self, *, sends_all: bool) -> ChangedCounts:
        """Joins, and changes the rows. The clauses have qualified columns."""
        from pyspark.sql import functions as F  # noqa: N812, PLC0415 - the same

        changed, clauses = self.changed, self.clauses
        schema = changed.spark_schema() if any(each.action != "delete" for each in clauses) else None
        types = self._types()
        parts = {
            rows: self._applied(rows, types, schema)
            for rows in ("matched", "not matched", "not matched by source")
        }
        reads_all = any(each.rows == "not matched by source" for each in clauses)
        condition = self.statement.condition
        reach = [] if reads_all else reach_of_join(self.queries, changed, condition, self.source, self._name)
        joined = self._joined_here(parts, reach) if sends_all else self._joined_by_key(parts, reach)
        frame = joined.where(F.col(_NEW).isNotNull())
        # All rows with a place are in one task, and a row of the source is in the same one however often it is asked.
        key = F.coalesce(F.col(PLACES[1]), F.col(ROW).cast("string"))
        values = (
            []
            if schema is None
            else [F.col(f"{_NEW}.c{at}").alias(each.name) for at, each in enumerate(schema)]
        )
        chosen = frame.repartition(key).select(
            F.col(f"{_NEW}.done").alias(PLACES[0]), *(F.col(name) for name in PLACES[1:]), *values
        )
        knows_reads = not self.reads_itself and reads_of(self.queries, changed) == 1
        change = RowChange(
            changed.table,
            "merge",
            changed.branch,
            changed.read_snapshot_id,
            conflict_filter=combined(reach) if knows_reads else ALWAYS_TRUE,
            explain_twice=self._explain,
            matches_once=self._matches_once,
        )
        return change.run(self.queries.spark, chosen)

    @property
    def _matches_once(self) -> bool:
        """Whether a row that two rows of the source match is an error."""
        matched = (each for each in self.statement.clauses if each.rows == "matched")
        return matches_once([(each.action == "delete", each.condition is not None) for each in matched])

    def _joined_by_key(self, parts: dict[str, str], reach: list[Expression]) -> DataFrame:
        """Rows of both sides, where Spark brings those with the same keys together."""
        old, new = f"{self.changed.visible}.`_file` IS NOT NULL", f"{self._alias}.{ROW} IS NOT NULL"
        text = (
            f"SELECT CASE WHEN {old} AND {new} THEN {parts['matched']} WHEN {new} THEN {parts['not matched']} "  # noqa: S608 - the user's own text
            f"ELSE {parts['not matched by source']} END AS {_NEW}, {self._places} "
            f"FROM {self._tables()} ON ({self.statement.condition.text}\n)"
        )
        return self.queries.frame(text, narrowed=reach)

    def _joined_here(self, parts: dict[str, str], reach: list[Expression]) -> DataFrame:
        """Rows of both sides, where each task that reads the table has the whole source.

        The rows of the table that match are kept, where others of the source are new: these are the rest.
        """
        from pyspark.sql import functions as F  # noqa: N812, PLC0415 - the same

        rows = {each.rows for each in self.statement.clauses}
        kind = "LEFT OUTER" if "not matched by source" in rows else "INNER"
        text = (
            f"SELECT CASE WHEN {self._alias}.{ROW} IS NOT NULL THEN {parts['matched']} "  # noqa: S608 - the same
            f"ELSE {parts['not matched by source']} END AS {_NEW}, {self._places} "
            f"FROM {self.changed.relation} {kind} JOIN {quoted(self.view)} AS {self._alias} "
            f"ON ({self.statement.condition.text}\n)"
        )
        frame = self.queries.frame(text, narrowed=reach)
        if "not matched" not in rows:
            return frame
        kept = frame.where(F.col(_NEW).isNotNull() | F.col(ROW).isNotNull()).localCheckpoint(eager=True)
        matched = kept.select(ROW).where(F.col(ROW).isNotNull())
        self.source.frame.join(matched, ROW, "left_anti").createOrReplaceTempView(self._view_of_new)
        nothing = ", ".join(
            f"CAST(NULL AS {kept.schema[name].dataType.simpleString()}) AS {name}" for name in PLACES[1:]
        )
        new = self.queries.frame(
            f"SELECT {parts['not matched']} AS {_NEW}, {nothing}, {self._alias}.{ROW} AS {ROW} "  # noqa: S608 - the same
            f"FROM {quoted(self._view_of_new)} AS {self._alias}"
        )
        return kept.union(new)

    @property
    def _places(self) -> str:
        return f"{places_of(self.changed, with_row_ids=True)}, {self._alias}.{ROW} AS {ROW}"

    @property
    def _view_of_new(self) -> str:
        return f"{self.view}_new"

    @property
    def _name(self) -> str:
        return self.statement.source_alias or "floeberg_source"

    @property
    def _alias(self) -> str:
        return quoted(self._name)

    def _tables(self) -> str:
        """The tables and their join, which gives the rows that some clause is for."""
        rows = {each.rows for each in self.statement.clauses}
        source, target = f"{quoted(self.view)} AS {self._alias}", self.changed.relation
        if {"not matched", "not matched by source"} <= rows:
            return f"{source} FULL OUTER JOIN {target}"
        if "not matched by source" in rows:
            return f"{target} LEFT OUTER JOIN {source}"
        return f"{source} {'LEFT OUTER' if 'not matched' in rows else 'INNER'} JOIN {target}"

    def _qualified(self) -> tuple[_SeenClause, ...]:
        """The clauses, with the columns of each as that clause sees them."""
        columns = ClauseColumns(self.changed, self.source.columns, self.statement.source_alias)
        clauses = []
        for each in self.statement.clauses:
            condition = None if each.condition is None else columns.seen(each.condition, each.rows)
            clauses.append(_SeenClause(each.rows, each.action, condition, self._settings(each, columns)))
        for text, rows in columns.uncertain:
            of_table = rows == "not matched by source"
            side = self.changed.relation if of_table else f"{quoted(self.view)} AS {self._alias}"
            # Spark raises what it cannot find.
            self.queries.frame(f"SELECT ({text}\n) FROM {side}", empty=True)  # noqa: S608 - the same
        return tuple(clauses)

    def _settings(self, clause: Clause, columns: ClauseColumns) -> tuple[tuple[Path, str], ...]:
        """The columns that a clause sets, those of `*` too, by their names in the table."""
        if clause.settings is not None:
            find = self.changed.path if clause.action == "update" else self._inserted
            paths = [find(parts, "MERGE") for parts, _ in clause.settings]
            check_paths(paths, "MERGE")
            return tuple(
                (path, columns.seen(resolved(self.changed, path, given, "MERGE"), clause.rows))
                for path, (_, given) in zip(paths, clause.settings, strict=True)
            )
        fold = folding(case_sensitive=self.changed.case_sensitive)
        own = {fold(name): name for name in self.source.columns}
        found = []
        for column in self.changed.table.schema().fields:
            if fold(column.name) not in own and self.statement.evolves:
                continue
            if fold(column.name) not in own:
                raise InvalidInputError(
                    f"MERGE: * needs all columns of the table, and the source has no column {column.name!r}"
                )
            found.append(((column.name,), f"{self._alias}.{quoted(own[fold(column.name)])}"))
        return tuple(found)

    def _inserted(self, parts: Sequence[str], word: str) -> Path:
        return (self.changed.column(parts, word),)

    def _types(self) -> dict[tuple[int, Path], Any]:
        """The types of all values, by the clause and the column."""
        asked = [(at, path, text) for at, each in enumerate(self.clauses) for path, text in each.settings]
        if not asked:
            return {}
        listed = ", ".join(f"({text}\n) AS floeberg_{number}" for number, (_, _, text) in enumerate(asked))
        source, target = f"{quoted(self.view)} AS {self._alias}", self.changed.relation
        have = self.queries.frame(f"SELECT {listed} FROM {source} CROSS JOIN {target}", empty=True).schema  # noqa: S608 - the same
        return {(at, path): have[number].dataType for number, (at, path, _) in enumerate(asked)}

    def _applied(self, rows: str, types: dict[tuple[int, Path], Any], schema: SparkStruct | None) -> str:
        """What becomes of rows: a struct, or null where nothing does."""
        cases, last = [], None
        for at, clause in enumerate(self.clauses):
            if clause.rows != rows:
                continue
            done = {"delete": DELETED, "update": UPDATED, "insert": INSERTED}[clause.action]
            given = {path: (text, types[at, path]) for path, text in clause.settings}
            made = self._struct(done, given, schema)
            if clause.condition is None:
                last = made
            else:
                cases.append(f"WHEN ({clause.condition}\n) THEN {made}")
        if last is None and rows == "matched" and self._matches_once:
            # Rows that stay count too where the source matches a row twice.
            last = self._struct(KEPT, {}, schema)
        if not cases:
            return "NULL" if last is None else last
        return f"CASE {' '.join(cases)} ELSE {'NULL' if last is None else last} END"

    def _struct(
        self, done: int, given: Mapping[Path, tuple[str, DataType]], schema: SparkStruct | None
    ) -> str:
        assign = Assignments(self.queries.spark)
        parts = [f"'done', {done}"]
        for at, column in enumerate(schema or ()):
            old = f"{self.changed.visible}.{quoted(column.name)}"
            text = value_of((column.name,), column.dataType, old, given, assign)
            if text is None and done == UPDATED:
                text = old
            elif text is None:
                own = self.changed.table.schema().find_field(column.name)
                text = f"CAST({default_of(own, 'MERGE') if done == INSERTED else 'NULL'} AS {written(column.dataType)})"
            parts.append(f"'c{at}', {text}")
        return f"named_struct({', '.join(parts)})"

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
