"""Tables in folders: versions, hints, and who may write them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from one_column import SCHEMA, attempt_on, ids, rows

import floeberg as fb
from floeberg import _native
from floeberg.catalog import FileSystemCatalog
from floeberg.commit import filesystem
from floeberg.errors import (
    AlreadyExistsError,
    CommitConflictError,
    CommitStateUnknownError,
    InvalidInputError,
    NamespaceNotEmptyError,
    StorageError,
    TableAlreadyExistsError,
    UnsupportedError,
)


@pytest.fixture
def warehouse(tmp_path):
    return tmp_path / "warehouse"


@pytest.fixture
def lake(warehouse):
    catalog = FileSystemCatalog("lake", {"warehouse": str(warehouse)})
    catalog.create_namespace("sales")
    return catalog


@pytest.fixture
def orders(lake):
    return lake.create_table("sales.orders", SCHEMA)


@pytest.fixture
def metadata(warehouse):
    """The folder of the table's metadata files."""
    return warehouse / "sales" / "orders" / "metadata"


def versions(metadata):
    return sorted(path.name for path in metadata.iterdir() if "metadata.json" in path.name)


def test_each_commit_is_the_next_version_and_the_hint_follows(orders, metadata):
    assert versions(metadata) == ["v1.metadata.json"]
    orders.append(rows(1))
    orders.append(rows(2))
    assert versions(metadata) == ["v1.metadata.json", "v2.metadata.json", "v3.metadata.json"]
    assert (metadata / "version-hint.text").read_text() == "3"
    assert [path.name for path in metadata.iterdir() if path.name.startswith(".")] == []


def test_a_hint_that_is_stale_or_gone_misleads_nobody(orders, lake, metadata):
    for number in range(3):
        orders.append(rows(number))
    (metadata / "version-hint.text").write_text("2")
    lake.load_table("sales.orders").append(rows(3))
    (metadata / "version-hint.text").unlink()
    lake.load_table("sales.orders").append(rows(4))
    assert ids(lake.load_table("sales.orders")) == [0, 1, 2, 3, 4]
    assert len(versions(metadata)) == 6


def test_a_compressed_version_follows_what_its_base_says(orders, lake, metadata):
    orders.set_properties({"write.metadata.compression-codec": "gzip"})
    orders.append(rows(1))
    orders.set_properties({"write.metadata.compression-codec": "none"})
    orders.append(rows(2))
    assert versions(metadata) == [
        "v1.metadata.json",
        "v2.metadata.json",
        "v3.gz.metadata.json",
        "v4.gz.metadata.json",
        "v5.metadata.json",
    ]
    assert (metadata / "v3.gz.metadata.json").read_bytes()[:2] == b"\x1f\x8b"
    assert ids(lake.load_table("sales.orders")) == [1, 2]


def test_a_first_version_is_compressed_as_the_table_says(lake, warehouse):
    lake.create_namespace("packed")
    packed = {"write.metadata.compression-codec": "gzip"}
    table = lake.create_table("packed.t", SCHEMA, properties=packed)
    table.append(rows(1))
    folder = warehouse / "packed" / "t" / "metadata"
    assert versions(folder) == ["v1.gz.metadata.json", "v2.gz.metadata.json"]
    assert ids(lake.load_table("packed.t")) == [1]
    for properties in (packed, {}):
        with pytest.raises(TableAlreadyExistsError):
            lake.create_table("packed.t", SCHEMA, properties=properties)


def test_of_two_first_versions_of_other_names_none_passes_the_other_by(lake, warehouse, monkeypatch):
    lake.create_namespace("packed")
    folder = warehouse / "packed" / "t" / "metadata"
    write = filesystem.write_metadata_file

    def overtaken(attempt, location, options):
        # As one that looked for other names before this version was there.
        folder.mkdir(parents=True)
        (folder / "v1.metadata.json").write_text("of another")
        return write(attempt, location, options)

    monkeypatch.setattr(filesystem, "write_metadata_file", overtaken)
    with pytest.raises(TableAlreadyExistsError):
        lake.create_table("packed.t", SCHEMA, properties={"write.metadata.compression-codec": "gzip"})
    assert versions(folder) == ["v1.metadata.json"]


