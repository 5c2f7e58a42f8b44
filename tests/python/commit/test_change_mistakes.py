"""Mistakes in updates and merges: one clear error each, and nothing is changed."""

from __future__ import annotations

import datetime as dt
import uuid
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import floeberg as fb
from floeberg.errors import FloebergError, InvalidInputError
from stable_ids import stable

SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64(), nullable=False),
        ("i", pa.int32()),
        ("f", pa.float32()),
        ("d", pa.float64()),
        ("c", pa.decimal128(9, 2)),
        ("s", pa.string()),
        ("b", pa.bool_()),
        ("fixed", pa.binary(4)),
        ("day", pa.date32()),
        ("t", pa.time64("us")),
        ("ts", pa.timestamp("us")),
        ("tz", pa.timestamp("us", "UTC")),
        ("u", pa.uuid()),
        ("st", pa.struct([("k", pa.int32())])),
        ("li", pa.list_(pa.int32())),
    ]
)
MOMENT = dt.datetime(2024, 1, 1)  # noqa: DTZ001 - without a zone
ROW = {"id": 1, "i": 1, "c": Decimal("1.50"), "s": "a", "st": {"k": 1}}


@pytest.fixture
def table(tmp_path: Path) -> fb.Table:
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", SCHEMA, format_version=3)
    table.append([{**ROW, "id": each} for each in (1, 2, 3)])
    return table


def files_of(table: fb.Table) -> set[str]:
    folder = Path(table.location().removeprefix("file://"))
    return {str(path) for path in folder.rglob("*") if path.is_file()}


def refused(table, run, said):
    """Runs what fails; returns the error."""
    before, snapshot = files_of(table), table.current_snapshot().snapshot_id
    with pytest.raises(FloebergError, match=said) as found:
        run()
    assert files_of(table) == before
    assert table.refresh().current_snapshot().snapshot_id == snapshot
    assert table.scan().count() == 3
    return found.value


VALUES = [
    ({"i": 2**31}, "i"),
    ({"id": 2**63}, "id"),
    ({"id": 10**40}, "id"),
    ({"i": 1.5}, "i"),
    ({"i": "1"}, "expected an int"),
    ({"i": True}, "expected an int"),
    ({"s": 1}, "expected a str"),
    ({"s": b"x"}, "expected a str"),
    ({"b": 1}, "b"),
    ({"f": 1e300}, "32 bits"),
    ({"d": "1"}, "expected a float"),
    ({"c": Decimal("12345678.00")}, "c"),
    ({"c": Decimal("1.005")}, "c"),
    ({"c": 1.5}, "expected a Decimal"),
    ({"c": Decimal("NaN")}, "c"),
    ({"fixed": b"12345"}, "fixed"),
    ({"fixed": "1234"}, "expected bytes"),
    ({"day": MOMENT}, "day"),
    ({"day": "2024-01-01"}, "day"),
    ({"ts": dt.datetime(2024, 1, 1, tzinfo=dt.timezone.utc)}, "ts"),
    ({"tz": MOMENT}, "tz"),
    ({"t": dt.time(1, tzinfo=dt.timezone.utc)}, "t"),
    ({"u": "text"}, "expected the text of a UUID"),
    ({"st": 1}, "expected a dict"),
    ({"li": 1}, "li"),
    ({"li": ["x"]}, "li"),
    ({"id": None}, "required"),
    ({"id": pa.scalar(None)}, "required"),
    ({"i": pa.scalar("x")}, "expected int32"),
    ({"id": fb.sql_expr("NULL")}, "required"),
    ({"id": fb.sql_expr("CASE WHEN id > 2 THEN NULL ELSE id END")}, "required"),
    ({"c": fb.sql_expr("c * 10000000")}, "does not fit"),
    ({"c": fb.sql_expr("12345678.5")}, "does not fit"),
    ({"c": fb.sql_expr("c / 7")}, "does not fit|would be rounded"),
    ({"i": fb.sql_expr("id * 3000000000")}, "does not fit"),
    ({"i": fb.sql_expr("'1'")}, "expected int32"),
    ({"fixed": fb.sql_expr("CAST('12345' AS BINARY)")}, "does not fit"),
    ({"tz": fb.sql_expr("TIMESTAMP '2024-01-01 00:00:00'")}, "convert them first"),
    ({"ts": fb.sql_expr("TIMESTAMP '2024-01-01 00:00:00Z'")}, "convert them first"),
    ({"st": fb.sql_expr("id")}, "convert them first"),
    ({"nope": 1}, "no column 'nope'"),
    ({"I": 1}, "no column 'I'"),
    ({"i": 1, "target.i": 2}, "twice"),
    ({"st.k": 1}, "fields of structs"),
    ({"i": fb.col("nope")}, "column 'nope' is unknown"),
    ({"i": lambda _: pa.array([1])}, "found 1 values, expected 3"),
    ({"i": lambda _: [1, 2, 3]}, "found an object of type list, expected an Arrow array"),
    ({"i": lambda _: None}, "found an object of type NoneType"),
    ({"i": lambda _: pa.array(["x"] * 3)}, "expected int32"),
    ({"i": pc.field("nope")}, "cannot be computed"),
    ({"i": pc.add(pc.field("s"), 1)}, "cannot be computed"),
    ({"i": object()}, "i"),
]  # fmt: skip


