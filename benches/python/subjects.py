"""What is measured: the same work by Floeberg and by its peers."""

from __future__ import annotations


def floeberg_plan(location: str) -> int:
    """Open and plan."""
    import floeberg as fb

    return len(fb.open_table(location).scan().plan_files())


def floeberg_plan_day(location: str) -> int:
    """Open and plan one day of a thousand."""
    import floeberg as fb

    words = "ts >= '2023-06-01T00:00:00Z' AND ts < '2023-06-02T00:00:00Z'"
    return len(fb.open_table(location).scan(row_filter=words).plan_files())


def pyiceberg_plan(location: str) -> int:
    """Open and plan."""
    from pyiceberg.table import StaticTable

    return len(list(StaticTable.from_metadata(location).scan().plan_files()))


def pyiceberg_plan_day(location: str) -> int:
    """Open and plan one day of a thousand."""
    from pyiceberg.table import StaticTable

    words = "ts >= '2023-06-01T00:00:00+00:00' AND ts < '2023-06-02T00:00:00+00:00'"
    return len(list(StaticTable.from_metadata(location).scan(row_filter=words).plan_files()))


def floeberg_scan(location: str) -> int:
    """Read all rows and columns, batch by batch."""
    import floeberg as fb

    return sum(batch.num_rows for batch in fb.open_table(location).scan().to_arrow_batch_reader())


def floeberg_scan_two_columns(location: str) -> int:
    """Read two columns of all rows, batch by batch."""
    import floeberg as fb

    scan = fb.open_table(location).scan(selected_fields=("id", "price"))
    return sum(batch.num_rows for batch in scan.to_arrow_batch_reader())


def pyarrow_scan(location: str) -> int:
    """Read all rows and columns of the data files, batch by batch; no table, no deletes."""
    return _pyarrow(location, None)


def pyarrow_scan_two_columns(location: str) -> int:
    """Read two columns of all rows of the data files, batch by batch."""
    return _pyarrow(location, ["id", "price"])


def _pyarrow(location: str, columns: list[str] | None) -> int:
    from pathlib import Path

    import pyarrow.dataset as ds

    files = sorted(Path(location).parent.parent.joinpath("data").glob("*-[0-9][0-9][0-9].parquet"))
    return sum(batch.num_rows for batch in ds.dataset(list(map(str, files))).to_batches(columns=columns))
