"""A table of many files, of which only one exists: its manifests are multiplied. Planning opens no data file."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import fastavro
import pyarrow as pa

import floeberg as fb


def table_of_many_files(folder: Path, files: int, manifests: int) -> str:
    """The location of a table partitioned by day. Each manifest has days of its own; sizes vary from 1 KiB on."""
    made = fb.catalog.filesystem.FileSystemCatalog("many", warehouse=str(folder))
    made.create_namespace("db")
    table = made.create_table(
        "db.many", pa.schema({"id": pa.int64(), "day": pa.int32()}), partition_spec=["day"]
    )
    table.append(pa.table({"id": pa.array([1], pa.int64()), "day": pa.array([0], pa.int32())}))
    metadata = json.loads(Path(table.metadata_location).read_text(encoding="utf-8"))
    listed = Path(metadata["snapshots"][-1]["manifest-list"])
    entries, entry_schema, entry_metadata = _read(listed)
    path = Path(entries[0]["manifest_path"])
    (file,), schema, about = _read(path)
    each = files // manifests
    lists = []
    for number in range(manifests):
        days = [number * 10 + count % 10 for count in range(each)]
        written = path.with_name(f"many-{number}.avro")
        rows = []
        for count, day in enumerate(days):
            data_file = file["data_file"] | {
                "file_path": f"{file['data_file']['file_path']}.{number}.{count}",
                "file_size_in_bytes": 1024 << (count % 12),
                "record_count": 10,
                "partition": {"day": day},
            }
            rows.append(file | {"data_file": data_file})
        _write(written, schema, about, rows)
        entry = entries[0] | {
            "manifest_path": str(written),
            "manifest_length": written.stat().st_size,
            "added_files_count": each,
            "added_rows_count": each * 10,
        }
        bounds = {"lower_bound": struct.pack("<i", min(days)), "upper_bound": struct.pack("<i", max(days))}
        entry["partitions"] = [entries[0]["partitions"][0] | bounds]
        lists.append(entry)
    _write(listed, entry_schema, entry_metadata, lists)
    return table.location()


def _read(path: Path) -> tuple[list[dict], dict, dict]:
    with path.open("rb") as opened:
        reader = fastavro.reader(opened)
        return list(reader), reader.writer_schema, dict(reader.metadata)


def _write(path: Path, schema: dict, about: dict, rows: list[dict]) -> None:
    about = {key: value for key, value in about.items() if not key.startswith("avro.")}
    with path.open("wb") as opened:
        fastavro.writer(opened, schema, rows, codec="deflate", metadata=about)
