"""A table that a catalog has by two names: what one name removes, the other one does not lose in silence."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import InvalidInputError, NoSuchTableError

EVER = "2100-01-01T00:00Z"


@pytest.fixture(params=["sql", "memory"])
def lake(request, tmp_path):
    """A catalog with the table `db.t`, which has a history."""
    more = {"uri": f"sqlite:///{tmp_path}/c.db"} if request.param == "sql" else {}
    made = fb.load_catalog(tmp_path.name, type=request.param, warehouse=str(tmp_path / "lake"), **more)
    made.create_namespace("db")
    table = made.create_table("db.t", pa.schema({"id": pa.int64()}))
    table.append(pa.table({"id": [1, 2]}))
    table.overwrite(pa.table({"id": [3]}))
    return made


def ids(lake, name):
    return sorted(lake.load_table(name).scan().to_arrow()["id"].to_pylist())


def twice(lake):
    """The table by both names, of which each is at a state of its own."""
    lake.register_table("db.u", lake.load_table("db.t").metadata_location)
    lake.load_table("db.u").append(pa.table({"id": [4]}))
    return lake.load_table("db.t")


def test_a_purge_is_refused(lake):
    twice(lake)
    with pytest.raises(
        InvalidInputError, match=r"the table 'db\.u' of the catalog is the same table"
    ) as caught:
        lake.purge_table("db.t")
    assert caught.value.context["other"] == lake.load_table("db.u").metadata_location
    assert (ids(lake, "db.t"), ids(lake, "db.u")) == ([3], [3, 4])
    # The name alone can go, and then the files belong to the other one.
    lake.drop_table("db.t")
    assert ids(lake, "db.u") == [3, 4]
    assert lake.purge_table("db.u") == []
    assert lake.list_tables("db") == []


def test_a_purge_that_is_wanted_says_afterwards_what_is_gone(lake):
    gone = twice(lake)
    last = lake.load_table("db.u").metadata_location
    lake.purge_table("db.u", registered_twice=True)
    for name in ("db.t",):
        with pytest.raises(NoSuchTableError) as caught:
            lake.load_table(name)
        assert "has the table 'db.t', and its metadata file is gone" in caught.value.message
        assert "near matches" not in str(caught.value)
        assert caught.value.context["path"] == gone.metadata_location
    assert not Path(last.removeprefix("file://")).exists()
    assert lake.list_tables("db") == [("db", "t")]
    lake.drop_table("db.t")
    assert lake.list_tables("db") == []
    with pytest.raises(NoSuchTableError, match="has no table"):
        lake.load_table("db.t")


def test_an_expiry_that_removes_files_is_refused(lake):
    table = twice(lake)
    snapshots = len(table.snapshots())
    for dry_run in (True, False):
        with pytest.raises(InvalidInputError, match="another name of the catalog is the same table"):
            table.maintenance.expire_snapshots(older_than=EVER, dry_run=dry_run)
    assert len(lake.load_table("db.t").snapshots()) == snapshots > 1
    done = table.maintenance.expire_snapshots(older_than=EVER, delete_files=False)
    assert len(done.snapshot_ids) == snapshots - 1
    other = lake.load_table("db.u")
    first = other.snapshots()[0]
    assert other.scan(snapshot_id=first.snapshot_id).count() == 2


def test_another_table_in_the_same_place_is_no_hindrance(lake):
    """A table whose old name was taken shares the folder, and no file."""
    place = lake.load_table("db.t").location()
    lake.rename_table("db.t", "db.old")
    new = lake.create_table("db.t", pa.schema({"id": pa.int64()}), location=place)
    new.append(pa.table({"id": [7]}))
    new.overwrite(pa.table({"id": [8]}))
    assert len(new.maintenance.expire_snapshots(older_than=EVER).snapshot_ids) > 0
    lake.purge_table("db.t")
    assert ids(lake, "db.old") == [3]


def test_a_name_whose_metadata_is_gone_is_no_hindrance(lake):
    table = twice(lake)
    Path(lake.load_table("db.u").metadata_location.removeprefix("file://")).unlink()
    assert table.maintenance.expire_snapshots(older_than=EVER).deleted_data_files_count == 1
    lake.purge_table("db.t")
    assert lake.list_tables("db") == [("db", "u")]


def test_an_argument_that_is_no_flag_is_refused(lake):
    with pytest.raises(InvalidInputError, match="registered_twice"):
        lake.purge_table("db.t", registered_twice="yes")
    assert ids(lake, "db.t") == [3]
