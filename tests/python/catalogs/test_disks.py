"""What becomes of writes where a disk takes nothing more, or nobody may write?"""

from __future__ import annotations

import os
import resource
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pytest
from catalog_kinds import KINDS
from one_column import SCHEMA, ids, rows

import floeberg as fb
from floeberg.catalog import Catalog
from floeberg.errors import PermissionDeniedError, StorageError

NOBODY = 65534
"""A user without rights, whom root becomes: rights do not bind root."""
ON_DISK = ["memory", "filesystem", "sqlite"]
"""Kinds of catalogs whose tables are in folders."""


@contextmanager
def nobody_may_write(folder: Path) -> Iterator[None]:
    """Everything in a folder can be read, and nothing changed."""
    everything = [folder, *folder.rglob("*")]
    rights = {path: path.stat().st_mode & 0o777 for path in everything}
    for path in everything:
        path.chmod(0o555 if path.is_dir() else 0o444)
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)
        for path, mode in rights.items():
            path.chmod(mode)


@contextmanager
def no_file_beyond(size: int) -> Iterator[None]:
    """The system refuses to write what would make a file larger."""
    least, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (least, most))


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that every user can get to."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        path.chmod(0o755)
        yield path


@pytest.fixture
def small_disk(folder) -> Iterator[Path]:
    """A disk of its own, of half a megabyte."""
    mounting = ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(mounting, check=False, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("there is no mount here")
    if mounted.returncode != 0:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def made(kind: str, folder: Path) -> tuple[Catalog, fb.Table]:
    """A catalog in a folder, with a table of two rows."""
    catalog = KINDS[kind].make(f"disks-{kind}-{folder.name}", folder)
    catalog.create_namespace("sales")
    table = catalog.create_table("sales.orders", SCHEMA)
    table.append(rows(1, 2))
    return catalog, table


def files(folder: Path) -> set[Path]:
    """The files of tables in a folder."""
    return {path for path in (folder / "warehouse").rglob("*") if path.is_file()}


def check_unchanged(catalog: Catalog, table: fb.Table, folder: Path, before: set[Path]) -> None:
    """The table has its two rows and no other files, and can be written."""
    assert files(folder) == before
    assert ids(catalog.load_table("sales.orders")) == [1, 2]
    table.append(rows(3))
    assert ids(catalog.load_table("sales.orders")) == [1, 2, 3]


WRITES = {
    "append": lambda table: table.append(rows(3)),
    "overwrite": lambda table: table.overwrite(rows(3)),
    "delete": lambda table: table.delete("id > 0"),
    "set_properties": lambda table: table.set_properties({"owner": "jo"}),
    "update_schema": lambda table: table.update_schema().add_column("name", pa.string()).commit(),
    "write_recipe": lambda table: table.write_recipe().write(rows(3), task="one"),
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("kind", ON_DISK)
def test_a_place_where_nobody_may_write_is_read_and_stays_as_it_was(kind, write, folder):
    catalog, table = made(kind, folder)
    before = files(folder)
    with nobody_may_write(folder):
        assert ids(catalog.load_table("sales.orders")) == [1, 2]
        with pytest.raises(PermissionDeniedError, match=r"denied|readonly|read-only") as caught:
            WRITES[write](table)
    assert "/sales/orders" in caught.value.context["path"]
    check_unchanged(catalog, table, folder, before)


@pytest.mark.parametrize("kind", ON_DISK)
def test_nothing_is_made_where_nobody_may_write(kind, folder):
    catalog, _ = made(kind, folder)
    before = files(folder)
    with nobody_may_write(folder), pytest.raises(PermissionDeniedError):
        catalog.create_table("sales.more", SCHEMA)
    assert files(folder) == before
    assert not catalog.table_exists("sales.more")
    assert catalog.create_table("sales.more", SCHEMA).scan().count() == 0


@pytest.mark.parametrize("kind", ON_DISK)
def test_a_file_that_cannot_be_written_whole_is_not_there_at_all(kind, folder):
    catalog, table = made(kind, folder)
    before = files(folder)
    many = pa.table({"id": pa.array(range(100_000))}, SCHEMA)
    with no_file_beyond(50_000), pytest.raises(StorageError) as caught:
        table.append(many)
    assert caught.value.context["path"].endswith(".parquet")
    check_unchanged(catalog, table, folder, before)


@pytest.mark.parametrize("kind", ON_DISK)
def test_a_disk_that_is_full_loses_nothing(kind, small_disk):
    catalog, table = made(kind, small_disk)
    acknowledged = [1, 2]
    left: set[Path] = set()

    def fill() -> None:
        for number in range(3, 1_000):
            left.clear()
            left.update(files(small_disk))
            table.append(rows(number))
            acknowledged.append(number)

    with pytest.raises(StorageError, match="no space|full"):
        fill()
    assert len(acknowledged) > 5
    assert files(small_disk) == left
    assert ids(catalog.load_table("sales.orders")) == acknowledged
    # Room is made, and all goes on.
    subprocess.run(["mount", "-o", "remount,size=2m", str(small_disk)], check=True)
    table.append(rows(0))
    assert ids(catalog.load_table("sales.orders")) == [0, *acknowledged]


def test_a_database_that_cannot_be_written_changes_nothing(folder):
    catalog, table = made("sqlite", folder)
    before = files(folder)
    database = folder / "catalog.db"
    largest = max(path.stat().st_size for path in before)
    assert database.stat().st_size > 2 * largest
    with no_file_beyond(2 * largest), pytest.raises(StorageError, match="cannot be written"):
        table.append(rows(3))
    check_unchanged(catalog, table, folder, before)
