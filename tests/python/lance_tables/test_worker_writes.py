"""Recipes, receipts, and one commit on the driver."""

from __future__ import annotations

import pickle
import subprocess
import sys
import textwrap
from pathlib import Path
from threading import Barrier, Thread

import lance
import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import (
    AlreadyExistsError,
    CommitConflictError,
    FloebergError,
    InvalidDataError,
    InvalidInputError,
    NotFoundError,
    UnsupportedError,
)

from .kit import by_key, check_same, made, rows


def sent(value):
    return pickle.loads(pickle.dumps(value))


def data_files(table: fb.LanceTable) -> set[str]:
    return {each.name for each in Path(table.location, "data").iterdir()}


def named_files(table: fb.LanceTable) -> set[str]:
    plan = table.scan().plan_files()
    return {Path(file.location).name for task in plan for file in task.data_files}


def test_receipts_of_many_workers_become_one_version(tmp_path):
    table = made(tmp_path, rows(0, 3))
    recipe = sent(table.write_recipe())
    receipts = [sent(recipe.write(rows(start, start + 2))) for start in (10, 20, 30)]
    assert table.refresh().scan().count() == 3
    done = table.commit_receipts(receipts)
    assert (done.operation, done.version, done.added_rows, done.added_files) == ("Append", 2, 6, 3)
    assert done.added_bytes == sum(receipt.size for receipt in receipts)
    assert [row["id"] for row in by_key(table)] == [0, 1, 2, 10, 11, 20, 21, 30, 31]
    check_same(table)


def test_workers_write_the_columns_of_the_table_by_name(tmp_path):
    table = made(tmp_path, rows(0, 1))
    receipt = table.write_recipe().write(pa.table({"v": pa.array([1], pa.int8()), "id": [7]}))
    table.commit_receipts([receipt])
    assert by_key(table)[1] == {"id": 7, "name": None, "v": 1.0}
    before = data_files(table)
    for wrong in ({"id": [1], "nope": [1]}, {"id": ["x"]}, {"id": [1 << 40], "v": [(1 << 53) + 1]}):
        with pytest.raises(InvalidInputError):
            table.write_recipe().write(pa.table(wrong))
    # What failed leaves no file.
    assert data_files(table) == before


def test_one_error_lists_everything_that_does_not_fit(tmp_path):
    required = pa.schema([pa.field("id", pa.int64(), nullable=False), pa.field("name", pa.string())])
    recipe = made(tmp_path, required).write_recipe()
    recipe.check_schema(pa.schema({"id": pa.int32()}))
    with pytest.raises(InvalidInputError) as caught:
        recipe.check_schema(pa.schema({"name": pa.int64(), "more": pa.string()}))
    for part in ("'name' is of type string, found int64", "no column 'more'", "'id' is required"):
        assert part in str(caught.value)
    with pytest.raises(InvalidInputError, match="required"):
        recipe.write(pa.table({"id": pa.array([1, None], pa.int64())}))


def test_files_end_at_their_number_of_rows(tmp_path):
    table = made(tmp_path, rows(0, 1))
    receipt = table.write_recipe(max_rows_per_file=4).write(rows(1, 11))
    assert [count for _, count, _ in receipt.files] == [4, 4, 2]
    table.commit_receipts([receipt])
    assert len(by_key(table)) == 11


def test_a_key_commits_once(tmp_path):
    table = made(tmp_path, rows(0, 1))
    recipe = table.write_recipe()
    first = table.commit_receipts([recipe.write(rows(1, 2))], idempotency_key="job")
    assert table.find_commit("job") == first.version and table.find_commit("other") is None
    late = recipe.write(rows(1, 2))
    again = table.commit_receipts([late], idempotency_key="job")
    assert (again.already_committed, again.version, again.operation) == (True, first.version, "Append")
    recipe.remove(late)
    assert len(by_key(table)) == 2 and data_files(table) == named_files(table)
    with pytest.raises(InvalidInputError, match="belongs to an earlier operation"):
        table.commit_receipts([recipe.write(rows(1, 2))], mode="overwrite", idempotency_key="job")


def test_a_receipt_is_committed_once_without_a_key_too(tmp_path):
    table = made(tmp_path, rows(0, 1))
    recipe = table.write_recipe()
    receipt = recipe.write(rows(1, 3))
    table.commit_receipts([receipt])
    other = fb.open_table(table.location)
    for mode in ("append", "overwrite"):
        with pytest.raises(AlreadyExistsError, match="added the data file already"):
            other.commit_receipts([receipt], mode=mode, isolation_level="snapshot")
    # Nor after its file is gone from the newest version, since versions in between say so.
    table.maintenance.compact()
    table.delete("id = 1")
    assert not named_files(table) & {name for name, _, _ in receipt.files}
    with pytest.raises(AlreadyExistsError):
        table.commit_receipts([receipt])
    with pytest.raises(InvalidInputError, match="is in two of them"):
        other.commit_receipts([recipe.write(rows(5, 6))] * 2)
    assert [row["id"] for row in by_key(table)] == [0, 2]


