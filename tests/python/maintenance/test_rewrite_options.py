"""Options decide which groups are written again, in which order, and how many commits may fail."""

from __future__ import annotations

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg import errors
from maintenance.disk import rows


@pytest.fixture
def table(make) -> fb.Table:
    """A table of three partitions: many small files, a few, and a few of many rows."""
    made = make(2)
    for part, count, size in (("a", 6, 1), ("b", 3, 1), ("c", 3, 400)):
        for number in range(count):
            made.append(rows(*range(number, number + size), part=part))
    return made


def parts(table: fb.Table, files) -> list[str]:
    of_file = {task.file.file_path: task.file.partition["part"] for task in table.scan().plan_files()}
    found: list[str] = []
    for path in files:
        if of_file[path] not in found:
            found.append(of_file[path])
    return found


@pytest.mark.parametrize(
    ("order", "first", "last"),
    [("files-desc", "a", None), ("FILES-ASC", None, "a"), ("bytes-desc", "c", "b"), ("bytes-asc", "b", "c")],
)
def test_groups_come_in_the_order_that_is_asked_for(table, order, first, last):
    options = {"min-input-files": "2", "rewrite-job-order": order}
    done = table.maintenance.rewrite_data_files(options=options, dry_run=True)
    found = parts(table, done.rewritten_files)
    assert len(found) == 3
    assert (first or found[0], last or found[-1]) == (found[0], found[-1])
    with pytest.raises(errors.InvalidInputError, match='rewrite-job-order.*"size"'):
        table.maintenance.rewrite_data_files(options={"rewrite-job-order": "size"})


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        # Of three files, one is left alone.
        ({"max-file-group-input-files": "2"}, 10),
        ({"max-file-group-input-files": "2", "min-input-files": "3"}, 0),
        ({"max-files-to-rewrite": "7"}, 7),
        ({"max-files-to-rewrite": "100"}, 12),
        ({"max-concurrent-file-group-rewrites": "2"}, 12),
    ],
)
def test_numbers_of_files_are_bounded(table, options, expected):
    options = {"min-input-files": "2", **options}
    before = table.scan().count()
    assert (
        table.maintenance.rewrite_data_files(options=options, dry_run=True).rewritten_data_files_count
        == expected
    )
    assert table.maintenance.rewrite_data_files(options=options).rewritten_data_files_count == expected
    assert table.scan().count() == before


@pytest.mark.parametrize("allowed", [None, "2", "1", "0"])
def test_so_many_commits_may_fail(table, monkeypatch, allowed):
    operations = type(table._operations)
    commit, tries = operations.commit, []

    def failing(self, base, attempt):
        tries.append(attempt)
        if len(tries) != 2:
            raise errors.StorageError("the store is full")
        return commit(self, base, attempt)

    monkeypatch.setattr(operations, "commit", failing)
    options = {"min-input-files": "2", "partial-progress.enabled": "true"}
    if allowed is None or int(allowed) >= 2:
        more = {} if allowed is None else {"partial-progress.max-failed-commits": allowed}
        done = table.maintenance.rewrite_data_files(options=options | more)
        assert (len(done.snapshot_ids), done.failed_data_files_count) == (1, 9)
    else:
        options["partial-progress.max-failed-commits"] = allowed
        with pytest.raises(errors.StorageError, match=r"2 commits failed.* 1 were made.* the store is full"):
            table.maintenance.rewrite_data_files(options=options)
    # All were tried, and one was made.
    assert len(tries) == 3
    assert table.refresh().current_snapshot().operation == "replace"


def test_a_spec_whose_column_was_dropped_cannot_be_written(catalog):
    schema = pa.schema({"id": pa.int64(), "s": pa.string()})
    table = catalog.create_table("db.dropped", schema, partition_spec=["truncate(1, s)"])
    table.append(pa.table({"id": [1], "s": ["a"]}))
    with table.update_spec() as update:
        update.remove_field(table.spec().fields[0].name)
    with table.update_schema() as update:
        update.delete_column("s")
    options = {"output-spec-id": "0", "rewrite-all": "true"}
    with pytest.raises(errors.InvalidInputError, match="by partition spec 0 any more"):
        table.maintenance.rewrite_data_files(options=options)
