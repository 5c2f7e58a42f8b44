"""Are rows deleted from files of which others stay, in both modes, beside a model of the rows?"""

from __future__ import annotations

import math
import random
from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import InvalidInputError
from floeberg.types import NestedField, PrimitiveType, Schema, StructType

CASES = [
    (1, "copy-on-write"),
    (2, "copy-on-write"),
    (2, "merge-on-read"),
    (3, "copy-on-write"),
    (3, "merge-on-read"),
]

ROWS = [
    {"id": 1, "v": 1.5, "s": {"n": 1, "t": "a"}, "part": "x"},
    {"id": 2, "v": math.nan, "s": None, "part": "x"},
    {"id": 3, "v": -0.0, "s": {"n": None, "t": "b"}, "part": "x"},
    {"id": 4, "v": None, "s": {"n": 4, "t": None}, "part": "y"},
    {"id": None, "v": 2.5, "s": {"n": 5, "t": "a"}, "part": "y"},
    {"id": 6, "v": 0.0, "s": {"n": 1, "t": "c"}, "part": None},
]

SCHEMA = Schema(
    NestedField(1, "id", PrimitiveType("long"), required=False),
    NestedField(2, "v", PrimitiveType("double"), required=False),
    NestedField(
        3,
        "s",
        StructType(
            (
                NestedField(4, "n", PrimitiveType("int"), required=False),
                NestedField(5, "t", PrimitiveType("string"), required=False),
            )
        ),
        required=False,
    ),
    NestedField(6, "part", PrimitiveType("string"), required=False),
)


@pytest.fixture
def make(tmp_path):
    """What makes a table of a format version."""
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")

    def make(version, *, properties=None, partition_spec=None):
        return catalog.create_table(
            "ns.t",
            SCHEMA,
            format_version=version,
            properties=properties or {},
            partition_spec=[] if partition_spec is None else partition_spec,
        )

    return make


def ids(table):
    return sorted((row["id"] for row in table.scan().to_arrow().to_pylist()), key=lambda id_: id_ or 0)


def files(table):
    return {path for path in Path(table.location(), "data").rglob("*") if path.is_file()}


@pytest.mark.parametrize(("version", "mode"), CASES)
@pytest.mark.parametrize(
    ("where", "left"),
    [
        ("id = 2", [None, 1, 3, 4, 6]),
        ("v = 0.0", [None, 1, 2, 4]),
        ("v IS NAN", [None, 1, 3, 4, 6]),
        ("id IS NULL", [1, 2, 3, 4, 6]),
        ("NOT (id < 4)", [None, 1, 2, 3]),
        ("s.n = 1", [None, 2, 3, 4]),
        ("s.t IS NULL", [None, 1, 3, 6]),
        ("part = 'x' AND v > 1", [None, 2, 3, 4, 6]),
        ("true", []),
        ("id = 77", [None, 1, 2, 3, 4, 6]),
    ],
)
def test_rows_for_which_the_filter_is_true_go_and_no_others(make, version, mode, where, left):
    table = make(version)
    table.append(ROWS)
    table.delete(where, mode=mode)
    assert ids(table) == left
    stayed = [row for row in ROWS if row["id"] in left]
    found = table.refresh().scan().to_arrow().to_pylist()
    assert sorted(map(repr, found)) == sorted(map(repr, stayed))


@pytest.mark.parametrize(("version", "mode"), CASES)
def test_random_histories_leave_the_rows_of_a_model_at_every_snapshot(make, version, mode):
    rng = random.Random(f"{version} {mode}")
    table = make(version, partition_spec=["part"])
    model, known = {}, {}
    for number in range(18):
        if number % 3 == 0:
            new = range(number * 10, number * 10 + rng.randrange(1, 9))
            table.append([{"id": id_, "v": id_ / 2, "part": rng.choice(["x", "y", None])} for id_ in new])
            model |= dict.fromkeys(new)
        else:
            step, first = rng.randrange(2, 6), rng.randrange(0, 5)
            gone = set(range(first, 200, step))
            table.delete(f"id IN ({', '.join(map(str, gone))})", mode=mode)
            model = {id_: None for id_ in model if id_ not in gone}
        assert ids(table) == sorted(model)
        known[table.current_snapshot().snapshot_id] = sorted(model)
    for snapshot_id, expected in known.items():
        found = table.scan(snapshot_id=snapshot_id).to_arrow()["id"].to_pylist()
        assert sorted(found) == expected


def test_the_mode_is_that_of_the_table_unless_given(make):
    table = make(3, properties={"write.delete.mode": "merge-on-read"})
    table.append(ROWS)
    before = files(table)
    assert table.delete("id = 1").operation == "delete"
    (vectors,) = files(table) - before
    assert vectors.suffix == ".puffin"
    assert table.delete("id = 2", mode="copy-on-write").operation == "overwrite"
    assert table.inspect.delete_files().num_rows == 0


