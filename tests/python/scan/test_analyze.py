"""What does `explain(analyze=True)` count, and does the time add up?"""

from __future__ import annotations

import pickle

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import InvalidInputError, NotFoundError

ROWS = 100_000
COLUMNS = pa.schema({"id": pa.int64(), "text": pa.string()})


def made(name: str, **properties: str) -> fb.Table:
    """An empty table in memory."""
    catalog = fb.load_catalog(f"analyze-{name}", type="memory")
    catalog.create_namespace("db")
    return catalog.create_table("db.t", COLUMNS, properties=properties)


def rows(first: int) -> pa.Table:
    """A file of rows, whose texts are long enough that its page index is read."""
    ids = range(first, first + ROWS)
    return pa.table({"id": ids, "text": [f"a text about {each * 7919 % 1_000_003}" for each in ids]})


@pytest.fixture(scope="module")
def table() -> fb.Table:
    """Two files of ten row groups, with pages of a thousand rows."""
    table = made(
        "two",
        **{"write.parquet.row-group-limit": "10000", "write.parquet.page-row-limit": "1000"},
    )
    table.append(rows(0))
    table.append(rows(ROWS))
    return table


def test_row_groups_and_pages_that_are_skipped_are_counted(table):
    scan = table.scan(row_filter="id >= 10500 AND id < 10600")
    explain = scan.explain(analyze=True)
    reading = explain.analysis.reading
    assert reading.rows == scan.to_arrow().num_rows == 100
    assert (reading.data_files, explain.data_files) == (1, 1)
    assert (reading.row_groups, reading.row_groups_skipped) == (10, 9)


def test_a_scan_of_all_rows_skips_nothing(table):
    reading = table.scan().explain(analyze=True).analysis.reading
    assert (reading.rows, reading.data_files) == (2 * ROWS, 2)
    assert (reading.row_groups, reading.row_groups_skipped, reading.pages_skipped) == (20, 0, 0)
    assert reading.size_in_bytes > 2 * ROWS * 8
    assert reading.reads >= 20


def test_pages_are_counted_where_files_have_an_index_of_them():
    table = made("pages", **{"write.parquet.page-row-limit": "1000"})
    table.append(rows(0))
    reading = table.scan(row_filter="id < 1500").explain(analyze=True).analysis.reading
    assert (reading.row_groups, reading.row_groups_skipped) == (1, 0)
    assert (reading.pages, reading.pages_skipped) == (100, 98)


def test_times_are_parts_of_the_whole(table):
    analysis = table.scan(row_filter="id > 5").explain(analyze=True).analysis
    planning, reading = analysis.planning, analysis.reading
    assert planning.seconds > 0
    assert planning.waiting_seconds >= 0
    work = reading.opening_seconds + reading.deletes_seconds + reading.rows_seconds
    # Threads work at the same time, and no longer than the clock runs.
    assert 0 < work <= reading.seconds * reading.threads
    assert reading.waiting_seconds <= work


def test_deletes_take_reads_of_their_own():
    other = made("deleted", **{"format-version": "3", "write.delete.mode": "merge-on-read"})
    other.append(rows(0))
    before = other.scan().explain(analyze=True).analysis.reading
    other.delete("id % 2 = 0")
    after = other.scan().explain(analyze=True).analysis.reading
    assert after.rows == ROWS // 2
    assert after.reads > before.reads
    assert after.deletes_seconds > 0


def test_a_limit_reads_no_more_than_the_scan_does(table):
    reading = table.scan(limit=5).explain(analyze=True).analysis.reading
    assert (reading.rows, reading.data_files) == (5, 1)


def test_an_empty_table_has_nothing_to_count():
    analysis = made("empty").scan().explain(analyze=True).analysis
    assert (analysis.planning.reads, analysis.reading.reads, analysis.reading.rows) == (0, 0, 0)


def test_the_text_names_what_was_counted(table):
    text = str(table.scan(row_filter="id >= 10500 AND id < 10600").explain(analyze=True))
    assert "skipped 9 of 10 row groups" in text
    assert "result: 100 rows" in text
    assert "planning took" in text
    assert "planning took" not in str(table.scan().explain())


def test_the_result_crosses_to_other_processes_and_to_programs(table):
    explain = table.scan().explain(analyze=True)
    assert pickle.loads(pickle.dumps(explain)) == explain
    assert explain.to_dict()["analysis"]["reading"]["rows"] == 2 * ROWS


@pytest.mark.unchecked_tables("a data file is removed")
def test_what_fails_when_rows_are_read_fails_here_too(tmp_path):
    catalog = fb.load_catalog("analyze-lost", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    table = catalog.create_table("db.t", COLUMNS)
    table.append(rows(0).slice(0, 10))
    (file,) = tmp_path.rglob("*.parquet")
    file.unlink()
    with pytest.raises(NotFoundError, match=r"\.parquet"):
        table.scan().explain(analyze=True)
    with pytest.raises(InvalidInputError, match="analyze"):
        table.scan().explain(analyze=1)
