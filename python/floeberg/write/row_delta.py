"""How do workers delete and change rows of a table?

Send a `RowDeltaRecipe` to the workers. They find rows by `_file` and `_pos`, write new rows, and send
`RowDeltaReceipt`s back. `Table.commit_row_delta` makes them one snapshot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg import _native
from floeberg._arguments import checked_bool, checked_names, checked_size, checked_text
from floeberg.errors import InvalidInputError
from floeberg.write.input_rows import converted_stream_errors, reader_of
from floeberg.write.receipt import Receipt

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from floeberg.write.recipe import WriteRecipe

__all__ = ["RowDeltaReceipt", "RowDeltaRecipe"]


class RowDeltaReceipt:
    """Rows that a worker deleted, and files that it wrote and replaced, for the commit. It can be pickled.

    Examples:
        >>> _ = orders.append(pa.table({"id": [1, 2]}))
        >>> rows = orders.scan("id = 2", selected_fields=("_file", "_pos")).to_arrow()
        >>> receipt = orders.row_delta_recipe().delete_rows(rows)
        >>> receipt.deleted_rows, receipt.added_rows, len(receipt.files_with_deletes())
        (1, 0, 1)
    """

    _inner: _native.RowDeltaReceipt

    def __init__(self, native: _native.RowDeltaReceipt) -> None:
        """Use the methods of `RowDeltaRecipe`."""
        self._inner = native

    @property
    def deleted_rows(self) -> int:
        """The number of rows that are deleted by position."""
        return self._inner.deleted_rows

    @property
    def added_rows(self) -> int:
        """The rows of the data files that were written."""
        return self._inner.added.rows

    def files_with_deletes(self) -> list[str]:
        """The data files that rows are deleted from."""
        return self._inner.files_with_deletes()

    def replaced_files(self) -> list[str]:
        """The data files that go."""
        return self._inner.replaced_files()

    def added(self) -> Receipt:
        """The data files and equality delete files that were written."""
        return Receipt(self._inner.added)

    @staticmethod
    def concat(receipts: Sequence[RowDeltaReceipt]) -> RowDeltaReceipt:
        """The rows and files of several receipts.

        Raises:
            InvalidInputError: One is not such a receipt. Or two delete the same row, while rows are added: the row
                would be changed twice.
        """
        for each in receipts:
            if not isinstance(each, RowDeltaReceipt):
                raise InvalidInputError(
                    f"receipts: expected RowDeltaReceipts, found an object of type {type(each).__name__}"
                )
        return RowDeltaReceipt(_native.RowDeltaReceipt.concat([each.native() for each in receipts]))

    def native(self) -> _native.RowDeltaReceipt:
        """The receipt of the binary."""
        return self._inner

    def __repr__(self) -> str:
        return (
            f"RowDeltaReceipt(deleted_rows={self.deleted_rows}, added_rows={self.added_rows}, "
            f"replaced_files={len(self.replaced_files())})"
        )

    def __reduce__(self) -> tuple[type[RowDeltaReceipt], tuple[_native.RowDeltaReceipt]]:
        return RowDeltaReceipt, (self._inner,)


class RowDeltaRecipe:
    """All that a worker needs to delete and change rows of a table. It can be pickled.

    Like a `WriteRecipe` it has the storage options, with secrets.

    Examples:
        >>> _ = orders.append(pa.table({"id": [1, 2, 3]}))
        >>> snapshot = orders.current_snapshot().snapshot_id
        >>> recipe = orders.row_delta_recipe()
        >>> rows = orders.scan("id = 2", selected_fields=("_file", "_pos")).to_arrow()
        >>> receipts = [recipe.delete_rows(rows), recipe.write(pa.table({"id": [20]}), task="0-0")]
        >>> done = orders.commit_row_delta(receipts, read_snapshot_id=snapshot)
        >>> done.operation, done.deleted_rows, sorted(orders.scan().to_arrow()["id"].to_pylist())
        ('overwrite', 1, [1, 3, 20])
    """

    def __init__(self, rows: WriteRecipe, copies: WriteRecipe | None, keys: _native.KeyRecipe | None) -> None:
        """Use `Table.row_delta_recipe`."""
        self._rows = rows
        self._copies = copies
        self._keys = keys

    @property
    def write_id(self) -> str:
        """The id of the write, which is part of the names of its files."""
        return self._rows.write_id

    def arrow_schema(self) -> pa.Schema:
        """The Arrow schema of the table's rows."""
        return self._rows.arrow_schema()

    def write(
        self, data: object, *, task: str, partition: int = 0, with_lineage: bool = False
    ) -> RowDeltaReceipt:
        """Writes rows to data files.

        Args:
            data: The rows, as `Table.append` takes them.
            task: An id of this call within the write, other for a retry. It is part of the names of files.
            partition: A number that the names of files begin with.
            with_lineage: Whether the rows also have the columns `_row_id` and `_last_updated_sequence_number`, as a
                scan gives them: rows that are written again. A changed row has its old `_row_id`, and null for the
                other. Only in format version 3.

        Returns:
            The files.

        Raises:
            InvalidInputError: The rows do not fit the schema. The error lists every mismatch. No file is left. Or the
                table has format version 1 or 2, whose rows have no lineage.
        """
        recipe = self._copies if checked_bool("with_lineage", with_lineage) else self._rows
        if recipe is None:
            raise InvalidInputError(
                "rows have a lineage from format version 3: write them without, or upgrade the table"
            )
        receipt = recipe.write(data, task=task, partition=partition)
        return RowDeltaReceipt(_native.RowDeltaReceipt.of_files(receipt.native()))

    def delete_rows(self, rows: object) -> RowDeltaReceipt:
        """Deletes rows by their place. No file is written: the commit writes deletion vectors, or position deletes.

        Args:
            rows: Arrow data with the columns `_file` and `_pos`, as a scan gives them.

        Returns:
            The places.

        Raises:
            InvalidInputError: A column is missing, of another type, or has a null; or a position is negative.
        """
        with converted_stream_errors(rows):
            reader = reader_of(rows, _places)
            return RowDeltaReceipt(_native.RowDeltaReceipt.of_rows(reader))

    def replace_files(self, paths: Sequence[str]) -> RowDeltaReceipt:
        """Removes data files, by the paths that `_file` has. Rows of them that stay must be written again.

        Raises:
            InvalidInputError: The paths are not a list of strings.
        """
        return RowDeltaReceipt(_native.RowDeltaReceipt.of_replaced(checked_names("paths", paths)))

    def delete_keys(self, keys: object, *, task: str, partition: int = 0) -> RowDeltaReceipt:
        """Writes equality delete files: rows with these keys are deleted. No data file is read.

        They apply to rows that were in the table before the commit. A null key deletes the rows that have null there.

        Args:
            keys: Rows of the key columns of the recipe.
            task: As with `write`.
            partition: As with `write`.

        Returns:
            The files.

        Raises:
            InvalidInputError: The recipe has no key columns, or the keys do not fit. No file is left.
        """
        if self._keys is None:
            raise InvalidInputError(
                "the recipe has no key columns: make it by row_delta_recipe(key_columns=[...])"
            )
        number, name = checked_size("partition", partition), checked_text("task", task)
        with converted_stream_errors(keys):
            reader = reader_of(keys, self.arrow_schema)
            written = self._keys.write(reader, task=name, partition=number)
        return RowDeltaReceipt(_native.RowDeltaReceipt.of_files(written))

    def remove(self, receipt: RowDeltaReceipt) -> None:
        """Removes the files that a receipt says were written, and that were not committed.

        Never call it after a `CommitStateUnknownError`, when the files may be in the table, nor after an
        `AlreadyExistsError`, when they are.

        Raises:
            InvalidInputError: The files belong to another table or another write. None is removed.
        """
        if not isinstance(receipt, RowDeltaReceipt):
            raise InvalidInputError(
                f"receipt: expected a RowDeltaReceipt, found an object of type {type(receipt).__name__}"
            )
        self._rows.remove(receipt.added())

    def __repr__(self) -> str:
        return f'RowDeltaRecipe(write_id="{self.write_id}")'

    def __reduce__(
        self,
    ) -> tuple[type[RowDeltaRecipe], tuple[WriteRecipe, WriteRecipe | None, _native.KeyRecipe | None]]:
        return RowDeltaRecipe, (self._rows, self._copies, self._keys)


def _places() -> pa.Schema:
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    return pa.schema({"_file": pa.string(), "_pos": pa.int64()})
