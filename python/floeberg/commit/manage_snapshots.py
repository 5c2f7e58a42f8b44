"""How are branches, tags and the newest snapshot of a branch changed?

In: calls, named as in PyIceberg, and where it has none as in Iceberg Java. Out: operations, one for each call.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg._arguments import checked_int, checked_text
from floeberg._keywords import says_keywords_of_methods
from floeberg.commit.table_changes import OperationChanges
from floeberg.errors import InvalidInputError, NotFoundError
from floeberg.types._from_json import read_snapshots

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from typing_extensions import Self

    from floeberg.commit.operations import OpenedTable

__all__ = ["ManageSnapshots"]


@says_keywords_of_methods
class ManageSnapshots(OperationChanges):
    """Changes to branches and tags, and rollbacks, committed together in the order of the calls.

    As a context manager it commits its changes at the end of the block, and drops them where the block raises. Only
    metadata changes. Whatever moves or removes a branch or a tag fails with `CommitConflictError` where another writer
    moved it since the table was loaded, so that no commit is lost unseen.

    Examples:
        >>> _ = orders.append(pa.table({"id": [1]}))
        >>> with orders.manage_snapshots() as snapshots:
        ...     _ = snapshots.create_tag(orders.current_snapshot().snapshot_id, "first").create_branch(None, "audit")
        >>> sorted(orders.refs())
        ['audit', 'first', 'main']
    """

    def __init__(
        self,
        commit: Callable[[Sequence[_native.Operation]], object],
        table: Callable[[], OpenedTable],
        wap_branch: Callable[[], str | None] = lambda: None,
    ) -> None:
        """Use `Table.manage_snapshots` or `Transaction.manage_snapshots`.

        Args:
            commit: Takes the operations.
            table: Gives the table as it was loaded.
            wap_branch: Gives the branch whose newest snapshot is the current one, if it is not `main`.
        """
        super().__init__(commit)
        self._table = table
        self._wap_branch = wap_branch

    def create_tag(self, snapshot_id: int | None, tag_name: str, max_ref_age_ms: int | None = None) -> Self:
        """Makes a tag.

        Args:
            snapshot_id: Its snapshot; `None` is the current one, after the changes before this one. As with
                `current_snapshot`, it is that of the `wap.branch`, where there is one.
            tag_name: Its name.
            max_ref_age_ms: The age in milliseconds at which expiry removes the tag. `None` follows the table's
                properties.

        Returns:
            These changes.
        """
        ref = {"type": "tag", "max-ref-age-ms": _age("max_ref_age_ms", max_ref_age_ms)}
        return self._create("tag_name", tag_name, snapshot_id, ref)

    def create_branch(
        self,
        snapshot_id: int | None,
        branch_name: str,
        max_ref_age_ms: int | None = None,
        max_snapshot_age_ms: int | None = None,
        min_snapshots_to_keep: int | None = None,
    ) -> Self:
        """Makes a branch.

        Args:
            snapshot_id: Its newest snapshot; `None` as with `create_tag`.
            branch_name: Its name.
            max_ref_age_ms: The age in milliseconds at which expiry removes the branch. `None` follows the table's
                properties, as with the next two.
            max_snapshot_age_ms: The age in milliseconds at which expiry removes snapshots of the branch.
            min_snapshots_to_keep: How many snapshots of the branch expiry keeps.

        Returns:
            These changes.
        """
        ref = {
            "type": "branch",
            "max-ref-age-ms": _age("max_ref_age_ms", max_ref_age_ms),
            "max-snapshot-age-ms": _age("max_snapshot_age_ms", max_snapshot_age_ms),
            "min-snapshots-to-keep": _age("min_snapshots_to_keep", min_snapshots_to_keep),
        }
        return self._create("branch_name", branch_name, snapshot_id, ref)

    def replace_tag(self, tag_name: str, snapshot_id: int) -> Self:
        """Makes a tag name another snapshot. Its retention stays.

        Args:
            tag_name: The tag.
            snapshot_id: The other snapshot.

        Returns:
            These changes.
        """
        return self._replace("tag", checked_text("tag_name", tag_name), snapshot_id)

    def replace_branch(self, branch_name: str, snapshot_id: int) -> Self:
        """Makes another snapshot the newest of a branch, related or not. Its retention stays.

        Args:
            branch_name: The branch.
            snapshot_id: The other snapshot.

        Returns:
            These changes.
        """
        return self._replace("branch", checked_text("branch_name", branch_name), snapshot_id)

    def rename_branch(self, branch_name: str, new_branch_name: str) -> Self:
        """Gives a branch another name. `main` keeps its name.

        Args:
            branch_name: The branch.
            new_branch_name: The other name.

        Returns:
            These changes.
        """
        names = {
            "name": checked_text("branch_name", branch_name),
            "new-name": checked_text("new_branch_name", new_branch_name),
        }
        return self._add("rename", **names)

    def remove_tag(self, tag_name: str) -> Self:
        """Removes a tag. Its snapshot stays until it is expired.

        Args:
            tag_name: The tag.

        Returns:
            These changes.
        """
        return self._add("remove", name=checked_text("tag_name", tag_name), type="tag")

    def remove_branch(self, branch_name: str) -> Self:
        """Removes a branch. Its snapshots stay until they are expired. `main` cannot be removed.

        Args:
            branch_name: The branch.

        Returns:
            These changes.
        """
        return self._add("remove", name=checked_text("branch_name", branch_name), type="branch")

    def set_min_snapshots_to_keep(self, branch_name: str, min_snapshots_to_keep: int) -> Self:
        """Sets how many snapshots of a branch expiry keeps.

        Args:
            branch_name: The branch.
            min_snapshots_to_keep: The number.

        Returns:
            These changes.
        """
        number = checked_int("min_snapshots_to_keep", min_snapshots_to_keep)
        name = checked_text("branch_name", branch_name)
        return self._add("retention", name=name, **{"min-snapshots-to-keep": number})

    def set_max_snapshot_age_ms(self, branch_name: str, max_snapshot_age_ms: int) -> Self:
        """Sets the age at which expiry removes snapshots of a branch.

        Args:
            branch_name: The branch.
            max_snapshot_age_ms: The age in milliseconds.

        Returns:
            These changes.
        """
        age = checked_int("max_snapshot_age_ms", max_snapshot_age_ms)
        name = checked_text("branch_name", branch_name)
        return self._add("retention", name=name, **{"max-snapshot-age-ms": age})

    def set_max_ref_age_ms(self, name: str, max_ref_age_ms: int) -> Self:
        """Sets the age at which expiry removes a branch or a tag. `main` never expires.

        Args:
            name: The branch or tag.
            max_ref_age_ms: The age in milliseconds.

        Returns:
            These changes.
        """
        age = checked_int("max_ref_age_ms", max_ref_age_ms)
        return self._add("retention", name=checked_text("name", name), **{"max-ref-age-ms": age})

    def set_current_snapshot(self, snapshot_id: int | None = None, ref_name: str | None = None) -> Self:
        """Makes a snapshot the current one, related or not.

        Args:
            snapshot_id: The snapshot.
            ref_name: A branch or a tag instead, whose snapshot it is.

        Returns:
            These changes.

        Raises:
            InvalidInputError: Both or neither are given.
        """
        if (snapshot_id is None) == (ref_name is None):
            raise InvalidInputError("expected either snapshot_id or ref_name")
        if ref_name is not None:
            return self._add("set-current", ref=checked_text("ref_name", ref_name))
        return self._add("set-current", **{"snapshot-id": checked_int("snapshot_id", snapshot_id)})

    def rollback_to_snapshot(self, snapshot_id: int) -> Self:
        """Makes an ancestor of the current snapshot the current one again.

        Args:
            snapshot_id: The ancestor.

        Returns:
            These changes.
        """
        return self._add("rollback", **{"snapshot-id": checked_int("snapshot_id", snapshot_id)})

    def rollback_to_timestamp(self, timestamp_ms: int) -> Self:
        """Makes the newest ancestor of the current snapshot that is older than a time the current one again.

        Args:
            timestamp_ms: The time: milliseconds from 1970-01-01 UTC.

        Returns:
            These changes.
        """
        return self._add(
            "rollback-to-timestamp", **{"timestamp-ms": checked_int("timestamp_ms", timestamp_ms)}
        )

    def fast_forward(self, branch_name: str, to_name: str) -> Self:
        """Moves a branch forward to the snapshot of another branch or a tag, which must be a descendant.

        Args:
            branch_name: The branch. A missing one is made.
            to_name: The other branch, or a tag.

        Returns:
            These changes.
        """
        names = {"name": checked_text("branch_name", branch_name), "to": checked_text("to_name", to_name)}
        return self._add("fast-forward", **names)

    def cherrypick(self, snapshot_id: int) -> Self:
        """Applies the changes of another branch's snapshot, or of a staged one, to the current state.

        Appends and dynamic partition overwrites are applied again, as a new snapshot that names its source. If the
        parent of the snapshot is the current one, the snapshot itself becomes current, whatever it does.

        Args:
            snapshot_id: The snapshot.

        Returns:
            These changes.
        """
        self._operations.append(_native.Operation.cherrypick(checked_int("snapshot_id", snapshot_id)))
        return self

    def publish_changes(self, wap_id: str) -> Self:
        """Applies the changes of the staged snapshot whose summary has a `wap.id`: see `cherrypick`.

        Args:
            wap_id: The id.

        Returns:
            These changes.

        Raises:
            NotFoundError: No snapshot of the table has the id.
            InvalidInputError: Several have it.
        """
        wanted = checked_text("wap_id", wap_id)
        snapshots = read_snapshots(self._table())
        found = [each.snapshot_id for each in snapshots if each.summary.get("wap.id") == wanted]
        if not found:
            raise NotFoundError(
                f"no snapshot of the table has the wap.id {wanted!r}: refresh() the table if another writer staged it"
            )
        if len(found) > 1:
            raise InvalidInputError(
                f"the snapshots {found} have the wap.id {wanted!r}: cherrypick(...) one of them"
            )
        return self.cherrypick(found[0])

    def _create(
        self, argument: str, name: object, snapshot_id: int | None, ref: dict[str, str | int | None]
    ) -> Self:
        # Which is the newest one is known when the changes before this one are made.
        known = -1 if snapshot_id is None else checked_int("snapshot_id", snapshot_id)
        kept = {key: value for key, value in ref.items() if value is not None} | {"snapshot-id": known}
        values = {"name": checked_text(argument, name), "ref": kept, "of-head": snapshot_id is None}
        audited = self._wap_branch() if snapshot_id is None else None
        return self._add("create", **values, **({} if audited is None else {"of": audited}))

    def _replace(self, kind: str, name: str, snapshot_id: int) -> Self:
        target = {"snapshot-id": checked_int("snapshot_id", snapshot_id)}
        return self._add("replace", name=name, type=kind, **target)

    def _add(self, change: str, **values: object) -> Self:
        self._operations.append(_native.Operation.change_ref(json.dumps({"change": change, **values})))
        return self

    def commit(self) -> None:
        """Commits the changes. Without any, nothing happens.

        Raises:
            NotFoundError: A branch, tag or snapshot does not exist.
            AlreadyExistsError: A name is taken, or a cherry-picked snapshot is in the branch already.
            InvalidInputError: A change is not possible: a tag where a branch is needed, a snapshot that is not an
                ancestor, a retention that is not positive, `main` removed or renamed.
            CommitConflictError: Another writer moved a branch or a tag that a change moves or removes.
        """
        self._commit_operations()


def _age(name: str, value: object) -> int | None:
    return None if value is None else checked_int(name, value)
