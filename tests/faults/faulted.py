"""Where the tables of these tests are, and what is in them."""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

import floeberg as fb

ROWS = 3
"""Rows of an append: all of them are there, or none."""

SCHEMA = pa.schema(
    [("writer", pa.int32()), ("number", pa.int32()), ("row", pa.int32()), ("part", pa.string())]
)
FAST = {"commit.retry.min-wait-ms": "1", "commit.retry.max-wait-ms": "20"}


@dataclass(frozen=True)
class Place:
    """A catalog of one table, `ns.t`.

    Attributes:
        kind: `filesystem` or `sql`.
        folder: Its folder, with all that it has.
    """

    kind: str
    folder: Path

    def catalog(self, **options: str) -> Any:
        """The catalog; `options` are those of stores too."""
        known = {"warehouse": str(self.folder / "warehouse")}
        if self.kind == "sql":
            known["uri"] = f"sqlite:///{self.folder}/catalog.db"
        return fb.load_catalog("faults", type=self.kind, **known, **options)

    def create(self, **properties: str) -> fb.Table:
        """Make the table."""
        self.folder.mkdir(parents=True, exist_ok=True)
        catalog = self.catalog()
        catalog.create_namespace_if_not_exists("ns")
        return catalog.create_table("ns.t", SCHEMA, properties=properties)

    def table(self, **options: str) -> fb.Table:
        """The table as it is now."""
        return self.catalog(**options).load_table("ns.t")

    def save(self) -> None:
        """Keep a copy of all that there is, for `restore`."""
        shutil.copytree(self.folder, self._copy, dirs_exist_ok=False)

    def restore(self) -> None:
        """Be as at `save`."""
        shutil.rmtree(self.folder)
        shutil.copytree(self._copy, self.folder)

    @property
    def _copy(self) -> Path:
        return self.folder.with_name(f"{self.folder.name}-copy")


def batch(writer: int, number: int, part: str = "a") -> pa.Table:
    """The rows of one append."""
    rows = [{"writer": writer, "number": number, "row": row, "part": part} for row in range(ROWS)]
    return pa.Table.from_pylist(rows, SCHEMA)


def metadata_files(place: Place) -> dict[Path, str]:
    """All metadata files and what is in them, as hashes."""
    found = place.folder.rglob("*.metadata.json")
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


def local(location: str) -> Path:
    """The path of a location."""
    return Path(location.removeprefix("file://"))


def referenced(table: fb.Table) -> set[Path]:
    """Every file that the table names."""
    inspect = table.inspect
    found = {table.metadata_location}
    found |= {each.manifest_list for each in table.snapshots() if each.manifest_list}
    found |= set(inspect.all_manifests()["path"].to_pylist())
    found |= set(inspect.all_files()["file_path"].to_pylist())
    found |= set(inspect.metadata_log_entries()["file"].to_pylist())
    return {local(each) for each in found}


def left_over(table: fb.Table) -> set[Path]:
    """Files beside the table's that it does not name."""
    folder = local(table.location())
    there = {path for path in folder.rglob("*") if path.is_file() and path.name != "version-hint.text"}
    return there - referenced(table)
