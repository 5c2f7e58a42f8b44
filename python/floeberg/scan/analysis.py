"""Where did the time of a scan go, and what did it read?

In: what Rust counted while it read all rows of a scan. Out: values with text for people.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from floeberg.scan.reported import rows_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from floeberg.scan.batch_stream import BatchStream

__all__ = ["Analysis", "PlanningAnalysis", "ReadingAnalysis", "RowsAnalysis", "read_through"]


@dataclass(frozen=True)
class PlanningAnalysis:
    """What planning took.

    Args:
        seconds: Its time, by the clock.
        waiting_seconds: The time that threads waited for the store, all threads together.
        reads: How many ranges of files it read. Manifests that this process decoded before are not read again.
        bytes_read: The bytes of these.
    """

    seconds: float
    waiting_seconds: float
    reads: int
    bytes_read: int

    def __str__(self) -> str:
        """The planning as a line of text."""
        return (
            f"planning took {_shown(self.seconds)}, of it {_shown(self.waiting_seconds)} waiting for the store: "
            f"{self.reads:,} reads, {self.bytes_read:,} bytes"
        )


@dataclass(frozen=True)
class ReadingAnalysis:
    """What reading the rows took.

    All times but `seconds` are those of all threads together: they may add up to more. `opening_seconds`,
    `deletes_seconds` and `rows_seconds` include what was waited for the store.

    Args:
        seconds: Its time, by the clock.
        waiting_seconds: The time that threads waited for the store.
        opening_seconds: The time to open data files: footers, indexes and filters of these.
        deletes_seconds: The time to load deletes.
        rows_seconds: The time to fetch, decode and filter rows, and to drop the deleted ones.
        threads: The most threads that worked.
        reads: How many ranges of data files and delete files were read.
        bytes_read: The bytes of these.
        data_files: Data files that were opened.
        row_groups: Row groups of these: stripes in ORC, whole files in Avro.
        row_groups_skipped: Row groups that statistics, bloom filters or deletes ruled out.
        pages: Pages of filter columns in the other row groups, where a file has a page index.
        pages_skipped: Pages of these whose statistics ruled them out.
        batches: Batches of the result.
        rows: Rows of the result.
        size_in_bytes: The size of the result in memory, as Arrow.
    """

    seconds: float
    waiting_seconds: float
    opening_seconds: float
    deletes_seconds: float
    rows_seconds: float
    threads: int
    reads: int
    bytes_read: int
    data_files: int
    row_groups: int
    row_groups_skipped: int
    pages: int
    pages_skipped: int
    batches: int
    rows: int
    size_in_bytes: int

    def __str__(self) -> str:
        """The reading as lines of text."""
        threads = "1 thread" if self.threads == 1 else f"{self.threads:,} threads"
        took = (
            f"reading took {_shown(self.seconds)} with up to {threads}, which waited "
            f"{_shown(self.waiting_seconds)} for the store: {self.reads:,} reads, {self.bytes_read:,} bytes"
        )
        work = (
            f"  opening {self.data_files:,} data files {_shown(self.opening_seconds)}, "
            f"deletes {_shown(self.deletes_seconds)}, rows {_shown(self.rows_seconds)}"
        )
        skipped = (
            f"  skipped {self.row_groups_skipped:,} of {self.row_groups:,} row groups, "
            f"{self.pages_skipped:,} of {self.pages:,} pages of filter columns"
        )
        result = (
            f"result: {self.rows:,} rows in {self.batches:,} batches, {self.size_in_bytes:,} bytes in memory"
        )
        return f"{took}\n{work}\n{skipped}\n{result}"


@dataclass(frozen=True)
class Analysis:
    """Where the time of a scan went, and what it read: of `Scan.explain(analyze=True)`.

    Args:
        planning: What planning took.
        reading: What reading the rows took.

    Examples:
        >>> analysis = table.scan(row_filter="id > 3").explain(analyze=True).analysis
        >>> analysis.reading.rows, analysis.reading.data_files
        (5, 2)
    """

    planning: PlanningAnalysis
    reading: ReadingAnalysis

    def __str__(self) -> str:
        """The analysis as lines of text."""
        return f"{self.planning}\n{self.reading}"


@dataclass(frozen=True)
class RowsAnalysis:
    """What reading rows took, where nothing is known but the rows: of plans, of changes, and of Lance tables.

    Args:
        seconds: Its time, by the clock.
        first_seconds: The time until the first batch was there; all of it where there is none.
        batches: Batches of the result.
        rows: Rows of the result.
        size_in_bytes: The size of the result in memory, as Arrow.

    Examples:
        >>> analysis = table.scan().plan_files().explain(analyze=True).analysis
        >>> analysis.rows, analysis.first_seconds <= analysis.seconds
        (9, True)
    """

    seconds: float
    first_seconds: float
    batches: int
    rows: int
    size_in_bytes: int

    def __str__(self) -> str:
        """The reading as lines of text."""
        return (
            f"reading took {_shown(self.seconds)}, the first batch {_shown(self.first_seconds)}\n"
            f"result: {self.rows:,} rows in {self.batches:,} batches, {self.size_in_bytes:,} bytes in memory"
        )


def read_through(opening: Callable[[], BatchStream]) -> RowsAnalysis:
    """Reads all rows, without keeping them."""
    begun = perf_counter()
    first: float | None = None
    batches = rows = size = 0
    stream = opening()
    while (batch := stream.next_batch()) is not None:
        if first is None:
            first = perf_counter() - begun
        found = rows_of(batch)
        batches, rows, size = batches + 1, rows + found.num_rows, size + found.nbytes
    seconds = perf_counter() - begun
    return RowsAnalysis(seconds, seconds if first is None else first, batches, rows, size)


def _shown(seconds: float) -> str:
    """A time as a person reads it."""
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.1f} ms"
