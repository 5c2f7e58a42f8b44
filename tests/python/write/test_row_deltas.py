"""Do workers delete and change rows by what they send, with one commit on the driver?"""

from __future__ import annotations

import pickle
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import floeberg as fb
from floeberg.errors import CommitConflictError, InvalidInputError

SCHEMA = pa.schema({"id": pa.int64(), "v": pa.string()})
PLACES = ("_file", "_pos")
LINEAGE = ("_row_id", "_last_updated_sequence_number")


@pytest.fixture
def make(tmp_path):
    """What makes a table of a format version."""
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")

    def make(version, **more):
        return catalog.create_table("ns.t", SCHEMA, format_version=version, **more)

    return make


def rows(*ids, v="a"):
    return pa.table({"id": ids, "v": [v] * len(ids)}, SCHEMA)


def found(table):
    taken = table.scan().to_arrow().to_pylist()
    return sorted((row["id"], row["v"]) for row in taken)


def ids(table):
    return [id_ for id_, _ in found(table)]


def read(table):
    return table.current_snapshot().snapshot_id


def sent(anything):
    return pickle.loads(pickle.dumps(anything))


def files(table):
    return {path for path in Path(table.location(), "data").rglob("*") if path.is_file()}


@pytest.mark.parametrize("version", [2, 3])
def test_workers_find_rows_of_their_groups_and_the_driver_commits_them_once(make, version):
    table = make(version)
    for first in (0, 10, 20):
        table.append(rows(*range(first, first + 10)))
    recipe = sent(table.row_delta_recipe())
    plan = table.scan("id < 15", selected_fields=PLACES).plan_files()
    receipts = [sent(sent(recipe).delete_rows(sent(group).to_arrow())) for group in plan.split(target_size=1)]
    before = files(table)
    done = table.commit_row_delta(receipts, read_snapshot_id=read(table), conflict_filter="id < 15")
    assert (done.operation, done.deleted_rows, done.deleted_files) == ("delete", 15, 1)
    assert done.files_with_new_deletes == 1
    assert ids(table) == list(range(15, 30))
    (written,) = files(table) - before
    assert (written.suffix == ".puffin") == (version == 3)


@pytest.mark.parametrize("version", [2, 3])
def test_rows_are_changed_by_deletes_and_new_rows(make, version):
    table = make(version)
    table.append(rows(1, 2, 3))
    recipe = table.row_delta_recipe()
    columns = (*SCHEMA.names, *PLACES, *(LINEAGE if version == 3 else ()))
    old = table.scan("id = 2", selected_fields=columns).to_arrow()
    new = old.drop_columns(list(PLACES)).set_column(1, "v", pa.array(["b"]))
    if version == 3:
        unchanged = pa.nulls(1, pa.int64())
        new = new.set_column(new.schema.get_field_index(LINEAGE[1]), LINEAGE[1], unchanged)
    receipts = [
        recipe.delete_rows(old.select(list(PLACES))),
        recipe.write(new, task="0", with_lineage=version == 3),
    ]
    done = table.commit_row_delta(receipts, read_snapshot_id=read(table))
    assert (done.operation, done.added_rows, done.deleted_rows) == ("overwrite", 1, 1)
    assert found(table) == [(1, "a"), (2, "b"), (3, "a")]
    if version == 3:
        (row,) = table.scan("id = 2", selected_fields=LINEAGE).to_arrow().to_pylist()
        assert row["_row_id"] == old["_row_id"][0].as_py()
        assert row["_last_updated_sequence_number"] == table.current_snapshot().sequence_number