def test_a_version_of_another_name_is_not_passed_by(orders, metadata):
    orders.append(rows(1))
    # As another program makes it, after the table was loaded.
    shutil.copy(metadata / "v2.metadata.json", metadata / "v3.gz.metadata.json")
    home = orders._operations
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(home), "load", lambda _self, known: known)
        with pytest.raises(CommitConflictError, match="version 3"):
            orders.append(rows(2))
    assert "v3.metadata.json" not in versions(metadata)


def test_what_follows_a_version_that_is_gone_is_taken_back(orders, metadata):
    orders.append(rows(1))
    home = orders._operations
    with pytest.MonkeyPatch.context() as patch:

        def load(_self, known):
            (metadata / "v2.metadata.json").unlink(missing_ok=True)
            return known

        patch.setattr(type(home), "load", load)
        with pytest.raises(CommitConflictError, match="version 3"):
            orders.append(rows(2))
    assert versions(metadata) == ["v1.metadata.json"]


def test_old_versions_are_removed_where_the_table_asks_for_it(orders, lake, metadata):
    orders.set_properties(
        {"write.metadata.delete-after-commit.enabled": "true", "write.metadata.previous-versions-max": "2"}
    )
    for number in range(6):
        orders.append(rows(number))
    assert versions(metadata) == ["v6.metadata.json", "v7.metadata.json", "v8.metadata.json"]
    assert ids(lake.load_table("sales.orders")) == list(range(6))


class Lossy:
    """An attempt whose metadata file is written, or not, and whose answer is another one."""

    def __init__(self, attempt, *, writes, error):
        self.attempt = attempt
        self.writes = writes
        self.error = error

    def __getattr__(self, name):
        return getattr(self.attempt, name)

    def write_metadata(self, location, *, if_absent):
        if self.writes:
            self.attempt.write_metadata(location, if_absent=if_absent)
        raise self.error


def outcome_unknown():
    error = StorageError("the connection broke", retryable=True)
    error.outcome_unknown = True
    return error


@pytest.mark.parametrize("error", [outcome_unknown(), AlreadyExistsError("there is one")])
def test_a_version_whose_answer_was_lost_is_found_by_what_it_says(orders, lake, error):
    base = orders._inner
    lossy = Lossy(attempt_on(base), writes=True, error=error)
    made = lake.commit_table("sales.orders", orders, lossy)
    again = lake.load_table("sales.orders")
    assert again.metadata_location == made.metadata_location
    assert again.properties["owner"] == "jo"


def test_a_version_that_may_yet_come_is_of_unknown_outcome(orders, lake):
    lossy = Lossy(attempt_on(orders._inner), writes=False, error=outcome_unknown())
    with pytest.raises(CommitStateUnknownError, match="the connection broke") as caught:
        lake.commit_table("sales.orders", orders, lossy)
    assert caught.value.context["metadata"].endswith("/v2.metadata.json")


def test_a_version_of_another_after_a_lost_answer_is_a_conflict(orders, lake):
    base = lake.load_table("sales.orders")
    attempt = attempt_on(base._inner)
    orders.append(rows(1))
    for error in (outcome_unknown(), AlreadyExistsError("there is one")):
        with pytest.raises(CommitConflictError):
            lake.commit_table("sales.orders", base, Lossy(attempt, writes=False, error=error))
    assert "owner" not in lake.load_table("sales.orders").properties


def test_a_failure_after_the_version_was_written_does_not_undo_it(orders, lake):
    home = orders._operations
    exists = _native.file_exists
    asked = []

    def failing(location, **options):
        asked.append(location)
        # The other names of the version are looked for first, and then the base.
        if location.endswith("v1.metadata.json"):
            raise StorageError("the disk is gone", retryable=True)
        return exists(location, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_native, "file_exists", failing)
        orders.append(rows(1))
    assert len(asked) == 3
    assert ids(orders) == ids(lake.load_table("sales.orders")) == [1]
    assert orders._operations is home


