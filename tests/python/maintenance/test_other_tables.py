"""Tables that are copied, linked, renamed or share a folder: what any table needs stays, by whatever name."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import floeberg as fb
from floeberg import errors
from maintenance.disk import EVER, SCHEMA, content, on_disk, path_of, rows

ALL = {"older_than": EVER, "allow_recent": True}
NAMES = '[{"field-id": 1, "names": ["id"]}, {"field-id": 2, "names": ["part"]}]'


def test_a_table_whose_old_name_was_taken_keeps_its_files(catalog, make):
    old = make()
    old.append(rows(1, 2))
    catalog.rename_table("db.t", "db.u")
    new = catalog.create_table("db.t", SCHEMA, location=old.location())
    new.append(rows(3))
    for table in (new, catalog.load_table("db.u")):
        with pytest.raises(errors.InvalidInputError, match="another table"):
            table.maintenance.remove_orphan_files(**ALL)
    assert catalog.load_table("db.u").scan().count() == 2
    # What only expired snapshots need is known without a list.
    new.overwrite(rows(4))
    new.maintenance.expire_snapshots(older_than=EVER)
    assert catalog.load_table("db.u").scan().count() == 2


def test_metadata_that_fell_out_of_the_log_is_the_tables_own(make):
    table = make(**{"write.metadata.previous-versions-max": "1"})
    for number in range(4):
        table.append(rows(number))
    done = table.maintenance.remove_orphan_files(**ALL)
    assert [each.endswith(".metadata.json") for each in done.orphan_file_locations] == [True] * 3
    assert table.refresh().scan().count() == 4


@pytest.mark.parametrize("name", ["v9.metadata.json.zst", "V9.METADATA.JSON", "9.gz.metadata.json"])
def test_metadata_that_cannot_be_read_is_another_tables(make, name):
    table = make()
    table.append(rows(1))
    other = Path(path_of(table.location())) / "metadata" / name
    other.write_bytes(b"not JSON")
    with pytest.raises(errors.InvalidInputError, match="of another table|not this table"):
        table.maintenance.remove_orphan_files(**ALL)
    assert other.exists()


@pytest.mark.unchecked_tables("the copy names the files of the original")
def test_a_copied_warehouse_does_not_lose_the_original(tmp_path):
    original = fb.load_catalog("original", type="filesystem", warehouse=str(tmp_path / "lake"))
    original.create_namespace("ns")
    table = original.create_table("ns.t", SCHEMA)
    table.append(rows(1))
    shutil.copytree(tmp_path / "lake", tmp_path / "copy")
    copy = fb.load_catalog("copy", type="filesystem", warehouse=str(tmp_path / "copy")).load_table("ns.t")
    table.append(rows(2, 3))
    for call in (
        lambda: copy.maintenance.expire_snapshots(older_than=EVER),
        lambda: copy.maintenance.expire_snapshots(older_than=EVER, dry_run=True),
        lambda: copy.maintenance.remove_orphan_files(**ALL),
    ):
        with pytest.raises(errors.InvalidInputError, match="copied, moved or linked"):
            call()
    assert sorted(table.refresh().scan().to_arrow()["id"].to_pylist()) == [1, 2, 3]


def test_a_warehouse_that_is_named_by_a_link_keeps_all(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    catalog = fb.load_catalog("linked", type="filesystem", warehouse=str(tmp_path / "link"))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", SCHEMA)
    for number in range(3):
        table.append(rows(number))
    through = fb.load_catalog("real", type="filesystem", warehouse=str(tmp_path / "real")).load_table("ns.t")
    assert table.maintenance.remove_orphan_files(**ALL).orphan_file_locations == ()
    with pytest.raises(errors.InvalidInputError, match="copied, moved or linked"):
        through.maintenance.remove_orphan_files(**ALL)
    assert sorted(table.refresh().scan().to_arrow()["id"].to_pylist()) == [0, 1, 2]


@pytest.mark.parametrize("place", ["{t}/x/../data", "{link}/data", "{t}//data/."])
def test_a_data_path_with_steps_or_links_is_the_same_folder(make, tmp_path, place):
    table = make()
    folder = path_of(table.location())
    (Path(folder) / "x").mkdir(parents=True)
    (tmp_path / "link").symlink_to(folder)
    table.set_properties({"write.data.path": place.format(t=folder, link=tmp_path / "link")})
    table.append(rows(1, 2))
    assert table.maintenance.remove_orphan_files(**ALL).orphan_file_locations == ()
    assert table.refresh().scan().count() == 2


def test_a_file_that_came_back_by_another_name_stays(make, tmp_path):
    table = make(**{"schema.name-mapping.default": NAMES})
    folder = Path(path_of(table.location()))
    (tmp_path / "link").symlink_to(folder)
    path = folder / "data" / "part=a" / "own.parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(rows(5), path)
    table.add_files([str(path)])
    table.delete("id = 5")
    table.add_files([f"{tmp_path}/link/data/part=a/own.parquet"])
    assert table.maintenance.expire_snapshots(older_than=EVER).deleted_data_files_count == 0
    assert table.maintenance.remove_orphan_files(**ALL).orphan_file_locations == ()
    assert table.refresh().scan().to_arrow()["id"].to_pylist() == [5]


def test_files_of_a_list_are_seen_by_their_real_names(make, tmp_path):
    table = make()
    table.append(rows(1))
    folder = path_of(table.location())
    (tmp_path / "link").symlink_to(folder)
    live = path_of(table.inspect.files()["file_path"].to_pylist()[0])
    spelled = live.replace(folder, f"{tmp_path}/link")
    lost = Path(folder) / "data" / "lost"
    lost.write_text("x")
    listed = {spelled: 0, live: 0, str(lost): 0, f"file://{lost}": 0, str(tmp_path / "outside"): 0}
    planned = table.maintenance.remove_orphan_files(file_list=listed, dry_run=True)
    done = table.maintenance.remove_orphan_files(file_list=listed)
    assert planned.orphan_file_locations == done.orphan_file_locations == (str(lost),)
    assert Path(live).exists()


def cut(path: str) -> None:
    """An Avro file is cut off after its header: what a writer leaves that dies there."""
    whole = Path(path).read_bytes()
    # The header ends with the marker that ends the file.
    end = whole.index(whole[-16:]) + 16
    assert end < len(whole)
    Path(path).write_bytes(whole[:end])


@pytest.mark.unchecked_tables("a manifest is damaged")
@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("what", ["manifest", "list"])
def test_what_was_cut_off_stops_the_removal(make, version, what):
    table = make(version)
    table.append(rows(1, 2))
    table.append(rows(3))
    snapshot = table.current_snapshot()
    path = snapshot.manifest_list if what == "list" else table.inspect.manifests()["path"].to_pylist()[0]
    cut(path_of(path))
    before = on_disk(table.location())
    for call in (
        lambda: table.maintenance.remove_orphan_files(**ALL),
        lambda: table.maintenance.expire_snapshots(older_than=EVER),
    ):
        # An expiry of appends alone has no reason to read manifests that stay.
        try:
            call()
        except errors.InvalidDataError:
            pass
        else:
            assert what == "manifest"
        left = on_disk(table.location())
        assert {each for each in before - left if not each.rpartition("/")[2].startswith("snap-")} == set()


def test_schemas_that_equality_deletes_need_stay(make):
    table = make()
    with table.update_schema() as update:
        update.add_column("k", "long")
    data = pa.table({"id": [1, 2], "part": ["a", "a"], "k": [1, 2]})
    table.append(data)
    changes = pa.table({"op": ["delete"], "id": [1], "part": ["a"], "k": [1], "at": [1]})
    with table.transaction() as transaction:
        transaction.apply_changes(changes, keys=["k", "part"], operation="op", order_by="at", mode="equality")
    with table.update_schema() as update:
        update.delete_column("k")
    table.append(rows(7))
    table.maintenance.expire_snapshots(older_than=EVER, clean_expired_metadata=True)
    assert sorted(table.refresh().scan().to_arrow()["id"].to_pylist()) == [2, 7]
    assert len(content(table)) == 1


def test_ids_alone_expire_alone(make):
    table = make(**{"history.expire.max-snapshot-age-ms": "1"})
    ids = [table.append(rows(each)).snapshot_id for each in range(4)]
    assert table.maintenance.expire_snapshots(snapshot_ids=[]).snapshot_ids == ()
    assert table.maintenance.expire_snapshots(snapshot_ids=[ids[1]]).snapshot_ids == (ids[1],)
    table.maintenance.expire_snapshots().by_id(ids[0]).commit()
    assert [each.snapshot_id for each in table.snapshots()] == ids[2:]
    table.maintenance.expire_snapshots(snapshot_ids=[], retain_last=1)
    assert [each.snapshot_id for each in table.snapshots()] == ids[3:]


def test_a_location_with_a_percent_sign_is_used_as_it_is_written(tmp_path):
    catalog = fb.load_catalog("percent", type="memory")
    catalog.create_namespace("db")
    table = catalog.create_table("db.t", SCHEMA, location=f"{tmp_path}/la%20ke/t")
    table.append(rows(1))
    lost = Path(path_of(table.location())) / "data" / "lost"
    lost.write_text("x")
    other = tmp_path / "la ke" / "t" / "precious"
    other.parent.mkdir(parents=True)
    other.write_text("x")
    done = table.maintenance.remove_orphan_files(**ALL)
    assert [path_of(each) for each in done.orphan_file_locations] == [str(lost)]
    assert other.exists()
