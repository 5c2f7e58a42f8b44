"""Deletes of files that are large enough for every kind of container of a deletion vector.

A vector's positions are kept by 65,536 of them: as a list, as bits, or as runs, one of which may be all of them. What
is read, counted, marked and listed agrees with a plain set, whichever kind the writer chose.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pyarrow.compute as pc
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import floeberg as fb
from properties.tables import NUMBER, File, Layout, Spec, Table
from properties.vectors import CONTAINER
from properties.writing import write

ROWS = 200_000
UNPARTITIONED = Spec(0, ())
BORDERS = sorted(
    {0, ROWS - 1, ROWS, 4_095, 4_096, *(k * CONTAINER + d for k in (1, 2, 3) for d in (-1, 0, 1))}
)

places = st.one_of(st.sampled_from(BORDERS), st.integers(0, ROWS))
runs = st.tuples(places, places).map(lambda ends: range(min(ends), max(ends)))
sparse = st.builds(range, places, st.just(ROWS), st.sampled_from([2, 3, 15, 17, 1_000]))
deleted = st.lists(st.one_of(runs, sparse), min_size=1, max_size=4)
layouts = st.builds(
    Layout,
    group_rows=st.sampled_from([1_000, 65_536, 100_000, ROWS]),
    page_bytes=st.just(1 << 20),
    statistics=st.booleans(),
    page_index=st.booleans(),
    dictionary=st.booleans(),
)


def table(layout: Layout, positions: set[int], *, vector: bool, runs: bool) -> Table:
    """A table of one data file, with a vector or a position delete file."""
    data = File("data.parquet", 0, 1, UNPARTITIONED, (), 1, layout)
    data.rows = [{NUMBER.number: number, 0: False} for number in range(ROWS)]
    name = "vector.puffin" if vector else "positions.parquet"
    deletes = File(name, 1, 1, UNPARTITIONED, (), 2, layout)
    deletes.positions = [(data, position) for position in sorted(positions)]
    deletes.of, deletes.vector, deletes.runs = data, vector, runs
    return Table(3 if vector else 2, (NUMBER,), (UNPARTITIONED,), [data, deletes], True, True)


@settings(
    max_examples=10,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)
@given(layouts, deleted, st.sampled_from([(True, True), (True, True), (True, False), (False, False)]), runs)
def test_all_answers_about_deletes_agree(layout, drawn, form, wanted) -> None:
    positions = {position for each in drawn for position in each} or {0}
    check(layout, positions, form, wanted)


def test_rows_of_a_container_that_is_one_run_are_deleted() -> None:
    layout = Layout(ROWS, 1 << 20, True, True, True)
    check(layout, set(range(70_000)) | {ROWS + 7, 1 << 33}, (True, True), range(1, 150_000))


def check(layout: Layout, positions: set[int], form: tuple[bool, bool], wanted: range) -> None:
    vector, has_runs = form
    live = [number for number in range(ROWS) if number not in positions]
    with tempfile.TemporaryDirectory() as folder:
        drawn = table(layout, positions, vector=vector, runs=has_runs)
        opened = fb.open_table(write(drawn, Path(folder, "table")))
        assert numbers(opened.scan()) == live
        assert opened.scan().count() == len(live)
        through = opened.scan(row_filter=f"n >= {wanted.start} AND n < {wanted.stop}")
        expected = [number for number in live if number in wanted]
        assert numbers(through) == expected
        assert through.count() == len(expected)
        plan = opened.scan().plan_files()
        parts = [group.to_arrow() for group in plan.split(1 << 18)]
        assert sorted(number for part in parts for number in part["n"].to_pylist()) == live
        marked = opened.scan(selected_fields=("n", "_deleted")).to_arrow()
        assert marked.num_rows == ROWS
        assert pc.filter(marked["n"], marked["_deleted"]).to_pylist() == sorted(
            position for position in positions if position < ROWS
        )
        listed = opened.inspect.position_deletes()["pos"]
        assert sorted(listed.to_pylist()) == sorted(positions)


def numbers(scan: fb.Scan) -> list[int]:
    return scan.to_arrow()["n"].to_pylist()
