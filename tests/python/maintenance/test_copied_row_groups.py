"""Files whose rows all stay are joined without decoding them: their row groups are copied."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import floeberg as fb
from floeberg import errors
from floeberg import types as ft
from maintenance.disk import EVER, named, on_disk

SMALL = {"write.parquet.row-group-size-bytes": "40000"}
"""Row groups of 200 rows are large enough to be copied, and those of 1,500 fit into one."""
AGAIN = {"rewrite-all": "true"}
LINEAGE = ("_row_id", "_last_updated_sequence_number")
ROWS = pa.schema(
    [
        pa.field("id", pa.int64(), nullable=False),
        pa.field("part", pa.string()),
        pa.field("amount", pa.float64()),
        pa.field("tags", pa.list_(pa.string())),
        pa.field("at", pa.struct([("x", pa.int32()), ("y", pa.float32())])),
        pa.field("when", pa.timestamp("us", "UTC")),
        pa.field("price", pa.decimal128(12, 2)),
    ]
)


def rows(first: int, number: int = 200, part: str = "a") -> pa.Table:
    """Rows of all kinds of columns."""
    ids = range(first, first + number)
    made = [
        {
            "id": each,
            "part": part,
            "amount": math.nan if each % 5 == 0 else None if each % 7 == 0 else each / 3,
            "tags": None if each % 3 == 0 else [f"tag {each % n}" for n in range(1, each % 4 + 1)],
            "at": None if each % 11 == 0 else {"x": each, "y": each / 2},
            "when": each * 1_000_003,
            "price": each,
        }
        for each in ids
    ]
    return pa.Table.from_pylist(made, schema=ROWS)


@pytest.fixture
def make(catalog: fb.Catalog) -> Callable[..., fb.Table]:
    def made(version: int = 2, **properties: str) -> fb.Table:
        return catalog.create_table(
            "db.t", ROWS, partition_spec=["part"], format_version=version, properties=SMALL | properties
        )

    return made


def content(table: fb.Table, *names: str) -> list[str]:
    lineage = LINEAGE if table.format_version > 2 else ()
    selected = names or ("*", *lineage)
    found = table.scan(selected_fields=selected).to_arrow().sort_by("id")
    return [repr(row) for row in found.to_pylist()]


def group_rows(table: fb.Table) -> list[int]:
    """The rows of the row groups of all files."""
    files = [pq.read_metadata(path(each)) for each in table.scan().plan_files()]
    return [file.row_group(number).num_rows for file in files for number in range(file.num_row_groups)]


def groups(table: fb.Table) -> int:
    return len(group_rows(table))


def path(task: Any) -> str:
    return str(task.file.file_path).removeprefix("file://")


def metrics(table: fb.Table) -> list[Any]:
    names = [
        "record_count",
        "value_counts",
        "null_value_counts",
        "nan_value_counts",
        "lower_bounds",
        "upper_bounds",
    ]
    return table.inspect.files().select(["partition", *names]).sort_by("record_count").to_pylist()


@pytest.mark.parametrize("version", [1, 2, 3])
def test_row_groups_are_copied(make, version):
    table = make(version)
    for number in range(6):
        table.append(rows(1000 * number, part="ab"[number % 2]))
    before = content(table)
    done = table.maintenance.rewrite_data_files(options=AGAIN)
    assert (done.rewritten_data_files_count, done.added_data_files_count) == (6, 2)
    assert (content(table), groups(table)) == (before, 6)
    # Once more: in v3 the ids are stored by now.
    table.append(rows(9000, part="a"))
    before = content(table)
    table.maintenance.rewrite_data_files(options=AGAIN)
    assert (content(table), groups(table)) == (before, 7)
    assert on_disk(table.location()) == named(table)
    table.maintenance.expire_snapshots(older_than=EVER, retain_last=1)
    assert content(table) == before


@pytest.mark.parametrize("version", [2, 3])
def test_metrics_are_those_of_encoded_rows(make, version):
    table = make(version)
    for number in range(4):
        table.append(rows(1000 * number))
    table.maintenance.rewrite_data_files(options=AGAIN)
    copied = metrics(table)
    assert groups(table) == 4
    table.set_properties({"write.parquet.compression-codec": "gzip"})
    table.maintenance.rewrite_data_files(options=AGAIN)
    assert groups(table) == 1
    assert repr(metrics(table)) == repr(copied)


def test_rows_are_encoded_anew_where_that_is_asked_for(make):
    table = make()
    for number in range(4):
        table.append(rows(1000 * number))
    before = content(table)
    table.maintenance.rewrite_data_files(options={"encode-all-rows": "true", **AGAIN})
    assert content(table) == before
    assert groups(table) < 4
    with pytest.raises(errors.InvalidInputError, match="encode-all-rows"):
        table.maintenance.rewrite_data_files(options={"encode-all-rows": "yes"})


def test_bounds_that_no_values_have_are_not_copied(catalog, tmp_path):
    """Bytes of a footer are changed: the lower bound is above the upper one then."""
    schema = ft.Schema(ft.NestedField(1, "id", ft.LongType(), required=False))
    table = catalog.create_table("db.bounds", schema, properties=SMALL)
    paths = []
    low, high = 0x1111_2222_3333_4444, 0x5555_6666_7777_1111
    for number in range(3):
        path = tmp_path / f"{number}.parquet"
        field = pa.field("id", pa.int64(), metadata={"PARQUET:field_id": "1"})
        ids = [low, *((each + 1) * 0x1E3779B97F4A7C15 % (high - low) + low for each in range(2000)), high]
        made = pa.table({"id": pa.array(ids)}, schema=pa.schema([field]))
        pq.write_table(made, path, write_page_index=True, compression="zstd", use_dictionary=False)
        paths.append(str(path))
    table.add_files(paths, trust_field_ids=True)
    for path in paths:
        whole = Path(path).read_bytes()
        footer = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
        changed = whole[footer:].replace(low.to_bytes(8, "little"), (high + 1).to_bytes(8, "little"))
        assert changed != whole[footer:]
        Path(path).write_bytes(whole[:footer] + changed)
    table.maintenance.rewrite_data_files(options=AGAIN)
    assert group_rows(table) != [2002] * 3
    assert table.scan(f"id = {low}").count() == 3


def test_filters_skip_copied_row_groups_and_pages(make):
    table = make(**{"write.parquet.page-row-limit": "20"})
    for number in range(4):
        table.append(rows(1000 * number))
    table.maintenance.rewrite_data_files(options=AGAIN)
    assert groups(table) == 4
    for condition in (
        "id = 2100",
        "id >= 3190",
        "price < 3.0",
        "amount > 1060",
        "amount IS NAN",
        "at.x = 1005",
    ):
        expected = [
            row for number in range(4) for row in rows(1000 * number).to_pylist() if holds(condition, row)
        ]
        found = table.scan(condition).to_arrow().sort_by("id").to_pylist()
        assert repr([row["id"] for row in found]) == repr([row["id"] for row in expected]), condition
        assert expected


def holds(condition: str, row: dict[str, Any]) -> bool:
    name, sign, value = condition.split(" ")
    if value == "NAN":
        return math.isnan(row[name] or 0)
    found = (row["at"] or {}).get("x") if name == "at.x" else row[name]
    if found is None:
        return False
    if value == "'NaN'":
        return math.isnan(found)
    number = type(found)(value)
    return {"=": found == number, ">=": found >= number, "<": found < number, ">": found > number}[sign]


@pytest.mark.parametrize("version", [2, 3])
def test_files_with_deletes_are_encoded(make, version):
    table = make(version, **{"write.delete.mode": "merge-on-read"})
    for number in range(6):
        table.append(rows(1000 * number))
    table.delete("id in (3, 1003, 1004)")
    before = content(table)
    done = table.maintenance.rewrite_data_files(options={"target-file-size-bytes": "20000", **AGAIN})
    assert content(table) == before
    assert done.rewritten_data_files_count == 6
    # Too few bytes for a file of the target size: all are encoded.
    table.append(rows(7000))
    table.delete("id = 7000")
    before = content(table)
    table.maintenance.rewrite_data_files(options=AGAIN)
    assert content(table) == before
    assert groups(table) < 6


def test_columns_that_changed_are_encoded(make):
    table = make(3)
    for number in range(3):
        table.append(rows(1000 * number))
    with table.update_schema() as update:
        update.rename_column("amount", "sum")
        update.add_column("added", ft.LongType(), default_value=7)
        update.update_column("at.y", ft.DoubleType())
        update.move_first("when")
    others = rows(5000).append_column("added", pa.array([1] * 200, pa.int64()))
    table.append(others.rename_columns({"amount": "sum"}))
    before = content(table)
    table.maintenance.rewrite_data_files(options=AGAIN)
    assert (content(table), groups(table)) == (before, 4)
    (task,) = table.scan().plan_files()
    names = pq.read_schema(path(task)).names
    assert names == ["when", "id", "part", "sum", "tags", "at", "price", "added", *LINEAGE]
    added = pq.read_table(path(task), columns=["added"])["added"].to_pylist()
    assert sorted({*added}) == [1, 7]


def test_other_writers_files_are_copied_where_they_have_all(catalog, tmp_path):
    """pyarrow counts no NaNs, so its floating-point columns are encoded; without a page index all are."""
    schema = ft.Schema(
        ft.NestedField(1, "id", ft.LongType(), required=False),
        ft.NestedField(2, "amount", ft.DoubleType(), required=False),
        ft.NestedField(3, "hash", ft.LongType(), required=False),
        ft.NestedField(4, "code", ft.LongType(), required=False),
    )
    for index in (True, False):
        table = catalog.create_table(f"db.of_{index}".lower(), schema, properties=SMALL)
        paths = []
        for number in range(3):
            ids = [number * 10_000 + each for each in range(2000)]
            columns = {
                "id": pa.array(ids),
                "amount": pa.array([math.nan if each % 9 == 0 else each / 7 for each in ids]),
                "hash": pa.array([(each + 1) * 0x9E3779B97F4A7C15 % 2**63 for each in ids]),
                "code": pa.array([(each + 1) * 0xD1B54A32D192ED03 % 2**63 for each in ids]),
            }
            fields = [
                pa.field(name, column.type, metadata={"PARQUET:field_id": str(place)})
                for place, (name, column) in enumerate(columns.items(), 1)
            ]
            made = pa.table(columns, schema=pa.schema(fields))
            paths.append(str(tmp_path / f"{index}-{number}.parquet"))
            pq.write_table(made, paths[-1], write_page_index=index, compression="zstd", use_dictionary=False)
        table.add_files(paths, trust_field_ids=True)
        before = content(table)
        done = table.maintenance.rewrite_data_files(options=AGAIN)
        assert done.added_data_files_count == 1
        assert content(table) == before
        assert (group_rows(table) == [2000] * 3) is index
        (found,) = table.inspect.files().to_pylist()
        nans = sum(
            each % 9 == 0 for number in range(3) for each in range(number * 10_000, number * 10_000 + 2000)
        )
        assert dict(found["nan_value_counts"]) == {2: nans}
        assert table.scan("amount > 300").to_arrow().num_rows == sum(
            float(row.split("'amount': ")[1].split(",")[0]) > 300 for row in before
        )


def test_files_of_another_spec_or_order_are_encoded(make):
    table = make()
    for number in range(4):
        table.append(rows(1000 * number))
    before = content(table)
    with table.update_spec() as update:
        update.remove_field("part")
    table.maintenance.rewrite_data_files(options=AGAIN)
    assert content(table) == before
    assert groups(table) < 4
    for number in range(4, 6):
        table.append(rows(1000 * number))
    with table.update_sort_order() as update:
        update.desc("id")
    before = content(table)
    table.maintenance.rewrite_data_files(options=AGAIN)
    assert content(table) == before
    assert table.scan().to_arrow()["id"].to_pylist() == sorted(
        table.scan().to_arrow()["id"].to_pylist(), reverse=True
    )


def test_a_delete_meanwhile_is_not_lost(catalog, make, meanwhile):
    table = make(3, **{"write.delete.mode": "merge-on-read"})
    for number in range(4):
        table.append(rows(1000 * number))
    other = catalog.load_table("db.t")
    done = meanwhile(table, lambda: other.delete("id = 1001"))
    table.maintenance.rewrite_data_files(options=AGAIN)
    assert done == [True]
    assert table.refresh().scan("id = 1001").to_arrow().num_rows == 0
    assert table.scan().to_arrow().num_rows == 799
