"""How do Spark's tasks read the manifests of a plan that the driver makes?

Tasks read manifests, and return the entries that the filter keeps. The driver reads the manifest list before, and makes
the plan of the answers: the same plan as its own would be.

Invariant: what the driver holds besides the plan is bounded, however many manifests there are.
"""

from __future__ import annotations

import socket
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, cast, get_args

from floeberg import _native
from floeberg.errors import FloebergError, InvalidInputError, UnsupportedError
from floeberg.lance import LanceScan
from floeberg.scan.plan import Plan
from floeberg.scan.scan import Planning
from floeberg.spark.read.scan_request import scan_bytes
from floeberg.spark.session.environment import check_pyspark, check_session, cores, own_cores, task_threads
from floeberg.spark.session.tasks import run_tasks
from floeberg.spark.session.worker_pickle import Sent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from pyspark.sql import SparkSession

    from floeberg.scan import Scan
    from floeberg.spark.read.saved_plan import SavedPlan

__all__ = ["cuts", "parts_for_tasks", "plan_files", "planned"]

_LOCAL_BYTES = 1 << 30
"""Bytes of manifests for each of the driver's threads, up to which it is faster than a job. Java's are 128 MiB."""
_TASK_BYTES = 4 << 20
"""The least bytes of manifests of a task, where there are that many."""
_JOB_BYTES = 256 << 20
"""Bytes of manifests that a job has at most, or 8 MiB for each core. Its tasks return less, which the driver holds."""
_TASKS_A_CORE = 3


def plan_files(spark: SparkSession, scan: Scan, planning: Planning = "auto") -> Plan:
    """Finds the files that a scan reads, by tasks of Spark where there are very many.

    Tasks read the manifests, and the driver makes the plan: the same as `Scan.plan_files`. This is worth it for tables
    of many millions of files, and where storage answers slowly. The driver holds the plan, as `Scan.plan_files` does.

    Args:
        spark: A session of PySpark 4.0 or later, classic or Spark Connect.
        scan: The scan.
        planning: `"local"` plans in this process, `"distributed"` by tasks. `"auto"` does as the table's properties
            `read.data-planning-mode` and `read.delete-planning-mode` say. If they say nothing, tasks read manifests
            that are more than two, and more than 1 GiB, for each core of the driver, if Spark has more cores.

    Returns:
        The plan.

    Raises:
        InvalidDataError: A manifest is damaged. The error names it.
        NotFoundError: A manifest is missing. The error names it.
        NotInstalledError: PySpark is not installed, or its workers lack Floeberg.
        UnsupportedError: `planning` is `"distributed"`, and the scan reads what appends added; or it is a scan of a
            Lance table.
    """
    if isinstance(scan, LanceScan):
        raise UnsupportedError("a scan of a Lance table is planned without tasks: call its plan_files()")
    return planned(scan, spark, planning)


def planned(scan: Scan, spark: SparkSession, planning: Planning, keep: SavedPlan | None = None) -> Plan:
    """The plan of a scan.

    Args:
        scan: The scan.
        spark: The session.
        planning: Who reads manifests.
        keep: Where the answers of tasks are kept, if tasks read data manifests.
    """
    if _is_local(scan, spark, planning):
        return scan.plan_files()
    return _PlanningJob(scan, spark, planning).plan(keep)


def parts_for_tasks(scan: Scan, spark: SparkSession, planning: Planning) -> _native.PlanParts | None:
    """The manifests of a scan, where tasks should read those of its data files."""
    return None if _is_local(scan, spark, planning) else _PlanningJob(scan, spark, planning).parts_for_tasks()


def _is_local(scan: Scan, spark: SparkSession, planning: Planning) -> bool:
    """Whether no task may plan a scan."""
    check_pyspark()
    check_session(spark)
    if planning not in get_args(Planning):
        raise InvalidInputError(f"planning: expected 'auto', 'local' or 'distributed', found {planning!r}")
    is_incremental = scan._inner.is_incremental  # noqa: SLF001 - the package's own
    if is_incremental and planning == "distributed":
        raise UnsupportedError("tasks do not plan what appends added: use planning='local'")
    is_served = scan._inner.is_planned_by_server  # noqa: SLF001 - the package's own
    if is_served and planning == "distributed":
        raise UnsupportedError(
            "tasks do not plan what the server of a catalog demands to plan: use planning='local'"
        )
    is_encrypted = scan._inner.is_encrypted  # noqa: SLF001 - the package's own
    if is_encrypted and planning == "distributed":
        raise UnsupportedError(
            "tasks do not plan encrypted tables, whose keys are in manifests: use planning='local'"
        )
    return planning == "local" or is_incremental or is_served or is_encrypted


