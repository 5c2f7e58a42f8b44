"""How do jobs of Spark copy groups of data files?

In: groups, as a commit gives them. Out: a receipt of each, or why there is none.

```text
rows without an order, or few   parts of about a file         ->  a task each
rows with an order              keys of some rows             ->  ends of ranges
                                rows, in pieces of a range    ->  shuffled  ->  a task for each range sorts and writes
```

Invariant: files of a group that failed are removed, as far as tasks answered.
"""

from __future__ import annotations

import pickle
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

from floeberg import _native
from floeberg.errors import FloebergError
from floeberg.spark.maintenance.group_tasks import CopyParts, GatherRanges, SampleKeys, SpreadRows
from floeberg.spark.session.conf import changed_settings
from floeberg.spark.session.partitions import in_partitions
from floeberg.spark.session.piece_limits import small_batches
from floeberg.spark.session.tasks import mapped, run_tasks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession

    from floeberg.commit.operations import OpenedTable
    from floeberg.spark.maintenance.group_tasks import Answer

__all__ = ["Group", "GroupJobs", "Jobs", "Sizes", "frame_of_parts", "remove_copies", "whole"]

Recipe = TypeVar("Recipe", bound="_native.WriteRecipe | _native.DeleteRecipe")

_PARTS = "number int, files binary, recipe binary"
_PIECES = "range int, number bigint, rows binary"
_KEYS_OF_A_RANGE = 200
"""Keys that are sampled for each range: shares of rows are then right within some percent."""


@dataclass(frozen=True)
class Group(Generic[Recipe]):
    """A group of data files whose rows are copied, or whose deletes are written again.

    Attributes:
        key: What the commit knows it by.
        files: The files, with their deletes.
        recipe: How its rows, or deletes, are written.
    """

    key: str
    files: _native.TaskGroup
    recipe: Recipe

    @property
    def size(self) -> int:
        """The bytes of its files."""
        return self.files.extent()[0]


class Jobs(Protocol[Recipe]):
    """Jobs of Spark that write files of groups."""

    def groups(self, commit: _native.Commit, base: OpenedTable) -> list[Group[Recipe]]:
        """The groups that an attempt of a commit on a base lacks.

        Raises:
            FloebergError: Those of planning.
        """
        ...

    def is_shuffled(self, group: Group[Recipe]) -> bool:
        """Whether the rows of a group are exchanged by Spark."""
        ...

    def copy(self, groups: Sequence[Group[Recipe]]) -> dict[str, _native.Receipt | FloebergError]:
        """Writes groups that are not shuffled, by one job: what became of each, by its key."""
        ...

    def shuffle(self, group: Group[Recipe]) -> dict[str, _native.Receipt | FloebergError]:
        """Writes a group that is shuffled: what became of it, by its key."""
        ...


