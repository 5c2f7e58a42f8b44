"""Rows are updated by their keys, and others inserted, in both modes and beside other writers."""

from __future__ import annotations

import datetime as dt
import random
import uuid
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import floeberg as fb
from beside import beside
from floeberg.errors import (
    CommitConflictError,
    FloebergError,
    InvalidInputError,
    LimitExceededError,
    UnsupportedError,
)

CASES = [
    (1, "copy-on-write"),
    (2, "copy-on-write"),
    (2, "merge-on-read"),
    (3, "copy-on-write"),
    (3, "merge-on-read"),
]
SCHEMA = pa.schema([("id", pa.int64()), ("note", pa.string()), ("x", pa.float64())])
LINEAGE = ("_row_id", "_last_updated_sequence_number")


def rows(*ids, note="old"):
    return pa.table({"id": ids, "note": [note] * len(ids), "x": [float(id_ or 0) for id_ in ids]}, SCHEMA)


def made(tmp_path: Path, version: int = 3, schema: pa.Schema = SCHEMA, **more) -> fb.Table:
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace_if_not_exists("ns")
    return catalog.create_table("ns.t", schema, format_version=version, **more)


def again(tmp_path: Path) -> fb.Table:
    return fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path)).load_table("ns.t")


def content(table):
    found = table.scan().to_arrow().sort_by("id")
    return dict(zip(found["id"].to_pylist(), found["note"].to_pylist(), strict=True))


def files_of(tmp_path: Path) -> set[str]:
    return {str(path) for path in (tmp_path / "ns" / "t").rglob("*") if path.is_file()}


@pytest.mark.parametrize(("version", "mode"), CASES)
def test_rows_are_updated_and_inserted_by_their_keys(tmp_path, version, mode):
    table = made(tmp_path, version)
    table.append(rows(1, 2, 3))
    table.append(rows(4, 5))
    done = table.upsert(rows(2, 4, 9, note="new"), ["id"], mode=mode)
    assert (done.rows_updated, done.rows_inserted) == (2, 1)
    assert (done.commit.operation, done.commit.added_rows) == ("overwrite", 3)
    assert content(table) == {1: "old", 2: "new", 3: "old", 4: "new", 5: "old", 9: "new"}
    # What would not change is not written.
    done = table.upsert(rows(2, 4, 9, note="new"), ["id"], mode=mode)
    assert (done.rows_updated, done.rows_inserted, done.commit.snapshot_id) == (0, 0, None)


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_an_updated_row_keeps_its_id(tmp_path, mode):
    table = made(tmp_path)
    table.append(rows(1, 2, 3))
    first = table.scan(selected_fields=("id", *LINEAGE)).to_arrow().sort_by("id")
    table.upsert(rows(2, 9, note="new"), ["id"], mode=mode)
    now = table.scan(selected_fields=("id", *LINEAGE)).to_arrow().sort_by("id")
    assert now["_row_id"].to_pylist()[:3] == first["_row_id"].to_pylist()
    assert now["_last_updated_sequence_number"].to_pylist() == [1, 2, 1, 2]
    assert len(set(now["_row_id"].to_pylist())) == 4


def test_each_half_can_be_left_out(tmp_path):
    table = made(tmp_path)
    table.append(rows(1, 2))
    done = table.upsert(rows(2, 9, note="new"), ["id"], when_not_matched_insert_all=False)
    assert (done.rows_updated, done.rows_inserted) == (1, 0)
    done = table.upsert(rows(1, 9, note="newer"), ["id"], when_matched_update_all=False)
    assert (done.rows_updated, done.rows_inserted) == (0, 1)
    assert content(table) == {1: "old", 2: "new", 9: "newer"}


def test_the_identifier_fields_are_the_keys_unless_others_are_named(tmp_path):
    table = made(tmp_path, schema=pa.schema([pa.field("id", pa.int64(), nullable=False), *list(SCHEMA)[1:]]))
    table.append(rows(1))
    with pytest.raises(InvalidInputError, match="no identifier fields"):
        table.upsert(rows(1, note="new"))
    with table.update_schema() as update:
        update.set_identifier_fields("id")
    assert table.upsert(rows(1, note="new")).rows_updated == 1
    assert content(table) == {1: "new"}


