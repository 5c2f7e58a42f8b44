"""What metadata of others names, and what is done of it: files elsewhere, keys, properties, another table's id."""

from __future__ import annotations

import json
import logging
import pickle
from pathlib import Path

import pytest
from one_column import SCHEMA, ids, rows

import floeberg as fb
from floeberg.catalog.sql import SqlCatalog
from floeberg.errors import (
    CommitConflictError,
    CommitStateUnknownError,
    InvalidDataError,
    InvalidInputError,
    NoSuchTableError,
    NotFoundError,
    StorageError,
    UnsupportedError,
)

DROPS_OLD = {
    "write.metadata.delete-after-commit.enabled": "true",
    "write.metadata.previous-versions-max": "1",
}


@pytest.fixture
def prod(tmp_path):
    catalog = SqlCatalog(
        "prod", {"uri": f"sqlite:///{tmp_path}/c.db", "warehouse": (tmp_path / "warehouse").as_uri()}
    )
    catalog.create_namespace("sales")
    return catalog


@pytest.fixture
def forged(prod):
    """Takes a table of one row into the catalog, with metadata that somebody else changed."""

    def make(change):
        table = prod.create_table("sales.made", SCHEMA)
        table.append(rows(1))
        place = path_of(table.metadata_location)
        document = json.loads(place.read_text())
        prod.drop_table("sales.made")
        other = place.with_name("00009-forged.metadata.json")
        other.write_text(json.dumps(change(document)))
        return prod.register_table("sales.orders", other)

    return make


def path_of(location: str) -> Path:
    return Path(location.removeprefix("file://"))


# Another table under the same name.


def test_a_table_does_not_become_another_of_its_name(catalog):
    catalog.create_namespace("sales")
    before = catalog.create_table("sales.orders", SCHEMA)
    before.append(rows(1))
    travelled, scan = pickle.dumps(before), pickle.dumps(before.scan())
    place = before.metadata_location
    catalog.drop_table("sales.orders")
    after = catalog.create_table("sales.orders", SCHEMA)
    after.append(rows(7, 8))
    with pytest.raises(NoSuchTableError, match="another was made in its place: expected the uuid"):
        before.refresh()
    assert before.metadata_location == place
    for change in (
        lambda: before.append(rows(2)),
        lambda: before.append(rows(2), idempotency_key="k"),
        lambda: before.set_properties({"a": "b"}),
    ):
        with pytest.raises((CommitConflictError, NoSuchTableError), match="another was made in its place"):
            change()
    assert ids(after.refresh()) == [7, 8]
    if after.metadata_location == place:
        # In a folder both tables have files of one name: what was sent away is of the first.
        for sent in (travelled, scan):
            with pytest.raises(NotFoundError, match="another was made in its place"):
                pickle.loads(sent)


def test_a_scan_that_was_sent_away_is_of_its_own_metadata_file(tmp_path):
    lake = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path))
    lake.create_namespace("n")
    table = lake.create_table("n.t", SCHEMA)
    table.append(rows(1))
    sent = pickle.dumps(table.scan())
    place = Path(table.metadata_location)
    document = json.loads(place.read_text())
    document["last-updated-ms"] += 1
    place.write_text(json.dumps(document))
    with pytest.raises(NotFoundError, match="another one of the same name"):
        pickle.loads(sent)


# Files elsewhere.


def test_a_commit_removes_no_file_of_others(forged, tmp_path, caplog):
    victims = [tmp_path / "victim.metadata.json", tmp_path / "warehouse-2" / "v.metadata.json"]
    inside = tmp_path / "warehouse" / "sales" / "made"
    linked = tmp_path / "elsewhere" / "linked.metadata.json"
    for each in (*victims, linked):
        each.parent.mkdir(exist_ok=True)
        each.write_text("not of this table")
    data: list[str] = []

    def change(document):
        (inside / "out").symlink_to(linked.parent)
        data.extend(map(str, (inside / "data").glob("*.parquet")))
        named = [
            *map(str, victims),
            f"{inside}/../../../victim.metadata.json",
            f"{inside}-2/v.metadata.json",
            f"{inside}/out/linked.metadata.json",
            # What is in the table's folder and is no metadata file, or is one that is needed.
            *data,
            f"{inside}/metadata/00009-forged.metadata.json",
            f"file://{inside}/metadata//00009-forged.metadata.json",
        ]
        at = document["last-updated-ms"] - 1
        document["metadata-log"] = [{"timestamp-ms": at, "metadata-file": each} for each in named]
        document["properties"] = DROPS_OLD
        return document

    table = forged(change)
    with caplog.at_level(logging.WARNING, logger="floeberg.catalog"):
        table.append(rows(2))
    assert ids(table) == [1, 2]
    assert all(each.exists() for each in (*victims, linked, *map(Path, data)))
    assert "victim.metadata.json" in caplog.text
    assert (inside / "metadata" / "00009-forged.metadata.json").exists()


