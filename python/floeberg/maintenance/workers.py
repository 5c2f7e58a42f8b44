"""Which parts of maintenance do other processes do?

What is chosen and what is committed is decided here, whoever reads and writes the files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from floeberg import _native
    from floeberg.commit.operations import OpenedTable
    from floeberg.maintenance.rewrite_options import RewriteOptions

__all__ = ["GroupCopies", "Workers"]


class GroupCopies(Protocol):
    """Copies of the rows of groups of data files, for commits that write these again."""

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


class Workers(Protocol):
    """Other processes."""

    def copying(self, options: RewriteOptions) -> AbstractContextManager[GroupCopies]:
        """Begins to copy groups. At the end of the block, files are removed that no commit took."""
        ...
