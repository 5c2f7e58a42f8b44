"""What is measured of changelogs: a table of a hundred snapshots, made once.

A subject returns how many rows it gave.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

SNAPSHOTS = 100
SCHEMA = pa.schema({"id": pa.int64(), "hash": pa.int64(), "amount": pa.float64(), "note": pa.string()})


def changelog_table(folder: Path, variant: str, rows: int) -> Path:
    """The folder of a warehouse with a table to which snapshots of so many rows were appended, and more.

    Args:
        folder: Where tables are kept.
        variant: `appends`; `vectors`, where every other snapshot deletes a tenth of the rows of the file before it; or
            `copies`, where it copies the nine tenths that stay.
        rows: The rows of an append.
    """
    import floeberg as fb

    place = folder / f"changelog-{variant}-{rows}"
    if (place / "done").exists():
        return place
    shutil.rmtree(place, ignore_errors=True)
    catalog = fb.load_catalog("bench", **_properties(place))
    catalog.create_namespace("bench")
    table = catalog.create_table("bench.rows", SCHEMA, format_version=2 if variant == "copies" else 3)
    mode: Any = "copy-on-write" if variant == "copies" else "merge-on-read"
    table.append(_batch(-rows, rows))
    for number in range(SNAPSHOTS):
        if variant == "appends" or number % 2 == 0:
            table.append(_batch(number * rows, rows))
        else:
            first = (number - 1) * rows
            table.delete(f"id >= {first} AND id < {first + rows} AND hash < 100000", mode=mode)
    (place / "done").touch()
    return place


def _batch(first: int, rows: int) -> pa.Table:
    random = np.random.default_rng(abs(first))
    ids = np.arange(first, first + rows, dtype=np.int64)
    columns = [ids, random.integers(0, 1_000_000, rows), random.random(rows)]
    note = pa.array(abs(ids) * 2654435761 % 2**32).cast(pa.string())
    return pa.table([*map(pa.array, columns), note], schema=SCHEMA)


def _properties(place: Path) -> dict[str, str]:
    place.mkdir(parents=True, exist_ok=True)
    return {"type": "sql", "uri": f"sqlite:///{place}/catalog.db", "warehouse": f"file://{place}/warehouse"}


def _changes(location: str) -> Any:
    import floeberg as fb

    table = fb.load_catalog("bench", **_properties(Path(location))).load_table("bench.rows")
    return table.changelog_scan(table.history()[0].snapshot_id)


def floeberg_changelog(location: str) -> int:
    """Read the changes of all snapshots but the first."""
    return sum(batch.num_rows for batch in _changes(location).to_arrow_batch_reader())


def pyarrow_files(location: str) -> int:
    """Read the files that the changelog names, each as often as it is named."""
    import pyarrow.dataset as ds

    paths = [
        path.removeprefix("file://") for path in _changes(location).plan_files()["file_path"].to_pylist()
    ]
    scanner = ds.dataset(paths, format="parquet").scanner()
    return sum(batch.num_rows for batch in scanner.to_batches())
