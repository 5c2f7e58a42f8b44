"""Tables of both formats that are copied."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lance
import pyarrow as pa

import floeberg as fb
from floeberg.catalog import Catalog

__all__ = ["Places", "ids", "rows"]


def rows(start: int, end: int) -> pa.Table:
    keys = range(start, end)
    return pa.table(
        {"id": pa.array(keys, pa.int64()), "name": pa.array([f"n{key}" for key in keys], pa.string())}
    )


def ids(table: Any) -> list[int]:
    """The keys of all rows, after pylance or others were asked."""
    found = sorted(table.refresh().scan().to_arrow()["id"].to_pylist())
    if isinstance(table, fb.LanceTable):
        dataset = lance.dataset(table.location)
        dataset.validate()
        assert sorted(dataset.to_table()["id"].to_pylist()) == found
    return found


class Places:
    """Where sources and targets are."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.catalog: Catalog = fb.load_catalog("copies", type="filesystem", warehouse=str(folder / "lake"))
        self.catalog.create_namespace("db")

    def source(self, kind: str, data: Any) -> Any:
        """A new source of one format."""
        if kind == "lance":
            return fb.lance.create_table(str(self.folder / "source.lance"), data)
        table = self.catalog.create_table("db.source", data.schema)
        table.append(data)
        return table

    def copy(self, source: Any, kind: str, **options: Any) -> fb.CopyResult:
        """Copies a source to the target of a format."""
        if kind == "lance":
            return fb.copy(source, str(self.folder / "target.lance"), **options)
        return fb.copy(source, "db.target", catalog=self.catalog, **options)

    def target(self, kind: str) -> Any:
        """The target of a format."""
        if kind == "lance":
            return fb.open_table(str(self.folder / "target.lance"), format="lance")
        return self.catalog.load_table("db.target")
