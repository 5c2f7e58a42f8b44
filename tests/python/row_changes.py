"""Operations that each change row 2 of a table of rows 1, 2, 3 and 4."""

from __future__ import annotations

import pyarrow as pa

SCHEMA = pa.schema([("id", pa.int32()), ("note", pa.string())])
FAST = {"commit.retry.min-wait-ms": "1", "commit.retry.max-wait-ms": "2"}
MODES = ("copy-on-write", "merge-on-read")


def rows(*ids, note="old"):
    return pa.table({"id": ids, "note": [note] * len(ids)}, SCHEMA)


def made(catalog, version=3, name="ns.t"):
    table = catalog.create_table(name, SCHEMA, format_version=version, properties=FAST)
    table.append(rows(1, 2, 3, 4))
    return table


def content(table):
    return sorted((row["id"], row["note"]) for row in table.refresh().scan().to_arrow().to_pylist())


def feed(*changes):
    """Changes of (operation, id, note)."""
    names = ("op", "id", "note")
    known = [dict(zip(names, each, strict=True)) | {"lsn": 1} for each in changes]
    return pa.Table.from_pylist(known, pa.schema([("op", pa.string()), *SCHEMA, ("lsn", pa.int64())]))


def delete(transaction, **how):
    transaction.delete("id = 2", **how)


def update(transaction, **how):
    transaction.update({"note": "new"}, "id = 2", **how)


def upsert(transaction, **how):
    transaction.upsert(rows(2, note="new"), ["id"], **how)


def merge(transaction, **how):
    transaction.merge(rows(2, note="new"), on=["id"], **how).when_matched_update_all().execute()


def apply_changes(transaction, **how):
    transaction.apply_changes(feed(("update", 2, "new")), keys=["id"], operation="op", order_by="lsn", **how)


OPERATIONS = (delete, update, upsert, merge, apply_changes)


def after(operation, *others):
    """What there is with rows 2 changed."""
    new = [] if operation is delete else [(2, "new")]
    return sorted([*others, *new])
