"""A stream as Spark drives it, in one process and without a JVM; and tables that change under it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyspark
import pyspark.sql.types as spark
from pyspark.sql.datasource import CaseInsensitiveDict
from pyspark.sql.pandas.types import to_arrow_schema

import floeberg as fb
from floeberg.spark.datasource import FloebergDataSource
from floeberg.spark.stream import writer
from lifecycle import ZONE, loaded, sent

SCHEMA = spark.StructType(
    [spark.StructField("id", spark.LongType()), spark.StructField("part", spark.StringType())]
)
QUERY = "00000000-0000-0000-0000-000000000001"
FIELDS = pa.schema({"id": pa.int64(), "part": pa.string()})


def table_in(folder: Path, schema: pa.Schema = FIELDS, **arguments: Any) -> fb.Table:
    """An empty table in a folder."""
    catalog = fb.load_catalog("streams", type="filesystem", warehouse=str(folder))
    catalog.create_namespace_if_not_exists("db")
    return catalog.create_table("db.t", schema, **arguments)


def rows(*numbers: int) -> pa.Table:
    return pa.table({"id": list(numbers), "part": [str(number % 3) for number in numbers]}, FIELDS)


def append(table: fb.Table, *numbers: int) -> int:
    """Appends a file of rows, and gives its snapshot."""
    return table.append(rows(*numbers)).snapshot_id


def files(table: fb.Table, *groups: list[int]) -> int:
    """Appends a file for each group of rows, in one snapshot."""
    recipe = table.write_recipe()
    receipts = [recipe.write(rows(*group), task=str(at), partition=at) for at, group in enumerate(groups)]
    return table.commit_receipts(receipts).snapshot_id


def forge(table: fb.Table, change: Callable[[dict[str, Any]], None]) -> None:
    """Writes the next metadata file of a table, changed as no method of ours changes it."""
    table.refresh()
    place = Path(table.metadata_location.removeprefix("file://"))
    metadata = json.loads(place.read_bytes())
    change(metadata)
    version = int(place.name.partition(".")[0].removeprefix("v")) + 1
    (place.parent / f"v{version}.metadata.json").write_text(json.dumps(metadata))
    (place.parent / "version-hint.text").write_text(str(version))
    table.refresh()


def expire(table: fb.Table, *snapshots: int) -> None:
    """Expires snapshots. Their files stay."""

    def change(metadata: dict[str, Any]) -> None:
        metadata["snapshots"] = [
            each for each in metadata["snapshots"] if each["snapshot-id"] not in snapshots
        ]
        metadata["snapshot-log"] = [
            each for each in metadata.get("snapshot-log", []) if each["snapshot-id"] not in snapshots
        ]

    forge(table, change)


def rename_operation(table: fb.Table, snapshot: int, operation: str, *, keeps_counts: bool = True) -> None:
    """Makes a snapshot one of another operation. Its summary may lose its counts."""

    def change(metadata: dict[str, Any]) -> None:
        (found,) = (each for each in metadata["snapshots"] if each["snapshot-id"] == snapshot)
        counts = found["summary"] if keeps_counts else {}
        found["summary"] = {**counts, "operation": operation}

    forge(table, change)


class Stream:
    """A query: a reader, and the log of its batches, which outlives readers.

    Args:
        table: The table, or its place.
        options: The options of the read.
    """

    def __init__(self, table: fb.Table | str, **options: str) -> None:
        place = table if isinstance(table, str) else table.location()
        self.options = {"path": place} | {key.replace("_", "-"): value for key, value in options.items()}
        self.log: list[tuple[dict[str, Any], dict[str, Any], list[dict[str, Any]]]] = []
        self.restart()

    def restart(self, **options: str) -> Stream:
        """Goes on in a new process."""
        self.options |= {key.replace("_", "-"): value for key, value in options.items()}
        source, self.schema = loaded(self.options)
        self.reader = source.streamReader(schema=self.schema)
        self.start = self.log[-1][1] if self.log else self.reader.initialOffset()
        return self

    def batch(self, limit: object = None) -> list[dict[str, Any]] | None:
        """The rows of the next batch; `None` where there is none."""
        end = json.loads(json.dumps(self.reader.latestOffset(self.start, limit)))
        if end == self.start:
            return None
        found = self.between(self.start, end)
        self.log.append((self.start, end, found))
        self.start = end
        return found

    def all(self) -> list[dict[str, Any]]:
        """The rows of all batches until there is none."""
        found: list[dict[str, Any]] = []
        while (more := self.batch()) is not None:
            found += more
        return found

    def between(self, start: dict[str, Any], end: dict[str, Any]) -> list[dict[str, Any]]:
        """The rows between two offsets, as tasks read them."""
        expected = to_arrow_schema(self.schema, **ZONE)
        function = sent(self.reader)
        found = []
        for partition in sent(self.reader.partitions(start, end)):
            for batch in function.read(partition):
                assert expected.equals(batch.schema), f"expected {expected}, found {batch.schema}"
                batch.validate(full=True)
                found += batch.to_pylist()
        return found

    def ids(self) -> list[int]:
        """The ids of the rows of the next batch."""
        return sorted(row["id"] for row in self.batch() or [])


class Sink:
    """Runs batches of a query into a table.

    Args:
        table: The table.
        query: The id of the query, which tasks see.
        options: The options of the write.
    """

    def __init__(self, table: fb.Table, query: str | None = QUERY, **options: str) -> None:
        given = {key.replace("_", "-"): value for key, value in options.items()}
        self.options = {"path": table.location(), "checkpointLocation": "/checkpoint", **given}
        self.query, self.table, self.attempts = query, table, 0

    def writer(self, *, overwrite: bool = False, schema: spark.StructType = SCHEMA):
        source = sent(FloebergDataSource(CaseInsensitiveDict(self.options)))
        return source.streamWriter(schema=schema, overwrite=overwrite)

    def written(self, monkeypatch, *tasks: pa.Table, **how: Any) -> list[Any]:
        """The messages of tasks that wrote rows."""
        planned, messages = self.writer(**how), []
        for partition, each in enumerate(tasks):
            self.attempts += 1
            attempt = self.attempts
            context = SimpleNamespace(
                getLocalProperty=lambda _: self.query,
                taskAttemptId=lambda attempt=attempt: attempt,
                partitionId=lambda partition=partition: partition,
            )
            for place in (vars(writer), vars(pyspark)):
                monkeypatch.setitem(
                    place, "TaskContext", SimpleNamespace(get=lambda context=context: context)
                )
            messages.append(sent(sent(planned).write(iter(each.to_batches()))))
        return messages

    def run(self, monkeypatch, number: int, *tasks: pa.Table, **how: Any) -> None:
        messages = self.written(monkeypatch, *tasks, **how)
        self.writer(**how).commit(messages, number)
