"""Changes of rows, for tables of all formats: updates, upserts, merges and feeds of changes.

A function of the user is called as `functions(number, reader, ...)`; see `floeberg.commit.new_values.Functions`.

Rust: `rust/floeberg-python/src/rows/`.
"""

from collections.abc import Callable
from typing import Any, TypeAlias, final

from typing_extensions import CapsuleType

from floeberg._native.arrow import Batch
from floeberg._native.scan import Scan
from floeberg._native.values import SqlExpression
from floeberg._native.write import (
    FoundRows,
    KeyRecipe,
    Receipt,
    RowDeltaReceipt,
    SourceKeys,
    WriteRecipe,
)

_Functions: TypeAlias = Callable[..., Any]

@final
class SourceRows:
    """Rows of a source, which attempts of a commit share."""

    @staticmethod
    def of(reader: object, *, in_file: bool) -> SourceRows:
        """Of a `pyarrow.RecordBatchReader`.

        Args:
            reader: The rows.
            in_file: Whether the batches are mapped from a file, and stay there.

        Raises:
            InvalidInputError: The source has two columns with one name.
            LimitExceededError: It has too many rows.
        """

    def __len__(self) -> int:
        """The number of rows."""

    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send the rows themselves."""

@final
class NewValue:
    """What gives the values of rows."""

    @staticmethod
    def null() -> NewValue:
        """Null."""
    @staticmethod
    def column(name: str) -> NewValue:
        """A column, or a field of a struct, by its dotted name."""
    @staticmethod
    def sql(expression: SqlExpression) -> NewValue:
        """SQL."""
    @staticmethod
    def function(number: int) -> NewValue:
        """A function of the user, by its number."""
    @staticmethod
    def literal(reader: object) -> NewValue:
        """The one value of a `pyarrow.RecordBatchReader` of one column.

        Raises:
            InvalidInputError: There is not one value.
        """

    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send what the value was made of."""

@final
class MergeClause:
    """What is done to rows of a merge."""

    @staticmethod
    def of(
        rows: str,
        *,
        condition: NewValue | None,
        assignments: list[tuple[int, NewValue]] | None,
        sets_all: bool,
    ) -> MergeClause:
        """A clause. Without assignments it deletes rows, or sets all columns.

        Args:
            rows: The rows that it is for: `matched`, `not matched` or `not matched by source`.
            condition: Which of them.
            assignments: The columns of the table, by their numbers, that get new values.
            sets_all: Whether every column that the source has is set.
        """

    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send the merge."""

@final
class RowChange:
    """A change of rows, for tables of all formats."""

    @staticmethod
    def update(assignments: list[tuple[int, NewValue]], *, case_sensitive: bool) -> RowChange:
        """Sets columns, by their numbers, of rows that match a filter."""

    @staticmethod
    def upsert(
        source: SourceRows,
        *,
        keys: list[str] | None,
        updates: bool,
        inserts: bool,
        null_keys: str,
        case_sensitive: bool,
    ) -> RowChange:
        """Updates the rows that have a key of a source, and inserts the others.

        Args:
            source: The source.
            keys: The key columns; `None` are those that identify a row by the schema of the table.
            updates: Whether rows are updated.
            inserts: Whether rows are inserted.
            null_keys: What a null in a key means: `error` or `equal`.
            case_sensitive: Whether the case of names counts.

        Raises:
            InvalidInputError: `null_keys` is another word.
        """

    @staticmethod
    def feed(
        source: SourceRows, *, keys: list[str], operation: str, order_by: list[str], null_keys: str
    ) -> RowChange:
        """Applies a feed of changes.

        Args:
            source: The changes.
            keys: The key columns.
            operation: The column that says what is done to a row.
            order_by: The columns that say which change of a key is the last one.
            null_keys: What a null in a key means: `error` or `equal`.

        Raises:
            InvalidInputError: `null_keys` is another word.
        """

    @staticmethod
    def merge(
        source: SourceRows,
        *,
        keys: list[tuple[str, str]],
        condition: NewValue | None,
        whole: NewValue | None,
        clauses: list[MergeClause],
        case_sensitive: bool,
    ) -> RowChange:
        """Changes rows by clauses.

        Args:
            source: The source.
            keys: Columns of the table and of the source that are equal where rows match.
            condition: What must hold too where they are.
            whole: The same with the equalities of the keys.
            clauses: The clauses, in order.
            case_sensitive: Whether the case of names counts.
        """

    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send what the change was made of."""

@final
class RowsChanged:
    """What a change did, before its commit."""

    @property
    def receipt(self) -> Receipt:
        """The files of new rows, and of deleted keys."""
    @property
    def deleted(self) -> RowDeltaReceipt:
        """The positions of rows that are deleted or replaced."""
    @property
    def updated_rows(self) -> int:
        """The number of rows that are replaced."""
    @property
    def inserted_rows(self) -> int:
        """The number of rows that are inserted."""
    @property
    def keys(self) -> SourceKeys | None:
        """The keys of the source."""
    @property
    def found(self) -> FoundRows | None:
        """The rows with such a key."""
    @property
    def inserts_keys(self) -> bool:
        """Whether rows are inserted whose keys no row had."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send the source, and change the rows there."""

def assigned_columns(schema: object, names: list[str], *, case_sensitive: bool) -> list[int]:
    """The numbers of the columns of a `pyarrow.Schema` that get new values, by names that may stand after `target.`.

    Raises:
        InvalidInputError: There is no such column, or a column is named twice.
    """

def computed_columns(values: list[NewValue], reader: object) -> Batch:
    """The values of new columns of the one batch of a `pyarrow.RecordBatchReader`, without functions of the user."""

def check_feed(schema: object, *, keys: list[str], operation: str, order_by: list[str]) -> None:
    """Checks that a feed with the columns of a `pyarrow.Schema` has its keys, operation and order.

    Raises:
        InvalidInputError: A column is missing, there twice, or of a type that does not fit.
    """

def change_rows(
    row_change: RowChange,
    scan: Scan,
    recipe: WriteRecipe,
    *,
    keys: KeyRecipe | None,
    writes: bool,
    functions: _Functions | None,
    progress: Callable[[int, int], object] | None,
) -> RowsChanged:
    """Changes rows of the snapshot of a scan, and writes the new ones.

    Args:
        row_change: The change.
        scan: The rows that an update changes, or that are looked through for keys.
        recipe: How new rows are written.
        keys: With it, a feed is applied by equality deletes.
        writes: Whether rows are written, and not only counted.
        functions: The functions of the user.
        progress: Called now and then with the files that are done and the rows so far.

    Raises:
        InvalidInputError: Names, types or values do not fit, or two rows of the source change one row.
        LimitExceededError: The keys of the source take too much memory.
    """
