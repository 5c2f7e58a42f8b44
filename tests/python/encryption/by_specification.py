"""What is in an encrypted table, by the specification alone? Nothing of the library is used.

In: a metadata file, and the keys of a key file. Out: the rows of its current snapshot, and every key of every file that
the table names. AES is that of `cryptography`, Parquet that of pyarrow, Avro and vectors those of the checker of the
tests.

Spec: AES GCM Stream; Encryption Keys; Data File Fields (`key_metadata`); Puffin. Key metadata are those of Iceberg Java
1.11:

    version, 1 byte   record of Avro: key, bytes   AAD prefix, optional bytes   length of the file, optional long
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pyarrow.parquet.encryption import create_decryption_properties

from conformance_checker import avro
from conformance_checker.avro import Bytes, plain_json
from conformance_checker.faults import Faults
from conformance_checker.states import DELETED, Storage, states
from conformance_checker.vectors import positions_of

STREAM, PARQUET = b"AGS1", b"PARE"
NONCE, TAG, BLOCK = 12, 16, 1 << 20
Json = dict[str, Any]


@dataclass(frozen=True)
class FileKey:
    """What the key metadata of a file say."""

    key: bytes
    aad_prefix: bytes
    length: int | None

    @classmethod
    def of(cls, metadata: bytes) -> FileKey:
        """Key metadata as they are written."""
        data = Bytes(metadata)
        assert data.take(1) == b"\x01", "key metadata of another version"
        key = data.sized()
        prefix = data.sized() if data.long() else b""
        has_length = data.long()
        length = data.long() if has_length else None
        assert data.at == len(metadata), "key metadata have more than their record"
        return cls(key, prefix, length)


def opened(key: bytes, sealed: bytes, aad: bytes | None) -> bytes:
    """What AES GCM sealed: a nonce, the text and a tag."""
    return AESGCM(key).decrypt(sealed[:NONCE], sealed[NONCE:], aad)


def stream(content: bytes, key: FileKey) -> bytes:
    """The plain bytes of an AES GCM stream."""
    assert content[:4] == STREAM, f"a file begins with {content[:4]!r}"
    (block,) = struct.unpack("<I", content[4:8])
    assert block == BLOCK
    assert key.length in (None, len(content)), f"{len(content)} bytes, and the key says {key.length}"
    found, at, number = [], 8, 0
    while at < len(content):
        sealed = content[at : at + NONCE + BLOCK + TAG]
        found.append(opened(key.key, sealed, key.aad_prefix + struct.pack("<I", number)))
        at, number = at + len(sealed), number + 1
    return b"".join(found)


class Opened:
    """An encrypted table.

    Attributes:
        metadata: Its metadata.
        keys: The key of each file that was opened, by its location.
    """

    def __init__(self, metadata_file: Path, key_file: Path, relocate: dict[str, str] | None = None) -> None:
        self._masters = {
            name: [base64.b64decode(each) for each in versions]
            for name, versions in json.loads(key_file.read_text())["keys"].items()
        }
        self._relocate = relocate or {}
        self.metadata: Json = plain_json(metadata_file.read_bytes())
        self.keys: dict[str, FileKey] = {}
        for snapshot in self.metadata.get("snapshots", []):
            self.keys[snapshot["manifest-list"]] = self._of_list(snapshot)
        self._storage = Storage(self.read)
        faults = Faults()
        self._learn()
        self.states = states(self.metadata, self._storage, faults)
        assert not faults.found, faults.found
        assert len(self.states) == len(self.metadata.get("snapshots", [])), "a snapshot cannot be read"

    def _of_list(self, snapshot: Json) -> FileKey:
        """The key of a manifest list: encrypted by a key that the wrapping key wraps."""
        by_id = {each["key-id"]: each for each in self.metadata["encryption-keys"]}
        assert len(by_id) == len(self.metadata["encryption-keys"])
        of_list = by_id[snapshot["key-id"]]
        outer = by_id[of_list["encrypted-by-id"]]
        assert outer["encrypted-by-id"] == self.metadata["properties"]["encryption.key-id"]
        key = self._unwrapped(outer)
        stamp = outer["properties"]["KEY_TIMESTAMP"].encode()
        return FileKey.of(opened(key, base64.b64decode(of_list["encrypted-key-metadata"]), stamp))

    def _unwrapped(self, outer: Json) -> bytes:
        wrapped = base64.b64decode(outer["encrypted-key-metadata"])
        for version in self._masters[outer["encrypted-by-id"]]:
            try:
                return opened(version, wrapped, None)
            except Exception:  # noqa: BLE001 - another version wrapped it
                continue
        raise AssertionError("no version of the wrapping key unwraps a key")

    def _learn(self) -> None:
        """The keys of manifests are in manifest lists, and those of files in manifests."""
        for snapshot in self.metadata.get("snapshots", []):
            for row in self._storage.avro(snapshot["manifest-list"]).rows:
                self._keep(row["manifest_path"], row["key_metadata"])
                for entry in self._storage.avro(row["manifest_path"]).rows:
                    file = entry["data_file"]
                    self._keep(file["file_path"], file["key_metadata"])

    def _keep(self, location: str, metadata: bytes | None) -> None:
        assert metadata, f"{location} has no key metadata"
        assert self.keys.setdefault(location, FileKey.of(metadata)) == FileKey.of(metadata)

    def raw(self, location: str) -> bytes:
        """The bytes of a file, as they lie there."""
        for written, now in self._relocate.items():
            if location.startswith(f"{written}/"):
                location = now + location[len(written) :]
        return Path(location.removeprefix("file://").removeprefix("file:")).read_bytes()

    def read(self, location: str) -> bytes:
        """The plain bytes of a file."""
        return stream(self.raw(location), self.keys[location])

    def parquet(self, location: str) -> pa.Table:
        """The rows of a Parquet file."""
        content, key = self.raw(location), self.keys[location]
        assert content[:4] == content[-4:] == PARQUET
        assert key.length in (None, len(content))
        properties = create_decryption_properties(key.key, aad_prefix=key.aad_prefix)
        return pq.read_table(pa.BufferReader(content), decryption_properties=properties)

    def rows(self, columns: list[str]) -> list[tuple[Any, ...]]:
        """The rows of the current snapshot, whose deletes are vectors, and equality deletes by the first column."""
        current = self.states[self.metadata["current-snapshot-id"]]
        live = [each for each in current.live.values() if each.status != DELETED]
        deleted: dict[str, set[int]] = {}
        equal: list[tuple[int, set[Any]]] = []
        for entry in live:
            if entry.content == 1:
                deleted[entry.file["referenced_data_file"]] = set(self._vector(entry.file))
            elif entry.content == 2:
                equal.append((entry.sequence or 0, {row[0] for row in self._rows(entry.file, columns[:1])}))
        found = []
        for entry in live:
            if entry.content == 0:
                gone = deleted.get(entry.file["file_path"], set())
                keys = {key for sequence, each in equal if sequence > (entry.sequence or 0) for key in each}
                rows = enumerate(self._rows(entry.file, columns))
                found += [row for number, row in rows if number not in gone and row[0] not in keys]
        return found

    def _vector(self, file: Json) -> list[int]:
        begin, size = file["content_offset"], file["content_size_in_bytes"]
        return positions_of(self.read(file["file_path"])[begin : begin + size])

    def _rows(self, file: Json, columns: list[str]) -> list[tuple[Any, ...]]:
        readers: dict[str, Callable[[str], list[Json]]] = {
            "PARQUET": lambda location: self.parquet(location).to_pylist(),
            "AVRO": lambda location: avro.read(self.read(location)).rows,
        }
        found = readers[file["file_format"]](file["file_path"])
        assert len(found) == file["record_count"]
        return [tuple(row[name] for name in columns) for row in found]
