"""How do the columns of a Lance table change?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg._arguments import checked_bool, checked_names, checked_text
from floeberg.errors import InvalidInputError
from floeberg.lance._writes import LanceTableWrites
from floeberg.lance.column_changes import added_columns, changed_types, is_stream
from floeberg.lance.committing import Made

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from floeberg.commit.new_values import NewValue
    from floeberg.lance.result import LanceCommitResult

__all__ = ["LanceTableColumns"]


class LanceTableColumns(LanceTableWrites):
    """The methods of `floeberg.lance.LanceTable` that change columns. No data file is written again."""

    def add_columns(
        self,
        columns: pa.Schema | pa.Field | Sequence[pa.Field] | Mapping[str, NewValue] | Any,  # noqa: ANN401 - rows of any library
        *,
        transaction_properties: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> LanceCommitResult:
        """Adds columns.

        Fields of Arrow add columns of nulls, without a file. Values are written to a file for each fragment, beside its
        other files.

        Args:
            columns: Fields of Arrow; or new values by names: a literal, `sql_expr`, `col`, an expression of
                `pyarrow.compute`, or a function from a batch to an array; or rows from any library that have the new
                columns alone: as many as the table has, in the order of a scan of it.
            transaction_properties: Entries of the transaction's properties.
            idempotency_key: The key of the commit. If an earlier commit has it, nothing is done.

        Returns:
            What the commit did.

        Raises:
            InvalidInputError: The column exists, has no type, or is required and would be null; or there is not one
                given row for each row.
            CommitConflictError: Another writer changed the table, again and again; or once, if rows are given, which
                are those of the version that was open.

        Examples:
            >>> import pyarrow as pa
            >>> made = fb.lance.create_table(f"{folder}/more_columns", pa.table({"id": [1, 2]}))
            >>> _ = made.add_columns({"twice": fb.sql_expr("id * 2")})
            >>> _ = made.add_columns(pa.field("note", pa.string()))
            >>> _ = made.add_columns(pa.table({"rank": ["a", "b"]}))
            >>> made.scan().to_arrow().to_pydict()
            {'id': [1, 2], 'twice': [2, 4], 'note': [None, None], 'rank': ['a', 'b']}
        """

        def make(table: _native.LanceTable) -> Made:
            return added_columns(table, columns)

        on_conflict = "raise" if is_stream(columns) else "retry"
        return self._commit(
            make, transaction_properties, idempotency_key, operation="Merge", on_conflict=on_conflict
        )

    def drop_columns(
        self,
        names: Sequence[str] | str,
        *,
        transaction_properties: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> LanceCommitResult:
        """Drops columns, and indices on them. Their values stay in data files until a compaction.

        Args:
            names: Names of columns; fields of structs are dotted.
            transaction_properties: Entries of the transaction's properties.
            idempotency_key: The key of the commit. If an earlier commit has it, nothing is done.

        Returns:
            What the commit did.

        Raises:
            InvalidInputError: A column is unknown, or none would be left.
            CommitConflictError: Another writer changed the columns, again and again.

        Examples:
            >>> import pyarrow as pa
            >>> made = fb.lance.create_table(f"{folder}/fewer_columns", pa.table({"id": [1], "n": [2]}))
            >>> _ = made.drop_columns("n")
            >>> made.schema().names
            ['id']
        """
        chosen = [names] if isinstance(names, str) else checked_names("names", names)

        def make(table: _native.LanceTable) -> Made:
            return Made(_native.LanceOperation.drop_columns(table, chosen))

        return self._commit(make, transaction_properties, idempotency_key, operation="Project")

    def rename_columns(
        self, names: Mapping[str, str], *, transaction_properties: Mapping[str, str] | None = None
    ) -> LanceCommitResult:
        """Renames columns.

        Args:
            names: New names by the names of columns; fields of structs are dotted.
            transaction_properties: Entries of the transaction's properties.

        Returns:
            What the commit did.

        Raises:
            InvalidInputError: A column is unknown, or a name would be there twice.
        """
        changes: list[tuple[str, str | None, bool | None]] = [
            (checked_text("names", old), checked_text("names", new), None) for old, new in names.items()
        ]
        return self._alter(changes, transaction_properties)

    def alter_column(
        self,
        name: str,
        *,
        type: pa.DataType | None = None,  # noqa: A002 - the field's own word
        nullable: bool | None = None,
        transaction_properties: Mapping[str, str] | None = None,
    ) -> LanceCommitResult:
        """Changes the type of a column, or lets it be null.

        With another type, the values are written to a file for each fragment, beside its other files.

        Args:
            name: The name of the column.
            type: Its new type, which holds all values.
            nullable: `True` if it may be null from now on.
            transaction_properties: Entries of the transaction's properties.

        Returns:
            What the commit did.

        Raises:
            InvalidInputError: The column is unknown, or a value would change.
            UnsupportedError: The column should be required from now on.
        """
        checked_text("name", name)
        if (type is None) == (nullable is None):
            raise InvalidInputError("expected either a type or nullable")
        if type is None:
            return self._alter([(name, None, checked_bool("nullable", nullable))], transaction_properties)
        types = {name: type}

        def make(table: _native.LanceTable) -> Made:
            return changed_types(table, types)

        return self._commit(make, transaction_properties)

    def _alter(
        self,
        changes: list[tuple[str, str | None, bool | None]],
        transaction_properties: Mapping[str, str] | None,
    ) -> LanceCommitResult:
        if not changes:
            raise InvalidInputError("expected at least one column")

        def make(table: _native.LanceTable) -> Made:
            return Made(_native.LanceOperation.alter_columns(table, changes))

        return self._commit(make, transaction_properties)