@pytest.mark.parametrize("version", [1, 2, 3])
def test_files_are_replaced_by_copies_of_their_rows(make, version):
    table = make(version)
    table.append(rows(1, 2, 3))
    table.append(rows(7))
    recipe = table.row_delta_recipe()
    columns = ("*", *LINEAGE) if version == 3 else ("*",)
    kept = table.scan("id < 5", selected_fields=(*SCHEMA.names, *columns[1:])).to_arrow()
    kept = kept.filter(pc.field("id") != 2)
    before = {row["id"]: row for row in kept.to_pylist()}
    (path,) = set(table.scan("id < 5", selected_fields=("_file",)).to_arrow()["_file"].to_pylist())
    receipts = [recipe.write(kept, task="0", with_lineage=version == 3), recipe.replace_files([path])]
    assert receipts[1].replaced_files() == [path]
    done = table.commit_row_delta(sent(receipts), read_snapshot_id=read(table))
    assert (done.rewritten_files, done.added_rows) == (1, 2)
    assert ids(table) == [1, 3, 7]
    if version == 3:
        after = table.scan("id < 5", selected_fields=(*SCHEMA.names, *LINEAGE)).to_arrow().to_pylist()
        assert {row["id"]: row for row in after} == before
    elif version == 2:
        with pytest.raises(InvalidInputError, match="lineage from format version 3"):
            recipe.write(rows(1), task="1", with_lineage=True)


@pytest.mark.parametrize("version", [2, 3])
def test_keys_are_deleted_where_they_reach_every_row(make, version):
    table = make(version, partition_spec=["v"])
    table.append(rows(1, 2))
    table.append(rows(2, 3, v="b"))
    with pytest.raises(InvalidInputError, match=r"depends on column \"v\".*Add \"v\" to the keys"):
        table.row_delta_recipe(key_columns=["id"])
    recipe = sent(table.row_delta_recipe(key_columns=["id", "v"]))
    receipt = sent(recipe.delete_keys(pa.table({"id": [2], "v": ["b"]}), task="0"))
    assert receipt.added_rows == 0
    table.commit_row_delta([receipt], read_snapshot_id=read(table))
    assert found(table) == [(1, "a"), (2, "a"), (3, "b")]
    # Keys delete what was there before, and not what comes with them.
    receipts = [
        recipe.delete_keys(pa.table({"id": [1], "v": ["a"]}), task="1"),
        recipe.write(rows(1), task="2"),
    ]
    done = table.commit_row_delta(receipts, read_snapshot_id=read(table))
    assert done.operation == "overwrite"
    assert found(table) == [(1, "a"), (2, "a"), (3, "b")]


def test_keys_that_cannot_be_are_refused_before_a_file(make):
    table = make(2)
    table.append(rows(1))
    for columns, text in [
        (["nope"], "nope"),
        ([], "at least one column"),
        (["id", "id"], "twice"),
    ]:
        with pytest.raises(InvalidInputError, match=text):
            table.row_delta_recipe(key_columns=columns)
    with pytest.raises(InvalidInputError, match="key_columns"):
        table.row_delta_recipe(key_columns="id")
    with pytest.raises(InvalidInputError, match="has no key columns"):
        table.row_delta_recipe().delete_keys(pa.table({"id": [1]}), task="0")
    before = files(table)
    recipe = table.row_delta_recipe(key_columns=["id"])
    with pytest.raises(InvalidInputError, match="id"):
        recipe.delete_keys(pa.table({"id": ["x"]}), task="0")
    receipt = recipe.delete_keys(pa.table({"id": [1]}), task="1")
    assert len(files(table) - before) == 1
    recipe.remove(receipt)
    assert files(table) == before


def test_what_was_read_is_where_validation_starts(make):
    table = make(3)
    table.append(rows(1, 2, 3))
    snapshot = read(table)
    recipe = table.row_delta_recipe()
    places = table.scan("id = 2", selected_fields=PLACES).to_arrow()
    deletes = recipe.delete_rows(places)
    changes = [deletes, recipe.write(rows(20), task="0")]
    table.append(rows(2, 9))
    with pytest.raises(CommitConflictError, match="added a file"):
        table.commit_row_delta([deletes], read_snapshot_id=snapshot, conflict_filter="id = 2")
    table.delete("id = 2", mode="merge-on-read")
    with pytest.raises(CommitConflictError, match="was deleted by another commit"):
        table.commit_row_delta(changes, read_snapshot_id=snapshot)
    table.delete("id = 3", mode="copy-on-write")
    with pytest.raises(CommitConflictError, match="not in the table any more"):
        table.commit_row_delta([deletes], read_snapshot_id=snapshot)
    assert ids(table) == [1, 9]
    recipe.remove(changes[1])


