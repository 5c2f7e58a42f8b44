"""Which versions, tags and branches does a Lance table have?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg._timestamps import moment_of
from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.lance._base import LanceTableBase
from floeberg.lance.manifest_store import Manifests
from floeberg.lance.versions import LanceBranch, LanceTag, LanceVersion, LanceVersions, version_of

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["LanceTableVersions"]


class LanceTableVersions(LanceTableBase):
    """The methods of `floeberg.lance.LanceTable` that list versions and refs."""

    _is_pinned: bool

    def versions(self) -> list[LanceVersion]:
        """The versions of the branch, oldest first. Each manifest is opened.

        Returns:
            The versions, with the times when they were made.

        Raises:
            InvalidDataError: A manifest is damaged.

        Examples:
            >>> [each.version for each in lance_table.versions()]
            [1, 2, 3, 4, 5, 6, 7]
        """
        return LanceVersions(version_of(parts) for parts in self._inner.versions())

    def version_numbers(self) -> list[int]:
        """The numbers of the versions of the branch, ascending. No manifest is opened.

        Returns:
            The numbers.

        Examples:
            >>> lance_table.version_numbers()[-1]
            7
        """
        return self._inner.version_numbers()

    def tags(self) -> dict[str, LanceTag]:
        """The tags, by name.

        Returns:
            The tags of all branches.

        Raises:
            InvalidDataError: The file of a tag is damaged.
        """
        return {name: LanceTag(name, version, branch) for name, version, branch in self._inner.tags()}

    def branches(self) -> dict[str, LanceBranch]:
        """The branches, by name. The main branch is not in it.

        Returns:
            The branches.

        Raises:
            InvalidDataError: The file of a branch is damaged.
        """
        return {
            name: LanceBranch(name, parent, version, moment_of(created * 1_000_000))
            for name, parent, version, created in self._inner.branches()
        }

    def refs(self) -> dict[str, LanceTag | LanceBranch]:
        """Branches and tags by name. The main branch is not in it.

        Returns:
            What `tags` and `branches` return.

        Raises:
            InvalidInputError: A branch and a tag have the same name.
        """
        tags, branches = self.tags(), self.branches()
        both = sorted(set(tags).intersection(branches))
        if both:
            raise InvalidInputError(
                f"{both[0]!r} is a branch and a tag: ask tags() and branches(), or inspect.refs()"
            )
        return {**branches, **tags}

    def refresh(self) -> Self:
        """Opens the newest version of the branch.

        Returns:
            The table itself.

        Raises:
            NoSuchTableError: The table was removed, or made anew at its place.
            UnsupportedError: The table was opened at a version, a tag or a time.
        """
        if self._is_pinned:
            raise UnsupportedError(
                "the table was opened at a fixed version: open it without version, tag and as_of to follow it"
            )
        if self._manifest_store is not None:
            Manifests.of(self._manifest_store, self._inner).catch_up()
        self._become(self._inner.newest())
        return self
