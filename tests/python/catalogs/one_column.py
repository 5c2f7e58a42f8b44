"""A table of one column, `id`, and what tests do with it."""

from __future__ import annotations

import pyarrow as pa

from floeberg import Table, _native

SCHEMA = pa.schema({"id": pa.int64()})


def rows(*ids: int) -> pa.Table:
    """Rows of these ids."""
    return pa.table({"id": list(ids)}, SCHEMA)


def ids(table: Table) -> list[int]:
    """The ids of a table, in order."""
    return sorted(table.scan().to_arrow()["id"].to_pylist())


def attempt_on(base: _native.Table) -> _native.Attempt:
    """An attempt that sets the property `owner`."""
    made = _native.Commit.begin(
        [_native.Operation.set_properties({"owner": "jo"})],
        starting=base,
        storage_options={},
        snapshot_properties={},
        branch="main",
        commit_key="k",
    )
    return made.attempt(base)