def test_a_commit_of_receipts_is_made_once_by_its_key(make):
    table = make(3)
    table.append(rows(1, 2, 3))
    recipe = table.row_delta_recipe()
    receipts = [
        recipe.delete_rows(table.scan("id = 2", selected_fields=PLACES).to_arrow()),
        recipe.write(rows(20), task="0"),
    ]
    snapshot = read(table)
    first = table.commit_row_delta(receipts, read_snapshot_id=snapshot, idempotency_key="job")
    again = table.commit_row_delta(receipts, read_snapshot_id=snapshot, idempotency_key="job")
    assert (again.already_committed, again.snapshot_id) == (True, first.snapshot_id)
    assert ids(table) == [1, 3, 20]
    with pytest.raises(fb.errors.AlreadyExistsError):
        table.commit_row_delta([receipts[1]], read_snapshot_id=read(table))


def test_places_in_any_arrow_form_are_taken_and_wrong_ones_told(make):
    table = make(3)
    table.append(rows(1, 2, 3))
    recipe = table.row_delta_recipe()
    places = table.scan("id > 1", selected_fields=PLACES).to_arrow()
    forms = [
        places.set_column(0, "_file", places["_file"].dictionary_encode()),
        places.set_column(0, "_file", places["_file"].cast(pa.large_string())),
        places.select(["_pos", "_file"]),
        places.set_column(1, "_pos", places["_pos"].cast(pa.int32())),
        places.to_pylist(),
    ]
    for form in forms:
        assert recipe.delete_rows(form).deleted_rows == 2
    (path,) = set(places["_file"].to_pylist())
    for wrong, text in [
        (pa.table({"_file": [path], "_pos": [-1]}), "from 0, found -1"),
        (pa.table({"_file": [path], "_pos": pa.array([None], pa.int64())}), "_pos"),
        (pa.table({"_file": [""], "_pos": [1]}), "has no file"),
        (pa.table({"_file": [path]}), "_pos"),
        (7, "rows in Arrow form"),
    ]:
        with pytest.raises(InvalidInputError, match=text):
            recipe.delete_rows(wrong)
    beyond = recipe.delete_rows(pa.table({"_file": [path], "_pos": [3]}))
    with pytest.raises(InvalidInputError, match="below 3, found 3"):
        table.commit_row_delta([beyond], read_snapshot_id=read(table))
    with pytest.raises(InvalidInputError, match="expected RowDeltaReceipts"):
        table.commit_row_delta([recipe], read_snapshot_id=None)
    with pytest.raises(InvalidInputError, match="neither adds nor removes"):
        table.commit_row_delta([], read_snapshot_id=None)
    one_twice = recipe.delete_rows(pa.table({"_file": [path], "_pos": [1]}))
    with pytest.raises(InvalidInputError, match="changed twice"):
        fb.RowDeltaReceipt.concat([one_twice, one_twice, recipe.write(rows(1), task="9")])


def test_rows_in_v1_are_not_deleted_by_place(make):
    table = make(1)
    table.append(rows(1, 2))
    recipe = table.row_delta_recipe()
    receipt = recipe.delete_rows(table.scan("id = 1", selected_fields=PLACES).to_arrow())
    with pytest.raises(InvalidInputError, match="format version 1 has no delete files"):
        table.commit_row_delta([receipt], read_snapshot_id=read(table))
    with pytest.raises(InvalidInputError, match="format version 1 has no delete files"):
        table.row_delta_recipe(key_columns=["id"])
