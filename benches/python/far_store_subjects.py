"""What is measured of a store that is far away: the same work by Floeberg and by its peers.

    far_store_subjects.py RUNS STORE SUBJECT...

runs subjects in turn in one process, after one run of each that does not count, and prints what each run took and
asked, as JSON. `STORE` is a file of JSON: where the store is, and what is in it. A subject returns how many rows it
found or changed. Only what it measures is imported, so that a peer may have an environment of its own.
"""

from __future__ import annotations

import json
import sys
import time
import urllib.request
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

BUCKET = "bucket"
KEYS = 1000
"""Rows of an upsert, half of them new."""


@dataclass(frozen=True)
class Store:
    """Where a store is, and its tables.

    Args:
        url: The server.
        folder: The folder of the catalog's database.
        many: The metadata of the table of many files.
        large: The same of the table of large files; empty where there is none.
        rows: The rows of the table of many files.
    """

    url: str
    folder: str
    many: str
    large: str
    rows: int

    @property
    def options(self) -> dict[str, str]:
        """As Floeberg and Polars name them."""
        return {
            "aws_access_key_id": "k",
            "aws_secret_access_key": "s",
            "aws_region": "us-east-1",
            "aws_endpoint": self.url,
            "aws_allow_http": "true",
        }

    @property
    def properties(self) -> dict[str, str]:
        """Of an SQL catalog, as PyIceberg and Floeberg name them."""
        return {
            "uri": f"sqlite:///{self.folder}/catalog.db",
            "warehouse": f"s3://{BUCKET}",
            "s3.endpoint": self.url,
            "s3.access-key-id": "k",
            "s3.secret-access-key": "s",
            "s3.region": "us-east-1",
        }

    def count(self) -> dict[str, Any]:
        """What was asked since the last time."""
        with urllib.request.urlopen(f"{self.url}/_counts") as answer:
            counts: dict[str, Any] = json.load(answer)
        return counts


def floeberg_rows(store: Store) -> int:
    """All rows of many files."""
    import floeberg as fb

    reader = (
        fb.open_table(store.many, storage_options=store.options | _fresh()).scan().to_arrow_batch_reader()
    )
    return sum(batch.num_rows for batch in reader)


def polars_rows(store: Store) -> int:
    """The same files, without a table."""
    return int(_polars(store, "many").collect().height)


def _polars(store: Store, table: str) -> Any:
    import polars as pl

    return pl.scan_parquet(f"s3://{BUCKET}/db/{table}/data/*.parquet", storage_options=store.options)


def pyiceberg_rows(store: Store) -> int:
    """All rows, as one table of Arrow."""
    return int(_static_table(store, store.many).scan().to_arrow().num_rows)


def _static_table(store: Store, metadata: str) -> Any:
    from pyiceberg.table import StaticTable

    return StaticTable.from_metadata(metadata, store.properties)


def duckdb_rows(store: Store) -> int:
    """All columns of the same files, which DuckDB keeps to itself."""
    return _duckdb(store, "many", "sum(id), sum(part), sum(v), max(s)")


def _duckdb(store: Store, table: str, columns: str) -> int:
    import duckdb

    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    place = Path(str(find_spec("duckdb_extension_httpfs").origin)).parent  # type: ignore[union-attr]
    (extension,) = place.glob("extensions/*/*.duckdb_extension")
    connection.load_extension(str(extension))
    endpoint = store.url.removeprefix("http://")
    connection.execute(
        f"CREATE SECRET (TYPE s3, KEY_ID 'k', SECRET 's', REGION 'us-east-1', ENDPOINT '{endpoint}', "
        "URL_STYLE 'path', USE_SSL false)"
    )
    files = f"s3://{BUCKET}/db/{table}/data/*.parquet"
    found = connection.execute(f"SELECT count(*), {columns} FROM read_parquet('{files}')").fetchall()
    return int(found[0][0])


def floeberg_part(store: Store) -> int:
    """The rows of one file, from the folder of the table."""
    import floeberg as fb

    table = fb.open_table(store.many.partition("/metadata/")[0], storage_options=store.options | _fresh())
    return int(table.scan(row_filter="part = 7").to_arrow().num_rows)


