"""Rows that were written again with equal values did not change, whatever identifies them."""

from __future__ import annotations

import uuid

import pyarrow as pa
import pytest

import floeberg as fb
from diff.compared import found

SCHEMA = pa.schema({"id": pa.int64(), "v": pa.int64()})


def table_of(version, ids, values):
    catalog = fb.load_catalog(f"compared-{uuid.uuid4()}", type="memory")
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", SCHEMA, format_version=version)
    table.append(pa.table({"id": ids, "v": values}, SCHEMA))
    return table, table.current_snapshot().snapshot_id


@pytest.mark.parametrize("version", [1, 2, 3])
def test_rows_of_a_repeated_key_are_told_apart_by_values(version):
    table, start = table_of(version, [1, 1, 2], [5, 6, 7])
    table.update({"v": fb.col("v")}, "id = 1")
    diff = table.diff(start, key=["id"])
    assert found(diff) == []
    assert not diff.has_changed_rows()
    assert diff.exit_code() == 0
    table.update({"v": 50}, "v = 5")
    assert found(table.diff(start, key=["id"])) == [("update", ["v"], (1, 5), (1, 50))]
    table.update({"v": 60}, "v = 6")
    assert found(table.diff(start, key=["id"])) == [
        ("delete", None, (1, 5), None),
        ("delete", None, (1, 6), None),
        ("insert", None, None, (1, 50)),
        ("insert", None, None, (1, 60)),
    ]


@pytest.mark.parametrize("key", [None, ["id"]])
@pytest.mark.parametrize("version", [1, 2, 3])
def test_columns_that_are_not_selected_count_for_nothing(version, key):
    table, start = table_of(version, [1, 2], [5, 6])
    table.update({"v": 50}, "id = 1")
    diff = table.diff(start, key=key, selected_fields=["id"])
    assert (found(diff), diff.summary().changed_rows, diff.exit_code()) == ([], 0, 0)
    assert table.diff(start, key=key, selected_fields=["v"]).exit_code() == 1
