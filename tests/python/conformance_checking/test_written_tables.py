"""What tests write is looked at, wherever it is, and a violation fails the test."""

from __future__ import annotations

import os
import subprocess
import sys

import pyarrow as pa
import pytest
from cargo_workspace import ROOT

import floeberg as fb
from conformance_checking.planting import Planted, path_of
from floeberg import _native
from written_tables import Written

DAMAGING = """
import pathlib, pyarrow as pa, pytest, floeberg as fb

def write(folder):
    catalog = fb.load_catalog("damaging", type="filesystem", warehouse=str(folder))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", pa.schema({"id": pa.int64()}))
    table.append(pa.table({"id": [1]}))
    return pathlib.Path(table.metadata_location)

def test_sound(tmp_path):
    write(tmp_path)

def test_violation(tmp_path):
    place = write(tmp_path)
    place.write_text(place.read_text().replace('"total-records":"1"', '"total-records":"2"'))

@pytest.mark.unchecked_tables("it is broken on purpose")
def test_marked(tmp_path):
    test_violation(tmp_path)

@pytest.mark.unchecked_tables()
def test_marked_without_a_reason(tmp_path):
    pass
"""


@pytest.mark.unchecked_tables("the tests that it runs break theirs")
def test_a_test_that_writes_a_violation_fails(tmp_path):
    test = tmp_path / "test_damaging.py"
    test.write_text(DAMAGING)
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "conftest",
            "-p",
            "no:cacheprovider",
            "-c",
            ROOT / "pyproject.toml",
            test,
        ],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": f"{ROOT}/tests", "PYTEST_DEBUG_TEMPROOT": str(tmp_path)},
        check=False,
        cwd=tmp_path,
    )
    assert "3 passed, 2 errors" in run.stdout, run.stdout
    assert "summary-totals" in run.stdout
    assert "say why the tables are not to be checked" in run.stdout


def table_of(catalog: fb.Catalog) -> fb.Table:
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", pa.schema({"id": pa.int64()}))
    table.append(pa.table({"id": [1]}))
    return table


@pytest.mark.unchecked_tables("a violation is planted in it")
def test_tables_in_memory_are_looked_at():
    written = Written()
    with pytest.MonkeyPatch.context() as patches:
        written.listen(patches)
        table = table_of(fb.load_catalog("looked-at", type="memory"))
    assert written.faults() == []
    (snapshot,) = table.snapshots()
    _native.put_file(snapshot.manifest_list, b"Obj\x01", storage_options={})
    assert [fault.rule for fault in written.faults()] == ["files-can-be-read"]


@pytest.mark.unchecked_tables("a violation is planted in it")
@pytest.mark.parametrize("kind", ["filesystem", "sql"])
def test_tables_of_other_processes_are_looked_at(tmp_path, kind):
    options = {"uri": f"sqlite:///{tmp_path}/catalog.db"} if kind == "sql" else {}
    table = table_of(
        fb.load_catalog("looked-at", type=kind, warehouse=str(tmp_path / "warehouse"), **options)
    )
    written = Written()
    written.look_through(tmp_path)
    assert written.faults() == []
    Planted(path_of(table.metadata_location)).change_metadata(lambda metadata: metadata.update({"refs": {}}))
    assert [fault.rule for fault in written.faults()] == ["main-is-current"]


def test_a_table_that_was_dropped_is_nothing_to_look_at(tmp_path):
    catalog = fb.load_catalog("looked-at", type="filesystem", warehouse=str(tmp_path / "warehouse"))
    written = Written()
    with pytest.MonkeyPatch.context() as patches:
        written.listen(patches)
        table_of(catalog)
    catalog.purge_table("ns.t")
    assert written.faults() == []
