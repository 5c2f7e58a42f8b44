"""Encrypted tables between Iceberg Java and Floeberg: each reads what the other wrote, after each of its commits.

Keys are in a key file that both read. Java is let believe that two years have gone by, so that it makes a new key that
encrypts keys; and the wrapping key of the file gets a new version.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from encrypted_corpus import SCHEMA, TWO_YEARS, rows
from peers.process import Peer, Refused

import floeberg as fb
from encryption.by_specification import Opened
from floeberg.encryption import KeyFile, create_key, rotate_key

pytestmark = pytest.mark.timeout(900)

ARROW = pa.schema(
    [pa.field("id", pa.int64(), nullable=False), ("secret_name", pa.string()), ("amount", pa.float64())]
)
COLUMNS = ARROW.names
Row = tuple[Any, ...]


@dataclass
class Shared:
    """A table that both change, and the rows that it must have."""

    java: Peer
    folder: Path
    keys: Path
    rows: list[Row]
    next_id: int = 0

    @property
    def place(self) -> dict[str, Any]:
        return {"location": str(self.folder), "keys": str(self.keys)}

    def open(self) -> fb.Table:
        return fb.open_table(self.folder, key_management=KeyFile(self.keys))

    def by_java(self, call: str, later: int = 0, **given: Any) -> None:
        """Java changes the table."""
        self.java(f"encrypted_{call}", place={**self.place, "days_later": later}, **given)

    def check(self) -> None:
        """Both read these rows, and so does who knows the specification alone."""
        wanted = sorted(self.rows)
        assert sorted(map(tuple, self.java("encrypted_read", **self.place))) == wanted
        table = self.open()
        assert sorted(tuple(row.values()) for row in table.scan().to_arrow().to_pylist()) == wanted
        path = Path(table.metadata_location.removeprefix("file://"))
        assert sorted(Opened(path, self.keys).rows(COLUMNS)) == wanted


def as_rows(given: list[dict[str, Any]]) -> list[Row]:
    return [tuple(row.values()) for row in given]


@pytest.fixture
def keys(tmp_path) -> Path:
    """The key file of both."""
    create_key(tmp_path / "keys.json", "customers", length=32)
    return tmp_path / "keys.json"


MADE = {
    "parquet": {},
    "avro": {"write.format.default": "avro"},
    "long keys": {"encryption.data-key-length": "32"},
}


def by_java(java: Peer, folder: Path, keys: Path, properties: dict[str, str]) -> None:
    spec = json.dumps({"spec-id": 0, "fields": []})
    java(
        "encrypted_create",
        location=str(folder),
        keys=str(keys),
        schema=json.dumps(SCHEMA),
        spec=spec,
        properties={"encryption.key-id": "customers", **properties},
    )


def by_us(folder: Path, keys: Path, properties: dict[str, str]) -> None:
    catalog = fb.load_catalog(
        f"of {folder.name}",
        type="filesystem",
        warehouse=str(folder.parent.parent),
        key_management=KeyFile(keys),
    )
    catalog.create_namespace_if_not_exists(folder.parent.name)
    catalog.create_table(
        (folder.parent.name, folder.name),
        ARROW,
        properties={"format-version": "3", "encryption.key-id": "customers", **properties},
    )


@pytest.mark.parametrize("properties", MADE.values(), ids=MADE)
@pytest.mark.parametrize("maker", ["java", "us"])
def test_both_change_a_table_in_turn(java, tmp_path, keys, maker, properties):
    """Appends, vectors, equality deletes, updates, compaction and both rotations, each followed by all readers."""
    folder = tmp_path / "warehouse" / "db" / "shared"
    folder.parent.mkdir(parents=True)
    if maker == "java":
        by_java(java, folder, keys, properties)
    else:
        by_us(folder, keys, properties)
    shared = Shared(java, folder, keys, [])
    for step in (ours_appends, java_appends, java_deletes_by_vector, ours_deletes, java_deletes_by_equality):
        step(shared)
        shared.check()
    rotate_key(keys, "customers")
    java_appends_much_later(shared)
    shared.check()
    for step in (
        ours_updates,
        ours_deletes,
        java_appends,
        ours_compacts,
        java_deletes_by_vector,
        ours_merges,
    ):
        step(shared)
        shared.check()


def ours_appends(shared: Shared) -> None:
    given = fresh(shared, 15)
    shared.open().append(pa.Table.from_pylist(given, schema=ARROW))
    shared.rows += as_rows(given)


def java_appends(shared: Shared) -> None:
    given = fresh(shared, 10)
    shared.by_java("append", rows=given)
    shared.rows += as_rows(given)


def java_appends_much_later(shared: Shared) -> None:
    """Java makes a new key that encrypts keys, and wraps it by the new version of the wrapping key."""
    before = shared.open().metadata_location
    given = fresh(shared, 5)
    shared.by_java("append", later=TWO_YEARS, rows=given)
    shared.rows += as_rows(given)
    outer = [
        outer_keys(Path(each.removeprefix("file://"))) for each in (before, shared.open().metadata_location)
    ]
    assert len(outer[1]) == len(outer[0]) + 1


def java_deletes_by_vector(shared: Shared) -> None:
    """The first and the fourth row of each file that has no deletes yet."""
    place = shared.place
    shared.java("encrypted_delete_positions", place=place, positions=[0, 3])
    left = set(map(tuple, shared.java("encrypted_read", **place)))
    assert len(left) < len(shared.rows)
    shared.rows = [row for row in shared.rows if row in left]


def java_deletes_by_equality(shared: Shared) -> None:
    gone = {row[0] for row in shared.rows[::7]}
    shared.by_java("delete_equal", rows=[{"id": each} for each in gone])
    shared.rows = [row for row in shared.rows if row[0] not in gone]


def ours_deletes(shared: Shared) -> None:
    """Some rows of a file: in version 3 a vector, where the table says so."""
    gone = {row[0] for row in shared.rows[::5]}
    table = shared.open()
    table.delete(fb.col("id").is_in(sorted(gone)), mode="merge-on-read")
    shared.rows = [row for row in shared.rows if row[0] not in gone]


def ours_updates(shared: Shared) -> None:
    table = shared.open()
    table.update({"secret_name": "somebody else"}, "id % 3 = 0")
    shared.rows = [(row[0], "somebody else" if row[0] % 3 == 0 else row[1], row[2]) for row in shared.rows]


def ours_merges(shared: Shared) -> None:
    changed, new = shared.rows[0][0], fresh(shared, 1)[0]["id"]
    given = [
        {"id": changed, "secret_name": "merged", "amount": -1.0},
        {"id": new, "secret_name": "new", "amount": None},
    ]
    shared.open().upsert(pa.Table.from_pylist(given, schema=ARROW), join_cols=["id"])
    shared.rows = [row for row in shared.rows if row[0] != changed] + as_rows(given)


def ours_compacts(shared: Shared) -> None:
    shared.open().maintenance.rewrite_data_files(options={"rewrite-all": "true"})


def fresh(shared: Shared, count: int) -> list[dict[str, Any]]:
    """Rows with ids that the table never had."""
    shared.next_id += count
    return rows(shared.next_id - count, shared.next_id)


def outer_keys(metadata_file: Path) -> list[str]:
    """The ids of keys that the wrapping key wraps."""
    keys = json.loads(metadata_file.read_text())["encryption-keys"]
    return [each["key-id"] for each in keys if each["encrypted-by-id"] == "customers"]


def test_files_of_several_blocks(java, tmp_path, keys):
    """Blocks have a MiB: a file of three is read by both, whole and where it ends with a full one."""
    folder = tmp_path / "warehouse" / "db" / "large"
    folder.parent.mkdir(parents=True)
    by_java(java, folder, keys, MADE["avro"] | {"write.avro.compression-codec": "uncompressed"})
    shared = Shared(java, folder, keys, [])
    large = "".join(random.Random(1).choices("abcdefgh", k=3 << 20))
    for number in range(2):
        given = [{"id": number, "secret_name": large[: len(large) - number * 7], "amount": None}]
        if number:
            shared.open().append(pa.Table.from_pylist(given, schema=ARROW))
        else:
            shared.by_java("append", rows=given)
        shared.rows += as_rows(given)
    shared.check()


def test_who_has_other_keys_reads_nothing(java, tmp_path, keys):
    folder = tmp_path / "warehouse" / "db" / "closed"
    folder.parent.mkdir(parents=True)
    by_us(folder, keys, {})
    shared = Shared(java, folder, keys, [])
    ours_appends(shared)
    create_key(tmp_path / "others.json", "customers")
    other = {"location": str(folder), "keys": str(tmp_path / "others.json")}
    with pytest.raises(Refused, match="GCM tag check failed"):
        java("encrypted_read", **other)
    with pytest.raises(fb.FloebergError, match="another key wrapped it"):
        fb.open_table(folder, key_management=KeyFile(tmp_path / "others.json")).scan().to_arrow()
