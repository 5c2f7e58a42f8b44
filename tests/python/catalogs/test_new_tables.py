"""Are tables created with their rows, and replaced with their history, in one commit or not at all?"""

from __future__ import annotations

import pyarrow as pa
import pytest
from places import files_in

from floeberg import errors
from floeberg.catalog import FileSystemCatalog

ROWS = pa.table({"id": [1, 2], "city": ["Oslo", "Riga"]})


@pytest.fixture
def places(catalog):
    catalog.create_namespace("ns")
    return catalog


class Stream:
    """Rows of a library that has only Arrow's interface."""

    def __init__(self, rows):
        self._rows = rows

    def __arrow_c_stream__(self, requested_schema=None):
        return self._rows.__arrow_c_stream__(requested_schema)


def test_a_table_comes_with_its_rows(places):
    rows = (Stream(ROWS), ROWS.to_reader(), ROWS.to_pandas())
    for number, each in enumerate(rows):
        table = places.create_table(f"ns.t{number}", as_select=each, partition_spec=["city"])
        assert table.scan().count() == 2
        (only,) = table.snapshots()
        assert (only.operation, only.parent_snapshot_id) == ("append", None)
        assert table.metadata_location == places.load_table(f"ns.t{number}").metadata_location
        assert {each["partition"]["city"] for each in table.inspect.files().to_pylist()} == {"Oslo", "Riga"}
        table.append(ROWS)
        assert places.load_table(f"ns.t{number}").scan().count() == 4
    dicts = places.create_table("ns.dicts", ROWS.schema, as_select=[{"id": 1}])
    assert dicts.scan().to_arrow().to_pylist() == [{"id": 1, "city": None}]
    # Rows that are given as the schema are rows.
    assert places.create_table("ns.rows", Stream(ROWS)).scan().count() == 2
    assert places.create_table("ns.columns", ROWS.schema).scan().count() == 0
    with pytest.raises(errors.InvalidInputError, match="no types"):
        places.create_table("ns.u", as_select=[{"id": 1}])
    with pytest.raises(errors.InvalidInputError, match="as_select"):
        places.create_table("ns.u")


def test_a_creation_that_fails_leaves_nothing(places):
    schema = pa.schema([pa.field("id", pa.int64(), nullable=False)])
    transaction = places.create_table_transaction("ns.t", schema)
    transaction.append(pa.table({"id": [1]}))
    with pytest.raises(errors.InvalidInputError):
        transaction.append(pa.table({"id": pa.array([None], pa.int64())}))
    transaction.rollback()
    assert not places.table_exists("ns.t")
    transaction = places.create_table_transaction("ns.t", schema)
    location = transaction._staged().location
    transaction.append(pa.table({"id": [1]}))
    assert any(name.endswith(".parquet") for name in files_in(location))
    winner = places.create_table("ns.t", schema)
    winner.append(pa.table({"id": [7]}))
    with pytest.raises(errors.TableAlreadyExistsError):
        transaction.commit_transaction()
    assert places.load_table("ns.t").scan().to_arrow()["id"].to_pylist() == [7]
    left = {name for folder in (location, winner.location()) for name in files_in(folder)}
    assert len([name for name in left if name.endswith(".parquet")]) == 1


def test_a_creation_takes_several_operations(places):
    with places.create_table_transaction("ns.t", ROWS.schema, properties={"owner": "jo"}) as transaction:
        transaction.append(ROWS)
        with transaction.update_schema() as update:
            update.add_column("note", "string")
        transaction.delete("id = 1", mode="merge-on-read")
        transaction.append(pa.table({"id": [3], "city": ["Bonn"], "note": ["x"]}))
    table = places.load_table("ns.t")
    assert sorted(table.scan().to_arrow()["id"].to_pylist()) == [2, 3]
    assert table.properties["owner"] == "jo"
    with places.create_table_transaction("ns.empty", ROWS.schema):
        pass
    assert places.load_table("ns.empty").scan().count() == 0


