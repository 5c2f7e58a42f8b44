"""Columns change, rows that were there stay, and rows that come fit: through a catalog, in all format versions."""

from __future__ import annotations

import datetime as dt
import decimal
import uuid

import polars as pl
import pyarrow as pa
import pytest

import floeberg as fb
from floeberg import errors
from floeberg.catalog import Catalog
from floeberg.table import Table


@pytest.fixture
def catalog() -> Catalog:
    made = fb.load_catalog(str(uuid.uuid4()), type="memory")
    made.create_namespace("db")
    return made


def table(catalog: Catalog, schema: pa.Schema, *, format_version: int = 2, **options) -> Table:
    return catalog.create_table("db.t", schema, format_version=format_version, **options)


def rows(of: Table) -> list[dict[str, object]]:
    return sorted(of.scan().to_arrow().to_pylist(), key=lambda row: row.get("id", row.get("key")))


POINT = pa.struct([pa.field("x", pa.int32()), pa.field("y", pa.float32())])
SCHEMA = pa.schema([pa.field("id", pa.int64(), nullable=False), ("p", POINT), ("l", pa.list_(POINT))])


@pytest.mark.parametrize("format_version", [1, 2, 3])
def test_rows_from_before_a_change_are_read_after_it(catalog, format_version):
    made = table(catalog, SCHEMA, format_version=format_version)
    point = {"x": 1, "y": 0.5}
    made.append(pa.table({"id": [1], "p": [point], "l": [[point]]}, schema=SCHEMA))
    with made.update_schema() as update:
        update.rename_column("id", "key")
        update.add_column(("p", "z"), "long")
        update.add_column(("l", "z"), "string")
        update.update_column("p.x", "long")
        update.delete_column(("l", "y"))
        update.move_first("l")
    assert made.schema().column_names == [
        "l",
        "l.element",
        "l.element.x",
        "l.element.z",
        "key",
        "p",
        "p.x",
        "p.y",
        "p.z",
    ]
    made.append(pa.table({"key": [2], "p": [{"x": 2**40, "z": 3}], "l": [[{"z": "q"}, None]]}))
    expected = [
        {"l": [{"x": 1, "z": None}], "key": 1, "p": {"x": 1, "y": 0.5, "z": None}},
        {"l": [{"x": None, "z": "q"}, None], "key": 2, "p": {"x": 2**40, "y": None, "z": 3}},
    ]
    assert rows(made) == expected
    assert rows(catalog.load_table("db.t")) == expected


def test_a_default_is_that_of_old_rows_and_of_writers(catalog):
    made = table(catalog, pa.schema([("id", pa.int64())]), format_version=3)
    made.append(pa.table({"id": [1]}))
    with made.update_schema() as update:
        update.add_column("price", "decimal(9,2)", required=True, default_value=decimal.Decimal("1.5"))
        update.add_column("day", "date", default_value=dt.date(2020, 2, 29))
    with made.update_schema() as update:
        update.set_default_value("price", decimal.Decimal(2))
    made.append(pa.table({"id": [2]}))
    one, two = rows(made)
    assert (one["price"], one["day"]) == (decimal.Decimal("1.50"), dt.date(2020, 2, 29))
    assert (two["price"], two["day"]) == (decimal.Decimal("2.00"), dt.date(2020, 2, 29))


def test_merge_adds_the_columns_that_are_missing(catalog):
    made = table(catalog, SCHEMA)
    made.append(pa.table({"id": [1]}))
    with pytest.raises(errors.InvalidInputError, match='schema_mode="merge"'):
        made.append(pa.table({"id": [2], "new": ["a"]}))
    frame = pl.DataFrame({"id": [2], "p": [{"x": 1, "w": "deep"}], "new": ["a"]})
    made.append(
        frame.with_columns(pl.col("p").cast(pl.Struct({"x": pl.Int32, "w": pl.String}))), schema_mode="merge"
    )
    assert str(made.schema().find_field("p.w")) == "9: w: optional string"
    assert rows(made) == [
        {"id": 1, "p": None, "l": None, "new": None},
        {"id": 2, "p": {"x": 1, "y": None, "w": "deep"}, "l": None, "new": "a"},
    ]
    before = made.metadata_location
    with pytest.raises(errors.InvalidInputError, match="cast it to int64"):
        made.append(pa.table({"id": ["x"], "other": [1]}), schema_mode="merge")
    assert catalog.load_table("db.t").metadata_location == before


