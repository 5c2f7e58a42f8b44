"""Is work with a key found after its branch was published, and removed or renamed?"""

from __future__ import annotations

import uuid

import pyarrow as pa
import pytest

import floeberg as fb
from every_write import NEW, ROWS, WRITES, ids


def published_by_fast_forward(table):
    table.manage_snapshots().fast_forward("main", "nightly").commit()


def published_by_replacing(table):
    table.manage_snapshots().replace_branch("main", table.refs()["nightly"].snapshot_id).commit()


def published_as_current(table):
    table.manage_snapshots().set_current_snapshot(ref_name="nightly").commit()


def published_by_cherrypick(table):
    table.manage_snapshots().cherrypick(table.refs()["nightly"].snapshot_id).commit()


PUBLISHED = (
    published_by_fast_forward,
    published_by_replacing,
    published_as_current,
    published_by_cherrypick,
)


@pytest.fixture
def catalog(tmp_path):
    catalog = fb.load_catalog(f"keys {uuid.uuid4()}", type="memory", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    return catalog


@pytest.fixture
def table(catalog):
    return catalog.create_table("ns.t", as_select=ROWS, format_version=2)


def done(result):
    """What a commit did."""
    return getattr(result, "commit", result)


def gone(table, ends):
    if ends == "removed":
        table.manage_snapshots().remove_branch("nightly").commit()
    else:
        table.manage_snapshots().rename_branch("nightly", "old").commit()


@pytest.mark.parametrize("ends", ["removed", "renamed"])
@pytest.mark.parametrize("publish", PUBLISHED)
@pytest.mark.parametrize("name", WRITES)
def test_a_job_that_runs_again_does_nothing(catalog, table, name, publish, ends):
    write, expected = WRITES[name]
    first = done(write(table, branch="nightly", idempotency_key="job-1"))
    publish(table)
    gone(table, ends)
    again = done(write(catalog.load_table("ns.t"), branch="nightly", idempotency_key="job-1"))
    assert (again.already_committed, again.snapshot_id) == (True, first.snapshot_id)
    found = catalog.load_table("ns.t")
    assert ids(found.scan()) == expected
    assert "nightly" not in found.refs()


def test_the_branch_of_the_catalog_is_one_of_these(catalog, table):
    table.set_properties({"write.wap.enabled": "true"})
    for _ in range(2):
        job = fb.load_catalog(catalog.name, type="memory", wap_branch="nightly").load_table("ns.t")
        job.append(NEW, idempotency_key="job-1")
        table.refresh()
        if "nightly" in table.refs():
            table.manage_snapshots().fast_forward("main", "nightly").remove_branch("nightly").commit()
    assert ids(table.refresh().scan()) == [1, 2, 3]


@pytest.mark.parametrize("ends", ["removed", "renamed"])
def test_an_append_that_was_applied_again_has_its_key(catalog, table, ends):
    first = table.append(NEW, branch="nightly", idempotency_key="job-1")
    table.append(pa.table({"id": [4], "city": ["Kiel"]}))
    table.manage_snapshots().cherrypick(first.snapshot_id).commit()
    applied = table.current_snapshot()
    assert applied.snapshot_id != first.snapshot_id
    assert applied.summary["floeberg.published-commit-key"] == "job-1"
    gone(table, ends)
    again = catalog.load_table("ns.t").append(NEW, branch="nightly", idempotency_key="job-1")
    assert (again.already_committed, again.snapshot_id) == (True, applied.snapshot_id)
    # And once more, on a branch that had other work by then.
    table.refresh()
    table.manage_snapshots().create_branch(table.snapshots()[0].snapshot_id, "other").commit()
    table.append(pa.table({"id": [5], "city": ["Bern"]}), branch="other")
    with table.transaction(branch="other") as transaction:
        transaction.manage_snapshots().cherrypick(applied.snapshot_id).commit()
    last = table.snapshot_by_name("other")
    assert last.summary["floeberg.published-commit-key"] == "job-1"
    assert ids(table.scan()) == [1, 2, 3, 4]
    assert ids(table.scan(branch="other")) == [1, 2, 3, 5]


def test_a_renamed_branch_keeps_its_keys(catalog, table):
    first = table.append(NEW, branch="a", idempotency_key="job-1")
    table.manage_snapshots().rename_branch("a", "b").commit()
    table.manage_snapshots().rename_branch("b", "c").commit()
    again = catalog.load_table("ns.t").append(NEW, branch="c", idempotency_key="job-1")
    assert (again.already_committed, again.snapshot_id) == (True, first.snapshot_id)
    # A new branch of the old name has other work.
    other = catalog.load_table("ns.t").append(NEW, branch="a", idempotency_key="job-1")
    assert not other.already_committed
    second = catalog.load_table("ns.t").append(NEW, branch="a", idempotency_key="job-2")
    assert not catalog.load_table("ns.t").append(NEW, branch="c", idempotency_key="job-2").already_committed
    table.refresh().manage_snapshots().fast_forward("main", "a").remove_branch("a").commit()
    assert catalog.load_table("ns.t").append(NEW, branch="a", idempotency_key="job-2").snapshot_id == (
        second.snapshot_id
    )
    table.refresh()
    assert (ids(table.scan()), ids(table.scan(branch="c"))) == ([1, 2, 3, 3], [1, 2, 3, 3])


def test_a_renamed_branch_that_was_published_and_removed_keeps_them_too(catalog, table):
    first = table.append(NEW, branch="a", idempotency_key="job-1")
    table.manage_snapshots().rename_branch("a", "b").fast_forward("main", "b").remove_branch("b").commit()
    for branch in ("a", "b"):
        again = catalog.load_table("ns.t").append(NEW, branch=branch, idempotency_key="job-1")
        assert (again.already_committed, again.snapshot_id) == (True, first.snapshot_id)
    assert ids(catalog.load_table("ns.t").scan()) == [1, 2, 3]


def test_a_key_is_new_elsewhere_and_where_its_work_is_gone(catalog, table):
    table.append(NEW, branch="nightly", idempotency_key="job-1")
    # The work of a branch that is removed unpublished is gone.
    table.manage_snapshots().remove_branch("nightly").commit()
    assert not table.append(NEW, branch="nightly", idempotency_key="job-1").already_committed
    table.manage_snapshots().fast_forward("main", "nightly").commit()
    # main has the rows, and not by a write of its own with the key.
    assert not table.append(NEW, idempotency_key="job-1").already_committed
    assert not table.append(NEW, branch="other", idempotency_key="job-1").already_committed
    assert ids(table.scan(branch="other")) == [1, 2, 3, 3, 3]
    with pytest.raises(fb.errors.InvalidInputError, match="another operation"):
        table.delete("id = 1", branch="nightly", idempotency_key="job-1")
    # A replaced table begins anew.
    table = catalog.replace_table("ns.t", as_select=ROWS)
    table.manage_snapshots().remove_branch("nightly").commit()
    assert not table.append(NEW, branch="nightly", idempotency_key="job-1").already_committed
    assert ids(table.scan(branch="nightly")) == [1, 2, 3]


def test_a_transaction_and_a_stream_of_receipts_are_found_too(catalog, table):
    def job():
        found = catalog.load_table("ns.t")
        with found.transaction(branch="nightly", idempotency_key="job-1") as transaction:
            transaction.delete("id = 1")
            transaction.append(NEW)
        return transaction.result

    job()
    table.refresh().manage_snapshots().fast_forward("main", "nightly").remove_branch("nightly").commit()
    again = job()
    assert again.already_committed
    assert ids(table.refresh().scan()) == [2, 3]
