"""Which files of others become part of a table, and which are refused?"""

from __future__ import annotations

import pickle
from pathlib import Path

import pyarrow as pa
import pytest
from one_column import SCHEMA, ids, rows

from floeberg import _native
from floeberg.errors import (
    AlreadyExistsError,
    CommitConflictError,
    FloebergError,
    InvalidDataError,
    InvalidInputError,
    NotFoundError,
)
from written_tables import local


@pytest.fixture
def orders(catalog):
    catalog.create_namespace("sales")
    table = catalog.create_table("sales.orders", SCHEMA)
    table.append(rows(0))
    return table


def write(table, *numbers):
    return table.write_recipe().write(rows(*numbers), task="0")


def names(table):
    return table.inspect.files()["file_path"].to_pylist()


@pytest.mark.parametrize("mode", ["append", "overwrite", "dynamic-overwrite"])
def test_a_file_is_in_a_table_once(catalog, orders, mode):
    receipt = write(orders, 1)
    orders.commit_receipts([receipt])
    before = names(orders)
    for table in (orders, catalog.load_table("sales.orders")):
        for given in (receipt, pickle.loads(pickle.dumps(receipt))):
            with pytest.raises(AlreadyExistsError, match="in the table already") as caught:
                table.commit_receipts([given], mode=mode)
            assert caught.value.context["file_path"] in before
    other, transaction = write(orders, 2), orders.transaction()
    with pytest.raises(InvalidInputError, match="adds the same file twice"):
        orders.commit_receipts([other, other])
    transaction.commit_receipts([other])
    transaction.commit_receipts([other])
    with pytest.raises(AlreadyExistsError):
        transaction.commit_transaction()
    assert names(orders.refresh()) == before
    assert ids(orders) == [0, 1]


def test_another_branch_may_have_a_file_too(orders):
    receipt = write(orders, 1)
    orders.commit_receipts([receipt], branch="audit")
    orders.commit_receipts([receipt])
    assert ids(orders) == [0, 1]
    assert orders.scan().use_ref("audit").count() == 2


def test_a_receipt_of_another_table_is_refused(catalog, orders):
    prices = catalog.create_table("sales.prices", pa.schema({"cents": pa.int64()}))
    receipt = write(orders, 1)
    for given in (receipt, pickle.loads(pickle.dumps(receipt))):
        with pytest.raises(InvalidInputError, match="written for another table"):
            prices.commit_receipts([given])
    with pytest.raises(InvalidInputError, match="another table at .*, and were not removed"):
        prices.write_recipe().remove(receipt)
    both = [receipt, prices.write_recipe().write(pa.table({"cents": [5]}), task="0")]
    with pytest.raises(InvalidInputError, match="written for another table"):
        orders.commit_receipts(both)
    orders.commit_receipts([receipt])
    assert (ids(orders), prices.refresh().scan().count()) == ([0, 1], 0)


def test_a_receipt_of_a_table_that_was_made_anew_is_refused(catalog, orders):
    receipt = write(orders, 1)
    catalog.drop_table("sales.orders")
    catalog.create_namespace("elsewhere")
    again = catalog.create_table("elsewhere.orders", SCHEMA)
    with pytest.raises(InvalidInputError, match="written for another table"):
        again.commit_receipts([receipt])


def test_files_that_are_gone_or_another_are_refused(catalog, orders):
    recipe, cut = orders.write_recipe(), write(orders, 2)
    gone = recipe.write(rows(1), task="0")
    recipe.remove(gone)
    with pytest.raises(NotFoundError, match="does not exist, or was removed") as caught:
        orders.commit_receipts([cut, gone])
    assert caught.value.context["file_path"] == gone.locations()[0]
    place = cut.locations()[0]
    if "://" in place and not place.startswith("file:"):
        return
    path = Path(local(place))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InvalidDataError, match=f"expected {cut.size} bytes, found {cut.size - 1}"):
        orders.commit_receipts([cut])
    assert ids(catalog.load_table("sales.orders")) == [0]


@pytest.mark.unchecked_tables("files of an older snapshot are removed")
def test_a_repeat_with_its_key_needs_no_files(orders):
    recipe = orders.write_recipe()
    receipt = recipe.write(rows(1), task="0")
    first = orders.commit_receipts([receipt], idempotency_key="job-7")
    orders.delete(delete_all=True)
    recipe.remove(receipt)
    again = orders.commit_receipts([receipt], idempotency_key="job-7")
    assert again.already_committed
    assert again.snapshot_id == first.snapshot_id


@pytest.fixture
def parcels(orders):
    """What crosses between processes, as bytes, and what reads each."""
    task = orders.scan().plan_files().split()[0]
    sent = [write(orders, 1)._inner, orders.write_recipe()._inner, task._inner]
    sent += [_native.Operation.set_properties({"a": "b"}), orders.scan()._inner]
    return [each.__reduce__() for each in sent]


def test_no_bit_of_what_crosses_may_change(parcels):
    for read, (recipe,) in parcels:
        read(recipe)
        for bit in range(len(recipe) * 8):
            damaged = bytearray(recipe)
            damaged[bit // 8] ^= 1 << bit % 8
            with pytest.raises(FloebergError):
                read(bytes(damaged))


def test_a_receipt_stands_with_columns_that_changed_as_it_was_written(catalog, orders):
    receipt = write(orders, 1)
    other = catalog.load_table("sales.orders")
    with other.update_schema() as update:
        update.add_column("note", "string").rename_column("id", "number")
    orders.refresh().commit_receipts([pickle.loads(pickle.dumps(receipt))])
    assert orders.scan().to_arrow().to_pylist() == [
        {"number": 1, "note": None},
        {"number": 0, "note": None},
    ]
    late = orders.write_recipe().write(pa.table({"number": pa.nulls(1, pa.int64())}), task="0")
    with orders.update_schema(allow_incompatible_changes=True) as update:
        update.require_column("number")
    with pytest.raises(CommitConflictError, match="is required now"):
        orders.commit_receipts([late])
    assert orders.refresh().scan().count() == 2


@pytest.mark.parametrize("given", [None, 7])
def test_what_is_no_list_of_receipts_is_refused(orders, given):
    with pytest.raises(InvalidInputError, match="expected a list of Receipts, found"):
        orders.commit_receipts(given)


def test_one_receipt_is_no_list_of_them(orders):
    with pytest.raises(InvalidInputError, match="expected a list of Receipts, found Receipt"):
        orders.commit_receipts(write(orders, 1))
    assert ids(orders) == [0]