@pytest.mark.parametrize("key", ["write.metadata.path"])
def test_a_table_stays_in_its_folder(orders, lake, key, tmp_path):
    with pytest.raises(InvalidInputError, match=r"'write\.metadata\.path' cannot be set"):
        orders.set_properties({key: str(tmp_path / "elsewhere")})
    with pytest.raises(InvalidInputError, match="a filesystem catalog keeps it at"):
        lake.create_table("sales.more", SCHEMA, location=str(tmp_path / "elsewhere"))
    assert lake.list_tables("sales") == [("sales", "orders")]
    lake.create_table("sales.more", SCHEMA, location=(tmp_path / "warehouse/sales/more").as_uri())


def test_a_dropped_table_goes_with_its_folder_and_what_was_in_it(orders, lake, warehouse, tmp_path):
    kept = tmp_path / "kept.parquet"
    kept.write_bytes(b"not of the table")
    (warehouse / "sales" / "orders" / "link").symlink_to(tmp_path)
    orders.append(rows(1))
    lake.drop_table("sales.orders")
    assert list((warehouse / "sales").iterdir()) == []
    assert kept.exists()
    lake.drop_namespace("sales")
    assert list(warehouse.iterdir()) == []


def test_a_folder_that_holds_anything_is_not_dropped(lake, warehouse):
    (warehouse / "sales" / "notes.txt").write_text("keep me")
    with pytest.raises(NamespaceNotEmptyError, match=r"its folder has 'notes\.txt'"):
        lake.drop_namespace("sales")
    assert (warehouse / "sales" / "notes.txt").exists()


def test_hidden_folders_and_files_are_no_namespaces(lake, warehouse):
    (warehouse / ".snapshots").mkdir()
    (warehouse / "notes.txt").write_text("")
    assert lake.list_namespaces() == [("sales",)]


@pytest.mark.usefixtures("orders")
def test_a_table_is_no_namespace(lake):
    assert not lake.namespace_exists("sales.orders")
    assert lake.list_namespaces("sales") == []
    with pytest.raises(InvalidInputError, match=r"'sales\.orders' is a table"):
        lake.create_namespace("sales.orders.inner")


def test_a_table_that_was_opened_in_its_folder_is_written_there(orders, lake, warehouse):
    folder = warehouse / "sales" / "orders"
    for place in (folder, folder.as_uri(), folder / "metadata" / "v1.metadata.json"):
        opened = fb.open_table(place)
        assert opened.name() == ()
        assert opened.catalog is None
        opened.append(rows(1))
    assert ids(lake.load_table("sales.orders")) == [1, 1, 1]
    assert ids(orders.refresh()) == [1, 1, 1]


def test_a_table_elsewhere_than_it_says_is_read_only(orders, warehouse, tmp_path):
    orders.append(rows(1))
    moved = tmp_path / "moved"
    shutil.copytree(warehouse / "sales" / "orders", moved)
    folder = str(warehouse / "sales" / "orders")
    (snapshot,) = orders.snapshots()
    for table, match in (
        (fb.open_table(moved), "the table was moved"),
        (fb.open_table(moved, relocate={folder: str(moved)}), "opened with `relocate`"),
        (fb.open_table(folder, snapshot_id=snapshot.snapshot_id), "opened at a fixed snapshot"),
    ):
        before = sorted(moved.rglob("*"))
        for write in (
            lambda table=table: table.append(rows(2)),
            lambda table=table: table.delete("id = 1"),
            lambda table=table: table.set_properties({"a": "b"}),
            table.write_recipe,
            table.transaction,
            table.refresh,
        ):
            with pytest.raises(UnsupportedError, match=match):
                write()
        assert sorted(moved.rglob("*")) == before


def test_a_table_of_a_catalog_that_was_opened_without_it_says_what_to_do(tmp_path):
    catalog = fb.load_catalog("named", type="memory", warehouse=str(tmp_path))
    catalog.create_namespace("sales")
    named = catalog.create_table("sales.orders", SCHEMA)
    opened = fb.open_table(named.location())
    with pytest.raises(UnsupportedError, match="register_table") as caught:
        opened.append(rows(1))
    assert repr(named.metadata_location) in str(caught.value)
    assert not Path(named.location(), "data").exists()
    catalog.create_namespace("again")
    catalog.register_table("again.orders", opened.metadata_location).append(rows(1))
    assert ids(catalog.load_table("again.orders")) == [1]