def test_two_drivers_with_the_same_receipts_commit_them_once(tmp_path):
    table = made(tmp_path, rows(0, 1))
    receipts = [table.write_recipe().write(rows(start, start + 1)) for start in range(1, 4)]
    gate, outcomes = Barrier(4), []

    def commit() -> None:
        driver = fb.open_table(table.location)
        gate.wait()
        try:
            outcomes.append(driver.commit_receipts(receipts).version)
        except AlreadyExistsError:
            outcomes.append(None)

    threads = [Thread(target=commit) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes, key=str) == [2, None, None, None]
    assert [row["id"] for row in by_key(table.refresh())] == [0, 1, 2, 3]


def test_an_overwrite_replaces_rows_and_columns_if_its_recipe_has_others(tmp_path):
    table = made(tmp_path, rows(0, 3))
    table.commit_receipts([table.write_recipe().write(rows(5, 6))], mode="overwrite")
    assert [row["id"] for row in by_key(table)] == [5] and table.schema().names == ["id", "name", "v"]
    recipe = sent(table.write_recipe(schema=pa.schema({"id": pa.int64(), "more": pa.string()})))
    receipt = recipe.write(pa.table({"id": [1], "more": ["x"]}))
    with pytest.raises(InvalidInputError, match="columns of its own"):
        table.commit_receipts([receipt])
    done = table.commit_receipts([receipt], mode="overwrite")
    assert (done.operation, by_key(table)) == ("Overwrite", [{"id": 1, "more": "x"}])
    # Without receipts no row is left.
    table.commit_receipts([], mode="overwrite")
    assert (table.version, table.scan().count(), table.schema().names) == (4, 0, ["id", "more"])
    check_same(table)


def test_an_overwrite_conflicts_with_rows_that_others_changed(tmp_path):
    table = made(tmp_path, rows(0, 3))
    recipe = table.write_recipe()
    receipt = recipe.write(rows(9, 10))
    fb.open_table(table.location).update_config({"a": "b"})
    fb.open_table(table.location).append(rows(3, 4))
    with pytest.raises(CommitConflictError, match="version 3, Append, changed what is replaced"):
        table.commit_receipts([receipt], mode="overwrite")
    assert table.refresh().scan().count() == 4
    # The files are kept for another try, which may replace whatever is there.
    table.commit_receipts([receipt], mode="overwrite", isolation_level="snapshot")
    assert [row["id"] for row in by_key(table)] == [9]
    # Rows that were made from an older version conflict with what happened since.
    table.append(rows(1, 2))
    late = table.write_recipe().write(rows(2, 3))
    with pytest.raises(CommitConflictError, match="Append"):
        table.commit_receipts([late], mode="overwrite", validate_from_version=4)
    table.commit_receipts([late], mode="overwrite", validate_from_version=5)


def test_appends_follow_appends_and_deletes_of_others(tmp_path):
    table = made(tmp_path, rows(0, 3))
    receipt = table.write_recipe().write(rows(9, 10))
    lance.write_dataset(rows(3, 4), table.location, mode="append")
    fb.open_table(table.location).delete("id = 0")
    table.commit_receipts([receipt])
    assert [row["id"] for row in by_key(table)] == [1, 2, 3, 9]
    check_same(table)


@pytest.mark.parametrize(
    "change",
    [
        lambda table: (table.drop_columns("v"), table.add_columns(pa.field("v", pa.float64()))),
        lambda table: table.overwrite(rows(0, 1)),
        lambda table: table.alter_column("id", type=pa.int32()),
    ],
)
def test_files_for_columns_or_rows_that_are_gone_are_a_conflict(tmp_path, change):
    table = made(tmp_path, rows(0, 3))
    receipt = table.write_recipe().write(rows(9, 10))
    change(fb.open_table(table.location))
    before = by_key(table.refresh())
    with pytest.raises(CommitConflictError):
        table.commit_receipts([receipt])
    assert by_key(table.refresh()) == before
    assert set(data_files(table)) >= {name for name, _, _ in receipt.files}