@pytest.mark.parametrize(("updates", "said"), VALUES, ids=stable)
def test_a_value_that_does_not_fit_an_update(table, updates, said):
    refused(table, lambda: table.update(updates), said)


@pytest.mark.parametrize(("updates", "said"), VALUES, ids=stable)
def test_a_value_that_does_not_fit_a_merge(table, updates, said):
    said = said.replace("unknown", "")
    source = pa.table({"id": [1, 2, 3]})

    def run():
        merge = table.merge(source, on=["id"])
        renamed = {name: _of_target(value) for name, value in updates.items()}
        merge.when_matched_update(renamed).execute()

    refused(table, run, said)


def _of_target(value):
    """Where the source has a column of this name too, the one of the table is meant."""
    if isinstance(value, fb.expressions.SqlValue):
        return fb.sql_expr(value.text.replace("id", "target.id"))
    return value


def raises(_batch):
    raise KeyError("own")


def test_what_a_function_raises_is_heard(table):
    before = files_of(table)
    source = pa.table({"id": [1, 9]})
    for run in (
        lambda: table.update({"i": raises}),
        lambda: table.merge(source, on="id").when_matched_update({"i": raises}).execute(),
        lambda: table.merge(source, on="id").when_matched_delete(raises).execute(),
        lambda: table.merge(source, on="id").when_not_matched_insert({"id": raises}).execute(),
    ):
        with pytest.raises(KeyError, match="own"):
            run()
        assert files_of(table) == before
    assert table.refresh().scan().count() == 3


@pytest.mark.parametrize(
    ("predicate", "said"),
    [
        (lambda _: pa.array([1]), "expected bool"),
        (lambda _: pa.array([True, False, True, True]), "found 4 values, expected 3"),
        (lambda _: True, "found an object of type bool"),
        ("target.id", "type int64, expected bool"),
        ("'x'", "expected bool"),
        ("target.id +", "cannot be parsed"),
        ("nope = 1", "column 'nope' is unknown"),
        ("id = 1", "in the table and in the source"),
        (7, "expected a condition"),
    ],
    ids=stable,
)
def test_a_condition_that_is_none(table, predicate, said):
    source = pa.table({"id": [1, 2, 3]})
    if said == "expected bool":
        said = "predicate: the condition has values of type .*, expected bool|found 1 values"
    refused(table, lambda: table.merge(source, on=["id"]).when_matched_delete(predicate).execute(), said)


@pytest.mark.parametrize(
    "clauses",
    [
        lambda merge: merge.when_matched_delete().when_matched_delete(),
        lambda merge: merge.when_matched_update_all().when_matched_update({"s": "x"}),
        lambda merge: merge.when_matched_update_all(None).when_matched_delete("source.id = 1"),
        lambda merge: merge.when_matched_delete(None).when_matched_update_all("source.id = 1"),
        lambda merge: merge.when_not_matched_insert_all().when_not_matched_insert_all(),
        lambda merge: merge.when_not_matched_insert_all().when_not_matched_insert({"id": 9}, "source.id = 1"),
        lambda merge: merge.when_not_matched_by_source_delete().when_not_matched_by_source_update({"s": "x"}),
    ],
)
def test_a_clause_after_one_that_always_holds(table, clauses):
    merge = table.merge(pa.table({"id": [1, 9]}), on=["id"])
    refused(table, lambda: clauses(merge).execute(), "never be applied")


def test_the_same_clause_twice_with_conditions_is_two_clauses(table):
    merge = table.merge(pa.table({"id": [1, 2, 3]}), on=["id"])
    merge.when_matched_update({"s": "x"}, "target.id = 1").when_matched_update(
        {"s": "y"}, "target.id = 2"
    ).execute()
    assert table.scan().to_arrow().sort_by("id")["s"].to_pylist() == ["x", "y", "a"]


def test_a_merge_is_executed_once(table):
    source = pa.table({"id": [7]})
    merge = table.merge(pa.RecordBatchReader.from_batches(source.schema, source.to_batches()), on=["id"])
    merge.when_not_matched_insert_all().execute()
    assert table.scan().count() == 4
    with pytest.raises(InvalidInputError, match="was executed"):
        merge.execute()
    with pytest.raises(InvalidInputError, match="was executed"):
        merge.when_matched_delete()
    assert table.refresh().scan().count() == 4


@pytest.mark.parametrize(
    ("updates", "said"),
    [
        ({"s": "x"}, "id"),
        ({"id": None}, "id"),
        ({"id": "x"}, "id"),
        ({"id": 1, "nope": 2}, "no column 'nope'"),
        ({"id": fb.col("target.id")}, "unknown"),
        ({"id": fb.sql_expr("CASE WHEN source.id > 8 THEN NULL ELSE 7 END")}, "id"),
        ({"id": fb.sql_expr("source.id"), "c": fb.sql_expr("1.005")}, "would be rounded|does not fit"),
    ],
    ids=stable,
)
def test_an_insert_that_does_not_fit(table, updates, said):
    merge = table.merge(pa.table({"id": [1, 8, 9]}), on=["id"]).when_not_matched_insert(updates)
    refused(table, merge.execute, said)


