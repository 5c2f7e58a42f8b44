"""Tables of the corpus, moved to where they can be written: their files name each other by absolute paths."""

from __future__ import annotations

import gzip
import json
import shutil
import struct
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq

from corpus import Case

Json = Any
POSITIONS = 1


def adopt(case: Case, folder: Path) -> Path:
    """Copy a table into a new folder, with paths in it; return its metadata file.

    Position deletes in ORC keep their paths: tables with them cannot be adopted.
    """
    # Checksums of Hadoop's are those of files before they moved.
    shutil.copytree(case.folder / "table", folder, ignore=shutil.ignore_patterns("*.crc"))
    move = Move(case.expected["original_dir"], str(folder))
    every = sorted((folder / "metadata").glob("*.avro"))
    lists = [path for path in every if path.name.startswith("snap-") or is_list(path)]
    for path in every:
        if path not in lists:
            move.manifest(path)
    for path in lists:
        move.manifest_list(path)
    for path in (folder / "metadata").iterdir():
        if path.name.endswith((".json", ".json.gz")):
            move.metadata(path)
    return folder / str(case.expected["metadata_file"])


def is_list(path: Path) -> bool:
    """Whether an Avro file lists manifests."""
    with path.open("rb") as file:
        return "manifest_path" in {each["name"] for each in fastavro.reader(file).writer_schema["fields"]}


class Move:
    """From one folder to another."""

    def __init__(self, before: str, after: str) -> None:
        self._before, self._after = before, after
        self._sizes: dict[str, int] = {}

    def moved(self, value: Any) -> Any:
        """A value with the paths of the new folder."""
        if isinstance(value, str):
            return value.replace(self._before, self._after)
        if isinstance(value, bytes):
            return value.replace(self._before.encode(), self._after.encode())
        if isinstance(value, dict):
            return {key: self.moved(each) for key, each in value.items()}
        return [self.moved(each) for each in value] if isinstance(value, list) else value

    def metadata(self, path: Path) -> None:
        """Write a metadata file again."""
        content = path.read_bytes()
        is_packed = content.startswith(b"\x1f\x8b")
        document = json.loads(gzip.decompress(content) if is_packed else content)
        text = json.dumps(self.moved(document)).encode()
        path.write_bytes(gzip.compress(text) if is_packed else text)

    def manifest(self, path: Path) -> None:
        """Write a manifest again, and the position deletes that it lists."""

        def sized(entry: Json) -> Json:
            file = entry["data_file"]
            if file.get("content") == POSITIONS:
                place = local(file["file_path"])
                if place.suffix in (".parquet", ".avro", ".puffin") and place.exists():
                    self.positions(place)
                    file["file_size_in_bytes"] = self._sizes[str(place)]
            return entry

        self._avro(path, sized)

    def manifest_list(self, path: Path) -> None:
        """Write a manifest list again."""

        def sized(row: Json) -> Json:
            length = self._sizes.get(str(local(row["manifest_path"])))
            return row if length is None else row | {"manifest_length": length}

        self._avro(path, sized)

    def positions(self, path: Path) -> None:
        """Write a position delete file again, once."""
        if str(path) in self._sizes:
            return
        if path.suffix == ".avro":
            self._avro(path, lambda row: row)
            return
        if path.suffix == ".puffin":
            self._puffin(path)
            return
        table = pq.ParquetFile(path).read()
        at = table.schema.get_field_index("file_path")
        paths = pa.array(self.moved(table["file_path"].to_pylist()), table.schema.field(at).type)
        pq.write_table(table.set_column(at, table.schema.field(at), paths), path, store_schema=False)
        self._sizes[str(path)] = path.stat().st_size

    def _puffin(self, path: Path) -> None:
        """Write the footer again, which comes after all vectors."""
        content = path.read_bytes()
        (length,) = struct.unpack("<i", content[-12:-8])
        footer = json.dumps(self.moved(json.loads(content[-12 - length : -12]))).encode()
        end = struct.pack("<i", len(footer)) + content[-8:]
        path.write_bytes(content[: -12 - length] + footer + end)
        self._sizes[str(path)] = path.stat().st_size

    def _avro(self, path: Path, change: Any) -> None:
        with path.open("rb") as file:
            reader = fastavro.reader(file)
            header, rows = dict(reader.metadata), list(reader)
        schema, codec = json.loads(header.pop("avro.schema")), header.pop("avro.codec", "null")
        rows = [change(self.moved(row)) for row in rows]
        with path.open("wb") as file:
            fastavro.writer(file, schema, rows, codec=codec, metadata=header)
        self._sizes[str(path)] = path.stat().st_size


def local(location: str) -> Path:
    """The path of a location."""
    return Path(location.removeprefix("file://").removeprefix("file:"))
