"""Columns whose type was changed since their files were written."""

from __future__ import annotations

import datetime
import json
import math
import operator

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import floeberg as fb
from corpus import lent
from floeberg import errors
from floeberg import expressions as fx

TESTS = [
    (fx.EqualTo, operator.eq),
    (fx.LessThan, operator.lt),
    (fx.LessThanOrEqual, operator.le),
    (fx.GreaterThan, operator.gt),
    (fx.GreaterThanOrEqual, operator.ge),
]


@pytest.fixture(scope="module")
def types():
    """A column of every primitive type of v2."""
    return lent("types")


def promoted(case, folder, column, new_type):
    """Open a table in whose metadata a column has another type."""
    metadata = json.loads(case.metadata_file.read_text())
    for schema in metadata["schemas"]:
        for field in schema["fields"]:
            if field["name"] == column:
                field["type"] = new_type
    file = folder / "promoted.metadata.json"
    file.write_text(json.dumps(metadata))
    return fb.open_table(str(file), relocate=case.relocate)


@pytest.mark.parametrize(
    ("column", "new_type", "arrow"),
    [
        ("i", "long", pa.int64()),
        ("f", "double", pa.float64()),
        ("dec", "decimal(38,3)", pa.decimal128(38, 3)),
        ("dt", "timestamp", pa.timestamp("us")),
    ],
)
def test_old_files_read_and_are_pruned_as_the_new_type(types, tmp_path, column, new_type, arrow):
    before = types.open().scan().to_arrow().column(column).cast(arrow)
    table = promoted(types, tmp_path, column, new_type)
    after = table.scan().to_arrow().column(column)
    assert after.type == arrow
    assert [repr(value) for value in after.to_pylist()] == [repr(value) for value in before.to_pylist()]
    known = [value for value in before.to_pylist() if value is not None]
    assert known
    for value in known:
        if isinstance(value, float) and math.isnan(value):  # no literal
            continue
        for expression, compare in TESTS:
            expected = sum(compare(other, value) for other in known)
            assert table.scan(row_filter=expression(column, value)).count() == expected, (expression, value)
    assert table.scan(row_filter=fx.IsNull(column)).count() == before.null_count


def test_a_date_beyond_nanoseconds_is_an_error_and_others_are_read(types, tmp_path):
    table = promoted(types, tmp_path, "dt", "timestamp_ns")
    before = types.open().scan().to_arrow().column("dt")
    reach = [datetime.date(1678, 1, 1), datetime.date(2262, 4, 11)]
    if all(value is None or reach[0] <= value <= reach[1] for value in before.to_pylist()):
        after = table.scan().to_arrow().column("dt")
        assert after.equals(pc.cast(before, pa.timestamp("ns")))
    else:
        with pytest.raises(errors.InvalidDataError, match="dt"):
            table.scan().to_arrow()


@pytest.mark.parametrize(
    ("column", "new_type"),
    [
        ("dt", "timestamptz"),
        ("dec", "decimal(38,4)"),
        ("d", "float"),
        ("ts", "date"),
        ("s", "uuid"),
    ],
)
def test_a_change_that_is_no_promotion_is_an_error_that_names_the_column(types, tmp_path, column, new_type):
    table = promoted(types, tmp_path, column, new_type)
    with pytest.raises(errors.InvalidDataError, match=column):
        table.scan(selected_fields=(column,)).to_arrow()
    assert table.scan(selected_fields=("id",)).to_arrow().num_rows == types.expected["row_count"]


@pytest.mark.parametrize(
    ("new_type", "parameters"),
    [
        ("geometry", {"crs": "OGC:CRS84", "crs_type": "authority_code"}),
        ("geometry(srid:4326)", {"crs": "4326", "crs_type": "srid"}),
        ("GEOGRAPHY( srid:4326 ,karney)", {"crs": "4326", "crs_type": "srid", "edges": "karney"}),
    ],
)
def test_geometries_come_out_as_geoarrow_and_their_bounds_prune_nothing(
    types, tmp_path, new_type, parameters
):
    before = types.open().scan().to_arrow().column("bin")
    table = promoted(types, tmp_path, "bin", new_type)
    batches = table.scan(selected_fields=("bin",)).to_arrow_batch_reader()
    metadata = batches.schema.field("bin").metadata
    assert metadata[b"ARROW:extension:name"] == b"geoarrow.wkb"
    assert json.loads(metadata[b"ARROW:extension:metadata"]) == parameters
    assert batches.read_all().column("bin").cast(pa.binary()).to_pylist() == before.to_pylist()
    assert table.scan(row_filter=fx.IsNull("bin")).count() == before.null_count
    assert table.scan(row_filter=fx.NotNull("bin")).count() == len(before) - before.null_count


def test_what_was_unknown_is_null_in_files_from_before(types, tmp_path):
    table = promoted(types, tmp_path, "s", "unknown")
    column = table.scan(row_filter=fx.IsNull("s")).to_arrow().column("s")
    assert (column.type, len(column)) == (pa.null(), types.expected["row_count"])
