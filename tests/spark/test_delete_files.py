"""Delete files that tasks of Spark write again: they do what is done without Spark, and nothing of others is lost."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb
import floeberg.spark
from floeberg.errors import NotFoundError, StorageError
from floeberg.spark.maintenance import delete_jobs

SCHEMA = pa.schema({"id": pa.int64(), "part": pa.string()})
ALL = {"rewrite-all": "true"}


def some(first, number=20):
    ids = list(range(first, first + number))
    return pa.table({"id": ids, "part": [f"p{each % 2}" for each in ids]}, SCHEMA)


def drop_keys(table, *keys):
    """Deletes rows by equality deletes."""
    changes = pa.table(
        {
            "op": ["delete"] * len(keys),
            "id": pa.array(keys, pa.int64()),
            "part": [f"p{each % 2}" for each in keys],
            "at": [1] * len(keys),
        }
    )
    with table.transaction() as transaction:
        transaction.apply_changes(
            changes, keys=["id", "part"], operation="op", order_by="at", mode="equality"
        )


def make(folder, name, kind, version=2, **settings):
    """A table of eight data files in two partitions, of which some have deletes of a kind."""
    lake = fb.load_catalog(name, type="filesystem", warehouse=str(folder / name))
    lake.create_namespace("db")
    properties = {"write.delete.granularity": settings.get("granularity", "file")}
    if "size" in settings:
        properties["write.target-file-size-bytes"] = settings["size"]
    table = lake.create_table(
        "db.t", SCHEMA, format_version=version, partition_spec=["part"], properties=properties
    )
    for number in range(4):
        table.append(some(20 * number))
    table.delete("id in (1, 2, 22, 43)", mode="merge-on-read")
    if kind == "equality":
        drop_keys(table, 3, 4, 21)
        table.append(some(3, 2))
        drop_keys(table, 3, 61, 1000)
    else:
        table.delete("id in (5, 6, 23, 66)", mode="merge-on-read")
    if settings.get("upgraded"):
        with table.transaction() as transaction:
            transaction.upgrade_table_version(3)
        # From here on all rows have ids.
        table.append(some(200, 2))
    return table


def content(table):
    lineage = ("_row_id", "_last_updated_sequence_number") if table.format_version >= 3 else ()
    return table.scan(selected_fields=("*", *lineage)).to_arrow().sort_by("id").to_pylist()


def at_each_snapshot(table):
    """The rows at each snapshot, the oldest first."""
    scans = [table.scan(snapshot_id=each.snapshot_id) for each in table.snapshots()]
    return [sorted(each.to_arrow()["id"].to_pylist()) for each in scans]


def live_deletes(table):
    """What each live delete file says, but for its name and where a vector is in its file."""
    files = table.inspect.delete_files().to_pylist()
    names = ("content", "file_format", "record_count", "partition", "equality_ids")
    of_entries = {
        each["data_file"]["file_path"]: each["sequence_number"]
        for each in table.inspect.entries().to_pylist()
        if each["status"] != 2
    }
    # To which files of a partition a file of positions may apply, their random names say.
    is_random = table.properties["write.delete.granularity"] == "partition" and table.format_version < 3
    applied = [] if is_random else sorted(len(task.delete_files) for task in table.scan().plan_files())
    described = sorted(
        str([*(each[name] for name in names), of_entries[each["file_path"]]]) for each in files
    )
    return described, applied


def files_on_disk(table):
    folder = Path(table.location().removeprefix("file://")) / "data"
    return {str(each) for each in folder.rglob("*.*") if not each.name.startswith(".")}


def call(maintenance, kind, **given):
    if kind == "equality":
        done = maintenance.convert_equality_deletes(**given)
        return done, (
            done.converted_equality_delete_files_count,
            done.added_position_delete_files_count,
            len(done.snapshot_ids),
        )
    done = maintenance.rewrite_position_delete_files(options=ALL | given.pop("options", {}), **given)
    return done, (
        done.rewritten_delete_files_count,
        done.added_delete_files_count,
        len(done.snapshot_ids),
    )


KINDS = [
    ("positions", {}),
    ("positions", {"granularity": "partition"}),
    ("positions", {"upgraded": True}),
    ("positions", {"upgraded": True, "granularity": "partition"}),
    ("equality", {}),
    ("equality", {"granularity": "partition"}),
    ("equality", {"version": 3}),
    ("equality", {"upgraded": True}),
]


@pytest.mark.parametrize(("kind", "made"), KINDS)
@pytest.mark.parametrize("is_shared", [False, True])
def test_tasks_do_what_is_done_without_spark(spark, tmp_path, kind, made, is_shared):
    """Also where each data file, or partition, is a task."""
    made = {**made, "size": "1"} if is_shared else made
    here, there = (make(tmp_path, name, kind, **made) for name in ("here", "there"))
    before, old = content(there), set(there.inspect.delete_files()["file_path"].to_pylist())
    _, local = call(here.maintenance, kind)
    _, by_tasks = call(fb.spark.maintenance(spark, there), kind)
    assert local[0] > 0 < local[1]
    assert by_tasks == local
    assert content(there) == content(here) == before
    assert at_each_snapshot(there) == at_each_snapshot(here)
    assert live_deletes(there) == live_deletes(here)
    assert there.current_snapshot().summary["operation"] == here.current_snapshot().summary["operation"]
    new = set(there.inspect.delete_files()["file_path"].to_pylist()) - old
    # Files are those of tasks, whose names have the ids of attempts.
    assert new
    assert all("00000-0-" not in Path(each).name for each in new)
    if there.format_version >= 3:
        # A task has vectors in a file of its own.
        assert (len(new) > 1) == is_shared


def test_partial_progress_is_several_commits(spark, tmp_path):
    here, there = (make(tmp_path, name, "equality") for name in ("here", "there"))
    options = {"partial-progress.enabled": "true"}
    _, local = call(here.maintenance, "equality", options=options)
    _, by_tasks = call(fb.spark.maintenance(spark, there), "equality", options=options)
    assert by_tasks == local
    assert local[-1] > 1
    assert content(there) == content(here)


def test_call_runs_by_tasks(spark, tmp_path, monkeypatch):
    runs, run = [], delete_jobs.run_tasks
    monkeypatch.setattr(delete_jobs, "run_tasks", lambda *given: runs.append(1) or run(*given))
    for name, kind, procedure in (
        ("one", "equality", "convert_equality_deletes(table => 'db.t')"),
        (
            "two",
            "positions",
            "rewrite_position_delete_files(table => 'db.t', options => map('rewrite-all', 'true'))",
        ),
    ):
        table = make(tmp_path, name, kind)
        before = content(table)
        lake = fb.load_catalog(name, type="filesystem", warehouse=str(tmp_path / name))
        [row] = floeberg.spark.sql(spark, f"CALL {name}.system.{procedure}", catalog=lake).collect()
        assert row[0] > 0 < row[1]
        table.refresh()
        assert content(table) == before
    assert runs == [1, 1]


@pytest.mark.parametrize(
    ("kind", "made"),
    [
        ("equality", {}),
        ("equality", {"version": 3}),
        ("positions", {}),
        ("positions", {"upgraded": True}),
    ],
)
def test_what_others_commit_meanwhile_counts(spark, tmp_path, monkeypatch, kind, made):
    """Only deletes of data files that others changed are written again."""
    table = make(tmp_path, "t", kind, **made)
    ids = {each["id"] for each in content(table)}
    taken, run = [], delete_jobs.DeleteJobs.copy

    def written(jobs, groups):
        done = run(jobs, groups)
        if not taken:
            # After the delete files were written, and before they are committed.
            fb.open_table(table.location()).delete("id = 25", mode="merge-on-read")
        taken.append(sum(len(group.files) for group in groups))
        return done

    monkeypatch.setattr(delete_jobs.DeleteJobs, "copy", written)
    before = files_on_disk(table)
    done, _ = call(fb.spark.maintenance(spark, table), kind)
    assert len(done.snapshot_ids) == 1
    assert {each["id"] for each in content(table)} == ids - {25}
    # What positions were joined from stays as it was: nothing is left to do.
    assert taken == ([taken[0], 1] if kind == "equality" else [6])
    named = {each.split("/")[-1] for each in table.inspect.delete_files()["file_path"].to_pylist()}
    left = {each.rsplit("/", 1)[1] for each in files_on_disk(table) - before}
    # Of the files that were written, only those of the commit stay, and that of the other commit.
    assert len(left - named) <= 1


def break_a_file(table, *, keys):
    """Removes a data file, or a delete file, and returns what puts it back."""
    if keys:
        path = next(task.file.file_path for task in table.scan().plan_files() if task.delete_files)
    else:
        path = table.inspect.delete_files()["file_path"].to_pylist()[0]
    broken = Path(path.removeprefix("file://"))
    data = broken.read_bytes()
    broken.unlink()
    return lambda: broken.write_bytes(data)


@pytest.mark.parametrize("kind", ["positions", "equality"])
def test_a_task_that_fails_leaves_nothing(spark, tmp_path, kind):
    table = make(tmp_path, "t", kind, size="1")
    mend = break_a_file(table, keys=kind == "equality")
    before, snapshot = files_on_disk(table), table.current_snapshot()
    with pytest.raises(NotFoundError):
        call(fb.spark.maintenance(spark, table), kind)
    # What tasks of other data files wrote is gone too.
    assert files_on_disk(table) == before
    assert table.refresh().current_snapshot() == snapshot
    mend()


def test_a_failure_of_spark_itself_changes_nothing(spark, tmp_path, monkeypatch):
    table = make(tmp_path, "t", "equality")
    before, snapshot, run = content(table), table.current_snapshot(), delete_jobs.run_tasks

    def failing(frame, work):
        # The tasks ran, and their answers are lost.
        run(frame, work)
        raise RuntimeError("a worker was lost")

    monkeypatch.setattr(delete_jobs, "run_tasks", failing)
    with pytest.raises(StorageError, match="a worker was lost"):
        call(fb.spark.maintenance(spark, table), "equality")
    assert table.refresh().current_snapshot() == snapshot
    assert content(table) == before
    monkeypatch.undo()
    done, _ = call(fb.spark.maintenance(spark, table), "equality")
    assert done.converted_equality_delete_files_count > 0
    assert content(table) == before
