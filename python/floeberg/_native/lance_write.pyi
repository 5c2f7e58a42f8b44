"""Data files of Lance tables, and changes of their rows, columns and fragments.

Rust: `rust/floeberg-python/src/lance/`.
"""

from typing import Any, final

from floeberg._native.arrow import ArrowSchema
from floeberg._native.lance import LanceKeys, LanceScan, LanceTable
from floeberg._native.lance_commit import LanceOperation, _NewFile
from floeberg._native.rows import NewValue, RowChange, _Functions
from floeberg.lance.pages import Pages

@final
class LanceDataFiles:
    """Data files that were written, and that no version names yet."""

    def parts(self) -> list[_NewFile]:
        """Name, rows and bytes of each file."""

    def __len__(self) -> int:
        """The number of files."""

    @property
    def rows(self) -> int:
        """The number of their rows."""
    @property
    def size_bytes(self) -> int:
        """Their bytes."""

    def remove(self) -> None:
        """Removes the files. What cannot be removed stays, and harms nobody."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send a `LanceWriteRecipe`, and write there."""

@final
class LanceRowsChanged:
    """What a change of rows did, before its commit."""

    @property
    def operation(self) -> LanceOperation | None:
        """Puts the new rows into the table; `None` where nothing changes, and where rows were counted only."""
    @property
    def files(self) -> LanceDataFiles | None:
        """The new files; `None` where rows were counted only."""
    @property
    def deleted_rows(self) -> int:
        """The number of rows that are deleted or replaced."""
    @property
    def updated_rows(self) -> int:
        """The number of rows that are replaced."""
    @property
    def inserted_rows(self) -> int:
        """The number of rows that are inserted."""
    @property
    def keys(self) -> LanceKeys | None:
        """The keys of the source, of which some may be inserted because no row has them."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send the source, and change the rows there."""

def write_lance_rows(
    reader: object,
    schema: object,
    pages: Pages,
    *,
    folder: str,
    storage_options: dict[str, str],
    data_storage_version: str,
    rows_per_file: int,
    of_table: bool,
) -> LanceDataFiles:
    """Writes the rows of a `pyarrow.RecordBatchReader` to data files. A call that fails leaves no file.

    Args:
        reader: The rows.
        schema: The columns of the files, as a `pyarrow.Schema`.
        pages: What encodes them.
        folder: The folder of the table or of its branch.
        storage_options: The options of its storage.
        data_storage_version: The version of data files.
        rows_per_file: The most rows of a file.
        of_table: Whether rows have columns of a table by their names, and may lack some; otherwise all by their places.

    Raises:
        InvalidInputError: The rows do not fit the columns.
        UnsupportedError: The encoder refuses them.
    """

def change_lance_rows(
    row_change: RowChange,
    table: LanceTable,
    pages: Pages,
    *,
    scan: LanceScan | None,
    rows_per_file: int | None,
    functions: _Functions | None,
) -> LanceRowsChanged:
    """Changes rows of a version, and writes the new ones. A call that fails leaves no file.

    Args:
        row_change: The change.
        table: The version.
        pages: What decodes and encodes data files.
        scan: The rows that change; `None` for those that have a key of the source.
        rows_per_file: The most rows of a new file; `None` only counts rows.
        functions: The functions of the user.

    Raises:
        InvalidInputError: Names, types or values do not fit, or clauses contradict each other.
        LimitExceededError: The keys of a source take too much memory.
        UnsupportedError: Columns of the table cannot be written, or have reserved names.
    """

def lance_column_types(
    table: LanceTable, pages: Pages, names: list[str], values: list[NewValue], *, functions: _Functions
) -> ArrowSchema:
    """The columns that values of a table's rows make, in plain types. Those of functions are known by the first rows.

    Raises:
        InvalidInputError: A name is unknown, or a column has no type.
    """

def write_lance_columns(
    table: LanceTable,
    pages: Pages,
    schema: object,
    *,
    replaces: list[str | None],
    values: list[NewValue],
    reader: object | None,
    functions: _Functions | None,
) -> tuple[LanceOperation, LanceDataFiles]:
    """Writes a file of new columns for each fragment, and makes the operation that adds them.

    A call that fails leaves no file.

    Args:
        table: The version.
        pages: What decodes and encodes data files.
        schema: The new columns.
        replaces: The columns whose place they take; `None` for new ones.
        values: What gives them, where they are computed.
        reader: A `pyarrow.RecordBatchReader` that has them for the rows of the table, in the order of a scan.
        functions: The functions of the user.

    Raises:
        InvalidInputError: Values do not fit, there are fewer or more rows, or a required column meets deleted rows.
        UnsupportedError: A column has a type that cannot be written.
    """

def compact_lance_fragments(
    table: LanceTable, pages: Pages, *, target_rows: int, deletions: float
) -> tuple[LanceOperation, LanceDataFiles, int, int, int] | None:
    """Writes fragments that are too small, or of which too many rows are deleted. A call that fails leaves no file.

    Returns:
        The operation, its files, the fragments before and after, and their rows; `None` where no fragment needs it.
    """
