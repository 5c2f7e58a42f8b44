"""Writes of Spark, step by step and in one process: what tasks, commit and abort do, in whatever order they are called.

The session's side of it is in `test_saving.py`.
"""

from __future__ import annotations

import pickle
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.datasource import CaseInsensitiveDict
from pyspark.sql.types import StructType

import floeberg as fb
from floeberg.errors import CommitConflictError, CommitStateUnknownError, FloebergError, InvalidInputError
from floeberg.spark.datasource import FloebergDataSource
from lifecycle import sent

ROWS = StructType().add("id", "long").add("part", "string")
BATCH = pa.schema([("id", pa.int64()), ("part", pa.string())])


class Orders:
    """A table that is partitioned by `part`, and writes to it."""

    def __init__(self, warehouse: Path) -> None:
        catalog = fb.load_catalog("spark", type="filesystem", warehouse=str(warehouse))
        catalog.create_namespace("db")
        self.table = catalog.create_table("db.orders", BATCH, partition_spec=["part"])
        self.folder = warehouse / "db" / "orders"

    def writer(self, *, overwrite: bool = False, schema: StructType = ROWS, **options: str) -> Any:
        """The writer, as it arrives where tasks run."""
        given = {"path": str(self.folder)} | {key.replace("_", "-"): value for key, value in options.items()}
        return sent(FloebergDataSource(CaseInsensitiveDict(given)).writer(schema, overwrite))

    def rows(self) -> list[tuple[int, str]]:
        """What is in the table now."""
        found = self.table.refresh().scan(selected_fields=("id", "part")).to_arrow()
        return sorted(zip(found["id"].to_pylist(), found["part"].to_pylist(), strict=True))

    def files(self) -> set[Path]:
        """The data files that there are, whether the table has them or not."""
        return set(self.folder.rglob("*.parquet"))


@pytest.fixture
def orders(tmp_path) -> Orders:
    """An empty table."""
    return Orders(tmp_path / "warehouse")


def batches(*rows: tuple[int, str]) -> Iterator[pa.RecordBatch]:
    """Rows, as Spark gives them: a batch a row."""
    for number, part in rows:
        yield pa.record_batch([[number], [part]], schema=BATCH)


def test_the_receipts_of_all_tasks_become_one_snapshot(orders):
    writer = orders.writer()
    messages = [sent(writer.write(batches((1, "a"), (2, "b")))), sent(writer.write(batches((3, "a"))))]
    assert orders.rows() == []
    sent(writer).commit(messages)
    assert orders.rows() == [(1, "a"), (2, "b"), (3, "a")]
    (snapshot,) = orders.table.snapshots()
    assert snapshot.operation == "append"


def test_only_files_of_messages_are_in_the_table(orders):
    writer = orders.writer()
    sent(writer.write(batches((1, "a"))))
    winner = sent(writer.write(batches((1, "a"))))
    writer.commit([winner])
    assert orders.rows() == [(1, "a")]
    assert len(orders.files()) == 2
    assert len(orders.table.inspect.files()) == 1


def test_files_are_named_by_partition_task_and_write(orders):
    writer = orders.writer()
    first, second = writer.write(batches((1, "a"))), orders.writer().write(batches((1, "a")))
    names = [Path(each.receipt.locations()[0]).name for each in (first, second)]
    shape = re.compile(r"\d{5}-[0-9a-f]+-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-\d{5}\.parquet")
    assert all(shape.fullmatch(name) for name in names), names
    assert names[0] != names[1]


def test_a_task_that_fails_leaves_no_file(orders):
    def failing() -> Iterator[pa.RecordBatch]:
        yield from batches(*((number, "abc"[number % 3]) for number in range(100)))
        raise ZeroDivisionError("the user's own")

    with pytest.raises(Exception, match="the user's own"):
        orders.writer().write(failing())
    assert orders.files() == set()


def test_a_commit_that_is_repeated_adds_nothing(orders):
    writer = orders.writer()
    messages = [writer.write(batches((1, "a")))]
    writer.commit(messages)
    sent(writer).commit(messages)
    assert orders.rows() == [(1, "a")]
    assert len(orders.table.snapshots()) == 1


