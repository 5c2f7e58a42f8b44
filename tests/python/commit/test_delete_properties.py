"""Rows of tables that others wrote are deleted: random tables, random filters, both modes.

What `properties.drawing` draws has evolved columns and specs, hidden partitions, nested columns, NaN and -0.0, missing
statistics, and deletes of every kind, some of which name rows that are not there. After each delete exactly the rows
that a filter holds for are gone, the others have the lineage that they had, every older snapshot is as it was, and the
table is what the specification says.

`FLOEBERG_PROPERTIES=3000` tries so many tables, others each time; without it they are the same every time.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import floeberg as fb
from conformance_checker import Fault, check
from properties.drawing import tables
from properties.predicates import Filter, Leaf, expression, filters
from properties.reading import matches, read, rows_of
from properties.tables import NUMBER, Table
from properties.writing import write

EXAMPLES = int(os.environ.get("FLOEBERG_PROPERTIES", "0"))
MODES = ("copy-on-write", "merge-on-read")
Lineage = dict[int, tuple[int | None, int | None]]
Delete = tuple[str, Filter, bool, bool]
"""A mode, a filter, whether the table is upgraded before, and whether a transaction does it in two modes."""


class Asked:
    """A table and deletes, told as a person would write them down."""

    def __init__(self, table: Table, deletes: list[Delete]) -> None:
        self.table, self.deletes = table, deletes

    def __repr__(self) -> str:
        told = [(mode, str(expression(tree)), *rest) for mode, tree, *rest in self.deletes]
        return f"v{self.table.version} {self.table.columns} {self.table.specs} {self.table.files}\n  {told}"


@st.composite
def asked(draw: st.DrawFn) -> Asked:
    table = draw(tables())
    leaves = [Leaf(column.path, column.now) for column in table.columns]
    one = st.tuples(st.sampled_from(MODES), filters(leaves), st.booleans(), st.booleans())
    return Asked(table, draw(st.lists(one, min_size=1, max_size=4)))


@settings(
    max_examples=EXAMPLES or 80,
    derandomize=not EXAMPLES,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
)
@given(asked())
def test_rows_for_which_a_filter_holds_go_and_all_others_stay(drawn: Asked) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "table")
        write(drawn.table, place)
        # What is drawn is not faultless itself.
        known = {fault.rule for fault in faults(place / "metadata" / "v1.metadata.json")}
        table = fb.open_table(place)
        delete_and_compare(drawn, table)
        assert [fault for fault in faults(table.metadata_location) if fault.rule not in known] == []


def faults(location: object) -> list[Fault]:
    """What is wrong with a table."""
    return check(str(location), lambda each: Path(each.removeprefix("file://")).read_bytes()).faults


def delete_and_compare(drawn: Asked, table: fb.Table) -> None:
    files = list(drawn.table.data())
    live = {
        row[NUMBER.path]: row
        for file in files
        for row, is_live in zip(rows_of(drawn.table, file), drawn.table.live(file), strict=True)
        if is_live
    }
    known = {}
    for mode, tree, is_upgraded, is_twofold in drawn.deletes:
        if is_upgraded and table.format_version < 3:
            table.upgrade_table_version(3)
        known[table.current_snapshot().snapshot_id] = live
        before = lineage(table)
        modes = (mode, *(each for each in MODES if is_twofold and each != mode))
        with table.transaction() as transaction:
            for each in modes:
                transaction.delete(expression(tree), mode=each)
        gone = set().union(*(matches(drawn.table, file, tree) for file in files))
        live = {number: row for number, row in live.items() if number not in gone}
        assert read(drawn.table, table.scan()) == live, f"{modes} {expression(tree)}"
        assert table.scan().count() == len(live)
        if transaction.result.snapshot_id is None:
            # Nothing matched, and nothing was committed: a table that was upgraded has no lineage yet.
            assert lineage(table) == before
        else:
            compare_lineage(before, lineage(table))
        compare_vectors(table)
        for snapshot_id, rows in known.items():
            assert read(drawn.table, table.scan(snapshot_id=snapshot_id)) == rows


def lineage(table: fb.Table) -> Lineage:
    """The lineage of each row, by its number."""
    if table.format_version < 3:
        return {}
    names = (NUMBER.path, "_row_id", "_last_updated_sequence_number")
    found = table.scan(selected_fields=names).to_arrow()
    number, *of_row = (found[name].to_pylist() for name in names)
    return dict(zip(number, zip(*of_row, strict=True), strict=True))


def compare_lineage(before: Lineage, after: Lineage) -> None:
    """Rows keep what they had. Those of a table that was upgraded get it with the first commit after."""
    for number, of_row in after.items():
        assert None not in of_row
        assert before[number] in (of_row, (None, None)), f"{number}: {before[number]} became {of_row}"
    ids = Counter(row_id for row_id, _ in after.values())
    assert not ids or max(ids.values()) == 1, ids


def compare_vectors(table: fb.Table) -> None:
    """A data file has one vector at most, and a vector has its data file."""
    deletes = table.inspect.delete_files().to_pylist()
    vectors = Counter(each["referenced_data_file"] for each in deletes if each["file_format"] == "PUFFIN")
    assert set(vectors) <= set(table.inspect.data_files()["file_path"].to_pylist())
    assert set(vectors.values()) <= {1}