def test_a_replaced_table_keeps_what_was(places, kind):
    kind.skip_where_names_are_mapped()
    table = places.create_table("ns.t", as_select=ROWS, partition_spec=["city"], properties={"owner": "jo"})
    table.manage_snapshots().create_tag(table.current_snapshot().snapshot_id, "first").commit()
    before = table.refresh()
    old = before.current_snapshot().snapshot_id
    new = pa.table({"note": ["new"], "id": [3], "city": [5]})
    after = places.replace_table("ns.t", as_select=new, properties={"team": "x"})
    assert after.scan().to_arrow().to_pylist() == new.to_pylist()
    assert after.scan().use_ref("first").count() == after.scan(snapshot_id=old).count() == 2
    assert after.scan(snapshot_id=old).to_arrow()["city"].to_pylist() == ["Oslo", "Riga"]
    ids = {each.name: each.field_id for each in after.schema().fields}
    assert ids == {"note": 3, "id": 1, "city": 4}, "another type is another column"
    assert after.spec().is_unpartitioned()
    assert after.location() == before.location()
    assert (after.properties["owner"], after.properties["team"]) == ("jo", "x")
    assert [each.parent_snapshot_id for each in after.snapshots()] == [None, None]
    # An older object goes on: it is the same table.
    before.refresh().append(pa.table({"note": ["more"], "id": [4]}))
    empty = places.replace_table("ns.t", ROWS.schema, partition_spec=["city"])
    assert (empty.scan().count(), empty.current_snapshot()) == (0, None)
    assert empty.spec().fields[0].field_id == 1001, "of another column than before"
    with pytest.raises(errors.InvalidInputError, match=r'"city" \(string then, string now\)'):
        empty.manage_snapshots().set_current_snapshot(old).commit()
    # The rows come back as those of another replacement.
    back = places.replace_table("ns.t", as_select=empty.scan(snapshot_id=old).to_arrow())
    assert sorted(back.scan().to_arrow()["city"].to_pylist()) == ["Oslo", "Riga"]


def test_a_replacement_is_undone_where_columns_are_the_same(places):
    table = places.create_table("ns.t", as_select=ROWS)
    old = table.current_snapshot().snapshot_id
    after = places.replace_table("ns.t", as_select=pa.table({"id": [9], "note": ["x"]}))
    after.manage_snapshots().create_branch(None, "new").set_current_snapshot(old).commit()
    # A column that is gone stays away; one of another name is null, as after every change of columns.
    assert sorted(after.scan().to_arrow()["id"].to_pylist()) == [1, 2]
    assert after.scan("note IS NOT NULL").count() == 0
    assert after.scan().use_ref("new").to_arrow().to_pylist() == [{"id": 9, "note": "x"}]


def test_values_of_a_column_that_became_another_one_are_not_shown_as_nulls(places, kind):
    kind.skip_where_names_are_mapped()
    table = places.create_table("ns.t", as_select=ROWS)
    old = table.current_snapshot().snapshot_id
    table.manage_snapshots().create_branch(None, "old").commit()
    after = places.replace_table("ns.t", ROWS.schema.set(1, pa.field("city", pa.int64())))
    said = r'"main" cannot be set to snapshot \d+: .*"city" \(string then, long now\)'
    for change in (
        lambda: after.manage_snapshots().set_current_snapshot(old),
        lambda: after.manage_snapshots().fast_forward("main", "old"),
    ):
        with pytest.raises(errors.InvalidInputError, match=said):
            change().commit()
    after.append(pa.table({"id": [7], "city": [8]}))
    with pytest.raises(errors.InvalidInputError, match=said):
        after.manage_snapshots().replace_branch("main", old).commit()
    assert after.refresh().scan().to_arrow().to_pylist() == [{"id": 7, "city": 8}]


def test_a_column_that_was_dropped_and_added_again_hinders_no_rollback(places):
    table = places.create_table("ns.t", as_select=ROWS)
    first = table.current_snapshot().snapshot_id
    with table.update_schema() as update:
        update.delete_column("city")
    with table.update_schema() as update:
        update.add_column("city", "long")
    table.append(pa.table({"id": [3], "city": [4]}))
    table.manage_snapshots().rollback_to_snapshot(first).commit()
    table.manage_snapshots().set_current_snapshot(table.snapshots()[-1].snapshot_id).commit()
    table.manage_snapshots().set_current_snapshot(first).commit()
    assert table.scan().to_arrow()["city"].to_pylist() == [None, None]


