"""Which rows differ between two snapshots, and by which cells?"""

from __future__ import annotations

import pickle
import subprocess
import sys

import pyarrow as pa
import pytest

import floeberg as fb
from diff.compared import SCHEMA, changed, filled, found
from floeberg.errors import InvalidInputError, NotFoundError

VERSIONS = [(1, "copy-on-write"), (2, "merge-on-read"), (3, "copy-on-write"), (3, "merge-on-read")]


@pytest.mark.parametrize(("version", "mode"), VERSIONS)
def test_rows_are_inserted_deleted_and_updated_by_a_key(version, mode):
    table, start = changed(version, mode)
    expected = [
        ("delete", None, (3, "c", 3.0), None),
        ("insert", None, None, (5, "e", 5.0)),
        ("update", ["note", "x"], (2, "b", 2.0), (2, "B", 20.0)),
    ]
    assert found(table.diff(start, key=["id"])) == expected
    summary = table.diff(start, key=["id"]).summary()
    assert (summary.inserted_rows, summary.deleted_rows, summary.updated_rows) == (1, 1, 1)
    assert summary.changed_columns == {"note": 1, "x": 1}
    assert summary.proof is None
    back = found(table.diff(table.current_snapshot().snapshot_id, start, key=["id"]))
    assert [(kind, after, before) for kind, _, before, after in back] == [
        ("delete", None, (5, "e", 5.0)),
        ("insert", (3, "c", 3.0), None),
        ("update", (2, "b", 2.0), (2, "B", 20.0)),
    ]


@pytest.mark.parametrize(("version", "mode"), VERSIONS)
def test_without_a_key_row_ids_tell_updates_and_older_tables_have_none(version, mode):
    table, start = changed(version, mode)
    kinds = sorted(row[0] for row in found(table.diff(start)))
    if version < 3:
        assert kinds == ["delete", "delete", "insert", "insert"]
    else:
        assert kinds == ["delete", "insert", "update"]


def test_identifier_fields_are_the_key_by_default():
    table, start = filled(2)
    with table.update_schema(allow_incompatible_changes=True) as update:
        update.require_column("id")
        update.set_identifier_fields("id")
    table.overwrite(pa.table({"id": [1], "note": ["new"], "x": [1.0]}, SCHEMA), "id = 1")
    assert found(table.diff(start)) == [("update", ["note"], (1, "a", 1.0), (1, "new", 1.0))]


def test_a_row_with_the_same_values_is_no_update():
    table, start = filled(3)
    table.update({"x": fb.col("x") + 0.0}, "id < 3")
    table.update({"note": "z"}, "id = 3")
    table.update({"note": "c"}, "id = 3")
    assert found(table.diff(start)) == []
    assert not table.diff(start).has_changed_rows()
    assert table.diff(start).summary().changed_rows == 0


def test_a_key_of_several_rows_counts_for_nothing():
    table, start = filled(2)
    table.append(pa.table({"id": [9, 9], "note": ["p", "q"], "x": [0.0, 0.0]}, SCHEMA))
    middle = table.current_snapshot().snapshot_id
    table.overwrite(pa.table({"id": [9], "note": ["r"], "x": [0.0]}, SCHEMA), "id = 9")
    assert [row[0] for row in found(table.diff(middle, key=["id"]))] == ["delete", "delete", "insert"]
    assert [row[0] for row in found(table.diff(start, key=["id"]))] == ["insert"]


def test_columns_are_found_by_their_ids():
    table, start = filled(2)
    with table.update_schema() as update:
        update.rename_column("note", "text")
        update.delete_column("x")
    with table.update_schema() as update:
        update.add_column("x", "double")
    assert found(table.diff(start, "main", key=["id"])) == []
    rows = pa.table({"id": [1], "text": ["a"], "x": pa.array([1.0], pa.float64())})
    table.overwrite(rows, "id = 1")
    # The new x is another column than the old one, so that it was null before.
    assert found(table.diff(start, key=["id"])) == [("update", ["x"], (1, "a", None), (1, "a", 1.0))]
    assert [(each.change, each.name) for each in table.diff(start).schema()] == [
        ("changed", "text"),
        ("added", "x"),
        ("dropped", "x"),
    ]