def test_columns_that_were_renamed_or_dropped_are_found_by_their_ids(tmp_path):
    table = made(tmp_path, rows(0, 3))
    recipe = table.write_recipe()
    first, second = recipe.write(rows(8, 9)), recipe.write(rows(9, 10))
    fb.open_table(table.location).rename_columns({"name": "title"})
    table.commit_receipts([first])
    assert by_key(table)[-1] == {"id": 8, "title": "n8", "v": 4.0}
    fb.open_table(table.location).drop_columns("title")
    table.commit_receipts([second])
    assert by_key(table)[-1] == {"id": 9, "v": 4.5}
    check_same(table)


def test_files_that_are_gone_or_damaged_are_not_committed(tmp_path):
    table = made(tmp_path, rows(0, 1))
    recipe = table.write_recipe()
    receipt = recipe.write(rows(1, 2))
    (location,) = receipt.locations()
    Path(location).write_bytes(Path(location).read_bytes()[:-1])
    with pytest.raises(InvalidDataError, match="its receipt says"):
        table.commit_receipts([receipt])
    recipe.remove(receipt)
    assert not Path(location).exists()
    with pytest.raises(NotFoundError):
        table.commit_receipts([receipt])
    assert table.refresh().version == 1


def test_receipts_of_another_table_or_write_are_refused(tmp_path):
    table = made(tmp_path, rows(0, 1))
    other = made(tmp_path / "other", rows(0, 1))
    receipt = other.write_recipe().write(rows(1, 2))
    with pytest.raises(InvalidInputError, match="belongs to another table"):
        table.commit_receipts([receipt])
    for recipe in (table.write_recipe(), other.write_recipe()):
        with pytest.raises(InvalidInputError, match="another table or another write"):
            recipe.remove(receipt)
    with pytest.raises(InvalidInputError, match="expected LanceReceipts"):
        table.commit_receipts(["x"])
    with pytest.raises(InvalidInputError, match="mode: expected"):
        table.commit_receipts([], mode="merge")
    assert Path(receipt.locations()[0]).exists()


def test_files_of_a_table_that_was_made_anew_are_refused(tmp_path):
    import shutil

    table = made(tmp_path, rows(0, 1))
    recipe = table.write_recipe()
    shutil.rmtree(table.location)
    again = made(tmp_path, rows(0, 1))
    receipt = recipe.write(rows(1, 2))
    with pytest.raises(CommitConflictError, match="another table is here now"):
        again.commit_receipts([receipt])


def test_a_version_that_was_cleaned_up_is_told(tmp_path):
    from datetime import timedelta

    table = made(tmp_path, rows(0, 1))
    recipe = table.write_recipe()
    receipt = recipe.write(rows(1, 2))
    table.append(rows(2, 3))
    table.maintenance.cleanup(older_than=timedelta(0))
    with pytest.raises(CommitConflictError, match="version 1, which the rows were written for, is gone"):
        table.commit_receipts([receipt])
    recipe.remove(receipt)
    assert data_files(table) == named_files(table)


def test_a_branch_is_written_by_workers(tmp_path):
    table = made(tmp_path, rows(0, 1))
    table.create_branch("dev")
    branch = fb.open_table(table.location, branch="dev")
    receipt = sent(branch.write_recipe()).write(rows(1, 2))
    with pytest.raises(InvalidInputError, match="belongs to another table"):
        table.commit_receipts([receipt])
    branch.commit_receipts([receipt])
    assert (branch.scan().count(), table.refresh().scan().count()) == (2, 1)


def test_tables_at_a_fixed_version_have_no_recipe(tmp_path):
    table = made(tmp_path, rows(0, 1))
    with pytest.raises(UnsupportedError, match="fixed version"):
        fb.open_table(table.location, version=1).write_recipe()


DRIVER = """
import pickle, subprocess, sys
import pyarrow as pa
import floeberg as fb
table = fb.open_table(sys.argv[1])
recipe = table.write_recipe()
recipe.check_schema(pa.schema({"id": pa.int64()}))
worker = "import pickle, sys; import pyarrow as pa; recipe = pickle.load(sys.stdin.buffer); "
worker += "sys.stdout.buffer.write(pickle.dumps(recipe.write(pa.table({'id': [41, 42]}))))"
done = subprocess.run([sys.executable, "-c", worker], input=pickle.dumps(recipe), capture_output=True, check=True)
print(table.commit_receipts([pickle.loads(done.stdout)], idempotency_key="k").added_rows)
print(table.commit_receipts([pickle.loads(done.stdout)], idempotency_key="k").already_committed)
print("lance" in sys.modules)
"""


