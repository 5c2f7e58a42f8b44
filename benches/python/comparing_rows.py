"""What is measured of comparisons and checks: tables of 200 files, of which a thousand rows of ten files were updated.

A subject returns what is measured, which returns how many rows it gave.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

SCHEMA = pa.schema({"id": pa.int64(), "hash": pa.int64(), "amount": pa.float64(), "note": pa.string()})
FILES, CHANGED_FILES, CHANGED_ROWS = 200, 10, 1_000


def compared_table(folder: Path, version: int, rows: int) -> Path:
    """The folder of a warehouse with a table of 200 files, and its tags, made when it is not there.

    Args:
        folder: Where tables are kept.
        version: The format version.
        rows: The rows of all files.

    Returns:
        The folder. Tags: `start`; `copies`, where ten files were written again for their updated rows; `vectors`, where
        the updated rows were deleted and inserted; `compacted`, where pairs of files were joined.
    """
    import floeberg as fb

    place = folder / f"compared-v{version}-{rows}"
    if (place / "done").exists():
        return place
    shutil.rmtree(place, ignore_errors=True)
    catalog = fb.load_catalog("bench", **_properties(place))
    catalog.create_namespace("bench")
    table = catalog.create_table("bench.rows", SCHEMA, format_version=version)
    recipe, of_file = table.write_recipe(), rows // FILES
    receipts = [recipe.write(_batch(number * of_file, of_file), task=str(number)) for number in range(FILES)]
    table.commit_receipts(receipts)
    first = table.current_snapshot().snapshot_id
    step, each = FILES // CHANGED_FILES, CHANGED_ROWS // CHANGED_FILES
    changed = [
        start + row * (of_file // each)
        for start in range(0, FILES * of_file, step * of_file)
        for row in range(each)
    ]
    with table.manage_snapshots() as snapshots:
        snapshots.create_tag(first, "start")
        for branch in ("copies", "vectors", "compacted"):
            snapshots.create_branch(first, branch)
    ids = ", ".join(map(str, changed))
    modes: dict[str, Any] = {"copies": "copy-on-write", "vectors": "merge-on-read"}
    for branch, mode in modes.items():
        table.update({"amount": fb.sql_expr("amount + 1")}, f"id IN ({ids})", mode=mode, branch=branch)
    table.maintenance.rewrite_data_files(options={"rewrite-all": "true"}, branch="compacted")
    (place / "done").touch()
    return place


def _batch(first: int, rows: int) -> pa.Table:
    random = np.random.default_rng(first)
    ids = np.arange(first, first + rows, dtype=np.int64)
    columns = [ids, random.integers(0, 1_000_000, rows), random.random(rows)]
    note = pa.array(ids * 2654435761 % 2**32).cast(pa.string())
    return pa.table([*map(pa.array, columns), note], schema=SCHEMA)


def _properties(place: Path) -> dict[str, str]:
    place.mkdir(parents=True, exist_ok=True)
    return {"type": "sql", "uri": f"sqlite:///{place}/catalog.db", "warehouse": f"file://{place}/warehouse"}


def _table(location: str) -> Any:
    import floeberg as fb

    return fb.load_catalog("bench", **_properties(Path(location))).load_table("bench.rows")


def _difference(location: str, branch: str, **how: Any) -> int:
    diff = _table(location).diff("start", branch, **how)
    return sum(batch.num_rows for batch in diff.to_arrow_batch_reader())


def _difference(location: str, branch: str, **how: Any) -> Callable[[], int]:
    table = _table(location)
    diff = table.diff("start", branch, **how)
    return lambda: sum(batch.num_rows for batch in diff.to_arrow_batch_reader())


def copies(location: str) -> Callable[[], int]:
    """Compare with files that were written again, by lineage or by values."""
    return _difference(location, "copies")


def copies_by_key(location: str) -> Callable[[], int]:
    """The same by a key."""
    return _difference(location, "copies", key=["id"])


def vectors(location: str) -> Callable[[], int]:
    """Compare with rows that were deleted and inserted."""
    return _difference(location, "vectors")


def compacted(location: str) -> Callable[[], int]:
    """Compare with joined files."""
    diff = _table(location).diff("start", "compacted")
    return lambda: int(diff.has_changed_rows())


def read_both(location: str) -> Callable[[], int]:
    """Read all rows of both snapshots."""
    table = _table(location)
    return lambda: sum(
        batch.num_rows
        for ref in ("start", "copies")
        for batch in table.scan().use_ref(ref).to_arrow_batch_reader()
    )


def read(location: str) -> Callable[[], int]:
    """Read all rows of a snapshot."""
    table = _table(location)
    return lambda: sum(batch.num_rows for batch in table.scan().use_ref("start").to_arrow_batch_reader())


def check_rows(location: str) -> Callable[[], int]:
    """Check all rows of a snapshot against what its manifests say."""
    table = _table(location)

    def check() -> int:
        findings = list(table.check("rows", snapshot_id=table.snapshot_by_name("start").snapshot_id))
        assert not findings, findings
        return FILES

    return check