def test_a_merge_promotes_columns_that_are_too_narrow_and_no_others(catalog):
    fields = [pa.field("id", pa.int32(), nullable=False), ("f", pa.float32()), ("d", pa.decimal128(5, 2))]
    made = table(catalog, pa.schema([*fields, ("wide", pa.int64()), ("s", pa.struct({"n": pa.int32()}))]))
    made.append(pa.table({"id": pa.array([1], pa.int32())}), schema_mode="merge")
    assert made.schema().schema_id == 0
    wide = {
        "id": pa.array([2**40]),
        "f": pa.array([0.1]),
        "d": pa.array([decimal.Decimal("12345.67")]),
        "wide": pa.array([7], pa.int32()),
        "s": pa.array([{"n": 2**40}]),
    }
    with pytest.raises(errors.InvalidInputError, match="cast it to float"):
        made.append(pa.table(wide))
    made.append(pa.table(wide), schema_mode="merge")
    found = {name: str(made.schema().find_field(name).field_type) for name in ("id", "f", "d", "wide", "s.n")}
    assert found == {"id": "long", "f": "double", "d": "decimal(7,2)", "wide": "long", "s.n": "long"}
    assert made.schema().find_field("id").required
    last = {"id": 2**40, "f": 0.1, "d": decimal.Decimal("12345.67"), "wide": 7, "s": {"n": 2**40}}
    assert rows(made)[-1] == last


def test_a_merge_of_nothing_new_leaves_the_schema(catalog):
    made = table(catalog, SCHEMA)
    made.append(pa.table({"id": [1]}), schema_mode="merge")
    assert made.schema().schema_id == 0


def test_several_changes_and_rows_are_one_commit(catalog):
    made = table(catalog, SCHEMA)
    with made.transaction() as transaction:
        with transaction.update_schema() as update:
            update.add_column("a", "long")
        transaction.append(pa.table({"id": [1], "a": [7]}))
        transaction.append(pa.table({"id": [2], "b": ["q"]}), schema_mode="merge")
    assert [(row["id"], row["a"], row["b"]) for row in rows(made)] == [(1, 7, None), (2, None, "q")]


def test_changes_are_made_again_on_the_columns_of_another_writer(catalog):
    table(catalog, SCHEMA)
    ours, theirs = catalog.load_table("db.t"), catalog.load_table("db.t")
    with theirs.update_schema() as update:
        update.add_column("theirs", "int")
    with ours.update_schema() as update:
        update.add_column("ours", "int")
    assert [each.name for each in ours.schema().fields[-2:]] == ["theirs", "ours"]
    with (
        pytest.raises(errors.CommitConflictError, match='"ours" cannot be added'),
        theirs.update_schema() as update,
    ):
        update.add_column("ours", "int")


def test_rows_with_new_columns_conflict_with_other_new_columns(catalog):
    table(catalog, SCHEMA)
    ours, theirs = catalog.load_table("db.t"), catalog.load_table("db.t")
    with theirs.update_schema() as update:
        update.add_column("theirs", "int")
    with pytest.raises(errors.CommitConflictError, match="write the rows again"):
        ours.append(pa.table({"id": [1], "ours": [1]}), schema_mode="merge")
    again = catalog.load_table("db.t")
    again.append(pa.table({"id": [1], "ours": [1]}), schema_mode="merge")
    assert again.scan(selected_fields=("ours", "theirs")).to_arrow().to_pylist() == [
        {"ours": 1, "theirs": None}
    ]


