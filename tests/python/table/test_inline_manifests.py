"""Tables of format version 1 whose metadata files list manifests themselves."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import InvalidInputError

pytestmark = pytest.mark.unchecked_tables("the checker asks for manifest lists, which version 1 may lack")


@pytest.fixture
def inline(tmp_path):
    """A table whose only snapshot lists its manifest in the metadata."""
    catalog = fb.load_catalog(f"inline {tmp_path}", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("n")
    table = catalog.create_table("n.t", as_select=pa.table({"id": [1, 2]}), format_version=1)
    manifests = table.inspect.manifests()["path"].to_pylist()
    file = Path(table.metadata_location)
    metadata = json.loads(file.read_text())
    (snapshot,) = metadata["snapshots"]
    del snapshot["manifest-list"]
    snapshot["manifests"] = manifests
    file.write_text(json.dumps(metadata))
    return catalog.load_table("n.t")


def test_they_are_read_and_changed(inline):
    inline.append(pa.table({"id": [3]}))
    assert sorted(inline.scan().to_arrow()["id"].to_pylist()) == [1, 2, 3]


@pytest.mark.parametrize("version", [2, 3])
def test_they_are_not_upgraded_before_such_snapshots_expire(inline, version):
    with pytest.raises(InvalidInputError, match="lists its manifests in the metadata file"):
        inline.upgrade_table_version(version)
    inline.append(pa.table({"id": [3]}))
    (old, _) = inline.snapshots()
    inline.maintenance.expire_snapshots(snapshot_ids=[old.snapshot_id], dry_run=False)
    inline.upgrade_table_version(version)
    assert sorted(inline.scan().to_arrow()["id"].to_pylist()) == [1, 2, 3]
    assert inline.check("metadata").is_sound()
