"""What is measured of upserts: a table of 16 files is made once, and each run changes a branch of its own.

A subject returns how many rows it updated and inserted.
"""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from java_upserts import SOURCE

FILES = 16
# The source has one row for so many of the table; half of them are new.
SHARE = 100
SCHEMA = pa.schema({"id": pa.int64(), "hash": pa.int64(), "amount": pa.float64(), "note": pa.string()})


def upsert_table(folder: Path, rows: int, version: int) -> Path:
    """The folder of a warehouse with a table of so many rows, made when it is not there."""
    import pyarrow.parquet as pq

    import floeberg as fb

    place = folder / f"upsert-v{version}-{rows}"
    if not (place / SOURCE).exists():
        shutil.rmtree(place, ignore_errors=True)
        catalog = fb.load_catalog("bench", **_properties(place))
        catalog.create_namespace("bench")
        properties = {"write.merge.mode": "merge-on-read"} if version > 1 else {}
        table = catalog.create_table("bench.rows", SCHEMA, format_version=version, properties=properties)
        for number in range(FILES):
            first = number * (rows // FILES)
            table.append(batch(np.arange(first, first + rows // FILES, dtype=np.int64), number))
        # Last, so that a table that was begun is made again.
        pq.write_table(_new_rows(rows), place / SOURCE)
    return place


def batch(ids: Any, seed: int) -> pa.Table:
    """Rows with some ids, the same for the same seed."""
    random = np.random.default_rng(seed)
    columns = [ids, random.integers(0, 1_000_000, len(ids)), random.random(len(ids))]
    note = pa.array(ids * 2654435761 % 2**32).cast(pa.string())
    return pa.table([*map(pa.array, columns), note], schema=SCHEMA)


def _properties(place: Path) -> dict[str, str]:
    place.mkdir(parents=True, exist_ok=True)
    return {"type": "sql", "uri": f"sqlite:///{place}/catalog.db", "warehouse": f"file://{place}/warehouse"}


def _source(location: str) -> pa.Table:
    import pyarrow.parquet as pq

    # Not `read_table`, which imports pandas in its first call.
    return pq.ParquetFile(Path(location) / SOURCE).read()


def _new_rows(rows: int) -> pa.Table:
    """Rows of which half are in the table, without a pattern."""
    half = rows // SHARE // 2
    known = np.random.default_rng(99).choice(rows, half, replace=False)
    return batch(np.concatenate([known, np.arange(rows, rows + half)]), 100)


def for_java(place: Path) -> None:
    """Writes what Iceberg Java makes its table of."""
    from java_deletes import FILES as DATA_FILES

    tasks = _table(str(place)).scan().plan_files()
    files = (task.file.file_path.removeprefix("file://") for task in tasks)
    (place / DATA_FILES).write_text("\n".join(files))


def _branch() -> str:
    """A new branch, which begins at main, so that each run changes the same rows."""
    return f"run-{uuid.uuid4().hex}"


def _table(location: str) -> Any:
    import floeberg as fb

    return fb.load_catalog("bench", **_properties(Path(location))).load_table("bench.rows")


def floeberg_scan(location: str) -> int:
    """Scan the key column."""
    reader = _table(location).scan(selected_fields=("id",)).to_arrow_batch_reader()
    return sum(batch.num_rows for batch in reader)


def floeberg_upsert(location: str) -> int:
    """Upsert by vectors."""
    done = _table(location).upsert(_source(location), ["id"], branch=_branch())
    return int(done.rows_updated + done.rows_inserted)


def floeberg_merge(location: str) -> int:
    """Merge with three clauses."""
    merge = _table(location).merge(_source(location), on=["id"], branch=_branch())
    merge.when_matched_delete("source.amount < 0").when_matched_update_all().when_not_matched_insert_all()
    done = merge.execute()
    return int(done.updated_rows + done.inserted_rows)


def pyiceberg_upsert(location: str) -> int:
    """Upsert by copies: PyIceberg has no other way."""
    from pyiceberg.catalog.sql import SqlCatalog

    table = SqlCatalog("bench", **_properties(Path(location))).load_table("bench.rows")
    branch = _branch()
    table.manage_snapshots().create_branch(table.current_snapshot().snapshot_id, branch).commit()
    done = table.upsert(_source(location), ["id"], branch=branch)
    return int(done.rows_updated + done.rows_inserted)