def test_copies_keep_the_lineage_of_their_rows(make):
    table = make(3)
    table.append(ROWS)
    table.append([{"id": 7}, {"id": 8}])
    columns = ("id", "_row_id", "_last_updated_sequence_number")

    def lineage():
        return {row["id"]: row for row in table.scan(selected_fields=columns).to_arrow().to_pylist()}

    before = lineage()
    for where in ("id IN (2, 7)", "id = 3"):
        table.delete(where, mode="copy-on-write")
    after = lineage()
    assert set(after) == {None, 1, 4, 6, 8}
    assert after == {id_: before[id_] for id_ in after}


@pytest.mark.parametrize("mode", ["merge-on-read", "copy-on-write"])
def test_evolved_columns_and_specs_are_followed(make, mode):
    table = make(3)
    table.append(ROWS)
    with table.update_schema() as update:
        update.rename_column("id", "key")
        update.add_column("extra", "int")
    table.append([{"key": 9, "extra": 1}])
    table.delete("key = 1 OR extra = 1", mode=mode)
    found = table.scan().to_arrow()
    assert sorted(found["key"].to_pylist(), key=lambda key: key or 0) == [None, 2, 3, 4, 6]
    assert found["extra"].null_count == 5


def test_position_deletes_become_a_vector_after_an_upgrade(make):
    table = make(2)
    table.append(ROWS)
    table.delete("id = 1", mode="merge-on-read")
    table.upgrade_table_version(3)
    table.delete("id = 2", mode="merge-on-read")
    (delete,) = table.inspect.delete_files().to_pylist()
    assert (delete["file_format"], delete["record_count"]) == ("PUFFIN", 2)
    assert ids(table) == [None, 3, 4, 6]


def test_an_operation_of_a_transaction_sees_those_before(make):
    table = make(3)
    table.append(ROWS)
    with table.transaction() as transaction:
        transaction.delete("id = 1", mode="merge-on-read")
        transaction.append([{"id": 10}, {"id": 11}])
        transaction.delete("id IN (2, 10)", mode="copy-on-write")
        transaction.delete("id = 11", mode="merge-on-read")
    assert ids(table) == [None, 3, 4, 6]
    assert len(table.snapshots()) == 5


@pytest.mark.parametrize("mode", ["merge-on-read", "copy-on-write"])
def test_what_is_wrong_is_told_and_leaves_nothing(make, mode):
    table = make(1 if mode == "merge-on-read" else 3)
    table.append(ROWS)
    before = files(table)
    if mode == "merge-on-read":
        with pytest.raises(InvalidInputError, match="copy-on-write"):
            table.delete("id = 1", mode=mode)
    with pytest.raises(InvalidInputError, match="nope"):
        table.delete("nope = 1", mode="copy-on-write")
    with pytest.raises(InvalidInputError, match="expected the mode copy-on-write or merge-on-read"):
        table.delete("id = 1", mode="sometimes")
    with pytest.raises(InvalidInputError, match="mode: expected"):
        table.delete("id = 1", mode=7)
    (gone,) = before
    kept = gone.read_bytes()
    gone.unlink()
    with pytest.raises(fb.errors.NotFoundError):
        table.delete("id = 1", mode="copy-on-write")
    assert files(table) == before - {gone}
    gone.write_bytes(kept)
    assert len(table.refresh().snapshots()) == 1


def test_of_two_deletes_of_one_file_the_later_one_is_made_again(make):
    table = make(3)
    table.append(ROWS)
    other = fb.open_table(table.metadata_location)
    assert other.scan().count() == len(ROWS)
    stale = table.refresh()
    transactions = [
        stale.transaction(),
        fb.load_catalog("c", type="filesystem", warehouse=str(Path(table.location()).parents[1]))
        .load_table("ns.t")
        .transaction(),
    ]
    for id_, transaction in enumerate(transactions, 1):
        transaction.delete(f"id = {id_}", mode="merge-on-read")
    for transaction in transactions:
        transaction.commit_transaction()
    table.refresh()
    assert ids(table) == [None, 3, 4, 6]
    (delete,) = table.inspect.delete_files().to_pylist()
    assert delete["record_count"] == 2
    assert len([path for path in files(table) if path.suffix == ".puffin"]) == 2


def test_a_key_of_a_delete_is_found_again(make):
    table = make(3)
    table.append(ROWS)
    first = table.delete("id = 1", mode="merge-on-read", idempotency_key="k")
    again = table.delete("id = 1", mode="merge-on-read", idempotency_key="k")
    assert (again.already_committed, again.snapshot_id) == (True, first.snapshot_id)
    assert pa.table({"id": ids(table)}).num_rows == 5


@pytest.mark.parametrize(("version", "mode"), CASES)
def test_columns_may_be_called_as_metadata_columns_are(tmp_path, version, mode):
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    names = ("_pos", "__pos", "_file", "_row_id")
    table = catalog.create_table(
        "ns.t", pa.schema([(name, pa.int64()) for name in names]), format_version=version
    )
    table.append([dict.fromkeys(names, number) for number in range(3)])
    if version == 3 and mode == "copy-on-write":
        with pytest.raises(InvalidInputError, match='"_row_id".*rename the column'):
            table.delete("_pos = 1", mode=mode)
        with table.update_schema() as update:
            update.rename_column("_row_id", "row_id")
    table.delete("_pos = 1", mode=mode)
    assert table.scan().to_arrow()["__pos"].to_pylist() == [0, 2]
