"""What is measured of DuckDB beside maintenance, in an environment of its own."""

from __future__ import annotations

from pathlib import Path

FILES = "data_files.txt"
"""As `maintenance_rows` has it."""


def duckdb_sort(location: str) -> int:
    """Sort the rows of the same files, and write them as one Parquet file."""
    import duckdb

    sorted_file = Path(location) / "sorted.parquet"
    files = (Path(location) / FILES).read_text().splitlines()
    rows = f"SELECT * FROM read_parquet({files}) ORDER BY hash"
    copied = duckdb.connect().execute(f"COPY ({rows}) TO '{sorted_file}' (FORMAT parquet, COMPRESSION zstd)")
    (count,) = copied.fetchone() or (0,)
    sorted_file.unlink()
    return int(count)
