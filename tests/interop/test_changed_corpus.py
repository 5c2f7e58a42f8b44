"""Tables of other writers change here: specs, orders, branches, tags, rollbacks, added files.

Their rows are counted along. Iceberg Java, PyIceberg and DuckDB read the result.
"""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from adopting import adopt, local
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


@pytest.fixture(scope="module", params=ROLES)
def changed(request, tmp_path_factory) -> tuple[fb.Table, list[str]]:
    """A table after all changes, and its rows."""
    case = lent(request.param)
    folder = tmp_path_factory.mktemp("adopted")
    catalog = MemoryCatalog(f"changed {request.param}")
    catalog.create_namespace("ns")
    table = catalog.register_table("ns.t", str(adopt(case, folder / "table")))
    old = {each.snapshot_id: rows(table, each.snapshot_id) for each in table.snapshots()}
    expected = Counter(encode(table.scan().to_arrow()))
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
    expected += add_file(table, some, folder / "added.parquet")
    assert Counter(encode(table.scan().to_arrow())) == expected
    for snapshot_id, then in old.items():
        assert rows(table, snapshot_id) == then
    assert check(table.metadata_location, lambda location: local(location).read_bytes()).faults == []
    return table, sorted(expected.elements())


def rows(table: fb.Table, snapshot_id: int) -> Counter[str]:
    return Counter(encode(table.scan(snapshot_id=snapshot_id).to_arrow()))


def change_layout(table: fb.Table) -> None:
    """Another partition field and another order, by the first column that both can have."""
    column = next(each for each in table.schema().fields if str(each.field_type) in ("int", "long", "string"))
    table.update_spec().add_field(column.name, "bucket[3]", "shard_of_all").commit()
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


def add_file(table: fb.Table, some: pa.Table, path) -> Counter[str]:
    """A file of another program, in an unpartitioned spec."""
    with table.update_spec() as update:
        for field in table.spec().fields:
            if str(field.transform) != "void":
                update.remove_field(field.name)
    plain = pa.schema([pa.field(each.name, without_ids(each.type), each.nullable) for each in some.schema])
    pq.write_table(
        pa.Table.from_arrays(
            [each.cast(kind) for each, kind in zip(some.columns, plain.types, strict=True)], schema=plain
        ),
        path,
    )
    table.add_files(path)
    return Counter(encode(some))


def without_ids(kind: pa.DataType) -> pa.DataType:
    """A type without the field ids in it."""
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(each.name, without_ids(each.type), each.nullable) for each in kind])
    if pa.types.is_list(kind):
        return pa.list_(pa.field("element", without_ids(kind.value_type), kind.value_field.nullable))
    if pa.types.is_map(kind):
        return pa.map_(without_ids(kind.key_type), without_ids(kind.item_type))
    return kind


def test_java_reads_what_became_of_it(changed, java):
    table, expected = changed
    assert sorted(java("read", metadata_location=table.metadata_location)) == expected


def test_pyiceberg_reads_what_became_of_it(changed, pyiceberg, tmp_path):
    table, expected = changed
    pyiceberg("read", metadata_location=table.metadata_location, into=str(tmp_path / "rows.arrow"))
    assert sorted(encode(arrow_file(tmp_path / "rows.arrow"))) == expected


def test_duckdb_reads_what_became_of_it(changed, duckdb, tmp_path):
    table, expected = changed
    names = [each.name for each in table.schema().fields]
    asked = {
        "metadata_location": table.metadata_location,
        "columns": names,
        "into": str(tmp_path / "rows.arrow"),
    }
    duckdb("read", **asked)
    assert sorted(encode(arrow_file(tmp_path / "rows.arrow"))) == expected
