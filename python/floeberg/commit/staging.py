"""What does a transaction stage before its commit?

It writes files for the table that its operations make, and finds out whether an earlier commit with its key did the
work.

Invariant: files are removed with the transaction, unless a commit of them has begun.
"""

from __future__ import annotations

import os
import uuid
import weakref
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Final, Literal

from floeberg import _native
from floeberg._arguments import checked_bool, checked_options, checked_text
from floeberg.commit.changed_rows import ChangeRequest
from floeberg.commit.wap import WapSettings
from floeberg.errors import FloebergError, InvalidInputError, UnsupportedError
from floeberg.expressions import ALWAYS_TRUE
from floeberg.progress.reporting import Reporter
from floeberg.write.input_rows import converted_stream_errors, known_rows, reader_of
from floeberg.write.receipt import Receipt
from floeberg.write.recipe import WriteRecipe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from floeberg.commit.changed_rows import FoundChanges, RowChanges
    from floeberg.commit.operations import OpenedTable, TableOperations
    from floeberg.commit.result import CommitResult
    from floeberg.progress.report import ProgressCallback

__all__ = ["SchemaMode", "StagedOperations", "files_under_way", "remove_written"]

SchemaMode = Literal["merge"]
"""How columns that do not fit are handled: `merge` adds missing ones to the table, and promotes too narrow ones."""


@dataclass
class StagedChanges:
    """An operation that looks for its rows, as it was staged.

    Args:
        changes: The operation.
        options: Properties of its files.
        number: Which operation of the transaction it is.
        is_repeated: Whether it looks for its rows again after a conflict.
        found: What it changes.
    """

    changes: RowChanges
    options: dict[str, str]
    number: int
    is_repeated: bool
    found: FoundChanges | None = None


