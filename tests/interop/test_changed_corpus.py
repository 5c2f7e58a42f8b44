"""Tables of other writers change here: specs, orders, branches, tags, rollbacks, added files.

Their rows are counted along. Iceberg Java, PyIceberg and DuckDB read the result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from adopting import adopt, local
from peers.process import Refused
from tables import arrow_file

import floeberg as fb
from conformance_checker import check
from corpus import encode, lent
from floeberg.catalog import MemoryCatalog

pytestmark = pytest.mark.timeout(900)

ROLES = (
    *("refs", "evolved", "many", "nested", "imported", "inline", "partitioned_v1", "partitioned_positions"),
    *("rollbacks", "deletes", "vectors", "upgraded"),
)


@dataclass
class Changed:
    """A table that was changed here.

    Attributes:
        table: What it is now.
        rows: Its rows.
        without_file: The metadata file and the rows before a file was added.
        location: The metadata file that its writer left.
        before: Its rows then.
    """

    table: fb.Table
    rows: list[str]
    without_file: tuple[str, list[str]]
    location: str
    before: list[str]


@pytest.fixture(scope="module", params=ROLES)
def changed(request, tmp_path_factory) -> Changed:
    """A table after all changes, and before."""
    case = lent(request.param)
    folder = tmp_path_factory.mktemp("adopted")
    catalog = MemoryCatalog(f"changed {request.param}")
    catalog.create_namespace("ns")
    table = catalog.register_table("ns.t", str(adopt(case, folder / "table")))
    old = {each.snapshot_id: rows(table, each.snapshot_id) for each in table.snapshots()}
    before, location = sorted(encode(table.scan().to_arrow())), table.metadata_location
    files = [str(each) for each in folder.rglob("*")]
    table.set_properties({"write.metadata.delete-after-commit.enabled": False})
    expected = Counter(before)
    some = table.scan(limit=3).to_arrow()
    change_layout(table)
    assert Counter(encode(table.scan().to_arrow())) == expected
    table.append(some)
    expected += Counter(encode(some))
    expected += on_a_branch(table, some)
    assert Counter(encode(table.scan().to_arrow())) == expected
    table.manage_snapshots().rollback_to_snapshot(table.refs()["before"].snapshot_id).commit()
    table.manage_snapshots().set_current_snapshot(ref_name="after").commit()
    assert Counter(encode(table.scan().to_arrow())) == expected
    without_file = (table.metadata_location, sorted(expected.elements()))
    expected += add_file(table, some, folder / "added.parquet")
    assert Counter(encode(table.scan().to_arrow())) == expected
    for snapshot_id, then in old.items():
        assert rows(table, snapshot_id) == then
    # What its writer did wrong is not ours.
    faults = check(table.metadata_location, read).faults
    assert [fault for fault in faults if not fault.place.startswith(tuple(files))] == []
    return Changed(table, sorted(expected.elements()), without_file, location, before)


def read(location: str) -> bytes:
    return local(location).read_bytes()


def rows(table: fb.Table, snapshot_id: int) -> Counter[str]:
    return Counter(encode(table.scan(snapshot_id=snapshot_id).to_arrow()))


def change_layout(table: fb.Table) -> None:
    """Another partition field and another order, by the first column that both can have."""
    column = next(each for each in table.schema().fields if str(each.field_type) in ("int", "long", "string"))
    table.update_spec().add_field(column.name, "bucket[5]", "shard_of_all").commit()
    table.update_sort_order().desc(column.name).commit()


def on_a_branch(table: fb.Table, some: pa.Table) -> Counter[str]:
    """Rows that are written to a branch, and published."""
    table.manage_snapshots().create_tag(None, "before").create_branch(None, "audited").commit()
    table.append(some.slice(0, 1), branch="audited")
    staged = table.append(some.slice(1, 1), stage_only=True)
    table.manage_snapshots().fast_forward("main", "audited").remove_branch("audited").commit()
    table.manage_snapshots().cherrypick(staged.snapshot_id).commit()
    table.manage_snapshots().create_tag(None, "after").commit()
    return Counter(encode(some.slice(0, 2)))


def add_file(table: fb.Table, some: pa.Table, path: Path) -> Counter[str]:
    """A file of another program, in an unpartitioned spec."""
    with table.update_spec() as update:
        for field in table.spec().fields:
            if str(field.transform) != "void":
                update.remove_field(field.name)
    # Java and PyIceberg cannot find nested columns by a name mapping.
    flat = some.select([each.name for each in some.schema if not pa.types.is_nested(each.type)])
    plain = pa.schema([each.remove_metadata() for each in flat.schema])
    pq.write_table(flat.cast(plain), path)
    table.add_files(path)
    nested = [
        pa.nulls(len(some), each.type) if pa.types.is_nested(each.type) else some[each.name]
        for each in some.schema
    ]
    return Counter(encode(pa.Table.from_arrays(nested, schema=some.schema)))


def compared(changed: Changed, found: Callable[[str], list[str]]) -> None:
    """A peer that reads the table of its writer reads ours."""
    try:
        before = found(changed.location)
    except Refused as refused:
        pytest.skip(f"the peer cannot read the table as it was: {refused}")
    if before != changed.before:
        pytest.skip("the peer reads the table wrong as it was")
    assert found(changed.without_file[0]) == changed.without_file[1]


def test_java_reads_what_became_of_it(changed, java):
    # Its generic reader counts columns of files without ids by their place, whatever the name mapping says.
    compared(changed, lambda location: sorted(java("read", metadata_location=location)))


def test_pyiceberg_reads_what_became_of_it(changed, pyiceberg, tmp_path):
    def found(location: str) -> list[str]:
        pyiceberg("read", metadata_location=location, into=str(tmp_path / "rows.arrow"))
        return sorted(encode(arrow_file(tmp_path / "rows.arrow")))

    compared(changed, found)
    assert found(changed.table.metadata_location) == changed.rows


def test_duckdb_reads_what_became_of_it(changed, duckdb, tmp_path):
    names = [each.name for each in changed.table.schema().fields]

    def found(location: str) -> list[str]:
        duckdb("read", metadata_location=location, columns=names, into=str(tmp_path / "rows.arrow"))
        return sorted(encode(arrow_file(tmp_path / "rows.arrow")))

    compared(changed, found)
    assert found(changed.table.metadata_location) == changed.rows
