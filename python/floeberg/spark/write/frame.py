"""How is a DataFrame written to a table from the user's own process?

Tasks write files and send receipts. The commit is made here, so that its errors are Floeberg's own.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from floeberg import _native
from floeberg._arguments import checked_bool, checked_options
from floeberg._keywords import says_keywords
from floeberg.catalog import load_catalog
from floeberg.commit.static import StaticTableOperations
from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.expressions import ALWAYS_TRUE
from floeberg.lance import LanceTable
from floeberg.spark.options.catalog_names import catalog_to_create
from floeberg.spark.session.arrow_types import arrow_schema
from floeberg.spark.session.conf import changed_settings, is_set
from floeberg.spark.session.environment import check_pyspark
from floeberg.spark.session.names import named
from floeberg.spark.session.task_errors import own_errors
from floeberg.spark.session.tasks import run_tasks
from floeberg.spark.session.wap import wap_settings
from floeberg.spark.tables import open_named
from floeberg.spark.write.distribution import advised, distributed
from floeberg.spark.write.frame_reads import reads_of_frame
from floeberg.spark.write.input_columns import InputColumns
from floeberg.spark.write.new_schema import schema_of, without_lengths
from floeberg.spark.write.sent_table import SentTable
from floeberg.spark.write.target import LanceTarget, removed_after_errors
from floeberg.spark.write.task_files import AppendTask
from floeberg.table import Table
from floeberg.write import WriteRecipe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame

    from floeberg.catalog import Catalog
    from floeberg.commit.operations import OpenedTable
    from floeberg.commit.result import CommitResult
    from floeberg.commit.transaction import Transaction
    from floeberg.expressions import AnyFilter
    from floeberg.lance import LanceCommitResult
    from floeberg.spark.write.task_files import AnyReceipt, Appended
    from floeberg.types import Schema

__all__ = ["FrameWrite", "Mode", "commit_files", "create", "write"]

Mode = Literal["append", "overwrite", "dynamic", "create", "replace", "create_or_replace"]
"""What is done with the rows of a table when a DataFrame is written to it."""


@dataclass(frozen=True)
class FrameWrite:
    """How rows are written.

    Args:
        options: Table properties for this write alone.
        distribution_mode: `none`, `hash` or `range`; `None` is the property of the table.
        case_sensitive: Whether the case of names of columns counts.
    """

    options: Mapping[str, str] = field(default_factory=dict)
    distribution_mode: str | None = None
    case_sensitive: bool = False

    def files(self, table: Table, frame: DataFrame, recipe: WriteRecipe) -> list[Appended]:
        """Writes the rows to files, by tasks of Spark.

        Args:
            table: The table, with the columns and partitions that the rows are written for.
            frame: The rows.
            recipe: The recipe of the table.

        Raises:
            InvalidInputError: The rows do not fit. The error lists every mismatch. No task has run.
        """
        fields, frame = table.schema().fields, _of_strings(frame)
        columns = InputColumns.of(fields, frame.schema, case_sensitive=self.case_sensitive)
        recipe.check_schema(columns.schema(arrow_schema(frame.schema)))
        by_table = dict(zip(columns.names, frame.columns, strict=True))
        spread = distributed(frame, table, self.distribution_mode, by_table)
        with changed_settings(frame.sparkSession, advised(table, self.options)):
            found: list[Appended] = run_tasks(spread, AppendTask(recipe, columns, SentTable.of(table).id))
        return found


@own_errors()
@says_keywords
def write(  # noqa: PLR0913 - the parts of a write
    frame: DataFrame,
    table: str | Table | LanceTable,
    *,
    catalog: Catalog | str | None = None,
    mode: Mode = "append",
    overwrite_filter: AnyFilter = ALWAYS_TRUE,
    branch: str | None = None,
    idempotency_key: str | None = None,
    merge_schema: bool = False,
    partition_spec: Any = None,  # noqa: ANN401 - as `Catalog.create_table`
    sort_order: Any = None,  # noqa: ANN401 - as `Catalog.create_table`
    properties: Mapping[str, str] | None = None,
    snapshot_properties: Mapping[str, str] | None = None,
    isolation_level: str | None = None,
    distribution_mode: Literal["none", "hash", "range"] | None = None,
    options: Mapping[str, str] | None = None,
) -> CommitResult | Any:  # noqa: ANN401 - a union would need a check before each use
    """Writes a DataFrame to a table, in one commit that is made in this process.

    Columns are found by name, whatever their case and order. Tasks of Spark write the files. First Spark brings rows
    together as `write.distribution-mode` says: with `hash` the rows of a partition, with `range` rows in the order of
    partitions and of the sort order. So files have about `write.target-file-size-bytes`, and a task does not write a
    small file for every partition.

    A Lance table can be appended to, or overwritten whole. `branch`, `idempotency_key` and `isolation_level` mean the
    same there, and the other arguments are errors.

    If the write fails, files of tasks may stay. They are in no table.

    An overwrite is validated from the snapshot that is current when it begins. If the frame reads an older one of the
    branch, it is validated from that one, if that can be found out from Spark's plan or from the tasks that read it.

    Args:
        frame: The rows.
        table: The table's name in the catalog, a table directory or metadata file, or a table.
        catalog: The catalog, or its name in the configuration. By default, the configured default catalog.
        mode: `append` adds the rows. `overwrite` replaces those that match `overwrite_filter`, by default all.
            `dynamic` replaces the partitions that the new rows are in. `create`, `replace` and `create_or_replace` make
            the table, with the columns of the frame, and its rows in one commit.
        overwrite_filter: The rows that `overwrite` replaces: SQL text, or another filter.
        branch: The branch to write to. By default, `main` or the branch of an audit, `spark.wap.branch`, as
            `Table.transaction` says.
        idempotency_key: A key of this write: however often it is run, it happens once.
        merge_schema: Whether missing columns are added to the table, and columns that are too narrow promoted, in the
            same commit.
        partition_spec: The partitions of a new table, as `Catalog.create_table` takes them.
        sort_order: The sort order of a new table.
        properties: The properties of a new table.
        snapshot_properties: Entries of the snapshot's summary.
        isolation_level: For overwrites, `serializable` or `snapshot`.
        distribution_mode: Instead of the table's `write.distribution-mode`.
        options: Table properties for this write alone.

    Returns:
        What the commit did, or which earlier commit did it: a `CommitResult`, or a `LanceCommitResult`.

    Raises:
        InvalidInputError: The rows do not fit the table, or arguments contradict each other.
        NotFoundError: The table does not exist.
        TableAlreadyExistsError: The table that `create` makes exists.
        CommitConflictError: Another writer changed the rows that are replaced.
        NotInstalledError: PySpark or pandas is not installed.
    """
    check_pyspark()
    if mode not in get_args(Mode):
        raise InvalidInputError(f"mode: expected one of {', '.join(get_args(Mode))}, found {mode!r}")
    checked_bool("merge_schema", merge_schema)
    made_new = mode in {"create", "replace", "create_or_replace"}
    if not made_new and not (partition_spec is None and sort_order is None and properties is None):
        raise InvalidInputError(
            "partition_spec, sort_order and properties are for a table that the write makes"
        )
    if mode != "overwrite" and overwrite_filter is not ALWAYS_TRUE:
        raise InvalidInputError(f"overwrite_filter is for mode 'overwrite', and the mode is {mode!r}")
    how = FrameWrite(checked_options("options", options), distribution_mode)
    opened = None if made_new and not isinstance(table, LanceTable) else _opened(table, catalog)
    if isinstance(opened, LanceTable):
        refused = {
            "overwrite_filter": overwrite_filter is not ALWAYS_TRUE,
            "merge_schema": merge_schema,
            "properties": properties is not None or partition_spec is not None or sort_order is not None,
            "snapshot_properties": bool(snapshot_properties),
            "distribution_mode": distribution_mode is not None,
            "options": bool(options),
        }
        _check_lance([name for name, is_given in refused.items() if is_given], mode)
        target = LanceTarget.of(opened, branch, mode == "overwrite", isolation_level)
        return _append_to(target, frame, idempotency_key)
    if opened is None:
        if merge_schema or idempotency_key is not None or branch is not None or snapshot_properties:
            raise InvalidInputError(
                f"mode {mode!r} makes a table: leave out branch, idempotency_key, merge_schema and "
                "snapshot_properties"
            )
        return create(
            frame,
            cast("str | Table", table),
            catalog,
            mode,
            how,
            partition_spec=partition_spec,
            sort_order=sort_order,
            properties=properties,
        )
    audit = wap_settings(frame.sparkSession, opened)
    with opened._begin(  # noqa: SLF001 - the package's own
        audit, snapshot_properties=snapshot_properties, branch=branch, idempotency_key=idempotency_key
    ) as transaction:
        kind = "dynamic-overwrite" if mode == "dynamic" else mode
        isolation = {} if isolation_level is None else {"isolation-level": isolation_level}
        committed: dict[str, Any] = {"mode": kind, "overwrite_filter": overwrite_filter, "options": isolation}
        if transaction._is_done():  # noqa: SLF001 - the package's own
            transaction.commit_receipts([], **committed)
            return transaction.commit_transaction()
        if merge_schema:
            _merge_schema(transaction, opened, frame)
        return commit_files(transaction, frame, how, **committed)


def _of_strings(frame: DataFrame) -> DataFrame:
    """The rows, with strings instead of CHAR and VARCHAR."""
    limited = {each.name for each in frame.schema if "char(" in each.dataType.simpleString()}
    if not limited:
        return frame
    return frame.select(
        *(
            named(each.name).cast(without_lengths(each.dataType)).alias(each.name)
            if each.name in limited
            else named(each.name)
            for each in frame.schema
        )
    )


def _opened(table: str | Table | LanceTable, catalog: Catalog | str | None) -> Table | LanceTable:
    return table if isinstance(table, LanceTable) else open_named(table, catalog)


def commit_files(
    transaction: Transaction,
    frame: DataFrame,
    how: FrameWrite,
    **arguments: Any,  # noqa: ANN401 - those of `commit_receipts`
) -> CommitResult:
    """Writes files for a transaction, and commits it. After an error that is certain, the files are removed."""
    staged = transaction._staged()  # noqa: SLF001 - the package's own
    recipe = WriteRecipe(
        _native.WriteRecipe.of(staged, options=dict(how.options), write_id=str(uuid.uuid4()))
    )
    table = _as_table(staged)

    receipts: list[Any] = []
    with removed_after_errors(recipe, receipts):
        done = how.files(table, frame, recipe)
        receipts += [each.receipt for each in done if each.receipt is not None]
        read = _validated_from(table, frame, done, transaction._branch)  # noqa: SLF001 - the package's own
        transaction.commit_receipts(receipts, validate_from_snapshot_ids=read, **arguments)
        return transaction.commit_transaction()


def _check_lance(given: Sequence[str], mode: str) -> None:
    """Raises `UnsupportedError` for an argument, or a mode, that only tables of Iceberg have."""
    if given:
        raise UnsupportedError(f"{given[0]} is for tables of Iceberg, and this is a Lance table")
    if mode not in {"append", "overwrite"}:
        raise UnsupportedError(
            f"mode {mode!r} is for tables of Iceberg: append to a Lance table, overwrite it, or make it by "
            "floeberg.lance.create_table"
        )


def _append_to(target: LanceTarget, frame: DataFrame, key: str | None) -> LanceCommitResult:
    """Writes rows to a Lance table, as one version."""
    columns, recipe = target.prepared(frame.schema)
    if key is not None and target.find_commit(key) is not None:
        # No task runs.
        return target.commit([], key=key, reads=())

    receipts: list[AnyReceipt] = []
    with removed_after_errors(recipe, receipts):
        done: list[Appended] = run_tasks(frame, AppendTask(recipe, columns, target.sent.id))
        receipts += [each.receipt for each in done if each.receipt is not None]
        reads = [read for each in done for read in each.reads]
        return target.commit(receipts, key=key, reads=reads)


def _validated_from(
    table: Table, frame: DataFrame, done: Sequence[Appended], branch: str
) -> list[int | None]:
    """The snapshots of the branch that the rows were read from, as far as the plan of the frame or tasks say it."""
    reads = {read for each in done for read in each.reads}
    reads.update(reads_of_frame(frame, SentTable.of(table).id, table.location()))
    return sorted({read.snapshot_id for read in reads if read.branch == branch}, key=repr)


def create(  # noqa: PLR0913 - the parts of a table, and its rows
    frame: DataFrame,
    table: str | Table,
    catalog: Catalog | str | None,
    mode: str,
    how: FrameWrite,
    *,
    schema: Schema | None = None,
    **layout: Any,  # noqa: ANN401 - those of `create_table`
) -> CommitResult:
    """Makes a table with the rows of a frame, in one commit.

    Args:
        frame: The rows.
        table: The name of the table, or a table of a catalog that is replaced.
        catalog: The catalog, or its name.
        mode: `create`, `replace` or `create_or_replace`.
        how: How rows are written.
        schema: The columns of the table; those of the frame unless given.
        **layout: Other arguments of `Catalog.create_table`.
    """
    if isinstance(table, Table):
        raise InvalidInputError(f"mode {mode!r} makes a table: give its name, and the catalog")
    if catalog is None:
        place, table = catalog_to_create(table)
    else:
        place = load_catalog(catalog) if isinstance(catalog, str) else catalog
    case_sensitive = is_set(frame.sparkSession, "spark.sql.caseSensitive")
    columns = (
        schema_of(frame.schema, keeps_required=False, case_sensitive=case_sensitive)
        if schema is None
        else schema
    )
    exists = mode != "create" and place.table_exists(table)
    if mode == "replace" or exists:
        begun = place.replace_table_transaction(table, columns, **layout)
    else:
        begun = place.create_table_transaction(table, columns, **layout)
    with begun as transaction:
        return commit_files(transaction, frame, how, mode="append")


def _merge_schema(transaction: Transaction, table: Table, frame: DataFrame) -> None:
    """Adds the columns that the table lacks, and promotes those that are too narrow."""
    columns = InputColumns.of(table.schema().fields, frame.schema, case_sensitive=False)
    changes = _native.columns_to_add(table._inner, columns.schema(arrow_schema(frame.schema)))  # noqa: SLF001 - the package's own
    if changes is not None:
        transaction.change_columns(changes)


def _as_table(staged: OpenedTable) -> Table:
    return Table(staged, operations=StaticTableOperations("it is written by its transaction"))
