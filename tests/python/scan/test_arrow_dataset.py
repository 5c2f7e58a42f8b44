"""A scan as a dataset of pyarrow: what DuckDB, polars and pyarrow push into it is read, and nothing else."""

from __future__ import annotations

import pickle
import threading
from decimal import Decimal
from pathlib import Path
from uuid import uuid4

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pytest

import floeberg as fb

FILES, ROWS = 24, 3
"""A partition, and a file, a value of `part`; so many rows in each."""


@pytest.fixture
def table(tmp_path):
    catalog = fb.load_catalog(f"dataset-{uuid4()}", type="memory", warehouse=str(tmp_path))
    catalog.create_namespace("n")
    rows = parts(range(FILES))
    made = catalog.create_table("n.t", rows.schema, partition_spec=["part"])
    made.append(rows)
    return made


def parts(numbers):
    ids = [part * ROWS + row for part in numbers for row in range(ROWS)]
    return pa.table(
        {
            "part": pa.array([each // ROWS for each in ids], pa.int32()),
            "id": pa.array(ids, pa.int64()),
            "name": [f"n{each:03}" for each in ids],
            "point": [{"x": each, "y": -each} for each in ids],
        }
    )


def files_of(table):
    """The files by the value of `part`."""
    tasks = table.scan().plan_files()
    return {task.file.partition["part"]: Path(task.file.file_path.removeprefix("file://")) for task in tasks}


def remove_all_but(table, *kept):
    for part, path in files_of(table).items():
        if part not in kept:
            path.unlink()


def ids(connection, condition, columns="id"):
    return [
        row[0] for row in connection.sql(f"SELECT {columns} FROM v WHERE {condition} ORDER BY 1").fetchall()
    ]


@pytest.mark.unchecked_tables("files are removed, to see that they are not read")
@pytest.mark.parametrize(
    "condition",
    [
        "part = 5",
        "part IN (5, 900)",
        "part > 4 AND part < 6",
        "part BETWEEN 5 AND 5",
        "id = 15 OR id = 16 OR id = 17",
        "id IN (15, 16, 17)",
        "id >= 15 AND id <= 17 AND upper(name) LIKE 'N%'",
        "name >= 'n015' AND name < 'n018'",
        "name = 'n015' OR id IN (16, 17)",
        "point.x >= 15 AND point.x < 18",
    ],
)
def test_files_that_a_query_rules_out_are_not_read(table, condition):
    connection = table.scan().to_duckdb("v")
    expected = ids(connection, condition)
    assert expected == [15, 16, 17]
    remove_all_but(table, 5)
    assert ids(connection, condition) == expected


@pytest.mark.unchecked_tables("files are removed, to see that they are not read")
def test_a_filter_that_rules_nothing_out_reads_all_files(table):
    connection = table.scan().to_duckdb("v")
    remove_all_but(table, 5)
    with pytest.raises(duckdb.Error, match="No such file|not found|missing"):
        ids(connection, "name LIKE '%15'")


@pytest.mark.unchecked_tables("files are removed, to see that they are not read")
def test_nothing_is_read_before_a_query(table):
    remove_all_but(table)
    dataset = table.scan().to_arrow_dataset()
    connection = table.scan().to_duckdb("v")
    assert dataset.schema.names == ["part", "id", "name", "point"]
    assert [row[0] for row in connection.sql("DESCRIBE v").fetchall()] == dataset.schema.names


def test_only_columns_that_a_query_needs_are_read(table):
    dataset = table.scan().to_arrow_dataset()
    read = dataset.scanner(columns=["name"], filter=pc.field("id") > 70)._narrowed
    assert read.projection().column_names == ["id", "name"]
    read = dataset.scanner(columns={"sum": pc.field("id") + pc.field("part")})._narrowed
    assert read.projection().column_names == ["part", "id"]
    assert dataset.scanner(columns=[])._narrowed.projection().column_names == ["part"]


@pytest.mark.unchecked_tables("files are removed, to see that they are not read")
def test_a_limit_does_not_read_all_files(tmp_path):
    catalog = fb.load_catalog(f"dataset-{uuid4()}", type="memory", warehouse=str(tmp_path))
    catalog.create_namespace("n")
    # A batch has at most 65,536 rows, and small batches are joined.
    each, files = 2**16, 16
    rows = pa.table({"part": pa.array([row // each for row in range(files * each)], pa.int32())})
    table = catalog.create_table("n.t", rows.schema, partition_spec=["part"])
    table.append(rows)
    connection = table.scan().to_duckdb("v")
    dataset = table.scan().to_arrow_dataset()
    # Some files are read ahead.
    planned = [Path(task.file.file_path.removeprefix("file://")) for task in table.scan().plan_files()]
    for path in planned[-4:]:
        path.unlink()
    assert len(connection.sql("SELECT part FROM v LIMIT 2").fetchall()) == 2
    assert dataset.head(2).num_rows == 2
    with pytest.raises(fb.errors.NotFoundError):
        dataset.to_table()


def test_the_snapshot_is_that_of_the_scan(table):
    connection = table.scan().to_duckdb("v")
    dataset = table.scan().to_arrow_dataset()
    table.append(parts([99]))
    assert connection.sql("SELECT count(*) FROM v").fetchall() == [(FILES * ROWS,)]
    assert dataset.count_rows() == dataset.to_table().num_rows == FILES * ROWS


def test_a_view_may_be_joined_with_itself(table):
    connection = table.scan().to_duckdb("v")
    query = "SELECT a.id FROM v a JOIN v b ON a.id = b.id + 1 WHERE b.part = 1 AND a.name > 'n000' ORDER BY 1"
    assert connection.sql(query).fetchall() == [(4,), (5,), (6,)]


def test_several_threads_query_one_scan(table):
    connection = duckdb.connect()
    scan = table.scan()
    found = {}

    def ask(part):
        found[part] = ids(scan.to_duckdb("v", connection.cursor()), f"part = {part}")

    threads = [threading.Thread(target=ask, args=(part,)) for part in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == {part: list(range(part * ROWS, part * ROWS + ROWS)) for part in range(8)}


def test_several_threads_read_one_reader(table):
    reader = table.scan().to_arrow_dataset().scanner(filter=pc.field("id") >= 10).to_reader()
    found = []

    def read():
        while True:
            try:
                found.extend(reader.read_next_batch()["id"].to_pylist())
            except StopIteration:
                return

    threads = [threading.Thread(target=read) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(found) == list(range(10, FILES * ROWS))


def test_deletes_apply(table):
    table.delete("id = 16")
    assert ids(table.scan().to_duckdb("v"), "part = 5") == [15, 17]
    assert table.scan().to_arrow_dataset().count_rows(filter=pc.field("part") == 5) == 2


def test_deleted_rows_of_a_scan_that_marks_them_stay(tmp_path):
    catalog = fb.load_catalog(f"dataset-{uuid4()}", type="memory", warehouse=str(tmp_path))
    catalog.create_namespace("n")
    table = catalog.create_table(
        "n.t", pa.schema({"id": pa.int64()}), properties={"write.delete.mode": "merge-on-read"}
    )
    table.append(pa.table({"id": range(4)}))
    table.delete("id = 2")
    scan = table.scan().select("id", "_deleted")
    assert scan.to_arrow().num_rows == 4
    assert scan.to_arrow_dataset().to_table(columns=["id"])["id"].to_pylist() == [0, 1, 2, 3]


def test_the_limit_of_a_scan_comes_before_a_pushed_filter(table):
    scan = table.scan(limit=5)
    whole = scan.to_arrow()["id"].to_pylist()
    assert ids(scan.to_duckdb("v"), "id >= 0") == sorted(whole)
    assert ids(scan.to_duckdb("v"), f"id = {whole[-1]}") == [whole[-1]]
    assert ids(scan.to_duckdb("v"), f"id > {max(whole)}") == []


def test_a_filter_of_the_scan_stays(table):
    assert ids(table.scan(row_filter="part < 3").to_duckdb("v"), "id > 6") == [7, 8]


def test_a_part_of_a_struct_stays_a_part(table):
    scan = table.scan().select("point.x", "id")
    found = scan.to_arrow_dataset().to_table(columns=["point"], filter=pc.field("point", "x") == 4)
    assert found.to_pylist() == [{"point": {"x": 4}}]
    assert ids(scan.to_duckdb("v"), "point.x = 4") == [4]


def test_a_column_whose_name_has_a_dot(tmp_path):
    catalog = fb.load_catalog(f"dataset-{uuid4()}", type="memory", warehouse=str(tmp_path))
    catalog.create_namespace("n")
    rows = pa.table({"a.b": [1, 2], "c": [3, 4]})
    table = catalog.create_table("n.t", rows.schema)
    table.append(rows)
    connection = table.scan().to_duckdb("v")
    assert connection.sql('SELECT "a.b" FROM v WHERE c = 3').fetchall() == [(1,)]
    assert connection.sql('SELECT c FROM v WHERE "a.b" = 2').fetchall() == [(4,)]


def test_pyarrow_and_polars_read_it(table):
    dataset = table.scan().to_arrow_dataset()
    assert isinstance(dataset, ds.Dataset)
    late = pc.field("id") > 69
    assert dataset.to_table(columns=["name"], filter=late).to_pylist() == [{"name": "n070"}, {"name": "n071"}]
    assert dataset.count_rows(filter=late) == dataset.filter(late).count_rows() == 2
    assert dataset.filter(late).to_table(filter=pc.field("id") < 71)["id"].to_pylist() == [70]
    assert dataset.head(4, columns=["id"]).column_names == ["id"]
    doubled = dataset.to_table(columns={"d": pc.field("id") + pc.field("id")}, filter=late)
    assert doubled.to_pylist() == [{"d": 140}, {"d": 142}]
    assert [batch.num_rows for batch in dataset.to_batches(filter=late, batch_size=1)] == [1, 1]
    assert dataset.take([0, 1]).num_rows == 2
    assert dataset.to_table(columns=["id", "part"]).column_names == ["id", "part"]
    frame = pl.scan_pyarrow_dataset(dataset).filter(pl.col("id") > 69).select("name").collect()
    assert frame.rows() == [("n070",), ("n071",)]


def test_a_dataset_can_be_pickled(table):
    dataset = table.scan().to_arrow_dataset().filter(pc.field("id") > 69)
    assert pickle.loads(pickle.dumps(dataset)).to_table().equals(dataset.to_table())


def test_a_dataset_shows_what_it_reads(table):
    dataset = table.scan().to_arrow_dataset()
    assert repr(dataset) == f"ArrowDataset({table.scan()!r})"
    assert repr(dataset.filter(pc.field("id") > 1)).endswith("filter=(id > 1))")
    assert 'row_filter="id > 1"' in repr(dataset.scanner(filter=pc.field("id") > 1))


@pytest.mark.unchecked_tables("files are removed, to see that they are not read")
def test_errors_name_what_is_wrong(table):
    dataset = table.scan().to_arrow_dataset()
    with pytest.raises(fb.errors.InvalidInputError, match="'ident' is not a column"):
        dataset.to_table(columns=["ident"])
    with pytest.raises(fb.errors.InvalidInputError, match="expected a list of names"):
        dataset.to_table(columns="id")
    with pytest.raises(fb.errors.InvalidInputError, match="found nonsense"):
        dataset.to_table(nonsense=1)
    for name in ("get_fragments", "sort_by", "join", "join_asof", "replace_schema"):
        with pytest.raises(fb.errors.UnsupportedError, match=name):
            getattr(dataset, name)()
    with pytest.raises(fb.errors.UnsupportedError, match="partition_expression"):
        _ = dataset.partition_expression
    remove_all_but(table)
    with pytest.raises(fb.errors.NotFoundError):
        dataset.to_table()
    with pytest.raises(fb.errors.NotFoundError):
        dataset.scanner(filter=pc.field("id") > 1).to_reader().read_all()


@pytest.mark.parametrize(
    ("expression", "pushed"),
    [
        ((pc.field("id") > 1) & (pc.field("id") + 1 > 3), "id > 1"),
        ((pc.field("id") > 1) | (pc.field("id") + 1 > 3), "TRUE"),
        (~(pc.field("id") + 1 > 3) & (pc.field("name") == "a"), "name = 'a'"),
        # pyarrow compares these as doubles, a table as numbers of the column's type.
        (pc.field("id") > 1.5, "TRUE"),
        (pc.field("f4") < 1.3, "TRUE"),
        (pc.field("f4") < 1.5, "f4 < 1.5"),
        (pc.field("f8") < 1.3, "f8 < 1.3"),
        (
            (pc.field("id") > 1) | ((pc.field("id") + 1 > 3) & (pc.field("name") == "a")),
            "id > 1 OR name = 'a'",
        ),
        (pc.field("f8").isin([0.0, 1.0]), "TRUE"),
        (pc.field("f8").isin([float("nan"), 1.0]), "TRUE"),
        (pc.field("dec") > pa.scalar(Decimal("1.505")), "TRUE"),
        (pc.field("dec") > pa.scalar(Decimal("1.5")), "dec > 1.5"),
        (pc.field("us") > pa.scalar(2**62, pa.timestamp("us")), "TRUE"),
        (
            pc.if_else(pc.field("id") > 1, pc.field("id") < 5, pa.scalar(None, pa.bool_())),
            "id > 1 AND id < 5",
        ),
    ],
    ids=str,
)
def test_what_is_certain_is_pushed_and_the_rest_is_evaluated(tmp_path, expression, pushed):
    rows = pa.table(
        {
            "id": pa.array([1, 2, 3, 4, None], pa.int64()),
            "name": ["a", "b", None, "a", "c"],
            "f4": pa.array([1.3, 1.5, float("nan"), -0.0, None], pa.float32()),
            "f8": pa.array([1.3, float("nan"), 0.0, -0.0, None]),
            "dec": pa.array(
                [Decimal("1.50"), Decimal("1.51"), None, Decimal(9), Decimal(-9)], pa.decimal128(9, 2)
            ),
            "us": pa.array(range(5), pa.timestamp("us")),
        }
    )
    catalog = fb.load_catalog(f"dataset-{uuid4()}", type="memory", warehouse=str(tmp_path))
    catalog.create_namespace("n")
    table = catalog.create_table("n.t", rows.schema)
    for row in range(rows.num_rows):
        table.append(rows.slice(row, 1))
    dataset = table.scan().to_arrow_dataset()
    assert f'row_filter="{pushed}"' in repr(dataset.scanner(filter=expression))
    whole = dataset.to_table()
    # NaN equals NaN as text.
    assert str(dataset.to_table(filter=expression).to_pylist()) == str(whole.filter(expression).to_pylist())
