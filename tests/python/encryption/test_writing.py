"""Writing: each operation on an encrypted table leaves encrypted files alone, and `by_specification` reads them."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import floeberg as fb
from encryption.by_specification import Opened
from floeberg.encryption import create_key, rotate_key
from floeberg.errors import FloebergError, InvalidInputError, LimitExceededError, UnsupportedError

SCHEMA = pa.schema([("id", pa.int64()), ("secret", pa.string())])
pytestmark = pytest.mark.unchecked_tables("the checker has no keys, and by_specification reads these tables")

WORD = "platypus"
KEY_ID = "customers"


def rows(*ids: int) -> pa.Table:
    return pa.table({"id": list(ids), "secret": [f"{WORD}-{number}" for number in ids]}, schema=SCHEMA)


@pytest.fixture
def options(tmp_path) -> dict[str, str]:
    create_key(tmp_path / "keys.json", KEY_ID)
    return {"encryption.kms-type": "file", "encryption.key-file": str(tmp_path / "keys.json")}


@pytest.fixture
def catalog(tmp_path, options) -> fb.catalog.Catalog:
    made = fb.load_catalog(
        f"encrypted-{tmp_path.name}", type="filesystem", warehouse=str(tmp_path / "warehouse"), **options
    )
    made.create_namespace("a")
    return made


@pytest.fixture(params=["parquet", "avro"])
def table(request, catalog) -> fb.Table:
    return catalog.create_table(
        "a.t",
        SCHEMA,
        properties={
            "encryption.key-id": KEY_ID,
            "format-version": "3",
            "write.format.default": request.param,
        },
    )


def read(table: fb.Table) -> list[tuple]:
    return sorted((row["id"], row["secret"]) for row in table.scan().to_arrow().to_pylist())


def expected(*ids: int) -> list[tuple]:
    return [(number, f"{WORD}-{number}") for number in ids]


def files_of(table: fb.Table) -> list[Path]:
    folder = Path(table.location().removeprefix("file://"))
    return [
        path
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith((".json", ".text", ".crc"))
    ]


def check(table: fb.Table, options: dict[str, str]) -> Opened:
    """What the specification says is in the table, and that no byte of a file is plain."""
    found = Opened(
        Path(table.metadata_location.removeprefix("file://")), Path(options["encryption.key-file"])
    )
    assert sorted(found.rows(["id", "secret"])) == read(table)
    for path in files_of(table):
        data = path.read_bytes()
        assert data[:4] in (b"AGS1", b"PARE"), path
        for word in (WORD.encode(), b"secret", b"customers"):
            assert word not in data, path
    metadata = Path(table.metadata_location.removeprefix("file://")).read_text()
    assert WORD not in metadata
    return found


def test_each_operation_writes_encrypted_files(table, options):
    table.append(rows(1, 2, 3))
    check(table, options)
    table.append(rows(4, 5))
    table.delete("id = 2")
    check(table, options)
    table.update({"secret": f"{WORD}-3"}, "id = 3")
    table.upsert(rows(5, 6), join_cols=["id"])
    check(table, options)
    table.overwrite(rows(7), overwrite_filter="id = 1")
    assert read(table) == expected(3, 4, 5, 6, 7)
    found = check(table, options)
    assert len({key.key for key in found.keys.values()}) == len(found.keys)
    # Opened again, by the folder alone.
    again = fb.open_table(table.location(), storage_options=options)
    assert read(again) == read(table)


def test_deletes_by_vectors_are_encrypted(catalog, options):
    table = catalog.create_table(
        "a.v",
        SCHEMA,
        properties={"encryption.key-id": KEY_ID, "format-version": "3", "write.delete.mode": "merge-on-read"},
    )
    table.append(rows(*range(1000)))
    table.delete("id < 990")
    assert [path for path in files_of(table) if path.suffix == ".puffin"]
    assert read(table) == expected(*range(990, 1000))
    check(table, options)
    table.delete("id = 995")
    check(table, options)
    table.maintenance.rewrite_data_files(options={"rewrite-all": "true"})
    assert read(table) == expected(*(number for number in range(990, 1000) if number != 995))
    check(table, options)


def test_maintenance_keeps_a_table_encrypted(table, options):
    for number in range(6):
        table.append(rows(number))
    table.maintenance.rewrite_data_files(options={"rewrite-all": "true"})
    table.maintenance.rewrite_manifests()
    table.maintenance.expire_snapshots(retain_last=1)
    assert read(table) == expected(*range(6))
    check(table, options)


def test_paths_and_summaries_have_no_value_of_a_partition(catalog):
    table = catalog.create_table(
        "a.p",
        SCHEMA,
        partition_spec=["secret"],
        properties={
            "encryption.key-id": KEY_ID,
            "format-version": "3",
            "write.summary.partition-limit": "100",
        },
    )
    table.append(rows(1, 2))
    table.delete("id = 1")
    for path in Path(table.location().removeprefix("file://")).rglob("*"):
        assert WORD not in str(path)
        assert not path.is_file() or WORD.encode() not in path.read_bytes()
    assert read(table) == expected(2)


def test_bloom_filters_are_not_written_plain(catalog, options):
    table = catalog.create_table(
        "a.b",
        SCHEMA,
        properties={
            "encryption.key-id": KEY_ID,
            "format-version": "3",
            "write.parquet.bloom-filter-enabled.column.id": "true",
        },
    )
    table.append(rows(*range(1000)))
    table.append(rows(2000))
    assert table.scan(row_filter="id = 2000").to_arrow().num_rows == 1
    check(table, options)


@pytest.mark.parametrize("length", ["16", "32"])
def test_keys_have_the_length_that_the_property_says(catalog, options, length):
    properties = {"encryption.key-id": KEY_ID, "format-version": "3", "encryption.data-key-length": length}
    table = catalog.create_table("a.l", SCHEMA, properties=properties)
    table.append(rows(1))
    found = check(table, options)
    assert {len(key.key) for key in found.keys.values()} == {int(length)}


def test_keys_of_24_bytes_are_refused_before_a_table_is_made(catalog):
    properties = {"encryption.key-id": KEY_ID, "format-version": "3", "encryption.data-key-length": "24"}
    with pytest.raises(UnsupportedError, match="16 or 32"):
        catalog.create_table("a.l", SCHEMA, properties=properties)
    assert not catalog.table_exists("a.l")


@pytest.mark.parametrize("version", ["1", "2"])
def test_older_versions_have_no_encryption(catalog, version):
    with pytest.raises(UnsupportedError, match="version 3"):
        catalog.create_table(
            "a.old", SCHEMA, properties={"encryption.key-id": KEY_ID, "format-version": version}
        )


def test_without_key_management_nothing_is_made_or_written(table, tmp_path):
    plain = fb.load_catalog(
        f"plain-{tmp_path.name}", type="filesystem", warehouse=str(tmp_path / "warehouse")
    )
    with pytest.raises(UnsupportedError, match="key_management"):
        plain.create_table("a.n", SCHEMA, properties={"encryption.key-id": KEY_ID, "format-version": "3"})
    table.append(rows(1))
    before = sorted(files_of(table))
    without = plain.load_table("a.t")
    for write in (
        lambda: without.append(rows(2)),
        lambda: without.delete("id = 1"),
        lambda: without.overwrite(rows(3)),
    ):
        with pytest.raises(UnsupportedError, match="key_management"):
            write()
    assert sorted(files_of(table)) == before


def test_the_master_key_of_a_table_stays(table):
    for change in (
        lambda: table.set_properties({"encryption.key-id": "other"}),
        lambda: table.remove_properties("encryption.key-id"),
        lambda: table.set_properties({"encryption.data-key-length": "32"}),
    ):
        with pytest.raises(UnsupportedError, match="encryption"):
            change()


def test_statistics_are_refused(table):
    table.append(rows(1))
    before = sorted(files_of(table))
    with pytest.raises(UnsupportedError, match="encrypted"):
        table.maintenance.compute_table_stats()
    assert sorted(files_of(table)) == before


def test_a_rotated_wrapping_key_wraps_what_is_new(table, options):
    table.append(rows(1))
    rotate_key(options["encryption.key-file"], KEY_ID)
    again = fb.open_table(table.location(), storage_options=options)
    assert read(again) == expected(1)
    table.append(rows(2))
    check(table, options)


def test_a_key_of_keys_is_used_again_while_it_is_young(catalog):
    table = catalog.create_table(
        "a.k", SCHEMA, properties={"encryption.key-id": KEY_ID, "format-version": "3"}
    )
    table.append(rows(1))
    document = json.loads(Path(table.metadata_location.removeprefix("file://")).read_text())
    wrapping = [key for key in document["encryption-keys"] if key["encrypted-by-id"] == KEY_ID]
    assert len(wrapping) == 1
    table.append(rows(2))
    document = json.loads(Path(table.metadata_location.removeprefix("file://")).read_text())
    assert [key for key in document["encryption-keys"] if key["encrypted-by-id"] == KEY_ID] == wrapping
    assert len(document["encryption-keys"]) == 3
    assert {snapshot["key-id"] for snapshot in document["snapshots"]} < {
        key["key-id"] for key in document["encryption-keys"]
    }


def test_recipes_and_receipts_travel_without_a_key(table, options):
    recipe = pickle.dumps(table.write_recipe())
    receipt = pickle.dumps(pickle.loads(recipe).write(rows(1, 2), task="0"))
    table.commit_receipts([pickle.loads(receipt)])
    assert read(table) == expected(1, 2)
    for key in check(table, options).keys.values():
        assert key.key not in receipt
        assert key.key not in recipe


def test_a_plain_file_is_not_added(table, tmp_path):
    pq.write_table(rows(1), tmp_path / "plain.parquet")
    with pytest.raises(FloebergError, match="encrypted"):
        table.add_files([str(tmp_path / "plain.parquet")])


def test_a_copy_of_a_table_under_another_key_is_encrypted(catalog, table, options):
    create_key(options["encryption.key-file"], "other")
    table.append(rows(1, 2))
    other = catalog.create_table(
        "a.o", SCHEMA, properties={"encryption.key-id": "other", "format-version": "3"}
    )
    other.append(table.scan().to_arrow())
    assert read(other) == expected(1, 2)
    check(other, options)


def test_a_table_is_made_with_its_rows(catalog, options):
    properties = {"encryption.key-id": KEY_ID, "format-version": "3"}
    with catalog.create_table_transaction("a.c", SCHEMA, properties=properties) as transaction:
        transaction.append(rows(1))
    table = catalog.load_table("a.c")
    assert read(table) == expected(1)
    check(table, options)


def test_an_unknown_length_of_keys_is_refused(catalog):
    with pytest.raises(InvalidInputError, match="data-key-length"):
        catalog.create_table(
            "a.x",
            SCHEMA,
            properties={
                "encryption.key-id": KEY_ID,
                "format-version": "3",
                "encryption.data-key-length": "7",
            },
        )


def test_orc_files_are_refused(catalog, table):
    with pytest.raises(
        UnsupportedError, match="encrypted tables have no ORC files: expected parquet or avro"
    ):
        table.append(rows(1), options={"write-format": "orc"})
    assert table.current_snapshot() is None
    properties = {"encryption.key-id": KEY_ID, "format-version": "3", "write.format.default": "orc"}
    made = catalog.create_table("a.orc", SCHEMA, properties=properties)
    with pytest.raises(UnsupportedError, match="encrypted tables have no ORC files"):
        made.append(rows(1))


def test_a_source_beyond_memory_is_not_spilled_in_plain(table, monkeypatch):
    table.append(rows(1, 2))
    monkeypatch.setenv("FLOEBERG_MEMORY", "4M")
    large = pa.table(
        {"id": list(range(100_000)), "secret": [f"{WORD}-{'y' * 60}-{n}" for n in range(100_000)]},
        schema=SCHEMA,
    )
    for change in (
        lambda: table.upsert(large, join_cols=["id"]),
        lambda: table.merge(large, on="id").when_not_matched_insert_all().execute(),
    ):
        with pytest.raises(
            LimitExceededError, match="are not written to a temporary file: set FLOEBERG_MEMORY"
        ):
            change()
    assert read(table) == [(1, f"{WORD}-1"), (2, f"{WORD}-2")]
