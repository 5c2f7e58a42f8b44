"""Views in DuckDB and lazy frames of polars, of which the engine reads files itself: what they promise and refuse."""

from __future__ import annotations

import datetime as dt
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from polars.testing import assert_frame_equal

import floeberg as fb
from corpus import cases, known_failures
from floeberg import errors
from floeberg.scan import duckdb_views, polars_lanes
from floeberg.scan.engine_files import EngineFile, engine_files
from floeberg.scan.row_share import finds_few_rows

ROWS, FILES = 50_000, 3
ENGINES = ("in-memory", "streaming")
OPENED = [
    case
    for case in cases()
    if not case.is_view and not {(case.name, "open"), (case.name, "rows")} & set(known_failures())
]


def rows(number: int, count: int = ROWS) -> pa.Table:
    random, start = np.random.default_rng(number), number * count
    return pa.table(
        {
            "id": np.arange(start, start + count),
            "v": random.integers(0, 2**60, count),
            "w": random.random(count),
            "s": [f"s{each % 7}" for each in range(count)],
        }
    )


def table_in(folder: Path, files: int = FILES, *, name: str = "t", **options) -> fb.Table:
    catalog = fb.load_catalog(f"engines {uuid4()}", type="memory", warehouse=str(folder))
    catalog.create_namespace("n")
    table = catalog.create_table(f"n.{name}", rows(0, 1).schema, **options)
    for number in range(files):
        table.append(rows(number))
    return table


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> fb.Table:
    """A table that engines read themselves."""
    return table_in(tmp_path_factory.mktemp("whole"))


def paths(table: fb.Table) -> list[Path]:
    return [Path(task.file.location.removeprefix("file://")) for task in table.scan().plan_files()]


def plan_of(connection: duckdb.DuckDBPyConnection, query: str) -> str:
    return "\n".join(str(row[1]) for row in connection.execute(f"EXPLAIN {query}").fetchall()).upper()


def readers(connection: duckdb.DuckDBPyConnection, name: str = "v") -> tuple[bool, bool]:
    """Whether DuckDB reads files of a view, and whether Floeberg does."""
    plan = plan_of(connection, f'SELECT * FROM "{name}"')
    return "PARQUET" in plan, "ARROW" in plan


@pytest.fixture
def native(monkeypatch) -> None:
    """polars reads small files too."""
    monkeypatch.setattr(polars_lanes, "LEAST_BYTES", 0)


# DuckDB


def test_duckdb_reads_files_that_it_reads_right(whole):
    assert readers(whole.scan().to_duckdb("v")) == (True, False)
    assert readers(whole.scan().to_duckdb("v", reader="native")) == (True, False)
    assert readers(whole.scan().to_duckdb("v", reader="arrow")) == (False, True)


