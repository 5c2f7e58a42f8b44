"""How rows become files before a commit.

Rust: `rust/floeberg-python/src/write/`.
"""

from typing import Any, final

from floeberg._native.arrow import ArrowSchema
from floeberg._native.table import Table

@final
class Receipt:
    """Files that were written, but not committed yet."""

    @staticmethod
    def concat(receipts: list[Receipt]) -> Receipt:
        """The files of several receipts, in their order."""

    def __len__(self) -> int:
        """The number of files."""

    @property
    def rows(self) -> int:
        """The rows of all files."""

    @property
    def size(self) -> int:
        """The bytes of all files."""

    def locations(self) -> list[str]:
        """The locations of the files, as the metadata will name them."""

    def __reduce__(self) -> tuple[Any, ...]: ...
    @staticmethod
    def _from_recipe(recipe: bytes) -> Receipt:
        """Reads a pickled receipt.

        Raises:
            InvalidInputError: The bytes are damaged.
            UnsupportedError: A newer version of Floeberg wrote them.
        """

@final
class WriteRecipe:
    """All that a worker needs to write rows: schema, spec, sort order, properties, location and storage options."""

    @staticmethod
    def of(table: Table, *, options: dict[str, str], write_id: str) -> WriteRecipe:
        """The recipe of a table's current schema, default spec and default sort order.

        Args:
            table: The table.
            options: `write.*` properties for this write alone.
            write_id: A part of the names of all files.

        Raises:
            InvalidInputError: A property cannot have its value.
            UnsupportedError: The table needs something that is not supported, such as encryption.
        """

    @property
    def write_id(self) -> str:
        """The id of the write, which is part of the names of its files."""

    def write(self, reader: object, *, task: str, partition: int) -> Receipt:
        """Writes rows. A write that fails leaves no file.

        Args:
            reader: A `pyarrow.RecordBatchReader`. It is read on the calling thread; other threads encode.
            task: A part of the file names, different for each call.
            partition: The number that the file names begin with.

        Raises:
            InvalidInputError: Columns do not fit: the error lists all of them. Or a value does not fit: the error gives
                its row.
        """

    def arrow_schema(self) -> ArrowSchema:
        """The Arrow schema of the table's rows."""

    def schema_fits(self, schema: object) -> None:
        """Checks that rows of a `pyarrow.Schema` fit the table.

        Raises:
            InvalidInputError: They do not fit. The error lists every mismatch.
        """

    def remove(self, receipt: Receipt) -> None:
        """Removes the files of a receipt of this write.

        Raises:
            InvalidInputError: The files belong to another table or another write. Nothing is removed.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...
    @staticmethod
    def _from_recipe(recipe: bytes) -> WriteRecipe:
        """Reads a pickled recipe.

        Raises:
            InvalidInputError: The bytes are damaged.
            UnsupportedError: A newer version of Floeberg wrote them.
        """
