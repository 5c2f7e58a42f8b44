"""Lance tables that tests make, and what pylance says of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import lance
import pyarrow as pa

import floeberg as fb

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["by_key", "check_same", "made", "rows"]


def rows(start: int, end: int) -> pa.Table:
    """Rows with the keys from `start` up to `end`."""
    keys = range(start, end)
    return pa.table(
        {
            "id": pa.array(keys, pa.int64()),
            "name": [f"n{key}" for key in keys],
            "v": [key / 2 for key in keys],
        }
    )


def made(folder: Path, data: object, **options: Any) -> fb.LanceTable:
    """A new table in a folder."""
    return fb.lance.create_table(str(folder / "table.lance"), data, **options)


def by_key(table: fb.LanceTable, *columns: str) -> list[dict[str, Any]]:
    """All rows, by their keys."""
    found = table.scan().select("*", *columns) if columns else table.scan()
    return found.to_arrow().sort_by("id").to_pylist()


def check_same(table: fb.LanceTable) -> Any:
    """Compares every version with pylance, and returns its dataset of the newest."""
    dataset = lance.dataset(table.location)
    dataset.validate()
    assert dataset.version == table.version
    assert [each["version"] for each in dataset.versions()] == table.version_numbers()
    for version in table.version_numbers():
        theirs = lance.dataset(table.location, version=version)
        ours = fb.open_table(table.location, version=version, format="lance")
        assert ours.scan().count() == theirs.count_rows()
        columns = [*ours.schema().names, "_rowid", "_rowaddr"]
        expected = theirs.to_table(with_row_id=True, with_row_address=True).select(columns)
        found = ours.scan().select("*", "_rowid", "_rowaddr").to_arrow().select(columns)
        assert found.to_pylist() == expected.to_pylist(), version
    return dataset
