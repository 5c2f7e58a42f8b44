"""How was `tests/conformance/encrypted` made? `python encrypted_corpus.py <folder>`, with `tools` and `tests` on the
path.

In: an empty folder, whose path the tables keep. Out: tables that Iceberg Java encrypted, with the key file that opens
them, and `expected.json`: what Java reads after each of its commits. The keys are those of tests: anybody may read
them.
"""

from __future__ import annotations

import base64
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from peers.environments import start_java
from peers.process import Peer

SCHEMA = {
    "type": "struct",
    "schema-id": 0,
    "fields": [
        {"id": 1, "name": "id", "type": "long", "required": True},
        {"id": 2, "name": "secret_name", "type": "string", "required": False},
        {"id": 3, "name": "amount", "type": "double", "required": False},
    ],
}
BUCKETS = [{"name": "id_bucket", "transform": "bucket[2]", "source-id": 1, "field-id": 1000}]
CASES: dict[str, tuple[list[dict[str, Any]], dict[str, str]]] = {
    "parquet": ([], {"encryption.key-id": "customers"}),
    "avro": (
        [],
        {
            "encryption.key-id": "small",
            "write.format.default": "avro",
            "encryption.data-key-length": "32",
        },
    ),
    "buckets": (BUCKETS, {"encryption.key-id": "turned"}),
    # Java takes keys of 24 bytes, and few other libraries do.
    "middle_keys": ([], {"encryption.key-id": "turned", "encryption.data-key-length": "24"}),
}
TWO_YEARS = 800
"""Days after which Java makes a new key that encrypts keys."""


def rows(begin: int, end: int) -> list[dict[str, Any]]:
    """Rows of these ids."""
    return [
        {"id": each, "secret_name": None if each % 7 == 6 else f"person {each}", "amount": each * 1.5}
        for each in range(begin, end)
    ]


def key_file(path: Path) -> Path:
    """Keys that are the same each time: of one version, of a small size, and of two versions."""

    def key(seed: int, length: int) -> str:
        return base64.b64encode(bytes((seed * 37 + each * 11) % 256 for each in range(length))).decode()

    named = {"customers": [key(1, 32)], "small": [key(2, 16)], "turned": [key(3, 24), key(4, 32)]}
    path.write_text(json.dumps({"format-version": 1, "keys": named}, indent=1) + "\n")
    path.chmod(0o600)
    return path


def write(java: Peer, folder: Path, name: str, keys: Path) -> None:
    """Write a table, and what Java reads of it after each commit."""
    fields, properties = CASES[name]
    place = {"location": str(folder / name / "table"), "keys": str(keys)}
    spec = json.dumps({"spec-id": 0, "fields": fields})
    java("encrypted_create", schema=json.dumps(SCHEMA), spec=spec, properties=properties, **place)
    steps: list[tuple[str, dict[str, Any]]] = [
        ("append", {"rows": rows(0, 20)}),
        ("append", {"rows": rows(20, 30)}),
        ("delete_positions", {"positions": [0, 3]}),
        ("append", {"rows": rows(30, 33)}),
    ]
    if name == "middle_keys":
        steps = steps[:1]
    elif not fields:
        steps.insert(3, ("delete_equal", {"rows": [{"id": 5}, {"id": 25}]}))
    states = []
    for number, (call, given) in enumerate(steps):
        later = {"days_later": TWO_YEARS} if number and number == len(steps) - 1 else {}
        location = java(f"encrypted_{call}", place={**place, **later}, **given)
        states.append(
            {"metadata_file": f"metadata/{Path(location).name}", "rows": java("encrypted_read", **place)}
        )
    expected = {
        "original_dir": place["location"],
        "key_id": properties["encryption.key-id"],
        "columns": [field["name"] for field in SCHEMA["fields"]],  # type: ignore[index, attr-defined] # a list of dicts
        "states": states,
    }
    (folder / name / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")
    for checksum in (folder / name).rglob(".*.crc"):
        checksum.unlink()


def main(folder: Path) -> None:
    """Write all tables."""
    keys = key_file(folder / "keys.json")
    with tempfile.TemporaryDirectory() as logs:
        java = start_java(Path(logs))
        for name in CASES:
            (folder / name).mkdir()
            write(java, folder, name, keys)
        java.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
