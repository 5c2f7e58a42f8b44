"""Tables whose metadata is gone or damaged become new tables with the rows that are proven, and with no other row."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb
from maintenance.disk import SCHEMA, path_of, rows
from rebuilding.lost import (
    LINEAGE,
    check_new,
    data_paths,
    delete_paths,
    digests,
    entries,
    fill,
    lists,
    live_rows,
    newest_metadata,
    only_data,
    without_lists,
    without_metadata,
)

pytestmark = pytest.mark.unchecked_tables("tables are destroyed; the new ones are checked here")


@pytest.fixture
def catalog(tmp_path: Path) -> fb.Catalog:
    made = fb.load_catalog(
        "lost", type="sql", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=str(tmp_path / "lake")
    )
    made.create_namespace("db")
    return made


def make(catalog: fb.Catalog, version: int, name: str = "db.t") -> fb.Table:
    return catalog.create_table(
        name,
        SCHEMA,
        partition_spec=["part"],
        sort_order=["id"],
        format_version=version,
        properties={"owner": "jo", "write.data.path": f"{catalog.properties['warehouse']}/db/t/files"},
    )


@pytest.fixture(params=[1, 2, 3])
def table(request, catalog: fb.Catalog) -> fb.Table:
    made = make(catalog, request.param)
    fill(made)
    return made


def rebuilt(table: fb.Table, *, excused: str = "", **how: object) -> fb.rebuilding.RebuildResult:
    """The table that is rebuilt; a dry run says the same, and neither changes the old one."""
    old = table.location()
    before, target = digests(old), f"{Path(path_of(old)).parent}/new"
    said = fb.rebuild(old, to=target, dry_run=True, **how)
    assert said.table is None and not Path(target).exists()
    done = fb.rebuild(old, to=target, **how)
    names = ("source", "source_files", "snapshot_id", "passed_over", "data_files", "delete_files", "rows")
    for name in (*names, "unproven", "missing", "advice"):
        assert getattr(said, name) == getattr(done, name)
    assert digests(old) == before
    assert fb.open_table(target).metadata_location == done.metadata_location
    check_new(done.table, old, excused)
    return done


def same_settings(new: fb.Table, old: fb.Table) -> None:
    assert new.format_version == old.format_version
    assert new.schemas() == old.schemas() and new.schema() == old.schema()
    assert new.specs() == old.specs() and new.spec() == old.spec()
    assert new.sort_orders() == old.sort_orders()
    left = {"write.data.path", "gc.enabled"}
    assert {k: v for k, v in new.properties.items() if k not in left} == {
        k: v for k, v in old.properties.items() if k not in left
    }
    assert new._inner.identity[0] != old._inner.identity[0]


def test_a_sound_table_is_rebuilt_as_it_is_and_repair_is_advised(table):
    done = rebuilt(table)
    assert (done.source, done.snapshot_id) == ("metadata", table.current_snapshot().snapshot_id)
    assert "table.repair" in done.advice
    assert (done.passed_over, done.unproven, done.missing) == ((), (), ())
    assert live_rows(done.table) == live_rows(table)
    assert entries(done.table) == entries(table)
    same_settings(done.table, table)
    assert done.data_files == len(data_paths(table))
    assert done.delete_files == table.inspect.delete_files().num_rows


def test_truncated_metadata_is_passed_over_and_the_one_before_counts(table):
    before = fb.open_table(newest_metadata(table).parent / previous(table))
    expected, newer = keys_at(before, None), table.current_snapshot()
    newest = newest_metadata(table)
    newest.write_bytes(newest.read_bytes()[:-40])
    done = rebuilt(table)
    over = {path_of(each.location): each.reason for each in done.passed_over}
    # The list of the snapshot that only the truncated metadata has.
    assert set(over) == {str(newest), path_of(newer.manifest_list)}
    assert over[str(newest)] and f"snapshot_id={newer.snapshot_id}" in over[path_of(newer.manifest_list)]
    assert done.advice is None
    assert done.snapshot_id == before.current_snapshot().snapshot_id
    assert keys_at(done.table, None) == expected
    assert done.unproven and all(str(newer.snapshot_id) in each.reason for each in done.unproven)


def previous(table: fb.Table) -> str:
    """The name of the metadata file before the current one."""
    log = table.inspect.metadata_log_entries()["file"].to_pylist()
    return log[-2].rsplit("/", 1)[-1]


def test_a_snapshot_after_the_newest_metadata_can_be_chosen(table):
    expected, chosen = live_rows(table), table.current_snapshot().snapshot_id
    newest_metadata(table).unlink()
    done = rebuilt(table, snapshot_id=chosen)
    assert (done.source, done.snapshot_id) == ("manifest-list", chosen)
    assert live_rows(done.table) == expected
    assert done.table.properties["owner"] == "jo"


def test_without_metadata_the_newest_manifest_list_counts(table):
    expected, described = live_rows(table), entries(table, without=("sort_order_id",))
    newest = lists(table)[-1]
    without_metadata(table)
    done = rebuilt(table)
    assert done.source == "manifest-list"
    assert [path_of(each) for each in done.source_files] == [str(newest)]
    assert live_rows(done.table) == expected
    assert entries(done.table, without=("sort_order_id",)) == described
    assert done.table.schema().column_names == table.schema().column_names
    assert done.table.spec() == table.spec() and done.table.format_version == table.format_version


def test_rows_of_a_rebuilt_table_go_on(table):
    expected = live_rows(table)
    without_metadata(table)
    new = rebuilt(table).table
    known = {each[-2] for each in expected} if table.format_version > 2 else set()
    new.append(pa.table({"number": [90], "part": ["z"], "note": ["new"]}))
    if table.format_version > 1:
        new.delete("number = 30", mode="merge-on-read")
    found = live_rows(new)
    assert {each[0] for each in found} == ({each[0] for each in expected} | {90}) - (
        {30} if table.format_version > 1 else set()
    )
    if table.format_version > 2:
        [added] = [each for each in found if each[0] == 90]
        assert added[-2] > max(known)
    assert list(new.check("rows", all_snapshots=True)) == []
    assert f"{path_of(new.location())}/" in path_of(max(data_paths(new), key=lambda path: "/new/" in path))


def test_one_manifest_gone_takes_the_newest_snapshot_without_it(table):
    of_current = set(table.inspect.manifests()["path"].to_pylist())
    parent = table.current_snapshot().parent_snapshot_id
    of_parent = set(table.inspect.manifests(parent)["path"].to_pylist())
    expected = keys_at(table, parent)
    gone = min(of_current - of_parent)
    Path(path_of(gone)).unlink()
    done = rebuilt(table)
    assert done.snapshot_id == parent
    assert {path_of(each.location) for each in done.passed_over} == {path_of(gone)}
    assert keys_at(done.table, None) == expected


def keys_at(table: fb.Table, snapshot_id: int | None) -> list[tuple[object, ...]]:
    """The keys of rows, whatever their column was called, with row ids and sequence numbers if there are any."""
    name = table.scan(snapshot_id=snapshot_id).to_arrow().column_names[0]
    names = [name, *(LINEAGE if table.format_version > 2 else ())]
    found = table.scan(snapshot_id=snapshot_id, selected_fields=names).to_arrow().to_pylist()
    return sorted((tuple(each.values()) for each in found), key=repr)


def test_manifests_alone_prove_nothing_and_named_files_keep_what_they_prove(table):
    expected, data, deletes = live_rows(table), data_paths(table), delete_paths(table)
    equality = [
        each["file_path"] for each in table.inspect.delete_files().to_pylist() if each["content"] == 2
    ]
    without_lists(table)
    with pytest.raises(fb.errors.InvalidInputError, match=r"nothing .* proves .*rebuild_candidates"):
        fb.rebuild(table.location(), to=f"{Path(path_of(table.location())).parent}/new")
    if equality:
        with pytest.raises(fb.errors.InvalidInputError, match="sequence number of this equality delete"):
            fb.rebuild(table.location(), to=f"{table.location()}-new", files=[*data, *deletes])
    kept = [each for each in deletes if each not in equality]
    done = rebuilt(table, files=[*data, *kept])
    assert done.source == "manifests"
    values = len(table.schema().column_names)
    got = {each[:values] for each in live_rows(done.table)}
    back = {2, 3} if equality else set()
    assert {each for each in got if each[0] not in back} == {each[:values] for each in expected}


def test_data_files_alone_need_names(table):
    data, values = data_paths(table), len(table.schema().column_names)
    expected = fb.open_table(table.metadata_location)
    rows_of_files = sum(each["record_count"] for each in expected.inspect.data_files().to_pylist())
    deletes = delete_paths(table)
    old = table.location()
    only_data(table)
    with pytest.raises(fb.errors.InvalidInputError, match="name the live files"):
        fb.rebuild(old, to=f"{old}-new")
    if deletes:
        with pytest.raises(fb.errors.InvalidInputError, match=r"delete file|expected a data file|equality"):
            fb.rebuild(
                old, to=f"{old}-new", files=[*data, *[each for each in deletes if "eq" not in each][:1]]
            )
    # Files from before the column was added.
    done = rebuilt(table, files=data, excused="parquet-field-ids")
    assert (done.source, done.snapshot_id, done.rows) == ("files", None, rows_of_files)
    assert {each.name for each in done.table.schema().fields} == {"number", "part", "note"}
    assert {each.field_id for each in done.table.schema().fields} == {1, 2, 3}
    assert done.table.scan().count() == rows_of_files
    assert values == 3


def test_named_files_beside_a_snapshot(catalog):
    table = make(catalog, 3)
    fill(table)
    expected, data = live_rows(table), data_paths(table)
    left_out, kept = data[0], data[1:]
    done = rebuilt(table, files=kept)
    assert done.source == "metadata"
    assert {each.location for each in done.unproven} >= {left_out}
    got = live_rows(done.table)
    assert set(got) < set(expected)
    assert set(data_paths(done.table)) == set(kept)


def test_a_target_must_be_new_and_elsewhere(table):
    old = table.location()
    for wrong in (old, f"{old}/", f"{old}/metadata", f"{old}/deeper/new"):
        with pytest.raises(fb.errors.InvalidInputError, match="outside of that of the old table"):
            fb.rebuild(old, to=wrong)
    taken = Path(path_of(old)).parent / "taken"
    taken.mkdir()
    (taken / "x").write_text("x")
    with pytest.raises(fb.errors.AlreadyExistsError, match="found files in it"):
        fb.rebuild(old, to=taken)


def test_a_catalog_takes_the_new_table(table, catalog):
    expected = live_rows(table)
    without_metadata(table)
    done = fb.rebuild(table.location(), to="db.again", catalog=catalog)
    again = catalog.load_table("db.again")
    assert live_rows(again) == expected == live_rows(done.table)
    assert again.metadata_location == done.metadata_location
    with pytest.raises(fb.errors.TableAlreadyExistsError):
        fb.rebuild(table.location(), to="db.again", catalog=catalog)
    before = digests(table.location())
    catalog.purge_table("db.again", outside=True)
    assert digests(table.location()) == before


def test_gone_files_are_left_out_only_where_that_is_asked_for(catalog):
    table = make(catalog, 2)
    fill(table)
    gone, rest = data_paths(table)[0], data_paths(table)[1:]
    Path(path_of(gone)).unlink()
    without_metadata(table)
    old = table.location()
    with pytest.raises(fb.errors.NotFoundError, match="drop_missing_data_files=True"):
        fb.rebuild(old, to=f"{old}-new")
    done = rebuilt(table, drop_missing_data_files=True)
    assert [each.location for each in done.missing] == [gone]
    assert set(data_paths(done.table)) == set(rest)
    deletes = delete_paths(table)
    Path(path_of(deletes[0])).unlink()
    with pytest.raises(fb.errors.NotFoundError, match="drop_missing_delete_files=True"):
        fb.rebuild(old, to=f"{old}-newer", drop_missing_data_files=True)
    done = fb.rebuild(old, to=f"{old}-newer", drop_missing_data_files=True, drop_missing_delete_files=True)
    assert deletes[0] in {each.location for each in done.missing}


def test_another_branch_makes_lists_ambiguous(catalog):
    table = make(catalog, 2)
    table.append(rows(1, 2))
    table.manage_snapshots().create_branch(table.current_snapshot().snapshot_id, "dev").commit()
    table.append(rows(3), branch="dev")
    table.append(rows(4))
    main = table.current_snapshot().snapshot_id
    without_metadata(table)
    with pytest.raises(fb.errors.InvalidInputError, match="several manifest lists .* snapshot_id="):
        fb.rebuild(table.location(), to=f"{table.location()}-new")
    done = rebuilt(table, snapshot_id=main)
    assert [each[0] for each in live_rows(done.table)] == [1, 2, 4]


def test_an_older_snapshot_of_the_metadata_can_be_chosen(catalog):
    table = make(catalog, 2)
    table.append(rows(1, 2))
    first = table.current_snapshot().snapshot_id
    table.append(rows(3))
    done = rebuilt(table, snapshot_id=first)
    assert [each[0] for each in live_rows(done.table)] == [1, 2]
    assert [each.rows for each in done.unproven] == [1]
    with pytest.raises(fb.errors.InvalidDataError, match="snapshot 7 cannot be read whole"):
        fb.rebuild(table.location(), to=f"{table.location()}-other", snapshot_id=7)


def test_an_empty_table_is_rebuilt_empty(catalog):
    table = make(catalog, 2)
    done = rebuilt(table)
    assert done.table.scan().count() == 0 and done.table.current_snapshot() is None
    assert done.table.schema() == table.schema()
