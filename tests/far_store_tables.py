"""Tables in a store for tests, and the catalogs in front of them."""

from __future__ import annotations

import uuid
from pathlib import Path

import numpy as np
import pyarrow as pa

import floeberg as fb
from far_store import FarStore

BUCKET = "bucket"


class Place:
    """A folder of the store, with a catalog in front."""

    def __init__(self, far: FarStore, folder: Path, **options: str) -> None:
        self.far = far
        self.options = far.options | options
        self.folder = f"s3://{BUCKET}/{uuid.uuid4().hex}"
        self._uri = f"sqlite:///{folder}/catalog.db"
        self.catalog(**options).create_namespace("db")

    def catalog(self, **options: str) -> fb.Catalog:
        """The catalog, whose tables have these options too. A process keeps no file for it: its options are its own."""
        properties = {"uri": self._uri, "warehouse": self.folder} | self.options | fresh() | options
        return fb.load_catalog("far", type="sql", **properties)

    def open(self, name: str = "t", **options: str) -> fb.Table:
        """A table that remembers nothing."""
        return self.catalog(**options).load_table(f"db.{name}")

    def files(self, *, count: int = 40, version: int = 2, rows: int = 10, **properties: str) -> fb.Table:
        """A table `t` of so many small files, each of a partition, in one manifest."""
        numbers = np.arange(count * rows)
        data = pa.table(
            {"id": numbers, "part": (numbers // rows).astype("int32"), "s": [f"s{each}" for each in numbers]}
        )
        table = self.catalog().create_table(
            "db.t",
            data.schema,
            partition_spec=["part"],
            format_version=version,
            properties={"write.target-file-size-bytes": str(1 << 30), **properties},
        )
        table.append(data)
        assert len(self.open().scan().plan_files()) == count
        return self.open()

    def large(self, *, count: int = 3, columns: int = 3, rows: int = 1 << 18, groups: int = 2) -> fb.Table:
        """A table `t` of files whose values no codec makes smaller, of `8 * columns * rows` bytes each."""
        schema = pa.schema({f"c{each}": pa.int64() for each in range(columns)})
        properties = {"write.parquet.row-group-limit": str(rows // groups)}
        table = self.catalog().create_table("db.t", schema, properties=properties)
        for number in range(count):
            table.append(drawn(schema, rows, number))
        assert len(self.open().scan().plan_files()) == count
        return self.open()


def fresh() -> dict[str, str]:
    """Options that nobody else has, so that nothing is kept for them yet."""
    return {"tests.reader": uuid.uuid4().hex}


def drawn(schema: pa.Schema, rows: int, seed: int) -> pa.Table:
    """Rows of numbers, the same for the same seed."""
    random = np.random.default_rng(seed)
    columns = [random.integers(-(2**62), 2**62, rows) for _ in schema]
    return pa.table(columns, schema=schema)
