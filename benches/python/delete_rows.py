"""What is measured of deletes: tables are made once, and each run deletes from a branch of its own.

A subject returns how many rows it deleted.
"""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from programs import planning_table

FILES = 8
KEYS = 1_000_000
SCHEMA = pa.schema({"id": pa.int64(), "hash": pa.int64(), "amount": pa.float64(), "note": pa.string()})
# One row in twenty, without a pattern.
SCATTERED = "hash < 50000"
OF_HASH = 1_000_000
# Of a table of many files, whose ids are positive but for those of the last.
KEY = -1


def delete_table(folder: Path, rows: int, version: int) -> Path:
    """The folder of a warehouse with a table of so many rows, made when it is not there."""
    import floeberg as fb

    place = folder / f"delete-v{version}-{rows}"
    if not (place / "done").exists():
        shutil.rmtree(place, ignore_errors=True)
        catalog = fb.load_catalog("bench", **_properties(place))
        catalog.create_namespace("bench")
        table = catalog.create_table("bench.rows", SCHEMA, format_version=version)
        for number in range(FILES):
            table.append(_batch(number, rows // FILES))
        files = (task.file.file_path.removeprefix("file://") for task in table.scan().plan_files())
        (place / "data_files.txt").write_text("\n".join(files))
        (place / "done").touch()
    return place


def many_table(folder: Path, files: int) -> Path:
    """The folder of a warehouse with a table of so many files, which do not exist, and one more with the key."""
    import floeberg as fb

    place = folder / f"delete-many-{files}"
    if not (place / "done").exists():
        shutil.rmtree(place, ignore_errors=True)
        catalog = fb.load_catalog("bench", **_properties(place))
        catalog.create_namespace("bench")
        made = planning_table(place, files, **{"format-version": "3"})
        table = catalog.register_table("bench.rows", f"file://{made}")
        table.append(pa.table({"id": pa.array([KEY, KEY - 1])}))
        (place / "done").touch()
    return place


def _batch(number: int, rows: int) -> pa.Table:
    random = np.random.default_rng(number)
    columns = [
        np.arange(rows, dtype=np.int64) + number * rows,
        random.integers(0, OF_HASH, rows),
        random.random(rows),
    ]
    note = pa.array(columns[0] * 2654435761 % 2**32).cast(pa.string())
    return pa.table([*map(pa.array, columns), note], schema=SCHEMA)


def _properties(place: Path) -> dict[str, str]:
    place.mkdir(parents=True, exist_ok=True)
    return {"type": "sql", "uri": f"sqlite:///{place}/catalog.db", "warehouse": f"file://{place}/warehouse"}


def _branch() -> str:
    """A new branch, which begins at main, so that each run deletes from the same rows."""
    return f"run-{uuid.uuid4().hex}"


def _table(location: str) -> Any:
    import floeberg as fb

    return fb.load_catalog("bench", **_properties(Path(location))).load_table("bench.rows")


def floeberg_scan(location: str) -> int:
    """Scan the column of the filter, to count the rows."""
    reader = _table(location).scan(SCATTERED, selected_fields=("hash",)).to_arrow_batch_reader()
    return sum(batch.num_rows for batch in reader)


def floeberg_delete(location: str) -> int:
    """Delete by vectors."""
    table = _table(location)
    return table.delete(SCATTERED, mode="merge-on-read", branch=_branch()).deleted_rows


def floeberg_plan_key(location: str) -> int:
    """Plan a scan of one key, with nothing kept from before."""
    return len(_table(location).scan(f"id = {KEY}").plan_files())


def floeberg_delete_key(location: str) -> int:
    """Delete one key by a vector."""
    return _table(location).delete(f"id = {KEY}", mode="merge-on-read", branch=_branch()).deleted_rows


def floeberg_copy(location: str) -> int:
    """Delete by copies."""
    table = _table(location)
    return table.delete(SCATTERED, mode="copy-on-write", branch=_branch()).deleted_rows


def floeberg_read_and_write(location: str) -> int:
    """Read the rows that stay, and write them to files that nobody commits."""
    table = _table(location)
    recipe = table.write_recipe()
    scan = table.scan(f"NOT ({SCATTERED})")
    receipt = recipe.write(scan.to_arrow_batch_reader(), task="0")
    recipe.remove(receipt)
    return table.scan().count() - receipt.rows


def pyiceberg_copy(location: str) -> int:
    """Delete by copies: PyIceberg has no other way."""
    from pyiceberg.catalog.sql import SqlCatalog
    from pyiceberg.expressions import LessThan

    table = SqlCatalog("bench", **_properties(Path(location))).load_table("bench.rows")
    before = table.scan().count()
    branch = _branch()
    table.manage_snapshots().create_branch(table.current_snapshot().snapshot_id, branch).commit()
    table.delete(LessThan("hash", 50_000), branch=branch)
    return int(before - table.scan().use_ref(branch).count())


def floeberg_keys(location: str) -> int:
    """Write a million keys as an equality delete file."""
    table = _table(location)
    recipe = table.row_delta_recipe(key_columns=["id"])
    receipt = recipe.delete_keys(_keys(), task="0")
    recipe.remove(receipt)
    return KEYS


def pyarrow_keys(location: str) -> int:
    """Write the same keys as plain Parquet."""
    import pyarrow.parquet as pq

    path = Path(location) / "keys.parquet"
    pq.write_table(_keys(), path, compression="zstd")
    path.unlink()
    return KEYS


def _keys() -> pa.Table:
    return pa.table({"id": np.random.default_rng(7).permutation(KEYS).astype(np.int64)})
