"""Tables whose variants are shredded: which columns their files have, and what is read out of them."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import floeberg as fb
from corpus.variant_bytes import table_of_variants, variants
from floeberg import variant
from floeberg.errors import InvalidInputError

SHRED = {"write.parquet.shred-variants": "true"}
MOMENT = datetime.datetime(2024, 5, 6, 7, 8, 9, 10, datetime.timezone.utc)


@pytest.fixture
def events(tmp_path) -> fb.Table:
    """An empty table that is partitioned by hundreds of `id`."""
    return table_of_variants(tmp_path, partition_spec=["truncate(100, id)"], properties=SHRED)


def event(number: int) -> dict[str, Any]:
    """What happened."""
    return {
        "kind": "click" if number % 3 else "view",
        "at": MOMENT + datetime.timedelta(days=number),
        "price": Decimal(number) / 4 + Decimal("0.01"),
        "user": {
            "name": f"user {number}",
            "is_new": number % 2 == 0,
            "score": None if number % 5 else number / 2,
        },
        "tags": [f"tag {tag}" for tag in range(number % 3)],
        "number": number + 1000,
    } | ({"rare": number} if number % 20 == 0 else {})


def rows(numbers: range) -> list[dict[str, Any]]:
    """Events, and later something else now and then."""
    other: dict[int, Any] = {
        31: "text",
        32: None,
        33: {},
        34: {"kind": 5, "else": [1]},
        35: [event(1)],
        36: True,
    }
    return [
        {"id": number} if number == 37 else {"id": number, "v": other.get(number, event(number))}
        for number in numbers
    ]


def found(table: fb.Table) -> list[dict[str, Any]]:
    """What is in the table, missing values left out."""
    read = table.refresh().scan().to_arrow().sort_by("id")
    values = variant.to_pylist(read["v"])
    there = read["v"].is_valid().to_pylist()
    return [
        {"id": number} | ({"v": value} if is_there else {})
        for number, value, is_there in zip(read["id"].to_pylist(), values, there, strict=True)
    ]


def layouts(table: fb.Table) -> dict[str, list[str]]:
    """The columns of files that store the variants, by the value of their partition."""
    paths = table.refresh().inspect.files()["file_path"].to_pylist()
    return {Path(path).parent.name.split("=")[1]: columns(path) for path in paths}


def columns(path: str) -> list[str]:
    """The columns of a file but `id`."""
    schema = pq.ParquetFile(path).schema
    return [
        schema.column(number).path
        for number in range(len(schema.names))
        if schema.column(number).path != "id"
    ]


def test_files_have_typed_columns_and_are_read_back(events):
    events.append(variants(rows(range(60))), options={"variant-inference-buffer-size": "30"})
    assert found(events) == rows(range(60))
    fields = ["at", "kind", "number", "price"]
    assert layouts(events) == {
        "0": [
            "v.metadata",
            "v.value",
            *(f"v.typed_value.{name}.{part}" for name in fields for part in ("value", "typed_value")),
            "v.typed_value.tags.value",
            "v.typed_value.tags.typed_value.list.element.value",
            "v.typed_value.tags.typed_value.list.element.typed_value",
            "v.typed_value.user.value",
            *(
                f"v.typed_value.user.typed_value.{name}.{part}"
                for name in ("is_new", "name", "score")
                for part in ("value", "typed_value")
            ),
        ]
    }
    path = events.inspect.files()["file_path"][0].as_py()
    stored = pq.read_table(path, columns=["v"])["v"].to_pylist()
    assert stored[7]["typed_value"]["price"] == {"value": None, "typed_value": Decimal("1.76")}
    assert (stored[7]["value"], stored[31]["typed_value"]) == (None, None)
    assert events.scan(row_filter="id = 34").to_arrow()["id"].to_pylist() == [34]


def test_plans_do_not_go_by_the_bounds_of_variants(events):
    events.append(variants([*rows(range(30)), *rows(range(37, 40))]))
    (file,) = events.refresh().inspect.files().to_pylist()
    assert [key for key, _ in file["lower_bounds"]] == [1, 2]
    assert b"$['user']['name']" in dict(file["lower_bounds"])[2]
    assert set(file["readable_metrics"]) == {"id"}
    assert events.scan(row_filter="v IS NULL").to_arrow()["id"].to_pylist() == [37]
    assert events.scan(row_filter="v IS NOT NULL AND id > 28").count() == 3


def test_files_have_layouts_of_their_own(events):
    first, other = rows(range(20)), [{"id": number, "v": number / 2} for number in range(100, 120)]
    mixed = [{"id": number, "v": number if number % 2 else "text"} for number in range(200, 220)]
    events.append(variants([*first, *other, *mixed]))
    assert found(events) == [*first, *other, *mixed]
    by_folder = layouts(events)
    assert "v.typed_value.kind.typed_value" in by_folder["0"]
    assert by_folder["100"] == ["v.metadata", "v.value", "v.typed_value"]
    assert by_folder["200"] == ["v.metadata", "v.value"]


def test_one_write_may_do_otherwise(events):
    events.append(variants(rows(range(5))), options={"shred-variants": "false"})
    assert layouts(events) == {"0": ["v.metadata", "v.value"]}


def test_duckdb_reads_the_files(events):
    events.append(variants(rows(range(20))))
    path = events.inspect.files()["file_path"][0].as_py()
    asked = "SELECT id, v.kind::VARCHAR, v.number::INTEGER, v.user.name::VARCHAR"
    answer = duckdb.sql(f"{asked} FROM read_parquet('{path}') ORDER BY id").fetchall()
    expected = [event(number) for number in range(20)]
    assert answer == [
        (number, each["kind"], each["number"], each["user"]["name"]) for number, each in enumerate(expected)
    ]


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("write.parquet.shred-variants", "perhaps", "true or false"),
        ("write.parquet.variant-inference-buffer-size", "0", "a whole number of at least 1"),
    ],
)
def test_a_value_that_is_not_understood_is_an_error(events, name, value, expected):
    with pytest.raises(InvalidInputError, match=f'expected {expected}, found "{value}".*{name}'):
        events.append(variants(rows(range(2))), options={name: value})


def test_damaged_variants_are_refused(events, tmp_path):
    good = variants(rows(range(2)))
    cut = [each | {"value": each["value"][:-1]} for each in good["v"].to_pylist()]
    damaged = good.set_column(1, good.schema.field("v"), pa.array(cut, good.schema.field("v").type))
    with pytest.raises(InvalidInputError, match=r"a value of a variant is damaged.*column: v"):
        events.append(damaged)
    assert not list(tmp_path.rglob("*.parquet"))
