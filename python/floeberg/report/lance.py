"""What does the report of a Lance table say?

In: the table, which answers by its own methods. Out: the page. Manifests of Lance have no statistics: a filter leaves
out no fragment, and rows over time would have every manifest opened for one number.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from floeberg._display import bytes_shown, moment_shown
from floeberg.report.difference import difference_part
from floeberg.report.drawing import check_installed
from floeberg.report.files import bar_cell, count_shown
from floeberg.report.graph import Ref, State
from floeberg.report.history import MOST_STATES, history_part
from floeberg.report.making import made_at, part_or_error
from floeberg.report.page import Number, Page, Part, card, code, scrolled
from floeberg.report.report import Report
from floeberg.report.upkeep import Point, check_part, health_part

if TYPE_CHECKING:
    from floeberg.checking import Level
    from floeberg.comparing import TableDiff

__all__ = ["lance_report"]

_MOST_FRAGMENTS = 20


def lance_report(table: Any, scan: Any, diff: TableDiff | None, level: Level | None) -> Report:  # noqa: ANN401 - of a later room
    """Makes the report.

    Args:
        table: The table.
        scan: A scan with the filter to look at; `None` for no filter.
        diff: The difference to show; `None` for none.
        level: The level of the check; `None` for no check.
    """
    check_installed()
    title = table.location.rstrip("/").rpartition("/")[2] or table.location
    parts = [part_or_error("health", "Health", lambda: health_part(_points(table)))]
    if level is not None:
        check = table.check(level)
        parts.append(part_or_error("findings", "Findings of the check", lambda: check_part(check, level)))
    parts += [
        part_or_error("history", "History", lambda: _history(table)),
        part_or_error("files", "Fragments", lambda: _fragments(table)),
    ]
    if scan is not None:
        parts.append(part_or_error("filter", "What the filter leaves out", lambda: _filtered(scan)))
    if diff is not None:
        parts.append(part_or_error("difference", "What changed", lambda: difference_part(diff)))
    parts.append(_columns(table))
    branch = "main" if table.branch is None else table.branch
    facts = f"Lance, version {table.version} of the branch {branch}."
    return Report(title, Page(title, table.location, facts, _numbers(table), parts).html(made_at()))


def _numbers(table: Any) -> list[Number]:  # noqa: ANN401
    import pyarrow.compute as pc  # noqa: PLC0415 - importing floeberg imports nothing large

    fragments = table.inspect.fragments()
    rows = pc.sum(fragments["physical_rows"]).as_py() or 0
    deleted = pc.sum(fragments["deleted_rows"]).as_py() or 0
    files = table.inspect.data_files()
    size = pc.sum(files["size_bytes"]).as_py() or 0
    refs = table.inspect.refs()["type"].to_pylist()
    tags = refs.count("TAG")
    return [
        Number("Rows in data files", f"{rows:,}", f"{deleted:,} deleted" if deleted else None),
        Number("Fragments", f"{fragments.num_rows:,}", count_shown(files.num_rows, "data file")),
        Number("Bytes of data", bytes_shown(size), "as far as the manifest says it"),
        Number(
            "Version",
            f"{table.version:,}",
            f"{count_shown(len(refs) - tags, 'other branch', 'other branches')}, {count_shown(tags, 'tag')}",
        ),
    ]


def _points(table: Any) -> list[Point]:  # noqa: ANN401
    """What a compaction and an expiry would do."""
    joined = table.maintenance.rewrite_data_files(dry_run=True)
    expired = table.maintenance.expire_snapshots(dry_run=True)
    fragments = table.inspect.fragments().num_rows
    old = len(expired.versions)
    return [
        Point(
            "fragments to write again",
            f"{joined.fragments_before:,} of {fragments:,} (small ones, and those with many deleted rows)",
            joined.fragments_before > 0,
            "table.maintenance.compact()",
            f"{joined.rows:,} rows written again",
        ),
        Point(
            "old versions",
            f"{old:,} (older than seven days)",
            old > 0,
            "table.maintenance.cleanup()",
            f"{bytes_shown(expired.size_bytes)} removed",
        ),
    ]


def _history(table: Any) -> Part:  # noqa: ANN401
    versions = table.versions()
    here = "main" if table.branch is None else table.branch
    named: dict[int, list[Ref]] = {}
    for each in table.inspect.refs().to_pylist():
        # Those of other branches name versions that are not in this list.
        if (each["branch"] or "main") == here:
            named.setdefault(each["version"], []).append(Ref(each["name"], each["type"] == "TAG"))
    if versions:
        named.setdefault(versions[-1].version, []).insert(0, Ref(here, is_tag=False))
    parents = {after.version: before.version for before, after in pairwise(versions)}
    states = [
        State(
            each.version,
            parents.get(each.version),
            f"version {each.version}",
            " \N{MIDDLE DOT} ".join(
                [
                    "at an unknown time"
                    if each.timestamp is None
                    else moment_shown(int(each.timestamp.timestamp() * 1000))[:19],
                    f"by {each.written_by or 'an unknown writer'}",
                ]
            ),
            named.get(each.version, ()),
        )
        for place, each in enumerate(reversed(versions))
        if place < MOST_STATES or each.version in named
    ]
    heads = [states[0].number] if states else []
    return history_part(states, len(versions), heads, "", "version")


def _fragments(table: Any) -> Part:  # noqa: ANN401
    import pyarrow.compute as pc  # noqa: PLC0415

    fragments = table.inspect.fragments()
    if not fragments.num_rows:
        return Part("files", "Fragments", "The table has no fragments.")
    top = fragments.take(pc.select_k_unstable(fragments, _MOST_FRAGMENTS, [("physical_rows", "descending")]))
    largest = max(top["physical_rows"].to_pylist()) or 1
    rows: list[tuple[object, ...]] = [
        (
            each["fragment_id"],
            bar_cell(f"{each['physical_rows']:,}", each["physical_rows"] / largest),
            "unknown"
            if each["deleted_rows"] is None
            else bar_cell(
                f"{each['deleted_rows']:,}",
                each["deleted_rows"] / (each["physical_rows"] or 1),
                of_deletes=True,
            ),
        )
        for each in top.select(["fragment_id", "physical_rows", "deleted_rows"]).to_pylist()
    ]
    others = fragments.num_rows - len(rows)
    if others:
        left = (pc.sum(fragments["physical_rows"]).as_py() or 0) - (pc.sum(top["physical_rows"]).as_py() or 0)
        rows.append((f"{others:,} other fragments", f"{left:,}", None))
    caption = f"the {len(top):,} largest of {count_shown(fragments.num_rows, 'fragment')}, by rows"
    return Part(
        "files",
        "Fragments",
        f"{count_shown(fragments.num_rows, 'fragment')}.",
        [
            card(
                f'<div class="bars">{scrolled(("fragment", "rows", "deleted rows"), rows, caption=caption)}</div>'
            )
        ],
    )


def _filtered(scan: Any) -> Part:  # noqa: ANN401
    explain = scan.explain()
    lead = (
        f"The filter reads all {count_shown(explain.fragments, 'fragment')}: manifests of Lance have no statistics, "
        "and every row is tested."
    )
    return Part(
        "filter",
        "What the filter leaves out",
        lead,
        [card(f"<p>Filter: {code(explain.filter or 'TRUE')}</p>")],
    )


def _columns(table: Any) -> Part:  # noqa: ANN401
    columns = [(each.name, each.type, "" if each.nullable else "yes") for each in table.schema()]
    shown = columns[:200]
    left = len(columns) - len(shown)
    caption = "columns" + (f"; {left} more are left out" if left else "")
    return Part(
        "columns",
        "Columns",
        f"{count_shown(len(columns), 'column')}.",
        [card(scrolled(("column", "type", "required"), shown, caption=caption))],
    )
