"""Columns of rows are set: by literals, columns, SQL, expressions and functions, in both modes."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import floeberg as fb
from floeberg.errors import (
    CommitConflictError,
    FloebergError,
    InvalidInputError,
    UnsupportedError,
)
from stable_ids import stable

CASES = [
    (1, "copy-on-write"),
    (2, "copy-on-write"),
    (2, "merge-on-read"),
    (3, "copy-on-write"),
    (3, "merge-on-read"),
]
SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64(), nullable=False),
        ("name", pa.string()),
        ("price", pa.float64()),
        ("cost", pa.decimal128(9, 2)),
        ("day", pa.date32()),
        ("s", pa.struct([("z", pa.int32())])),
    ]
)
LINEAGE = ("_row_id", "_last_updated_sequence_number")


def rows(*ids):
    return pa.table(
        {
            "id": ids,
            "name": [f"n{id_}" for id_ in ids],
            "price": [float(id_) for id_ in ids],
            "cost": [Decimal(id_) for id_ in ids],
            "day": [dt.date(2026, 1, id_) for id_ in ids],
            "s": [{"z": id_} for id_ in ids],
        },
        SCHEMA,
    )


def made(tmp_path: Path, version: int = 3, *ids, **more) -> fb.Table:
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace_if_not_exists("ns")
    table = catalog.create_table("ns.t", SCHEMA, format_version=version, **more)
    table.append(rows(*(ids or (1, 2, 3))))
    return table


def again(tmp_path: Path) -> fb.Table:
    return fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path)).load_table("ns.t")


def column(table, name):
    found = table.scan().to_arrow().sort_by("id")
    return found[name].to_pylist()


def files_of(tmp_path: Path) -> set[str]:
    return {str(path) for path in (tmp_path / "ns" / "t").rglob("*") if path.is_file()}


@pytest.mark.parametrize(("version", "mode"), CASES)
def test_columns_of_matching_rows_are_set(tmp_path, version, mode):
    table = made(tmp_path, version, 1, 2, 3)
    table.append(rows(4, 5))
    done = table.update({"name": fb.lit("target.name"), "price": None}, "id IN (2, 3, 4)", mode=mode)
    assert (done.operation, done.updated_rows, done.inserted_rows) == ("overwrite", 3, 0)
    assert (done.deleted_rows, done.added_rows) == (3, 3)
    assert column(table, "name") == ["n1", "target.name", "target.name", "target.name", "n5"]
    assert column(table, "price") == [1.0, None, None, None, 5.0]
    assert column(table, "s") == [{"z": id_} for id_ in (1, 2, 3, 4, 5)]
    if mode == "copy-on-write":
        assert (done.rewritten_files, done.copied_rows) == (2, 2)
    else:
        assert (done.files_with_new_deletes, done.copied_rows) == (2, 0)


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_rows_keep_their_ids_and_only_changed_ones_get_a_new_last_update(tmp_path, mode):
    table = made(tmp_path)
    first = table.scan(selected_fields=("id", *LINEAGE)).to_arrow().sort_by("id")
    table.update({"name": "x"}, "id = 2", mode=mode)
    now = table.scan(selected_fields=("id", *LINEAGE)).to_arrow().sort_by("id")
    assert now["_row_id"] == first["_row_id"]
    assert now["_last_updated_sequence_number"].to_pylist() == [1, 2, 1]
    # The ids of new rows do not meet those that are stored.
    table.append(rows(9))
    ids = table.scan(selected_fields=("_row_id",)).to_arrow()["_row_id"].to_pylist()
    assert len(set(ids)) == 4


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("fb.col('price')", "fb.col('price')"),
        (fb.lit("id"), "id"),
        ("two words: id", "two words: id"),
        (fb.col("name"), "n2"),
        (fb.col("target.name"), "n2"),
        (fb.sql_expr("name || '-' || name"), "n2-n2"),
        (fb.sql_expr("'name'"), "name"),
        (fb.sql_expr("CASE WHEN target.id = 2 THEN upper(name) END"), "N2"),
        (pc.binary_join_element_wise(pc.field("name"), pc.scalar("x"), "/"), "n2/x"),
        (pc.utf8_upper(pc.field("target.name")), "N2"),
        (lambda batch: pc.utf8_upper(batch["name"]), "N2"),
        (pa.scalar("a scalar"), "a scalar"),
        (None, None),
        (pa.scalar(None), None),
    ],
    ids=stable,
)
def test_a_string_is_a_literal_and_the_rest_says_what_it_is(tmp_path, value, expected):
    table = made(tmp_path)
    table.update({"name": value}, "id = 2")
    assert column(table, "name") == ["n1", expected, "n3"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("price * 2 + id", 6.0),
        ("id / 4", 0.5),
        ("id % 2", 0.0),
        ("-price", -2.0),
        ("CAST(cost AS DOUBLE) * 1.5", 3.0),
        ("coalesce(NULL, price)", 2.0),
        ("nullif(price, 2)", None),
        ("if(name LIKE 'n%' AND NOT id BETWEEN 3 AND 4, 1, 0)", 1.0),
        ("CASE id WHEN 2 THEN 7 ELSE 8 END", 7.0),
        ("CASE WHEN day >= '2026-01-02' AND name IN ('n2', 'n3') THEN 7 END", 7.0),
        ("CASE WHEN NULL OR id = 2 THEN 7 END", 7.0),
        ("CASE WHEN NULL AND id = 2 THEN 7 END", None),
        ("CASE WHEN name IS NOT NULL AND (name = NULL) IS NULL THEN 7 END", 7.0),
        ("CASE WHEN (NULL <=> NULL) THEN 7 END", 7.0),
        ("s.z + target.s.z", 4.0),
        ("length(substring(name, 1, 1))", 1.0),
        ("round(price / 3, 1)", 0.7),
        ("abs(-3) + floor(1.5)", 4.0),
    ],
)
def test_sql_means_what_sql_means(tmp_path, text, expected):
    table = made(tmp_path)
    table.update({"price": fb.sql_expr(text)}, "id = 2")
    assert column(table, "price")[1] == expected


def test_all_new_values_see_the_old_ones(tmp_path):
    table = made(tmp_path)
    table.update({"id": fb.sql_expr("id * 10"), "price": fb.sql_expr("id + 0.5")})
    assert column(table, "id") == [10, 20, 30]
    assert column(table, "price") == [1.5, 2.5, 3.5]


def test_values_are_converted_where_none_changes(tmp_path):
    table = made(tmp_path)
    table.update({"cost": fb.col("id"), "price": 3, "s": {"z": 7}, "day": dt.date(2026, 2, 1)}, "id = 1")
    assert column(table, "cost")[0] == Decimal("1.00")
    assert (column(table, "price")[0], column(table, "s")[0]) == (3.0, {"z": 7})
    table.update({"id": lambda batch: pc.cast(batch["id"], pa.int32())}, "id = 1")
    assert column(table, "id") == [1, 2, 3]


@pytest.mark.parametrize(
    ("updates", "said"),
    [
        ({}, "expected new values by columns"),
        ("name", "expected new values by columns"),
        ({1: 2}, "expected a str as the name"),
        ({"nam": 1}, "has no column 'nam'"),
        ({"s.z": 1}, "fields of structs are not set one by one"),
        ({"name": "x", "target.name": "y"}, "given twice"),
        ({"name": 1}, "name"),
        ({"id": "1"}, "id"),
        ({"id": None}, "required"),
        ({"id": fb.sql_expr("NULL")}, "required"),
        ({"id": 1.5}, "id"),
        ({"id": fb.col("price")}, None),
        ({"id": fb.sql_expr("price + 0.5")}, "does not fit its type"),
        ({"id": fb.col("name")}, "convert them first"),
        ({"name": fb.col("id")}, "convert them first"),
        ({"name": fb.col("nam")}, "column 'nam' is unknown"),
        ({"name": fb.sql_expr("nam")}, "column 'nam' is unknown"),
        ({"name": fb.sql_expr("name +")}, "cannot be parsed"),
        ({"name": fb.sql_expr("SELECT 1")}, "SQL"),
        ({"name": fb.sql_expr("regexp_extract(name, 'x')")}, "not supported"),
        ({"id": fb.sql_expr("id + 9223372036854775807")}, "overflow"),
        ({"price": fb.sql_expr("1 / 0")}, "divide by zero"),
        ({"name": pc.field("nam")}, "cannot be computed"),
        ({"name": pa.array(["x"])}, "pass a function of the batch"),
        ({"name": lambda batch: batch["name"].slice(1)}, "one for each row"),
        ({"name": lambda _batch: "x"}, "expected an Arrow array"),
        ({"name": fb.expressions.EqualTo("id", 1)}, "is a filter"),
    ],
    ids=stable,
)
def test_values_that_do_not_fit_change_nothing(tmp_path, updates, said):
    table = made(tmp_path)
    before = files_of(tmp_path)
    if said is None:
        table.update(updates)
        return
    with pytest.raises(FloebergError, match=said.replace("(", ".")):
        table.update(updates)
    assert files_of(tmp_path) == before
    assert table.scan().count() == 3


def test_a_function_that_raises_is_heard_and_leaves_nothing(tmp_path):
    table = made(tmp_path)
    before = files_of(tmp_path)

    def fails(_batch):
        raise KeyError("own")

    with pytest.raises(KeyError, match="own"):
        table.update({"name": fails})
    assert files_of(tmp_path) == before


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"mode": "sideways"}, "expected the mode"),
        ({"mode": 3}, "mode"),
        ({"options": {"isolation-level": "none"}}, "isolation level"),
        ({"on_conflict": "wait"}, "on_conflict"),
        ({"filter": "nam = 1"}, "nam"),
        ({"case_sensitive": 1}, "case_sensitive"),
    ],
)
def test_arguments_that_are_wrong_change_nothing(tmp_path, more, said):
    table = made(tmp_path)
    before = files_of(tmp_path)
    with pytest.raises(InvalidInputError, match=said):
        table.update({"name": "x"}, **more)
    assert files_of(tmp_path) == before


def test_version_1_can_only_copy(tmp_path):
    table = made(tmp_path, 1)
    before = files_of(tmp_path)
    with pytest.raises(InvalidInputError, match="format version 1"):
        table.update({"name": "x"}, mode="merge-on-read")
    assert files_of(tmp_path) == before


def test_without_matching_rows_nothing_is_committed(tmp_path):
    table = made(tmp_path)
    before = files_of(tmp_path)
    done = table.update({"name": "x"}, "id = 99")
    assert (done.snapshot_id, done.updated_rows) == (None, 0)
    assert files_of(tmp_path) == before
    with pytest.raises(InvalidInputError, match="has no column"):
        table.update({"nam": "x"}, "id = 99")


def test_names_may_be_found_without_case(tmp_path):
    table = made(tmp_path)
    table.update(
        {"NAME": fb.col("TARGET.Name"), "price": fb.sql_expr("ID + 1")}, "Id = 1", case_sensitive=False
    )
    assert column(table, "price")[0] == 2.0
    with pytest.raises(InvalidInputError, match="NAME"):
        table.update({"NAME": "x"})


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_a_row_moves_to_the_partition_of_its_new_value(tmp_path, mode):
    table = made(tmp_path, 3, 1, 2, 3, partition_spec=["identity(name)"])
    table.update({"name": "n1"}, "id = 3", mode=mode)
    assert table.scan("name = 'n1'").to_arrow().sort_by("id")["id"].to_pylist() == [1, 3]
    plan = table.scan("name = 'n3'").plan_files()
    assert len(plan) == 0


def test_a_dry_run_counts_and_writes_nothing(tmp_path):
    table = made(tmp_path)
    before = files_of(tmp_path)
    done = table.update({"name": "x"}, "id > 1", dry_run=True)
    assert (done.dry_run, done.updated_rows, done.deleted_rows, done.rewritten_files) == (True, 2, 2, 1)
    done = table.update({"name": "x"}, "id > 1", dry_run=True, mode="merge-on-read")
    assert done.files_with_new_deletes == 1
    assert table.update({"name": "x"}, "id > 99", dry_run=True).dry_run
    with pytest.raises(InvalidInputError):
        table.update({"id": None}, dry_run=True)
    assert files_of(tmp_path) == before


def test_a_branch_a_key_and_properties(tmp_path):
    table = made(tmp_path)
    first = table.update(
        {"name": "x"}, "id = 1", branch="dev", idempotency_key="k", snapshot_properties={"by": "me"}
    )
    repeated = table.update({"name": "y"}, "id = 1", branch="dev", idempotency_key="k")
    assert repeated.already_committed
    assert repeated.snapshot_id == first.snapshot_id
    assert table.snapshot_by_id(first.snapshot_id).summary["by"] == "me"
    assert column(table, "name")[0] == "n1"
    found = table.scan("id = 1").use_ref("dev").to_arrow()["name"].to_pylist()
    assert found == ["x"]
    with pytest.raises(InvalidInputError, match="another operation"):
        table.delete("id = 1", branch="dev", idempotency_key="k")


def test_a_transaction_updates_first(tmp_path):
    table = made(tmp_path)
    with table.transaction() as transaction:
        with transaction.update_schema() as update:
            update.add_column("note", "string")
        transaction.update({"note": fb.col("name")}, "id = 1")
        transaction.delete("id = 3")
    assert table.scan().to_arrow().sort_by("id")["note"].to_pylist() == ["n1", None]
    transaction = table.transaction()
    transaction.append(rows(7).append_column("note", pa.array(["x"])))
    with pytest.raises(UnsupportedError, match="before its other operations"):
        transaction.update({"name": "x"})
    transaction.rollback()


def test_progress_is_reported_and_can_stop_it(tmp_path):
    table = made(tmp_path)
    reports = []
    table.update({"name": "x"}, progress=reports.append)
    assert {"writing", "committing"} <= {report.step for report in reports}
    before = files_of(tmp_path)

    def stop(_report):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        table.update({"name": "y"}, progress=stop)
    assert files_of(tmp_path) == before


def test_sql_needs_no_other_package(tmp_path, monkeypatch):
    table = made(tmp_path)
    monkeypatch.setitem(__import__("sys").modules, "sqlglot", None)
    table.update({"name": fb.sql_expr("upper(name)")})
    assert column(table, "name") == ["N1", "N2", "N3"]


# Other writers.


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_a_row_that_others_changed_is_looked_for_again(tmp_path, mode):
    table = made(tmp_path)
    seen = []

    def slow(batch):
        if not seen:
            again(tmp_path).update({"price": 100.0}, "id = 2", mode=mode)
        seen.append(batch.num_rows)
        return pc.add(batch["price"], 1)

    done = table.update({"price": slow}, "id >= 2", mode=mode)
    assert column(table, "price") == [1.0, 101.0, 4.0]
    assert len(seen) > 1
    assert done.updated_rows == 2
    left = {path for path in files_of(tmp_path) if path.endswith(".parquet")}
    live = {
        file.removeprefix("file://")
        for snapshot in table.snapshots()
        for file in table.scan(snapshot_id=snapshot.snapshot_id, selected_fields=("_file",))
        .to_arrow()["_file"]
        .to_pylist()
    }
    assert live <= left
    assert len(left - live) <= 3, "files of the attempt that failed are gone"


def test_a_conflict_can_be_raised_at_once(tmp_path):
    table = made(tmp_path)
    before = None

    def slow(batch):
        nonlocal before
        again(tmp_path).update({"price": 100.0}, "id = 2")
        before = files_of(tmp_path)
        return batch["price"]

    with pytest.raises(CommitConflictError):
        table.update({"price": slow}, "id >= 2", on_conflict="raise")
    assert files_of(tmp_path) == before


def test_a_row_that_others_add_is_updated_under_serializable_isolation(tmp_path):
    for level, expected in (("serializable", 0.0), ("snapshot", 7.0)):
        table = made(tmp_path / level)
        is_first = True

        def slow(batch, level=level):
            nonlocal is_first
            if is_first:
                is_first = False
                again(tmp_path / level).append(rows(7))
            return pc.multiply(batch["price"], 0.0)

        table.update({"price": slow}, "id > 1", options={"isolation-level": level})
        assert column(table, "price") == [1.0, 0.0, 0.0, expected]


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_an_update_brings_no_row_back_that_a_key_deleted(tmp_path, mode):
    table = made(tmp_path)
    is_first = True

    def slow(batch):
        nonlocal is_first
        if is_first:
            is_first = False
            other = again(tmp_path)
            receipt = other.row_delta_recipe(key_columns=["id"]).delete_keys(
                pa.table({"id": pa.array([2], pa.int64())}), task="0"
            )
            other.commit_row_delta([receipt], read_snapshot_id=other.current_snapshot().snapshot_id)
        return pc.add(batch["price"], 1)

    table.update({"price": slow}, "id IN (2, 3)", mode=mode)
    assert column(table, "id") == [1, 3]
    assert column(table, "price") == [1.0, 4.0]


def test_columns_that_others_renamed_end_it(tmp_path):
    table = made(tmp_path)

    def slow(batch):
        other = again(tmp_path)
        other.delete("id = 2")
        with other.update_schema() as update:
            update.rename_column("name", "other")
        return batch["name"]

    with pytest.raises(CommitConflictError):
        table.update({"name": slow})
