"""Pages of nested columns: rows that a filter and deletes leave are those of a plain read, however files are cut.

Arrow C++ writes what the Parquet library of Floeberg does not: pages without rows, pages of a few bytes, records of any
length.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import floeberg as fb
from properties.tables import NUMBER, File, Layout, Spec, Table
from properties.writing import write

UNPARTITIONED = Spec(0, ())
LAYOUT = Layout(1 << 20, 1 << 20, True, False, True)


def numbered(name: str, number: int, kind: pa.DataType) -> pa.Field:
    return pa.field(name, kind, metadata={b"PARQUET:field_id": str(number).encode()})


ITEM = pa.struct([numbered("x", 4, pa.int32()), numbered("y", 5, pa.string())])
ITEMS = pa.list_(numbered("element", 3, ITEM))
NESTED = pa.list_(numbered("element", 7, pa.list_(numbered("element", 8, pa.int64()))))
PAIRS = pa.map_(
    pa.field("key", pa.string(), nullable=False, metadata={b"PARQUET:field_id": b"10"}),
    numbered("value", 11, pa.float64()),
)
COLUMNS = [
    numbered("n", 1, pa.int64()),
    numbered("l", 2, ITEMS),
    numbered("ll", 6, NESTED),
    numbered("m", 9, PAIRS),
]
FIELDS: list[dict[str, Any]] = [
    {
        "id": 2,
        "name": "l",
        "type": {
            "type": "list",
            "element-id": 3,
            "element-required": False,
            "element": {
                "type": "struct",
                "fields": [
                    {"id": 4, "name": "x", "type": "int", "required": False},
                    {"id": 5, "name": "y", "type": "string", "required": False},
                ],
            },
        },
    },
    {
        "id": 6,
        "name": "ll",
        "type": {
            "type": "list",
            "element-id": 7,
            "element-required": False,
            "element": {"type": "list", "element-id": 8, "element-required": False, "element": "long"},
        },
    },
    {
        "id": 9,
        "name": "m",
        "type": {
            "type": "map",
            "key-id": 10,
            "key": "string",
            "value-id": 11,
            "value-required": False,
            "value": "double",
        },
    },
]


def some(random: Random, value: Any) -> Any:
    return None if random.random() < 0.1 else value()


def length(random: Random) -> int:
    return random.choice([0, 1, 2, random.randint(0, 40)])


def rows_of(seed: int, rows: int) -> pa.Table:
    random = Random(seed)

    def item() -> dict[str, Any]:
        return {"x": random.choice([None, 1, 2]), "y": random.choice([None, "", "q" * random.randint(1, 50)])}

    def items() -> list[Any]:
        return [some(random, item) for _ in range(length(random))]

    def nested() -> list[Any]:
        inner = lambda: [random.choice([None, 1 << 40, 7]) for _ in range(length(random) % 5)]  # noqa: E731
        return [some(random, inner) for _ in range(length(random) % 7)]

    def pairs() -> list[Any]:
        return [(f"k{key}", random.choice([None, 0.5])) for key in range(length(random) % 4)]

    arrays = [
        pa.array(range(rows), pa.int64()),
        *(
            pa.array([some(random, value) for _ in range(rows)], kind)
            for value, kind in [(items, ITEMS), (nested, NESTED), (pairs, PAIRS)]
        ),
    ]
    return pa.Table.from_arrays(arrays, schema=pa.schema(COLUMNS))


def table_of(folder: Path, rows: pa.Table, deleted: list[int], **options: Any) -> fb.Table:
    """A table of one file of these rows, and a position delete file."""
    data = File("data.parquet", 0, 1, UNPARTITIONED, (), 1, LAYOUT)
    data.rows = [{NUMBER.number: number, 0: False} for number in range(rows.num_rows)]
    files = [data]
    if deleted:
        deletes = File("deletes.parquet", 1, 1, UNPARTITIONED, (), 2, LAYOUT)
        deletes.positions, deletes.of = [(data, position) for position in deleted], data
        files.append(deletes)
    metadata = write(Table(2, (NUMBER,), (UNPARTITIONED,), files, True, True), folder)
    pq.write_table(rows, folder / "data" / data.name, write_page_index=True, store_schema=False, **options)
    document = json.loads(metadata.read_text())
    for schema in document["schemas"]:
        schema["fields"] += [{"required": False, **field} for field in FIELDS]
    metadata.write_text(json.dumps(document))
    return fb.open_table(metadata)


def check(table: fb.Table, rows: pa.Table, deleted: list[int], filters: list[tuple[str, range]]) -> None:
    live = [row for row in rows.to_pylist() if row["n"] not in set(deleted)]
    assert table.scan().to_arrow().to_pylist() == live
    for text, numbers in filters:
        scan = table.scan(row_filter=text)
        expected = [row for row in live if row["n"] in numbers]
        assert scan.to_arrow().to_pylist() == expected, text
        assert scan.count() == len(expected), text
        columns = table.scan(row_filter=text, selected_fields=("n", "ll"))
        assert columns.to_arrow().to_pylist() == [{"n": row["n"], "ll": row["ll"]} for row in expected], text


@pytest.mark.unchecked_tables("the table is made by hand, for its data files")
@pytest.mark.parametrize("seed", range(3))
def test_pages_without_rows_are_passed_over(tmp_path, seed):
    """Of lists Arrow C++ ends row groups with an empty page before the last one, which Parquet allows."""
    rows = rows_of(seed, 3_000)
    first = Random(seed).randint(100, 2_000)
    deleted = [first, first + 1, first + 2]
    options = {"row_group_size": 37, "data_page_size": 10, "write_batch_size": 1}
    table = table_of(tmp_path / "table", rows, deleted, **options)
    check(
        table, rows, deleted, [("n >= 23", range(23, 3_000)), (f"n >= {first + 2}", range(first + 2, 3_000))]
    )


@st.composite
def cuts(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "row_group_size": draw(st.sampled_from([37, 37, 200, 1_000, 5_000])),
        "data_page_size": draw(st.sampled_from([1, 10, 10, 100, 1_000, 1 << 20])),
        "write_batch_size": draw(st.sampled_from([1, 1, 7, 1_024])),
        "data_page_version": draw(st.sampled_from(["1.0", "2.0"])),
        "use_dictionary": draw(st.booleans()),
        "compression": draw(st.sampled_from(["none", "snappy"])),
    }


@settings(
    max_examples=25,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
)
@given(
    st.integers(0, 1_000),
    cuts(),
    st.lists(st.tuples(st.integers(0, 3_999), st.sampled_from([1, 2, 3, 40, 500])), min_size=1, max_size=4),
    st.lists(st.tuples(st.integers(0, 3_999), st.sampled_from([1, 3, 300, 4_000])), min_size=1, max_size=3),
)
def test_nested_columns_are_read_through_filters_and_deletes(seed, options, runs, wanted):
    rows = rows_of(seed, 4_000)
    deleted = sorted({row for first, count in runs for row in range(first, min(first + count, 4_000))})
    filters = [
        (f"n >= {first} AND n < {first + count}", range(first, first + count)) for first, count in wanted
    ]
    with tempfile.TemporaryDirectory() as folder:
        check(table_of(Path(folder, "table"), rows, deleted, **options), rows, deleted, filters)
