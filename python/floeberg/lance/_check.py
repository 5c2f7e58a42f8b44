"""How is it checked whether a Lance table is what the format says?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg._arguments import checked_bool, checked_size, checked_text
from floeberg.checking.checks import Check, checked_sample
from floeberg.lance._base import LanceTableBase

if TYPE_CHECKING:
    from floeberg.checking.finding import Level

__all__ = ["LanceTableChecks"]


class LanceTableChecks(LanceTableBase):
    """The method of `floeberg.lance.LanceTable` that checks it."""

    def check(
        self,
        level: Level = "manifests",
        *,
        version: int | None = None,
        since: int | None = None,
        all_versions: bool = False,
        sample: float | None = None,
    ) -> Check:
        """Checks whether the table is what the format says. What is broken is a finding, and no error.

        All files are read again, whatever this process knows of them. A table that cannot be opened is checked by
        `fb.check`. A finding has the version in `snapshot_id`.

        Args:
            level: How deep: `metadata` (manifests without their fragments, transactions, tags and branches),
                `manifests` (fragments, row ids and indices too), `files` (files are opened, and their footers read)
                or `rows` (all rows are read, by pylance). Each level includes those before it.
            version: Checks this version of the branch, and not the one that is open.
            since: Checks what is new since this version: the versions after it, and the files that it does not name.
            all_versions: Whether all versions of the branch are checked.
            sample: The part of the files that is opened, such as 0.01. The same files are opened each time.

        Returns:
            The check, which is run as its findings are taken.

        Raises:
            InvalidInputError: The level is unknown, the sample is not above 0 and up to 1, or all versions are asked
                for beside a version.

        Examples:
            >>> lance_table.check("files").is_sound()
            True
        """
        request: dict[str, Any] = {
            "level": checked_text("level", level),
            "version": None if version is None else checked_size("version", version),
            "since": None if since is None else checked_size("since", since),
            "all_versions": checked_bool("all_versions", all_versions),
            "sample": checked_sample(sample),
        }
        inner = self._inner
        return Check(
            lambda: _native.Check.of_lance_table(inner, **request),
            f"{inner.location!r}, {level!r}",
        )
