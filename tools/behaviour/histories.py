"""Histories of tables that are the same every time, and what they leave: metadata, manifests, footers."""

from __future__ import annotations

import datetime as dt
import decimal
import random
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import floeberg
from behaviour.normal import Names
from conformance_checker.avro import plain_json, read

COUNT = 30
SCHEMA = pa.schema(
    {
        "id": pa.int64(),
        "name": pa.string(),
        "amount": pa.decimal128(12, 2),
        "score": pa.float64(),
        "at": pa.timestamp("us", tz="UTC"),
        "day": pa.date32(),
        "point": pa.struct({"x": pa.int32(), "tags": pa.list_(pa.string())}),
    }
)
SPECS = [[], ["name"], ["day(at)"], ["bucket(4, id)", "truncate(2, name)"], ["month(day)", "name"]]
SORTS = [[], ["id"], ["name", "score desc"]]
PROPERTIES = [
    {},
    {"commit.manifest.min-count-to-merge": "2"},
    {"write.metadata.metrics.default": "full", "write.parquet.compression-codec": "snappy"},
    {"write.metadata.previous-versions-max": "3", "write.distribution-mode": "hash"},
    {"commit.manifest-merge.enabled": "false", "write.target-file-size-bytes": "4096"},
]
BEGIN = dt.datetime(2024, 1, 30, tzinfo=dt.timezone.utc)


def rows(random_: random.Random, schema: pa.Schema) -> pa.Table:
    """Rows for the columns that a table has now."""
    count = random_.choice([1, 3, 40])
    made: list[dict[str, Any]] = []
    for _ in range(count):
        number = random_.randrange(1000)
        row = {
            "id": number,
            "name": random_.choice(["ann", "bob", "a much longer name of somebody", None]),
            "amount": decimal.Decimal(number) / 4,
            "score": random_.choice([0.5, -0.0, float("nan"), None, number / 7]),
            "at": BEGIN + dt.timedelta(hours=number),
            "day": (BEGIN + dt.timedelta(days=number % 60)).date(),
            "point": {"x": number % 9, "tags": ["t", None][: number % 3]},
        }
        made.append({name: row.get(name, number % 5) for name in schema.names})
    return pa.Table.from_pylist(made, schema)


def step(table: Any, random_: random.Random, schema: pa.Schema, number: int) -> pa.Schema:
    """Do something; return the columns afterwards."""
    action = random_.choice(
        ["append"] * 4 + ["overwrite", "replace", "delete", "dynamic", "columns", "other", "many"]
    )
    filters = ["id < 200", "name = 'ann'", "name is null", "id >= 500 and id < 600", "score is nan"]
    if action == "append":
        table.append(rows(random_, schema))
    elif action == "overwrite":
        table.overwrite(rows(random_, schema))
    elif action == "replace":
        table.overwrite(rows(random_, schema), overwrite_filter=random_.choice(filters))
    elif action == "delete":
        table.delete(random_.choice(filters))
    elif action == "dynamic" and table.spec().fields:
        table.dynamic_partition_overwrite(rows(random_, schema))
    elif action == "columns":
        with table.update_schema() as update:
            update.add_column(f"extra_{number}", "long", doc="more")
        schema = schema.append(pa.field(f"extra_{number}", pa.int64()))
    elif action == "other":
        table.set_properties({"owner": f"somebody {number}"})
    elif action == "many":
        with table.transaction() as transaction:
            transaction.append(rows(random_, schema))
            transaction.set_properties({"within": str(number)})
            transaction.append(rows(random_, schema))
    return schema


def tried(table: Any, random_: random.Random, schema: pa.Schema, at: int) -> tuple[pa.Schema, str]:
    """Do a step; return the columns afterwards, and the class of the error where there is one."""
    try:
        return step(table, random_, schema, at), "done"
    except floeberg.FloebergError as error:
        return schema, type(error).__name__


def history(number: int) -> dict[str, Any]:
    """What a history leaves, with neutral names for ids, times and places."""
    random_ = random.Random(number)
    with tempfile.TemporaryDirectory() as folder:
        catalog = floeberg.load_catalog(
            "c", type="sql", uri=f"sqlite:///{folder}/c.db", warehouse=f"file://{folder}/w"
        )
        catalog.create_namespace("db")
        table = catalog.create_table(
            "db.t",
            SCHEMA,
            partition_spec=random_.choice(SPECS),
            sort_order=random_.choice(SORTS),
            properties={"format-version": str(1 + number % 3), **random_.choice(PROPERTIES)},
        )
        outcomes, schema = [], SCHEMA
        for at in range(random_.randrange(6, 14)):
            schema, outcome = tried(table, random_, schema, at)
            outcomes.append(outcome)
        left = files_of(table.metadata_location, Names(folder))
        shown = table.scan().to_arrow().to_pylist()
        return {"outcomes": outcomes, **left, "rows": sorted(map(repr, shown))}


def files_of(location: str, names: Names) -> dict[str, Any]:
    """The metadata, manifest lists, manifests and footers that can be reached from a metadata file."""
    metadata = plain_json(content(location))
    for snapshot in sorted(metadata["snapshots"], key=lambda each: each.get("sequence-number", 0)):
        names.know(snapshot["snapshot-id"])
    found: dict[str, Any] = {"metadata": names.neutral(metadata), "lists": {}, "manifests": {}, "footers": {}}
    for snapshot in metadata["snapshots"]:
        listed = snapshot["manifest-list"]
        manifests = read(content(listed))
        found["lists"][names.place(listed)] = avro(manifests, names)
        for manifest in manifests.rows:
            path = manifest["manifest_path"]
            if names.place(path) in found["manifests"]:
                continue
            entries = read(content(path))
            found["manifests"][names.place(path)] = avro(entries, names)
            for entry in entries.rows:
                place = entry["data_file"]["file_path"]
                footer = pq.read_metadata(place.removeprefix("file://"))
                found["footers"][names.place(place)] = names.neutral(of_footer(footer))
    return found


def avro(file: Any, names: Names) -> Any:
    """What an Avro file says, apart from its size."""
    return names.neutral({"schema": file.schema, "metadata": file.metadata, "rows": file.rows})


def of_footer(footer: pq.FileMetaData) -> dict[str, Any]:
    """What a footer says."""
    told = footer.to_dict()
    told["schema"] = str(footer.schema)
    told["keys"] = {key.decode(): value.decode() for key, value in (footer.metadata or {}).items()}
    return told


def content(location: str) -> bytes:
    """The bytes at a location."""
    return Path(location.removeprefix("file://")).read_bytes()


def record() -> dict[str, Any]:
    """All histories."""
    return {f"history {number}": history(number) for number in range(COUNT)}
