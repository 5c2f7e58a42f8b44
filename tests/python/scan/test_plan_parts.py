"""Is a plan whose manifests other processes read the plan of one process?

The random tables are those of `properties.drawing`: of all format versions, with several schemas and partition specs,
and deletes of every kind. `FLOEBERG_PROPERTIES=3000` tries so many; without it they are the same every time.
"""

from __future__ import annotations

import os
import pickle
import tempfile
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import floeberg as fb
from floeberg import _native
from floeberg.errors import InternalError, InvalidDataError, NotFoundError, UnsupportedError
from floeberg.scan.plan import Plan
from planned_by_parts import planned_by_parts, told
from properties.drawing import tables
from properties.predicates import Filter, Leaf, expression, filters
from properties.tables import Table
from properties.writing import write

EXAMPLES = int(os.environ.get("FLOEBERG_PROPERTIES", "0"))


@st.composite
def asked(draw: st.DrawFn) -> tuple[Table, Filter, int, bool]:
    table = draw(tables())
    condition = draw(filters([Leaf(column.path, column.now) for column in table.columns]))
    return table, condition, draw(st.integers(1, 5)), draw(st.booleans())


@settings(
    max_examples=EXAMPLES or 100,
    derandomize=not EXAMPLES,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
)
@given(asked())
def test_a_plan_of_parts_says_the_same(drawn: tuple[Table, Filter, int, bool]) -> None:
    table, condition, most, deletes_too = drawn
    with tempfile.TemporaryDirectory() as folder:
        opened = fb.open_table(write(table, Path(folder, "table")))
        for scan in (opened.scan(), opened.scan(row_filter=expression(condition))):
            there = told(planned_by_parts(scan, most, deletes_too=deletes_too))
            assert there == told(scan.plan_files())


def test_rows_of_a_plan_of_parts_are_read(deletes):
    scan = deletes.open().scan(row_filter="id > 3")
    groups = planned_by_parts(scan).split()
    rows = [row for group in groups for row in group.to_arrow().to_pylist()]
    assert rows == scan.to_arrow().to_pylist() != []


def test_a_table_without_snapshots_has_an_empty_plan(tmp_path):
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    scan = catalog.create_table("ns.t", pa.schema({"id": pa.int64()})).scan()
    assert told(planned_by_parts(scan)) == told(scan.plan_files())


def made(folder, properties=None):
    """A table of three manifests, of a file each."""
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(folder))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", pa.schema({"id": pa.int64()}), properties=properties or {})
    for number in range(3):
        table.append(pa.table({"id": [number]}))
    return table


def data_manifests(table):
    return table.inspect.manifests()["path"].to_pylist()


@pytest.mark.unchecked_tables("a manifest is broken")
def test_a_missing_manifest_is_named(tmp_path):
    table = made(tmp_path)
    gone = Path(data_manifests(table)[1].removeprefix("file://"))
    gone.unlink()
    with pytest.raises(NotFoundError, match=gone.name) as found:
        planned_by_parts(fb.open_table(table.metadata_location).scan())
    with pytest.raises(NotFoundError) as local:
        len(fb.open_table(table.metadata_location).scan().plan_files())
    assert str(found.value) == str(local.value)


@pytest.mark.unchecked_tables("a manifest is broken")
def test_a_damaged_manifest_is_named(tmp_path):
    table = made(tmp_path)
    damaged = Path(data_manifests(table)[0].removeprefix("file://"))
    damaged.write_bytes(damaged.read_bytes()[:-40])
    with pytest.raises(InvalidDataError, match=damaged.name):
        planned_by_parts(fb.open_table(table.metadata_location).scan())


class TestSteps:
    def test_go_in_order(self, refs):
        inner = refs.open().scan()._inner
        parts = _native.plan_parts(inner)
        with pytest.raises(InternalError, match="step that it cannot take"):
            parts.finish()
        with pytest.raises(InternalError, match="step that it cannot take"):
            parts.index()

    def test_can_go_on_in_one_process(self, deletes):
        scan = deletes.open().scan(row_filter="id > 3")
        parts = _native.plan_parts(scan._inner)
        assert told(Plan(parts.here())) == told(scan.plan_files())
        parts = _native.plan_parts(scan._inner)
        parts.index()
        assert told(Plan(parts.here())) == told(scan.plan_files())

    def test_are_not_pickled(self, refs):
        with pytest.raises(TypeError, match="send its tasks"):
            pickle.dumps(_native.plan_parts(refs.open().scan()._inner))

    def test_do_not_plan_what_appends_added(self, refs):
        scan = refs.open().incremental_append_scan()
        with pytest.raises(UnsupportedError, match="appends"):
            _native.plan_parts(scan._inner)

    def test_miss_no_answer(self, deletes):
        inner = deletes.open().scan()._inner
        parts = _native.plan_parts(inner)
        assert len(parts.lengths(deletes=False)) > 1
        parts.index()
        parts.add(_native.read_manifests(inner, parts.task(False, 0, 1)))
        with pytest.raises(InternalError, match="other ones"):
            parts.finish()
