"""Compactions by tasks of Spark: what they do is what they do without Spark, and nothing of others is lost."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb
import floeberg.spark
from floeberg.errors import CommitConflictError, InvalidInputError, NotFoundError, StorageError
from floeberg.maintenance import rewrite_data_files
from floeberg.spark.maintenance import copies, group_jobs
from floeberg.types import StringType

ROWS = 40
SCHEMA = pa.schema({"id": pa.int64(), "part": pa.string(), "value": pa.float64()})


def some(first, number=ROWS):
    ids = list(range(first, first + number))
    return pa.table(
        {"id": ids, "part": [f"p{each % 2}" for each in ids], "value": [each / 8 for each in ids]}, SCHEMA
    )


def make(folder, *, version=2, kind="plain", name="t"):
    """A table of six files, or of more partitions, with deletes where its version has any."""
    lake = fb.load_catalog(name, type="filesystem", warehouse=str(folder / name))
    lake.create_namespace("db")
    partitions = {"partition_spec": ["part"]} if kind in {"partitioned", "evolved"} else {}
    sorting = {"sort_order": ["value desc"]} if kind == "sorted" else {}
    table = lake.create_table("db.t", SCHEMA, format_version=version, **partitions, **sorting)
    for number in range(6):
        table.append(some(ROWS * number))
        if kind == "evolved" and number == 3:
            with table.update_spec() as update:
                update.remove_field("part").add_field("id", "bucket[3]", "bucket")
            with table.update_schema() as update:
                update.add_column("note", StringType())
    if version > 1:
        table.delete("id % 7 = 3", mode="merge-on-read")
    if version == 2 and kind == "plain":
        changes = pa.table({"id": pa.array([5, 6, 50], pa.int64())})
        gone = {"op": pa.array(["delete"] * 3), "at": pa.array([1] * 3)}
        changes = pa.table({**{each: changes[each] for each in changes.column_names}, **gone})
        with table.transaction() as transaction:
            transaction.apply_changes(changes, keys=["id"], operation="op", order_by="at", mode="equality")
    return table


def content(table):
    """All rows, with what lineage says of them."""
    lineage = ("_row_id", "_last_updated_sequence_number") if table.format_version >= 3 else ()
    return table.scan(selected_fields=("*", *lineage)).to_arrow().sort_by("id").to_pylist()


def counts(done):
    return (
        done.rewritten_data_files_count,
        done.added_data_files_count,
        done.rewritten_bytes_count,
        done.failed_data_files_count,
        done.removed_delete_files_count,
        len(done.snapshot_ids),
    )


def data_files(table):
    """The names of the data files in the folder, whoever needs them."""
    return {each.name for each in Path(table.location().removeprefix("file://")).rglob("*.parquet")}


@pytest.mark.parametrize(
    ("version", "kind"),
    [(1, "plain"), (2, "plain"), (3, "plain"), (2, "partitioned"), (3, "evolved"), (3, "sorted")],
)
def test_tasks_do_what_is_done_without_spark(spark, tmp_path, version, kind):
    here, there = (make(tmp_path, version=version, kind=kind, name=name) for name in ("here", "there"))
    before = content(here)
    assert content(there) == before
    options = {"rewrite-all": "true", "remove-dangling-deletes": "true"}
    local = here.maintenance.rewrite_data_files(options=options)
    reports = []
    by_tasks = fb.spark.maintenance(spark, there).rewrite_data_files(options=options, progress=reports.append)
    assert local.added_data_files_count > 0
    assert counts(by_tasks) == counts(local)
    assert content(there) == content(here) == before
    assert there.current_snapshot().summary["operation"] == "replace"
    # Files are those of tasks, whose names have the ids of attempts.
    new = there.scan().plan_files().to_arrow()["file_path"].to_pylist()
    assert all("00000-0-" not in Path(each).name for each in new)
    if kind == "sorted":
        assert there.scan().to_arrow()["value"].to_pylist() == here.scan().to_arrow()["value"].to_pylist()
    assert reports[-1].step == "committing"
    assert any(each.step == "changing" and each.files == each.of_files > 0 for each in reports)


def test_call_runs_by_tasks(spark, tmp_path, monkeypatch):
    table = make(tmp_path, version=3, name="prod")
    before = content(table)
    jobs = []
    run = group_jobs.run_tasks
    monkeypatch.setattr(group_jobs, "run_tasks", lambda *given: jobs.append(1) or run(*given))
    lake = fb.load_catalog("prod", type="filesystem", warehouse=str(tmp_path / "prod"))
    call = (
        "CALL prod.system.rewrite_data_files(table => 'db.t', where => 'id >= 80', "
        "options => map('min-input-files', '2'))"
    )
    [row] = floeberg.spark.sql(spark, call, catalog=lake).collect()
    assert (row.rewritten_data_files_count, row.added_data_files_count) == (4, 1)
    assert jobs == [1]
    table.refresh()
    assert content(table) == before


def test_a_large_group_is_shared_by_tasks(spark, tmp_path):
    """Parts are of about the size of a file, and files with several row groups are cut."""
    table = make(tmp_path, version=3)
    lake = fb.load_catalog("t", type="filesystem", warehouse=str(tmp_path / "t"))
    big = lake.create_table(
        "db.big", SCHEMA, format_version=3, properties={"write.parquet.row-group-size-bytes": "8192"}
    )
    big.append(some(0, 20_000))
    big.delete("id % 10 = 1", mode="merge-on-read")
    size = sum(big.scan().plan_files().to_arrow()["file_size_in_bytes"].to_pylist())
    for each, target in ((table, 2000), (big, size // 4)):
        before = content(each)
        options = {
            "rewrite-all": "true",
            "target-file-size-bytes": str(target),
            "min-file-size-bytes": "1",
            "max-file-size-bytes": str(2 * target),
        }
        done = fb.spark.maintenance(spark, each).rewrite_data_files(options=options)
        assert done.added_data_files_count >= 3, done
        assert content(each) == before


def random_rows(folder, name):
    lake = fb.load_catalog(name, type="filesystem", warehouse=str(folder / name))
    lake.create_namespace("db")
    table = lake.create_table("db.t", SCHEMA, format_version=3)
    drawn = random.Random(7)
    for first in range(0, 20_000, 5_000):
        values = [drawn.randrange(100) / 4 if drawn.random() > 0.1 else None for _ in range(5_000)]
        texts = [f"{drawn.getrandbits(256):x}" for _ in range(5_000)]
        table.append(pa.table({"id": range(first, first + 5_000), "part": texts, "value": values}, SCHEMA))
    table.delete("id % 5 = 2", mode="merge-on-read")
    return table


@pytest.mark.parametrize("order", ["value DESC, id", "zorder(id, value)"])
def test_ranges_are_sorted_as_without_spark(spark, tmp_path, order):
    here, there = (random_rows(tmp_path, name) for name in ("here", "there"))
    before = content(there)
    size = sum(there.scan().plan_files().to_arrow()["file_size_in_bytes"].to_pylist())
    target = size // 5
    options = {
        "rewrite-all": "true",
        "target-file-size-bytes": str(target),
        "min-file-size-bytes": str(target // 2),
        "max-file-size-bytes": str(2 * target),
    }
    done = fb.spark.maintenance(spark, there).rewrite_data_files(sort_order=order, options=options)
    assert 5 <= done.added_data_files_count <= 10
    assert content(there) == before
    here.maintenance.rewrite_data_files(sort_order=order, options=options)
    place = {each: number for number, each in enumerate(here.scan().to_arrow()["id"].to_pylist())}
    found = []
    for group in there.scan().plan_files().split(1):
        places = [place[each] for each in group.to_arrow()["id"].to_pylist()]
        # Rows of a file follow one another: no other file has a row between them.
        assert places == list(range(places[0], places[0] + len(places)))
        found.append(len(places))
    assert len(found) >= 5
    assert max(found) < 2 * sum(found) / 5


@pytest.mark.parametrize("version", [2, 3])
def test_what_others_commit_meanwhile_counts(spark, tmp_path, monkeypatch, version):
    table = make(tmp_path, version=version, kind="partitioned")
    taken, run = [], group_jobs.GroupJobs.copy

    def copied(jobs, groups):
        done = run(jobs, groups)
        if not taken:
            # After the copies were made, and before they are committed.
            other = fb.open_table(table.location())
            other.delete("id = 81", mode="merge-on-read")
            other.merge(pa.table({"id": [83], "value": [-1.0]}), on="id").when_matched_update(
                {"value": fb.col("source.value")}
            ).execute()
        taken.append(len(groups))
        return done

    monkeypatch.setattr(group_jobs.GroupJobs, "copy", copied)
    ids = {each["id"] for each in content(table)}
    before = data_files(table)
    done = fb.spark.maintenance(spark, table).rewrite_data_files(options={"rewrite-all": "true"})
    # Of two groups the one whose rows were changed was copied again.
    assert taken == [2, 1]
    rows = {each["id"]: each["value"] for each in content(table)}
    assert set(rows) == ids - {81}
    assert rows[83] == -1.0
    # Files of the first copies of that group are gone.
    live = {Path(each).name for each in table.scan().plan_files().to_arrow()["file_path"].to_pylist()}
    assert done.added_data_files_count == 2
    merged = {each for each in data_files(table) - before if each not in live and "deletes" not in each}
    assert len(merged) <= 2, merged


def break_a_file(table, part):
    """Removes a data file of a partition, and returns what puts it back."""
    plan = table.scan(row_filter=f"part = '{part}'").plan_files().to_arrow()
    path = Path(plan["file_path"][0].as_py().removeprefix("file://"))
    data = path.read_bytes()
    path.unlink()
    return lambda: path.write_bytes(data)


def test_a_task_that_fails_leaves_nothing(spark, tmp_path):
    table = make(tmp_path, kind="partitioned")
    mend = break_a_file(table, "p1")
    before, snapshot = data_files(table), table.current_snapshot()
    with pytest.raises(NotFoundError):
        fb.spark.maintenance(spark, table).rewrite_data_files(options={"rewrite-all": "true"})
    # What the task of the other partition wrote is gone too.
    assert data_files(table) == before
    assert table.refresh().current_snapshot() == snapshot
    mend()


def test_partial_progress_goes_on_after_a_group_that_fails(spark, tmp_path):
    table = make(tmp_path, kind="partitioned")
    mend = break_a_file(table, "p1")
    options = {
        "rewrite-all": "true",
        "partial-progress.enabled": "true",
        "max-concurrent-file-group-rewrites": "1",
    }
    done = fb.spark.maintenance(spark, table).rewrite_data_files(options=options)
    assert (done.rewritten_data_files_count, done.failed_data_files_count) == (6, 6)
    assert len(done.snapshot_ids) == 1
    with pytest.raises(NotFoundError, match="1 commits failed, more than the 0"):
        fb.spark.maintenance(spark, table).rewrite_data_files(
            options=options | {"partial-progress.max-failed-commits": "0"}
        )
    mend()
    assert table.scan().count() == len(content(table)) > 0


def test_commits_do_not_wait_for_groups_of_others(spark, tmp_path, monkeypatch):
    """Groups of later commits are copied while earlier ones are made, once each."""
    table = make(tmp_path, version=3, kind="partitioned")
    before, keys, run = content(table), [], group_jobs.GroupJobs.copy

    def copied(jobs, groups):
        keys.extend(group.key for group in groups)
        return run(jobs, groups)

    monkeypatch.setattr(group_jobs.GroupJobs, "copy", copied)
    begun = []
    commit = rewrite_data_files.commit_snapshot

    def committed(*given, **options):
        begun.append(len(keys))
        return commit(*given, **options)

    monkeypatch.setattr(rewrite_data_files, "commit_snapshot", committed)
    options = {"rewrite-all": "true", "partial-progress.enabled": "true"}
    done = fb.spark.maintenance(spark, table).rewrite_data_files(options=options)
    assert (len(done.snapshot_ids), done.rewritten_data_files_count) == (2, 12)
    assert len(keys) == len(set(keys)) == 2
    assert content(table) == before
    assert begun[1] == 2


def test_a_failure_of_spark_itself_removes_what_was_copied(spark, tmp_path, monkeypatch):
    table = make(tmp_path, kind="partitioned")
    before, run = data_files(table), group_jobs.GroupJobs.copy

    def failing(jobs, groups):
        if not done:
            done.append(run(jobs, groups))
            return done[0]
        raise RuntimeError("a worker was lost")

    done = []
    monkeypatch.setattr(group_jobs.GroupJobs, "copy", failing)
    with pytest.raises(StorageError, match="a worker was lost"):
        fb.spark.maintenance(spark, table).rewrite_data_files(
            options={"rewrite-all": "true", "max-concurrent-file-group-rewrites": "1"}
        )
    assert done
    assert data_files(table) == before


def test_progress_may_stop_it(spark, tmp_path):
    table = make(tmp_path)
    before, snapshot = data_files(table), table.current_snapshot()

    def stop(report):
        if report.step == "changing":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fb.spark.maintenance(spark, table).rewrite_data_files(options={"rewrite-all": "true"}, progress=stop)
    assert data_files(table) == before
    assert table.refresh().current_snapshot() == snapshot


def test_a_task_that_runs_again_writes_other_files(tmp_path, monkeypatch):
    """Attempts of a task have names of their own, and only files of the one that answers are in the table."""
    from floeberg.spark.maintenance import group_tasks

    table = make(tmp_path, version=3)
    before = content(table)
    paths = table.scan().plan_files().to_arrow()["file_path"].to_pylist()
    operation = fb._native.Operation.rewrite_data_files(
        f'{{"groups": [{list(paths)!r}], "options": {{}}}}'.replace("'", '"')
    )
    lacking = []

    def prepare(commit, base, _):
        [(key, files, recipe)] = commit.groups_to_copy(base)
        import pickle

        batch = pa.RecordBatch.from_pydict(
            {"number": [0], "files": [pickle.dumps(files)], "recipe": [pickle.dumps(recipe)]}
        )
        attempts = []
        for attempt in ("11", "12"):
            monkeypatch.setattr(group_tasks, "task_name", lambda attempt=attempt: (attempt, 0))
            [(number, receipt)] = group_tasks.CopyParts()(iter([batch]))
            assert number == 0
            attempts.append(receipt)
        lost, kept = (set(each.locations()) for each in attempts)
        assert not lost & kept
        commit.take_copies(key, attempts[1])
        assert commit.groups_to_copy(base) == []
        lacking.extend(lost)

    from floeberg.maintenance.one_snapshot import commit_snapshot

    made = commit_snapshot(
        table.maintenance, operation, branch="main", snapshot_properties={}, prepare=prepare
    )
    assert made.counts["rewritten_files"] == 6
    live = set(table.scan().plan_files().to_arrow()["file_path"].to_pylist())
    assert lacking
    assert not live & set(lacking)
    assert content(table) == before


def test_arguments_are_checked(spark, tmp_path):
    table = make(tmp_path)
    with pytest.raises(InvalidInputError, match="expected a SparkSession"):
        fb.spark.maintenance("spark", table)
    with pytest.raises(InvalidInputError, match="nothing"):
        fb.spark.maintenance(spark, table).rewrite_data_files(sort_order="nothing")
    planned = fb.spark.maintenance(spark, table).rewrite_data_files(
        options={"rewrite-all": "true"}, dry_run=True
    )
    assert planned.rewritten_data_files_count == 6


def test_a_conflict_ends_it(spark, tmp_path, monkeypatch):
    table = make(tmp_path)
    before, run = data_files(table), group_jobs.GroupJobs.copy

    def copied(jobs, groups):
        done = run(jobs, groups)
        with fb.open_table(table.location()).update_schema() as update:
            update.rename_column("value", "other")
        return done

    monkeypatch.setattr(group_jobs.GroupJobs, "copy", copied)
    with pytest.raises(CommitConflictError, match="value"):
        fb.spark.maintenance(spark, table).rewrite_data_files(
            sort_order="value", options={"rewrite-all": "true", "max-concurrent-file-group-rewrites": "2"}
        )
    assert data_files(table) == before
    assert copies.SparkCopies is not None
