"""Streams from table to table that are stopped anywhere, while the tables change: no row is lost or doubled."""

from __future__ import annotations

import random

import pyarrow as pa
import pyspark.sql.datasource as pyspark_source
import pytest

import floeberg as fb
from streaming import FIELDS, Sink, Stream, append, expire, files, rename_operation, rows, table_in
from tiers import seeds

pytestmark = [
    pytest.mark.skipif(
        not hasattr(pyspark_source, "DataSourceStreamArrowWriter"),
        reason="PySpark 4.0 gives writers of streams no Arrow batches",
    ),
    pytest.mark.unchecked_tables("snapshots are expired and changed by hand"),
]

LIMITS = (
    {},
    {"streaming_max_files_per_micro_batch": "2"},
    {"streaming_max_rows_per_micro_batch": "3"},
    {"streaming_max_files_per_micro_batch": "1", "streaming_max_rows_per_micro_batch": "2"},
)


def ids(table: fb.Table) -> list[int]:
    return sorted(table.refresh().scan().to_arrow()["id"].to_pylist())


class Run:
    """A query whose driver may stop anywhere.

    Args:
        source: The table that is read.
        sink: The table that is written.
        chance: What decides.
        monkeypatch: Makes tasks of what runs here.
    """

    def __init__(self, source: fb.Table, sink: fb.Table, chance: random.Random, monkeypatch) -> None:
        self.chance, self.monkeypatch = chance, monkeypatch
        self.stream = Stream(source, **chance.choice(LIMITS))
        self.sink = Sink(sink)
        self.committed = 0
        """How many batches Spark noted as done."""

    def restart(self) -> None:
        """Starts the query again: the batch that was not noted runs again, as the log of offsets says."""
        for option in ("streaming_max_files_per_micro_batch", "streaming_max_rows_per_micro_batch"):
            self.stream.options.pop(option.replace("_", "-"), None)
        self.stream.restart(**self.chance.choice(LIMITS))
        if self.committed < len(self.stream.log):
            start, end, found = self.stream.log[-1]
            again = self.stream.between(start, end)
            assert again == found
            self.write(again)

    def batch(self) -> bool:
        """Runs a batch. Was there one?"""
        found = self.stream.batch()
        if found is not None:
            self.write(found)
        return found is not None

    def write(self, found: list[dict]) -> None:
        """Writes a batch, or stops before, in the middle, or before it is noted."""
        number, given = len(self.stream.log) - 1, pa.Table.from_pylist(found, FIELDS)
        stops = self.chance.choice(("", "", "", "tasks", "commit", "note"))
        if stops == "tasks":
            return
        cut = self.chance.randrange(given.num_rows + 1)
        messages = self.sink.written(self.monkeypatch, given.slice(0, cut), given.slice(cut))
        if stops == "commit":
            return
        self.sink.writer().commit(messages, number)
        if stops != "note":
            self.committed = number + 1

    def end(self) -> None:
        """Runs until there is nothing to read and nothing to note."""
        for _ in range(200):
            if self.committed < len(self.stream.log):
                self.restart()
            elif not self.batch():
                return
        pytest.fail("the query does not end")


@pytest.mark.parametrize("seed", seeds(range(12), 6))
def test_no_row_is_lost_or_doubled(tmp_path, monkeypatch, seed):
    monkeypatch.setenv("SPARK_LOCAL_DIRS", str(tmp_path / "local"))
    chance = random.Random(seed)
    version = chance.choice(("1", "2", "3"))
    source = table_in(tmp_path / "source", properties={"format-version": version})
    sink = table_in(tmp_path / "sink")
    run, number = Run(source, sink, chance, monkeypatch), 0
    for _ in range(14):
        done = chance.choice(
            ("append", "append", "files", "empty", "compact", "run", "run", "restart", "expire", "sink")
        )
        if done == "append":
            append(source, *range(number, number + 3))
            number += 3
        elif done == "files":
            groups = [[number + at] for at in range(chance.randrange(1, 5))]
            files(source, *groups)
            number += len(groups)
        elif done == "empty":
            source.append(rows(), {"why": "a snapshot is asked for"})
        elif done == "compact" and (there := source.scan().to_arrow()).num_rows:
            rename_operation(source, source.overwrite(there).snapshot_id, "replace")
        elif done == "expire" and run.committed == len(run.stream.log) and run.stream.start["complete"]:
            # What was read, and nothing else.
            line, at = [], run.stream.start["snapshot_id"]
            known = {each.snapshot_id: each for each in source.snapshots()}
            while at in known:
                line.append(at)
                at = known[at].parent_snapshot_id
            head = source.current_snapshot().snapshot_id
            expire(source, *(each for each in line if each != head))
        elif done == "sink":
            sink.refresh().append(rows(1_000_000 + len(sink.snapshots())))
        elif run.committed < len(run.stream.log) or done == "restart":
            run.restart()
        else:
            run.batch()
    run.end()
    assert [each for each in ids(sink) if each < 1_000_000] == list(range(number))
