"""How do workers write data files of a Lance table?

Send a `LanceWriteRecipe` to the workers. They send `LanceReceipt`s back, and `LanceTable.commit_receipts` makes one
version of them. Workers need pylance, the driver does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg.errors import InvalidInputError
from floeberg.lance.new_files import Folder, written_rows
from floeberg.lance.receipt import LanceReceipt, LanceWrite
from floeberg.write.input_rows import reader_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

__all__ = ["LanceWriteRecipe"]


class LanceWriteRecipe:
    """Everything that a worker needs to write data files of a Lance table. It can be pickled.

    It has the columns of the table from the time when it was made. It also has the storage options, including secrets.

    Examples:
        >>> import pickle
        >>> import pyarrow as pa
        >>> made = fb.lance.create_table(f"{folder}/recipes", pa.table({"id": [1]}))
        >>> recipe = pickle.loads(pickle.dumps(made.write_recipe()))
        >>> receipts = [recipe.write(pa.table({"id": [n]})) for n in (2, 3)]
        >>> made.commit_receipts(receipts).added_rows, made.scan().count()
        (2, 3)
    """

    def __init__(
        self, write: LanceWrite, storage_options: Mapping[str, str], version: str, rows_per_file: int
    ) -> None:
        """Use `LanceTable.write_recipe`."""
        self._write = write
        self._storage_options = dict(storage_options)
        self._version = version
        self._rows_per_file = rows_per_file

    @property
    def write_id(self) -> str:
        """The id of the write."""
        return self._write.write_id

    def arrow_schema(self) -> pa.Schema:
        """The Arrow schema of the rows.

        Examples:
            >>> import pyarrow as pa
            >>> made = fb.lance.create_table(f"{folder}/columns_of_recipe", pa.table({"id": [1]}))
            >>> made.write_recipe().arrow_schema().names
            ['id']
        """
        return self._write.schema

    def check_schema(self, schema: pa.Schema) -> None:
        """Checks that rows of a schema fit the table. Nothing is written.

        Args:
            schema: The Arrow schema of the rows.

        Raises:
            InvalidInputError: The rows do not fit. The error lists every mismatch.
        """
        _native.check_fits(schema, self._write.schema)

    def write(self, data: object) -> LanceReceipt:
        """Writes rows to data files. A commit must add them to the table.

        Args:
            data: The rows, as `LanceTable.append` takes them.

        Returns:
            The files.

        Raises:
            InvalidInputError: The rows do not fit the columns. No file is left.
            NotInstalledError: pylance is not installed here.
            UnsupportedError: The process was forked from one that had used pylance.
        """
        schema = self._write.schema
        new = written_rows(
            data,
            reader_of(data, self.arrow_schema),
            schema,
            Folder(self._write.folder, self._storage_options, self._version),
            rows_per_file=self._rows_per_file,
            of_table=True,
        )
        return LanceReceipt(self._write, new.parts())

    def remove(self, receipt: LanceReceipt) -> None:
        """Removes the files of a receipt that was not committed.

        Never call it after a `CommitStateUnknownError` or an `AlreadyExistsError`: the files may be in the table.

        Raises:
            InvalidInputError: The files belong to another table or another write. Nothing is removed.
        """
        if not isinstance(receipt, LanceReceipt):
            raise InvalidInputError(
                f"receipt: expected a LanceReceipt, found an object of type {type(receipt).__name__}"
            )
        if (receipt.write.folder, receipt.write.write_id) != (self._write.folder, self._write.write_id):
            raise InvalidInputError("receipt: its files belong to another table or another write")
        _native.remove_lance_files(receipt.locations(), storage_options=self._storage_options)

    def __repr__(self) -> str:
        return f'LanceWriteRecipe(write_id="{self.write_id}")'

    def __reduce__(self) -> tuple[type[LanceWriteRecipe], tuple[Any, ...]]:
        return LanceWriteRecipe, (self._write, self._storage_options, self._version, self._rows_per_file)
