"""How rows become files before a commit.

Rust: `rust/floeberg-python/src/write/`.
"""

from collections.abc import Callable
from typing import Any, final

from floeberg._native.arrow import ArrowSchema, Column
from floeberg._native.scan import TaskGroup
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

def describe_files(
    table: Table,
    locations: list[str],
    *,
    trust_field_ids: bool,
    progress: Callable[[str, int, int, int], object] | None = None,
) -> tuple[Receipt, str | None]:
    """Finds files of other writers and reads their footers. Nothing is written.

    Args:
        table: The table that they fit.
        locations: Files, and folders.
        trust_field_ids: Whether files may have field ids, if they are those of the table.
        progress: Called with `reading`, the files so far, all files, and their rows.

    Returns:
        The files, and the name mapping that their columns were found by; `None` if all have field ids.

    Raises:
        InvalidInputError: A file does not fit the table, or is not certainly in one partition.
        InvalidDataError: A file is damaged.
        NotFoundError: There is no such file or folder.
        UnsupportedError: A file has field ids that are not trusted.
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

    def with_lineage(self) -> WriteRecipe:
        """The same for rows that also have their row ids and last updates.

        Raises:
            InvalidInputError: The format version has no lineage.
        """

    def with_file_size(self, size: int) -> WriteRecipe:
        """The same for files that end at about `size` bytes.

        Raises:
            InvalidInputError: It is 0.
        """

    @property
    def is_sorted(self) -> bool:
        """Whether rows are sorted by columns."""

    @property
    def write_id(self) -> str:
        """The id of the write, which is part of the names of its files."""

    def write(
        self,
        reader: object,
        *,
        task: str,
        partition: int,
        progress: Callable[[int, int], object] | None = None,
    ) -> Receipt:
        """Writes rows. A write that fails leaves no file.

        Args:
            reader: A `pyarrow.RecordBatchReader`. It is read on the calling thread; other threads encode.
            task: A part of the file names, different for each call.
            partition: The number that the file names begin with.
            progress: Called now and then, and at the end, on the calling thread, with the files that are done and the
                rows so far. What it raises stops the write.

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

@final
class RowDeltaReceipt:
    """Rows that are deleted, and files that come and go."""

    @staticmethod
    def of_files(receipt: Receipt) -> RowDeltaReceipt:
        """Of data files and equality delete files."""

    @staticmethod
    def of_rows(reader: object) -> RowDeltaReceipt:
        """Of rows that are deleted: a `pyarrow.RecordBatchReader` with `_file` and `_pos`.

        Raises:
            InvalidInputError: A column is missing or does not fit, or a position is negative.
        """

    @staticmethod
    def of_replaced(paths: list[str]) -> RowDeltaReceipt:
        """Of data files that go."""

    @staticmethod
    def concat(receipts: list[RowDeltaReceipt]) -> RowDeltaReceipt:
        """The rows and files of several receipts.

        Raises:
            InvalidInputError: Two delete the same row, while rows are added.
        """

    @property
    def added(self) -> Receipt:
        """The files that were written."""

    @property
    def deleted_rows(self) -> int:
        """The number of rows that are deleted by position."""

    def files_with_deletes(self) -> list[str]:
        """The data files of these rows."""

    def only(self, paths: list[str]) -> RowDeltaReceipt:
        """The rows that are deleted of some data files."""

    def kept(self, reader: object) -> Column:
        """Which rows of one batch are not deleted: a `pyarrow.RecordBatchReader` with `_file` and `_pos`.

        Raises:
            InvalidInputError: A column is missing or does not fit.
        """

    def replaced_files(self) -> list[str]:
        """The data files that go."""

    def __reduce__(self) -> tuple[Any, ...]: ...
    @staticmethod
    def _from_recipe(recipe: bytes) -> RowDeltaReceipt:
        """Reads a pickled receipt.

        Raises:
            InvalidDataError: The bytes are damaged, or another version wrote them.
        """

@final
class KeyRecipe:
    """All that writing equality deletes of a table needs."""

    @staticmethod
    def of(
        table: Table, *, columns: list[str], branch: str, options: dict[str, str], write_id: str
    ) -> KeyRecipe:
        """The recipe of a table's key columns. Reads the manifest list of the branch.

        Raises:
            InvalidInputError: A column cannot be a key, or the keys do not reach every row.
        """

    def write(self, reader: object, *, task: str, partition: int) -> Receipt:
        """Writes keys. A write that fails leaves no file.

        Raises:
            InvalidInputError: Columns or values do not fit.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...
    @staticmethod
    def _from_recipe(recipe: bytes) -> KeyRecipe:
        """Reads a pickled recipe.

        Raises:
            InvalidDataError: The bytes are damaged, or another version wrote them.
        """

@final
class DeleteRecipe:
    """All that writing delete files of a table again needs."""

    def write(self, group: TaskGroup, *, task: str, partition: int, threads: int | None) -> Receipt:
        """Writes what stands for the deletes of data files, for a commit of another process.

        Args:
            group: The data files with their deletes, as `Commit.deletes_to_write` gives them.
            task: A part of the file names, different for each call.
            partition: The number that the file names begin with.
            threads: Threads that read, at most; `None` is the budget of the process.

        Raises:
            InvalidDataError: A file is damaged.
            NotFoundError: A file is missing.
            StorageError: The store failed. No file stays.
        """

    def remove(self, receipt: Receipt) -> None:
        """Removes the files of a receipt that no table has."""

    def __reduce__(self) -> tuple[Any, ...]: ...
    @staticmethod
    def _from_recipe(recipe: bytes) -> DeleteRecipe:
        """Reads a pickled recipe.

        Raises:
            InvalidInputError: The bytes are damaged.
            UnsupportedError: A newer version wrote them.
        """

@final
class SourceKeys:
    """The keys of a source, in memory."""

    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class FoundRows:
    """Rows of a snapshot with a key of a source."""

    def __len__(self) -> int:
        """The number of rows."""

    def __reduce__(self) -> tuple[Any, ...]: ...

def source_memory() -> int:
    """How many bytes of a source are kept in memory: those of `FLOEBERG_MEMORY`."""