def test_nothing_changes_where_a_change_cannot_be_made(catalog):
    made = table(catalog, SCHEMA, partition_spec=["bucket(4, id)"], sort_order=["p.x"])
    before = made.metadata_location
    for change, said in [
        (lambda update: update.delete_column("id"), "partition field"),
        (lambda update: update.delete_column("p"), "sort order"),
        (lambda update: update.add_column("id", "int"), "exists already"),
        (lambda update: update.update_column("id", "int"), "does not allow this promotion"),
        (lambda update: update.add_column("t", "timestamp_ns"), "format version 3"),
        (lambda update: update.add_column("id_bucket_4", "int"), "id_bucket_4"),
    ]:
        with pytest.raises(errors.InvalidInputError, match=said), made.update_schema() as update:
            change(update)
    assert catalog.load_table("db.t").metadata_location == before
    with made.update_schema():
        pass
    assert made.metadata_location == before


def test_rows_go_from_one_table_to_another_by_name(catalog):
    made = table(catalog, pa.schema([("id", pa.int64()), ("a", pa.string()), ("b", pa.string())]))
    made.append(pa.table({"id": [1], "a": ["a"], "b": ["b"]}))
    other = catalog.create_table(
        "db.other", pa.schema([("b", pa.string()), ("a", pa.string()), ("id", pa.int64())])
    )
    other.append(made.scan().to_arrow())
    assert other.scan().to_arrow().to_pylist() == [{"b": "b", "a": "a", "id": 1}]
    with made.update_schema() as update:
        update.rename_column("a", "c")
    old = made.scan(snapshot_id=made.current_snapshot().snapshot_id).to_arrow()
    assert old.column_names == ["id", "a", "b"]
    made.append(old)
    assert [row["c"] for row in made.scan().to_arrow().to_pylist()] == ["a", "a"]


def test_every_arrow_form_of_a_column_is_the_same_rows(catalog):
    made = table(
        catalog, pa.schema([("id", pa.int64()), ("s", pa.string()), ("at", pa.timestamp("us", "UTC"))])
    )
    at = dt.datetime(2024, 2, 29, 12, tzinfo=dt.timezone.utc)
    forms = [
        (pa.int8(), pa.large_string(), pa.timestamp("s", "Asia/Tokyo")),
        (pa.uint32(), pa.string_view(), pa.timestamp("ns", "UTC")),
        (pa.int64(), pa.dictionary(pa.int8(), pa.string()), pa.timestamp("ms", "+02:00")),
    ]
    for number, (integer, text, moment) in enumerate(forms):
        made.append(
            pa.table(
                {
                    "at": pa.array([at], moment),
                    "s": pa.array(["q"]).cast(text) if text != pa.string_view() else pa.array(["q"], text),
                    "id": pa.array([number], integer),
                }
            )
        )
    assert rows(made) == [{"id": number, "s": "q", "at": at} for number in range(3)]
    finer = pa.table({"at": pa.array([1, 1001], pa.int64()).cast(pa.timestamp("ns", "UTC"))})
    with pytest.raises(
        errors.InvalidInputError, match=r"finer than the table's unit .* \(column: at, row: 0\)"
    ):
        made.append(finer)
    assert len(rows(made)) == 3


def test_rows_with_new_columns_are_found_where_the_answer_was_lost(catalog, monkeypatch):
    made = table(catalog, SCHEMA)
    keeps = type(catalog.table_operations(made.name()))
    commit = keeps.commit

    def without_an_answer(*arguments: object) -> None:
        monkeypatch.undo()
        location = commit(*arguments).metadata_location
        raise errors.CommitStateUnknownError("the answer was lost", context={"metadata": location})

    monkeypatch.setattr(keeps, "commit", without_an_answer)
    made.append(pa.table({"id": [1], "new": ["a"]}), schema_mode="merge")
    assert [row["new"] for row in rows(made)] == ["a"]
    assert len(made.snapshots()) == 1


def test_what_fails_in_a_transaction_is_none_of_it(catalog):
    made = table(catalog, SCHEMA)
    with made.transaction() as transaction:
        with pytest.raises(errors.InvalidInputError, match="row: 0"):
            transaction.append(pa.table({"id": pa.array([None], pa.int64()), "a": [1]}), schema_mode="merge")
        with (
            pytest.raises(errors.InvalidInputError, match="no column is named"),
            transaction.update_schema() as update,
        ):
            update.delete_column("nope")
        transaction.append(pa.table({"id": [1], "b": [1]}), schema_mode="merge")
    assert made.schema().column_names[-1] == "b"
    assert made.scan().count() == 1
