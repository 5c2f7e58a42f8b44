"""Appending the same rows to a new table in 16 buckets, by Floeberg and by PyIceberg, each in a catalog of its own."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa

BUCKETS = 16
BATCH = 128 * 1024
# What both would choose otherwise differs: the level of zstandard, and what ends a row group.
PROPERTIES = {
    "write.parquet.compression-codec": "zstd",
    "write.parquet.compression-level": "3",
    "write.parquet.row-group-size-bytes": str(512 << 20),
    "write.parquet.row-group-limit": str(1 << 30),
}
ORC_CODEC = "zlib"
SCHEMA = pa.schema(
    {
        "id": pa.int64(),
        "ts": pa.timestamp("us"),
        "category": pa.string(),
        "amount": pa.float64(),
        "quantity": pa.int32(),
        "name": pa.string(),
    }
)


def source(folder: Path, rows: int) -> Path:
    """A folder with the rows as an Arrow stream, made when it is not there."""
    made = folder / f"append-{rows}"
    if not (made / "rows.arrows").exists():
        made.mkdir(parents=True, exist_ok=True)
        with pa.ipc.new_stream(made / "rows.arrows.part", SCHEMA) as sink:
            for start in range(0, rows, BATCH):
                sink.write_batch(batch(start, min(BATCH, rows - start)))
        (made / "rows.arrows.part").rename(made / "rows.arrows")
    return made


def batch(start: int, rows: int) -> pa.RecordBatch:
    """Rows from a number on, the same in every run."""
    random = np.random.default_rng(start)
    numbers = np.arange(start, start + rows, dtype=np.int64)
    categories = pa.array([f"category-{number}" for number in range(100)])
    columns = [
        pa.array(numbers),
        pa.array(1_600_000_000_000_000 + numbers * 1000, pa.timestamp("us")),
        categories.take(pa.array(random.integers(0, 100, rows))),
        pa.array(random.integers(0, 1_000_000, rows) / 100),
        pa.array(random.integers(0, 100, rows).astype(np.int32)),
        pa.array(numbers * 2654435761 % 2**32).cast(pa.string()),
    ]
    return pa.record_batch(columns, schema=SCHEMA)


def floeberg_append(location: str) -> int:
    """Append a stream."""
    import floeberg as fb

    catalog = fb.load_catalog("bench", **_properties(Path(location), "floeberg"))
    catalog.create_namespace("bench")
    partition = [f"bucket({BUCKETS}, id)"]
    table = catalog.create_table("bench.rows", SCHEMA, partition_spec=partition, properties=PROPERTIES)
    with pa.OSFile(f"{location}/rows.arrows") as file, pa.ipc.open_stream(file) as reader:
        table.append(reader)
    return table.scan().count()


def floeberg_orc(location: str) -> int:
    """Append a stream to a table of ORC files."""
    import floeberg as fb

    catalog = fb.load_catalog("bench", **_properties(Path(location), "floeberg"))
    catalog.create_namespace("bench")
    properties = {"write.format.default": "orc", "write.orc.compression-codec": ORC_CODEC}
    table = catalog.create_table("bench.rows", SCHEMA, properties=properties)
    with pa.OSFile(f"{location}/rows.arrows") as file, pa.ipc.open_stream(file) as reader:
        table.append(reader)
    return table.scan().count()


def pyarrow_orc(location: str) -> int:
    """Write a stream as one ORC file."""
    from pyarrow import orc

    path = Path(location) / "rows.orc"
    with (
        pa.OSFile(f"{location}/rows.arrows") as file,
        pa.ipc.open_stream(file) as reader,
        orc.ORCWriter(str(path), compression=ORC_CODEC) as writer,
    ):
        for each in reader:
            writer.write(pa.Table.from_batches([each]))
    found: int = orc.ORCFile(str(path)).nrows
    path.unlink()
    return found


def pyiceberg_append(location: str) -> int:
    """Append what was read: PyIceberg partitions tables, not streams."""
    from pyiceberg.catalog.sql import SqlCatalog
    from pyiceberg.transforms import BucketTransform

    catalog = SqlCatalog("bench", **_properties(Path(location), "pyiceberg"))
    catalog.create_namespace("bench")
    table = catalog.create_table("bench.rows", schema=SCHEMA, properties=PROPERTIES)
    with table.update_spec() as update:
        update.add_field("id", BucketTransform(BUCKETS), "id_bucket")
    with pa.OSFile(f"{location}/rows.arrows") as file, pa.ipc.open_stream(file) as reader:
        table.append(reader.read_all())
    return int(table.scan().count())


def _properties(location: Path, who: str) -> dict[str, str]:
    """The properties of a new catalog."""
    folder = location / who
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return {
        "type": "sql",
        "uri": f"sqlite:///{folder}/catalog.db",
        "warehouse": f"file://{folder}/warehouse",
    }
