"""What is pruned is right: random tables, read with a filter and without.

Four things hold of every table that `properties.drawing` draws. What is read without a filter are the rows that were
written and not deleted. What is counted, marked as deleted, and listed as deleted by position agrees with it. What is
read through a filter are those rows that pyarrow keeps. And every data file is planned, or named once by `explain` as
dropped, and one that was dropped holds no row that the filter holds for, deleted ones included.

`FLOEBERG_PROPERTIES=5000` tries so many tables, others each time; without it they are the same every time. A failure
prints the smallest table that was found, and `FLOEBERG_KEEP=folder` keeps its files.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import floeberg as fb
from properties.drawing import tables
from properties.predicates import Filter, Leaf, expression, filters
from properties.reading import matches, read, rows_of
from properties.tables import NUMBER, Table
from properties.writing import listed_in, write

EXAMPLES = int(os.environ.get("FLOEBERG_PROPERTIES", "0"))
KEEP = os.environ.get("FLOEBERG_KEEP")


class Asked:
    """A table and filters of it, told as a person would write them down."""

    def __init__(self, table: Table, filters: list[Filter]) -> None:
        self.table, self.filters = table, filters

    def __repr__(self) -> str:
        return f"{self.table}\n  filters: {[str(expression(each)) for each in self.filters]}"


def leaves(table: Table) -> list[Leaf]:
    return [Leaf(column.path, column.now) for column in table.columns]


@st.composite
def asked(draw: st.DrawFn) -> Asked:
    table = draw(tables())
    return Asked(table, draw(st.lists(filters(leaves(table)), min_size=1, max_size=4)))


@settings(
    max_examples=EXAMPLES or 150,
    derandomize=not EXAMPLES,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
)
@given(asked())
def test_a_pruned_read_is_an_unpruned_read_filtered(drawn: Asked) -> None:
    with tempfile.TemporaryDirectory() as folder:
        metadata = write(drawn.table, Path(folder, "table"))
        try:
            check(drawn.table, drawn.filters, fb.open_table(metadata))
        except BaseException:
            if KEEP:
                shutil.copytree(Path(folder, "table"), KEEP, dirs_exist_ok=True)
            raise


def check(table: Table, wanted: list[Filter], opened: fb.Table) -> None:
    files = list(table.data())
    written = {file.name: rows_of(table, file) for file in files}
    live = {
        row[NUMBER.path]: row
        for file in files
        for row, is_live in zip(written[file.name], table.live(file), strict=True)
        if is_live
    }
    assert read(table, opened.scan()) == live
    check_deletes(table, opened, set(live), {row[NUMBER.path] for rows in written.values() for row in rows})
    for tree in wanted:
        scan = opened.scan(row_filter=expression(tree))
        matching = {file.name: matches(table, file, tree) for file in files}
        numbers = {number for each in matching.values() for number in each}
        expected = {number: row for number, row in live.items() if number in numbers}
        assert read(table, scan) == expected, str(expression(tree))
        assert scan.count() == len(expected), str(expression(tree))
        planned = [Path(task.file.file_path).name for task in scan.plan_files()]
        explain = scan.explain(verbose=True)
        dropped = dropped_files(explain)
        assert [Path(path).name for path in explain.files] == planned
        assert sorted(dropped + planned) == sorted(matching), f"{explain}"
        for name in dropped:
            assert not matching[name], f"{name} was left out for {expression(tree)}"


def check_deletes(table: Table, opened: fb.Table, live: set[int], written: set[int]) -> None:
    """All that tells of deletes tells the same: a count, marks, and the positions that delete files name."""
    assert opened.scan().count() == len(live)
    marked = opened.scan(selected_fields=(NUMBER.path, "_deleted")).to_arrow().to_pylist()
    assert Counter((row[NUMBER.path], row["_deleted"]) for row in marked) == Counter(
        (number, number not in live) for number in written
    )
    named = opened.inspect.position_deletes().to_pylist()
    assert Counter((Path(row["file_path"]).name, row["pos"]) for row in named) == Counter(
        (target.name, position) for file in table.files for target, position in file.positions
    )


def dropped_files(explain: fb.Explain) -> list[str]:
    """The names of the data files that an account says were dropped, alone or with the manifest that lists them."""
    names = []
    for stage in explain.stages:
        assert stage.entered == stage.kept + sum(each.count for each in stage.dropped)
        if not stage.name.startswith("data "):
            continue
        for each in stage.dropped:
            assert len(each.files) == each.count
            names.extend(
                listed_in(path) if stage.name == "data manifests" else Path(path).name for path in each.files
            )
    return names
