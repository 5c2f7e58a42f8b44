"""Files that no snapshot names go, and no other."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

import floeberg as fb
from floeberg import _native, errors
from maintenance.disk import EVER, content, named, on_disk, path_of, rows

DAY = 24 * 60 * 60
ALL = {"older_than": EVER, "allow_recent": True}


def junk(table: fb.Table, name: str, days: float = 9) -> str:
    """A file in the folder of a table that nothing names, so many days old."""
    path = Path(path_of(table.location())) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"junk")
    aged(str(path), days)
    return str(path)


def aged(path: str, days: float) -> None:
    then = time.time() - days * DAY
    os.utime(path, (then, then))


def found(table: fb.Table, **options) -> set[str]:
    """What would be removed, whatever its age."""
    options = {"older_than": EVER, "allow_recent": True} | options
    done = table.maintenance.remove_orphan_files(dry_run=True, **options)
    return {path_of(each) for each in done.orphan_file_locations}


@pytest.fixture
def table(make) -> fb.Table:
    """A table with a history that still has all its files."""
    made = make()
    made.append(rows(1, 2))
    made.append(rows(3, part="b"))
    made.delete("id = 1", mode="merge-on-read")
    made.overwrite(rows(4), overwrite_filter="part = 'b'")
    return made


def test_what_nothing_names_goes_and_nothing_else(table):
    wanted = {
        junk(table, "data/part=a/lost.parquet"),
        junk(table, "metadata/lost-m0.avro"),
        junk(table, "metadata/snap-1-lost.avro"),
        junk(table, "deep/er/lost"),
        junk(table, "lost with a space%20and.bin"),
    }
    before, rows_before = named(table), content(table)
    assert found(table) == wanted
    assert wanted <= on_disk(table.location())
    done = table.maintenance.remove_orphan_files()
    assert {path_of(each) for each in done.orphan_file_locations} == wanted
    assert (done.orphan_bytes, done.failed_files, done.dry_run) == (20, {}, False)
    assert on_disk(table.location()) == before
    assert content(table) == rows_before
    assert table.maintenance.remove_orphan_files().orphan_file_locations == ()


def test_young_files_stay(table):
    old, young = junk(table, "data/old", 4), junk(table, "data/young", 2)
    table.maintenance.remove_orphan_files()
    assert old not in on_disk(table.location())
    assert young in on_disk(table.location())
    two_days = int((time.time() - 1.5 * DAY) * 1000)
    table.maintenance.remove_orphan_files(older_than=two_days)
    assert young not in on_disk(table.location())


def test_the_last_day_needs_a_word(table):
    file = junk(table, "data/now", 0.1)
    for older_than in (EVER, int(time.time() * 1000) - 60_000):
        with pytest.raises(errors.InvalidInputError, match="allow_recent"):
            table.maintenance.remove_orphan_files(older_than=older_than)
        with pytest.raises(errors.InvalidInputError, match="allow_recent"):
            table.maintenance.remove_orphan_files(older_than=older_than, dry_run=True)
    assert file in on_disk(table.location())
    table.maintenance.remove_orphan_files(older_than=EVER, allow_recent=True)
    assert file not in on_disk(table.location())


@pytest.mark.unchecked_tables("the hint leads to no metadata file")
@pytest.mark.parametrize(
    "name", ["_SUCCESS", ".part.crc", "data/_temporary/0/part", "metadata/version-hint.text", ".hidden/file"]
)
def test_hidden_files_and_the_hint_stay(table, name):
    junk(table, name)
    assert found(table) == set()


def test_a_folder_of_a_partition_field_is_not_hidden(catalog):
    import pyarrow as pa

    schema = pa.schema([("id", pa.int64()), ("_day", pa.int64())])
    table = catalog.create_table("db.hidden", schema, partition_spec=["_day"])
    table.append(pa.table({"id": [1], "_day": [7]}, schema))
    wanted = junk(table, "data/_day=7/lost.parquet")
    junk(table, "data/_other=7/lost.parquet")
    assert found(table) == {wanted}


def test_files_of_a_branch_a_tag_and_a_staged_snapshot_stay(table):
    with table.manage_snapshots() as snapshots:
        snapshots.create_branch(None, "dev").create_tag(None, "first")
    table.append(rows(8), branch="dev")
    table.append(rows(9), stage_only=True)
    assert found(table) == set()


def test_what_expiry_left_goes(table):
    table.overwrite(rows(7))
    kept = on_disk(table.location())
    table.maintenance.expire_snapshots(older_than=EVER, delete_files=False)
    assert kept < on_disk(table.location())
    done = table.maintenance.remove_orphan_files(older_than=EVER, allow_recent=True)
    assert done.orphan_file_locations
    assert on_disk(table.location()) == named(table)


def test_other_spellings_of_a_path_are_the_same_file(table):
    plain = path_of(table.location())
    for spelled in (plain, f"file:{plain}", f"file://{plain}", f"{plain}/", f"file://localhost{plain}"):
        assert found(table, location=spelled) == set(), spelled


def test_a_folder_that_is_spelled_by_a_link_is_the_folder(table, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(path_of(table.location()))
    assert found(table, location=str(link)) == set()
    junk(table, "data/lost")
    assert found(table, location=f"{link}/data") == {f"{link}/data/lost"}
    done = table.maintenance.remove_orphan_files(location=str(link))
    assert done.orphan_file_locations == (f"{link}/data/lost",)
    assert on_disk(table.location()) == named(table)


def test_a_folder_without_a_file_of_the_table_is_refused(table, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "precious").write_text("x")
    with pytest.raises(errors.InvalidInputError, match="names none of the files"):
        table.maintenance.remove_orphan_files(location=str(tmp_path / "other"), **ALL)
    assert (tmp_path / "other" / "precious").exists()


def test_links_inside_are_not_followed(table, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "precious").write_text("x")
    (Path(path_of(table.location())) / "data" / "linked").symlink_to(other)
    (Path(path_of(table.location())) / "data" / "one").symlink_to(other / "precious")
    assert found(table) == set()
    table.maintenance.remove_orphan_files(older_than=EVER, allow_recent=True)
    assert (other / "precious").exists()


def test_a_table_inside_of_the_folder_is_refused(table, catalog):
    inner = f"{table.location()}/inner"
    catalog.create_table("db.inner", rows().schema, location=inner).append(rows(1))
    with pytest.raises(errors.InvalidInputError, match="another table"):
        table.maintenance.remove_orphan_files()
    for path in on_disk(inner):
        aged(path, 9)
    with pytest.raises(errors.InvalidInputError, match="another table"):
        table.maintenance.remove_orphan_files()
    assert catalog.load_table("db.inner").scan().count() == 1


@pytest.mark.parametrize("name", ["_delta_log/0.json", "inner/_versions/1.manifest"])
def test_a_table_of_another_format_is_refused(table, name):
    junk(table, name)
    with pytest.raises(errors.InvalidInputError, match="another format"):
        table.maintenance.remove_orphan_files()


def test_the_folder_above_is_refused(table, catalog):
    catalog.create_table("db.beside", rows().schema).append(rows(1))
    above = str(Path(path_of(table.location())).parent)
    with pytest.raises(errors.InvalidInputError, match="another table"):
        found(table, location=above)


def test_a_part_of_the_table_can_be_looked_through(table):
    wanted = junk(table, "data/part=a/lost")
    junk(table, "metadata/lost")
    assert found(table, location=f"{table.location()}/data") == {wanted}


def test_a_list_of_files_replaces_the_listing(table):
    lost, young = junk(table, "data/lost"), junk(table, "data/young")
    (known, *_) = table.inspect.files()["file_path"].to_pylist()
    listed = {lost: 0, young: int(time.time() * 1000), known: 0}
    done = table.maintenance.remove_orphan_files(file_list=listed)
    assert done.orphan_file_locations == (lost,)
    assert not Path(lost).exists()
    assert Path(young).exists()
    assert Path(path_of(known)).exists()


def test_files_of_a_list_outside_of_the_folder_stay(table, tmp_path):
    outside = tmp_path / "outside"
    outside.write_text("x")
    (known, *_) = table.inspect.files()["file_path"].to_pylist()
    done = table.maintenance.remove_orphan_files(file_list={str(outside): 0, known: 0})
    assert done.orphan_file_locations == ()
    assert outside.exists()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, errors.InvalidInputError),
        ({"prefix_mismatch_mode": "ignore"}, set()),
        ({"equal_schemes": {"hdfs,gs": "file"}}, set()),
        ({"prefix_mismatch_mode": "delete"}, "all"),
    ],
)
def test_another_scheme_is_what_the_user_says(table, options, expected):
    folder = path_of(table.location())
    listed = {f"gs://{path}": 0 for path in on_disk(folder)}
    options = {"location": f"gs://{folder}", "file_list": listed} | options
    if expected is errors.InvalidInputError:
        with pytest.raises(expected, match="another scheme"):
            found(table, **options)
        return
    hints = {path for path in listed if path.endswith("version-hint.text")}
    wanted = {path_of(each) for each in listed.keys() - hints} if expected == "all" else expected
    assert found(table, **options) == wanted


@pytest.mark.unchecked_tables("a manifest is damaged")
def test_a_manifest_that_cannot_be_read_stops_it(table):
    lost = junk(table, "data/lost")
    Path(path_of(table.inspect.manifests()["path"].to_pylist()[0])).write_bytes(b"damaged")
    with pytest.raises(errors.InvalidDataError):
        table.maintenance.remove_orphan_files()
    assert Path(lost).exists()


def test_a_table_whose_files_may_be_of_others_is_refused(table):
    lost = junk(table, "data/lost")
    table.set_properties({"gc.enabled": "false"})
    with pytest.raises(errors.InvalidInputError, match="gc.enabled"):
        table.maintenance.remove_orphan_files()
    assert Path(lost).exists()


def test_what_was_committed_since_the_table_was_loaded_stays(table, catalog):
    stale = catalog.load_table("db.t")
    table.append(rows(10, 11))
    assert found(stale) == set()
    stale.maintenance.remove_orphan_files(older_than=EVER, allow_recent=True)
    assert sorted(table.refresh().scan().to_arrow()["id"].to_pylist()) == [2, 4, 10, 11]


@pytest.mark.parametrize(
    "wrong",
    [
        {"prefix_mismatch_mode": "maybe"},
        {"older_than": "soon"},
        {"file_list": ["a"]},
        {"dry_run": 1},
        {"equal_schemes": "s3"},
        {"location": 5},
    ],
)
def test_arguments_that_mean_nothing_are_refused(table, wrong):
    with pytest.raises(errors.InvalidInputError, match=next(iter(wrong))):
        table.maintenance.remove_orphan_files(**wrong)


def test_a_list_may_have_orphans_alone(table):
    lost = junk(table, "data/lost")
    done = table.maintenance.remove_orphan_files(file_list={lost: 0})
    assert done.orphan_file_locations == (lost,)
    assert on_disk(table.location()) == named(table)


@pytest.mark.parametrize(
    "name", [".23-v9.metadata.json", ".v1.metadata.json.crc", ".00001-a.metadata.json.tmp"]
)
def test_hidden_files_beside_metadata_are_no_other_table(make, name):
    """Writers that are killed leave them, and Hadoop writes checksums."""
    table = make(2)
    table.append(rows(1))
    left = Path(path_of(table.location()), "metadata", name)
    left.write_bytes(b'{"format-')
    lost = Path(path_of(table.location()), "data", "lost.parquet")
    lost.write_bytes(b"x")
    done = table.maintenance.remove_orphan_files(older_than=EVER, allow_recent=True)
    assert [Path(path_of(each)) for each in done.orphan_file_locations] == [lost]
    assert left.exists()


def test_a_table_inside_of_the_folder_of_another_is_refused(catalog):
    schema = rows(1).schema
    outer = catalog.create_table("db.outer", schema)
    outer.append(rows(1))
    location = outer.location()
    inner = catalog.create_table("db.inner", schema, location=f"{location}/data/deep")
    inner.append(rows(2))
    with pytest.raises(errors.InvalidInputError, match="inside of that of another table") as found:
        inner.maintenance.remove_orphan_files(older_than=EVER, allow_recent=True)
    assert path_of(location) in str(found.value)
    # A folder of the table itself is inside of its own.
    alone = catalog.create_table("db.alone", schema)
    alone.append(rows(3))
    lost = Path(path_of(alone.location()), "data", "lost.parquet")
    lost.write_bytes(b"x")
    done = alone.maintenance.remove_orphan_files(
        older_than=EVER, allow_recent=True, location=f"{alone.location()}/data"
    )
    assert [Path(path_of(each)) for each in done.orphan_file_locations] == [lost]


@pytest.mark.parametrize("dry_run", [True, False])
def test_ages_are_by_the_clock_of_the_store(table, monkeypatch, caplog, dry_run):
    """A file of the last minute is not three days old because this machine's clock is."""
    lost = junk(table, "data/lost", days=0)
    old = junk(table, "data/old", days=9)
    now = time.time_ns()
    monkeypatch.setattr("floeberg.maintenance.orphan_files.time.time_ns", lambda: now + 5 * DAY * 10**9)
    done = table.maintenance.remove_orphan_files(dry_run=dry_run)
    if dry_run:
        # It writes nothing, and a folder may have no young file: the newest one says only what time it is at least.
        assert {path_of(each) for each in done.orphan_file_locations} >= {old}
        return
    assert done.orphan_file_locations == (old,)
    assert Path(lost).exists()
    assert "differ by -432000 seconds" in caplog.text
    assert on_disk(table.location()) == named(table) | {lost}
    with pytest.raises(errors.InvalidInputError, match="24 hours"):
        table.maintenance.remove_orphan_files(older_than=int(now / 10**6))


