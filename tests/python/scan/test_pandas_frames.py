"""A pandas frame has the values of the table: whole numbers are not rounded where one is null."""

from __future__ import annotations

from uuid import uuid4

import pandas as pd
import pyarrow as pa
import pytest

import floeberg as fb

LARGE = 2**53 + 1


def scanned(tmp_path, kind, column):
    rows = pa.table({"id": range(len(column)), "c": column})
    if kind == "lance":
        return fb.lance.create_table(f"{tmp_path}/t.lance", rows).scan()
    catalog = fb.load_catalog(f"pandas-{uuid4()}", type="memory")
    catalog.create_namespace("n")
    table = catalog.create_table("n.t", rows.schema)
    table.append(rows)
    return table.scan()


@pytest.mark.parametrize("kind", ["iceberg", "lance"])
@pytest.mark.parametrize(
    ("column", "dtype", "expected"),
    [
        (pa.array([LARGE, None]), "Int64", [LARGE, pd.NA]),
        (pa.array([-(2**63), None, 2**63 - 1]), "Int64", [-(2**63), pd.NA, 2**63 - 1]),
        # Nothing would change.
        (pa.array([2**54, None]), "float64", None),
        (pa.array([1, None]), "float64", None),
        (pa.array([LARGE, 1]), "int64", None),
        (pa.array([None, None], pa.int64()), "float64", None),
    ],
    ids=str,
)
def test_numbers_are_of_a_type_that_holds_them(tmp_path, kind, column, dtype, expected):
    scan = scanned(tmp_path, kind, column)
    frame = scan.to_pandas()
    assert list(frame.columns) == ["id", "c"]
    assert frame["c"].dtype == dtype
    if expected is None:
        pd.testing.assert_frame_equal(frame, scan.to_arrow().to_pandas())
    else:
        assert frame["c"].tolist() == expected


def test_unsigned_numbers_of_lance_tables(tmp_path):
    frame = scanned(tmp_path, "lance", pa.array([2**64 - 1, None], pa.uint64())).to_pandas()
    assert frame["c"].dtype == "UInt64"
    assert frame["c"].tolist() == [2**64 - 1, pd.NA]


@pytest.mark.parametrize(
    "column",
    [
        pa.array([[LARGE, None], None, [1]]),
        pa.array([{"a": LARGE}, {"a": None}, None]),
        pa.array([[{"a": [LARGE, None]}], None]),
        pa.array([[("k", LARGE), ("l", None)], None], pa.map_(pa.string(), pa.int64())),
    ],
    ids=lambda column: str(column.type),
)
def test_numbers_below_columns_are_kept(tmp_path, column):
    found = scanned(tmp_path, "iceberg", column).to_pandas()["c"]
    assert [
        None if each is None else pa.scalar(each, column.type).as_py() for each in found
    ] == column.to_pylist()


def test_lists_without_a_loss_are_those_of_pyarrow(tmp_path):
    frame = scanned(tmp_path, "iceberg", pa.array([[LARGE, 1], [2]])).to_pandas()
    assert frame["c"][0].dtype == "int64"


def test_arguments_decide(tmp_path):
    scan = scanned(tmp_path, "iceberg", pa.array([LARGE, None]))
    assert scan.to_pandas(types_mapper=pd.ArrowDtype)["c"].dtype == pd.ArrowDtype(pa.int64())
    assert scan.to_pandas(integer_object_nulls=True)["c"].tolist() == [LARGE, None]
    assert scan.to_pandas(categories=["c"])["c"].tolist()[0] == LARGE
    assert scan.to_pandas(self_destruct=True, split_blocks=True)["c"][0] == LARGE


def test_changes_are_kept_too(tmp_path):
    catalog = fb.load_catalog(f"pandas-{uuid4()}", type="memory")
    catalog.create_namespace("n")
    table = catalog.create_table("n.t", pa.schema({"id": pa.int64()}))
    table.append([{"id": LARGE}, {"id": None}])
    frame = table.changelog_scan().to_pandas()
    assert frame["id"].dropna().tolist() == [LARGE]
    lance = fb.lance.create_table(f"{tmp_path}/t.lance", pa.table({"id": [LARGE, None]}))
    assert lance.changelog_scan().to_pandas()["id"].dropna().tolist() == [LARGE]
