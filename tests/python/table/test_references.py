"""Are branches, tags and rollbacks as users of Iceberg know them, and is no commit lost unseen?"""

from __future__ import annotations

import pickle
import uuid

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import AlreadyExistsError, CommitConflictError, InvalidInputError, NotFoundError


def ids(*numbers):
    return pa.table({"id": pa.array(numbers, pa.int64())})


def read(table, **scan):
    return sorted(table.scan(**scan).to_arrow()["id"].to_pylist())


@pytest.fixture(params=["sql", "filesystem", "memory"])
def catalog(request, tmp_path):
    options = {"uri": f"sqlite:///{tmp_path}/c.db"} if request.param == "sql" else {}
    if request.param != "memory":
        options["warehouse"] = str(tmp_path / "w")
    catalog = fb.load_catalog(f"refs {uuid.uuid4()}", type=request.param, **options)
    catalog.create_namespace("ns")
    return catalog


@pytest.fixture
def table(catalog):
    """Three appends of a row."""
    table = catalog.create_table("ns.t", ids().schema)
    for number in range(1, 4):
        table.append(ids(number))
    return table


def snapshots(table):
    return [snapshot.snapshot_id for snapshot in table.snapshots()]


def test_branches_and_tags_are_made_moved_and_removed(catalog, table):
    first, second, third = snapshots(table)
    with table.manage_snapshots() as refs:
        refs.create_tag(first, "first", max_ref_age_ms=1000).create_branch(second, "dev", 1, 2, 3)
        refs.create_tag(None, "now")
    dev = table.refs()["dev"]
    assert (dev.snapshot_id, dev.max_ref_age_ms, dev.max_snapshot_age_ms, dev.min_snapshots_to_keep) == (
        second,
        1,
        2,
        3,
    )
    assert (table.refs()["first"].max_ref_age_ms, table.refs()["now"].snapshot_id) == (1000, third)
    table.append(ids(10), branch="dev")
    assert sorted(table.scan().use_ref("dev").to_arrow()["id"].to_pylist()) == [1, 2, 10]
    assert table.refs()["dev"].min_snapshots_to_keep == 3
    with table.manage_snapshots() as refs:
        refs.replace_tag("first", second).rename_branch("dev", "audit").remove_tag("now")
        refs.set_min_snapshots_to_keep("main", 5).set_max_snapshot_age_ms("audit", 9).set_max_ref_age_ms(
            "first", 7
        )
    found = catalog.load_table("ns.t").refs()
    assert sorted(found) == ["audit", "first", "main"]
    assert (found["first"].snapshot_id, found["first"].max_ref_age_ms) == (second, 7)
    assert (found["main"].min_snapshots_to_keep, found["audit"].max_snapshot_age_ms) == (5, 9)
    table.manage_snapshots().replace_branch("audit", third).fast_forward("new", "audit").commit()
    assert {table.refs()[name].snapshot_id for name in ("audit", "new", "main")} == {third}
    table.manage_snapshots().remove_branch("audit").remove_branch("new").commit()
    assert sorted(table.refs()) == ["first", "main"]


def test_mistakes_are_rolled_back(table):
    first, second, third = snapshots(table)
    table.manage_snapshots().rollback_to_snapshot(second).commit()
    assert read(table) == [1, 2]
    table.manage_snapshots().set_current_snapshot(third).commit()
    assert read(table) == [1, 2, 3]
    time = table.snapshot_by_id(third).timestamp_ms
    table.manage_snapshots().rollback_to_timestamp(time).commit()
    assert table.current_snapshot().timestamp_ms < time
    table.manage_snapshots().create_tag(first, "first").set_current_snapshot(ref_name="first").commit()
    assert read(table) == [1]
    table.append(ids(4))
    assert table.current_snapshot().parent_snapshot_id == first
    with pytest.raises(InvalidInputError, match="not an ancestor"):
        table.manage_snapshots().rollback_to_snapshot(third).commit()
    assert [entry.snapshot_id for entry in table.history()][-2:] == [
        first,
        table.current_snapshot().snapshot_id,
    ]


