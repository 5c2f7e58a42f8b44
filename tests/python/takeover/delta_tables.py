"""How do tests make Delta tables that deltalake does not write: with deletion vectors, with columns that were renamed?

By actions in the log, as the protocol of Delta has them.
"""

from __future__ import annotations

import base64
import json
import struct
import uuid
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

deltalake = pytest.importorskip("deltalake")

Json = Any
_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_B85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"


def rows_of_delta(folder: Path, version: int | None = None) -> list[dict[str, Any]]:
    """The rows of a Delta table as deltalake reads them, sorted."""
    return in_order(pa.table(deltalake.DeltaTable(str(folder), version=version).scan()))


def in_order(rows: pa.Table) -> list[dict[str, Any]]:
    """Rows that can be compared, whatever their order is."""
    return sorted(rows.to_pylist(), key=lambda row: repr(sorted(row.items())))


def actions_of(folder: Path) -> list[Json]:
    """All actions of a log, in order."""
    files = sorted((folder / "_delta_log").glob("*.json"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines() if line]


def adds_of(folder: Path) -> list[Json]:
    """The files that are in the table."""
    found: dict[str, Json] = {}
    for action in actions_of(folder):
        if "add" in action:
            found[action["add"]["path"]] = action["add"]
        elif "remove" in action:
            found.pop(action["remove"]["path"], None)
    return list(found.values())


def last(folder: Path, kind: str) -> Json:
    """The last action of a kind."""
    return next(each[kind] for each in reversed(actions_of(folder)) if kind in each)


def commit(folder: Path, actions: Sequence[Json], timestamp: int | None = None) -> int:
    """Writes a version."""
    version = len(list((folder / "_delta_log").glob("*.json")))
    info = {"commitInfo": {"timestamp": timestamp or 1_795_900_000_000 + version, "operation": "TEST"}}
    text = "\n".join(json.dumps(each) for each in [info, *actions])
    (folder / "_delta_log" / f"{version:020}.json").write_text(text)
    return version


def delete_by_vector(folder: Path, add: Json, positions: Sequence[int], *, inline: bool = False) -> int:
    """Deletes rows of a file by a vector, in the table's folder or in the log."""
    bitmap = _bitmap(sorted(positions))
    if inline:
        padded = bitmap + b"\0" * (-len(bitmap) % 4)
        vector: Json = {"storageType": "i", "pathOrInlineDv": _z85(padded), "sizeInBytes": len(bitmap)}
    else:
        name = uuid.uuid4()
        content = b"\x01" + struct.pack(">I", len(bitmap)) + bitmap + struct.pack(">I", zlib.crc32(bitmap))
        (folder / f"deletion_vector_{name}.bin").write_bytes(content)
        vector = {
            "storageType": "u",
            "pathOrInlineDv": _z85(name.bytes),
            "offset": 1,
            "sizeInBytes": len(bitmap),
        }
    vector["cardinality"] = len(positions)
    gone = {key: add[key] for key in ("path", "partitionValues", "size") if key in add}
    if "deletionVector" in add:
        gone["deletionVector"] = add["deletionVector"]
    remove = {"remove": {**gone, "dataChange": True, "deletionTimestamp": 1, "extendedFileMetadata": True}}
    return commit(folder, [remove, {"add": {**add, "deletionVector": vector}}])


def change_schema(folder: Path, change: Any, **configuration: str) -> int:
    """Changes the columns in a version of its own. `change` is given the list of fields, and returns another."""
    metadata = last(folder, "metaData")
    schema = json.loads(metadata["schemaString"])
    schema["fields"] = change(schema["fields"])
    made = {**metadata, "schemaString": json.dumps(schema)}
    made["configuration"] = {**metadata["configuration"], **configuration}
    return commit(folder, [{"metaData": made}])


def _bitmap(positions: Sequence[int]) -> bytes:
    """Positions below 65,536 as a roaring bitmap of 64 bits."""
    lows = b"".join(struct.pack("<H", each) for each in positions)
    container = struct.pack("<IIHHI", 12_346, 1, 0, len(positions) - 1, 16) + lows
    return struct.pack("<IQI", 1_681_511_377, 1, 0) + container


def _z85(content: bytes) -> str:
    return base64.b85encode(content).decode().translate(str.maketrans(_B85, _Z85))
