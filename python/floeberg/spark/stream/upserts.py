"""How are the batches of a stream upserted, each once?

`foreachBatch` calls a function with the rows of a batch and its number, again with the same rows where the query was
stopped before it noted the batch as done. The commit of a batch records both, as that of a stream's own writer.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg._arguments import checked_names, checked_text
from floeberg._keywords import says_keywords
from floeberg.commit.retries import Retries, RetryBudget
from floeberg.errors import CommitConflictError, InvalidInputError, UnsupportedError
from floeberg.expressions import ALWAYS_TRUE
from floeberg.lance import LanceTable
from floeberg.spark.session.environment import check_pyspark, is_connect
from floeberg.spark.session.names import named, quoted
from floeberg.spark.session.task_errors import own_errors
from floeberg.spark.session.wap import under_wap
from floeberg.spark.stream.batches import QUERY, StreamBatch
from floeberg.spark.tables import open_named
from floeberg.spark.write.row_changes import RowChange, keeps_row_ids
from floeberg.spark.write.tasks import INSERTED, PLACES, UPDATED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import DataFrame

    from floeberg.catalog import Catalog
    from floeberg.table import Table

__all__ = ["upsert_batches"]

_KEY, _RANK = "floeberg_key", "floeberg_rank"


@says_keywords
def upsert_batches(  # noqa: PLR0913 - the parts of a write
    table: str | Table,
    join_cols: Sequence[str],
    *,
    catalog: Catalog | str | None = None,
    branch: str | None = None,
    order_by: Sequence[str] = (),
    query_id: str | None = None,
) -> Callable[[DataFrame, int], None]:
    """Makes a function for `foreachBatch` that upserts the rows of each batch, each batch once.

    A row whose key is in the table replaces all columns of that row. Other rows are inserted. Each batch is one commit,
    which records the query and the number of the batch. A batch that runs again after a restart, because the query was
    stopped before it noted the batch as done, changes nothing. Conflicts with other writers are tried again.

    Args:
        table: The table's name in the catalog, a table directory or metadata file, or a table.
        join_cols: The columns that identify a row.
        catalog: The catalog, or its name in the configuration. By default, the configured default catalog.
        branch: The branch to write to. By default, `main` or the branch of an audit, `spark.wap.branch`, as
            `floeberg.spark.write` says.
        order_by: The columns by which the last row of a key in a batch is found. Without them, a key that is twice in a
            batch is an error.
        query_id: An id of the query that stays the same over restarts, and is another one for a new checkpoint, whose
            batches count from 0 again. By default, Spark's own, which a session of Spark Connect does not tell.

    Returns:
        The function.

    Raises:
        InvalidInputError: An argument is not what is expected.
        NotInstalledError: PySpark is not installed.
    """
    check_pyspark()
    keys = checked_names("join_cols", join_cols)
    if not keys:
        raise InvalidInputError("join_cols: expected the columns that identify a row, found none")
    return _UpsertBatches(
        table,
        tuple(keys),
        catalog,
        None if branch is None else checked_text("branch", branch),
        tuple(checked_names("order_by", order_by)),
        None if query_id is None else checked_text("query_id", query_id),
    )


@dataclass(frozen=True, repr=False)
class _UpsertBatches:
    """A function for `foreachBatch`. Use `floeberg.spark.upsert_batches`."""

    table: str | Table
    join_cols: tuple[str, ...]
    catalog: Catalog | str | None
    branch: str | None
    order_by: tuple[str, ...]
    query_id: str | None

    @own_errors()
    def __call__(self, frame: DataFrame, number: int) -> None:
        """Upserts the rows of a batch.

        Args:
            frame: The rows.
            number: The number of the batch.

        Raises:
            InvalidInputError: The rows do not fit the table, a key is null, or it is twice in the batch.
            CommitConflictError: Another writer changed the rows, at every attempt.
            UnsupportedError: Spark does not tell the id of the query, the session stages writes of the table, or it is
                a Lance table.
        """
        query, table = self._query(frame), open_named(self.table, self.catalog)
        budget = RetryBudget.of(lambda: Retries.of(table.properties))
        for done in itertools.count():
            if done:
                table = open_named(self.table, self.catalog)
            if isinstance(table, LanceTable):
                raise UnsupportedError(
                    f"{table.location} is a Lance table, and batches of streams are upserted into tables of Iceberg"
                )
            if done or not isinstance(self.table, str):
                table.refresh()
            table = under_wap(frame.sparkSession, table)
            batch = StreamBatch(query, number, self._target(table))
            if batch.is_done(table):
                return
            try:
                with budget.shared():
                    self._upsert(table, frame, batch)
            except CommitConflictError as conflict:
                if not budget.allows_retry(conflict):
                    raise
                budget.wait()
            else:
                return

    def _target(self, table: Table) -> str:
        """The branch that is written to.

        Raises:
            UnsupportedError: The session stages writes of the table.
        """
        target = table._wap.target(  # noqa: SLF001 - the package's own
            table.properties, branch=self.branch, snapshot_properties={}, stage_only=False
        )
        if target.is_staged:
            raise UnsupportedError(
                "batches of a stream cannot be staged with a wap.id, since one that runs again would not be found: "
                "unset it, or write to a branch"
            )
        return "main" if target.branch is None else target.branch

    def _query(self, frame: DataFrame) -> str:
        if self.query_id is not None:
            return self.query_id
        spark = frame.sparkSession
        found = None if is_connect(spark) else spark.sparkContext.getLocalProperty(QUERY)
        if not found:
            raise UnsupportedError(
                "Spark does not tell the id of the query here: pass query_id, an id that stays the same over restarts"
            )
        return str(found)

    def _upsert(self, table: Table, frame: DataFrame, batch: StreamBatch) -> None:
        from pyspark.sql import functions as F  # noqa: N812, PLC0415 - importing floeberg.spark imports nothing large

        source = self._source(table, frame)
        names = [field.name for field in table.schema().fields]
        lineage = ("_row_id",) if keeps_row_ids(table) else ()
        scan = table.scan(selected_fields=(*self.join_cols, "_file", "_pos", *lineage))
        if batch.branch in table.refs():
            scan = scan.use_ref(batch.branch)
        target = scan.to_spark(frame.sparkSession)
        ours = target.select(
            *(named(name).alias(f"{_KEY}_{at}") for at, name in enumerate(self.join_cols)),
            *(F.col(name) for name in ("_file", "_pos", *lineage)),
        )
        equal = [named(name) == F.col(f"{_KEY}_{at}") for at, name in enumerate(self.join_cols)]
        condition = equal[0]
        for each in equal[1:]:
            condition &= each
        joined = source.join(ours, condition, "left")
        row_id = F.col("_row_id") if lineage else F.lit(None).cast("bigint")
        done = F.when(F.col("_file").isNull(), F.lit(INSERTED)).otherwise(F.lit(UPDATED))
        # All rows with a place are in one task.
        place = F.coalesce(F.col("_file"), F.hash(*(quoted(name) for name in self.join_cols)).cast("string"))
        chosen = joined.repartition(place).select(
            done.alias(PLACES[0]),
            F.col("_file").alias(PLACES[1]),
            F.col("_pos").alias(PLACES[2]),
            row_id.alias(PLACES[3]),
            *(named(name) for name in names),
        )
        RowChange(
            table,
            "merge",
            batch.branch,
            scan.snapshot_id,
            conflict_filter=ALWAYS_TRUE,
            explain_twice=lambda file, position: f"row {position} of {file}",
            idempotency_key=batch.key,
            snapshot_properties=batch.properties,
        ).run(frame.sparkSession, chosen)

    def _source(self, table: Table, frame: DataFrame) -> DataFrame:
        """The rows of a batch with the names of the table, one for each key."""
        from pyspark.sql import Window  # noqa: PLC0415 - the same
        from pyspark.sql import functions as F  # noqa: N812, PLC0415

        names = [field.name for field in table.schema().fields]
        by_folded = {name.lower(): name for name in frame.columns}
        lacking = [name for name in names if name.lower() not in by_folded]
        others = sorted(set(by_folded) - {name.lower() for name in (*names, *self.order_by)})
        unknown = [name for name in self.join_cols if name not in names]
        if lacking or others or unknown or len(by_folded) < len(frame.columns):
            raise InvalidInputError(
                f"the rows of a batch need the columns of the table once each, and those of order_by: found "
                f"{', '.join(map(repr, frame.columns))}, expected {', '.join(map(repr, names))}"
                + (f"; the table has no key {unknown[0]!r}" if unknown else "")
            )
        keys = [named(by_folded[name.lower()]) for name in self.join_cols]
        same = Window.partitionBy(*keys)
        if self.order_by:
            last = [named(name).desc_nulls_last() for name in self.order_by]
            ranked = frame.withColumn(_RANK, F.row_number().over(same.orderBy(*last)))
            message = None
        else:
            ranked = frame.withColumn(_RANK, F.count(F.lit(1)).over(same).cast("int"))
            message = F.concat(
                F.lit("a key is twice in the batch, and order_by does not say which row is the last: "),
                F.to_json(F.struct(*keys)),
            )
        kept = ranked.where(F.col(_RANK) == 1) if message is None else ranked
        checks = F.lit(True)
        for name, key in zip(self.join_cols, keys, strict=True):
            checks = F.when(
                key.isNull(), F.raise_error(F.lit(f"the key {name!r} is null in the batch"))
            ).otherwise(checks)
        if message is not None:
            checks = F.when(F.col(_RANK) > 1, F.raise_error(message)).otherwise(checks)
        checked = kept.where(checks)
        return checked.select(*(named(by_folded[name.lower()]).alias(name) for name in names))

    def __repr__(self) -> str:
        name = self.table if isinstance(self.table, str) else self.table.location()
        return f"upsert_batches({name!r}, join_cols={list(self.join_cols)!r})"
