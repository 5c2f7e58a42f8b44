"""How do several operations on a table become one commit?"""

from __future__ import annotations

import os
import uuid
import weakref
from collections.abc import Iterable
from contextlib import contextmanager, suppress
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Literal

from floeberg import _native
from floeberg._arguments import (
    checked_bool,
    checked_int,
    checked_names,
    checked_options,
    checked_properties,
    checked_text,
)
from floeberg._pyiceberg_names import SpelledLikePyIceberg
from floeberg._table_properties import warn_of_misspelt
from floeberg.commit.loop import commit
from floeberg.commit.result import CommitResult
from floeberg.commit.update_schema import UpdateSchema
from floeberg.errors import CommitStateUnknownError, FloebergError, InvalidInputError
from floeberg.expressions import AnyFilter, as_expression
from floeberg.write.input_rows import reader_of, told_as_input
from floeberg.write.recipe import Receipt, WriteRecipe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import TracebackType

    import pyarrow as pa
    from typing_extensions import Self

    from floeberg.commit.operations import OpenedTable, TableOperations

__all__ = ["SchemaMode", "Transaction", "WriteMode"]

SchemaMode = Literal["merge"]
"""What is done where rows do not fit: `merge` adds columns that the table lacks, and promotes too narrow ones."""

WriteMode = Literal["append", "overwrite", "dynamic-overwrite"]
"""What files that were written are to a table: added, in place of the rows of a filter, or of their partitions."""

_ISOLATION = "isolation-level"


