"""What `Table.append` writes files with: rows of any stream become files, or none."""

from __future__ import annotations

import pickle
import threading
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import floeberg as fb
from floeberg import _native


@pytest.fixture
def folder(tmp_path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def recipe(refs, folder) -> _native.WriteRecipe:
    """Files of the table of (id, cat, v), in a folder of the test, small ones."""
    options = {"write.data.path": str(folder), "target-file-size-bytes": "20000"}
    return _native.WriteRecipe.of(refs.open()._inner, options=options, write_id="w")


def rows(numbers: range) -> pa.Table:
    """Rows of the table, whose columns are in another order and of other types."""
    cat = pa.array([str(n % 7) for n in numbers]).dictionary_encode()
    v = pa.array([n % 100 for n in numbers], pa.int8())
    return pa.table({"v": v, "cat": cat, "id": pa.array(numbers, pa.int64())})


def names(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()] if folder.exists() else []


def test_rows_are_in_the_files_of_the_receipt(recipe, folder):
    written = rows(range(30_000))
    receipt = recipe.write(written.to_reader(1000), task="3", partition=2)
    assert (receipt.rows, len(receipt)) == (30_000, len(names(folder)))
    assert len(receipt) > 2
    assert receipt.size == sum(path.stat().st_size for path in names(folder))
    assert sorted(receipt.locations()) == sorted(str(path) for path in names(folder))
    found = pa.concat_tables(pq.read_table(path) for path in receipt.locations())
    assert found.column_names == ["id", "cat", "v"]
    assert found["id"].to_pylist() == list(range(30_000))
    assert found["cat"].to_pylist() == written["cat"].to_pylist()
    fields = pq.read_schema(receipt.locations()[0])
    assert [fields.field(name).metadata[b"PARQUET:field_id"] for name in fields.names] == [b"1", b"2", b"3"]


def test_a_recipe_and_its_receipts_are_sent(recipe):
    sent = pickle.loads(pickle.dumps(recipe))
    assert sent.write_id == recipe.write_id == "w"
    receipts = [
        pickle.loads(pickle.dumps(sent.write(rows(range(10)).to_reader(), task=f"{task}-0", partition=task)))
        for task in range(3)
    ]
    together = _native.Receipt.concat(receipts)
    assert (len(together), together.rows) == (3, 30)
    assert together.locations() == [each.locations()[0] for each in receipts]
    assert [Path(location).name for location in together.locations()] == [
        f"{task:05}-{task}-0-w-00001.parquet" for task in range(3)
    ]


def test_files_that_no_table_has_are_removed(recipe, folder):
    receipt = recipe.write(rows(range(30_000)).to_reader(), task="0", partition=0)
    assert names(folder)
    for _ in range(2):
        recipe.remove(receipt)
        assert not names(folder)


def test_files_of_another_write_are_not_removed(recipe, refs, folder):
    receipt = recipe.write(rows(range(10)).to_reader(), task="0", partition=0)
    options = {"write.data.path": str(folder)}
    other = _native.WriteRecipe.of(refs.open()._inner, options=options, write_id="another")
    with pytest.raises(fb.errors.InvalidInputError, match="a file of another write"):
        other.remove(receipt)
    assert names(folder)


def test_rows_that_stop_with_an_error_leave_nothing(recipe, folder):
    part = rows(range(20_000))

    def stopping():
        yield from part.to_batches(1000)
        raise RuntimeError("no more rows")

    reader = pa.RecordBatchReader.from_batches(part.schema, stopping())
    with pytest.raises(RuntimeError, match="no more rows"):
        recipe.write(reader, task="0", partition=0)
    assert not names(folder)


def test_rows_that_do_not_fit_leave_nothing(recipe, folder):
    wrong = pa.table({"id": pa.array(["x"]), "other": pa.array([1])})
    with pytest.raises(fb.errors.InvalidInputError, match="do not fit"):
        recipe.write(wrong.to_reader(), task="0", partition=0)
    with pytest.raises(fb.errors.InvalidInputError, match="do not fit"):
        recipe.schema_fits(wrong.schema)
    recipe.schema_fits(rows(range(1)).schema)
    with pytest.raises(fb.errors.InvalidInputError, match="task name"):
        recipe.write(rows(range(1)).to_reader(), task="../x", partition=0)
    assert not names(folder)


def test_a_folder_that_cannot_be_made_is_told(refs, tmp_path):
    (tmp_path / "file").write_text("in the way")
    options = {"write.data.path": str(tmp_path / "file" / "data")}
    recipe = _native.WriteRecipe.of(refs.open()._inner, options=options, write_id="w")
    with pytest.raises(fb.errors.FloebergError, match=str(tmp_path)):
        recipe.write(rows(range(1)).to_reader(), task="0", partition=0)
    assert (tmp_path / "file").read_text() == "in the way"


def test_python_runs_while_rows_are_written_and_makes_them(recipe):
    part = rows(range(5_000))
    turns = 0
    over = threading.Event()

    def count():
        nonlocal turns
        while not over.wait(0.0001):
            turns += 1

    def slowly():
        for batch in part.to_batches(100):
            threading.Event().wait(0.001)
            yield batch

    counting = threading.Thread(target=count)
    counting.start()
    try:
        reader = pa.RecordBatchReader.from_batches(part.schema, slowly())
        assert recipe.write(reader, task="0", partition=0).rows == 5_000
    finally:
        over.set()
        counting.join()
    assert turns > 10


def test_options_that_writing_does_not_have_are_refused(refs):
    for option in ({"target-size": "1"}, {"target-file-size-bytes": "much"}, {"write-format": "csv"}):
        with pytest.raises((fb.errors.InvalidInputError, fb.errors.UnsupportedError)):
            _native.WriteRecipe.of(refs.open()._inner, options=option, write_id="w")