class StagedOperations:
    """The operations of a transaction, and the files that they have written."""

    def __init__(  # noqa: PLR0913 - all but the first two are keywords
        self,
        table_operations: TableOperations,
        starting: OpenedTable,
        *,
        become: Callable[[OpenedTable], None],
        snapshot_properties: Mapping[str, str] | None = None,
        branch: str | None = None,
        idempotency_key: str | None = None,
        stage_only: bool = False,
        wap: WapSettings | None = None,
        dry_run: bool = False,
        progress: ProgressCallback | bool | None = None,
    ) -> None:
        """Use `Table.transaction`."""
        self._table_operations = table_operations
        self._starting = self._current = starting
        self._tell_table = become
        target = (WapSettings() if wap is None else wap).target(
            starting.properties,
            branch=None if branch is None else checked_text("branch", branch),
            snapshot_properties=checked_options("snapshot_properties", snapshot_properties),
            stage_only=checked_bool("stage_only", stage_only),
        )
        self._properties = target.snapshot_properties
        self._branch = "main" if target.branch is None else target.branch
        self._key = None if idempotency_key is None else checked_text("idempotency_key", idempotency_key)
        self._stage_only = target.is_staged
        self._stages_all = stage_only
        """Whether the user asked for it, and it is no matter of audits, which are of rows."""
        if self._stage_only and self._key is not None:
            raise InvalidInputError(
                "stage_only or a wap.id, and idempotency_key exclude each other: keys are searched for in branches, "
                "and a staged snapshot is in none"
            )
        """Whether a snapshot is made even if no row changes: a key is found by it, and properties are in it."""
        self._operations: list[_native.Operation] = []
        self._declared: list[_native.Operation] = []
        self._validated_from: list[int | None] = []
        self._stands_on_start = False
        """Whether rows of an operation may be made of those that the table had when the transaction began."""
        self._begun_at = starting
        self._is_open = True
        self._known_done: bool | None = None
        self._files_are_new = True
        self._skipped: list[str] = []
        """The operations that were skipped, since an earlier commit has the key."""
        self._result: CommitResult | None = None
        self._written: list[tuple[WriteRecipe, Receipt]] = []
        self._added: list[_native.Receipt] = []
        """The files that its snapshots add, also those of workers."""
        self._begun = monotonic()
        self._dry_run = checked_bool("dry_run", dry_run)
        self._counted_rows = 0
        """The rows that a dry run would add."""
        self._reporter = Reporter(progress)
        self._changes: StagedChanges | None = None
        """The operation that looks for its rows, and does so again after a conflict."""
        self._check_base: Callable[[OpenedTable], None] = lambda _: None
        """Called with the table that an attempt of the commit is made on. What it raises ends the commit."""
        # A transaction that is dropped before its commit begins removes its files.
        self._files = weakref.finalize(self, remove_written, self._written, os.getpid())
        _BEGUN.add(self)

    @property
    def _leaves_record(self) -> bool:
        """Whether its commit is a snapshot even if no row changes: who asks for its key or properties finds them."""
        return self._key is not None or bool(self._properties)

    def change_columns(self, changes_json: str) -> None:
        """Makes the changes of an `UpdateSchema`."""
        self.change_structure([_native.Operation.update_schema(changes_json)])

    def change_structure(self, operations: Sequence[_native.Operation]) -> None:
        """Stages operations on metadata that files written next follow. One that cannot be made raises now."""
        self._check_open()
        self._operations += operations
        self._declared += operations
        try:
            self._staged()
        except BaseException:
            del self._operations[-len(operations) :], self._declared[-len(operations) :]
            raise

    def change_references(self, operations: Sequence[_native.Operation]) -> None:
        """Stages operations on branches, tags and statistics, which earlier operations may make possible."""
        self._check_open()
        self._operations += operations

    def _declare(self, operation: _native.Operation) -> None:
        self._check_open()
        self._operations.append(operation)
        self._declared.append(operation)

    def _make(self, operation: _native.Operation) -> None:
        """Stages an operation that writes no files, unless an earlier commit has the key."""
        if self._is_done():
            self._skipped.append(operation.name)
        else:
            self._operations.append(operation)

    def _change(self, changes: RowChanges, options: dict[str, str], *, is_repeated: bool) -> None:
        """Stages an operation that looks for its rows, unless an earlier commit has the key.

        Raises:
            UnsupportedError: An earlier operation of the transaction changes rows.
        """
        self._check_open()
        if len(self._operations) > len(self._declared) or self._changes is not None:
            raise UnsupportedError(
                f"the {changes.command} of a transaction comes before its other operations on rows, and there is one: "
                "commit what was before it"
            )
        if self._is_done():
            self._skipped.append(changes.command)
            return
        staged = StagedChanges(changes, options, len(self._operations), is_repeated=is_repeated)
        if is_repeated:
            self._begin_at(self._table_operations.load(self._starting))
        self._find(staged)

    def _head_of(self, table: OpenedTable) -> int | None:
        """The snapshot of a table that the branch begins at."""
        request = ChangeRequest(table, self._branch, {}, True, self._reporter)
        return request.scan(ALWAYS_TRUE.as_tree()).snapshot_id

    def _find(self, staged: StagedChanges) -> None:
        """Looks for the rows of an operation, and stages what changes them."""
        request = ChangeRequest(self._staged(), self._branch, staged.options, self._dry_run, self._reporter)
        found = staged.changes.find(request)
        self._changes, staged.found = staged, found
        if not self._dry_run:
            self._written.append(found.written)
            self._added.append(found.written[1].native())
            self._tell_written()
        self._counted_rows = found.updated_rows + found.inserted_rows
        self._operations.insert(staged.number, found.operation)

    def _find_again(self) -> bool:
        """Looks for the rows again on the current table. `False` where they may have another meaning there."""
        staged = self._changes
        if staged is None or not staged.is_repeated or staged.found is None:
            return False
        before = self._starting
        if not self._begin_at(self._table_operations.load(before)):
            return False
        found, staged.found = staged.found, None
        del self._operations[staged.number]
        self._written.remove(found.written)
        self._added.remove(found.written[1].native())
        self._tell_written()
        remove_written([found.written])
        try:
            self._find(staged)
        except InvalidInputError:
            if before.means_the_same_in(self._starting, branch=self._branch):
                raise
            # With the columns that another writer added, names may mean several columns.
            return False
        return True

    def _begin_at(self, current: OpenedTable) -> bool:
        """Begins at a newer state of the table, where columns and the branch are as they were.

        Columns may have been added, unless the transaction changes columns itself.
        """
        self._starting.check_same_table(current)
        is_alike = self._starting.means_the_same_in(
            current, branch=self._branch, with_new_columns=not self._declared
        )
        if is_alike:
            self._starting = current
        return is_alike

    def _write(
        self, operation: str, data: object, schema_mode: SchemaMode | None, options: dict[str, str]
    ) -> Receipt | None:
        """Writes rows to files; `None` where an earlier commit has the key."""
        self._check_open()
        reader = reader_of(data, lambda: self._recipe({}).arrow_schema())
        if schema_mode not in (None, "merge"):
            raise InvalidInputError(f"schema_mode: expected 'merge' or None, found {schema_mode!r}")
        if self._is_done():
            self._skipped.append(operation)
            return None
        changes = _native.columns_to_add(self._staged(), reader.schema) if schema_mode == "merge" else None
        self._reporter.expect(known_rows(data))
        with converted_stream_errors(data):
            if self._dry_run:
                reader = self._reporter.counted(reader)
                return self._count_rows(reader, options, fits=changes is not None)
            if changes is None:
                return self._write_files(reader, options)
            self.change_columns(changes)
            with self._taken_back():
                return self._write_files(reader, options)

    def _count_rows(self, reader: pa.RecordBatchReader, options: dict[str, str], *, fits: bool) -> Receipt:
        """Counts rows that a dry run would write. Their schema is checked, their values are not."""
        recipe = self._recipe(options)
        if not fits:
            recipe.check_schema(reader.schema)
        self._counted_rows += sum(batch.num_rows for batch in reader)
        return Receipt.concat([])

    def _write_files(self, reader: pa.RecordBatchReader, options: dict[str, str]) -> Receipt:
        recipe = self._recipe(options)
        receipt = recipe.write_reported(reader, self._reporter.writing)
        self._written.append((recipe, receipt))
        self._added.append(receipt.native())
        self._tell_written()
        return receipt

    def _tell_written(self) -> None:
        """Tells the reporter how much was written so far."""
        self._reporter.wrote(sum(map(len, self._added)), sum(each.rows for each in self._added))

    def _recipe(self, options: dict[str, str]) -> WriteRecipe:
        return WriteRecipe(
            _native.WriteRecipe.of(self._staged(), options=options, write_id=str(uuid.uuid4()))
        )

    @contextmanager
    def _taken_back(self) -> Iterator[None]:
        """Drops the last declared operation where the block raises."""
        try:
            yield
        except BaseException:
            del self._operations[-1], self._declared[-1]
            raise

    def _staged(self) -> OpenedTable:
        """The table after the operations so far, as far as writing files depends on it."""
        if not self._declared:
            return self._starting
        return _native.Commit.table_after(self._declared, self._starting, self._branch)

    def _is_done(self) -> bool:
        """Whether an earlier commit on the branch has the key."""
        if self._key is None:
            return False
        if self._known_done is None:
            current = self._table_operations.load(self._starting)
            self._starting.check_same_table(current)
            found = current.find_commit(self._key, branch=self._branch, operations=None)
            self._known_done = found is not None
            if self._known_done:
                self._become(current)
        return self._known_done

    def _become(self, table: OpenedTable) -> None:
        """Hands the new state to the table object."""
        self._current = table
        self._tell_table(table)

    def _check_open(self) -> None:
        if not self._is_open:
            raise InvalidInputError("the transaction has ended: begin another one")


_BEGUN: Final[weakref.WeakSet[StagedOperations]] = weakref.WeakSet()
"""The transactions of this process, as long as somebody has them."""


def files_under_way() -> set[str]:
    """The files, in one spelling, that open transactions of this process have written."""
    return {
        _native.canonical_location(location)
        for each in list(_BEGUN)
        if each._is_open  # noqa: SLF001 - its own module
        for _, receipt in list(each._written)  # noqa: SLF001 - the same
        for location in receipt.locations()
    }


def remove_written(written: list[tuple[WriteRecipe, Receipt]], process: int | None = None) -> None:
    """Removes written files. A file that stays harms nobody.

    Args:
        written: The files, and their recipes.
        process: The process that wrote them. A fork has a copy of the transaction, and must not remove its files.
    """
    if process not in (None, os.getpid()):
        return
    for recipe, receipt in written:
        with suppress(FloebergError):
            recipe.remove(receipt)