KEYS = {
    "int": (pa.int32(), [1, 2, 3]),
    "bool": (pa.bool_(), [True, False, None]),
    "string": (pa.string(), ["", "b", "ß"]),
    "binary": (pa.binary(), [b"", b"\x00", b"b"]),
    "uuid": (pa.uuid() if hasattr(pa, "uuid") else pa.binary(16), [uuid.UUID(int=n).bytes for n in range(3)]),
    "fixed": (pa.binary(3), [b"abc", b"abd", b"xyz"]),
    "date": (pa.date32(), [dt.date(1969, 1, n) for n in (1, 2, 3)]),
    "time": (pa.time64("us"), [dt.time(n) for n in (1, 2, 3)]),
    "timestamp": (pa.timestamp("us"), [0, 1, 2]),
    "timestamptz": (pa.timestamp("us", "UTC"), [0, 1, 2]),
    "decimal": (pa.decimal128(20, 3), [Decimal(n) for n in (1, 2, 3)]),
    "float": (pa.float32(), [1.5, float("nan"), float("inf")]),
    "double": (pa.float64(), [1.5, float("nan"), 0.0]),
}


@pytest.mark.parametrize("name", list(KEYS))
def test_keys_are_of_any_primitive_type(tmp_path, name):
    kind, (first, second, third) = KEYS[name]
    schema = pa.schema([("key", kind), ("n", pa.int64())])

    def data(values, numbers):
        storage = kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind
        keys = pa.array(values, storage)
        if storage is not kind:
            keys = pa.ExtensionArray.from_storage(kind, keys)
        return pa.table([keys, pa.array(numbers, pa.int64())], schema=schema)

    table = made(tmp_path, schema=schema)
    table.append(data([first, second], [1, 2]))
    done = table.upsert(data([second, third], [20, 30]), ["key"], null_keys="equal")
    assert (done.rows_updated, done.rows_inserted) == (1, 1)
    assert sorted(table.scan().to_arrow()["n"].to_pylist()) == [1, 20, 30]


def test_minus_zero_is_zero_and_nan_is_nan(tmp_path):
    schema = pa.schema([("x", pa.float64()), ("n", pa.int64())])
    table = made(tmp_path, schema=schema)
    table.append(pa.table({"x": [0.0, float("nan")], "n": [1, 2]}, schema))
    done = table.upsert(pa.table({"x": [-0.0, float("nan")], "n": [10, 20]}, schema), ["x"])
    assert (done.rows_updated, done.rows_inserted) == (2, 0)
    with pytest.raises(InvalidInputError, match="one key"):
        table.upsert(pa.table({"x": [0.0, -0.0], "n": [1, 2]}, schema), ["x"])


def test_null_is_a_key_only_where_that_is_said(tmp_path):
    table = made(tmp_path)
    table.append(rows(1, None))
    before = files_of(tmp_path)
    with pytest.raises(InvalidInputError, match="a key of the source is null"):
        table.upsert(rows(None, note="new"), ["id"])
    assert files_of(tmp_path) == before
    done = table.upsert(rows(None, 1, note="new"), ["id"], null_keys="equal")
    assert (done.rows_updated, done.rows_inserted) == (2, 0)
    with pytest.raises(InvalidInputError, match="one key"):
        table.upsert(rows(None, None, note="new"), ["id"], null_keys="equal")


def test_keys_of_several_columns(tmp_path):
    table = made(tmp_path)
    table.append(pa.table({"id": [1, 1, 2], "note": ["a", "b", "a"], "x": [0.0, 0.0, 0.0]}, SCHEMA))
    source = pa.table({"note": ["b", "b"], "x": [9.0, 9.0], "id": [1, 2]})
    done = table.upsert(source, ["id", "note"])
    assert (done.rows_updated, done.rows_inserted) == (1, 1)
    found = table.scan().to_arrow().sort_by([("id", "ascending"), ("note", "ascending")])
    assert found["x"].to_pylist() == [0.0, 9.0, 0.0, 9.0]


def test_every_row_with_a_key_is_updated(tmp_path):
    table = made(tmp_path)
    table.append(rows(1, 1, 2))
    table.append(rows(1))
    assert table.upsert(rows(1, note="new"), ["id"]).rows_updated == 3


def test_columns_that_the_source_lacks_stay(tmp_path):
    table = made(tmp_path)
    table.append(rows(1, 2))
    done = table.upsert(pa.table({"id": pa.array([2, 9], pa.int32()), "note": ["new", "new"]}), ["id"])
    assert (done.rows_updated, done.rows_inserted) == (1, 1)
    assert table.scan().to_arrow().sort_by("id")["x"].to_pylist() == [1.0, 2.0, None]


