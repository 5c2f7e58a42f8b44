"""Are changes of rows moved to what other writers committed meanwhile, and found again only where they must be?"""

from __future__ import annotations

import uuid
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import floeberg as fb
from floeberg.catalog import MemoryCatalog
from floeberg.commit import lock
from floeberg.errors import CommitConflictError
from row_changes import (
    MODES,
    OPERATIONS,
    after,
    apply_changes,
    content,
    delete,
    feed,
    made,
    merge,
    rows,
    update,
    upsert,
)


@pytest.fixture
def catalog(tmp_path):
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    return catalog


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("version", [2, 3])
def test_changes_of_other_rows_of_a_file_are_joined_and_counted(catalog, version, operation):
    table = made(catalog, version)
    transaction = table.transaction()
    operation(transaction, mode="merge-on-read", on_conflict="raise")
    for id_ in (1, 3):
        catalog.load_table("ns.t").update({"note": "theirs"}, f"id = {id_}", mode="merge-on-read")
    done = transaction.commit_transaction()
    assert done.repeated == 0
    # A delete looks for its rows when it is committed.
    assert done.rebased == (operation is not delete)
    assert done.deleted_rows == 1
    assert content(table) == after(operation, (1, "theirs"), (3, "theirs"), (4, "old"))
    alone = table.update({"note": "again"}, "id = 4", mode="merge-on-read")
    assert (alone.rebased, alone.repeated) == (0, 0)


def test_a_delete_that_was_too_slow_is_rebased(monkeypatch):
    catalog = MemoryCatalog(f"rebases-{uuid.uuid4()}", {})
    catalog.create_namespace("ns")
    table = made(catalog)
    # Both writers are in one thread, where neither can wait for the other.
    monkeypatch.setattr(lock, "PATIENCE", 0.0)
    swap, beaten = MemoryCatalog.do_swap_metadata_location, []

    def slow(self, identifier, base, new):
        if not beaten:
            beaten.append(base)
            catalog.load_table("ns.t").delete("id IN (2, 3)", mode="merge-on-read")
        return swap(self, identifier, base, new)

    monkeypatch.setattr(MemoryCatalog, "do_swap_metadata_location", slow)
    done = table.delete("id IN (1, 2)", mode="merge-on-read")
    assert (done.rebased, done.repeated) == (1, 0)
    assert done.deleted_rows == 1, "the row that both deleted counts once"
    assert content(table) == [(4, "old")]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_row_that_both_change_is_found_again_or_a_conflict_that_names_it(catalog, operation):
    for on_conflict in ("retry", "raise"):
        table = made(catalog, name=f"ns.{on_conflict}")
        place = table.scan("id = 2", selected_fields=("_file", "_pos")).to_arrow().to_pylist()[0]
        transaction = table.transaction()
        operation(transaction, mode="merge-on-read", on_conflict=on_conflict)
        catalog.load_table(f"ns.{on_conflict}").update({"note": "theirs"}, "id = 2", mode="merge-on-read")
        if on_conflict == "raise":
            with pytest.raises(CommitConflictError) as raised:
                transaction.commit_transaction()
            if operation is not delete:
                assert raised.value.context["file_path"] == place["_file"]
                assert raised.value.context["position"] == str(place["_pos"])
            continue
        done = transaction.commit_transaction()
        assert done.repeated == (operation is not delete)
        assert content(table) == after(operation, (1, "old"), (3, "old"), (4, "old"))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("version", [2, 3])
def test_no_row_comes_back_that_a_key_deleted(catalog, version, operation, mode):
    table = made(catalog, version)
    transaction = table.transaction()
    operation(transaction, mode=mode)
    other = catalog.load_table("ns.t")
    receipt = other.row_delta_recipe(key_columns=["id"]).delete_keys(
        pa.table({"id": pa.array([2, 3], pa.int32())}), task="0"
    )
    other.commit_row_delta([receipt], read_snapshot_id=other.current_snapshot().snapshot_id)
    transaction.commit_transaction()
    # An upsert and a feed insert row 2 then.
    new = [(2, "new")] if operation in (upsert, apply_changes) else []
    assert content(table) == sorted([(1, "old"), (4, "old"), *new])


def test_rows_that_were_left_alone_do_not_hide_a_skew(catalog):
    table = made(catalog)
    one, other = table.transaction(), catalog.load_table("ns.t").transaction()
    # Each finds a row as it should be, and changes the row that the other leaves alone.
    one.upsert(pa.concat_tables([rows(1), rows(2, note="one")]), ["id"], mode="merge-on-read")
    changes = feed(("delete", 1, None), ("update", 2, "old"))
    other.apply_changes(changes, keys=["id"], operation="op", order_by="lsn", mode="merge-on-read")
    other.commit_transaction()
    done = one.commit_transaction()
    assert done.repeated == 1
    # As if `one` came last. Without a look at what was left alone, row 1 would be gone and row 2 changed.
    assert content(table) == [(1, "old"), (2, "one"), (3, "old"), (4, "old")]