@pytest.mark.unchecked_tables("its files are purged")
def test_a_purge_removes_no_file_of_others_unless_told(forged, prod, tmp_path, caplog):
    victim, statistics = tmp_path / "victim.txt", tmp_path / "statistics.puffin"

    def change(document):
        victim.write_text("not of this table")
        statistics.write_text("neither")
        document["metadata-log"] = [
            {"timestamp-ms": document["last-updated-ms"] - 1, "metadata-file": str(victim)}
        ]
        document["statistics"] = [
            {
                "snapshot-id": document["current-snapshot-id"],
                "statistics-path": str(statistics),
                "file-size-in-bytes": 1,
                "file-footer-size-in-bytes": 1,
                "blob-metadata": [],
            }
        ]
        return document

    table = forged(change)
    location, place = table.location(), table.metadata_location
    with caplog.at_level(logging.WARNING, logger="floeberg.catalog"):
        assert prod.purge_table("sales.orders") == [str(statistics), str(victim)]
    assert victim.exists()
    assert statistics.exists()
    assert "2 files" in caplog.text
    assert not list(path_of(location).rglob("*.avro"))
    assert not list(path_of(location).rglob("*.parquet"))
    assert not path_of(place).exists()


@pytest.mark.unchecked_tables("its files are purged")
def test_a_purge_removes_files_elsewhere_where_it_is_told(forged, prod, tmp_path):
    victim = tmp_path / "victim.txt"
    victim.write_text("given up")

    def change(document):
        at = document["last-updated-ms"] - 1
        return document | {"metadata-log": [{"timestamp-ms": at, "metadata-file": str(victim)}]}

    forged(change)
    assert prod.purge_table("sales.orders", outside=True) == []
    assert not victim.exists()


def test_a_table_has_files_where_its_properties_say(prod, tmp_path):
    places = {key: str(tmp_path / key) for key in ("write.data.path", "write.metadata.path")}
    table = prod.create_table("sales.orders", SCHEMA, properties=places)
    table.append(rows(1))
    assert len(list((tmp_path / "write.data.path").rglob("*.parquet"))) == 1
    assert prod.purge_table("sales.orders") == []
    left = [path for each in places.values() for path in Path(each).rglob("*") if path.is_file()]
    assert left == []


def test_a_folder_that_is_a_link_is_not_purged_in_part(tmp_path):
    lake = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path / "lake"))
    lake.create_namespace("n.inner")
    lake.create_table("n.t", SCHEMA).append(rows(1))
    for name in ("t", "inner"):
        (tmp_path / "lake" / "n" / name).rename(tmp_path / name)
        (tmp_path / "lake" / "n" / name).symlink_to(tmp_path / name)
    assert ids(lake.load_table("n.t")) == [1]
    for remove in (
        lambda: lake.purge_table("n.t"),
        lambda: lake.drop_table("n.t"),
        lambda: lake.drop_namespace("n.inner"),
    ):
        with pytest.raises(UnsupportedError, match="the folder is a link to") as caught:
            remove()
        assert "None" not in str(caught.value)
    assert ids(lake.load_table("n.t")) == [1]


# Keys.


