"""How do jobs of Spark write the deletes of data files again?

In: groups of data files with their deletes, as a commit gives them. Out: a receipt of each, or why there is none.

Invariant: a group is one task, which reads the deletes, finds the positions of deleted rows, and writes delete files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.spark.maintenance.group_jobs import Group, frame_of_parts, whole
from floeberg.spark.maintenance.group_tasks import WriteDeletes
from floeberg.spark.session.tasks import run_tasks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

    from floeberg import _native
    from floeberg.commit.operations import OpenedTable
    from floeberg.errors import FloebergError
    from floeberg.spark.maintenance.group_tasks import Answer

__all__ = ["DeleteJobs"]


class DeleteJobs:
    """Jobs of a session that write delete files."""

    def __init__(self, spark: SparkSession) -> None:
        """Nothing is run yet."""
        self._spark = spark

    @staticmethod
    def groups(commit: _native.Commit, base: OpenedTable) -> list[Group[_native.DeleteRecipe]]:
        """See `Jobs.groups`."""
        return [Group(*each) for each in commit.deletes_to_write(base)]

    @staticmethod
    def is_shuffled(group: Group[_native.DeleteRecipe]) -> bool:  # noqa: ARG004 - as all jobs have it
        """Deletes of a data file are never shared by tasks."""
        return False

    def copy(
        self, groups: Sequence[Group[_native.DeleteRecipe]]
    ) -> dict[str, _native.Receipt | FloebergError]:
        """Writes the deletes of groups, by one job: what became of each, by its key."""
        frame = frame_of_parts(self._spark, [(group.files, group.recipe) for group in groups])
        answers: list[list[Answer]] = run_tasks(frame, WriteDeletes())
        by_group = dict(answer for of_task in answers for answer in of_task)
        return {group.key: whole(group, [by_group[number]]) for number, group in enumerate(groups)}

    def shuffle(self, group: Group[_native.DeleteRecipe]) -> dict[str, _native.Receipt | FloebergError]:
        """The same for one group."""
        return self.copy([group])