class Transaction(SpelledLikePyIceberg):
    """Operations on a table that become one commit: all of them or none.

    Each operation sees what the ones before did. Nothing is in the table before the end: `commit_transaction`, or that
    of the `with` block. Where the block is left by an exception, nothing is done.

    Examples:
        >>> with orders.transaction() as transaction:
        ...     _ = transaction.set_properties(owner="jo")
        ...     transaction.append(pa.table({"id": [1]}))
        >>> orders.properties["owner"], orders.scan().count()
        ('jo', 1)
    """

    _spelled_as = "Transaction"

    def __init__(  # noqa: PLR0913 - all but the first two are keywords
        self,
        table_operations: TableOperations,
        starting: OpenedTable,
        *,
        become: Callable[[OpenedTable], None],
        snapshot_properties: Mapping[str, str] | None = None,
        branch: str | None = "main",
        idempotency_key: str | None = None,
    ) -> None:
        """Made by `Table.transaction`."""
        self._table_operations = table_operations
        self._starting = self._current = starting
        self._tell_table = become
        self._properties = checked_options("snapshot_properties", snapshot_properties)
        self._branch = "main" if branch is None else checked_text("branch", branch)
        self._key = None if idempotency_key is None else checked_text("idempotency_key", idempotency_key)
        self._operations: list[_native.Operation] = []
        self._declared: list[_native.Operation] = []
        self._made_from: list[int | None] = []
        self._is_open = True
        self._known_done: bool | None = None
        self._files_are_new = True
        self._skipped: list[str] = []
        """The operations that were not made, since a commit with the key is there."""
        self._result: CommitResult | None = None
        self._written: list[tuple[WriteRecipe, Receipt]] = []
        self._added: list[_native.Receipt] = []
        """What its snapshots add, also what workers wrote."""
        self._begun = monotonic()
        # One that is dropped, and in which no commit began, takes its files along.
        self._files = weakref.finalize(self, _remove, self._written, os.getpid())

    # Rows.

    def append(
        self,
        data: object,
        *,
        schema_mode: SchemaMode | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        """Adds rows: see `Table.append`."""
        receipt = self._write("append", data, schema_mode, _options(options)[0])
        if receipt is not None:
            self._operations.append(_native.Operation.append(receipt.native(), merge=None))

    def overwrite(
        self,
        data: object,
        overwrite_filter: AnyFilter = True,  # noqa: FBT002 - a filter may be a bool
        *,
        case_sensitive: bool = True,
        schema_mode: SchemaMode | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        """Puts rows in the place of those that match a filter: see `Table.overwrite`."""
        tree = as_expression(overwrite_filter).as_tree()
        checked_bool("case_sensitive", case_sensitive)
        written, isolation = _options(options)
        receipt = self._write("overwrite", data, schema_mode, written)
        if receipt is not None:
            self._operations.append(
                _native.Operation.overwrite(
                    receipt.native(), tree, case_sensitive=case_sensitive, isolation=isolation
                )
            )

    def dynamic_partition_overwrite(
        self,
        data: object,
        *,
        schema_mode: SchemaMode | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        """Puts rows in the place of all rows of their partitions: see `Table.dynamic_partition_overwrite`."""
        written, isolation = _options(options)
        receipt = self._write("dynamic overwrite", data, schema_mode, written)
        if receipt is not None:
            self._operations.append(
                _native.Operation.dynamic_overwrite(receipt.native(), isolation=isolation)
            )

    def delete(
        self,
        delete_filter: AnyFilter = True,  # noqa: FBT002 - a filter may be a bool
        *,
        case_sensitive: bool = True,
        options: Mapping[str, str] | None = None,
    ) -> None:
        """Deletes the rows that match a filter: see `Table.delete`."""
        self._check_open()
        _, isolation = _options(options)
        tree = as_expression(delete_filter).as_tree()
        checked_bool("case_sensitive", case_sensitive)
        self._make(_native.Operation.delete(tree, case_sensitive=case_sensitive, isolation=isolation))

    def commit_receipts(  # noqa: PLR0913 - all but the first are keywords
        self,
        receipts: Sequence[Receipt],
        *,
        mode: WriteMode = "append",
        overwrite_filter: AnyFilter = True,
        case_sensitive: bool = True,
        made_from: Sequence[int | None] = (),
        options: Mapping[str, str] | None = None,
    ) -> None:
        """Takes files that workers wrote into the table: see `Table.commit_receipts`."""
        self._check_open()
        self._made_from += [None if each is None else checked_int("made_from", each) for each in made_from]
        _, isolation = _options(options)
        if isinstance(receipts, Receipt) or not isinstance(receipts, Iterable):
            raise InvalidInputError(f"receipts: expected a list of Receipts, found {type(receipts).__name__}")
        every = Receipt.concat(list(receipts)).native()
        if mode == "append":
            made = _native.Operation.append(every, merge=None)
        elif mode == "overwrite":
            tree = as_expression(overwrite_filter).as_tree()
            checked_bool("case_sensitive", case_sensitive)
            made = _native.Operation.overwrite(
                every, tree, case_sensitive=case_sensitive, isolation=isolation
            )
        elif mode == "dynamic-overwrite":
            made = _native.Operation.dynamic_overwrite(every, isolation=isolation)
        else:
            raise InvalidInputError(
                f"mode: expected 'append', 'overwrite' or 'dynamic-overwrite', found {mode!r}"
            )
        self._files_are_new = False
        self._added.append(every)
        self._make(made)

    # What the table is.

    def update_schema(
        self,
        allow_incompatible_changes: bool = False,  # noqa: FBT001, FBT002 - PyIceberg's order
        case_sensitive: bool = True,  # noqa: FBT001, FBT002
    ) -> UpdateSchema:
        """Changes columns of the table: see `Table.update_schema`. Rows that are written later have them."""
        self._check_open()
        return UpdateSchema(
            self.change_columns,
            format_version=self._staged().format_version,
            allow_incompatible_changes=allow_incompatible_changes,
            case_sensitive=case_sensitive,
        )

    def change_columns(self, changes_json: str) -> None:
        """Makes the changes that an `UpdateSchema` wrote down."""
        self._declare(_native.Operation.update_schema(changes_json))
        with self._taken_back():
            # What cannot be made is told now.
            self._staged()

    def set_properties(
        self, properties: Mapping[str, str | float] | None = None, **more: str | float
    ) -> Self:
        """Sets properties of the table: see `Table.set_properties`. The transaction comes out, for the next call."""
        wanted = checked_properties("properties", properties) | checked_properties("properties", more)
        warn_of_misspelt(wanted)
        self._declare(_native.Operation.set_properties(wanted))
        with self._taken_back():
            # What no table could follow is an error now, not at the commit.
            self._staged()
        return self

    def remove_properties(self, *removals: str) -> Self:
        """Removes properties of the table: see `Table.remove_properties`. The transaction comes out."""
        self._declare(_native.Operation.remove_properties(checked_names("removals", removals)))
        return self

    def upgrade_table_version(self, format_version: int) -> Self:
        """Upgrades the format version of the table: see `Table.upgrade_table_version`. The transaction comes out."""
        self._declare(_native.Operation.upgrade_format_version(checked_int("format_version", format_version)))
        return self

    # The end.

    @property
    def result(self) -> CommitResult | None:
        """What the commit did; `None` before its end, and where there is none."""
        return self._result

    def commit_transaction(self) -> CommitResult:
        """Makes the operations part of the table, all or none. The table is then what it became.

        Returns:
            What was done, or that it was done before.

        Raises:
            CommitConflictError: Another writer did what the operations cannot stand beside, or was faster too often.
                Nothing was changed.
            CommitStateUnknownError: Whether it took effect is not known. Nothing was removed.
            FloebergError: Any other says that nothing was changed.
        """
        self._check_open()
        self._is_open = False
        if self._known_done:
            self._result = self._done_before()
        elif self._operations:
            self._result = self._commit()
        else:
            self._result = CommitResult(None, None, already_committed=False)
        return self._result

    def _commit(self) -> CommitResult:
        # From here on the files may be part of the table, whatever happens.
        self._files.detach()
        try:
            committed = commit(
                self._table_operations,
                operations=self._operations,
                starting=self._starting,
                snapshot_properties=self._properties,
                branch=self._branch,
                idempotency_key=self._key,
                made_from=self._made_from,
                files_are_new=self._files_are_new,
            )
        except CommitStateUnknownError:
            raise
        except FloebergError:
            _remove(self._written)
            raise
        if not committed.here:
            _remove(self._written)
        self._become(committed.table)
        return self._told(committed.result)

    def _told(self, result: CommitResult) -> CommitResult:
        """A result with what was added, unless an earlier commit added it."""
        added = [] if result.already_committed else self._added
        return replace(
            result,
            added_files=sum(map(len, added)),
            added_rows=sum(each.rows for each in added),
            added_bytes=sum(each.size for each in added),
            seconds=monotonic() - self._begun,
        )

    def _done_before(self) -> CommitResult:
        """What the commit with the key did. Raises `InvalidInputError` where it did something else."""
        current = self._current
        key, branch = self._key or "", self._branch
        snapshot_id = current.find_commit(key, branch=branch, operations=self._skipped)
        operation = None if snapshot_id is None else current.operation_of(snapshot_id)
        return CommitResult(snapshot_id, operation, already_committed=True)

    def rollback(self) -> None:
        """Does nothing of it, and removes what was written. A transaction that has ended stays as it is."""
        if self._is_open:
            self._is_open = False
            self._files()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self._is_open:
            self.commit_transaction()
        else:
            self.rollback()

    def __repr__(self) -> str:
        return f"Transaction({self._current!r})"

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a Transaction cannot be pickled: send a WriteRecipe, and commit the Receipts here")

    # How.

    def _declare(self, operation: _native.Operation) -> None:
        self._check_open()
        self._operations.append(operation)
        self._declared.append(operation)

    def _make(self, operation: _native.Operation) -> None:
        """Takes an operation that writes no files, unless the commit was made before."""
        if self._is_done():
            self._skipped.append(operation.name)
        else:
            self._operations.append(operation)

    def _write(
        self, operation: str, data: object, schema_mode: SchemaMode | None, options: dict[str, str]
    ) -> Receipt | None:
        """The files of some rows; `None` where the commit was made before."""
        self._check_open()
        reader = reader_of(data, lambda: self._recipe({}).arrow_schema())
        if schema_mode not in (None, "merge"):
            raise InvalidInputError(f"schema_mode: expected 'merge' or None, found {schema_mode!r}")
        if self._is_done():
            self._skipped.append(operation)
            return None
        changes = _native.columns_to_add(self._staged(), reader.schema) if schema_mode == "merge" else None
        with told_as_input(data):
            if changes is None:
                return self._write_files(reader, options)
            self.change_columns(changes)
            with self._taken_back():
                return self._write_files(reader, options)

    def _write_files(self, reader: pa.RecordBatchReader, options: dict[str, str]) -> Receipt:
        recipe = self._recipe(options)
        receipt = recipe.write(reader, task="0")
        self._written.append((recipe, receipt))
        self._added.append(receipt.native())
        return receipt

    def _recipe(self, options: dict[str, str]) -> WriteRecipe:
        return WriteRecipe(
            _native.WriteRecipe.of(self._staged(), options=options, write_id=str(uuid.uuid4()))
        )

    @contextmanager
    def _taken_back(self) -> Iterator[None]:
        """Where what is done raises, the last declared operation is none of the transaction any more."""
        try:
            yield
        except BaseException:
            del self._operations[-1], self._declared[-1]
            raise

    def _staged(self) -> OpenedTable:
        """The table as the operations so far make it, as far as files depend on it."""
        if not self._declared:
            return self._starting
        made = _native.Commit.begin(
            self._declared,
            starting=self._starting,
            storage_options=dict(self._table_operations.storage_options),
            snapshot_properties={},
            branch=self._branch,
            commit_key=str(uuid.uuid4()),
        )
        return made.attempt(self._starting).table(self._starting.metadata_location)

    def _is_done(self) -> bool:
        """Is there a commit with the key on the branch already?"""
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
        """Tells the table that it is another one now."""
        self._current = table
        self._tell_table(table)

    def _check_open(self) -> None:
        if not self._is_open:
            raise InvalidInputError("the transaction has ended: begin another one")


def _options(options: Mapping[str, str] | None) -> tuple[dict[str, str], str | None]:
    """The options of a write, without the isolation level, and that."""
    known = checked_options("options", options)
    isolation = known.pop(_ISOLATION, None)
    return known, isolation


def _remove(written: list[tuple[WriteRecipe, Receipt]], process: int | None = None) -> None:
    """Removes files that were written. What cannot be removed harms nobody.

    Args:
        written: The files, and how they were written.
        process: The process that they are of, where another may have a copy of the transaction.
    """
    if process not in (None, os.getpid()):
        return
    for recipe, receipt in written:
        with suppress(FloebergError):
            recipe.remove(receipt)
