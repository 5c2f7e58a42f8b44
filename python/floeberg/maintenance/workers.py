"""Which parts of maintenance do other processes do?

What is chosen and what is committed is decided here, whoever reads and writes the files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from floeberg import _native
    from floeberg.commit.operations import OpenedTable
    from floeberg.maintenance.rewrite_options import RewriteOptions

__all__ = ["GroupCopies", "Listing", "Workers"]


class GroupCopies(Protocol):
    """Copies of the rows, or of the deletes, of groups of data files, for commits that write these again."""

    def begin(self, operation: _native.Operation, table: OpenedTable, branch: str) -> None:
        """Begins to copy the groups of a commit to come, as they are now. What fails is raised by its `copy`.

        Args:
            operation: The operation of the commit.
            table: The table.
            branch: The branch of the commit.
        """
        ...

    def copy(
        self,
        commit: _native.Commit,
        base: OpenedTable,
        report: Callable[[str, int, int, int], object] | None,
    ) -> None:
        """Hands a commit the copies that its attempt on a base needs, and that it does not have yet.

        Args:
            commit: The commit.
            base: The base.
            report: Called now and then with the step, the files that are done, all files, and rows.

        Raises:
            FloebergError: A group could not be copied. Copies of the others were handed over.
        """
        ...


class Listing(Protocol):
    """The files below a folder, before they are compared with a table."""

    @property
    def newest_ms(self) -> int | None:
        """When the newest of them, or of their folders, was written, in milliseconds since 1970.

        It is `None` where that is not known.
        """
        ...

    def orphans(
        self, table: OpenedTable, *, older_than_ms: int, prefix_mismatch: str
    ) -> list[tuple[str, int]]:
        """The orphans among them: locations and sizes. The table must have been loaded after the list was made.

        Raises:
            InvalidInputError: The folder holds another table, or none of the files that the table names.
            InvalidDataError: A manifest is damaged.
        """
        ...


class Workers(Protocol):
    """Other processes."""

    def listing(
        self,
        folder: str,
        *,
        storage_options: Mapping[str, str],
        equal_schemes: Mapping[str, str],
        equal_authorities: Mapping[str, str],
    ) -> Listing:
        """Lists a folder.

        Raises:
            UnsupportedError: The store cannot list its files.
        """
        ...

    def unneeded_files(self, before: OpenedTable, after: OpenedTable) -> list[tuple[str, str]]:
        """The files that a table needed before snapshots expired and does not need now: what each is, and where.

        Raises:
            InvalidDataError: A manifest is damaged.
            NotFoundError: A manifest is missing.
        """
        ...

    def writing_deletes(self) -> AbstractContextManager[GroupCopies]:
        """Begins to write delete files again. At the end of the block, files are removed that no commit took."""
        ...

    def copying(self, options: RewriteOptions) -> AbstractContextManager[GroupCopies]:
        """Begins to copy groups. At the end of the block, files are removed that no commit took."""
        ...
