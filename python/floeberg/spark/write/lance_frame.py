"""How is a DataFrame written to a Lance table from the user's own process?

Tasks write files and send receipts. The commit is made here, so that its errors are Floeberg's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

from floeberg.errors import AlreadyExistsError, CommitStateUnknownError, FloebergError, UnsupportedError
from floeberg.spark.read.branch_reads import recorded_reads
from floeberg.spark.session.tasks import run_tasks
from floeberg.spark.session.worker_pickle import pickle_call
from floeberg.spark.write.lance_columns import LanceColumns
from floeberg.table import open_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from floeberg.lance import LanceCommitResult, LanceReceipt, LanceTable, LanceWriteRecipe

__all__ = ["FragmentTask", "Fragments", "write_lance"]


@dataclass(frozen=True)
class Fragments:
    """What a task that writes rows did.

    Args:
        receipt: Its files; `None` where there were no rows.
        versions: The versions of the table that its query read.
    """

    receipt: LanceReceipt | None
    versions: tuple[int, ...]


@dataclass(frozen=True)
class FragmentTask:
    """Writes rows to data files of a Lance table.

    Args:
        recipe: How.
        columns: The table's names of the frame's columns.
        folder: The folder of the table or of its branch.
    """

    recipe: LanceWriteRecipe
    columns: LanceColumns
    folder: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Fragments:
        """Writes the rows of a task. Where it fails it leaves no file."""
        first, receipt = next((batch for batch in batches if batch.num_rows), None), None
        if first is not None:
            receipt = self.recipe.write(self.columns.reader(first.schema, chain((first,), batches)))
        # It is asked after the last row, since reading goes on until then.
        reads = recorded_reads(self.folder)
        return Fragments(receipt, tuple(each.snapshot_id for each in reads if each.snapshot_id is not None))

    def __reduce__(self) -> tuple[Any, ...]:
        return pickle_call(__name__, "FragmentTask", self.recipe, self.columns, self.folder)


def write_lance(  # noqa: PLR0913 - the parts of a write
    frame: DataFrame,
    table: LanceTable,
    *,
    mode: str,
    branch: str | None,
    idempotency_key: str | None,
    isolation_level: str | None,
    refused: Mapping[str, bool],
) -> LanceCommitResult:
    """Writes a DataFrame to a Lance table, as one version.

    Args:
        frame: The rows.
        table: The table.
        mode: `append` or `overwrite`.
        branch: The branch; `None` is that of the table.
        idempotency_key: The key of the commit.
        isolation_level: Of an overwrite.
        refused: Arguments for tables of Iceberg, and whether they were given.

    Raises:
        UnsupportedError: An argument is for tables of Iceberg.
    """
    from floeberg.spark.write.writer import arrow_schema  # noqa: PLC0415 - it imports PySpark

    given = [name for name, is_given in refused.items() if is_given]
    if given:
        raise UnsupportedError(f"{given[0]} is for tables of Iceberg, and this is a Lance table")
    if mode not in {"append", "overwrite"}:
        raise UnsupportedError(
            f"mode {mode!r} is for tables of Iceberg: append to a Lance table, overwrite it, or make it by "
            "floeberg.lance.create_table"
        )
    if branch is not None and branch != (table.branch or "main"):
        table = open_table(
            table.location,
            format="lance",
            storage_options=table._inner.storage_options,  # noqa: SLF001 - the package's own
            branch=None if branch == "main" else branch,
            manifest_store=table._manifest_store,  # noqa: SLF001 - the same
        )
    recipe = table.write_recipe()
    columns = LanceColumns.of(recipe.arrow_schema().names, frame.columns, case_sensitive=False)
    recipe.check_schema(columns.schema(arrow_schema(frame.schema)))
    kind: Literal["append", "overwrite"] = "append" if mode == "append" else "overwrite"
    committed: dict[str, Any] = {
        "mode": kind,
        "isolation_level": isolation_level or "serializable",
        "idempotency_key": idempotency_key,
    }
    if idempotency_key is not None and table.find_commit(idempotency_key, mode=kind) is not None:
        # No task runs.
        return table.commit_receipts([], **committed)
    receipts: list[LanceReceipt] = []
    task = FragmentTask(recipe, columns, table._inner.folder)  # noqa: SLF001 - the same
    try:
        done: list[Fragments] = run_tasks(frame, task)
        receipts = [each.receipt for each in done if each.receipt is not None]
        versions = [version for each in done for version in each.versions]
        validate_from_version = min(versions) if versions and kind == "overwrite" else None
        return table.commit_receipts(receipts, validate_from_version=validate_from_version, **committed)
    except (CommitStateUnknownError, AlreadyExistsError):
        # The table has the files, or may have them.
        raise
    except FloebergError:
        for each in receipts:
            recipe.remove(each)
        raise