def test_values_that_fit_are_set(table):
    values = {
        "i": 2, "f": 0.5, "d": 1, "c": Decimal("2.50"), "s": "x", "b": True, "fixed": b"1234",
        "day": dt.date(2024, 1, 1),
        "t": dt.time(1), "ts": MOMENT, "tz": dt.datetime(2024, 1, 1, tzinfo=dt.timezone.utc),
        "u": uuid.UUID(int=7), "st": {"k": 2}, "li": [1, None],
    }  # fmt: skip
    table.update(values, "id = 1")
    assert table.scan("id = 1").to_arrow().to_pylist() == [{"id": 1, **values, "d": 1.0}]
    table.update(
        {"u": fb.sql_expr(f"CAST('{uuid.UUID(int=9)}' AS UUID)"), "t": fb.sql_expr("TIME '02:00:00'")},
        "id = 1",
    )
    assert table.scan(f"u = '{uuid.UUID(int=9)}' AND t = '02:00:00'").count() == 1


@pytest.mark.parametrize(
    ("clauses", "said"),
    [
        (lambda merge: merge.when_matched_update({"i": fb.col("nope")}), "column 'nope' is unknown"),
        (lambda merge: merge.when_matched_update({"i": fb.sql_expr("nope")}), "column 'nope' is unknown"),
        (lambda merge: merge.when_matched_update({"i": pc.field("nope")}), "cannot be computed"),
        (lambda merge: merge.when_matched_update({"i": fb.col("s")}), "convert them first"),
        (lambda merge: merge.when_matched_delete("nope = 1"), "column 'nope' is unknown"),
        (lambda merge: merge.when_matched_delete("source.id"), "expected bool"),
        (
            lambda merge: merge.when_not_matched_by_source_delete("source.id = 1"),
            "column 'source.id' is unknown",
        ),
        (lambda merge: merge.when_not_matched_insert_all("target.id = 1"), "column 'target.id' is unknown"),
        (lambda merge: merge.when_not_matched_insert({"id": fb.col("target.id")}), "is unknown"),
    ],
)
def test_mistakes_are_found_where_no_row_matches(table, clauses, said):
    source = pa.table({"id": pa.array([], pa.int64())})
    refused(table, clauses(table.merge(source, on=["id"])).execute, said)


def test_mistakes_of_an_update_are_found_where_no_row_matches(table):
    refused(table, lambda: table.update({"i": fb.col("nope")}, "id = 99"), "column 'nope' is unknown")
    refused(table, lambda: table.update({"i": fb.sql_expr("s")}, "id = 99"), "convert them first")
    assert table.update({"i": raises}, "id = 99").updated_rows == 0


def test_a_predicate_is_checked_where_no_row_matches(table):
    source = pa.table({"id": pa.array([], pa.int64())})
    merge = table.merge(source, predicate="target.id = source.id AND source.nope = 1").when_matched_delete()
    refused(table, merge.execute, "column 'source.nope' is unknown")


def feed(row, word="delete"):
    """A change of a key."""
    known = {"id": [row], "op": [word], "at": [1], "s": ["a"]}
    return {"changes": pa.table(known), "keys": ["id"], "operation": "op", "order_by": "at"}


OF_NO_ROW = {
    "delete": lambda table, how: table.delete("id = 7", **how),
    "overwrite": lambda table, how: table.overwrite(pa.table({"id": [8]}), "id = 7", **how),
    "update": lambda table, how: table.update({"s": "x"}, "id = 7", **how),
    "upsert": lambda table, how: table.upsert(pa.table({"id": [7]}), ["id"], True, False, **how),
    "merge": lambda table, how: (
        table.merge(pa.table({"id": [7]}), on="id", **how).when_matched_delete().execute()
    ),
    "apply_changes": lambda table, how: table.apply_changes(**feed(7), **how),
}


@pytest.mark.parametrize("name", OF_NO_ROW)
def test_version_1_refuses_deletes_by_other_files_also_where_no_row_changes(tmp_path, name):
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    table = catalog.create_table(
        "ns.t", pa.schema([("id", pa.int64()), ("s", pa.string())]), format_version=1
    )
    table.append([{"id": each} for each in (1, 2, 3)])
    refused(table, lambda: OF_NO_ROW[name](table, {"mode": "merge-on-read"}), "format version 1")
    if name == "apply_changes":
        refused(table, lambda: OF_NO_ROW[name](table, {"mode": "equality"}), "format version 1")
    OF_NO_ROW[name](table, {"mode": "copy-on-write"})


def test_mistakes_of_a_feed_call_it_a_feed(table):
    refused(table, lambda: table.apply_changes(**feed(2, "upsert")), "expected insert, update or delete")
    transaction = table.transaction()
    transaction.append([{**ROW, "id": 9}])
    with pytest.raises(FloebergError, match="the apply_changes of a transaction"):
        transaction.apply_changes(**feed(2))
    transaction.rollback()