def test_an_audited_branch_is_published(table):
    table.manage_snapshots().create_branch(None, "audit").commit()
    table.append(ids(4), branch="audit")
    assert read(table) == [1, 2, 3]
    table.manage_snapshots().fast_forward("main", "audit").commit()
    assert read(table) == [1, 2, 3, 4]
    # Beside another commit only the changes of a snapshot are published.
    table.append(ids(5), branch="audit")
    picked = table.refs()["audit"].snapshot_id
    table.append(ids(6))
    with pytest.raises(InvalidInputError, match="not an ancestor"):
        table.manage_snapshots().fast_forward("main", "audit").commit()
    table.manage_snapshots().cherrypick(picked).commit()
    assert read(table) == [1, 2, 3, 4, 5, 6]
    assert table.current_snapshot().summary["source-snapshot-id"] == str(picked)
    with pytest.raises(AlreadyExistsError, match="applied to the branch already"):
        table.manage_snapshots().cherrypick(picked).commit()
    assert read(table) == [1, 2, 3, 4, 5, 6]


def test_who_publishes_or_rolls_back_must_have_seen_the_branch(catalog, table):
    first, second, _ = snapshots(table)
    table.manage_snapshots().create_branch(None, "audit").commit()
    other = catalog.load_table("ns.t")
    other.append(ids(9), branch="audit")
    with pytest.raises(CommitConflictError, match='moved the ref "audit"'):
        table.manage_snapshots().fast_forward("main", "audit").commit()
    other.append(ids(10))
    for change in (
        lambda refs: refs.rollback_to_snapshot(first),
        lambda refs: refs.set_current_snapshot(second),
        lambda refs: refs.replace_branch("main", first),
        lambda refs: refs.rollback_to_timestamp(2**50),
    ):
        with pytest.raises(CommitConflictError, match='moved the ref "main"'):
            change(table.manage_snapshots()).commit()
    # A tag of what was seen loses nothing.
    table.manage_snapshots().create_tag(None, "seen").commit()
    assert read(table) == [1, 2, 3, 10]
    table.manage_snapshots().rollback_to_snapshot(first).commit()
    assert read(table) == [1]


def test_a_change_that_fails_takes_the_others_with_it(table):
    first = snapshots(table)[0]
    before = table.metadata_location
    with pytest.raises(NotFoundError, match="gone"), table.manage_snapshots() as refs:
        refs.create_tag(first, "kept").remove_tag("gone")
    assert table.refresh().metadata_location == before
    with pytest.raises(InvalidInputError, match="either"), table.manage_snapshots() as refs:
        refs.create_tag(first, "kept").set_current_snapshot()
    assert list(table.refs()) == ["main"]
    table.manage_snapshots().commit()
    assert table.refresh().metadata_location == before


def test_refs_in_a_transaction_see_what_it_did(table):
    with table.transaction(branch="dev") as transaction:
        transaction.append(ids(7))
        transaction.manage_snapshots().fast_forward("main", "dev").commit()
    assert read(table) == [1, 2, 3, 7]
    with table.transaction() as transaction:
        transaction.append(ids(8))
        transaction.manage_snapshots().rollback_to_snapshot(snapshots(table)[0]).commit()
        transaction.append(ids(9))
    assert read(table) == [1, 9]


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        (lambda refs: refs.create_branch(5, "x"), NotFoundError, "no snapshot 5"),
        (lambda refs: refs.create_branch(None, "main"), AlreadyExistsError, "exists already"),
        (lambda refs: refs.create_tag(None, "x", 0), InvalidInputError, "above 0"),
        (lambda refs: refs.create_tag(None, ""), InvalidInputError, "needs a name"),
        (lambda refs: refs.remove_branch("main"), InvalidInputError, "cannot be removed"),
        (lambda refs: refs.remove_tag("main"), InvalidInputError, "is a branch"),
        (lambda refs: refs.rename_branch("main", "x"), InvalidInputError, "cannot be renamed"),
        (lambda refs: refs.set_max_ref_age_ms("main", 5), InvalidInputError, "never expires"),
        (lambda refs: refs.rollback_to_timestamp(0), InvalidInputError, "no snapshot older"),
        (lambda refs: refs.set_current_snapshot(), InvalidInputError, "either"),
        (lambda refs: refs.set_current_snapshot(1, "main"), InvalidInputError, "either"),
        (lambda refs: refs.rollback_to_snapshot("1"), InvalidInputError, "snapshot_id"),
        (lambda refs: refs.create_tag(None, 3), InvalidInputError, "tag_name"),
        (lambda refs: refs.create_tag(True, "x"), InvalidInputError, "snapshot_id"),
    ],
)
def test_wrong_changes_are_refused(table, change, error, said):
    before = table.metadata_location
    with pytest.raises(error, match=said):
        change(table.manage_snapshots()).commit()
    assert table.refresh().metadata_location == before


