"""What is measured of maintenance: tables are made once, and each run writes the files of a branch of its own again.

A subject returns how many rows it wrote.
"""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

SCHEMA = pa.schema({"id": pa.int64(), "hash": pa.int64(), "amount": pa.float64(), "note": pa.string()})
OF_HASH = 1_000_000
FILES = "data_files.txt"
"""Where the names of the data files are. Runs write others beside them."""
ALL = {"rewrite-all": "true"}


def table_of_files(folder: Path, files: int, rows: int) -> Path:
    """The folder of a warehouse with a table of so many files of so many rows, made when it is not there."""
    import floeberg as fb

    place = folder / f"maintenance-{files}-{rows}"
    if not (place / "done").exists():
        shutil.rmtree(place, ignore_errors=True)
        catalog = fb.load_catalog("bench", **_properties(place))
        catalog.create_namespace("bench")
        table = catalog.create_table("bench.rows", SCHEMA, format_version=2)
        recipe = table.write_recipe()
        table.commit_receipts([recipe.write(_batch(n * rows, rows), task=str(n)) for n in range(files)])
        paths = (task.file.file_path.removeprefix("file://") for task in table.scan().plan_files())
        (place / FILES).write_text("\n".join(paths))
        (place / "done").touch()
    return place


def bytes_of(location: Path) -> int:
    """How many bytes the files of the table have."""
    return sum(task.file.file_size_in_bytes for task in _table(str(location)).scan().plan_files())


def _batch(first: int, rows: int) -> pa.Table:
    random = np.random.default_rng(first)
    ids = np.arange(rows, dtype=np.int64) + first
    columns = [ids, random.integers(0, OF_HASH, rows), random.random(rows)]
    note = pa.array(ids * 2654435761 % 2**32).cast(pa.string())
    return pa.table([*map(pa.array, columns), note], schema=SCHEMA)


def _properties(place: Path) -> dict[str, str]:
    place.mkdir(parents=True, exist_ok=True)
    return {"type": "sql", "uri": f"sqlite:///{place}/catalog.db", "warehouse": f"file://{place}/warehouse"}


def _table(location: str) -> Any:
    import floeberg as fb

    return fb.load_catalog("bench", **_properties(Path(location))).load_table("bench.rows")


def _rewritten(location: str, **how: Any) -> int:
    """Write all files again, on a new branch."""
    table = _table(location)
    branch = f"run-{uuid.uuid4().hex}"
    with table.manage_snapshots() as snapshots:
        snapshots.create_branch(table.current_snapshot().snapshot_id, branch)
    done = table.maintenance.rewrite_data_files(options=ALL, branch=branch, **how)
    assert done.added_data_files_count > 0
    return int(table.snapshot_by_name(branch).summary["added-records"])


def floeberg_binpack(location: str) -> int:
    """Join the files."""
    return _rewritten(location)


def floeberg_sort(location: str) -> int:
    """Sort the rows of all files."""
    return _rewritten(location, sort_order="hash")


def floeberg_zorder(location: str) -> int:
    """Put the rows of all files in a z-order."""
    return _rewritten(location, sort_order="zorder(hash, amount)")


def floeberg_read_and_write(location: str) -> int:
    """Read all rows, and write them to files that nobody commits."""
    table = _table(location)
    recipe = table.write_recipe()
    receipt = recipe.write(table.scan().to_arrow_batch_reader(), task="0")
    recipe.remove(receipt)
    return int(receipt.rows)