class _PlanningJob:
    """The jobs of one plan."""

    def __init__(self, scan: Scan, spark: SparkSession, planning: Planning) -> None:
        self._spark = spark
        self._scan = scan_bytes(scan)
        self._parts = _native.plan_parts(scan._inner)  # noqa: SLF001 - the package's own
        data, deletes = self._parts.modes() if planning == "auto" else (planning, planning)
        self._by_tasks = self._is_for_tasks(data, deletes=False), self._is_for_tasks(deletes, deletes=True)

    def plan(self, keep: SavedPlan | None) -> Plan:
        """The plan, whoever reads its manifests."""
        data, deletes = self._by_tasks
        if not data and not deletes:
            return Plan(self._parts.here())
        answers = self._index()
        if not data:
            return Plan(self._parts.here())
        for answer in self._data_files(keep, answers):
            self._parts.add(answer)
        return Plan(self._parts.finish())

    def parts_for_tasks(self) -> _native.PlanParts | None:
        """The manifests, if tasks read those of data files."""
        return self._parts if self._by_tasks[0] else None

    def _index(self) -> list[bytes] | None:
        """Indexes the deletes. What tasks read of them, if they did."""
        answers = [*self._answers(deletes=True)] if self._by_tasks[1] else None
        self._parts.index(answers)
        return answers

    def _data_files(self, keep: SavedPlan | None, deletes: list[bytes] | None) -> Iterator[bytes]:
        """The answers of tasks that read data manifests, which are kept too."""
        if keep is not None:
            keep.begin(deletes)
        for answer in self._answers(deletes=False):
            if keep is not None:
                keep.add(answer)
            yield answer

    def _is_for_tasks(self, mode: str, *, deletes: bool) -> bool:
        """Whether tasks read these manifests: with `auto`, where Iceberg Java says so too, but for more bytes."""
        lengths = self._parts.lengths(deletes)
        if mode != "auto":
            return mode == "distributed" and bool(lengths)
        own = own_cores()
        if len(lengths) <= 2 * own or sum(lengths) <= _LOCAL_BYTES * own:
            return False
        # A session of Spark Connect is asked for it, and may not know.
        return (cores(self._spark) or 0) > own

    def _answers(self, *, deletes: bool) -> Iterator[bytes]:
        """The answers of tasks in order, those of one job after the other."""
        for tasks in _task_ranges(self._parts.lengths(deletes), cores(self._spark) or own_cores()):
            yield from self._run([self._parts.task(deletes, *task) for task in tasks])

    def _run(self, tasks: list[bytes]) -> list[bytes]:
        """What tasks return, in their order."""
        frame = self._spark.range(0, len(tasks), 1, len(tasks))
        answers: dict[int, bytes | FloebergError] = {}
        for done in run_tasks(frame, _ReadManifests(self._scan, tuple(tasks))):
            answers.update(done)
        for number in sorted(answers):
            answer = answers[number]
            if isinstance(answer, FloebergError):
                raise answer
        return [cast("bytes", answers[number]) for number in range(len(tasks))]


def _task_ranges(lengths: Sequence[int], cores: int) -> list[list[tuple[int, int]]]:
    """Ranges of manifests for tasks, by jobs.

    Args:
        lengths: The bytes of each manifest.
        cores: The tasks that run at a time.
    """
    of_job = max(_JOB_BYTES, 2 * _TASK_BYTES * cores)
    of_task = max(min(sum(lengths), of_job) // (cores * _TASKS_A_CORE), _TASK_BYTES)
    tasks = cuts(lengths, of_task)
    jobs = cuts([sum(lengths[start:end]) for start, end in tasks], of_job)
    return [tasks[start:end] for start, end in jobs]


def cuts(sizes: Sequence[int], most: int) -> list[tuple[int, int]]:
    """Ranges of at most `most` bytes. Each has at least one of the sizes."""
    starts, held = [0], 0
    for place, size in enumerate(sizes):
        if held + size > most and place > starts[-1]:
            starts.append(place)
            held = 0
        held += size
    return [*pairwise([*starts, len(sizes)])] if sizes else []


@dataclass(frozen=True)
class _ReadManifests(Sent):
    """Reads the manifests of tasks by their numbers.

    Args:
        scan: The recipe of the scan.
        tasks: What each task reads.
    """

    scan: bytes
    tasks: tuple[bytes, ...]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> list[tuple[int, bytes | FloebergError]]:
        """The answer of each task, or why there is none: what Spark tells of an exception is only its text."""
        numbers = [number for batch in batches for number in batch.column(0).to_pylist()]
        return [(number, self._answer(number)) for number in numbers]

    def _answer(self, number: int) -> bytes | FloebergError:
        try:
            scan = _native.Scan._from_recipe(self.scan)  # noqa: SLF001 - the package's own
            return _native.read_manifests(scan, self.tasks[number], task_threads())
        except FloebergError as error:
            error.add_note(f"a task of Spark met this, on the host {socket.gethostname()!r}")
            return error
