"""How do jobs of Spark and commits that write files again go together?

In: commits, one after the other, each on one base after the other. Out: copies of rows, or delete files, that a commit
takes.

A commit says on each base which groups it lacks. These are written by jobs, and what was written for an earlier
attempt, or ahead, is not written again. So only groups whose files or deletes others changed are.

Invariant: every copy is taken by a commit, which removes it where it fails, or it is removed here.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg.errors import FloebergError, StorageError
from floeberg.spark.maintenance.group_jobs import remove_copies
from floeberg.spark.session.task_errors import own_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from concurrent.futures import Future

    from pyspark.sql import SparkSession

    from floeberg.commit.operations import OpenedTable
    from floeberg.spark.maintenance.group_jobs import Group, Jobs

__all__ = ["SparkCopies"]

_JOBS = 5
"""Jobs at a time, where nobody says how many groups: Spark's procedure has so many."""
_PAUSE = 0.2
"""Seconds after which progress is reported again."""


@dataclass
class _Job:
    """Groups that are copied together, and what becomes of them."""

    groups: Sequence[Group[Any]]
    done: Future[dict[str, _native.Receipt | FloebergError]]


class SparkCopies:
    """See `GroupCopies`: what one call of maintenance has written."""

    def __init__(self, spark: SparkSession, jobs: Jobs[Any], *, most_at_once: int | None = None) -> None:
        """Nothing is run yet. So many groups are written at the same time; `None` lets Spark decide."""
        self._jobs = jobs
        self._spark = spark
        self._most = most_at_once
        self._pool = ThreadPoolExecutor(self._most or _JOBS, thread_name_prefix="floeberg-spark")
        self._begun: list[_Job] = []

    def close(self) -> None:
        """Waits for jobs that run, and removes copies that no commit took."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        for job in self._begun:
            self._remove(job)

    def begin(self, operation: _native.Operation, table: OpenedTable, branch: str) -> None:
        """See `GroupCopies.begin`. Groups that cannot be planned now are left to their commit."""
        commit = _native.Commit.begin(
            [operation],
            starting=table,
            storage_options=table.storage_options,
            snapshot_properties={},
            branch=branch,
            commit_key="ahead",
        )
        with suppress(FloebergError):
            self._begin_all(self._jobs.groups(commit, table))

    def copy(
        self,
        commit: _native.Commit,
        base: OpenedTable,
        report: Callable[[str, int, int, int], object] | None,
    ) -> None:
        """See `GroupCopies.copy`."""
        groups = self._jobs.groups(commit, base)
        wanted = {group.key for group in groups}
        jobs = [job for job in self._begun if any(group.key in wanted for group in job.groups)]
        known = {group.key for job in jobs for group in job.groups}
        jobs += self._begin_all([group for group in groups if group.key not in known])
        files = [sum(len(group.files) for group in job.groups) for job in jobs]
        running = {job.done for job in jobs}
        while running:
            _, running = wait(running, timeout=_PAUSE)
            if report is not None:
                done = [job.done not in running for job in jobs]
                ended = sum(number for number, is_done in zip(files, done, strict=True) if is_done)
                report("changing", ended, sum(files), 0)
        failures = [failure for job in jobs for failure in self._taken(job, commit, wanted)]
        if failures:
            raise failures[0]

    def _together(self, groups: Sequence[Group[Any]]) -> list[list[Group[Any]]]:
        """The groups of each job: all that are not shuffled, unless so many groups at a time were asked for."""
        shuffled = [[group] for group in groups if self._jobs.is_shuffled(group)]
        others = [group for group in groups if not self._jobs.is_shuffled(group)]
        if self._most is not None:
            return shuffled + [[group] for group in others]
        return shuffled + ([others] if others else [])

    def _begin_all(self, groups: Sequence[Group[Any]]) -> list[_Job]:
        return [self._begin(some) for some in self._together(groups)]

    def _begin(self, groups: Sequence[Group[Any]]) -> _Job:
        from pyspark import inheritable_thread_target  # noqa: PLC0415 - importing floeberg.spark imports nothing large

        def run() -> dict[str, _native.Receipt | FloebergError]:
            with own_errors():
                if self._jobs.is_shuffled(groups[0]):
                    return self._jobs.shuffle(groups[0])
                return self._jobs.copy(groups)

        # Threads have the pool and the description of the session's jobs that the caller has.
        target: Any = inheritable_thread_target(self._spark)
        job = _Job(groups, self._pool.submit(target(run)))
        self._begun.append(job)
        return job

    def _taken(self, job: _Job, commit: _native.Commit, wanted: Collection[str]) -> list[FloebergError]:
        """Why wanted groups of a job were not copied. The commit takes the others, needed or not."""
        self._begun.remove(job)
        failure = job.done.exception()
        if isinstance(failure, FloebergError):
            return [failure]
        if failure is not None:
            first = (str(failure).strip().splitlines() or [type(failure).__name__])[0]
            error = StorageError(f"tasks of Spark that write files failed: {first}")
            error.__cause__ = failure
            return [error]
        failures = list[FloebergError]()
        for key, done in job.done.result().items():
            if isinstance(done, FloebergError):
                failures += [done] if key in wanted else []
            else:
                commit.take_copies(key, done)
        return failures

    @staticmethod
    def _remove(job: _Job) -> None:
        """Removes what was copied, and that no commit took."""
        if job.done.cancelled() or job.done.exception() is not None:
            return
        done = job.done.result()
        for group in job.groups:
            if isinstance(receipt := done.get(group.key), _native.Receipt):
                remove_copies(group, receipt)
