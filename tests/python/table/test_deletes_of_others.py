"""Rows are deleted from tables in which other writers deleted rows, in ways that Floeberg does not."""

from __future__ import annotations

import pytest

import floeberg as fb
from properties.kinds import KINDS
from properties.metrics import Told
from properties.tables import NUMBER, Column, File, Layout, Spec, Table
from properties.writing import write

MODES = ("copy-on-write", "merge-on-read")
TEXT = Column(2, "c", KINDS["string"], KINDS["string"])
LATER = Column(3, "later", KINDS["long"], KINDS["long"], added=True)
LAYOUT = Layout(100, 1 << 20, statistics=True, page_index=True, dictionary=True)
TOLD = {number: Told(counts=True, nans=True, lower=True, upper=True, length=16) for number in (1, 2)}
PLACE = {"spec": Spec(0, ()), "partition": ()}


def data(*rows: tuple[int, str]) -> File:
    """A data file of numbers and texts."""
    found = [{0: False, 1: number, 2: text} for number, text in rows]
    return File("data.parquet", 0, 0, **PLACE, sequence=1, layout=LAYOUT, rows=found, told=TOLD)


def opened(version: int, files: list[File], folder) -> fb.Table:
    """The table of these files."""
    columns, specs = (NUMBER, TEXT, LATER), (PLACE["spec"],)
    write(Table(version, columns, specs, files, inherits=True, summaries=True), folder)
    return fb.open_table(folder)


def numbers(table: fb.Table) -> list[int]:
    return sorted(table.scan().to_arrow()["n"].to_pylist())


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("version", [2, 3])
def test_positions_behind_the_last_row_do_not_make_a_file_whole(tmp_path, version, mode):
    rows = data((1, "a"), (2, "b"), (3, "c"))
    deleted = File("deletes.parquet", 1, 0, **PLACE, sequence=2, layout=LAYOUT)
    deleted.positions = [(rows, 0), (rows, 3), (rows, 1 << 33)]
    table = opened(version, [rows, deleted], tmp_path / "table")
    assert numbers(table) == [2, 3]
    # One row of three is deleted, two positions are of no row, and one row matches.
    table.delete("c = 'b'", mode=mode)
    assert numbers(table.refresh()) == [3]
    assert table.inspect.data_files()["record_count"].to_pylist() == [1 if mode == "copy-on-write" else 3]


@pytest.mark.unchecked_tables("nothing is committed to the table that the test wrote")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("version", [2, 3])
def test_columns_beside_the_keys_bring_no_row_back(tmp_path, version, mode):
    rows = data((1, "y"), (2, "y"))
    # The row was deleted when it had another text, which is not a key.
    keys = File("keys.parquet", 2, 0, **PLACE, sequence=2, layout=LAYOUT, rows=[{0: False, 1: 1, 2: "x"}])
    keys.keys, keys.extra, keys.told = (NUMBER,), (TEXT,), TOLD
    table = opened(version, [rows, keys], tmp_path / "table")
    table.delete("c = 'x'", mode=mode)
    assert numbers(table.refresh()) == [2]
    assert table.inspect.delete_files().num_rows == 1
    table.delete("n = 1", mode=mode)
    assert numbers(table.refresh()) == [2]