def test_a_merge_that_only_inserts_looks_at_the_rows_that_are_there(catalog):
    table = made(catalog)
    one, other = table.transaction(), catalog.load_table("ns.t").transaction()
    one.merge(rows(1, 9, note="one"), on=["id"]).when_not_matched_insert_all().execute()
    changes = feed(("delete", 1, None), ("delete", 9, None))
    other.apply_changes(changes, keys=["id"], operation="op", order_by="lsn", mode="merge-on-read")
    other.commit_transaction()
    one.commit_transaction()
    assert content(table) == [(1, "one"), (2, "old"), (3, "old"), (4, "old"), (9, "one")]


def test_a_merge_that_deletes_and_inserts_looks_again_for_a_row_that_others_deleted(catalog):
    for on_conflict in ("retry", "raise"):
        table = made(catalog, name=f"ns.{on_conflict}")
        one = table.transaction()
        merge = one.merge(rows(2, note="one"), on=["id"], on_conflict=on_conflict)
        merge.when_matched_delete().when_not_matched_insert_all().execute()
        catalog.load_table(f"ns.{on_conflict}").delete("id = 2", mode="merge-on-read")
        if on_conflict == "raise":
            with pytest.raises(CommitConflictError, match="was deleted by another commit"):
                one.commit_transaction()
            continue
        assert one.commit_transaction().repeated == 1
        # As if `one` came last: it finds no row 2, and inserts it.
        assert content(table) == [(1, "old"), (2, "one"), (3, "old"), (4, "old")]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("is_upgraded_before", [False, True])
@pytest.mark.parametrize("operation", [update, upsert, merge, apply_changes])
def test_rows_keep_ids_that_another_commit_gave_them_after_an_upgrade(
    catalog, operation, is_upgraded_before, mode
):
    def row_ids():
        found = catalog.load_table("ns.t").scan(selected_fields=("id", "_row_id")).to_arrow()
        return dict(zip(found["id"].to_pylist(), found["_row_id"].to_pylist(), strict=True))

    table = made(catalog, 2)
    if is_upgraded_before:
        table.upgrade_table_version(3)
    transaction = table.transaction()
    operation(transaction, mode=mode)
    other = catalog.load_table("ns.t")
    if not is_upgraded_before:
        other.upgrade_table_version(3)
    # A commit gives ids to the rows that are there.
    other.append(rows(9))
    before = row_ids()
    assert transaction.commit_transaction().repeated == 1
    now = row_ids()
    assert {key: now[key] for key in before} == before


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_columns_that_others_add_and_fill_change_nothing(catalog, operation, mode):
    table = made(catalog)
    transaction = table.transaction()
    operation(transaction, mode=mode)
    other = catalog.load_table("ns.t")
    with other.update_schema() as change:
        change.add_column("more", "int")
    # Their file takes the place of ours, so that rows must be found again.
    other.update({"more": pc.field("id") * 10}, mode="copy-on-write")
    done = transaction.commit_transaction()
    assert done.repeated == (operation is not delete)
    assert content(table) == after(operation, (1, "old"), (3, "old"), (4, "old"))
    found = table.scan(selected_fields=("id", "more")).to_arrow().to_pylist()
    assert all(row["more"] == row["id"] * 10 for row in found), "what they wrote stays"


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(
    "change",
    [
        lambda schema: schema.rename_column("id", "number"),
        lambda schema: schema.update_column("id", "long"),
        lambda schema: schema.add_column("ID", "int"),
    ],
    ids=["renamed", "promoted", "alike"],
)
def test_other_changes_of_columns_are_a_conflict_or_change_nothing(catalog, operation, change):
    for is_theirs in (False, True):
        name = f"ns.{is_theirs}"
        table = made(catalog, name=name)
        transaction = table.transaction()
        operation(transaction, mode="merge-on-read")
        other = catalog.load_table(name)
        with other.update_schema() as schema:
            change(schema)
        key = other.schema().fields[0]
        other.update({"note": "theirs"}, pc.field(key.name) > (1 if is_theirs else 2))
        if operation is delete:
            transaction.commit_transaction()
            assert len(content_of_notes(other)) == 3
            continue
        # Where a row is as it was, names mean the columns that they meant.
        is_promoted = str(key.field_type) == "long" and operation is not update
        if not is_theirs and not is_promoted:
            assert transaction.commit_transaction().rebased == 1
            assert content_of_notes(other) == ["new", "old", "theirs", "theirs"]
            continue
        before = content_of_notes(other)
        with pytest.raises(CommitConflictError):
            transaction.commit_transaction()
        assert content_of_notes(other) == before


