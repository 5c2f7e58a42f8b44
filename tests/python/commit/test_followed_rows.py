"""Are rows that another writer wrote to other files followed by their lineage, and changed there?"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import floeberg as fb
from conformance_checker import check
from floeberg.errors import CommitConflictError
from row_changes import MODES, OPERATIONS, after, content, delete, made, rows

LINEAGE = ("_row_id", "_last_updated_sequence_number")
CHANGES = [each for each in OPERATIONS if each is not delete]


@pytest.fixture
def catalog(tmp_path):
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    return catalog


def lineage(table):
    found = table.refresh().scan(selected_fields=("id", *LINEAGE)).to_arrow().to_pylist()
    return {row["id"]: tuple(row[name] for name in LINEAGE) for row in found}


def by_copies(table):
    """Another row goes, and one changes: all rows are in another file."""
    table.delete("id = 3", mode="copy-on-write")
    table.update({"note": "theirs"}, "id = 4", mode="copy-on-write")


def compact(table, change=lambda found: found):
    """Writes all rows to one file, as a compaction does."""
    found = table.scan(selected_fields=("id", "note", "_file", *LINEAGE)).to_arrow()
    recipe = table.row_delta_recipe()
    kept = change(found.drop_columns(["_file"]))
    receipts = [
        recipe.replace_files(found["_file"].unique().to_pylist()),
        recipe.write(kept, task="0", with_lineage=True),
    ]
    table.commit_row_delta(receipts, read_snapshot_id=table.current_snapshot().snapshot_id)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("operation", CHANGES)
def test_rows_are_changed_where_they_are_now(catalog, operation, mode):
    table = made(catalog)
    table.append(rows(7, 8))
    before = lineage(table)
    transaction = table.transaction()
    operation(transaction, mode=mode, on_conflict="raise")
    other = catalog.load_table("ns.t")
    by_copies(other)
    compact(other)
    done = transaction.commit_transaction()
    assert (done.rebased, done.repeated, done.deleted_rows) == (1, 0, 1)
    assert content(table) == after(operation, (1, "old"), (4, "theirs"), (7, "old"), (8, "old"))
    now = lineage(table)
    assert {each: ids[0] for each, ids in now.items()} == {each: before[each][0] for each in now}
    assert {each for each in now if now[each] != before[each]} == {2, 4}
    read = check(table.metadata_location, lambda path: Path(path.removeprefix("file://")).read_bytes())
    assert read.faults == []


@pytest.mark.parametrize("operation", CHANGES)
def test_before_version_3_the_operation_runs_again(catalog, operation):
    table = made(catalog, version=2)
    transaction = table.transaction()
    operation(transaction, mode="merge-on-read")
    by_copies(catalog.load_table("ns.t"))
    assert transaction.commit_transaction().repeated == 1
    assert content(table) == after(operation, (1, "old"), (4, "theirs"))


@pytest.mark.parametrize("operation", CHANGES)
def test_a_row_that_was_read_before_an_upgrade_has_no_row_id(catalog, operation):
    table = made(catalog, version=2)
    transaction = table.transaction()
    operation(transaction, mode="merge-on-read")
    other = catalog.load_table("ns.t")
    with other.transaction() as upgrade:
        upgrade.upgrade_table_version(3)
    other.append(rows(7))
    by_copies(other)
    assert transaction.commit_transaction().repeated == 1
    assert content(table) == after(operation, (1, "old"), (4, "theirs"), (7, "old"))
    # From now on rows have ids.
    transaction = table.transaction()
    transaction.update({"note": "again"}, "id = 1", mode="merge-on-read")
    compact(catalog.load_table("ns.t"))
    done = transaction.commit_transaction()
    assert (done.rebased, done.repeated) == (1, 0)
    assert (1, "again") in content(table)


def set_of(found, row, **values):
    """Rows with other values of one of them."""
    for name, value in values.items():
        column = found[name].combine_chunks()
        is_it = pc.equal(found["id"], row)
        column = pc.if_else(is_it, pa.scalar(value, column.type), column)
        found = found.set_column(found.schema.names.index(name), name, column)
    return found


REWRITES = {
    "changed": lambda found: set_of(found, 2, note="theirs", _last_updated_sequence_number=None),
    "twice": lambda found: pa.concat_tables([found, found.filter(pc.equal(found["id"], 2))]),
    "without its row id": lambda found: set_of(found, 2, _row_id=None, _last_updated_sequence_number=None),
    "gone": lambda found: found.filter(pc.not_equal(found["id"], 2)),
}


@pytest.mark.parametrize("rewrite", REWRITES)
@pytest.mark.parametrize("operation", CHANGES)
def test_a_row_that_is_not_as_it_was_is_found_again_or_a_conflict(catalog, operation, rewrite):
    for on_conflict in ("raise", "retry"):
        name = f"ns.{on_conflict}"
        table = made(catalog, name=name)
        place = table.scan("id = 2", selected_fields=("_file",)).to_arrow()["_file"][0].as_py()
        transaction = table.transaction()
        operation(transaction, mode="merge-on-read", on_conflict=on_conflict)
        other = catalog.load_table(name)
        compact(other, REWRITES[rewrite])
        before = content(other)
        if on_conflict == "raise":
            with pytest.raises(CommitConflictError) as raised:
                transaction.commit_transaction()
            assert raised.value.context["file_path"] == place
            assert content(other) == before
            continue
        done = transaction.commit_transaction()
        assert (done.repeated, done.rebased) == (1, 0)
        twos = [row for row in before if row[0] == 2]
        # An upsert and a feed insert a row that is gone.
        is_inserted = not twos and operation.__name__ in ("upsert", "apply_changes")
        expected = [(1, "old"), (3, "old"), (4, "old"), *[(2, "new")] * (len(twos) + is_inserted)]
        assert content(table) == sorted(expected)


def test_rows_that_an_upsert_left_alone_are_followed(catalog):
    source = pa.concat_tables([rows(1, 3), rows(2, 9, note="new")])
    table = made(catalog)
    transaction = table.transaction()
    transaction.upsert(source, ["id"], mode="merge-on-read", on_conflict="raise")
    compact(catalog.load_table("ns.t"))
    done = transaction.commit_transaction()
    assert (done.rebased, done.repeated, done.updated_rows, done.inserted_rows) == (1, 0, 1, 1)
    assert content(table) == [(1, "old"), (2, "new"), (3, "old"), (4, "old"), (9, "new")]
    # One that was changed is not as it was read.
    transaction = table.transaction()
    transaction.upsert(source, ["id"], mode="merge-on-read")
    catalog.load_table("ns.t").update({"note": "theirs"}, "id = 3", mode="copy-on-write")
    assert transaction.commit_transaction().repeated == 1
    assert (3, "old") in content(table)


def test_a_merge_that_looks_at_all_rows_follows_all(catalog):
    table = made(catalog)
    transaction = table.transaction()
    merge = transaction.merge(rows(2, note="new"), on=["id"], mode="merge-on-read", on_conflict="raise")
    merge.when_matched_update_all().when_not_matched_by_source_delete("target.id = 4").execute()
    compact(catalog.load_table("ns.t"))
    done = transaction.commit_transaction()
    assert (done.rebased, done.repeated) == (1, 0)
    assert content(table) == [(1, "old"), (2, "new"), (3, "old")]
    for added in (False, True):
        transaction = table.transaction()
        merge = transaction.merge(rows(2, note="newer"), on=["id"], mode="merge-on-read")
        merge.when_matched_update_all().when_not_matched_by_source_update({"note": "alone"}).execute()
        other = catalog.load_table("ns.t")
        if added:
            other.append(rows(5))
        compact(other)
        assert transaction.commit_transaction().repeated == added
    assert content(table) == [(1, "alone"), (2, "newer"), (3, "alone"), (5, "alone")]


def test_rows_move_again_and_again(catalog):
    table = made(catalog)
    table.append(rows(*range(10, 40)))
    slow = [catalog.load_table("ns.t").transaction() for _ in range(4)]
    for number, transaction in enumerate(slow):
        transaction.update(
            {"note": f"slow {number}"}, f"id = {10 + number}", mode=MODES[number % 2], on_conflict="raise"
        )
    other = catalog.load_table("ns.t")
    for number in range(5):
        other.refresh().update({"note": "theirs"}, f"id = {30 + number}", mode="copy-on-write")
        compact(other)
    before = {each: ids[0] for each, ids in lineage(table).items()}
    for transaction in slow:
        done = transaction.commit_transaction()
        assert (done.rebased, done.repeated) == (1, 0)
    assert {each: ids[0] for each, ids in lineage(table).items()} == before
    found = dict(content(table))
    assert [found[10 + number] for number in range(4)] == [f"slow {number}" for number in range(4)]
    assert sum(note == "theirs" for note in found.values()) == 5
    assert len(found) == 34
