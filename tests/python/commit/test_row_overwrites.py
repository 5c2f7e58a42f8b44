"""Are rows replaced by a filter in one snapshot, counted before it, and stopped without a trace?"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.commit import TableOperations
from floeberg.errors import CommitStateUnknownError, InvalidInputError, StorageError

CASES = [
    (1, "copy-on-write"),
    (2, "copy-on-write"),
    (2, "merge-on-read"),
    (3, "copy-on-write"),
    (3, "merge-on-read"),
]
SCHEMA = pa.schema({"id": pa.int64(), "note": pa.string()})


class Losing(TableOperations):
    """What keeps a table. It loses the answers of commits, and then cannot be reached."""

    def __init__(self, kept_by):
        self.kept_by = kept_by
        self.is_lost = False

    @property
    def storage_options(self):
        return self.kept_by.storage_options

    def load(self, known):
        if self.is_lost:
            raise StorageError("the network is down")
        return self.kept_by.load(known)

    def commit(self, base, attempt):
        place = self.kept_by.commit(base, attempt).metadata_location
        self.is_lost = True
        raise CommitStateUnknownError("the answer was lost", context={"metadata": place})

    def includes(self, current, attempt, metadata_location):
        return self.kept_by.includes(current, attempt, metadata_location)

    def is_superseded(self, current, attempt, base_location):
        return self.kept_by.is_superseded(current, attempt, base_location)


@pytest.fixture
def make(tmp_path):
    """What makes a table of a format version."""
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")

    def make(version, **properties):
        return catalog.create_table("ns.t", SCHEMA, format_version=version, properties=properties)

    return make


def rows(*ids):
    return pa.table({"id": ids, "note": [f"n{id_}" for id_ in ids]}, SCHEMA)


def ids(table, **scan):
    return sorted(table.scan(**scan).to_arrow()["id"].to_pylist())


def files(table):
    return {path for path in Path(table.location()).rglob("*") if path.is_file() and "hint" not in path.name}


@pytest.mark.parametrize(("version", "mode"), CASES)
def test_rows_of_files_of_which_others_stay_are_replaced_in_one_snapshot(make, version, mode):
    table = make(version)
    table.append(rows(1, 2, 3, 4))
    table.append(rows(5, 6))
    done = table.overwrite(rows(2, 20), "id IN (2, 5, 6)", mode=mode)
    assert ids(table) == [1, 2, 3, 4, 20]
    assert len(table.snapshots()) == 3
    assert (done.operation, done.added_files, done.added_rows) == ("overwrite", 1, 2)
    assert (done.deleted_rows, done.deleted_files) == (3, 1)
    is_copy = mode == "copy-on-write"
    assert (done.copied_rows, done.rewritten_files, done.files_with_new_deletes) == (
        (3, 1, 0) if is_copy else (0, 0, 1)
    )
    assert done.seconds > 0
    assert not done.dry_run


@pytest.mark.parametrize(("version", "mode"), CASES)
def test_a_dry_run_counts_and_writes_nothing(make, version, mode):
    table = make(version)
    table.append(rows(1, 2, 3, 4))
    table.append(rows(5, 6))
    before = files(table)
    told = [
        table.delete("id IN (2, 5, 6)", mode=mode, dry_run=True),
        table.overwrite(rows(7, 8), "id IN (2, 5, 6)", mode=mode, dry_run=True),
    ]
    assert files(table) == before
    assert len(table.snapshots()) == 2
    done = [table.delete("id IN (2, 5, 6)", mode=mode)]
    for counted in told:
        assert counted.dry_run
        assert (counted.snapshot_id, counted.operation, counted.already_committed) == (None, None, False)
        for name in ("deleted_rows", "deleted_files", "deleted_bytes", "rewritten_files", "copied_rows"):
            assert getattr(counted, name) == getattr(done[0], name), name
        assert counted.files_with_new_deletes == done[0].files_with_new_deletes
    assert [counted.added_rows for counted in told] == [0, 2]


def test_a_dry_run_sees_what_others_committed_and_checks_as_the_commit_does(make):
    table = make(1)
    table.append(rows(1, 2))
    other = fb.load_catalog(
        "c", type="filesystem", warehouse=str(Path(table.location()).parents[1])
    ).load_table("ns.t")
    other.append(rows(2, 3))
    assert table.delete("id = 2", dry_run=True).deleted_rows == 2
    for wrong, text in [
        ({"delete_filter": "nope = 1"}, "nope"),
        ({"delete_filter": "id = 1", "mode": "merge-on-read"}, "copy-on-write"),
        ({"delete_filter": "id = 1", "mode": "sometimes"}, "expected the mode"),
    ]:
        with pytest.raises(InvalidInputError, match=text):
            table.delete(**wrong, dry_run=True)
    with pytest.raises(InvalidInputError, match="nope"):
        table.overwrite(pa.table({"nope": [1]}), "id = 1", dry_run=True)
    several, other = table.transaction(dry_run=True), table.transaction(dry_run=True)
    several.delete("id = 1")
    several.delete("id = 2")
    with pytest.raises(InvalidInputError, match="dry run is of one operation"):
        several.commit_transaction()
    other.append(rows(1))
    with pytest.raises(InvalidInputError, match="counts rows that change, found append"):
        other.commit_transaction()


@pytest.mark.parametrize(("version", "mode"), CASES)
@pytest.mark.parametrize("name", ["delete", "overwrite"])
def test_branches_properties_and_keys_go_with_every_mode(make, version, mode, name):
    table = make(version)
    table.append(rows(1, 2, 3))
    before = table.current_snapshot().snapshot_id

    def change(**more):
        given = {"mode": mode, "branch": "audit", "snapshot_properties": {"by": "me"}, **more}
        if name == "delete":
            return table.delete("id = 2", **given)
        return table.overwrite(rows(20), "id = 2", **given)

    left = [1, 3] if name == "delete" else [1, 3, 20]
    done = change(idempotency_key="k")
    assert ids(table) == [1, 2, 3]
    assert table.current_snapshot().snapshot_id == before
    assert sorted(table.scan().use_ref("audit").to_arrow()["id"].to_pylist()) == left
    assert table.snapshot_by_id(done.snapshot_id).summary["by"] == "me"
    again = change(idempotency_key="k")
    assert (again.already_committed, again.snapshot_id, again.deleted_rows) == (True, done.snapshot_id, 0)
    with pytest.raises(InvalidInputError, match="used for another operation"):
        table.append(rows(1), branch="audit", idempotency_key="k")


@pytest.mark.parametrize(("version", "mode"), CASES)
@pytest.mark.parametrize("name", ["delete", "overwrite"])
def test_a_repeat_after_an_unknown_outcome_changes_nothing_twice(make, version, mode, name):
    table = make(version)
    table.append(rows(1, 2, 3))
    losing = fb.Table(table.refresh()._inner, operations=Losing(table._operations))

    def change(of):
        if name == "delete":
            return of.delete("id = 2", mode=mode, idempotency_key="k")
        return of.overwrite(rows(2, 20), "id = 2", mode=mode, idempotency_key="k")

    with pytest.raises(CommitStateUnknownError):
        change(losing)
    table.refresh()
    left, kept = ids(table), files(table)
    assert left == ([1, 3] if name == "delete" else [1, 2, 3, 20])
    assert change(table).already_committed
    assert ids(table) == left
    assert files(table) == kept


@pytest.mark.parametrize(("version", "mode"), CASES)
def test_reports_come_on_the_thread_of_the_caller_and_what_they_raise_stops_all(make, version, mode):
    table = make(version)
    table.append(rows(*range(1000)))
    reports = []
    table.overwrite(rows(5), "id IN (5, 6)", mode=mode, progress=reports.append)
    assert reports[0].step == "writing"
    assert (reports[-1].step, reports[-1].of_files) == ("committing", 0)
    assert [each.seconds for each in reports] == sorted(each.seconds for each in reports)
    before, left = files(table), ids(table)

    class StopError(Exception):
        pass

    def stop(report):
        del report
        raise StopError from KeyError("why")

    def stop_by_ours(report):
        del report
        raise StorageError("enough", retryable=True)

    for callback, raised in [(stop, StopError), (stop_by_ours, StorageError)]:
        for change in [
            lambda callback=callback: table.delete("id = 7", mode=mode, progress=callback),
            lambda callback=callback: table.overwrite(rows(8), "id = 7", mode=mode, progress=callback),
            lambda callback=callback: table.append(rows(8), progress=callback),
            lambda callback=callback: table.delete("id = 7", dry_run=True, progress=callback),
        ]:
            with pytest.raises(raised) as caught:
                change()
            assert isinstance(caught.value.__cause__, KeyError) == (raised is StopError)
            assert files(table) == before
    assert ids(table.refresh()) == left
    with pytest.raises(InvalidInputError, match="progress: expected a function"):
        table.delete("id = 7", progress="loud")


def test_a_stop_after_the_rows_were_written_leaves_nothing(make):
    table = make(3)
    table.append(rows(*range(1000)))
    before = files(table)

    def stop(report):
        if report.step != "writing":
            raise KeyboardInterrupt

    for mode in ("copy-on-write", "merge-on-read"):
        with pytest.raises(KeyboardInterrupt):
            table.overwrite(rows(8), "id = 7", mode=mode, progress=stop)
        assert files(table) == before


def test_a_stream_that_ends_in_an_error_changes_nothing(make):
    table = make(3)
    table.append(rows(1, 2))
    before = files(table)

    def broken():
        yield from rows(8).to_batches()
        raise ValueError("no more")

    for dry_run in (False, True):
        with pytest.raises(ValueError, match="no more"):
            table.overwrite(pa.RecordBatchReader.from_batches(SCHEMA, broken()), "id = 1", dry_run=dry_run)
        assert files(table) == before
    assert ids(table.refresh()) == [1, 2]
