"""What becomes of a write when others changed columns, or a key was used, since its table was opened?"""

from __future__ import annotations

import gc
import subprocess
import sys

import pyarrow as pa
import pytest
from one_column import SCHEMA, ids, rows
from places import files_in

from floeberg import CommitResult
from floeberg.errors import CommitConflictError, InvalidInputError

TWO = pa.schema({"p": pa.string(), "q": pa.string()})


@pytest.fixture
def orders(catalog):
    catalog.create_namespace("sales")
    return catalog.create_table("sales.orders", SCHEMA)


def test_a_delete_means_the_column_that_was_seen(catalog, kind):
    kind.skip_where_names_are_mapped()
    catalog.create_namespace("sales")
    one = catalog.create_table("sales.two", TWO, partition_spec=["p as one", "q as two"])
    one.append(pa.table({"p": ["a", "b"], "q": ["b", "a"]}, TWO))
    other = catalog.load_table("sales.two")
    for old, new in (("p", "x"), ("q", "p"), ("x", "q")):
        with other.update_schema() as update:
            update.rename_column(old, new)
    one.delete("p = 'a'")
    assert one.scan().to_arrow().to_pylist() == [{"q": "b", "p": "a"}]


def test_nulls_do_not_come_into_a_column_that_became_required(catalog, orders):
    other = catalog.load_table("sales.orders")
    with other.update_schema(allow_incompatible_changes=True) as update:
        update.require_column("id")
    stale = catalog.load_table("sales.orders")
    before = sorted(files_in(orders.location()))
    with pytest.raises(CommitConflictError, match="is required now"):
        orders.append(pa.table({"id": pa.nulls(1, pa.int64())}))
    assert sorted(files_in(orders.location())) == before
    orders.append(rows(1))
    stale.append(rows(2))
    assert ids(stale) == [1, 2]


def test_a_key_belongs_to_an_operation_a_branch_and_its_ancestry(catalog, orders):
    made = orders.append(rows(1), idempotency_key="k")
    assert made == CommitResult(orders.current_snapshot().snapshot_id, "append", already_committed=False)
    again = catalog.load_table("sales.orders").append(rows(1), idempotency_key="k")
    assert again == CommitResult(made.snapshot_id, "append", already_committed=True)
    for other in (
        lambda: orders.delete(delete_all=True, idempotency_key="k"),
        lambda: orders.overwrite(rows(9), idempotency_key="k"),
        lambda: orders.dynamic_partition_overwrite(rows(9), idempotency_key="k"),
    ):
        with pytest.raises(
            InvalidInputError, match="was used for another operation: expected .*, found append"
        ):
            other()
    on_dev = orders.append(rows(5), branch="dev", idempotency_key="k")
    assert not on_dev.already_committed
    assert orders.append(rows(5), branch="dev", idempotency_key="k").snapshot_id == on_dev.snapshot_id
    assert sorted(orders.scan().use_ref("dev").to_arrow()["id"].to_pylist()) == [1, 5]
    with orders.transaction(idempotency_key="both") as transaction:
        transaction.append(rows(2))
        transaction.delete("id = 1")
        assert transaction.result is None
    assert transaction.result == CommitResult(
        orders.current_snapshot().snapshot_id, "delete", already_committed=False
    )
    with orders.transaction(idempotency_key="both") as transaction:
        transaction.append(rows(2))
        transaction.delete("id = 1")
    assert transaction.result.already_committed
    with pytest.raises(InvalidInputError, match="found append, delete"):
        orders.append(rows(2), idempotency_key="both")
    assert ids(orders) == [2]


def test_a_transaction_that_is_dropped_takes_its_files_along(orders):
    before = sorted(files_in(orders.location()))
    transaction = orders.transaction()
    transaction.append(rows(1))
    assert len(files_in(orders.location())) == len(before) + 1
    del transaction
    gc.collect()
    assert sorted(files_in(orders.location())) == before
    transaction = orders.transaction()
    transaction.append(rows(1))
    transaction.rollback()
    assert sorted(files_in(orders.location())) == before


def test_a_copy_of_a_transaction_in_another_process_takes_nothing(tmp_path):
    program = """
import os, sys
import floeberg as fb, pyarrow as pa
catalog = fb.load_catalog("x", type="sql", uri=f"sqlite:///{sys.argv[1]}/c.db", warehouse=sys.argv[1])
catalog.create_namespace("n")
table = catalog.create_table("n.t", pa.schema({"id": pa.int64()}))
transaction = table.transaction()
transaction.append(pa.table({"id": [1]}))
child = os.fork()
if child == 0:
    del transaction
    sys.exit(0)
os.waitpid(child, 0)
transaction.commit_transaction()
print(table.scan().to_arrow()["id"].to_pylist())
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.returncode) == ("[1]\n", 0), done.stderr