def test_a_driver_commits_without_importing_pylance(tmp_path):
    table = made(tmp_path, rows(0, 1))
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, table.location], capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["2", "True", "False"], done.stderr
    assert [row["id"] for row in by_key(table.refresh())] == [0, 41, 42]


def test_a_worker_without_pylance_says_so(tmp_path):
    table = made(tmp_path, rows(0, 1))
    recipe = tmp_path / "recipe"
    recipe.write_bytes(pickle.dumps(table.write_recipe()))
    worker = """
        import pickle, sys
        sys.modules["lance"] = None
        import pyarrow as pa
        recipe = pickle.load(open(sys.argv[1], "rb"))
        try:
            recipe.write(pa.table({"id": [1]}))
        except Exception as error:
            print(type(error).__name__, "pip install 'floeberg[lance]'" in str(error))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(worker), str(recipe)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["NotInstalledError", "True"], done.stderr
    assert data_files(table) == named_files(table)


def test_a_fork_after_pylance_was_used_is_refused(tmp_path):
    table = made(tmp_path, rows(0, 1))
    code = """
        import os, sys, warnings
        import pyarrow as pa
        import floeberg as fb
        warnings.simplefilter("ignore")
        table = fb.open_table(sys.argv[1])
        table.scan().to_arrow()
        recipe = table.write_recipe()
        child = os.fork()
        if child == 0:
            try:
                recipe.write(pa.table({"id": [1]}))
            except fb.errors.UnsupportedError as error:
                print("spawn" in str(error), flush=True)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), table.location],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["True"], done.stderr


def test_a_worker_that_is_killed_leaves_no_row(tmp_path):
    table = made(tmp_path, rows(0, 1))
    recipe = tmp_path / "recipe"
    recipe.write_bytes(pickle.dumps(table.write_recipe(max_rows_per_file=10)))
    worker = """
        import os, pickle, sys
        import pyarrow as pa
        recipe = pickle.load(open(sys.argv[1], "rb"))
        def batches():
            yield pa.record_batch({"id": list(range(25))})
            os._exit(9)
        recipe.write(pa.RecordBatchReader.from_batches(pa.schema({"id": pa.int64()}), batches()))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(worker), str(recipe)], check=False)
    assert done.returncode == 9
    again = pickle.loads(recipe.read_bytes()).write(rows(1, 2))
    table.commit_receipts([again])
    assert [row["id"] for row in by_key(table)] == [0, 1]
    check_same(table)


def test_a_receipt_of_odd_names_is_refused():
    from floeberg.lance.receipt import LanceReceipt, LanceWrite

    write = LanceWrite("/t", 1, "x", "w", pa.schema({"id": pa.int64()}))
    for name in ("../../etc/passwd", "a/b.lance", "a.txt"):
        with pytest.raises(FloebergError, match="expected the name of a data file"):
            LanceReceipt(write, [(name, 1, 1)])


def test_lists_fit_a_column_of_vectors_where_all_have_its_length(tmp_path):
    vectors = pa.list_(pa.float32(), 2)
    table = made(tmp_path, pa.schema({"id": pa.int64(), "v": vectors}))
    lists = [None, [1.0, 2.0], [3.0, 4.0], None, [5.0, None]]
    for kind in (pa.list_(pa.float32()), pa.large_list(pa.float32())):
        given = pa.array([[9.0], *lists, [9.0]], kind).slice(1, 5)
        # As Spark sends them: what has no row has no bytes either.
        batch = pa.record_batch([pa.array(range(5)), given], names=["id", "v"])
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            for start in range(5):
                writer.write_batch(batch.slice(start, 1))
        table.commit_receipts([table.write_recipe().write(pa.ipc.open_stream(sink.getvalue()))])
        table.append(batch)
    assert [row["v"] for row in by_key(table)] == [each for each in lists for _ in range(4)]
    check_same(table)
    for wrong in ([[1.0]], [[1.0, 2.0, 3.0]], [[1.0, 2.0], []]):
        with pytest.raises(InvalidInputError, match="'v'"):
            table.append(pa.table({"v": pa.array(wrong, pa.list_(pa.float32()))}))
    deep = made(tmp_path / "deep", pa.schema({"st": pa.struct({"v": vectors})}))
    nested = pa.table({"st": pa.array([{"v": [1.0, 2.0]}], pa.struct({"v": pa.list_(pa.float32())}))})
    deep.append(nested)
    assert deep.scan().to_arrow().to_pylist() == nested.to_pylist()
    longer = pa.table({"st": pa.array([{"v": [1.0]}], pa.struct({"v": pa.list_(pa.float32())}))})
    with pytest.raises(InvalidInputError, match="'st.v'"):
        deep.append(longer)
