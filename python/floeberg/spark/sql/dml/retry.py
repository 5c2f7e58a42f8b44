"""When does a statement that changes rows run again, because another writer changed the table meanwhile?

It runs again on the newer table, as a whole, if all that it reads is known to be the same: tables of the catalog, whose
snapshots stay for the statement, and the kept source of a merge. What it reads of the table itself is newer then.

Invariant: a statement runs again only after a conflict, which changed nothing.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from floeberg.commit.retries import Retries, RetryBudget
from floeberg.errors import CommitConflictError
from floeberg.spark.write.frame_tables import reads_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from floeberg.spark.sql.query.queries import Queries
    from floeberg.spark.sql.text.targets import ChangedTable
    from floeberg.spark.write.row_changes import ChangedCounts

__all__ = ["reads_of", "repeated"]


def repeated(
    changed: ChangedTable, run: Callable[[], ChangedCounts], others: Callable[[], Sequence[str]]
) -> ChangedCounts:
    """Runs a change, and again after conflicts, as often as `commit.retry.*` of the table says.

    Args:
        changed: The table.
        run: The change. It reads the table as it is then.
        others: What the change has read that may be other rows when it runs again.

    Raises:
        CommitConflictError: Other writers were faster each time; or the change cannot run again, as a note says.
    """
    budget = RetryBudget.of(lambda: Retries.of(changed.table.properties))
    for done in itertools.count(1):
        try:
            with budget.shared():
                return run()
        except CommitConflictError as conflict:  # noqa: PERF203 - once a run
            if conflict.retryable:
                raise
            if unknown := others():
                conflict.add_note(
                    f"the statement did not run again, because it reads {', '.join(sorted(set(unknown)))}, which may "
                    "have changed: run it again"
                )
                raise
            if not budget.allows_retry(conflict):
                conflict.add_note(f"the statement ran {done} times")
                raise
            budget.wait()
            changed.table.refresh()
    raise AssertionError


def reads_of(queries: Queries, changed: ChangedTable) -> int:
    """How often the queries of a statement have read a table, by its name or through a view of Spark."""
    from pyspark.errors import PySparkException  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    location = changed.table.location()
    found = sum(each.location() == location for each in queries.reads.tables)
    for name in sorted(set(queries.reads.others)):
        try:
            found += reads_table(queries.spark.table(name), location)
        except PySparkException:  # noqa: PERF203 - once a table
            # What is no table, as a column of arrays, has no files.
            continue
    return found
