"""How are changes of rows queried: `SELECT .. FROM table.changes`, and `CALL create_changelog_view`?

Names, arguments and columns are those of Iceberg's integration with Spark. A snapshot that deletes a row and inserts
one with the same values changes nothing, unless updates are asked for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg.errors import InvalidInputError
from floeberg.scan import Scan
from floeberg.scan.changelog import ChangelogScan
from floeberg.spark.session.names import quoted
from floeberg.spark.write.row_changes import keeps_row_ids
from floeberg.types._snapshots import ancestors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from floeberg.table import Table
    from floeberg.types import Snapshot

__all__ = ["changes_frame", "create_changelog_view"]

_ENDS = {"start-snapshot-id": "start-timestamp", "end-snapshot-id": "end-timestamp"}


def changes_frame(spark: SparkSession, scan: Scan, reading: Mapping[str, Any]) -> DataFrame:
    """The rows that were deleted and inserted up to the snapshot of a scan, with its columns and its filter.

    Args:
        spark: The session.
        scan: A scan of the last snapshot.
        reading: What `Scan.to_spark` is given.
    """
    changes = _native.ChangelogScan.of(scan._whole(), None, None, False, updates=False)  # noqa: SLF001 - the package's own
    return _frame(spark, ChangelogScan(changes), reading)


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
    knows_rows = keys is not None or table.schema().identifier_field_names() or keeps_row_ids(table)
    if updates and not knows_rows:
        raise InvalidInputError(
            "CALL create_changelog_view: compute_updates needs identifier_columns: the table has no identifier "
            "fields, and rows have no ids before format version 3"
        )
    net = given.get("net_changes", False)
    if updates and net:
        raise InvalidInputError(
            "CALL create_changelog_view: net_changes has no updates, as in Iceberg: leave out identifier_columns, or "
            "set compute_updates => false"
        )
    changes = table.changelog_scan(start, end, identifier_columns=keys, net=net, case_sensitive=False)
    told = changes if updates else ChangelogScan(changes._inner.without_updates())  # noqa: SLF001 - the package's own
    frame = _frame(spark, told, reading)
    view = given.get("changelog_view") or quoted(f"{name}_changes")
    frame.createOrReplaceTempView(view)
    return str(view).strip("`") if str(view).strip("`").isidentifier() else str(view)


def _frame(spark: SparkSession, changes: ChangelogScan, reading: Mapping[str, Any]) -> DataFrame:
    from floeberg.spark.read.changes import CHANGE_COLUMNS  # noqa: PLC0415 - it imports PySpark

    added = {field.name for field in CHANGE_COLUMNS}
    names = [field.name for field in Scan(changes._inner.scan()).projection().fields]  # noqa: SLF001 - the same
    alike = next((name for name in names if name.lower() in added and name not in added), None)
    if alike is not None and spark.conf.get("spark.sql.caseSensitive") != "true":
        raise InvalidInputError(
            f"the table has a column {alike!r}, and its changes have {alike.lower()!r}, which is the same for Spark: "
            "rename the column, or set spark.sql.caseSensitive"
        )
    return changes.to_spark(spark, truncate_nanoseconds=bool(reading.get("truncate_nanoseconds")))


def _range(table: Table, options: Mapping[str, str]) -> tuple[int | None, int | None]:
    """The snapshots that options name: the one before the changes, and the last one."""
    chosen = _chosen(options)
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


def _chosen(options: Mapping[str, str | None]) -> dict[str, str | None]:
    """The options, in lower case."""
    known = {*_ENDS, *_ENDS.values()}
    chosen: dict[str, str | None] = {}
    for given, value in options.items():
        key = given.lower()
        if key in chosen:
            raise InvalidInputError(f"CALL create_changelog_view: the option {key!r} is there twice")
        chosen[key] = value
        if key not in known:
            raise InvalidInputError(
                f"CALL create_changelog_view: unknown option {key!r}: expected {', '.join(sorted(known))}"
            )
    for one, other in _ENDS.items():
        if one in chosen and other in chosen:
            raise InvalidInputError(
                f"CALL create_changelog_view: the options {one!r} and {other!r} exclude each other"
            )
    return chosen


def _number(key: str, text: str | None) -> int:
    if text is not None and re.fullmatch(r"-?[0-9]{1,19}", text.strip()):
        return int(text)
    kind = "a snapshot id" if key.endswith("id") else "milliseconds from 1970-01-01 UTC"
    raise InvalidInputError(
        f"CALL create_changelog_view: the option {key!r}: expected {kind}, found {text!r}"
    )


def _line(table: Table, end: int | None) -> list[Snapshot]:
    """The ancestors of a snapshot that have not expired and itself, oldest first. By default, of the current one."""
    current = table.current_snapshot()
    last = end if end is not None or current is None else current.snapshot_id
    return ancestors(table.snapshots(), last)[::-1]


def _at(line: Sequence[Snapshot], timestamp_ms: int) -> int | None:
    """The snapshot of a line that was current at a time."""
    known = [each.snapshot_id for each in line if each.timestamp_ms <= timestamp_ms]
    return known[-1] if known else None


def _place(line: Sequence[Snapshot], snapshot_id: int) -> int:
    return next((at for at, each in enumerate(line) if each.snapshot_id == snapshot_id), len(line))