def test_new_columns_come_with_schema_mode(tmp_path):
    table = made(tmp_path)
    table.append(rows(1, 2))
    source = rows(2, 3).append_column("more", pa.array(["a", "b"]))
    with pytest.raises(InvalidInputError, match="no column 'more'"):
        table.upsert(source, ["id"])
    done = table.upsert(source, ["id"], schema_mode="merge")
    assert (done.rows_updated, done.rows_inserted) == (1, 1)
    assert table.scan().to_arrow().sort_by("id")["more"].to_pylist() == [None, "a", "b"]


def test_nested_columns_are_compared_and_changed(tmp_path):
    schema = pa.schema(
        [
            ("id", pa.int64()),
            ("s", pa.struct([("a", pa.int32()), ("b", pa.list_(pa.string()))])),
            ("m", pa.map_(pa.string(), pa.int64())),
        ]
    )
    table = made(tmp_path, schema=schema)
    value = {"s": {"a": 1, "b": ["x", None]}, "m": [("k", 1)]}
    table.append(pa.Table.from_pylist([{"id": 1, **value}, {"id": 2, **value}], schema))
    changed = [{"id": 1, **value}, {"id": 2, "s": {"a": 1, "b": ["x", "y"]}, "m": [("k", 1)]}]
    done = table.upsert(pa.Table.from_pylist(changed, schema), ["id"])
    assert (done.rows_updated, done.rows_inserted) == (1, 0)
    found = table.scan().to_arrow().sort_by("id")["s"].to_pylist()
    assert [each["b"] for each in found] == [["x", None], ["x", "y"]]


def test_a_source_is_whatever_gives_rows(tmp_path):
    table = made(tmp_path)
    table.append(rows(1, 2, 3))
    assert table.upsert([{"id": 1, "note": "dict", "x": 1.0}], ["id"]).rows_updated == 1
    assert table.upsert(rows(2, note="reader").to_reader(), ["id"]).rows_updated == 1
    # One that reads the target.
    assert table.upsert(table.scan("id > 1"), ["id"]).rows_updated == 0
    own = (batch.set_column(1, "note", pa.array(["own"] * len(batch))) for batch in rows(3).to_batches())
    assert table.upsert(pa.RecordBatchReader.from_batches(SCHEMA, own), ["id"]).rows_updated == 1
    assert table.upsert(rows(), ["id"]).commit.snapshot_id is None


@pytest.mark.parametrize(
    ("source", "more", "said"),
    [
        (rows(1, 1), {"join_cols": ["id"]}, "have one key: id = 1"),
        (rows(1), {"join_cols": ["nope"]}, "no key column 'nope'"),
        (rows(1).drop_columns("id"), {"join_cols": ["id"]}, "the source has no key column 'id'"),
        (rows(1), {"join_cols": []}, "at least one"),
        (rows(1), {"join_cols": "id"}, "a sequence of names"),
        (rows(1), {"join_cols": ["id", "id"]}, "twice"),
        (rows(1), {"null_keys": "maybe"}, "null_keys"),
        (rows(1), {"mode": "sideways"}, "expected the mode"),
        (rows(1), {"schema_mode": "replace"}, "schema_mode"),
        (rows(1), {"when_matched_update_all": False, "when_not_matched_insert_all": False}, "neither"),
        (rows(1), {"when_matched_update_all": "yes"}, "when_matched_update_all"),
        (3, {}, "data"),
        (pa.table({"id": ["x"]}), {}, "id"),
        (pa.table([[1], [2]], names=["id", "id"]), {}, "two columns 'id'"),
    ],
    ids=str,
)
def test_mistakes_change_nothing(tmp_path, source, more, said):
    table = made(tmp_path)
    table.append(rows(1))
    before = files_of(tmp_path)
    with pytest.raises(InvalidInputError, match=said):
        table.upsert(source, **{"join_cols": ["id"], **more})
    assert files_of(tmp_path) == before