@dataclass(frozen=True)
class Sizes:
    """How large new files are.

    Attributes:
        target: Bytes that they should have.
        most: Bytes from which on they would be written again.
        compression: Their bytes for one byte of the old files.
    """

    target: int
    most: int
    compression: float

    @property
    def end(self) -> int:
        """Bytes at which a file of a part or a range ends: above the target, so that no small file is left over."""
        return self.target + max(0, self.most - self.target) // 2

    def files(self, size: int) -> int:
        """How many files old files of so many bytes become."""
        return max(1, -(-int(size * self.compression) // self.target))


class GroupJobs:
    """Jobs of a session that copy rows."""

    def __init__(self, spark: SparkSession, sizes: Sizes) -> None:
        """Nothing is run yet."""
        self._spark = spark
        self._sizes = sizes

    @staticmethod
    def groups(commit: _native.Commit, base: OpenedTable) -> list[Group[_native.WriteRecipe]]:
        """See `Jobs.groups`."""
        return [Group(*each) for each in commit.groups_to_copy(base)]

    def is_shuffled(self, group: Group[_native.WriteRecipe]) -> bool:
        """Whether the rows of a group are sorted, and too many for one task."""
        return group.recipe.is_sorted and self._sizes.files(group.size) > 1

    def copy(
        self, groups: Sequence[Group[_native.WriteRecipe]]
    ) -> dict[str, _native.Receipt | FloebergError]:
        """Copies groups that are not shuffled, by one job: what became of each, by its key."""
        numbers, parts = list[int](), list[tuple[_native.TaskGroup, _native.WriteRecipe]]()
        for number, group in enumerate(groups):
            # A task sorts all rows of a group with an order.
            some = [group.files] if group.recipe.is_sorted else self._parts(group)
            recipe = group.recipe.with_file_size(self._sizes.end) if len(some) > 1 else group.recipe
            numbers += [number] * len(some)
            parts += [(part, recipe) for part in some]
        answers: list[list[Answer]] = run_tasks(frame_of_parts(self._spark, parts), CopyParts())
        by_part = dict(answer for of_task in answers for answer in of_task)
        return {
            group.key: whole(group, [by_part[part] for part, of in enumerate(numbers) if of == number])
            for number, group in enumerate(groups)
        }

    def shuffle(self, group: Group[_native.WriteRecipe]) -> dict[str, _native.Receipt | FloebergError]:
        """Sorts and copies the rows of a group, by three jobs: what became of it, by its key."""
        ranges = self._sizes.files(group.size)
        recipe = group.recipe.with_file_size(self._sizes.end)
        parts = self._parts(group)
        frame = frame_of_parts(self._spark, [(part, recipe) for part in parts])
        most = max(1, _KEYS_OF_A_RANGE * ranges // len(parts))
        sampled: list[list[Answer]] = run_tasks(frame, SampleKeys(most))
        found = [sample for of_task in sampled for _, sample in of_task]
        if failures := [each for each in found if isinstance(each, FloebergError)]:
            return {group.key: failures[0]}
        ends = _native.range_ends(cast("Any", found), ranges)
        pieces = mapped(frame, SpreadRows(tuple(ends)), _PIECES, "floeberg_spread")
        spread = in_partitions(pieces, len(ends) + 1, "range").sortWithinPartitions("range", "number")
        with changed_settings(self._spark, small_batches(self._spark)):
            answers: list[list[Answer]] = run_tasks(spread, GatherRanges(recipe))
        return {group.key: whole(group, [done for of_task in answers for _, done in of_task])}

    def _parts(self, group: Group[_native.WriteRecipe]) -> list[_native.TaskGroup]:
        """Parts of about a file each."""
        return _native.group_parts(group.files, max(1, int(self._sizes.target / self._sizes.compression)))


def frame_of_parts(
    spark: SparkSession, parts: Sequence[tuple[_native.TaskGroup, _native.WriteRecipe | _native.DeleteRecipe]]
) -> DataFrame:
    """Parts by their numbers, each in a partition of its own as far as Spark can."""
    rows = [
        (number, pickle.dumps(files), pickle.dumps(recipe)) for number, (files, recipe) in enumerate(parts)
    ]
    return in_partitions(spark.createDataFrame(rows, _PARTS), len(rows), "number")


def whole(group: Group[Any], answers: Sequence[object]) -> _native.Receipt | FloebergError:
    """The receipt of a group of which all parts were copied; else why not, and the files of the others are removed."""
    receipts = [each for each in answers if isinstance(each, _native.Receipt)]
    failures = [each for each in answers if isinstance(each, FloebergError)]
    if not failures:
        return _native.Receipt.concat(receipts)
    for receipt in receipts:
        remove_copies(group, receipt)
    return failures[0]


def remove_copies(group: Group[Any], receipt: _native.Receipt) -> None:
    """Removes files that no commit took. A file that stays harms nobody."""
    with suppress(FloebergError):
        group.recipe.remove(receipt)