def test_files_that_change_after_they_were_listed_stay(table, monkeypatch):
    """Files are asked for their times after the table was read: what came in between decides."""
    old, gone, renewed, replaced = (
        junk(table, f"data/{name}", days=9) for name in ("old", "gone", "new", "dir")
    )
    time_of_store = _native.store_time_ms

    def changed(*args, **options):
        """The files were listed, and the table is read again after this."""
        Path(gone).unlink()
        Path(renewed).write_bytes(b"another")
        Path(replaced).unlink()
        Path(replaced).mkdir()
        os.utime(replaced, (0, 0))
        return time_of_store(*args, **options)

    monkeypatch.setattr(_native, "store_time_ms", changed)
    done = table.maintenance.remove_orphan_files()
    assert (done.orphan_file_locations, done.failed_files) == ((old,), {})
    assert not Path(old).exists()
    assert Path(renewed).read_bytes() == b"another"
    assert Path(replaced).is_dir()


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_clock_that_is_behind_the_store_finds_old_files(table, monkeypatch, dry_run):
    old = junk(table, "data/old", days=4)
    now = time.time_ns()
    monkeypatch.setattr("floeberg.maintenance.orphan_files.time.time_ns", lambda: now - 5 * DAY * 10**9)
    done = table.maintenance.remove_orphan_files(dry_run=dry_run)
    assert done.orphan_file_locations == (old,)


