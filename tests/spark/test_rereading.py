"""Which snapshot a read sees, and what a write makes of it: step by step, in one process.

The session's side of it is in `test_views.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pytest
from pyspark import TaskContext
from pyspark.sql.datasource import CaseInsensitiveDict
from pyspark.sql.types import StructType

import floeberg as fb
from floeberg.errors import CommitConflictError, InvalidInputError
from floeberg.spark.datasource import FloebergDataSource
from floeberg.spark.read.branch_reads import branch_read, record_frame
from lifecycle import sent

ROWS = pa.schema([("id", pa.int64()), ("part", pa.string())])


@pytest.fixture(autouse=True)
def machine(tmp_path, monkeypatch) -> None:
    """The folder that Spark names to all its processes of a machine."""
    monkeypatch.setenv("SPARK_LOCAL_DIRS", str(tmp_path / "blocks"))


@pytest.fixture
def table(tmp_path) -> fb.Table:
    """A table of one row."""
    catalog = fb.load_catalog("reread", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    made = catalog.create_table("db.t", ROWS)
    made.append(rows(1))
    return made


def rows(*ids: int) -> pa.Table:
    return pa.table([list(ids), ["a"] * len(ids)], schema=ROWS)


def source(table: fb.Table, **options: str) -> FloebergDataSource:
    given = {key.replace("_", "-"): value for key, value in options.items()}
    return FloebergDataSource(CaseInsensitiveDict({"path": table.location()} | given))


def loaded(table: fb.Table, **options: str) -> Callable[[], list[int]]:
    """What `load()` gives: its rows, read once again at each call."""
    made = source(table, **options)
    schema = made.schema()
    kept = sent(made)

    def ids() -> list[int]:
        reader = sent(sent(kept).reader(schema=schema))
        batches = [batch for part in reader.partitions() for batch in reader.read(part)]
        return sorted(number for batch in batches for number in batch.column("id").to_pylist())

    return ids


@contextmanager
def query(number: int) -> Iterator[None]:
    """Runs a task of a query of Spark."""
    context: Any = TaskContext._getOrCreate()
    context._localProperties = {"spark.sql.execution.root.id": str(number)}
    context._taskAttemptId, context._partitionId = number, 0
    try:
        yield
    finally:
        TaskContext._taskContext = None


class TestNewest:
    """A read that chose no snapshot."""

    def test_is_what_is_there_when_it_is_first_planned_and_stays(self, table):
        before = loaded(table)
        table.append(rows(2))
        assert before() == [1, 2]
        table.append(rows(3))
        assert (before(), loaded(table)()) == ([1, 2], [1, 2, 3])

    def test_is_not_that_of_a_choice(self, table):
        table.append(rows(2))
        first = table.snapshots()[0]
        for options in (
            {"snapshot_id": str(first.snapshot_id)},
            {"as_of_timestamp": str(first.timestamp_ms)},
        ):
            chosen = loaded(table, **options)
            table.append(rows(3))
            assert chosen() == [1]

    def test_stays_that_of_the_schema_where_nothing_can_be_kept(self, table, monkeypatch):
        monkeypatch.delenv("SPARK_LOCAL_DIRS")
        before = loaded(table)
        table.append(rows(2))
        assert (before(), before()) == ([1], [1])

    def test_has_the_columns_of_the_schema(self, table):
        before, one, filtered = loaded(table), loaded(table, columns="id"), loaded(table, filter="part = 'a'")
        with table.update_schema() as update:
            update.add_column("more", "int").move_first("more")
        table.append(pa.table({"more": pa.array([7], pa.int32()), "id": [2], "part": ["b"]}))
        assert (before(), one(), filtered()) == ([1, 2], [1, 2], [1])

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            (lambda update: update.delete_column("part"), "column 'part' of the DataFrame was dropped: load"),
            (
                lambda update: update.rename_column("part", "p"),
                "column 'part' of the DataFrame is named 'p' now",
            ),
            (
                lambda update: (
                    update.rename_column("part", "x").rename_column("id", "part").rename_column("x", "id")
                ),
                "column 'id' is not the column that it was when the DataFrame was made",
            ),
            (
                lambda update: update.update_column("n", "long"),
                "is optional int, and in the table optional long now",
            ),
        ],
    )
    def test_is_an_error_where_the_columns_are_others(self, table, change, says):
        with table.update_schema() as update:
            update.add_column("n", "int")
        before = loaded(table)
        with table.update_schema() as update:
            change(update)
        with pytest.raises(InvalidInputError, match=says):
            before()

    def test_is_an_error_where_the_table_is_another(self, tmp_path, table):
        catalog = fb.load_catalog("reread", type="filesystem", warehouse=str(tmp_path))
        before = loaded(table)
        catalog.purge_table("db.t")
        catalog.create_table("db.t", ROWS)
        with pytest.raises(InvalidInputError, match="the table was dropped and created again"):
            before()


def overwriting(table: fb.Table, number: int, new: int, **options: str) -> None:
    """What a query of Spark does to put one row in the place of all."""
    schema = StructType().add("id", "long").add("part", "string")
    writer = sent(source(table, **options).writer(schema, overwrite=True))
    with query(number):
        message = sent(writer.write(iter(rows(new).to_batches())))
    sent(writer).commit([message])


def ids(table: fb.Table) -> list[int]:
    return sorted(table.refresh().scan().to_arrow()["id"].to_pylist())


class TestOverwrites:
    """Of a table, with rows that were read from it."""

    @pytest.mark.parametrize(
        "options", [{}, {"isolation_level": "serializable"}, {"overwrite_mode": "dynamic"}]
    )
    def test_conflict_with_what_came_since_the_read(self, table, options):
        read = loaded(table)
        with query(1):
            assert read() == [1]
        table.append(rows(2))
        with query(2):
            assert read() == [1]
        with pytest.raises(CommitConflictError, match="added a file that may hold rows"):
            overwriting(table, 2, 10, **options)
        assert ids(table) == [1, 2]

    def test_conflict_with_what_came_since_an_empty_table_was_read(self, tmp_path):
        catalog = fb.load_catalog("reread", type="filesystem", warehouse=str(tmp_path))
        catalog.create_namespace("db")
        empty = catalog.create_table("db.t", ROWS)
        with query(1):
            assert loaded(empty)() == []
        empty.append(rows(2))
        with pytest.raises(CommitConflictError):
            overwriting(empty, 1, 10)

    def test_are_made_where_nothing_came(self, table):
        with query(1):
            loaded(table)()
        overwriting(table, 1, 10)
        assert ids(table) == [10]

    def test_do_not_conflict_with_what_other_queries_read(self, table):
        with query(1):
            loaded(table)()
        table.append(rows(2))
        overwriting(table, 11, 10)
        assert ids(table) == [10]

    def test_do_not_conflict_with_a_snapshot_that_was_chosen(self, table):
        first = table.snapshots()[0].snapshot_id
        table.append(rows(2))
        with query(1):
            loaded(table, snapshot_id=str(first))()
        overwriting(table, 1, 10)
        assert ids(table) == [10]

    def test_are_validated_from_where_an_option_says(self, table):
        first = table.snapshots()[0].snapshot_id
        table.append(rows(2))
        with pytest.raises(CommitConflictError):
            overwriting(table, 1, 10, validate_from_snapshot_id=str(first))
        overwriting(
            table, 1, 10, validate_from_snapshot_id=str(table.refresh().current_snapshot().snapshot_id)
        )
        assert ids(table) == [10]

    @pytest.mark.parametrize("told", ["by a task", "by an option", "by nothing"])
    def test_are_validated_from_the_newest_frame_only_where_nothing_says_what_was_read(
        self, tmp_path, table, told
    ):
        older = branch_read(table.scan())
        assert older is not None
        record_frame(older, str(tmp_path / "blocks"))
        table.append(rows(2))
        options = {}
        if told == "by a task":
            with query(1):
                assert loaded(table)() == [1, 2]
        elif told == "by an option":
            options = {"validate_from_snapshot_id": str(table.refresh().current_snapshot().snapshot_id)}
        else:
            with pytest.raises(CommitConflictError):
                overwriting(table, 1, 10)
            return
        overwriting(table, 1, 10, **options)
        assert ids(table) == [10]