def test_keys_are_no_lists_and_must_fit_into_memory(tmp_path, monkeypatch):
    schema = pa.schema([("id", pa.int64()), ("l", pa.list_(pa.int64()))])
    table = made(tmp_path, schema=schema)
    with pytest.raises(UnsupportedError, match="primitive"):
        table.upsert(pa.table({"id": [1], "l": [[1]]}, schema), ["l"])
    monkeypatch.setenv("FLOEBERG_MEMORY", "1K")
    with pytest.raises(LimitExceededError, match="FLOEBERG_MEMORY"):
        table.upsert(pa.table({"id": list(range(1000)), "l": [[1]] * 1000}, schema), ["id"])
    assert table.refresh().scan().count() == 0


def test_a_dry_run_counts_and_writes_nothing(tmp_path):
    table = made(tmp_path)
    table.append(rows(1, 2))
    before = files_of(tmp_path)
    done = table.upsert(rows(2, 9, note="new"), ["id"], dry_run=True)
    assert (done.rows_updated, done.rows_inserted, done.commit.dry_run) == (1, 1, True)
    assert files_of(tmp_path) == before


def test_a_key_of_the_write_makes_it_once(tmp_path):
    table = made(tmp_path)
    first = table.upsert(rows(1), ["id"], idempotency_key="k")
    repeated = table.upsert(rows(2), ["id"], idempotency_key="k")
    assert repeated.commit.already_committed
    assert repeated.commit.snapshot_id == first.commit.snapshot_id
    assert content(table) == {1: "old"}


@pytest.mark.unchecked_tables("a file is broken, to see that it is not read")
def test_files_without_keys_are_not_read(tmp_path):
    table = made(tmp_path)
    for start in (0, 100, 200):
        table.append(rows(*range(start, start + 10)))
    broken = table.scan("id = 205", selected_fields=("_file",)).to_arrow()["_file"][0].as_py()
    Path(broken.removeprefix("file://")).write_bytes(b"broken")
    done = table.upsert(rows(*range(101, 120), note="new"), ["id"])
    assert (done.rows_updated, done.rows_inserted) == (9, 10)


@pytest.mark.unchecked_tables("columns are broken, to see that they are not read")
def test_columns_are_read_until_a_row_differs(tmp_path):
    columns = pa.schema([("id", pa.int64()), *((name, pa.int64()) for name in "abcd")])

    def numbers(ids, *more):
        return pa.table(
            {"id": ids} | {name: [value] * len(ids) for name, value in zip("abcd", more, strict=True)}
        )

    table = made(tmp_path, schema=columns)
    table.append(numbers(range(1000), 1, 2, 3, 4))
    path = Path(table.inspect.files()["file_path"][0].as_py().removeprefix("file://"))
    stored = bytearray(path.read_bytes())
    group = pq.read_metadata(path).row_group(0)
    for number in (2, 3, 4):
        chunk = group.column(number)
        start = chunk.dictionary_page_offset or chunk.data_page_offset
        stored[start : start + chunk.total_compressed_size] = b"\xff" * chunk.total_compressed_size
    path.write_bytes(stored)
    done = table.upsert(numbers(range(500, 1500), 0, 2, 3, 4), ["id"], mode="merge-on-read")
    assert (done.rows_updated, done.rows_inserted) == (500, 500)
    # Where rows do not differ in the first column, others are read.
    with pytest.raises(FloebergError):
        table.upsert(numbers(range(10), 1, 0, 3, 4), ["id"])


def test_rows_that_differ_in_some_column_are_written(tmp_path):
    names = "abcdefg"
    columns = pa.schema([("id", pa.int64()), *((name, pa.int64()) for name in names)])
    rng = random.Random(5)
    for version in (2, 3):
        table = made(tmp_path / str(version), version, schema=columns)
        old = [{"id": id_} | dict.fromkeys(names, 0) for id_ in range(300)]
        for start in (0, 100, 200):
            table.append(pa.Table.from_pylist(old[start : start + 100], columns))
        new = [dict(row) for row in old]
        changed = rng.sample(range(300), 120)
        for number in changed:
            new[number][rng.choice(names)] = None if rng.random() < 0.5 else 1
        rng.shuffle(new)
        assert table.upsert(pa.Table.from_pylist(new, columns), ["id"]).rows_updated == len(changed)
        assert table.scan().to_arrow().sort_by("id").to_pylist() == sorted(new, key=lambda row: row["id"])


# Other writers.


