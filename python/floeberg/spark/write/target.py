"""What is a table to Spark's writers, whichever format it has?

A target says how rows become files of the table, whether a commit was made before, and how receipts become a commit.
What writes asks nothing else of a table.

Invariant: an option that the format lacks is an error before a task runs.
"""

from __future__ import annotations

import uuid
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, cast

from floeberg import _native
from floeberg.errors import (
    AlreadyExistsError,
    CommitStateUnknownError,
    FloebergError,
    InvalidInputError,
    UnsupportedError,
)
from floeberg.expressions import ALWAYS_TRUE
from floeberg.lance import LanceReceipt, LanceTable
from floeberg.spark.options.lance_version import lance_at
from floeberg.spark.read.branch_reads import FramesRead, frames_read
from floeberg.spark.session.arrow_types import arrow_schema
from floeberg.spark.write.input_columns import InputColumns
from floeberg.spark.write.sent_table import SentTable
from floeberg.write import Receipt

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyspark.sql.types import StructType

    from floeberg.commit.result import CommitResult
    from floeberg.commit.row_operations import WriteMode
    from floeberg.lance import LanceCommitResult, LanceWriteRecipe
    from floeberg.spark.read.branch_reads import BranchRead
    from floeberg.spark.write.options import WriteOptions
    from floeberg.spark.write.task_files import AnyReceipt, AnyRecipe
    from floeberg.table import Table
    from floeberg.write import WriteRecipe
    from floeberg.write.row_delta import RowDeltaRecipe

__all__ = [
    "AnyCommitResult",
    "IcebergTarget",
    "LanceTarget",
    "WriteTarget",
    "remove_files",
    "removed_after_errors",
    "write_target",
]

AnyCommitResult: TypeAlias = "CommitResult | LanceCommitResult"


class WriteTarget(Protocol):
    """A table of any format that rows are written to, as it was when the write began."""

    @property
    def sent(self) -> SentTable:
        """The table, which tasks do not open."""
        ...

    @property
    def overwrites(self) -> bool:
        """Whether rows are replaced."""
        ...

    def prepared(self, schema: StructType) -> tuple[InputColumns, AnyRecipe]:
        """How rows of a schema become those of the table, and how tasks write them.

        Raises:
            InvalidInputError: The rows do not fit the table. The error lists every mismatch.
            UnsupportedError: The table cannot be written where it was opened.
        """
        ...

    def find_commit(self, key: str, *, newest: bool = False) -> int | None:
        """The snapshot or version that an earlier commit with this key made; `None` if there was no such commit.

        Args:
            key: The idempotency key.
            newest: Whether commits since the write began are looked at too.
        """
        ...

    def commit(
        self, receipts: Sequence[AnyReceipt], *, key: str | None, reads: Sequence[BranchRead]
    ) -> AnyCommitResult | None:
        """Makes files part of the table, all at once, and once.

        Args:
            receipts: The receipts of the tasks that ended.
            key: The idempotency key.
            reads: What the tasks' query read of the table, which an overwrite is validated from.

        Returns:
            What the commit did; `None` where there was nothing to do.
        """
        ...


def write_target(
    table: Table | LanceTable, options: WriteOptions, schema: StructType, *, overwrite: bool
) -> WriteTarget:
    """The target of a write of the data source.

    Args:
        table: The table.
        options: The options of the write.
        schema: The columns of the DataFrame.
        overwrite: Whether rows are replaced.

    Raises:
        InvalidInputError: An option is for overwrites, and the write appends.
        UnsupportedError: The table cannot be written, or lacks what an option asks for.
    """
    if not overwrite and options.overwrite_options:
        raise InvalidInputError(
            f"the option {options.overwrite_options[0]!r} is for overwrites, and this write appends: remove the "
            "option, or write with mode('overwrite')"
        )
    if isinstance(table, LanceTable):
        _check_lance_options(options)
        return LanceTarget.of(
            table,
            options.branch,
            overwrite,
            options.isolation_level,
            options.validate_from_version,
            options.case_sensitive,
        )
    if options.validate_from_version is not None:
        raise InvalidInputError(
            "the option 'validate-from-version' is for Lance tables: use 'validate-from-snapshot-id'"
        )
    sent = SentTable.of(table)
    frames = frames_read(sent.id, schema) if overwrite else FramesRead()
    return IcebergTarget.of(sent, options, overwrites=overwrite, frames=frames)


