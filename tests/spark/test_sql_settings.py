"""What SET, VALUES and defaults give to columns, and to fields of structs."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pyarrow as pa
import pytest

import floeberg as fb
import floeberg.spark
from floeberg.errors import InvalidInputError

POINT = pa.struct({"x": pa.int32(), "y": pa.struct({"z": pa.string(), "o'k`": pa.int64()})})


@pytest.fixture
def lake(tmp_path):
    catalog = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    return catalog


@pytest.fixture
def sql(spark, lake):
    return lambda text: floeberg.spark.sql(spark, text, catalog=lake)


@pytest.fixture
def table(lake):
    made = lake.create_table("db.t", pa.schema({"id": pa.int64(), "p": POINT, "l": pa.list_(pa.int64())}))
    rows = [
        {"id": 1, "p": {"x": 1, "y": {"z": "a", "o'k`": 1}}, "l": [1]},
        {"id": 2, "p": {"x": 2, "y": None}, "l": None},
        {"id": 3, "p": None, "l": []},
    ]
    made.append(rows)
    return made


def content(table):
    return table.refresh().scan().to_arrow().sort_by("id").to_pylist()


def test_fields_of_structs_are_set_and_the_others_stay(sql, table):
    sql("UPDATE db.t AS t SET t.p.y.z = concat('new', id), P.x = p.x + 1L")
    assert [row["p"] for row in content(table)] == [
        {"x": 2, "y": {"z": "new1", "o'k`": 1}},
        {"x": 3, "y": {"z": "new2", "o'k`": None}},
        {"x": None, "y": {"z": "new3", "o'k`": None}},
    ]
    sql(
        "MERGE INTO db.t USING (SELECT 2 AS id, 40 AS n UNION ALL SELECT 9, 90) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET db.t.p.y.`o'k``` = n, l = array(s.n) "
        "WHEN NOT MATCHED THEN INSERT (id, p) VALUES (s.id, named_struct('x', 1L, 'y', NULL))"
    )
    assert content(table)[1] == {"id": 2, "p": {"x": 3, "y": {"z": "new2", "o'k`": 40}}, "l": [40]}
    assert content(table)[3] == {"id": 9, "p": {"x": 1, "y": None}, "l": None}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("UPDATE db.t SET p.x = 1, p.x = 2", "'p.x' is set twice"),
        ("UPDATE db.t SET p.y.z = 'a', p.y = NULL", "'p.y' is set twice"),
        ("UPDATE db.t SET p.no = 1", "'p' has no field 'no'"),
        ("UPDATE db.t SET p.x = 'a' WHERE id > 0 + 0", "'p.x' is of type int, and the value of type string"),
        ("UPDATE db.t SET p = named_struct('y', NULL, 'x', 1)", "in this order, with named_struct"),
        ("UPDATE db.t SET l = array('a')", "'l.element' is of type bigint, and the value of type string"),
        (
            "MERGE INTO db.t USING (SELECT 1 AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (p.x) VALUES (1)",
            "expected a column, found a field of a struct",
        ),
    ],
)
def test_what_cannot_be_set_is_an_error(sql, table, text, words):
    before = content(table)
    with pytest.raises(InvalidInputError, match=words):
        sql(text)
    assert content(table) == before


DEFAULTS = {
    "i": ("int", -5),
    "t": ("string", "it's \\ a\nline"),
    "d": ("date", datetime.date(2026, 1, 1)),
    "n": ("decimal(9,2)", Decimal("1.50")),
    "b": ("boolean", True),
    "ts": ("timestamp", datetime.datetime.fromisoformat("2026-01-01T10:00:00.000005")),
    "tz": ("timestamptz", datetime.datetime(2026, 1, 1, 10, tzinfo=datetime.timezone.utc)),
    "f": ("double", 1.25),
    "x": ("binary", b"\x00\xff"),
}


def test_defaults_are_those_of_the_table(sql, lake):
    table = lake.create_table("db.d", pa.schema({"id": pa.int64()}), format_version=3)
    with table.update_schema() as update:
        for name, (kind, value) in DEFAULTS.items():
            update.add_column(name, kind, default_value=value)
    table.append([{"id": 1} | dict.fromkeys(DEFAULTS)])
    listed = ", ".join(f"{name} = DEFAULT" for name in DEFAULTS)
    sql(f"UPDATE db.d SET {listed}, id = default WHERE id % 2 = 1")
    sql(
        "MERGE INTO db.d USING (SELECT 7 AS k) s ON d.id = k WHEN NOT MATCHED THEN INSERT (id, i) VALUES (k, default)"
    )
    sql("INSERT INTO db.d (id) VALUES (8)")
    sql(f"INSERT INTO db.d VALUES (9, {', '.join(['default'] * len(DEFAULTS))})")
    sql("INSERT INTO db.d (t, id, i) VALUES (DEFAULT, 10, -5), (Default, 11, default)")
    sql("INSERT INTO db.d (id) VALUES DEFAULT")
    expected = {name: value for name, (_, value) in DEFAULTS.items()}
    assert sorted(table.refresh().scan().to_arrow().to_pylist(), key=str) == sorted(
        ({"id": number} | expected for number in (None, None, 7, 8, 9, 10, 11)), key=str
    )
