"""How do workers write files of a table?

Send a `WriteRecipe` to the workers. They send `Receipt`s back, and `Table.commit_receipts` adds their files to the
table, atomically. `Table.append` does the same in one process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from floeberg._arguments import checked_size, checked_text
from floeberg.errors import InvalidInputError
from floeberg.write.input_rows import converted_stream_errors, reader_of
from floeberg.write.receipt import Receipt

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from floeberg import _native

__all__ = ["WriteRecipe"]


class WriteRecipe:
    """Everything that a worker needs to write files of a table. It can be pickled.

    It has the table's schema, partition spec, sort order and properties from the time when it was made. It also has the
    storage options, including secrets.

    Examples:
        >>> import pickle
        >>> recipe = pickle.loads(pickle.dumps(orders.write_recipe()))
        >>> receipts = [recipe.write(pa.table({"id": [n]}), task=f"{n}-0", partition=n) for n in (1, 2)]
        >>> _ = orders.commit_receipts(receipts)
        >>> orders.scan().count()
        2
    """

    _inner: _native.WriteRecipe

    def __init__(self, native: _native.WriteRecipe) -> None:
        """Use `Table.write_recipe`."""
        self._inner = native

    @property
    def write_id(self) -> str:
        """The id of the write, which is part of the names of its files."""
        return self._inner.write_id

    def arrow_schema(self) -> pa.Schema:
        """The Arrow schema of the table's rows.

        Examples:
            >>> orders.write_recipe().arrow_schema().names
            ['id']
        """
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        return pa.schema(cast("Any", self._inner.arrow_schema()))

    def check_schema(self, schema: pa.Schema) -> None:
        """Checks that rows of a schema fit the table. Nothing is written.

        Args:
            schema: The Arrow schema of the rows.

        Raises:
            InvalidInputError: The rows do not fit. The error lists every mismatch.

        Examples:
            >>> orders.write_recipe().check_schema(pa.schema({"id": pa.int32()}))
        """
        self._inner.schema_fits(schema)

    def write(self, data: object, *, task: str, partition: int = 0) -> Receipt:
        """Writes rows to files. A commit must add them to the table.

        Args:
            data: The rows, as `Table.append` takes them.
            task: An id of this call within the write. A retry needs a different id. It is part of the file names.
            partition: The number that the file names begin with.

        Returns:
            The files.

        Raises:
            InvalidInputError: The rows do not fit the schema. The error lists every mismatch. No file is left.
        """
        number = checked_size("partition", partition)
        name = checked_text("task", task)
        with converted_stream_errors(data):
            return Receipt(self._inner.write(reader_of(data, self.arrow_schema), task=name, partition=number))

    def write_reported(
        self, reader: pa.RecordBatchReader, progress: Callable[[int, int], object] | None
    ) -> Receipt:
        """Writes the rows of a transaction, and calls a function meanwhile with the files and rows that are done."""
        return Receipt(self._inner.write(reader, task="0", partition=0, progress=progress))

    def remove(self, receipt: Receipt) -> None:
        """Removes the files of a receipt that was not committed.

        Never call it after a `CommitStateUnknownError` or an `AlreadyExistsError`: the files may be in the table.

        Raises:
            InvalidInputError: The files belong to another table or another write. Nothing is removed.
        """
        if not isinstance(receipt, Receipt):
            raise InvalidInputError(
                f"receipt: expected a Receipt, found an object of type {type(receipt).__name__}"
            )
        self._inner.remove(receipt.native())

    def native(self) -> _native.WriteRecipe:
        """The recipe of the binary."""
        return self._inner

    def __repr__(self) -> str:
        return repr(self._inner)

    def __reduce__(self) -> tuple[type[WriteRecipe], tuple[_native.WriteRecipe]]:
        return WriteRecipe, (self._inner,)