@dataclass(frozen=True)
class IcebergTarget:
    """A table of Iceberg that rows are written to.

    Args:
        sent: The table when the write began. Overwrites are validated from this state.
        options: The options of the write.
        overwrites: Whether rows are replaced.
        frames: What the query reads of the table, as far as its columns and the driver say it.
    """

    sent: SentTable
    options: WriteOptions
    overwrites: bool
    frames: FramesRead = field(default_factory=FramesRead)

    @classmethod
    def of(
        cls, sent: SentTable, options: WriteOptions, *, overwrites: bool, frames: FramesRead | None = None
    ) -> IcebergTarget:
        """The target of a write that is published when it is committed.

        Raises:
            UnsupportedError: It is to be staged: a repeated job would not find what it did.
        """
        table = cast("Table", sent.open())
        target = table._wap.target(  # noqa: SLF001 - the package's own
            table.properties,
            branch=options.branch,
            snapshot_properties=options.snapshot_properties,
            stage_only=False,
        )
        if target.is_staged:
            raise UnsupportedError(
                "the data source cannot stage a write with a wap.id: write with floeberg.spark.write, or to a branch"
            )
        return cls(sent, options, overwrites, FramesRead() if frames is None else frames)

    @property
    def table(self) -> Table:
        """The table."""
        return cast("Table", self.sent.open())

    @property
    def branch(self) -> str:
        """The branch that is written to."""
        return self.table._branch_to_write(self.options.branch)  # noqa: SLF001 - the package's own

    @property
    def _mode(self) -> WriteMode:
        if not self.overwrites:
            return "append"
        return "dynamic-overwrite" if self.options.overwrite == "dynamic" else "overwrite"

    def prepared(self, schema: StructType) -> tuple[InputColumns, WriteRecipe]:
        """How rows become those of the table: see `WriteTarget`. With `merge-schema` columns are added."""
        table, options = self.table, self.options
        columns = InputColumns.of(table.schema().fields, schema, case_sensitive=options.case_sensitive)
        rows = columns.schema(arrow_schema(schema))
        if options.merge_schema:
            changes = _native.columns_to_add(table._inner, rows)  # noqa: SLF001 - the package's own
            if changes is not None:
                with table.transaction() as transaction:
                    transaction.change_columns(changes)
        recipe = table.write_recipe(options=dict(options.properties), write_id=str(uuid.uuid4()))
        # A mismatch is raised once here, and not by every task.
        recipe.check_schema(rows)
        return columns, recipe

    def find_commit(self, key: str, *, newest: bool = False) -> int | None:
        """The snapshot of an earlier commit: see `WriteTarget`."""
        table = self.table.refresh() if newest else self.table
        replaces = "dynamic overwrite" if self.options.overwrite == "dynamic" else "overwrite"
        operations = [replaces if self.overwrites else "append"]
        branch = table._branch_to_write(self.options.branch)  # noqa: SLF001 - the package's own
        return table._inner.find_commit(key, branch=branch, operations=operations)  # noqa: SLF001 - the same

    def commit(
        self,
        receipts: Sequence[AnyReceipt],
        *,
        key: str | None,
        reads: Sequence[BranchRead],
        snapshot_properties: Mapping[str, str] | None = None,
    ) -> CommitResult | None:
        """Makes files part of the table: see `WriteTarget`. An append that changes nothing makes no snapshot.

        Args:
            receipts: The receipts of the tasks that ended.
            key: The idempotency key.
            reads: What the tasks' query read of the table.
            snapshot_properties: Entries of the snapshot's summary, beside those of the options.
        """
        options, own = self.options, [each for each in receipts if isinstance(each, Receipt)]
        properties = {**options.snapshot_properties, **(snapshot_properties or {})}
        # A snapshot without rows is for its properties, or for a key that the user gave.
        is_wanted = options.idempotency_key is not None or bool(properties)
        if not (self.overwrites or is_wanted or any(each.rows for each in own)):
            return None
        branch = self.branch
        return self.table.commit_receipts(
            own,
            mode=self._mode,
            overwrite_filter=ALWAYS_TRUE if options.overwrite_filter is None else options.overwrite_filter,
            case_sensitive=options.case_sensitive,
            snapshot_properties=properties,
            branch=branch,
            idempotency_key=key,
            validate_from_snapshot_ids=self._validated_from(reads, branch),
            options={} if options.isolation_level is None else {"isolation-level": options.isolation_level},
        )

    def _validated_from(self, reads: Sequence[BranchRead], branch: str) -> list[int | None]:
        """The snapshots that an overwrite is validated from, in addition to the one when it began."""
        given = self.options.validate_from
        # What was read may be guessed only where nothing says it.
        guessed = self.frames.reads if self.frames.is_certain or not (reads or given is not None) else ()
        found = {read.snapshot_id for read in (*reads, *guessed) if read.branch == branch}
        if given is not None:
            found.add(given)
        return sorted(found, key=repr)


