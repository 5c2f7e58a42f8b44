"""How are INSERT INTO and INSERT OVERWRITE run?

Spark runs the query. Its columns are those of the table by their order, or by their names with BY NAME. Values are
converted as Spark assigns them.

`INSERT OVERWRITE` follows `spark.sql.sources.partitionOverwriteMode`, as Iceberg's own integration does: `static`
replaces all rows, or those that have the values of PARTITION; `dynamic` replaces the partitions of the new rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.expressions import AlwaysTrue, And, EqualTo, IsNull
from floeberg.spark.session.conf import changed_settings, is_set
from floeberg.spark.session.names import folding
from floeberg.spark.sql.dml.assignments import text_of
from floeberg.spark.sql.dml.evolution import evolve, new_columns
from floeberg.spark.sql.dml.inserted_defaults import with_defaults
from floeberg.spark.sql.dml.row_changes import check_once
from floeberg.spark.sql.pushdown.strict import exact_filter
from floeberg.spark.sql.text.dialect import dialect
from floeberg.spark.sql.text.targets import ChangedTable
from floeberg.spark.write.assignment import Assignments
from floeberg.spark.write.frame import FrameWrite, commit_files
from floeberg.spark.write.row_changes import ChangedCounts

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructField

    from floeberg.expressions import Expression
    from floeberg.spark.sql.query.queries import Queries
    from floeberg.spark.sql.text.grammar import Insert
    from floeberg.spark.sql.text.statement import Statement
    from floeberg.types import NestedField

__all__ = ["insert_each"]

_MODE = "spark.sql.sources.partitionOverwriteMode"
_NULLS = "spark.sql.defaultColumn.useNullsForMissingDefaultValues"


@dataclass(frozen=True)
class _Prepared:
    """An insert whose rows are planned.

    Args:
        changed: The table.
        rows: The rows, with the names and the types of the table.
        arguments: Those of `commit_files`.
        added: Columns that the table gets.
    """

    changed: ChangedTable
    rows: DataFrame
    arguments: dict[str, Any]
    added: list[StructField]

    def commit(self) -> ChangedCounts:
        """Writes the rows, and commits."""
        with self.changed.table.transaction(branch=self.changed.branch) as transaction:
            if self.added:
                with transaction.update_schema(case_sensitive=dialect().case_sensitive) as update:
                    evolve(update, self.added)
            done = commit_files(transaction, self.rows, FrameWrite(case_sensitive=True), **self.arguments)
        return ChangedCounts(done.snapshot_id, deleted_rows=done.deleted_rows, inserted_rows=done.added_rows)


def insert_each(statements: Sequence[tuple[Queries, Insert]]) -> list[ChangedCounts]:
    """Adds the rows of queries, or replaces rows by them; each in one commit.

    All queries read the tables as they were before the first commit.
    """
    prepared = [_prepared(queries, statement) for queries, statement in statements]
    return [each.commit() for each in prepared]


def _prepared(queries: Queries, statement: Insert) -> _Prepared:
    changed = ChangedTable.of(queries.spark, queries.known, statement.target)
    given = {changed.column((name,), "INSERT"): value for name, value in statement.partition}
    _check_partition(changed, given)
    static = {name: value for name, value in given.items() if value is not None}
    fields = _given_fields(changed, statement, static)
    frame = queries.frame(statement.query if fields is None else with_defaults(statement.query, fields))
    added: list[StructField] = []
    if statement.evolves:
        frame = _named_as_table(frame, fields, changed)
        added = new_columns(changed, list(frame.schema))
        fields = None
    rows = _assigned(queries, frame, fields, static, changed, added=added)
    for name, given_value in static.items():
        _constant(queries, name, given_value, _types(changed, [name])[name].simpleString())
    arguments: dict[str, Any] = {"mode": "append"}
    if statement.replaced is not None:
        row_filter = exact_filter(queries.spark, changed, statement.replaced)
        if row_filter is None:
            raise UnsupportedError(
                f"INSERT: REPLACE WHERE {statement.replaced.text}: expected comparisons of columns with constants"
            )
        arguments = {"mode": "overwrite", "overwrite_filter": row_filter}
    elif statement.overwrites and str(queries.spark.conf.get(_MODE, "STATIC")).upper() == "DYNAMIC":
        arguments = {"mode": "dynamic-overwrite"}
    elif statement.overwrites:
        arguments = {"mode": "overwrite", "overwrite_filter": _static_filter(queries, changed, static)}
    return _Prepared(changed, rows, arguments, added)


def _named_as_table(frame: DataFrame, fields: list[NestedField] | None, changed: ChangedTable) -> DataFrame:
    """The rows, whose first columns have the names of the table's, in its order. Those after them are new columns.

    Raises:
        InvalidInputError: There are fewer columns, or a new one has the name of another.
    """
    if fields is None:
        return frame
    names = [each.name for each in fields]
    if len(frame.columns) < len(names):
        raise InvalidInputError(
            f"INSERT: the query has {len(frame.columns)} columns, and {len(names)} are expected: "
            f"{', '.join(map(repr, names))}"
        )
    whole = [*names, *frame.columns[len(names) :]]
    fold = folding(case_sensitive=changed.case_sensitive)
    own = {fold(each.name) for each in changed.table.schema().fields}
    twice = next((name for name in whole[len(names) :] if fold(name) in own), None)
    if twice is not None:
        raise InvalidInputError(
            f"INSERT: the column {twice!r} is given twice, by its place and as a new one: write BY NAME"
        )
    return frame.toDF(*whole)


def _check_partition(changed: ChangedTable, given: Collection[str]) -> None:
    """Checks that PARTITION names columns that the table is partitioned by as they are.

    Raises:
        InvalidInputError: It names another column.
    """
    schema = changed.table.schema()
    own = {
        schema.find_column_name(each.source_id)
        for each in changed.table.spec().fields
        if each.transform == "identity"
    }
    for name in given:
        if name not in own:
            raise InvalidInputError(
                f"INSERT: PARTITION ({name}): the table is not partitioned by the values of this column"
            )


def _given_fields(
    changed: ChangedTable, statement: Insert, static: dict[str, Statement]
) -> list[NestedField] | None:
    """The columns of the table that the query gives, in its order; `None` where their names are the query's."""
    fields = [each for each in changed.table.schema().fields if each.name not in static]
    if statement.by_name:
        return None
    if statement.columns is None:
        return fields
    names = [changed.column((name,), "INSERT") for name in statement.columns]
    check_once(names, "INSERT")
    both = [name for name in names if name in static]
    if both:
        raise InvalidInputError(
            f"INSERT: the column {both[0]!r} has a value in PARTITION: leave it out of the list"
        )
    by_name = {each.name: each for each in fields}
    return [by_name[name] for name in names]


