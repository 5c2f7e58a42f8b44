"""How are changes of rows queried: `SELECT .. FROM table.changes`, and `CALL create_changelog_view`?

Names, arguments and columns are those of Iceberg's integration with Spark. Rows that a snapshot only wrote again are
never among the changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg.errors import InvalidInputError
from floeberg.scan.changelog import ChangelogScan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from floeberg.scan import Scan
    from floeberg.table import Table
    from floeberg.types import Snapshot

__all__ = ["CHANGES", "changes_frame", "create_changelog_view"]

CHANGES = "changes"
"""What follows the name of a table whose changes are read."""

_WITHOUT_UPDATES = """
    CASE _change_type WHEN 'UPDATE_BEFORE' THEN 'DELETE' WHEN 'UPDATE_AFTER' THEN 'INSERT' ELSE _change_type END
"""
_ENDS = {"start-snapshot-id": "start-timestamp", "end-snapshot-id": "end-timestamp"}


def changes_frame(spark: SparkSession, scan: Scan, reading: Mapping[str, Any]) -> DataFrame:
    """The rows that were deleted and inserted up to the snapshot of a scan, with its columns and its filter.

    Args:
        spark: The session.
        scan: A scan of the last snapshot.
        reading: What `Scan.to_spark` is given.
    """
    changes = _native.ChangelogScan.of(scan._inner, None, None, False)  # noqa: SLF001 - the package's own
    return _without_updates(_frame(spark, ChangelogScan(changes), reading))


def create_changelog_view(
    spark: SparkSession, table: Table, name: str, given: Mapping[str, Any], reading: Mapping[str, Any]
) -> str:
    """Makes a temporary view of the changes of a table.

    Args:
        spark: The session.
        table: The table.
        name: The last part of its name.
        given: The arguments of the procedure.
        reading: What `Scan.to_spark` is given.

    Returns:
        The name of the view.

    Raises:
        InvalidInputError: An option is unknown or has another type, or updates cannot be known.
    """
    start, end = _range(table, given.get("options") or {})
    keys = given.get("identifier_columns")
    updates = given.get("compute_updates", keys is not None)
    knows_rows = keys is not None or table.schema().identifier_field_names() or _has_row_ids(table)
    if updates and not knows_rows:
        raise InvalidInputError(
            "CALL create_changelog_view: compute_updates needs identifier_columns: the table has no identifier "
            "fields, and rows have no ids before format version 3"
        )
    changes = table.changelog_scan(
        start, end, identifier_columns=keys, net=given.get("net_changes", False), case_sensitive=False
    )
    frame = _frame(spark, changes, reading)
    view = given.get("changelog_view") or f"`{name.replace('`', '``')}_changes`"
    (frame if updates else _without_updates(frame)).createOrReplaceTempView(view)
    return str(view).strip("`") if str(view).strip("`").isidentifier() else str(view)


def _has_row_ids(table: Table) -> bool:
    return table._inner.format_version >= 3  # noqa: PLR2004, SLF001 - the version that has them


def _frame(spark: SparkSession, changes: ChangelogScan, reading: Mapping[str, Any]) -> DataFrame:
    return changes.to_spark(spark, truncate_nanoseconds=bool(reading.get("truncate_nanoseconds")))


def _without_updates(frame: DataFrame) -> DataFrame:
    """The same rows, of which those that were updated are deleted and inserted ones."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - importing floeberg.spark imports nothing large

    return frame.withColumn("_change_type", F.expr(_WITHOUT_UPDATES))


def _range(table: Table, options: Mapping[str, str]) -> tuple[int | None, int | None]:
    """The snapshots that options name: the one before the changes, and the last one."""
    known = {*_ENDS, *_ENDS.values()}
    chosen = {key.lower(): value for key, value in options.items()}
    for key in chosen:
        if key not in known:
            raise InvalidInputError(
                f"CALL create_changelog_view: unknown option {key!r}: expected {', '.join(sorted(known))}"
            )
    for one, other in _ENDS.items():
        if one in chosen and other in chosen:
            raise InvalidInputError(
                f"CALL create_changelog_view: the options {one!r} and {other!r} exclude each other"
            )
    numbers = {key: _number(key, text) for key, text in chosen.items()}
    start, end = (numbers.get(each) for each in _ENDS)
    after, until = (numbers.get(each) for each in _ENDS.values())
    if after is not None and until is not None and after > until:
        raise InvalidInputError("CALL create_changelog_view: 'start-timestamp' is later than 'end-timestamp'")
    line = _line(table, end)
    if until is not None and line:
        found = _at(line, until)
        if found is None:
            # All snapshots are newer: there is nothing before the oldest one, and nothing after it up to itself.
            return line[0].snapshot_id, line[0].snapshot_id
        end = found
    if after is not None:
        start = _at(line, after)
        if start is not None and end is not None and _place(line, start) > _place(line, end):
            start = end
    return start, end


def _number(key: str, text: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        kind = "a snapshot id" if key.endswith("id") else "milliseconds from 1970-01-01 UTC"
        raise InvalidInputError(
            f"CALL create_changelog_view: the option {key!r}: expected {kind}, found {text!r}"
        ) from error


def _line(table: Table, end: int | None) -> list[Snapshot]:
    """The ancestors of a snapshot that have not expired and itself, oldest first. By default, of the current one."""
    by_id = {each.snapshot_id: each for each in table.snapshots()}
    current = table.current_snapshot()
    at = end if end is not None else None if current is None else current.snapshot_id
    found: list[Snapshot] = []
    while at is not None and at in by_id:
        found.append(by_id.pop(at))
        at = found[-1].parent_snapshot_id
    return found[::-1]


def _at(line: Sequence[Snapshot], timestamp_ms: int) -> int | None:
    """The snapshot of a line that was current at a time."""
    known = [each.snapshot_id for each in line if each.timestamp_ms <= timestamp_ms]
    return known[-1] if known else None


def _place(line: Sequence[Snapshot], snapshot_id: int) -> int:
    return next((at for at, each in enumerate(line) if each.snapshot_id == snapshot_id), len(line))