def test_an_earlier_schema_has_the_wider_types_of_a_later_one():
    catalog = fb.load_catalog("diff promoted", type="memory")
    catalog.create_namespace_if_not_exists("ns")
    table = catalog.create_table("ns.t", pa.schema({"id": pa.int32(), "x": pa.float32()}))
    table.append(pa.table({"id": pa.array([1], pa.int32()), "x": pa.array([0.5], pa.float32())}))
    start = table.current_snapshot().snapshot_id
    with table.update_schema() as update:
        update.update_column("id", "long")
        update.update_column("x", "double")
    table.overwrite(pa.table({"id": [1, 2**40], "x": [0.5, 0.1]}))
    end = table.current_snapshot().snapshot_id
    assert found(table.diff(start, end, key=["id"])) == [("insert", None, None, (2**40, 0.1))]
    assert found(table.diff(end, start, key=["id"])) == [("delete", None, (2**40, 0.1), None)]
    assert pa.schema(table.diff(end, start)).field("before").type.field("id").type == pa.int64()
    assert found(table.diff(end, start, row_filter="id > 1")) == [("delete", None, (2**40, 0.1), None)]


def test_columns_and_rows_can_be_chosen():
    table, start = changed(3, "copy-on-write")
    diff = table.diff(start, selected_fields=("note",), row_filter="id < 3")
    assert found(diff) == [("update", ["note"], ("b",), ("B",))]
    assert found(table.diff(start, selected_fields=("id",))) == [
        ("delete", None, (3,), None),
        ("insert", None, None, (5,)),
    ]


def test_branches_are_compared_where_neither_is_of_the_line_of_the_other():
    table, start = filled(3)
    table.manage_snapshots().create_branch(start, "audit").commit()
    table.update({"x": 10.0}, "id = 1", branch="audit")
    table.update({"note": "m"}, "id = 1")
    assert found(table.diff("audit", "main")) == [("update", ["note", "x"], (1, "a", 10.0), (1, "m", 1.0))]
    assert found(table.diff("main", "audit")) == [("update", ["note", "x"], (1, "m", 1.0), (1, "a", 10.0))]


def test_a_snapshot_that_is_not_there_is_named():
    table, start = filled(2)
    table.append(pa.table({"id": [5], "note": ["e"], "x": [5.0]}, SCHEMA))
    with pytest.raises(NotFoundError, match="no snapshot 17, or it was expired"):
        table.diff(17)
    with pytest.raises(NotFoundError, match="no snapshot 18, or it was expired"):
        table.diff(start, 18)
    with pytest.raises(NotFoundError, match='no branch or tag "nope"'):
        table.diff("nope")
    with pytest.raises(InvalidInputError, match="nope"):
        table.diff(start, key=["nope"])
    with pytest.raises(InvalidInputError, match="expected at least one column"):
        table.diff(start, key=[])
    with pytest.raises(InvalidInputError, match="neither true nor false"):
        bool(table.diff(start))


def test_a_difference_can_be_pickled_and_read_batch_by_batch():
    table, start = changed(3, "merge-on-read")
    diff = table.diff(start, key=["id"])
    again = pickle.loads(pickle.dumps(diff))
    assert found(again) == found(diff)
    assert again.schema() == diff.schema()
    assert pa.Table.from_batches(diff.to_arrow_batch_reader()) == diff.to_arrow()
    assert diff.to_arrow().schema == pa.schema(diff)


LITTLE_MEMORY = """
import pyarrow as pa
import floeberg as fb

catalog = fb.load_catalog("little", type="memory")
catalog.create_namespace("ns")
rows = pa.table({"id": range(60_000), "note": [f"note {each}" for each in range(60_000)]})
table = catalog.create_table("ns.t", rows.schema, format_version=2)
table.append(rows)
start = table.current_snapshot().snapshot_id
new = rows.slice(100).set_column(1, "note", pa.array([f"new {each}" for each in range(100, 60_000)]))
# In another order, so that rows of the first batches are found in the last ones.
table.overwrite(pa.concat_tables([new.slice(30_000), new.slice(0, 30_000)]))
table.append(pa.table({"id": [70_000], "note": ["e"]}))
kinds = {"insert": 0, "delete": 0, "update": 0}
for batch in table.diff(start, key=["id"]).to_arrow_batch_reader():
    for row in batch.to_pylist():
        kinds[row["_change"]] += 1
        if row["_change"] == "update":
            number = row["before"]["id"]
            assert row["before"] == {"id": number, "note": f"note {number}"}, row
            assert row["after"] == {"id": number, "note": f"new {number}"}, row
print(kinds)
"""


def test_rows_that_do_not_fit_into_memory_are_read_again():
    run = subprocess.run(
        [sys.executable, "-c", LITTLE_MEMORY],
        env={"FLOEBERG_MEMORY": "1M", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == str({"insert": 1, "delete": 100, "update": 59_900})
