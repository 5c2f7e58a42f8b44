"""Google Cloud Storage as far as its emulator allows: it is read; a write is refused, and nothing is half done.

fake-gcs-server has no `PUT` of an object, which is how Floeberg writes to Google's store, with its condition.
"""

from __future__ import annotations

import json
import uuid
from pathlib import Path

import emulators
import pyarrow as pa
import pytest
from emulators import Google

import floeberg as fb
from floeberg import _native
from floeberg.catalog import check_catalog
from floeberg.errors import FloebergError, StorageError
from tiers import ALL

pytestmark = pytest.mark.skipif(not ALL, reason="the emulator is built from its source: `make long` does it")

ROWS = pa.table({"id": [1, 2, 3]})


@pytest.fixture
def google(monkeypatch) -> Google:
    """The emulator, whose clients find it by the environment."""
    started = emulators.google_of(emulators.started("google"))
    for name, value in started.environment.items():
        monkeypatch.setenv(name, value)
    return started


@pytest.fixture
def root() -> str:
    """A folder of the bucket that nothing is in."""
    return f"{emulators.place('google')}/{uuid.uuid4().hex}"


def upload(google: Google, folder: Path, root: str) -> None:
    """Write all files of a folder below `root`."""
    for path in folder.rglob("*"):
        if path.is_file():
            key = f"{root}/{path.relative_to(folder)}".removeprefix(f"{emulators.place('google')}/")
            google.put(key, path.read_bytes())


@pytest.fixture
def empty(google, root, tmp_path) -> fb.Table:
    """A table without rows, whose metadata says that it is in the store."""
    made = fb.load_catalog("made", type="filesystem", warehouse=str(tmp_path / "w"))
    made.create_namespace("ns")
    table = made.create_table("ns.t", ROWS.schema)
    (path,) = Path(table.location().removeprefix("file://")).rglob("*.metadata.json")
    content = json.loads(path.read_text())
    content["location"] = f"{root}/ns/t"
    path.write_text(json.dumps(content))
    upload(google, tmp_path / "w", root)
    return fb.load_catalog("g", type="filesystem", warehouse=root).load_table("ns.t")


def test_a_table_is_listed_and_read(google, root, tmp_path):
    local = fb.load_catalog("made", type="filesystem", warehouse=str(tmp_path / "w"))
    local.create_namespace("ns")
    table = local.create_table("ns.t", ROWS.schema)
    table.append(ROWS)
    table.delete("id = 2")
    upload(google, tmp_path / "w", root)
    assert fb.load_catalog("g", type="filesystem", warehouse=root).list_tables("ns") == [("ns", "t")]
    found = fb.open_table(f"{root}/ns/t", relocate={table.location(): f"{root}/ns/t"})
    assert sorted(found.scan().to_arrow()["id"].to_pylist()) == [1, 3]
    assert _native.read_file(f"{root}/ns/t/metadata/version-hint.text", storage_options=dict(google.options))


def test_an_append_is_refused_and_nothing_is_half_done(google, empty):
    before = google.keys()
    with pytest.raises(StorageError, match="invalid uploadType") as caught:
        empty.append(ROWS)
    assert google.options["gcs.oauth2.token"] not in str(caught.value)
    assert google.keys() == before
    assert empty.refresh().scan().count() == 0 and empty.snapshots() == []


def test_neither_a_namespace_nor_a_table_is_half_created(google, root):
    before = google.keys()
    catalog = fb.load_catalog("g", type="filesystem", warehouse=root)
    with pytest.raises(StorageError, match="invalid uploadType"):
        catalog.create_namespace("ns")
    with pytest.raises(FloebergError, match="invalid uploadType"):
        fb.lance.create_table(f"{root}/lance", ROWS)
    assert google.keys() == before
    assert catalog.list_namespaces() == []


def test_the_check_names_the_step(google, root):
    found = check_catalog("g", type="filesystem", warehouse=root, **google.options)
    assert found.failure is not None and found.failure.name == "put", found
    assert "invalid uploadType" in str(found.failure.error)
    assert {found.step(name).outcome for name in ("bucket", "list")} == {"ok"}
    assert found.step("put-if-absent").outcome == "skipped"
