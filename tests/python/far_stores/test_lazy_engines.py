"""What DuckDB and polars have a far store read: as much as a scan with the same filter, and no more."""

from __future__ import annotations

import duckdb
import polars as pl
import pytest

import floeberg as fb

PARTS = 40


@pytest.fixture
def one_part(place):
    """Bytes and requests of a scan that reads one part of the table."""
    place.files(count=PARTS, rows=2000)
    with place.far.counted() as counts:
        assert place.open().scan(row_filter="part = 7").to_arrow().num_rows == 2000
    return counts


def in_duckdb(table: fb.Table) -> int:
    connection = table.scan().to_duckdb("v", duckdb.connect())
    return len(connection.sql("SELECT * FROM v WHERE part = 7").fetchall())


def in_polars(table: fb.Table) -> int:
    return table.scan().to_polars_lazy().filter(pl.col("part") == 7).collect().height


@pytest.mark.parametrize("query", [in_duckdb, in_polars])
def test_a_filter_of_a_query_reads_what_one_of_a_scan_reads(place, one_part, query):
    with place.far.counted() as counts:
        assert query(place.open()) == 2000
    # The metadata may be read twice: once to decide who reads, once by the query.
    assert counts.bytes_out <= 2 * one_part.bytes_out
    assert counts.total <= 2 * one_part.total
    assert counts.total < PARTS


@pytest.mark.parametrize(
    "query",
    [
        lambda table: table.scan().to_duckdb("v").sql("SELECT count(c20) FROM v").fetchall()[0][0],
        lambda table: table.scan().to_polars_lazy().select(pl.col("c20").count()).collect().item(),
    ],
    ids=["duckdb", "polars"],
)
def test_one_column_of_a_wide_file_is_read_alone(place, query):
    table = place.large(count=1, columns=40, rows=1 << 15, groups=1)
    of_column = 8 << 15
    with place.far.counted() as counts:
        assert query(table) == 1 << 15
    assert counts.bytes_out < 3 * of_column
