"""Which files are between two offsets, and how far may the next offset go?

Pieces of a history are planned as scans: appends in a row as one, a part of a snapshot alone. The files of a part are
numbered by its plan without a filter, so that a query with another filter goes on where the last one stopped.

Invariant: the plan of a snapshot has the same files in the same order whenever it is made.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError
from floeberg.expressions import as_expression
from floeberg.scan import Scan
from floeberg.scan.plan import Plan
from floeberg.spark.stream.history import Piece
from floeberg.spark.stream.offset import StreamOffset

if TYPE_CHECKING:
    from collections.abc import Iterator

    from floeberg.spark.read.options import ScanOptions
    from floeberg.spark.stream.admission import Admitted
    from floeberg.spark.stream.history import History
    from floeberg.table import Table
    from floeberg.types import Snapshot

__all__ = ["StreamPlanning"]


@dataclass(frozen=True)
class StreamPlanning:
    """The plans of a stream.

    Args:
        table: The table as it is now.
        options: What is read of it.
        case_sensitive: Whether the case of names of columns counts.
        names: The columns that are read.
    """

    table: Table
    options: ScanOptions
    case_sensitive: bool
    names: tuple[str, ...] = ("*",)

    def plans(self, pieces: list[Piece]) -> Iterator[tuple[Piece, Plan]]:
        """The plans of pieces that only add rows, in order, each with its first piece."""
        run: list[Piece] = []
        for piece in pieces:
            joins = piece.has_all_files and not piece.is_whole
            if run and not joins:
                yield run[0], self._appended(run)
                run = []
            if joins:
                run.append(piece)
            else:
                yield piece, self.plan(piece)
        if run:
            yield run[0], self._appended(run)

    def plan(self, piece: Piece) -> Plan:
        """The plan of one piece.

        Raises:
            InvalidInputError: The snapshot has fewer files.
        """
        plan = self.scan(piece).plan_files()
        if piece.has_all_files:
            return plan
        if self.options.filter is None:
            _check_position(piece.snapshot, max(piece.start, piece.end or 0), len(plan))
            return _only(plan, list(range(piece.start, len(plan) if piece.end is None else piece.end)))
        batches = self._everything(piece).plan_files().iter_batches()
        paths = [path for batch in batches for path in batch["file_path"].to_pylist()]
        _check_position(piece.snapshot, max(piece.start, piece.end or 0), len(paths))
        wanted = set(paths[piece.start : piece.end])
        found = plan.to_arrow()["file_path"].to_pylist()
        return _only(plan, [number for number, path in enumerate(found) if path in wanted])

    def scan(self, piece: Piece) -> Scan:
        """What is read of the snapshot of a piece."""
        return self.narrowed(self._everything(piece))

    def now(self) -> Scan:
        """A scan of the current snapshot."""
        return self.narrowed(self.table.scan(case_sensitive=self.case_sensitive))

    def at(self, snapshot: Snapshot) -> Scan:
        """All rows of a snapshot, with the current columns of the table."""
        scan = self.table.scan(case_sensitive=self.case_sensitive)
        return Scan(scan._whole().in_current_schema(snapshot.snapshot_id))  # noqa: SLF001 - the package's own

    def _everything(self, piece: Piece) -> Scan:
        return self.at(piece.snapshot) if piece.is_whole else self._appends(piece.snapshot, piece.snapshot)

    def _appends(self, first: Snapshot, last: Snapshot) -> Scan:
        return self.table.incremental_append_scan(
            from_snapshot_id_exclusive=first.parent_snapshot_id,
            to_snapshot_id_inclusive=last.snapshot_id,
            case_sensitive=self.case_sensitive,
        )

    def _appended(self, pieces: list[Piece]) -> Plan:
        return self.narrowed(self._appends(pieces[0].snapshot, pieces[-1].snapshot)).plan_files()

    def narrowed(self, scan: Scan) -> Scan:
        """A scan with the columns and the filter of the stream."""
        if self.options.filter is not None:
            scan = scan.filter(as_expression(self.options.filter))
        return scan.select(*self.names)

    def advance(
        self, history: History, start: StreamOffset, last: int | None, limit: Admitted
    ) -> StreamOffset:
        """The offset that a micro-batch from another one ends at.

        Args:
            history: The snapshots of the table.
            start: Where it starts.
            last: The newest snapshot that may be read.
            limit: How much may be read.

        Returns:
            The offset; the same one where there is nothing to read.

        Raises:
            InvalidInputError: A snapshot has expired or must not be read.
        """
        at = start
        if start.snapshot_id is None:
            found = history.first(last)
            if found is None:
                return start
            first, is_whole = found
            at = replace(
                start, snapshot_id=first.snapshot_id, is_whole=is_whole, first=(first.snapshot_id, is_whole)
            )
            if not is_whole and not history.is_read(first):
                at = replace(at, is_complete=True)
        following = history.after(_of(at), last)
        if not at.is_complete:
            at = self._taken(history, at, limit)
        for snapshot in following:
            # A snapshot that must not be read is an error, however little may be read.
            is_read = history.is_read(snapshot)
            if not at.is_complete or limit.is_full:
                continue
            ordinal = at.ordinal
            at = StreamOffset(start.table, snapshot.snapshot_id, ordinal=ordinal, first=at.first)
            at = self._taken(history, at, limit) if is_read else replace(at, is_complete=True)
        return start if _place(at) == _place(start) else at

    def _taken(self, history: History, at: StreamOffset, limit: Admitted) -> StreamOffset:
        """The offset after as many files of its snapshot as may be read."""
        done = replace(at, position=0, is_complete=True, ordinal=at.ordinal + 1)
        if not limit.is_limited:
            return done
        snapshot = history.known(_of(at))
        files, rows = _counted(snapshot, at)
        if limit.surely_takes(files, rows):
            limit.take(files or 0, rows or 0)
            return done
        if self.options.stream.changelog and not at.is_whole:
            # Updates are found in a whole snapshot.
            limit.take(files or 0, rows or 0)
            return done
        position = 0
        for batch in self._everything(Piece(snapshot, is_whole=at.is_whole)).plan_files().iter_batches():
            for count in batch["record_count"].to_pylist():
                if position >= at.position:
                    if limit.is_full:
                        return replace(at, position=position)
                    limit.take(1, count)
                position += 1
        _check_position(snapshot, at.position, position)
        return done


def _counted(snapshot: Snapshot, at: StreamOffset) -> tuple[int | None, int | None]:
    """How many files and rows a snapshot adds, as far as its summary says it."""
    if at.position:
        return None, None
    kind = "total" if at.is_whole else "added"
    return _number(snapshot, f"{kind}-data-files"), _number(snapshot, f"{kind}-records")


def _check_position(snapshot: Snapshot, position: int, files: int) -> None:
    """Raises where an offset is after the last file of its snapshot."""
    if position > files:
        raise InvalidInputError(
            f"the checkpoint is damaged: it says that {position} files of snapshot {snapshot.snapshot_id} were read, "
            f"which has {files}. Give the query a checkpoint of its own"
        )


def _number(snapshot: Snapshot, key: str) -> int | None:
    text = snapshot.summary.get(key)
    return int(text) if text is not None and text.isdecimal() else None


def _of(at: StreamOffset) -> int:
    if at.snapshot_id is None:
        raise AssertionError
    return at.snapshot_id


def _place(at: StreamOffset) -> tuple[int | None, int, bool]:
    return at.snapshot_id, at.position, at.is_complete


def _only(plan: Plan, numbers: list[int]) -> Plan:
    return Plan(plan._inner.only(numbers))  # noqa: SLF001 - the package's own