@pytest.mark.parametrize("how", ["property", "keys", "snapshot"])
def test_nothing_is_written_in_the_clear_to_an_encrypted_table(forged, tmp_path, how):
    def change(document):
        if how == "property":
            document["properties"] = {"encryption.key-id": "master"}
        elif how == "keys":
            document |= {"format-version": 3, "next-row-id": 1}
            document["encryption-keys"] = [{"key-id": "k1", "encrypted-key-metadata": "YQ=="}]
        else:
            document |= {"format-version": 3, "next-row-id": 1}
            document["snapshots"][0]["key-id"] = "k1"
        return document

    table = forged(change)
    table.update_schema()
    before = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    plain = fb.load_catalog("plain", type="memory")
    plain.create_namespace_if_not_exists("n")
    receipt = plain.create_table_if_not_exists("n.t", SCHEMA).write_recipe().write(rows(9), task="0")
    for write in (
        lambda: table.append(rows(2)),
        lambda: table.overwrite(rows(2)),
        lambda: table.dynamic_partition_overwrite(rows(2)),
        lambda: table.delete("id = 1"),
        table.write_recipe,
        lambda: table.commit_receipts([receipt]),
        lambda: table.commit_receipts([receipt], mode="overwrite"),
        lambda: table.set_properties({"encryption.key-id": "other"}),
    ):
        with pytest.raises(UnsupportedError, match="encrypted"):
            write()
    if how == "property":
        with pytest.raises(UnsupportedError, match="encrypted"):
            table.remove_properties("encryption.key-id")
    assert sorted(path for path in tmp_path.rglob("*") if path.is_file()) == before
    # What writes no file but the metadata is done.
    table.set_properties({"owner": "jo"})
    assert table.properties["owner"] == "jo"


def test_no_encrypted_table_is_made(prod, tmp_path):
    with pytest.raises(UnsupportedError, match=r"encryption\.key-id"):
        prod.create_table("sales.orders", SCHEMA, properties={"encryption.key-id": "master"})
    assert not prod.table_exists("sales.orders")
    assert not (tmp_path / "warehouse").exists()


# Properties.


def test_a_property_that_nobody_could_follow_is_refused_where_it_is_set(catalog, kind):
    catalog.create_namespace("sales")
    for properties in (
        {"write.target-file-size-bytes": "big"},
        {"write.parquet.compression-codec": "zip"},
        {"commit.retry.num-retries": "many"},
        {"write.metadata.compression-codec": "snappy"},
        {"schema.name-mapping.default": "{"},
    ):
        (key,) = properties
        with pytest.raises(InvalidInputError) as caught:
            catalog.create_table("sales.orders", SCHEMA, properties=properties)
        assert caught.value.context["property"] == key
        assert not catalog.table_exists("sales.orders")
    table = catalog.create_table("sales.orders", SCHEMA, properties={"owner": 7, "gc.enabled": True})
    given = {key: value for key, value in table.properties.items() if key not in kind.adds_properties}
    assert given == {"owner": "7", "gc.enabled": "true"}
    place = table.metadata_location
    transaction = table.transaction()
    with pytest.raises(InvalidInputError, match="'?expected a whole number"):
        transaction.set_properties({"write.target-file-size-bytes": "big"})
    transaction.set_properties({"write.target-file-size-bytes": 1 << 20})
    transaction.commit_transaction()
    assert table.properties["write.target-file-size-bytes"] == "1048576"
    assert table.metadata_location != place


@pytest.mark.parametrize(
    ("key", "bad", "good"),
    [
        ("write.target-file-size-bytes", "big", "1000000"),
        ("commit.retry.num-retries", "many", "2"),
        ("write.metadata.compression-codec", "snappy", "gzip"),
        ("write.manifest.compression-codec", "zip", "zstd"),
    ],
)
def test_a_table_with_a_property_that_nobody_can_follow_is_read_and_mended(forged, key, bad, good):
    table = forged(lambda document: document | {"properties": {key: bad}})
    assert ids(table) == [1]
    table.set_properties({key: good})
    table.append(rows(2))
    assert ids(table) == [1, 2]


def test_a_table_is_not_dropped_where_it_does_not_say_whether_its_files_may_go(forged, prod):
    table = forged(lambda document: document | {"properties": {"gc.enabled": "maybe"}})
    with pytest.raises(InvalidInputError, match=r"true or false.*gc\.enabled"):
        prod.purge_table("sales.orders")
    assert ids(prod.load_table("sales.orders")) == ids(table) == [1]


def test_a_bad_number_of_retries_hides_no_conflict(forged, monkeypatch):
    table = forged(lambda document: document | {"properties": {"commit.retry.num-retries": "many"}})

    def conflict(*_):
        raise CommitConflictError("another writer was faster", retryable=True)

    monkeypatch.setattr(SqlCatalog, "do_swap_metadata_location", conflict)
    with pytest.raises(CommitConflictError, match="was faster") as caught:
        table.append(rows(2))
    assert "not retried" in caught.value.__notes__[0]