def _assigned(  # noqa: PLR0913 - what is assigned to what
    queries: Queries,
    frame: DataFrame,
    fields: list[NestedField] | None,
    static: dict[str, Statement],
    changed: ChangedTable,
    *,
    added: Sequence[StructField],
) -> DataFrame:
    """The rows with the names and the types of the table."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - importing floeberg.spark imports nothing large

    own = {each.name.lower() for each in changed.table.schema().fields}
    is_new = {each.name for each in added if each.name.lower() not in own}
    if fields is None:
        found = [name if name in is_new else changed.column((name,), "INSERT") for name in frame.columns]
        check_once([*found, *static], "INSERT")
        names: Sequence[str] = found
    else:
        names = [each.name for each in fields]
        if len(names) != len(frame.columns):
            raise InvalidInputError(
                f"INSERT: the query has {len(frame.columns)} columns, and {len(names)} are expected: "
                f"{', '.join(map(repr, names))}"
            )
    _check_complete(queries, changed, [*names, *static])
    assign = Assignments(queries.spark)
    wanted = _types(changed, [name for name in (*names, *static) if name not in is_new])
    wanted |= {each.name: each.dataType for each in added}
    renamed = frame.toDF(*(f"c{at}" for at in range(len(names))))
    columns = []
    for at, (name, have) in enumerate(zip(names, frame.schema, strict=True)):
        cast = assign.cast(name, have.dataType, wanted[name])
        column = F.col(f"c{at}") if cast is None else F.col(f"c{at}").cast(cast)
        columns.append(column.alias(name))
    for name, given in static.items():
        value = _partition_value(queries, given, wanted[name].simpleString())
        columns.append(F.expr(value).alias(name))
    return renamed.select(*columns)


def _check_complete(queries: Queries, changed: ChangedTable, given: Sequence[str]) -> None:
    """Checks that columns without a value may be null, in this session.

    Raises:
        InvalidInputError: One has no default, and the session takes no null for it.
    """
    lacking = [
        each.name
        for each in changed.table.schema().fields
        if each.name not in given and each.write_default is None
    ]
    if lacking and not is_set(queries.spark, _NULLS, default=True):
        raise InvalidInputError(f"INSERT: the column {lacking[0]!r} is given no value, and {_NULLS} is off")


def _types(changed: ChangedTable, names: Sequence[str]) -> dict[str, Any]:
    """The types that columns have in Spark. Values of nanoseconds are given as microseconds."""
    from floeberg.spark.read.types import spark_type  # noqa: PLC0415 - it imports PySpark

    schema = changed.table.schema()
    return {
        name: spark_type(schema.find_field(name).field_type, truncate_nanoseconds=True, name=name)
        for name in names
    }


def _static_filter(queries: Queries, changed: ChangedTable, static: dict[str, Statement]) -> Expression:
    """The rows that have the values of PARTITION."""
    if not static:
        return AlwaysTrue()
    wanted = _types(changed, list(static))
    filters: list[Expression] = []
    for name, given in static.items():
        value = _constant(queries, name, given, wanted[name].simpleString())
        kind = str(changed.table.schema().find_type(name))
        if kind not in {"string", "int", "long", "date", "boolean"}:
            raise UnsupportedError(f"PARTITION ({name}): values of type {kind} are not supported")
        filters.append(IsNull(name) if value is None else EqualTo(name, value))
    return And(*filters) if len(filters) > 1 else filters[0]


def _partition_value(queries: Queries, given: Statement, kind: str) -> str:
    """The value of a column in PARTITION, as SQL of the type of the column. For Spark it is a text first."""
    as_text = f"CAST(({given.text}\n) AS STRING)"
    is_null = given.is_word("NULL")
    is_string = given.text[:1] in {"'", '"'}
    legacy = "spark.sql.legacy"
    if (is_null and is_set(queries.spark, f"{legacy}.parseNullPartitionSpecAsStringLiteral")) or (
        kind == "string"
        and not (is_null or is_string)
        and is_set(queries.spark, f"{legacy}.keepPartitionSpecAsStringLiteral")
    ):
        as_text = text_of(given.text)
    return f"CAST({as_text} AS {kind})"


def _constant(queries: Queries, name: str, given: Statement, kind: str) -> Any:  # noqa: ANN401 - of the column's type
    """The value of a column in PARTITION, as Spark casts it.

    Raises:
        InvalidInputError: It cannot be cast.
    """
    query = f"SELECT ({given.text}\n) IS NULL, {_partition_value(queries, given, kind)}"
    # Spark raises for a value that the column cannot have, whatever the mode of the session.
    with changed_settings(queries.spark, {"spark.sql.ansi.enabled": "true"}):
        row = queries.spark.sql(query, queries.args).first()
    if row is None or (row[1] is None and not row[0]):
        raise InvalidInputError(f"INSERT: PARTITION ({name} = {given.text}): expected a value of type {kind}")
    return row[1]