def test_clocks_that_are_nearly_the_same_are_not_logged(table, caplog):
    table.maintenance.remove_orphan_files()
    assert "clock" not in caplog.text


@pytest.mark.parametrize("place", ["", "/data/inner", "/.."])
def test_a_folder_that_another_table_of_the_catalog_has_is_refused(table, catalog, tmp_path, place):
    """Its metadata is elsewhere, so that no file in the folder says it."""
    location = os.path.normpath(path_of(table.location()) + place)
    other = catalog.create_table(
        "db.other",
        rows().schema,
        location=location,
        properties={"write.metadata.path": str(tmp_path / "names")},
    )
    other.append(rows(1))
    for dry_run in (True, False):
        with pytest.raises(errors.InvalidInputError, match="another table of the catalog"):
            table.maintenance.remove_orphan_files(**ALL, dry_run=dry_run)
    assert other.scan().count() == 1
    catalog.drop_table("db.other")
    table.maintenance.remove_orphan_files(dry_run=True)


def test_tables_beside_it_do_not_matter(table, catalog, tmp_path):
    catalog.create_table("db.t2", rows().schema).append(rows(1))
    elsewhere = catalog.create_table(
        "db.u", rows().schema, properties={"write.metadata.path": str(tmp_path / "names")}
    )
    elsewhere.append(rows(1))
    lost = junk(table, "data/lost")
    assert found(table) == {lost}
    # A table whose metadata is gone has no files.
    for path in on_disk(tmp_path / "names"):
        Path(path).unlink()
    assert found(table) == {lost}
    catalog.drop_table("db.u")