@dataclass(frozen=True)
class LanceTarget:
    """A Lance table that rows are written to. Workers need pylance, the driver does not.

    Args:
        sent: The table when the write began. Overwrites are validated from this version.
        overwrites: Whether all rows are replaced.
        isolation_level: Of an overwrite; `None` is `serializable`.
        validate_from_version: The version that the rows were made from; `None` is the newest.
        case_sensitive: Whether the case of names of columns counts.
    """

    sent: SentTable
    overwrites: bool
    isolation_level: Literal["serializable", "snapshot"] | None = None
    validate_from_version: int | None = None
    case_sensitive: bool = False

    @classmethod
    def of(cls, table: LanceTable, branch: str | None, *how: Any) -> LanceTarget:  # noqa: ANN401 - of the class
        """The target of a write to a branch of a table; `None` is that of the table."""
        is_own = branch == (table.branch or "main")
        return cls(SentTable.of(lance_at(table, branch=None if is_own else branch)), *how)

    @property
    def _table(self) -> LanceTable:
        return cast("LanceTable", self.sent.open())

    @property
    def _mode(self) -> Literal["append", "overwrite"]:
        return "overwrite" if self.overwrites else "append"

    def prepared(self, schema: StructType) -> tuple[InputColumns, LanceWriteRecipe]:
        """How rows become those of the table: see `WriteTarget`. The recipe casts values, where none changes."""
        recipe = self._table.write_recipe()
        names = dict.fromkeys(recipe.arrow_schema().names)
        columns = InputColumns.of_names(names, schema, case_sensitive=self.case_sensitive)
        recipe.check_schema(columns.schema(arrow_schema(schema)))
        return columns, recipe

    def find_commit(self, key: str, *, newest: bool = False) -> int | None:
        """The version of an earlier commit: see `WriteTarget`."""
        table = self._table.refresh() if newest else self._table
        return table.find_commit(key, mode=self._mode)

    def commit(
        self, receipts: Sequence[AnyReceipt], *, key: str | None, reads: Sequence[BranchRead]
    ) -> LanceCommitResult:
        """Makes files one version: see `WriteTarget`."""
        versions = [read.snapshot_id for read in reads if self.overwrites and read.snapshot_id is not None]
        if self.validate_from_version is not None:
            versions.append(self.validate_from_version)
        return self._table.commit_receipts(
            [each for each in receipts if isinstance(each, LanceReceipt)],
            mode=self._mode,
            isolation_level=self.isolation_level or "serializable",
            validate_from_version=min(versions, default=None),
            idempotency_key=key,
        )


@contextmanager
def removed_after_errors(recipe: AnyRecipe | RowDeltaRecipe, receipts: Sequence[Any]) -> Iterator[None]:
    """Removes files after an error in the block that is certain: no commit has them.

    Args:
        recipe: The recipe of the files.
        receipts: Their receipts. The block adds to them.
    """
    try:
        yield
    except (CommitStateUnknownError, AlreadyExistsError):
        # The table has the files, or may have them.
        raise
    except FloebergError:
        remove_files(recipe, receipts)
        raise


def remove_files(recipe: AnyRecipe | RowDeltaRecipe, receipts: Sequence[Any]) -> None:
    """Removes files that no commit has. A file that stays harms nobody: its error must not hide another one."""
    for each in receipts:
        with suppress(FloebergError):
            recipe.remove(each)


def _check_lance_options(options: WriteOptions) -> None:
    """Raises `UnsupportedError` for an option that only tables of Iceberg have."""
    given = {
        "overwrite-mode": options.overwrite != "full",
        "merge-schema": options.merge_schema,
        "validate-from-snapshot-id": options.validate_from is not None,
        "snapshot-property.*": bool(options.snapshot_properties),
        **{f"properties ({name})": True for name in options.properties},
    }
    refused = [name for name, is_given in given.items() if is_given]
    if refused:
        raise UnsupportedError(
            f"the option {refused[0]!r} is for tables of Iceberg, and this is a Lance table"
        )
    if options.locator.relocate:
        raise UnsupportedError("a table that was opened with relocate cannot be written")