def test_an_empty_table_has_nothing_to_name(catalog):
    table = catalog.create_table("ns.t", ids().schema)
    with pytest.raises(InvalidInputError, match="no snapshot"):
        table.manage_snapshots().create_branch(None, "dev").commit()


def test_none_is_the_newest_snapshot_after_the_changes_before(table):
    first = snapshots(table)[0]
    table.manage_snapshots().rollback_to_snapshot(first).create_tag(None, "back").commit()
    assert table.refs()["back"].snapshot_id == first
    with table.transaction(branch="dev") as transaction:
        transaction.append(ids(7))
        transaction.manage_snapshots().create_tag(None, "made").commit()
    assert (
        table.refs()["made"].snapshot_id == table.refs()["dev"].snapshot_id == transaction.result.snapshot_id
    )


def test_a_failed_change_is_not_made_again_by_the_next(table):
    refs = table.manage_snapshots().remove_tag("gone")
    with pytest.raises(NotFoundError):
        refs.commit()
    refs.create_tag(None, "kept").commit()
    assert "kept" in table.refs()
    with pytest.raises(TypeError, match="ManageSnapshots cannot be pickled"):
        pickle.dumps(refs)


def test_work_that_was_published_elsewhere_is_not_published_again(table):
    with table.transaction(stage_only=True, snapshot_properties={"wap.id": "w"}) as staged:
        staged.append(ids(7))
    table.append(ids(8))
    table.manage_snapshots().create_branch(None, "b").commit()
    with table.transaction(branch="b") as transaction:
        transaction.manage_snapshots().publish_changes("w").commit()
    table.append(ids(9))
    table.manage_snapshots().cherrypick(table.refs()["b"].snapshot_id).commit()
    table.delete("id = 7")
    for again in (
        lambda refs: refs.publish_changes("w"),
        lambda refs: refs.cherrypick(staged.result.snapshot_id),
        lambda refs: refs.cherrypick(table.refs()["b"].snapshot_id),
    ):
        with pytest.raises(AlreadyExistsError):
            again(table.manage_snapshots()).commit()
    assert read(table) == [1, 2, 3, 8, 9]
    for number in (20, 21):
        with table.transaction(stage_only=True, snapshot_properties={"wap.id": "twice"}) as transaction:
            transaction.append(ids(number))
    with pytest.raises(InvalidInputError, match="cherrypick"):
        table.manage_snapshots().publish_changes("twice")
    transaction = table.transaction(stage_only=True)
    transaction.manage_snapshots().cherrypick(staged.result.snapshot_id).commit()
    with pytest.raises(InvalidInputError, match="leaves branches and tags"):
        transaction.commit_transaction()
    for reserved in ("source-snapshot-id", "published-wap-id"):
        with pytest.raises(InvalidInputError, match="reserved"):
            table.append(ids(1), snapshot_properties={reserved: "1"})


def test_staged_work_is_audited_and_published_once(catalog, table):
    staged = []
    for number in (7, 8):
        with table.transaction(stage_only=True, snapshot_properties={"wap.id": f"w{number}"}) as transaction:
            transaction.append(ids(number))
        staged.append(transaction.result.snapshot_id)
    assert read(catalog.load_table("ns.t")) == [1, 2, 3]
    assert read(table, snapshot_id=staged[0]) == [1, 2, 3, 7]
    table.manage_snapshots().publish_changes("w8").publish_changes("w7").commit()
    assert read(table) == [1, 2, 3, 7, 8]
    assert table.current_snapshot().summary["published-wap-id"] == "w7"
    for again in ("w7", "w8"):
        with pytest.raises(AlreadyExistsError):
            table.manage_snapshots().publish_changes(again).commit()
    with pytest.raises(NotFoundError, match="'w9'"):
        table.manage_snapshots().publish_changes("w9")
    transaction = table.transaction(stage_only=True)
    transaction.append(ids(1))
    transaction.append(ids(2))
    with pytest.raises(InvalidInputError, match="one operation"):
        transaction.commit_transaction()
    with pytest.raises(InvalidInputError, match="exclude each other"):
        table.transaction(stage_only=True, idempotency_key="k")
    assert read(table) == [1, 2, 3, 7, 8]
