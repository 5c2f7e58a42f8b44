"""Where do the reads and writes of a table go while its changes are audited before they are published?

In: settings of a catalog or a Spark session, properties of a table, and what a write asks for. Out: the branch, and
whether the snapshot is staged. As Iceberg's Spark does with `spark.wap.id` and `spark.wap.branch`.

Invariant: a table whose property `write.wap.enabled` is not true is read and written as if there were no settings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg._table_properties import flag_of
from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from typing_extensions import Self

__all__ = ["WapSettings", "WriteTarget"]

_ENABLED = "write.wap.enabled"
_ID = "wap.id"


@dataclass(frozen=True)
class WriteTarget:
    """Where a write goes.

    Args:
        branch: The branch; `None` is `main`.
        snapshot_properties: Entries of the summaries of its snapshots.
        is_staged: Whether its snapshot is only added to the table, and no branch gets it.
    """

    branch: str | None
    snapshot_properties: dict[str, str]
    is_staged: bool


@dataclass(frozen=True)
class WapSettings:
    """What a catalog or a session says of audits.

    Args:
        wap_id: Writes are staged with this `wap.id`.
        wap_branch: Writes go to this branch, and reads too once it exists.
    """

    wap_id: str | None = None
    wap_branch: str | None = None

    @classmethod
    def of(cls, properties: Mapping[str, str]) -> Self:
        """The settings of a catalog, in its properties `wap.id` and `wap.branch`, also spelled `wap_id`."""
        found = {key.replace("_", "-").replace(".", "-"): value for key, value in properties.items()}
        return cls(found.get("wap-id") or None, found.get("wap-branch") or None)

    def __bool__(self) -> bool:
        """Whether anything is set."""
        return self.wap_id is not None or self.wap_branch is not None

    def is_for(self, table_properties: Mapping[str, str]) -> bool:
        """Whether a table follows the settings.

        Raises:
            InvalidInputError: Both are set; or the property of the table is neither `true` nor `false`.
        """
        if not self or not flag_of(table_properties, _ENABLED):
            return False
        if self.wap_id is not None and self.wap_branch is not None:
            raise InvalidInputError(
                f"both a wap.id, {self.wap_id!r}, and a wap.branch, {self.wap_branch!r}, are set: unset one of them"
            )
        return True

    def branch_to_read(self, table_properties: Mapping[str, str], branches: Collection[str]) -> str | None:
        """The branch that is read where none is chosen; `None` is `main`."""
        known = self.wap_branch is not None and self.is_for(table_properties)
        return self.wap_branch if known and self.wap_branch in branches else None

    def target(
        self,
        table_properties: Mapping[str, str],
        *,
        branch: str | None,
        snapshot_properties: Mapping[str, str],
        stage_only: bool,
    ) -> WriteTarget:
        """Where a write goes.

        Args:
            table_properties: The properties of the table.
            branch: The branch that the write names.
            snapshot_properties: The entries that it adds to summaries. A `wap.id` stages it.
            stage_only: Whether it stages its snapshot in any case.

        Raises:
            InvalidInputError: A `wap.id` comes with a branch of the settings, or for a table without audits, where its
                rows would be published at once. Or the write names another branch than the settings.
        """
        properties = dict(snapshot_properties)
        is_followed = self.is_for(table_properties)
        given = properties.get(_ID)
        wap_branch = self.wap_branch if is_followed else None
        if given is not None:
            _check_id(given, wap_branch)
            if not stage_only and not flag_of(table_properties, _ENABLED):
                raise InvalidInputError(
                    f"{_ID}: the rows would be published at once, since the property {_ENABLED} of the table is not "
                    "true: set it, or write with stage_only=True"
                )
            stage_only = True
        elif is_followed and self.wap_id is not None:
            properties[_ID] = self.wap_id
            stage_only = True
        if wap_branch is not None:
            if branch not in (None, wap_branch):
                raise InvalidInputError(
                    f"branch: the write names {branch!r}, and wap.branch is {wap_branch!r}: leave one of them out"
                )
            branch = wap_branch
        return WriteTarget(branch, properties, stage_only)


def _check_id(given: str, wap_branch: str | None) -> None:
    """Raises `InvalidInputError` for an id that cannot be."""
    if not given:
        raise InvalidInputError(f"{_ID}: expected an id, found an empty string")
    if wap_branch is not None:
        raise InvalidInputError(
            f"both a wap.id, {given!r}, and a wap.branch, {wap_branch!r}, are set: leave one of them out"
        )
