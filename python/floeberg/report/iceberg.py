"""What does the report of an Iceberg table say?

In: the table, which answers by its own methods. Out: the page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg._display import Html, bytes_shown, moment_shown
from floeberg.errors import FloebergError
from floeberg.maintenance.rewrite_options import read_options
from floeberg.report.difference import difference_part
from floeberg.report.drawing import check_installed
from floeberg.report.files import count_shown, partitions_card, sizes_cards
from floeberg.report.history import chosen_states, growth_cards, history_part, states_of
from floeberg.report.making import made_at, part_or_error
from floeberg.report.page import Number, Page, Part, card
from floeberg.report.pruning import pruning_part
from floeberg.report.report import Report
from floeberg.report.upkeep import check_part, health_part, points_of

if TYPE_CHECKING:
    import pyarrow as pa

    from floeberg.checking import Level
    from floeberg.comparing import TableDiff
    from floeberg.scan.scan import Scan

__all__ = ["iceberg_report"]


def iceberg_report(table: Any, scan: Scan | None, diff: TableDiff | None, level: Level | None) -> Report:  # noqa: ANN401 - a table, which is of a later room
    """Makes the report.

    Args:
        table: The table.
        scan: A scan with the filter to look at; `None` for no filter.
        diff: The difference to show; `None` for none.
        level: The level of the check; `None` for no check.
    """
    check_installed()
    title = ".".join(table.name()) or _last(table.location())
    planned = _planned(table)
    parts = [part_or_error("health", "Health", lambda: health_part(points_of(table.maintenance.health())))]
    if level is not None:
        check = table.check(level)
        parts.append(part_or_error("findings", "Findings of the check", lambda: check_part(check, level)))
    parts += [
        part_or_error("history", "History", lambda: _history(table)),
        part_or_error("files", "Files", lambda: _files(table)),
    ]
    if scan is not None:
        parts.append(part_or_error("filter", "What the filter leaves out", lambda: _pruned(table, scan)))
    if diff is not None:
        parts.append(part_or_error("difference", "What changed", lambda: difference_part(diff)))
    parts.append(part_or_error("columns", "Columns", lambda: _columns(table)))
    facts = f"Apache Iceberg, format version {table.format_version}. Metadata file: {table.metadata_location}"
    return Report(
        title, Page(title, table.location(), facts, _numbers(table, planned), parts).html(made_at())
    )


def _last(location: str) -> str:
    return location.rstrip("/").rpartition("/")[2] or location


def _planned(table: Any) -> pa.Table | None:  # noqa: ANN401
    """All data files of the snapshot; `None` where they cannot be planned: a part says why."""
    try:
        return table.scan().plan_files().to_arrow()
    except FloebergError:
        return None


def _numbers(table: Any, planned: pa.Table | None) -> list[Number]:  # noqa: ANN401
    import pyarrow.compute as pc  # noqa: PLC0415 - importing floeberg imports nothing large

    snapshot = table.current_snapshot()
    numbers = []
    if planned is not None:
        files = planned.num_rows
        size = pc.sum(planned["file_size_in_bytes"]).as_py() or 0
        rows = pc.sum(planned["record_count"]).as_py() or 0
        with_deletes = pc.sum(pc.greater(pc.list_value_length(planned["delete_files"]), 0)).as_py() or 0
        deletes = f"{with_deletes:,} with deletes" if with_deletes else "none with deletes"
        numbers = [
            Number("Rows in data files", f"{rows:,}", "before deletes" if with_deletes else None),
            Number("Data files", f"{files:,}", deletes),
            Number(
                "Bytes of data", bytes_shown(size), f"{bytes_shown(size // files)} a file" if files else None
            ),
        ]
    snapshots, refs = table.snapshots(), table.refs()
    tags = sum(each.snapshot_ref_type == "tag" for each in refs.values())
    named = f"{count_shown(len(refs) - tags, 'branch', 'branches')}, {count_shown(tags, 'tag')}"
    numbers.append(Number("Snapshots", f"{len(snapshots):,}", named))
    if snapshot is not None:
        moment = moment_shown(snapshot.timestamp_ms)
        numbers.append(
            Number("Last commit", moment[:10], f"{moment[11:19]} UTC, {snapshot.operation or 'unknown'}")
        )
    return numbers


def _history(table: Any) -> Part:  # noqa: ANN401
    snapshots, refs = table.snapshots(), table.refs()
    states = states_of(chosen_states(snapshots, refs), snapshots, refs)
    current = table.current_snapshot()
    heads = [] if current is None else [current.snapshot_id]
    heads += [each.snapshot_id for each in refs.values() if each.snapshot_ref_type == "branch"]
    growth = (
        "" if current is None else growth_cards(table.inspect.snapshots(), snapshots, current.snapshot_id)
    )
    return history_part(states, len(snapshots), heads, growth, "snapshot")


def _files(table: Any) -> Part:  # noqa: ANN401
    planned = table.scan().plan_files().to_arrow()
    if not planned.num_rows:
        return Part("files", "Files", "The table has no data files.")
    sizes = read_options(None, table.properties).sizes
    partitions = table.inspect.partitions()
    specs = {number: [each.name for each in spec.fields] for number, spec in table.specs().items()}
    lead = f"{count_shown(planned.num_rows, 'data file')} in {count_shown(partitions.num_rows, 'partition')}."
    return Part(
        "files",
        "Files",
        lead,
        [
            sizes_cards(planned["file_size_in_bytes"], sizes["target"], sizes["least"], sizes["most"]),
            partitions_card(partitions, specs),
        ],
    )


def _pruned(table: Any, scan: Scan) -> Part:  # noqa: ANN401
    import pyarrow.compute as pc  # noqa: PLC0415

    planned = table.scan().plan_files().to_arrow()
    size = pc.sum(planned["file_size_in_bytes"]).as_py() or 0
    return pruning_part(scan.explain(), planned.num_rows, size)


def _columns(table: Any) -> Part:  # noqa: ANN401
    schema = table.schema()
    lead = f"{count_shown(len(schema.fields), 'column')}, as the current schema has them."
    rows = schema._table_html("columns")  # noqa: SLF001 - of this package
    table_html = Html(f'<div class="scroll" tabindex="0" role="region" aria-label="columns">{rows}</div>')
    return Part("columns", "Columns", lead, [card(table_html)])