def test_rows_of_old_columns_are_no_rows_of_nulls_in_the_new_table(places):
    table = places.create_table("ns.t", as_select=ROWS)
    stale, half = places.load_table("ns.t"), places.load_table("ns.t")
    receipt = stale.write_recipe().write(ROWS, task="0")
    new = places.replace_table("ns.t", as_select=pa.table({"note": ["x"], "n": [1]}))
    said = r'none of their columns "id", "city" any more; it has "note", "n"'
    for write in (lambda: stale.append(ROWS), lambda: new.commit_receipts([receipt])):
        with pytest.raises(errors.CommitConflictError, match=said):
            write()
    for write in (lambda: stale.overwrite(ROWS), lambda: stale.upsert(ROWS, join_cols=["id"])):
        with pytest.raises(errors.CommitConflictError):
            write()
    with pytest.raises(errors.InvalidInputError, match="id"):
        new.append(ROWS)
    assert table.refresh().scan().to_arrow().to_pylist() == [{"note": "x", "n": 1}]
    # With one column in common, the others were dropped, as by any change of columns.
    third = places.replace_table("ns.t", as_select=pa.table({"id": [9]}))
    assert third.schema().fields[0].field_id != half.schema().fields[0].field_id
    assert third.scan().count() == 1


def test_files_that_went_with_a_dropped_table_are_missed(places):
    if not isinstance(places, FileSystemCatalog):
        pytest.skip("purging removes no file of others")
    transaction = places.create_table_transaction("ns.t", ROWS.schema)
    transaction.append(ROWS)
    places.create_table("ns.t", as_select=ROWS)
    places.drop_table("ns.t")
    # Files that are written later are there.
    transaction.append(ROWS)
    with pytest.raises(errors.CommitConflictError, match="created and dropped") as caught:
        transaction.commit_transaction()
    assert caught.value.context["path"].endswith(".parquet")
    assert not places.table_exists("ns.t")
    with places.create_table_transaction("ns.t", ROWS.schema) as again:
        again.append(ROWS)
    assert places.load_table("ns.t").scan().count() == 2


def test_a_replacement_that_fails_changes_nothing(places):
    table = places.create_table("ns.t", as_select=ROWS)
    before = (table.metadata_location, files_in(table.location()))
    schema = pa.schema([pa.field("id", pa.int64(), nullable=False)])
    for wrong in (pa.table({"id": pa.array([None], pa.int64())}), pa.table({"x": [1]})):
        with pytest.raises(errors.InvalidInputError):
            places.replace_table("ns.t", schema, as_select=wrong)
    with pytest.raises(errors.InvalidInputError, match="downgraded"):
        places.replace_table("ns.t", ROWS.schema, format_version=1)
    assert (places.load_table("ns.t").metadata_location, files_in(table.location())) == before
    with pytest.raises(errors.NoSuchTableError):
        places.replace_table("ns.none", ROWS.schema)


def test_a_table_is_created_or_replaced(places):
    for number in (1, 2):
        table = places.create_or_replace_table("ns.t", as_select=pa.table({"id": [number]}))
        assert table.scan().to_arrow()["id"].to_pylist() == [number]
        assert len(table.snapshots()) == number
    raised = places.create_or_replace_table("ns.t", ROWS.schema, format_version=3)
    assert raised.format_version == 3


def test_a_registered_table_may_take_the_place_of_another(places, kind):
    one = places.create_table("ns.one", as_select=ROWS)
    other = places.create_table("ns.other", as_select=ROWS.slice(1))
    if not kind.replaces_registered:
        with pytest.raises((errors.UnsupportedError, errors.TableAlreadyExistsError)):
            places.register_table("ns.one", other.metadata_location, overwrite=True)
        assert places.load_table("ns.one").scan().count() == 2
        return
    with pytest.raises(errors.TableAlreadyExistsError):
        places.register_table("ns.one", other.metadata_location)
    assert places.register_table("ns.one", other.metadata_location, overwrite=True).scan().count() == 1
    assert places.register_table("ns.new", one.metadata_location, overwrite=True).scan().count() == 2
    with pytest.raises(errors.NoSuchTableError):
        places.register_table("ns.one", one.metadata_location + ".none", overwrite=True)
    assert places.load_table("ns.one").scan().count() == 1


def test_a_folder_keeps_its_own_table(places):
    if not isinstance(places, FileSystemCatalog):
        pytest.skip("takes tables from anywhere")
    one = places.create_table("ns.one", as_select=ROWS)
    other = places.create_table("ns.other", as_select=ROWS)
    with pytest.raises(errors.UnsupportedError):
        places.register_table("ns.one", other.metadata_location, overwrite=True)
    assert one.refresh().scan().count() == 2