def test_a_job_that_is_repeated_with_its_key_adds_nothing(orders):
    for _ in range(2):
        writer = orders.writer(idempotency_key="job-7")
        writer.commit([writer.write(batches((1, "a")))])
    assert orders.rows() == [(1, "a")]
    assert len(orders.files()) == 1


def test_abort_removes_what_tasks_wrote(orders):
    writer = orders.writer()
    messages = [sent(writer.write(batches((1, "a")))), None]
    assert len(orders.files()) == 1
    sent(writer).abort(messages)
    assert orders.files() == set()


def test_abort_after_a_commit_removes_nothing(orders):
    writer = orders.writer()
    messages = [sent(writer.write(batches((1, "a"))))]
    sent(writer).commit(messages)
    sent(writer).abort(messages)
    assert orders.rows() == [(1, "a")]


def test_an_empty_append_makes_a_snapshot_once(orders):
    for _ in range(2):
        writer = orders.writer(idempotency_key="nothing came")
        messages = [writer.write(batches()), writer.write(batches())]
        writer.commit(messages)
        sent(writer).commit(messages)
    assert len(orders.table.refresh().snapshots()) == 1
    assert orders.rows() == []


def test_an_empty_overwrite_takes_all_rows(orders):
    orders.table.append(pa.table([[1], ["a"]], schema=BATCH))
    writer = orders.writer(overwrite=True)
    writer.commit([writer.write(batches())])
    assert orders.rows() == []


@pytest.mark.parametrize(
    ("options", "left"),
    [
        ({}, [(9, "a")]),
        ({"overwrite_mode": "dynamic"}, [(2, "b"), (9, "a")]),
        ({"overwrite_filter": "part = 'a'"}, [(2, "b"), (9, "a")]),
    ],
)
def test_an_overwrite_replaces_what_its_mode_says(orders, options, left):
    orders.table.append(pa.table([[1, 2], ["a", "b"]], schema=BATCH))
    writer = orders.writer(overwrite=True, **options)
    writer.commit([writer.write(batches((9, "a")))])
    assert orders.rows() == left


def test_an_overwrite_does_not_hide_rows_that_came_since_it_began(orders):
    orders.table.append(pa.table([[1], ["a"]], schema=BATCH))
    writer = orders.writer(overwrite=True, overwrite_filter="part = 'a'", isolation_level="serializable")
    messages = [writer.write(batches((9, "a")))]
    orders.table.append(pa.table([[2], ["a"]], schema=BATCH))
    assert len(orders.files()) == 3
    with pytest.raises(CommitConflictError):
        sent(writer).commit(messages)
    assert orders.rows() == [(1, "a"), (2, "a")]
    sent(writer).abort(messages)
    assert orders.rows() == [(1, "a"), (2, "a")]
    # Nothing was committed, and that is known.
    assert len(orders.files()) == 2


def test_abort_removes_nothing_where_the_outcome_is_unknown(orders, monkeypatch):
    writer = orders.writer()
    messages = [sent(writer.write(batches((1, "a"))))]

    def lost(*_: object, **__: object) -> None:
        raise CommitStateUnknownError("the answer was lost")

    with monkeypatch.context() as patched:
        patched.setattr(type(orders.table), "commit_receipts", lost)
        with pytest.raises(CommitStateUnknownError):
            writer.commit(messages)
    sent(writer).abort(messages)
    assert len(orders.files()) == 1


def test_abort_removes_nothing_where_the_table_cannot_be_asked(orders):
    writer = orders.writer()
    messages = [sent(writer.write(batches((1, "a"))))]
    arrived = sent(writer)
    (orders.folder / "metadata").rename(orders.folder / "elsewhere")
    arrived.abort(messages)
    assert len(orders.files()) == 1


@pytest.mark.parametrize("of_spark", [True, False])
def test_a_commit_whose_outcome_is_known_leaves_no_mark(orders, tmp_path, monkeypatch, of_spark):
    marks = tmp_path / "marks"
    marks.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(marks))
    if of_spark:
        monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{marks},/nowhere")
    else:
        monkeypatch.delenv("SPARK_LOCAL_DIRS", raising=False)
    writer = orders.writer()
    writer.commit([writer.write(batches((1, "a")))])
    other = orders.writer(overwrite=True)
    messages = [other.write(batches((2, "a")))]
    orders.table.refresh().append(pa.table([[3], ["a"]], schema=BATCH))
    with pytest.raises(CommitConflictError):
        other.commit(messages)
    assert [each for each in marks.rglob("*") if each.is_file()] == []


