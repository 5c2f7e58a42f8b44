"""Does a table have the rows of a Delta table with any history, at any version?"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import floeberg as fb
from floeberg.errors import UnsupportedError
from takeover.delta_tables import (
    adds_of,
    change_schema,
    commit,
    delete_by_vector,
    deltalake,
    in_order,
    rows_of_delta,
)

REGIONS = ["eu", "a b", None, "x/y", "%", "é"]


class History:
    """A Delta table with steps that were drawn."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.drawn = random.Random(seed)
        self.folder = folder
        self.names = ["id", "region", "amount"]
        self._last = 0
        self._is_mapped = self.drawn.random() < 0.5
        mode = self.drawn.choice(["name", "id"])
        mapping = {"delta.columnMapping.mode": mode} if self._is_mapped else {}
        parts = self.drawn.choice([None, ["region"]])
        deltalake.write_deltalake(str(folder), self._rows(), partition_by=parts, configuration=mapping)
        features = ["deletionVectors", *(["columnMapping"] if self._is_mapped else [])]
        both = {"readerFeatures": features, "writerFeatures": features}
        commit(folder, [{"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, **both}}])

    def step(self, number: int) -> None:
        """Makes a version."""
        step = self.drawn.choice(["append", "append", "delete", "vector", "vector", "rename"])
        if step == "append":
            deltalake.write_deltalake(str(self.folder), self._rows(), mode="append")
        elif step == "delete":
            table = deltalake.DeltaTable(str(self.folder))
            table.delete(f"{self.names[0]} % 7 = {self.drawn.randint(0, 6)}")
        elif step == "vector":
            _delete_some(self.folder, self.drawn)
        elif self._is_mapped:
            self._rename(f"c{number}")

    def _rows(self) -> pa.Table:
        ids = range(self._last, self._last + self.drawn.randint(1, 30))
        self._last = ids.stop
        regions = pa.array([self.drawn.choice(REGIONS) for _ in ids], pa.string())
        return pa.table(
            dict(zip(self.names, (ids, regions, [self.drawn.random() for _ in ids]), strict=True))
        )

    def _rename(self, after: str) -> None:
        at = self.drawn.choice([0, 2])
        before, self.names[at] = self.names[at], after

        def rename(fields: list[Any]) -> list[Any]:
            return [{**each, "name": after} if each["name"] == before else each for each in fields]

        change_schema(self.folder, rename)


@pytest.mark.unchecked_tables("several tables refer to the files of one source")
@pytest.mark.parametrize("seed", range(8))
def test_any_history(tmp_path: Path, seed: int) -> None:
    folder = tmp_path / "old"
    history = History(folder, seed)
    for number in range(history.drawn.randint(2, 7)):
        history.step(number)
    versions = deltalake.DeltaTable(str(folder)).version() + 1

    for version in {versions - 1, history.drawn.randrange(versions)}:
        made = fb.snapshot_table(folder, tmp_path / f"new-{version}", version=version)
        assert made.table is not None
        expected = rows_of_delta(folder, version)
        assert in_order(made.table.scan().to_arrow()) == expected
        assert made.rows - made.deleted_rows == len(expected) == made.table.count()
        for region in REGIONS[:2]:
            wanted = [row for row in expected if row["region"] == region]
            assert in_order(made.table.scan(fb.col("region") == region).to_arrow()) == wanted


def _delete_some(folder: Path, drawn: random.Random) -> None:
    """Deletes rows by a vector that has those of the one before."""
    adds = [
        each for each in adds_of(folder) if "deletionVector" not in each or each["deletionVector"] is None
    ]
    if not adds:
        return
    add = {key: value for key, value in drawn.choice(adds).items() if value is not None}

    count = pq.read_metadata(folder / unquote(add["path"])).num_rows
    positions = drawn.sample(range(count), drawn.randint(1, count))
    delete_by_vector(folder, add, positions, inline=drawn.random() < 0.5)


@pytest.mark.unchecked_tables("files of Delta with field ids lack the columns of partitions")
@pytest.mark.parametrize("seed", range(8))
def test_every_version_is_a_snapshot(tmp_path: Path, seed: int) -> None:
    folder = tmp_path / "old"
    history = History(folder, seed)
    for number in range(history.drawn.randint(2, 7)):
        history.step(number)
    versions = deltalake.DeltaTable(str(folder)).version() + 1

    made = fb.snapshot_table(folder, tmp_path / "new", keep_history=True)

    table = made.table
    assert table is not None
    assert made.versions == versions
    refs = table.refs()
    for version in range(versions):
        snapshot = refs[f"delta-version-{version}"].snapshot_id
        # Columns are those of the last version.
        found = table.scan(snapshot_id=snapshot).to_arrow()
        expected = rows_of_delta(folder, version)
        assert sorted(map(repr, found.to_pylist())) == sorted(
            repr(dict(zip(found.column_names, row.values(), strict=True))) for row in expected
        )
    assert refs["main"].snapshot_id == refs[f"delta-version-{versions - 1}"].snapshot_id
    assert list(table.check()) == []


def test_history_begins_where_all_files_are_there(tmp_path: Path) -> None:
    folder = tmp_path / "old"
    deltalake.write_deltalake(str(folder), pa.table({"id": [1]}))
    (first,) = folder.glob("*.parquet")
    deltalake.write_deltalake(str(folder), pa.table({"id": [2]}), mode="append")
    deltalake.DeltaTable(str(folder)).delete("id = 1")
    deltalake.write_deltalake(str(folder), pa.table({"id": [3]}), mode="append")
    first.unlink()
    made = fb.snapshot_table(folder, tmp_path / "new", keep_history=True)
    assert made.table is not None
    assert made.versions == 2
    found = {name for name in made.table.refs() if name.startswith("delta-version")}
    assert found == {"delta-version-2", "delta-version-3"}
    assert made.table.scan(snapshot_id=made.table.refs()["delta-version-2"].snapshot_id).count() == 1


def test_rows_that_come_back_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "old"
    how = {"delta.enableDeletionVectors": "true"}
    deltalake.write_deltalake(str(folder), pa.table({"id": [1, 2, 3]}), configuration=how)
    add = {key: value for key, value in adds_of(folder)[0].items() if value is not None}
    delete_by_vector(folder, add, [0, 1])
    delete_by_vector(folder, adds_of(folder)[0], [1])
    with pytest.raises(UnsupportedError, match="version 2 .* brings back rows"):
        fb.snapshot_table(folder, tmp_path / "new", keep_history=True)
    assert not (tmp_path / "new").exists()
    made = fb.snapshot_table(folder, tmp_path / "new")
    assert made.table is not None
    assert sorted(made.table.scan().to_arrow()["id"].to_pylist()) == [1, 3]
    with pytest.raises(ValueError, match="Delta table alone"):
        fb.snapshot_table(_files(tmp_path), tmp_path / "other", keep_history=True)


def _files(tmp_path: Path) -> Path:
    (tmp_path / "files").mkdir()
    pq.write_table(pa.table({"id": [1]}), tmp_path / "files" / "a.parquet")
    return tmp_path / "files"