@pytest.mark.parametrize("level", ["serializable", "snapshot"])
def test_no_key_is_inserted_twice(tmp_path, monkeypatch, level):
    table = made(tmp_path)
    table.append(rows(1))
    beside(tmp_path, monkeypatch, lambda other: other.append(rows(4, 5, 6)))
    done = table.upsert(rows(5, 7, note="new"), ["id"], options={"isolation-level": level})
    assert (done.rows_updated, done.rows_inserted) == (1, 1)
    assert content(table) == {1: "old", 4: "old", 5: "new", 6: "old", 7: "new"}


def test_keys_of_others_that_only_bounds_hold_are_no_conflict(tmp_path, monkeypatch):
    table = made(tmp_path)
    table.append(rows(1))
    beside(tmp_path, monkeypatch, lambda other: other.append(rows(4, 6)))
    assert table.upsert(rows(5), ["id"], on_conflict="raise").rows_inserted == 1
    assert sorted(content(table)) == [1, 4, 5, 6]


def test_a_row_that_others_changed_is_a_conflict(tmp_path, monkeypatch):
    table = made(tmp_path)
    table.append(rows(1, 2))
    beside(
        tmp_path, monkeypatch, lambda other: other.update({"note": "theirs"}, "id = 2", mode="merge-on-read")
    )
    with pytest.raises(CommitConflictError):
        table.upsert(rows(2, note="ours"), ["id"], on_conflict="raise")
    assert content(again(tmp_path)) == {1: "old", 2: "theirs"}


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_an_upsert_brings_no_row_back_that_a_key_deleted(tmp_path, monkeypatch, mode):
    table = made(tmp_path)
    table.append(rows(1, 2, 3))

    def deletes(other):
        recipe = other.row_delta_recipe(key_columns=["id"])
        receipt = recipe.delete_keys(pa.table({"id": pa.array([2, 3], pa.int64())}), task="0")
        other.commit_row_delta([receipt], read_snapshot_id=other.current_snapshot().snapshot_id)

    beside(tmp_path, monkeypatch, deletes)
    done = table.upsert(rows(2, note="new"), ["id"], mode=mode)
    # The row is not there any more, so that it is inserted, and 3 stays deleted.
    assert (done.rows_updated, done.rows_inserted) == (0, 1)
    assert content(table) == {1: "old", 2: "new"}


def test_writers_of_other_rows_of_a_file_are_joined(tmp_path, monkeypatch):
    table = made(tmp_path)
    table.append(rows(1, 2, 3))
    beside(
        tmp_path,
        monkeypatch,
        lambda other: other.upsert(rows(1, note="theirs"), ["id"], mode="merge-on-read"),
    )
    table.upsert(rows(3, note="ours"), ["id"], mode="merge-on-read", on_conflict="raise")
    assert content(table) == {1: "theirs", 2: "old", 3: "ours"}


def test_copies_of_rows_that_others_copied_are_made_again(tmp_path, monkeypatch):
    table = made(tmp_path)
    table.append(rows(1, 2, 3))
    beside(tmp_path, monkeypatch, lambda other: other.upsert(rows(1, note="theirs"), ["id"]))
    table.upsert(rows(3, note="ours"), ["id"])
    assert content(table) == {1: "theirs", 2: "old", 3: "ours"}
    stored = {path for path in files_of(tmp_path) if path.endswith(".parquet")}
    assert len(stored) == 5, "the first file, two of theirs, two of ours"


def test_random_upserts_are_what_a_dict_makes_of_them(tmp_path):
    rng = random.Random(7)
    for version, mode in CASES:
        table = made(tmp_path / f"{version}-{mode}", version)
        model = {}
        for step in range(12):
            ids = rng.sample(range(40), rng.randint(1, 12))
            source = rows(*ids, note=f"n{step % 3}")
            done = table.upsert(source, ["id"], mode=mode)
            new = dict.fromkeys(ids, f"n{step % 3}")
            assert done.rows_inserted == len(new.keys() - model.keys())
            assert done.rows_updated == sum(1 for id_ in new if model.get(id_, new[id_]) != new[id_])
            model |= new
            if step % 4 == 3:
                gone = rng.randrange(40)
                table.delete(f"id = {gone}", mode=mode)
                model.pop(gone, None)
                table.update({"note": "u"}, "id < 5", mode=mode)
                model |= {id_: "u" for id_ in model if id_ < 5}
            assert content(table) == model
            assert pc.count_distinct(table.scan().to_arrow()["id"]).as_py() == len(model)
