"""How do tags, branches and settings of a Lance table change, and how does an old version come back?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg import _native
from floeberg._arguments import checked_bool, checked_path, checked_size, checked_text
from floeberg.errors import InvalidInputError
from floeberg.lance._writes import LanceTableWrites
from floeberg.lance.committing import Made
from floeberg.lance.maintenance import LanceMaintenance

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.lance.result import LanceCommitResult

__all__ = ["LanceTableReferences"]


class LanceTableReferences(LanceTableWrites):
    """The methods of `floeberg.lance.LanceTable` that change tags, branches and settings."""

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

        return self._commit(make, transaction_properties)

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

        return self._commit(make, transaction_properties)

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

        return self._commit(make, transaction_properties)

    @property
    def maintenance(self) -> LanceMaintenance:
        """What keeps the table small: `compact` and `cleanup`."""
        return LanceMaintenance(self)


def _entries(changes: Mapping[str, str | None]) -> list[tuple[str, str | None]]:
    entries = []
    for key, value in changes.items():
        if value is not None and not isinstance(value, str):
            raise InvalidInputError(
                f"the value of {key!r} is of type {type(value).__name__}, expected a str or None"
            )
        entries.append((checked_text("key", key), value if value is None else checked_text("value", value)))
    return entries
