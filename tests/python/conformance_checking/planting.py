"""A sound table in a folder, and how one part of it is changed behind the library's back."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from conformance_checker import Checked, avro, check
from properties import avro as encoding

Json = Any


def path_of(location: str) -> Path:
    """Where a location is."""
    return Path(location.removeprefix("file://"))


def read(location: str) -> bytes:
    """A file of the machine."""
    return path_of(location).read_bytes()


@dataclass(frozen=True)
class Planted:
    """A table whose files are changed by hand.

    Attributes:
        place: Its metadata file.
    """

    place: Path

    def checked(self) -> Checked:
        """What the checker says."""
        return check(str(self.place), read)

    def rules(self) -> set[str]:
        """The rules that are broken."""
        return {fault.rule for fault in self.checked().faults}

    @property
    def metadata(self) -> Json:
        """The metadata as it is now."""
        return json.loads(self.place.read_text())

    def change_metadata(self, change: Callable[[Json], object]) -> None:
        """Write the metadata again, changed."""
        metadata = self.metadata
        change(metadata)
        self.place.write_text(json.dumps(metadata))

    def lists(self) -> list[Path]:
        """The manifest lists, oldest first."""
        snapshots = sorted(self.metadata["snapshots"], key=lambda each: each.get("sequence-number", 0))
        return [path_of(each["manifest-list"]) for each in snapshots]

    def manifests(self, number: int = -1) -> list[Path]:
        """The manifests of a list."""
        rows = avro.read(self.lists()[number].read_bytes()).rows
        return [path_of(row["manifest_path"]) for row in rows]

    def change_list(self, change: Callable[[Json], object], number: int = -1) -> None:
        """Write a manifest list again; `change` gets its rows, schema and header."""
        rewrite(self.lists()[number], change)

    def change_manifest(self, change: Callable[[Json], object], at: int = 0) -> None:
        """Write a manifest of the newest list again, and tell all lists its new length."""
        self.change_path(self.manifests()[at], change)

    def change_path(self, path: Path, change: Callable[[Json], object]) -> None:
        """Write a manifest again, and tell all lists its new length."""
        rewrite(path, change)
        self._tell_length(path)

    def data_files(self) -> list[Path]:
        """The data files of the first append."""
        rows = avro.read(self.manifests(0)[0].read_bytes()).rows
        return [path_of(row["data_file"]["file_path"]) for row in rows]

    def change_parquet(self, change: Callable[[Any], Any], *, as_integers: bool = True) -> None:
        """Write the data files of the first append again; `change` gets and gives an Arrow table."""

        def one(file: Json) -> None:
            path = path_of(file["file_path"])
            rows = change(pq.ParquetFile(path).read())
            pq.write_table(rows, path, store_schema=False, store_decimal_as_integer=as_integers)
            file["file_size_in_bytes"] = path.stat().st_size
            file["split_offsets"] = file["column_sizes"] = None

        self.change_path(self.manifests(0)[0], lambda file: [one(row["data_file"]) for row in file["rows"]])

    def change_counts(self, change: Callable[[Any], Any]) -> None:
        """Write the partition statistics file again; `change` gets and gives an Arrow table."""
        [file] = self.metadata["partition-statistics"]
        path = path_of(file["statistics-path"])
        rows = change(pq.ParquetFile(path).read())
        with pq.ParquetWriter(path, rows.schema, store_schema=False) as writer:
            writer.write_table(rows)
        content = path.read_bytes()
        # The checker looks at files of ours.
        creator = pq.ParquetFile(path).metadata.created_by.encode()
        path.write_bytes(content.replace(creator, b"floeberg".ljust(len(creator))))

        def tell(metadata: Json) -> None:
            metadata["partition-statistics"][0]["file-size-in-bytes"] = len(content)

        self.change_metadata(tell)

    def _tell_length(self, path: Path) -> None:
        def one(file: Json) -> None:
            for row in file["rows"]:
                if path_of(row["manifest_path"]) == path:
                    row["manifest_length"] = path.stat().st_size

        for place in self.lists():
            rewrite(place, one)


def rewrite(path: Path, change: Callable[[Json], object]) -> None:
    """Write an Avro file again, changed."""
    file = avro.read(path.read_bytes())
    parts = {"rows": file.rows, "schema": file.schema, "header": file.metadata}
    change(parts)
    path.write_bytes(encoding.container(parts["schema"], parts["rows"], parts["header"]))
