"""Which changes are in a micro-batch, and which task reads them?

Invariant: the changes of a snapshot are in one micro-batch, and `_change_ordinal` counts the snapshots of a stream.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg.errors import InvalidInputError
from floeberg.scan.plan import Plan
from floeberg.spark.read.changes import added_parts, compared_part, packed
from floeberg.spark.read.group_rows import task_groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql.datasource import InputPartition

    from floeberg.spark.read.options import ReadSettings
    from floeberg.spark.read.projection import OutputField
    from floeberg.spark.stream.history import Piece
    from floeberg.spark.stream.planning import StreamPlanning
    from floeberg.types import Snapshot

__all__ = ["change_partitions"]


def change_partitions(
    planning: StreamPlanning,
    pieces: Sequence[Piece],
    output: tuple[OutputField, ...] | None,
    settings: ReadSettings,
    parallelism: int | None,
) -> list[InputPartition]:
    """Plans the changes of pieces, in partitions of about equal size.

    Args:
        planning: The plans of the stream.
        pieces: The snapshots.
        output: The fields of the batches that come out.
        settings: How rows are read.
        parallelism: The cores of the cluster, where they are known.
    """
    weighed = [each for piece in pieces for each in _parts(planning, piece, settings, parallelism)]
    return packed(weighed, output, settings, parallelism)


def _parts(
    planning: StreamPlanning, piece: Piece, settings: ReadSettings, parallelism: int | None
) -> list[tuple[Any, int]]:
    """What is read of a snapshot, with sizes."""
    snapshot = piece.snapshot
    is_append = snapshot.operation == "append"
    added: Plan | None = None
    try:
        if not piece.is_whole:
            changes = _changes(planning, snapshot)
            proven = changes.appended(0) if is_append else None
            if proven is None:
                return [compared_part(changes, piece.ordinal)]
            added = Plan(proven)
    except InvalidInputError:
        # Without the snapshot before it there is nothing to compare with. An append needs none.
        if not is_append:
            raise
    groups = task_groups(planning.plan(piece) if added is None else added, settings, parallelism)
    return added_parts(groups, piece.ordinal, snapshot.snapshot_id)


def _changes(planning: StreamPlanning, snapshot: Snapshot) -> _native.ChangelogScan:
    names = planning.options.stream.identifier_columns
    return _native.ChangelogScan.of(
        planning.narrowed(planning.at(snapshot))._inner,  # noqa: SLF001 - the package's own
        snapshot.parent_snapshot_id,
        None if names is None else list(names),
        False,
    )
