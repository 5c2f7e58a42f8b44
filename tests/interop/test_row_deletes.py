"""Rows are deleted from random tables of all types, by filters of any column; peers read what is left, and lineage."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from building import Made, append, make, plain_columns
from peers.process import Refused
from tables import arrow_file, refused_by_duckdb, same_rows

import floeberg as fb
from corpus import encode
from floeberg import expressions as fx

pytestmark = pytest.mark.timeout(900)

SEEDS = range(200, 230)
LITERALS = (bool, int, float, str, Decimal, datetime.date)
LINEAGE = ("_row_id", "_last_updated_sequence_number")


@pytest.fixture(scope="module", params=SEEDS)
def deleted(request, tmp_path_factory) -> Made:
    """A table of which rows were deleted in both modes, in version 3 too at the end."""
    made = make(request.param, tmp_path_factory.mktemp("deleted"))
    append(made)
    for number in range(5):
        if number == 3 and made.drawn.version < 3:
            made.drawn.version = 3
            upgrade(made.table)
        if number == 1:
            append(made)
        is_merged = made.drawn.version > 1 and bool((number + request.param) % 2)
        delete_rows(made, "merge-on-read" if is_merged else "copy-on-write")
    same_rows(made, encode(made.table.scan().to_arrow()))
    return made


def upgrade(table: fb.Table) -> None:
    """A version after the other."""
    while table.format_version < 3:
        table.upgrade_table_version(table.format_version + 1)


def delete_rows(made: Made, mode: str) -> None:
    """The rows go that have one value in a column, or null, or NaN."""
    chance = made.drawn.random
    column = chance.choice([*plain_columns(made), *plain_columns(made), *made.drawn.columns])
    values = made.rows[column.name]
    if column.shape == "plain" and len(values) and not isinstance(values.type, pa.BaseExtensionType):
        value = values[chance.randrange(len(values))].as_py()
        if isinstance(value, LITERALS) and not isinstance(value, datetime.datetime):
            delete(made, mode, *equal(column.name, value, values))
            return
    if column.shape != "plain":
        column = made.drawn.columns[0]
    delete(made, mode, fx.IsNull(column.name), made.rows[column.name].is_null())


def equal(name: str, value: Any, values: pa.ChunkedArray) -> tuple[fx.Expression, pa.ChunkedArray]:
    """A filter, and the rows that it holds for."""
    if isinstance(value, float) and math.isnan(value):
        return fx.IsNaN(name), pc.fill_null(pc.is_nan(values), fill_value=False)
    wanted = pa.scalar(value, values.type)
    return fx.EqualTo(name, value), pc.fill_null(pc.equal(values, wanted), fill_value=False)


def delete(made: Made, mode: str, wanted: fx.Expression, goes: Any) -> None:
    """Delete rows, of the table and of the model."""
    made.done.append(f"{mode} of {wanted}")
    before = lineage(made.table)
    made.table.delete(wanted, mode=mode)
    made.rows = made.rows.filter(pc.invert(goes))
    assert lineage(made.table) <= before or None in {row_id for row_id, _ in before}


def lineage(table: fb.Table) -> set[tuple[int | None, int | None]]:
    """The ids and last updates of all rows."""
    if table.format_version < 3:
        return set()
    found = table.scan(selected_fields=LINEAGE).to_arrow()
    return set(zip(*(found[name].to_pylist() for name in LINEAGE), strict=True))


def test_java_reads_what_is_left(deleted, java):
    same_rows(deleted, java("read", metadata_location=deleted.table.metadata_location))


def test_java_reads_the_lineage_of_what_is_left(deleted, java):
    found = java("lineage", metadata_location=deleted.table.metadata_location)
    assert {tuple(each) for each in found} == lineage(deleted.table)
    assert len(found) == deleted.rows.num_rows


def test_pyiceberg_reads_what_is_left(deleted, pyiceberg, tmp_path):
    into = tmp_path / "rows.arrow"
    pyiceberg("read", metadata_location=deleted.table.metadata_location, into=str(into))
    same_rows(deleted, encode(arrow_file(into)))


def test_duckdb_reads_what_is_left(deleted, duckdb, tmp_path):
    into = tmp_path / "rows.arrow"
    asked = {"metadata_location": deleted.table.metadata_location, "columns": deleted.rows.column_names}
    refusal = refused_by_duckdb(deleted)
    if refusal is not None:
        with pytest.raises(Refused, match=refusal):
            duckdb("read", **asked, into=str(into))
        return
    duckdb("read", **asked, into=str(into))
    same_rows(deleted, encode(arrow_file(into)))
