"""Does what the guide says of two writers happen, cell by cell?"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cargo_workspace import ROOT

import floeberg as fb
from floeberg import _native
from floeberg._new_table import schema_json
from floeberg.errors import CommitConflictError

PAGE = (ROOT / "docs" / "guide" / "promises.md").read_text(encoding="utf-8")
SCHEMA = pa.schema({"id": pa.int64()})
FILTER = "id IN (2, 20)"
PLACES = ("_file", "_pos")


def cells():
    """Slower and faster operations, and what the guide says of them."""
    lines = PAGE.split("tries every cell -->")[1].strip().splitlines()
    head, _, *rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in lines[: lines.index("")]
    ]
    return [
        (row[0].replace("`", ""), faster, said)
        for row in rows
        for faster, said in zip(head[1:], row[1:], strict=True)
    ]


def rows(*ids):
    return pa.table({"id": ids}, SCHEMA)


def ids(table):
    return sorted(table.scan().to_arrow()["id"].to_pylist())


def faster(table, name):
    """Commits, and says which rows there are without the slower one."""
    if name.startswith("append"):
        new = int(name.split()[-1])
        # The bounds of row 9 hold row 20 and row 2 of the filter, so that it must be read.
        table.append(rows(new) if new == 2 else rows(1, new, 30))
        return
    row, mode = int(name.split()[3]), name.split()[-1]
    table.delete(
        f"id = {row}",
        mode="copy-on-write" if mode == "copies" else "merge-on-read",
        options={"isolation-level": "snapshot"},
    )


def replacing(table, transaction):
    """What `Catalog.replace_table` commits, begun on an old base."""
    new = {"schema_json": schema_json(SCHEMA, format_version=table.format_version), "spec_json": None}
    more = {"sort_order_json": None, "location": table.location(), "properties": {}}
    operation = _native.Operation.create_table(
        **new, **more, format_version=table.format_version, replaces=True
    )
    transaction.change_structure([operation])
    transaction.append(rows(50))
    return transaction.commit_transaction


def slower(table, name, level):
    """Begins an operation, and returns what commits it, and the ids of its new rows."""
    options = {"isolation-level": level}
    transaction = table.transaction()
    if name == "append":
        transaction.append(rows(50))
        return transaction.commit_transaction, [50]
    if name == "add_files":
        path = Path(table.location()).parent / f"old-{level}.parquet"
        pq.write_table(rows(50), path)
        transaction.add_files([path])
        return transaction.commit_transaction, [50]
    if name == "replace_table with rows":
        return replacing(table, transaction), [50]
    operation, how = name.split(", ")
    if operation == "delete":
        transaction.delete(FILTER, mode=how, options=options)
        return transaction.commit_transaction, []
    if operation == "overwrite":
        transaction.overwrite(rows(50), FILTER, mode=how, options=options)
        return transaction.commit_transaction, [50]
    if operation == "update":
        transaction.update({"id": 50}, FILTER, mode=how, options=options, on_conflict="raise")
        return transaction.commit_transaction, [50]
    recipe = table.row_delta_recipe()
    found = table.scan(FILTER, selected_fields=PLACES).to_arrow()
    receipts, new = [recipe.delete_rows(found)], []
    if how == "changed rows":
        receipts.append(recipe.write(rows(50), task="0"))
        new = [50]
    elif how == "replaced file":
        receipts = [
            recipe.replace_files(list(set(found["_file"].to_pylist()))),
            recipe.write(rows(1, 3, 50), task="0"),
        ]
        new = [50]
    transaction.commit_row_delta(
        receipts,
        read_snapshot_id=table.current_snapshot().snapshot_id,
        conflict_filter=FILTER,
        options=options,
    )
    return transaction.commit_transaction, new


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize(("slow", "fast", "said"), cells())
def test_the_guide_says_what_happens(tmp_path, version, slow, fast, said):
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    for level in ("serializable", "snapshot"):
        name = f"ns.{level}"
        table = catalog.create_table(name, SCHEMA, format_version=version)
        table.append(rows(1, 2, 3))
        table.append(rows(7, 8))
        commit, new = slower(table, slow, level)
        other = catalog.load_table(name)
        faster(other, fast)
        before = ids(other)
        if said == "conflict" or (said, level) == ("serializable", "serializable"):
            with pytest.raises(CommitConflictError):
                commit()
            assert ids(other.refresh()) == before, "nothing changed"
            continue
        commit()
        # Deletes by place are of the rows that were read, others of all rows that match.
        left = before if slow in {"append", "add_files"} else [id_ for id_ in before if id_ != 2]
        if slow == "replace_table with rows":
            left = []
            assert len(other.refresh().snapshots()) == 4, "what was written stays in the history"
        if slow.startswith(("commit_row_delta", "update")) and fast == "append of row 2":
            left = sorted([*left, 2])
        assert ids(other.refresh()) == sorted([*left, *new])
