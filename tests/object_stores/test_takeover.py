"""Files and Delta tables in an object store are taken over, with options of either spelling."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from emulators import place, started

import floeberg as fb
from floeberg import _native
from takeover.delta_tables import deltalake

ROWS = pa.table({"id": [1, 2, 3], "region": ["eu", "a b", None]})


def put(location: str, rows: pa.Table) -> None:
    sink = pa.BufferOutputStream()
    pq.write_table(rows, sink)
    _native.put_file(location, sink.getvalue().to_pybytes(), storage_options={})


@pytest.mark.unchecked_tables("two tables refer to the files of one source")
def test_files_of_folders_as_hive_has_them() -> None:
    folder = f"{place('moto')}/takeover/files"
    put(f"{folder}/day=2026-11-28/a.parquet", pa.table({"id": [1]}))
    put(f"{folder}/day=__HIVE_DEFAULT_PARTITION__/a.parquet", pa.table({"id": [2]}))
    made = fb.snapshot_table(folder, f"{place('moto')}/takeover/new")
    assert made.table is not None
    assert made.table.scan("day IS NULL").to_arrow()["id"].to_pylist() == [2]
    with pytest.raises(FileExistsError, match="has files"):
        fb.snapshot_table(folder, f"{place('moto')}/takeover/new")
    with pytest.raises(ValueError, match="would mix"):
        fb.snapshot_table(folder, f"{folder}/inside")
    moved = fb.migrate_table(folder)
    assert moved.table is not None
    assert fb.open_table(folder).count() == 2
    with pytest.raises(fb.FloebergError, match=r"empty folder, or there is none"):
        fb.snapshot_table(f"{folder}-none", f"{place('moto')}/takeover/other")


@pytest.mark.unchecked_tables("two tables refer to the files of one source")
@pytest.mark.parametrize("mode", ["none", "name"])
def test_a_delta_table(monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    folder = f"{place('moto')}/takeover/delta-{mode}"
    environment = started("moto").environment
    how = {} if mode == "none" else {"delta.columnMapping.mode": mode}
    options = {**environment, "AWS_ALLOW_HTTP": "true", "aws_conditional_put": "etag"}
    deltalake.write_deltalake(
        folder, ROWS, partition_by=["region"], configuration=how, storage_options=options
    )
    for name in environment:
        monkeypatch.delenv(name)
    given = dict(started("moto").options)
    made = fb.snapshot_table(folder, f"{place('moto')}/takeover/new-{mode}", storage_options=given)
    assert made.table is not None
    assert made.table.scan().to_arrow().sort_by("id").to_pylist() == ROWS.to_pylist()
    again = fb.snapshot_table(
        folder, f"{place('moto')}/takeover/history-{mode}", storage_options=given, keep_history=True
    )
    assert again.versions == 1
