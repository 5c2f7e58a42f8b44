"""Which changes are in a micro-batch, and which task reads them?

Invariant: the changes of a snapshot are in one micro-batch, and `_change_ordinal` counts the snapshots of a stream.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg.spark.read.changes import added_parts, compared_part, packed
from floeberg.spark.read.group_rows import task_groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql.datasource import InputPartition

    from floeberg.spark.read.options import ReadSettings
    from floeberg.spark.read.projection import OutputField
    from floeberg.spark.stream.history import Piece
    from floeberg.spark.stream.planning import StreamPlanning

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
    if piece.is_whole or snapshot.operation == "append":
        groups = task_groups(planning.plan(piece), settings, parallelism)
        return added_parts(groups, piece.ordinal, snapshot.snapshot_id)
    names = planning.options.stream.identifier_columns
    changes = _native.ChangelogScan.of(
        planning.narrowed(planning.at(snapshot))._inner,  # noqa: SLF001 - the package's own
        snapshot.parent_snapshot_id,
        None if names is None else list(names),
        False,
    )
    return [compared_part(changes, piece.ordinal)]