def test_files_with_deletes_are_read_here_and_the_others_by_duckdb(tmp_path):
    table = table_in(tmp_path, properties={"write.delete.mode": "merge-on-read"})
    table.delete("id = 7")
    connection = table.scan().to_duckdb("v")
    assert readers(connection) == (True, True)
    query = "SELECT count(*), sum(id) FROM v"
    count = FILES * ROWS
    assert connection.sql(query).fetchall() == [(count - 1, count * (count - 1) // 2 - 7)]
    with pytest.raises(errors.UnsupportedError, match="rows of the file may be deleted.*reader='auto'"):
        table.scan().to_duckdb("v", reader="native")


@pytest.mark.parametrize(
    ("narrowed", "reason"),
    [
        (lambda scan: scan.filter("id > 5"), "the scan has a filter"),
        (lambda scan: scan.select("id", "_file"), "metadata column '_file'"),
    ],
)
def test_other_scans_are_read_here(whole, narrowed, reason):
    scan = narrowed(whole.scan())
    connection = scan.to_duckdb("v")
    assert readers(connection) == (False, True)
    assert connection.sql("SELECT count(*) FROM v").fetchall() == [(scan.count(),)]
    with pytest.raises(errors.UnsupportedError, match=reason):
        scan.to_duckdb("v", reader="native")


def test_a_limit_is_one_of_the_scan(whole):
    connection = whole.scan(limit=10).to_duckdb("v")
    assert connection.sql("SELECT count(*) FROM v").fetchall() == [(10,)]


def test_very_large_row_groups_and_many_small_files_are_read_here(whole, tmp_path, monkeypatch):
    small = table_in(tmp_path, duckdb_views.FEW_FILES + 1)
    assert readers(small.scan().to_duckdb("v")) == (False, True)
    assert readers(small.scan().to_duckdb("v", reader="native")) == (True, False)
    monkeypatch.setattr(duckdb_views, "MOST_ROWS", ROWS - 1)
    assert readers(whole.scan().to_duckdb("v")) == (False, True)
    monkeypatch.setattr(duckdb_views, "MOST_ROWS", ROWS)
    monkeypatch.setattr(duckdb_views, "MOST_FILES", FILES - 1)
    assert readers(whole.scan().to_duckdb("v")) == (False, True)


def test_an_empty_table_is_an_empty_view(tmp_path):
    connection = table_in(tmp_path, 0).scan().to_duckdb("v")
    assert connection.sql("SELECT * FROM v").columns == ["id", "v", "w", "s"]
    assert connection.sql("SELECT * FROM v").fetchall() == []


@pytest.mark.unchecked_tables("a file is removed, to see that its rows are missed")
@pytest.mark.usefixtures("native")
def test_a_lost_file_is_an_error(tmp_path):
    table = table_in(tmp_path)
    lazy, connection = table.scan().to_polars_lazy(), table.scan().to_duckdb("v")
    assert readers(connection) == (True, False)
    paths(table)[1].unlink()
    with pytest.raises(duckdb.Error, match=r"parquet"):
        connection.sql("SELECT sum(v) FROM v").fetchall()
    for engine in ENGINES:
        with pytest.raises((FileNotFoundError, errors.NotFoundError)):
            lazy.select(pl.col("v").sum()).collect(engine=engine)


def test_the_view_keeps_its_snapshot_and_is_replaced(tmp_path):
    table = table_in(tmp_path)
    connection = table.scan().to_duckdb("v")
    table.append(rows(90_000, 10))
    assert connection.sql("SELECT count(*) FROM v").fetchall() == [(FILES * ROWS,)]
    table.delete("id >= 100", mode="merge-on-read")
    table.scan().to_duckdb("v", connection)
    assert connection.sql("SELECT count(*) FROM v").fetchall() == [(100,)]
    connection.unregister("v")
    assert "v" not in [row[0] for row in connection.sql("SHOW TABLES").fetchall()]


def test_settings_of_the_connection_do_not_change_the_rows(tmp_path):
    catalog = fb.load_catalog(f"engines {uuid4()}", type="memory", warehouse=str(tmp_path))
    catalog.create_namespace("n")
    given = pa.table({"b": [b"\xff\x00", None]}, schema=pa.schema({"b": pa.binary()}))
    table = catalog.create_table("n.t", given.schema)
    table.append(given)
    connection = duckdb.connect()
    connection.execute("SET binary_as_string = true")
    table.scan().to_duckdb("v", connection, reader="native")
    assert connection.sql("SELECT b FROM v").fetchall() == [(b"\xff\x00",), (None,)]


@pytest.mark.unchecked_tables("a file is written again, as another writer would")
def test_times_that_are_said_to_be_adjusted_are_times(tmp_path):
    kind = pa.struct([pa.field("t", pa.time64("us"))])
    given = pa.table(
        {
            "c": pa.array([dt.time(1, 2, 3), None], pa.time64("us")),
            "p": pa.array([{"t": dt.time(4)}, None], kind),
        }
    )
    catalog = fb.load_catalog(f"engines {uuid4()}", type="memory", warehouse=str(tmp_path))
    catalog.create_namespace("n")
    table = catalog.create_table("n.t", given.schema)
    table.append(given)
    (path,) = paths(table)
    pq.write_table(table.scan().to_arrow(), path, write_time_adjusted_to_utc=True)
    connection = table.scan().to_duckdb("v", reader="native")
    connection.register("w", table.scan().to_arrow())
    assert connection.sql("DESCRIBE v").fetchall() == connection.sql("DESCRIBE w").fetchall()
    rows = connection.sql("SELECT * FROM v").fetchall()
    assert (
        rows
        == connection.sql("SELECT * FROM w").fetchall()
        == [(dt.time(1, 2, 3), {"t": dt.time(4)}), (None, None)]
    )


def test_a_connection_that_may_not_open_files_gets_the_rows_from_here(whole):
    connection = duckdb.connect(config={"enable_external_access": False})
    whole.scan().to_duckdb("v", connection)
    assert readers(connection) == (False, True)
    assert connection.sql("SELECT count(*) FROM v").fetchall() == [(FILES * ROWS,)]
    with pytest.raises(errors.UnsupportedError, match="Permission"):
        whole.scan().to_duckdb("v", connection, reader="native")


def test_a_view_lives_in_an_open_transaction_and_in_cursors(whole):
    connection = duckdb.connect()
    connection.begin()
    whole.scan().to_duckdb("v", connection)
    assert connection.sql("SELECT count(*) FROM v").fetchall() == [(FILES * ROWS,)]
    connection.commit()
    cursor = connection.cursor()
    whole.scan().to_duckdb("v", cursor)
    assert cursor.sql("SELECT min(id) FROM v").fetchall() == [(0,)]


HOSTILE = ['"; DROP TABLE x; --', "it's", "<script>", "a.b", "SELECT", "ä \U0001f600", 'q"q']


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.usefixtures("native")
def test_hostile_names(tmp_path, name):
    catalog = fb.load_catalog(
        f"engines {uuid4()}", type="memory", warehouse=str(tmp_path / "it's a {folder}")
    )
    catalog.create_namespace("n")
    given = pa.table({name: [1, 2], "other": ["x", "y"]})
    table = catalog.create_table("n.t", given.schema)
    table.append(given)
    connection = table.scan().to_duckdb(name)
    quoted = '"' + name.replace('"', '""') + '"'
    found = connection.sql(f"SELECT {quoted} FROM {quoted} WHERE other = 'y'").fetchall()
    assert found == [(2,)]
    for engine in ENGINES:
        lazy = table.scan().to_polars_lazy().filter(pl.col(name) == 2)
        assert lazy.collect(engine=engine).rows() == [(2, "y")]


@pytest.mark.parametrize("folder", ["star*", "q?", "[a]", "{a,b}", "it's", "id=7", "ä", "a b%20c"])
@pytest.mark.usefixtures("native")
def test_paths_are_never_patterns(tmp_path, folder):
    table = table_in(tmp_path / folder, 1)
    other = tmp_path / folder.replace("*", "x").replace("?", "x")
    if other != tmp_path / folder:
        table_in(other, 1)
    scan, count = table.scan(), ROWS
    assert scan.to_duckdb("v").sql("SELECT count(*), max(id) FROM v").fetchall() == [(count, count - 1)]
    assert_frame_equal(scan.to_polars_lazy().collect(), scan.to_polars())


@pytest.mark.parametrize("wrong", ["spark", "", None, 3])
def test_an_unknown_reader_is_an_error(whole, wrong):
    with pytest.raises(errors.InvalidInputError, match="reader: expected one of 'auto', 'native', 'arrow'"):
        whole.scan().to_duckdb("v", reader=wrong)


# Polars


def explained(lazy: pl.LazyFrame) -> str:
    return lazy.explain().upper()


def test_polars_reads_large_files_itself_and_one_row_is_looked_up_here(whole, monkeypatch):
    opened: list[str] = []
    of_polars = pl.scan_parquet
    monkeypatch.setattr(
        polars_lanes.pl,
        "scan_parquet",
        lambda *given, **how: opened.append("polars") or of_polars(*given, **how),
    )
    lazy, eager = whole.scan().to_polars_lazy(), whole.scan().to_polars()
    monkeypatch.setattr(polars_lanes, "LEAST_BYTES", 0)
    assert lazy.filter(pl.col("w") > 0.5).collect().height == eager.filter(pl.col("w") > 0.5).height
    assert opened
    opened.clear()
    assert (
        lazy.filter(pl.col("id") == 5).select("v").collect().rows()
        == eager.filter(pl.col("id") == 5)[["v"]].rows()
    )
    assert not opened
    monkeypatch.setattr(polars_lanes, "LEAST_BYTES", 1 << 30)
    assert lazy.filter(pl.col("w") > 0.5).collect().height
    assert not opened


def test_what_is_likely_to_be_one_row_in_thousands(whole):
    scan = whole.scan()
    files = [each for each in engine_files(scan, scan._inner.plan()) if isinstance(each, EngineFile)]
    assert len(files) == FILES
    assert finds_few_rows([fb.expressions.EqualTo("id", 5)], files)
    assert finds_few_rows([fb.expressions.In("id", [5, 6])], files)
    assert not finds_few_rows([fb.expressions.In("id", range(1000))], files)
    assert not finds_few_rows([fb.expressions.EqualTo("s", "s1")], files)
    assert not finds_few_rows([fb.expressions.GreaterThan("id", 5)], files)
    assert not finds_few_rows([fb.expressions.EqualTo("w", 0.5)], files)
    assert not finds_few_rows([], files)
    assert not finds_few_rows([fb.expressions.EqualTo("id", 5)], [EngineFile("/none", files[0].columns)])


def damage(path: Path, column: str) -> None:
    """Overwrites the pages of a column."""
    group = pq.ParquetFile(path).metadata.row_group(0)
    chunk = next(
        group.column(n) for n in range(group.num_columns) if group.column(n).path_in_schema == column
    )
    start = chunk.data_page_offset if chunk.dictionary_page_offset is None else chunk.dictionary_page_offset
    with path.open("r+b") as file:
        file.seek(start)
        file.write(b"\xff" * chunk.total_compressed_size)


@pytest.mark.unchecked_tables("pages that must not be read are damaged")
@pytest.mark.usefixtures("native")
def test_polars_reads_only_the_columns_and_files_of_a_query(tmp_path):
    table = table_in(tmp_path)
    expected = table.to_polars()
    for path in paths(table):
        damage(path, "s")
    # Files of later rows first.
    damage(paths(table)[0], "v")
    lazy = table.scan().to_polars_lazy()
    for engine in ENGINES:
        kept = (pl.col("id") < ROWS) & (pl.col("w") > 0.5)
        found = lazy.filter(kept).select("id", "v").collect(engine=engine)
        assert_frame_equal(found, expected.filter(kept).select("id", "v"))
        for broken in (lazy.select("s"), lazy.select("v")):
            with pytest.raises((pl.exceptions.PolarsError, errors.InvalidDataError)):
                broken.collect(engine=engine)


@pytest.mark.usefixtures("native")
def test_frames_can_be_pickled_and_collected_by_threads(whole):
    lazy = whole.scan().to_polars_lazy().filter(pl.col("s") == "s1").select(pl.col("v").sum())
    expected = whole.scan().to_polars().filter(pl.col("s") == "s1").select(pl.col("v").sum())
    assert_frame_equal(pickle.loads(pickle.dumps(lazy)).collect(), expected)
    with ThreadPoolExecutor(4) as many:
        for found in many.map(lambda _: lazy.collect(), range(8)):
            assert_frame_equal(found, expected)


@pytest.mark.usefixtures("native")
def test_a_frame_that_is_joined_with_itself_is_read_right(whole):
    lazy = whole.scan().to_polars_lazy()
    few = lazy.filter(pl.col("id") < 10)
    assert few.join(lazy, on="id").collect().height == 10
    assert pl.concat([lazy.select("id"), few.select("id")]).collect().height == FILES * ROWS + 10


def test_older_releases_of_polars_get_the_rows_from_here(whole, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "floeberg.scan.polars_lanes", None)
    lazy = whole.scan().to_polars_lazy()
    assert "FLOEBERG" in explained(lazy)
    assert lazy.select(pl.len()).collect().item() == FILES * ROWS


# Bytes


def bytes_read() -> int:
    facts = Path("/proc/self/io").read_text().splitlines()
    return int(next(line for line in facts if line.startswith("rchar")).split()[1])


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="the system does not count what is read")
def test_duckdb_reads_only_the_bytes_of_a_query(whole):
    connection = whole.scan().to_duckdb("v")
    sizes = [path.stat().st_size for path in paths(whole)]
    connection.execute("SET threads = 1")

    def read_by(query: str) -> int:
        before = bytes_read()
        connection.execute(query).fetchall()
        return bytes_read() - before

    read_by("SELECT 1 FROM v LIMIT 1")
    all_bytes = read_by("SELECT sum(hash(v)), sum(hash(w)), sum(hash(s)), sum(hash(id)) FROM v")
    assert all_bytes > sum(sizes) * 0.9
    # A text of seven values takes few bytes, and one file of three has the ids.
    assert read_by("SELECT count(s) FROM v") < all_bytes / 4
    assert read_by(f"SELECT sum(v) FROM v WHERE id < {ROWS}") < all_bytes / 2


# Files of other writers


@pytest.mark.parametrize("case", OPENED, ids=lambda case: case.name)
@pytest.mark.usefixtures("native")
def test_tables_of_other_writers_are_read_as_by_floeberg(case, monkeypatch):
    """Every table of the corpus: what the engines find is what a scan gives."""
    monkeypatch.setattr(duckdb_views, "LEAST_BYTES", 0)
    scan = case.open().scan()
    try:
        rows_here = scan.to_arrow()
        expected = scan.to_polars()
    except (fb.errors.FloebergError, pl.exceptions.PolarsError, pa.ArrowException):
        pytest.skip("the rows cannot be read at all, or have no form in polars")
    found = scan.to_polars_lazy().collect()
    assert_frame_equal(found, expected, check_exact=True)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        try:
            connection.register("given", rows_here)
            wanted = sorted(map(str, pa.table(connection.sql("SELECT * FROM given")).to_pylist()))
        except (duckdb.Error, pa.ArrowException, OSError):
            pytest.skip("a column has no form in DuckDB")
        scan.to_duckdb("v", connection)
        assert sorted(map(str, pa.table(connection.sql("SELECT * FROM v")).to_pylist())) == wanted
        described = [connection.sql(f"DESCRIBE {name}").fetchall() for name in ("given", "v")]
        assert [row[:2] for row in described[0]] == [row[:2] for row in described[1]]


def test_the_corpus_has_files_that_engines_read_themselves():
    taken = 0
    for case in OPENED:
        try:
            scan = case.open().scan()
            taken += sum(isinstance(each, EngineFile) for each in engine_files(scan, scan._inner.plan()))
        except fb.errors.FloebergError:
            continue
    assert taken > 20


# Columns that a file lacks


def test_a_column_with_a_default_is_read_here(tmp_path):
    table = table_in(tmp_path, 1, format_version=3)
    with table.update_schema() as update:
        update.add_column("state", "string", default_value="new")
    scan = table.scan()
    (why,) = engine_files(scan, scan._inner.plan())
    assert why == "the file lacks column 'state', which is required or has a default"
    assert scan.to_duckdb("v").sql("SELECT DISTINCT state FROM v").fetchall() == [("new",)]
    assert scan.to_polars_lazy().select(pl.col("state").unique()).collect().rows() == [("new",)]
    assert isinstance(engine_files(scan.select("id"), scan.select("id")._inner.plan())[0], EngineFile)


@pytest.mark.unchecked_tables("a file is written again without the column of its partition")
def test_a_column_that_is_only_in_the_partition_is_read_here(tmp_path):
    table = table_in(tmp_path, 0, partition_spec=["s"])
    table.append(rows(0, 70).filter(pa.compute.field("s") == "s1"))
    (path,) = paths(table)
    pq.write_table(table.scan().select("id", "v", "w").to_arrow(), path)
    scan = table.scan()
    assert engine_files(scan, scan._inner.plan()) == ["the value of column 's' is that of the partition"]
    assert scan.to_duckdb("v").sql("SELECT DISTINCT s FROM v").fetchall() == [("s1",)]
    assert scan.to_polars_lazy().select(pl.col("s").unique()).collect().rows() == [("s1",)]
