"""Iceberg Java and PyIceberg read tables that Floeberg made of the files of lost ones."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from adopting import adopt
from tables import arrow_file

import floeberg as fb
from corpus import encode, lent
from rebuilding.lost import digests, fill, without_metadata

pytestmark = [pytest.mark.timeout(1800), pytest.mark.unchecked_tables("tables are destroyed")]

ROLES = (
    *("refs", "evolved", "many", "nested", "imported", "inline", "partitioned_v1", "partitioned_positions"),
    *("rollbacks", "deletes", "vectors", "upgraded"),
)
SCHEMA = pa.schema([("id", pa.int64()), ("part", pa.string())])


@pytest.mark.parametrize("version", [2, 3])
def test_iceberg_and_pyiceberg_read_what_was_rebuilt(tmp_path: Path, java, pyiceberg, version):
    catalog = fb.load_catalog("lost", type="filesystem", warehouse=str(tmp_path / "lake"))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", SCHEMA, partition_spec=["part"], format_version=version)
    fill(table)
    expected = sorted(encode(table.scan().to_arrow()))
    without_metadata(table)
    new = fb.rebuild(table.location(), to=tmp_path / "new").table
    assert sorted(java("read", metadata_location=new.metadata_location)) == expected
    # The new one goes on with its numbers: deletes of later commits apply.
    new.delete("number = 30", mode="merge-on-read")
    location = new.metadata_location
    assert sorted(java("read", metadata_location=location)) == sorted(encode(new.scan().to_arrow()))
    if version == 2:
        plain = catalog.create_table("ns.plain", SCHEMA, partition_spec=["part"], format_version=2)
        plain.append(pa.table({"id": range(9), "part": ["a"] * 9}, SCHEMA))
        plain.delete("id in (3, 4)", mode="merge-on-read")
        without_metadata(plain)
        again = fb.rebuild(plain.location(), to=tmp_path / "plain").table
        into = tmp_path / "rows.arrow"
        pyiceberg("read", metadata_location=again.metadata_location, into=str(into), row_filter="id < 5000")
        assert sorted(arrow_file(into)["id"].to_pylist()) == [0, 1, 2, 5, 6, 7, 8]


@pytest.mark.parametrize("role", ROLES)
def test_tables_of_other_writers_are_rebuilt(tmp_path: Path, role):
    place = adopt(lent(role), tmp_path / "old")
    old = fb.open_table(place)
    names = [*old.schema().column_names, *(("_row_id",) if old.format_version > 2 else ())]
    expected = sorted(encode(old.scan(selected_fields=names).to_arrow()))
    current = None if old.current_snapshot() is None else old.current_snapshot().snapshot_id
    has_lists = all(each.manifest_list for each in old.snapshots())
    before = digests(tmp_path / "old")
    done = fb.rebuild(tmp_path / "old", to=tmp_path / "new")
    assert (done.source, done.snapshot_id) == ("metadata", current)
    assert digests(tmp_path / "old") == before
    assert sorted(encode(done.table.scan(selected_fields=names).to_arrow())) == expected
    assert {each.rule.id for each in done.table.check("rows")} <= {each.rule.id for each in old.check("rows")}
    for path in (tmp_path / "old" / "metadata").iterdir():
        if ".metadata.json" in path.name:
            path.unlink()
    if not has_lists:
        with pytest.raises(fb.errors.InvalidInputError, match="nothing that is left"):
            fb.rebuild(tmp_path / "old", to=tmp_path / "newer")
        return
    # Snapshots of other branches, and those that were rolled back, look as if they might be current.
    mapping = old.properties.get("schema.name-mapping.default")
    if mapping is not None:
        with pytest.raises(fb.errors.InvalidInputError, match="name_mapping="):
            fb.rebuild(tmp_path / "old", to=tmp_path / "newer", snapshot_id=current)
    newer = fb.rebuild(tmp_path / "old", to=tmp_path / "newer", snapshot_id=current, name_mapping=mapping)
    assert newer.source == "manifest-list"
    assert sorted(encode(newer.table.scan(selected_fields=names).to_arrow())) == expected
    assert digests(tmp_path / "old") == {
        path: digest for path, digest in before.items() if ".metadata.json" not in path
    }
