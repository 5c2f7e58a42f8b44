"""How do tags, branches, settings and columns of a Lance table change, and how does an old version come back?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg._arguments import checked_bool, checked_names, checked_path, checked_size, checked_text
from floeberg.errors import InvalidInputError
from floeberg.lance._writes import LanceTableWrites
from floeberg.lance.column_changes import added_columns, changed_types, is_stream
from floeberg.lance.committing import Made
from floeberg.lance.maintenance import LanceMaintenance
from floeberg.lance.options import LanceCommitOptions  # noqa: TC001 - `_keywords` reads the name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa
    from typing_extensions import Unpack

    from floeberg.commit.new_values import NewValue
    from floeberg.lance.result import LanceCommitResult

__all__ = ["LanceTableEvolution"]


class LanceTableEvolution(LanceTableWrites):
    """The methods of `floeberg.lance.LanceTable` that change what its rows are in. No data file is written again."""

    def create_tag(self, name: str) -> None:
        """Gives the version that is open a name. The version is kept as long as the tag.

        Args:
            name: The name: letters, digits, `.`, `-` and `_`.

        Raises:
            AlreadyExistsError: The table has the tag.
            InvalidInputError: No tag may have the name.
            NotFoundError: The version was cleaned up, or another table is here now.

        Examples:
            >>> import pyarrow as pa
            >>> made = fb.lance.create_table(f"{folder}/tagged", pa.table({"id": [1]}))
            >>> made.create_tag("first")
            >>> made.tags()["first"].version
            1
        """
        _native.change_lance_ref(self._inner, "create-tag", checked_text("name", name))

    def update_tag(self, name: str) -> None:
        """Moves a tag to the version that is open.

        Raises:
            NotFoundError: The table does not have the tag.
        """
        _native.change_lance_ref(self._inner, "update-tag", checked_text("name", name))

    def delete_tag(self, name: str) -> None:
        """Removes a tag. The version stays.

        Raises:
            NotFoundError: The table does not have the tag.
        """
        _native.change_lance_ref(self._inner, "remove-tag", checked_text("name", name))

    def create_branch(self, name: str) -> None:
        """Makes a branch that begins with the version that is open. Open it with `open_table(..., branch=name)`.

        A branch names the data files of this version where they are; no file is copied. Indices are not part of it.

        Args:
            name: The name: letters, digits, `.`, `-`, `_`, and single slashes. After a slash it cannot be that of a
                folder of a table, such as `data`.

        Raises:
            AlreadyExistsError: The table has the branch.
            InvalidInputError: No branch may have the name.
            NotFoundError: The version was cleaned up, or another table is here now.
        """
        _native.change_lance_ref(self._inner, "create-branch", checked_text("name", name))

    def delete_branch(self, name: str) -> None:
        """Removes a branch and its versions. Its data files stay in its folder.

        Raises:
            NotFoundError: The table does not have the branch.
            InvalidInputError: Another branch came from it, or a tag names it.
        """
        _native.change_lance_ref(self._inner, "remove-branch", checked_text("name", name))

    def shallow_clone(self, target: str) -> None:
        """Makes a table in another folder that begins with the version that is open.

        It names the data files of this version where they are, and breaks if a cleanup of this table removes them: a
        tag keeps them. Indices are not part of it. Both folders are in one storage.

        Args:
            target: The folder of the new table.

        Raises:
            AlreadyExistsError: There is a Lance table.
        """
        _native.shallow_clone_lance_table(self._inner, checked_path("target", target))

    def restore(
        self, version: int, *, transaction_properties: Mapping[str, str] | None = None
    ) -> LanceCommitResult:
        """Makes an old version of the branch the newest, as a new version.

        Args:
            version: The old version.
            transaction_properties: Entries of the transaction's properties.

        Returns:
            What the commit did.

        Raises:
            NotFoundError: The version does not exist.
            InvalidInputError: The version is from before rows had stable ids.

        Examples:
            >>> import pyarrow as pa
            >>> made = fb.lance.create_table(f"{folder}/restored", pa.table({"id": [1]}))
            >>> _ = made.delete(delete_all=True)
            >>> made.restore(1).version, made.scan().count()
            (3, 1)
        """
        number = checked_size("version", version, 1)

        def make(_table: _native.LanceTable) -> Made:
            return Made(_native.LanceOperation.restore(number))

        return self._commit(make, transaction_properties=transaction_properties)

    def update_config(
        self, changes: Mapping[str, str | None], *, transaction_properties: Mapping[str, str] | None = None
    ) -> LanceCommitResult:
        """Sets settings of the table, and removes those whose value is `None`.

        Raises:
            CommitConflictError: Another writer set one of them.
        """
        entries = _entries(changes)

        def make(_table: _native.LanceTable) -> Made:
            return Made(_native.LanceOperation.update_config(entries))

        return self._commit(make, transaction_properties=transaction_properties)

    def update_schema_metadata(
        self,
        changes: Mapping[str, str | None],
        *,
        replace: bool = False,
        transaction_properties: Mapping[str, str] | None = None,
    ) -> LanceCommitResult:
        """Sets metadata of the schema, and removes those whose value is `None`; with `replace` all others too.

        Raises:
            CommitConflictError: Another writer changed the metadata or the columns.
        """
        entries, whole = _entries(changes), checked_bool("replace", replace)

        def make(_table: _native.LanceTable) -> Made:
            return Made(_native.LanceOperation.update_metadata(entries, replace=whole))

        return self._commit(make, transaction_properties=transaction_properties)

    @property
    def maintenance(self) -> LanceMaintenance:
        """What keeps the table small: `compact` and `cleanup`."""
        return LanceMaintenance(self)

    def add_columns(
        self,
        columns: pa.Schema | pa.Field | Sequence[pa.Field] | Mapping[str, NewValue] | Any,  # noqa: ANN401 - rows of any library
        **commit: Unpack[LanceCommitOptions],
    ) -> LanceCommitResult:
        """Adds columns.

        Fields of Arrow add columns of nulls, without a file. Values are written to a file for each fragment, beside its
        other files.

        Args:
            columns: Fields of Arrow; or new values by names: a literal, `sql_expr`, `col`, an expression of
                `pyarrow.compute`, or a function from a batch to an array; or rows from any library that have the new
                columns alone: as many as the table has, in the order of a scan of it.
            **commit: As `LanceCommitOptions` says.

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
        return self._commit(make, operation="Merge", on_conflict=on_conflict, **commit)

    def drop_columns(
        self,
        names: Sequence[str] | str,
        **commit: Unpack[LanceCommitOptions],
    ) -> LanceCommitResult:
        """Drops columns, and indices on them. Their values stay in data files until a compaction.

        Args:
            names: Names of columns; fields of structs are dotted.
            **commit: As `LanceCommitOptions` says.

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

        return self._commit(make, operation="Project", **commit)

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

        return self._commit(make, transaction_properties=transaction_properties)

    def _alter(
        self,
        changes: list[tuple[str, str | None, bool | None]],
        transaction_properties: Mapping[str, str] | None,
    ) -> LanceCommitResult:
        if not changes:
            raise InvalidInputError("expected at least one column")

        def make(table: _native.LanceTable) -> Made:
            return Made(_native.LanceOperation.alter_columns(table, changes))

        return self._commit(make, transaction_properties=transaction_properties)


def _entries(changes: Mapping[str, str | None]) -> list[tuple[str, str | None]]:
    entries = []
    for key, value in changes.items():
        if value is not None and not isinstance(value, str):
            raise InvalidInputError(
                f"the value of {key!r} is of type {type(value).__name__}, expected a str or None"
            )
        entries.append((checked_text("key", key), value if value is None else checked_text("value", value)))
    return entries