@pytest.mark.parametrize("how", ["append", "update", "delete"])
@pytest.mark.parametrize("dry_run", [False, True])
def test_files_of_an_open_transaction_are_not_removed(table, how, dry_run):
    changes = {
        "append": lambda of: of.append(rows(7)),
        "update": lambda of: of.update({"part": "z"}, "id = 2"),
        "delete": lambda of: of.delete("id = 2", mode="merge-on-read"),
    }
    before = len(table.scan().to_arrow())
    with table.transaction() as transaction:
        changes[how](transaction)
        there = on_disk(table)
        if how == "delete":
            # What deletes is written with the commit.
            table.maintenance.remove_orphan_files(**ALL, dry_run=dry_run)
        else:
            with pytest.raises(
                errors.InvalidInputError, match="a transaction of this process that is still open"
            ):
                table.maintenance.remove_orphan_files(**ALL, dry_run=dry_run)
            # Those of an age that no block has are looked at as ever.
            assert table.maintenance.remove_orphan_files(dry_run=dry_run).orphan_file_locations == ()
        assert on_disk(table) == there
    assert len(table.refresh().scan().to_arrow()) == before + {"append": 1, "update": 0, "delete": -1}[how]
    table.maintenance.remove_orphan_files(**ALL)


def test_a_transaction_that_ended_or_is_gone_protects_nothing(table):
    lost = junk(table, "data/lost.parquet")
    table.append(rows(8))

    def break_off(transaction) -> None:
        transaction.append(rows(9))
        raise RuntimeError

    with pytest.raises(RuntimeError), table.transaction() as failed:
        break_off(failed)
    dropped = table.transaction()
    dropped.append(rows(10))
    del dropped
    done = table.maintenance.remove_orphan_files(**ALL)
    assert lost in {path_of(each) for each in done.orphan_file_locations}


def test_files_of_an_open_transaction_of_several_tables_are_not_removed(tmp_path):
    catalog = fb.load_catalog("several", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    for name in ("ns.a", "ns.b"):
        catalog.create_table(name, as_select=rows(1))
    with catalog.transaction() as changes:
        changes.table("ns.a").append(rows(2))
        changes.table("ns.b").append(rows(2))
        with pytest.raises(errors.InvalidInputError, match="still open"):
            catalog.load_table("ns.b").maintenance.remove_orphan_files(**ALL)
    assert [catalog.load_table(name).scan().count() for name in ("ns.a", "ns.b")] == [2, 2]
