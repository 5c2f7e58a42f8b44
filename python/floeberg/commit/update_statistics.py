"""How does a table get and lose statistics files?

In: files that are written already. Out: their entries in the metadata, as JSON.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg._arguments import checked_int
from floeberg._keywords import says_keywords_of_methods
from floeberg.commit.table_changes import OperationChanges
from floeberg.errors import InvalidInputError
from floeberg.statistics import PartitionStatisticsFile, StatisticsFile, statistics_json

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["UpdateStatistics"]


@says_keywords_of_methods
class UpdateStatistics(OperationChanges):
    """Changes to the statistics files that a table names, committed together. The files themselves stay as they are.

    As a context manager it commits its changes at the end of the block, and drops them where the block raises.

    Examples:
        >>> file = sketched.statistics()[0]
        >>> UpdateStatistics(len).set_statistics(file).remove_statistics(file.snapshot_id).commit()
    """

    def set_statistics(self, statistics_file: StatisticsFile) -> Self:
        """Sets the statistics file of a snapshot, in place of the one that it had.

        Args:
            statistics_file: The file, which names its snapshot.

        Returns:
            These changes.
        """
        if not isinstance(statistics_file, StatisticsFile):
            raise InvalidInputError(
                f"statistics_file: expected a StatisticsFile, found {type(statistics_file).__name__}"
            )
        return self._add("set", statistics_json(statistics_file))

    def remove_statistics(self, snapshot_id: int) -> Self:
        """Removes the statistics file of a snapshot from the metadata.

        Args:
            snapshot_id: The snapshot.

        Returns:
            These changes.
        """
        return self._add("remove", checked_int("snapshot_id", snapshot_id))

    def set_partition_statistics(self, partition_statistics_file: PartitionStatisticsFile) -> Self:
        """Sets the partition statistics file of a snapshot, in place of the one that it had.

        Args:
            partition_statistics_file: The file, which names its snapshot.

        Returns:
            These changes.
        """
        if not isinstance(partition_statistics_file, PartitionStatisticsFile):
            found = type(partition_statistics_file).__name__
            raise InvalidInputError(
                f"partition_statistics_file: expected a PartitionStatisticsFile, found {found}"
            )
        return self._add("set-partition", statistics_json(partition_statistics_file))

    def remove_partition_statistics(self, snapshot_id: int) -> Self:
        """Removes the partition statistics file of a snapshot from the metadata.

        Args:
            snapshot_id: The snapshot.

        Returns:
            These changes.
        """
        return self._add("remove-partition", checked_int("snapshot_id", snapshot_id))

    def _add(self, change: str, value: Any) -> Self:  # noqa: ANN401 - JSON
        self._operations.append(_native.Operation.set_statistics(json.dumps({change: value})))
        return self

    def commit(self) -> None:
        """Commits the changes. Without any, nothing happens.

        Raises:
            NotFoundError: The table does not have the snapshot of a file.
        """
        self._commit_operations()