def test_a_bad_number_of_retries_makes_no_unknown_outcome_a_failure(forged, prod, monkeypatch):
    table = forged(lambda document: document | {"properties": {"commit.retry.num-retries": "many"}})
    swap = SqlCatalog.do_swap_metadata_location

    def unreachable(*_):
        raise StorageError("the catalog cannot be reached")

    def lost(*arguments):
        swap(*arguments)
        patched.setattr(SqlCatalog, "do_load_metadata_location", unreachable)
        raise CommitStateUnknownError("the answer was lost")

    with monkeypatch.context() as patched:
        patched.setattr(SqlCatalog, "do_swap_metadata_location", lost)
        with pytest.raises(CommitStateUnknownError):
            table.append(rows(2))
    assert ids(prod.load_table("sales.orders")) == [1, 2]


def test_a_version_of_a_bad_codec_is_followed_by_one_that_mends_it(tmp_path):
    lake = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path))
    lake.create_namespace("n")
    place = Path(lake.create_table("n.t", SCHEMA).metadata_location)
    document = json.loads(place.read_text())
    document["properties"] = {"write.metadata.compression-codec": "snappy"}
    place.write_text(json.dumps(document))
    table = lake.load_table("n.t")
    with pytest.raises(InvalidInputError, match='expected none or gzip, found "snappy"'):
        table.append(rows(1))
    table.set_properties({"write.metadata.compression-codec": "gzip"})
    table.append(rows(2))
    assert ids(lake.load_table("n.t")) == [2]


def test_a_name_mapping_of_others_that_is_none_is_told_by_its_property(forged):
    table = forged(lambda document: document | {"properties": {"schema.name-mapping.default": "{"}})
    with pytest.raises(InvalidDataError) as caught:
        table.scan().to_arrow()
    assert caught.value.context["property"] == "schema.name-mapping.default"
    table.remove_properties("schema.name-mapping.default")
    assert ids(table) == [1]


# Hints and names.


@pytest.mark.parametrize(
    "hint", [b"v1", b"1\x00", b"1" * 5000, b"7", b"v18446744073709551615", b"\xff\xfe", None]
)
def test_whatever_stands_in_the_place_of_the_hint_all_versions_are_found(tmp_path, hint):
    lake = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path))
    lake.create_namespace("n")
    table = lake.create_table("n.t", SCHEMA)
    table.append(rows(1))
    place = tmp_path / "n" / "t" / "metadata" / "version-hint.text"
    if hint is None:
        place.unlink()
        place.mkdir()
    else:
        place.write_bytes(hint)
    loaded = lake.load_table("n.t")
    assert ids(loaded) == ids(fb.open_table(tmp_path / "n" / "t")) == [1]
    loaded.append(rows(2))
    assert ids(table.refresh()) == [1, 2]
    lake.drop_table("n.t")
    assert not (tmp_path / "n" / "t").exists()


def test_a_name_that_no_file_system_takes_is_told(tmp_path):
    lake = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path))
    lake.create_namespace("n")
    long = "x" * 300
    assert not lake.namespace_exists((long,))
    for make in (
        lambda: lake.create_namespace((long,)),
        lambda: lake.create_namespace(("n", long)),
        lambda: lake.create_table(("n", long), SCHEMA),
        lambda: lake.create_table(("n", "t.metadata.json"), SCHEMA),
        lambda: lake.create_namespace(("a\x00b",)),
        lambda: lake.create_namespace(("..",)),
        lambda: lake.create_namespace(("a/b",)),
        lambda: lake.create_namespace(("\ud800",)),
    ):
        with pytest.raises(InvalidInputError):
            make()
    assert [each.name for each in tmp_path.iterdir()] == ["n"]
    assert lake.list_tables("n") == []


def test_no_error_shows_a_password_in_a_location(prod):
    secret = "se/cr+et"
    place = f"s3://AKIA:{secret}@bucket/warehouse"
    for ask in (
        lambda: fb.open_table(place),
        lambda: prod.create_table("sales.t", SCHEMA, location=place),
        lambda: fb.load_catalog("s", type="filesystem", warehouse=place),
        lambda: prod.register_table("sales.t", f"{place}/v1.metadata.json"),
    ):
        with pytest.raises(InvalidInputError, match="without user and password") as caught:
            ask()
        assert secret not in repr(caught.value) + str(caught.value) + repr(caught.value.context)
        assert "***@bucket" in str(caught.value)
    # Where it was written by others, all the same.
    prod.do_register_table(("sales", "t"), f"{place}/metadata/1-a.metadata.json")
    with pytest.raises(fb.FloebergError) as told:
        prod.load_table("sales.t")
    assert secret not in str(told.value) + repr(told.value.context)