def floeberg_part_by_catalog(store: Store) -> int:
    """The rows of one file, from a catalog."""
    return int(_floeberg(store).load_table("db.many").scan(row_filter="part = 7").to_arrow().num_rows)


def _fresh() -> dict[str, str]:
    """An option that nobody else has: a process keeps small files for each set of options."""
    return {"bench.reader": uuid.uuid4().hex}


def _floeberg(store: Store) -> Any:
    import floeberg as fb

    return fb.load_catalog("bench", type="sql", **store.properties, **_fresh())


def polars_part(store: Store) -> int:
    """The same of the files."""
    import polars as pl

    return int(_polars(store, "many").filter(pl.col("part") == 7).collect().height)


def pyiceberg_part(store: Store) -> int:
    """The same, from the metadata."""
    return int(_static_table(store, store.many).scan(row_filter="part = 7").to_arrow().num_rows)


def floeberg_large(store: Store) -> int:
    """Three columns of large files."""
    import floeberg as fb

    scan = fb.open_table(store.large, storage_options=store.options | _fresh()).scan(
        selected_fields=("c0", "c4", "c8")
    )
    return sum(batch.num_rows for batch in scan.to_arrow_batch_reader())


def polars_large(store: Store) -> int:
    """The same of the files."""
    return int(_polars(store, "large").select("c0", "c4", "c8").collect().height)


def pyiceberg_large(store: Store) -> int:
    """The same, batch by batch."""
    scan = _static_table(store, store.large).scan(selected_fields=("c0", "c4", "c8"))
    return sum(batch.num_rows for batch in scan.to_arrow_batch_reader())


def duckdb_large(store: Store) -> int:
    """The same, which DuckDB keeps to itself."""
    return _duckdb(store, "large", "sum(c0), sum(c4), sum(c8)")


def floeberg_upsert(store: Store) -> int:
    """Upsert a thousand rows, on a branch of its own."""
    table = _floeberg(store).load_table("db.keys")
    done = table.upsert(_source(store), ["id"], branch=f"run-{uuid.uuid4().hex}")
    return int(done.rows_updated + done.rows_inserted)


def pyiceberg_upsert(store: Store) -> int:
    """The same, by copies: PyIceberg has no other way."""
    from pyiceberg.catalog.sql import SqlCatalog

    table: Any = SqlCatalog("bench", **store.properties).load_table("db.keys")
    branch = f"run-{uuid.uuid4().hex}"
    table.manage_snapshots().create_branch(table.current_snapshot().snapshot_id, branch).commit()
    done = table.upsert(_source(store), ["id"], branch=branch)
    return int(done.rows_updated + done.rows_inserted)


def _source(store: Store) -> Any:
    import numpy as np
    import pyarrow as pa

    known = np.random.default_rng(99).choice(store.rows, KEYS // 2, replace=False)
    ids = np.concatenate([known, np.arange(store.rows, store.rows + KEYS // 2)])
    texts = [f"new {each}" for each in ids]
    return pa.table(
        {"id": ids, "part": np.full(KEYS, -1, np.int32), "v": np.zeros(KEYS), "s": pa.array(texts)}
    )


def main(runs: int, store: Store, names: list[str]) -> None:
    """What the child does."""
    subjects: list[Callable[[Store], int]] = [globals()[name] for name in names]
    found: list[list[dict[str, Any]]] = [[] for _ in names]
    for _ in range(runs + 1):
        for at, subject in enumerate(subjects):
            store.count()
            clock, processor = time.perf_counter(), time.process_time()
            rows = subject(store)
            facts = {
                "seconds": time.perf_counter() - clock,
                "processor": time.process_time() - processor,
                "rows": rows,
            }
            found[at].append(facts | store.count())
    print(json.dumps([each[1:] or each for each in found]))


if __name__ == "__main__":
    main(int(sys.argv[1]), Store(**json.loads(Path(sys.argv[2]).read_text())), sys.argv[3:])
