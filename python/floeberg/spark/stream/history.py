"""Which snapshots does a stream read, and in which order?

In: the snapshots of a table, and the head of a branch. Out: those after an offset, oldest first.

Invariant: a snapshot between two offsets is read, skipped because it changes no row, skipped because an option says so,
or it is an error. None is missed: where one has expired, it is an error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.types._snapshots import ancestors

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.spark.read.stream_options import StreamOptions
    from floeberg.spark.stream.offset import StreamOffset
    from floeberg.table import Table
    from floeberg.types import Snapshot

__all__ = ["History", "Piece"]

_ANEW = "start a new query with a checkpoint of its own, which reads the table again"
_SKIPS = {
    "delete": ("streaming-skip-delete-snapshots", "deleted rows"),
    "overwrite": ("streaming-skip-overwrite-snapshots", "replaced rows"),
}


@dataclass(frozen=True)
class Piece:
    """Files of one snapshot.

    Args:
        snapshot: The snapshot.
        start: The first file, by its number.
        end: The file after the last one; `None` is all.
        is_whole: Whether the files are all of the snapshot, and not only those that it added.
        ordinal: How many snapshots the stream read before.
    """

    snapshot: Snapshot
    start: int = 0
    end: int | None = None
    is_whole: bool = False
    ordinal: int = 0

    @property
    def has_all_files(self) -> bool:
        """Whether no file is left out."""
        return self.start == 0 and self.end is None


@dataclass(frozen=True)
class History:
    """The snapshots of a table.

    Args:
        snapshots: The snapshots that have not expired, by their ids.
        head: The newest snapshot of the branch; `None` without snapshots.
        branch: The branch.
        options: Which snapshots are read.
    """

    snapshots: Mapping[int, Snapshot]
    head: int | None
    branch: str
    options: StreamOptions

    @classmethod
    def of(cls, table: Table, branch: str | None, options: StreamOptions) -> History:
        """The history of a table.

        Raises:
            InvalidInputError: The name is that of a tag.
            NotFoundError: The table has snapshots, and no such branch.
        """
        known = {each.snapshot_id: each for each in table.snapshots()}
        head = None
        if known:
            ref = table.refs().get(branch or "main")
            if ref is not None and ref.snapshot_ref_type != "branch":
                raise InvalidInputError(f"the option 'branch': {branch!r} is a {ref.snapshot_ref_type}")
            # A table whose snapshots are all staged has no current one.
            head = table.scan(branch=branch).snapshot_id if branch else table.scan().snapshot_id
        return cls(known, head, branch or "main", options)

    def first(self, last: int | None) -> tuple[Snapshot, bool] | None:
        """The snapshot where a stream begins, and whether all of its rows are read; `None` where there is none yet.

        Without a time, a stream begins with all rows of the oldest snapshot that is left.

        Args:
            last: The newest snapshot that may be read.

        Raises:
            InvalidInputError: Snapshots after the time have expired.
        """
        since = self.options.from_timestamp_ms
        line = self.ancestors(last)
        if not line:
            return None
        oldest = line[-1]
        if since is None:
            return oldest, True
        if oldest.parent_snapshot_id is not None and since < oldest.timestamp_ms:
            raise InvalidInputError(
                f"snapshots after stream-from-timestamp ({since}) may have expired: the oldest one that is left is "
                f"{oldest.snapshot_id}, of {oldest.timestamp_ms}. Start from there, or leave the option out, which "
                "reads all rows of that snapshot first"
            )
        found = None
        for snapshot in line:
            if snapshot.timestamp_ms < since:
                break
            found = snapshot
        return None if found is None else (found, False)

    def after(self, snapshot_id: int, last: int | None) -> list[Snapshot]:
        """The snapshots after one up to another, oldest first.

        Raises:
            InvalidInputError: They are not in one line of ancestors, or some have expired.
        """
        found = []
        if snapshot_id == last:
            return []
        for snapshot in self.ancestors(last):
            found.append(snapshot)
            if snapshot.parent_snapshot_id == snapshot_id:
                return found[::-1]
        if last is not None and last not in self.snapshots:
            raise InvalidInputError(
                f"snapshot {last}, up to which a batch of the stream reads, has expired: its rows may be missed. To go "
                f"on, {_ANEW}"
            )
        if snapshot_id in self.snapshots:
            raise InvalidInputError(
                f"snapshot {snapshot_id}, up to which the stream has read, is not in branch {self.branch!r} any more: "
                f"the branch was rolled back or replaced. Rows that were read may be gone: {_ANEW}"
            )
        raise InvalidInputError(
            f"snapshot {snapshot_id}, up to which the stream has read, has expired, and so have later ones: rows may "
            f"be missed. To accept that, start a new query with a checkpoint of its own and stream-from-timestamp; "
            f"else {_ANEW}. Expire snapshots later than the stream reads them"
        )

    def pieces(self, start: StreamOffset, end: StreamOffset) -> list[Piece]:
        """What is between two offsets, oldest first.

        Raises:
            InvalidInputError: A snapshot has expired or must not be read, or the end is before the start.
        """
        if end.snapshot_id is None or start == end:
            return []
        if start.snapshot_id is None:
            if end.first is None:
                raise InvalidInputError("the first offset of the stream does not say where the stream began")
            first, is_whole = end.first
            found = [Piece(self.known(first), is_whole=is_whole)] if self._begins(first, is_whole) else []
            ordinal, before = len(found), first
        else:
            found, ordinal, before = [], start.ordinal, start.snapshot_id
            if not start.is_complete:
                snapshot = self.known(start.snapshot_id)
                found = [Piece(snapshot, start.position, None, start.is_whole, start.ordinal)]
                ordinal += 1
        for snapshot in self.after(before, end.snapshot_id):
            if self.is_read(snapshot):
                found.append(Piece(snapshot, ordinal=ordinal))
                ordinal += 1
        if not end.is_complete:
            last = found[-1] if found else None
            if last is None or last.snapshot.snapshot_id != end.snapshot_id:
                raise InvalidInputError(
                    f"the stream stopped inside snapshot {end.snapshot_id}, which it does not read"
                )
            if last.start > end.position:
                raise InvalidInputError(
                    f"the checkpoint is damaged: a batch reads snapshot {end.snapshot_id} from file {last.start} to "
                    f"file {end.position}. To go on, {_ANEW}"
                )
            found[-1] = Piece(last.snapshot, last.start, end.position, last.is_whole, last.ordinal)
        return found

    def _begins(self, snapshot_id: int, is_whole: bool) -> bool:  # noqa: FBT001 - a part of an offset
        return is_whole or self.is_read(self.known(snapshot_id))

    def is_read(self, snapshot: Snapshot) -> bool:
        """Whether rows of a snapshot are read.

        Raises:
            InvalidInputError: It deletes or overwrites, and no option says to skip it. Or a changelog cannot tell what
                it changed.
            UnsupportedError: It does not say what it did.
        """
        operation = snapshot.operation
        if operation == "replace":
            return False
        if operation == "append":
            return True
        if self.options.changelog:
            self._check_comparable(snapshot)
            return True
        if operation not in _SKIPS:
            raise UnsupportedError(
                f"snapshot {snapshot.snapshot_id} has the operation {operation!r}: it may not be an append"
            )
        option, what = _SKIPS[operation]
        if self.options.skip_deletes if operation == "delete" else self.options.skip_overwrites:
            return False
        raise InvalidInputError(
            f"snapshot {snapshot.snapshot_id} {what}, and a stream reads what was appended: set {option}=true to skip "
            f"such snapshots, or changelog=true to read what they changed"
        )

    def _check_comparable(self, snapshot: Snapshot) -> None:
        """Raises where the snapshot before one has expired, so that nothing tells what it changed."""
        before = snapshot.parent_snapshot_id
        if before is not None and before not in self.snapshots:
            raise InvalidInputError(
                f"snapshot {snapshot.snapshot_id} changed rows of snapshot {before}, which has expired: what it "
                f"changed is not known any more. To go on, {_ANEW}. A changelog needs the snapshot up to which it has "
                "read: expire it later"
            )

    def known(self, snapshot_id: int) -> Snapshot:
        """A snapshot by its id.

        Raises:
            InvalidInputError: It has expired.
        """
        found = self.snapshots.get(snapshot_id)
        if found is None:
            raise InvalidInputError(
                f"snapshot {snapshot_id} has expired, and the stream has not read all of its files: rows may be "
                f"missed. To go on, {_ANEW}"
            )
        return found

    def ancestors(self, snapshot_id: int | None) -> list[Snapshot]:
        """A snapshot and those before it that have not expired, newest first."""
        return ancestors(self.snapshots.values(), snapshot_id)