def test_rows_that_do_not_fit_are_told_of_before_any_task_runs(orders):
    with pytest.raises(InvalidInputError) as caught:
        orders.writer(schema=StructType().add("id", "string").add("part", "string").add("more", "integer"))
    assert '"id"' in str(caught.value)
    assert '"more"' in str(caught.value)


def test_columns_are_found_in_any_order_and_case(orders):
    writer = orders.writer(schema=StructType().add("PART", "string").add("Id", "long"))
    rows = pa.record_batch([["a"], [1]], names=["PART", "Id"])
    writer.commit([writer.write(iter([rows]))])
    assert orders.rows() == [(1, "a")]


def test_new_columns_are_added_where_that_is_asked_for(orders):
    schema = StructType().add("id", "long").add("part", "string").add("note", "string")
    with pytest.raises(InvalidInputError, match='"note"'):
        orders.writer(schema=schema)
    writer = orders.writer(schema=schema, merge_schema="true")
    rows = pa.record_batch([[1], ["a"], ["new"]], names=["id", "part", "note"])
    writer.commit([writer.write(iter([rows]))])
    assert orders.table.refresh().scan().to_arrow()["note"].to_pylist() == ["new"]


def test_columns_that_are_too_narrow_are_promoted_where_that_is_asked_for(tmp_path):
    catalog = fb.load_catalog("narrow", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    fields = {"i": pa.int32(), "f": pa.float32(), "d": pa.decimal128(9, 2), "wide": pa.int64()}
    required = pa.schema([pa.field("id", pa.int64(), nullable=False), *pa.schema(fields)])
    table = catalog.create_table("db.narrow", required)
    kinds = {"id": "long", "i": "long", "f": "double", "d": "decimal(12,2)", "wide": "integer"}
    schema = StructType()
    for name, kind in kinds.items():
        schema = schema.add(name, kind)
    given = {"path": table.location()}
    with pytest.raises(InvalidInputError, match='column "f" is double, and float in the table'):
        FloebergDataSource(CaseInsensitiveDict(given)).writer(schema, overwrite=False)
    FloebergDataSource(CaseInsensitiveDict(given | {"merge-schema": "true"})).writer(schema, overwrite=False)
    merged = table.refresh().schema().fields
    assert {each.name: str(each.field_type) for each in merged} == kinds | {"wide": "long"}
    # The DataFrame's columns may be null, and those that are required stay so.
    assert merged[0].required


def test_a_message_is_small(orders):
    message = orders.writer().write(batches((1, "a" * 200)))
    assert len(pickle.dumps(message)) < 2_000


def test_snapshots_say_what_options_say(orders):
    writer = orders.writer(**{"snapshot-property.job": "nightly", "branch": "main"})
    writer.commit([writer.write(batches((1, "a")))])
    assert orders.table.refresh().current_snapshot().summary["job"] == "nightly"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"overwrite_mode": "some"}, "expected full, dynamic or filter"),
        ({"overwrite_mode": "filter"}, "'overwrite-filter' and 'overwrite-mode'"),
        ({"brunch": "x"}, "near matches: 'branch'"),
        ({"branch": ""}, "the option 'branch': expected a non-empty string"),
        ({"idempotency_key": " "}, "the option 'idempotency-key': expected a non-empty string"),
        ({"isolation_level": "loose"}, "expected serializable or snapshot, found 'loose'"),
        ({"isolation_level": "snapshot"}, "'isolation-level' is for overwrites, and this write appends"),
        ({"overwrite_mode": "dynamic"}, "'overwrite-mode' is for overwrites"),
        ({"overwrite_filter": "id = 1"}, "'overwrite-filter' is for overwrites"),
        ({"validate_from_snapshot_id": "7"}, "'validate-from-snapshot-id' is for overwrites"),
        ({"distribution_mode": "hash"}, "repartition the DataFrame"),
        ({"table": "db.orders"}, "both were given"),
    ],
)
def test_wrong_options_say_what_was_expected(orders, options, says):
    with pytest.raises(FloebergError, match=says):
        orders.writer(**options)