def content_of_notes(table):
    return sorted(table.refresh().scan().to_arrow()["note"].to_pylist())


def test_a_promoted_key_is_not_inserted_twice(catalog):
    table = made(catalog)
    transaction = table.transaction()
    transaction.upsert(rows(9, note="ours"), ["id"])
    other = catalog.load_table("ns.t")
    with other.update_schema() as schema:
        schema.update_column("id", "long")
    other.append(pa.table({"id": pa.array([9], pa.int64()), "note": ["theirs"]}))
    with pytest.raises(CommitConflictError, match="key column"):
        transaction.commit_transaction()
    assert content(table)[-1] == (9, "theirs")


def test_an_overwrite_of_a_transaction_sees_what_others_did_before_an_update_ran_again(catalog):
    table = made(catalog)
    transaction = table.transaction()
    transaction.update({"note": "new"}, "id = 2", mode="merge-on-read")
    transaction.overwrite(rows(3, note="ours"), "id = 3", mode="merge-on-read")
    other = catalog.load_table("ns.t")
    other.update({"note": "theirs"}, "id IN (2, 3)", mode="merge-on-read")
    before = content(other)
    with pytest.raises(CommitConflictError):
        transaction.commit_transaction()
    assert content(other) == before


def test_an_overwrite_after_an_update_of_an_old_handle_sees_what_others_did(catalog):
    table = made(catalog)
    catalog.load_table("ns.t").update({"note": "theirs"}, "id = 3")
    before = content(catalog.load_table("ns.t"))
    transaction = table.transaction()
    transaction.update({"note": "new"}, "id = 2")
    transaction.overwrite(rows(3, note="ours"), "id = 3")
    with pytest.raises(CommitConflictError):
        transaction.commit_transaction()
    assert content(catalog.load_table("ns.t")) == before


def test_files_of_runs_that_are_not_needed_are_removed(catalog, tmp_path):
    table = made(catalog)
    for operation in OPERATIONS[1:]:
        table.update({"note": "old"}, "id = 2")
        transaction = table.transaction()
        operation(transaction, mode="merge-on-read")
        catalog.load_table("ns.t").update({"note": "theirs"}, "id = 2", mode="merge-on-read")
        assert transaction.commit_transaction().repeated == 1
    named = set(table.refresh().inspect.all_files()["file_path"].to_pylist())
    stored = {str(path) for path in Path(tmp_path).rglob("data/**/*") if path.is_file()}
    assert stored == {path.removeprefix("file://") for path in named}


def test_what_an_operation_did_not_find_must_not_be_there_at_its_commit(catalog):
    table = made(catalog)
    for number, operation in enumerate((update, upsert, merge, apply_changes)):
        id_ = 20 + number
        for on_conflict in ("retry", "raise"):
            transaction = table.refresh().transaction()
            if operation is update:
                transaction.update({"note": "new"}, f"id = {id_}", on_conflict=on_conflict)
            elif operation is upsert:
                transaction.upsert(
                    rows(id_, note="new"), ["id"], when_not_matched_insert_all=False, on_conflict=on_conflict
                )
            elif operation is merge:
                clauses = transaction.merge(rows(id_, note="new"), on=["id"], on_conflict=on_conflict)
                clauses.when_matched_update_all().execute()
            else:
                changes = feed(("delete", id_, None))
                transaction.apply_changes(
                    changes, keys=["id"], operation="op", order_by="lsn", on_conflict=on_conflict
                )
            transaction.append(rows(99, note=on_conflict))
            catalog.load_table("ns.t").append(rows(id_))
            if on_conflict == "raise":
                with pytest.raises(CommitConflictError):
                    transaction.commit_transaction()
                continue
            assert transaction.commit_transaction().repeated == 1
            there = [] if operation is apply_changes else [(id_, "new")]
            assert [row for row in content(table) if row[0] == id_] == there
            table.delete(f"id = {id_}")


def test_what_changes_nothing_makes_no_snapshot(catalog):
    table = made(catalog)
    location = table.metadata_location
    done = table.update({"note": "new"}, "id = 7")
    assert (done.snapshot_id, done.updated_rows, done.rebased) == (None, 0, 0)
    assert table.upsert(rows(2), ["id"]).commit.snapshot_id is None
    assert table.update({"note": "new"}, "id = 7", dry_run=True).updated_rows == 0
    assert catalog.load_table("ns.t").metadata_location == location
