"""Do tables that ask for audits stage writes with a `wap.id`, and follow the branch of an audit?"""

from __future__ import annotations

import pickle

import pyarrow as pa
import pytest

import floeberg as fb
from every_write import NEW, ROWS, WRITES, ids
from floeberg import errors

ENABLED = {"write.wap.enabled": "true"}


@pytest.fixture
def load(tmp_path):
    """The catalog, with other settings of audits."""

    def load(**settings):
        where = {"uri": f"sqlite:///{tmp_path}/c.db", "warehouse": str(tmp_path)}
        return fb.load_catalog("audits", type="sql", **where, **settings)

    with load() as catalog:
        catalog.create_namespace("ns")
        catalog.create_table("ns.t", as_select=ROWS, format_version=2, properties=ENABLED)
        catalog.create_table("ns.free", as_select=ROWS, format_version=2)
    return load


@pytest.fixture
def table(load):
    return load().load_table("ns.t")


def staged(table, wap_id="w1"):
    """The snapshot with an id."""
    (found,) = [each for each in table.snapshots() if each.summary.get("wap.id") == wap_id]
    return found


@pytest.mark.parametrize("name", WRITES)
def test_a_write_with_an_id_is_staged_until_it_is_published(name, table):
    write, expected = WRITES[name]
    before = table.refs()
    write(table, snapshot_properties={"wap.id": "w1"})
    assert table.refs() == before
    assert ids(table.scan()) == [1, 2]
    assert ids(table.scan(snapshot_id=staged(table).snapshot_id)) == expected
    table.manage_snapshots().publish_changes("w1").commit()
    assert ids(table.scan()) == expected
    with pytest.raises(errors.AlreadyExistsError, match="already"):
        table.manage_snapshots().publish_changes("w1").commit()


@pytest.mark.parametrize("name", WRITES)
def test_without_the_property_an_id_publishes_nothing(name, load):
    table = load().load_table("ns.free")
    write, expected = WRITES[name]
    with pytest.raises(errors.InvalidInputError, match="would be published at once"):
        write(table, snapshot_properties={"wap.id": "w1"})
    assert ids(table.refresh().scan()) == [1, 2]
    write(table, snapshot_properties={"wap.id": "w1"}, stage_only=True)
    assert ids(table.scan()) == [1, 2]
    assert ids(table.scan(snapshot_id=staged(table).snapshot_id)) == expected


@pytest.mark.parametrize("name", WRITES)
def test_the_branch_of_the_catalog_takes_writes_and_is_read(name, load):
    write, expected = WRITES[name]
    table = load(wap_branch="audit").load_table("ns.t")
    assert ids(table.scan()) == [1, 2], "until it is made, main is read"
    write(table)
    assert ids(table.scan()) == expected == ids(table.scan(branch="audit"))
    assert ids(table.scan(branch="main")) == [1, 2] == ids(load().load_table("ns.t").scan())
    assert set(table.refs()) == {"main", "audit"}


@pytest.mark.parametrize("settings", [{"wap_branch": "audit"}, {"wap_id": "w1"}])
@pytest.mark.parametrize("name", WRITES)
def test_other_tables_know_nothing_of_audits(name, settings, load):
    write, expected = WRITES[name]
    table = load(**settings).load_table("ns.free")
    write(table)
    assert ids(table.scan()) == expected
    assert set(table.refs()) == {"main"}


@pytest.mark.parametrize("name", WRITES)
def test_the_id_of_the_catalog_stages_every_write(name, load):
    write, expected = WRITES[name]
    table = load(wap_id="w1").load_table("ns.t")
    write(table)
    assert ids(table.scan()) == [1, 2]
    assert ids(table.scan(snapshot_id=staged(table).snapshot_id)) == expected
    # It is published by whoever audited it, in a session with the setting too.
    table.manage_snapshots().publish_changes("w1").commit()
    assert ids(table.scan()) == expected


def test_two_writes_to_the_branch_see_each_other(load):
    table = load(wap_branch="audit").load_table("ns.t")
    table.append(NEW)
    assert table.update({"city": "Rome"}, "id = 3").updated_rows == 1
    table.delete("id = 1")
    assert table.scan().to_arrow().sort_by("id")["city"].to_pylist() == ["Riga", "Rome"]
    assert ids(table.incremental_append_scan()) == [1, 2, 3]
    assert table.changelog_scan(net=True).to_arrow().num_rows == 2
    # What was chosen is read.
    assert ids(table.scan().use_ref("main")) == [1, 2]
    first = table.snapshots()[0]
    assert ids(table.scan().as_of(first.timestamp_ms)) == [1, 2]
    assert ids(table.scan(snapshot_id=first.snapshot_id)) == [1, 2]
    assert ids(pickle.loads(pickle.dumps(table)).scan()) == [2, 3]
    assert ids(pickle.loads(pickle.dumps(table.scan()))) == [2, 3]
    table.manage_snapshots().fast_forward("main", "audit").remove_branch("audit").commit()
    assert ids(table.scan()) == [2, 3]


def test_what_is_not_of_rows_is_made_at_once(load):
    for settings in ({"wap_id": "w1"}, {"wap_branch": "audit"}):
        catalog = load(**settings)
        table = catalog.load_table("ns.t")
        with table.transaction() as transaction:
            transaction.update_schema().add_column(f"new_{len(table.schema())}", "int").commit()
            transaction.set_properties(owner="jo")
        table.update_spec().add_field("id", f"bucket[{len(table.schema())}]").commit()
        table.manage_snapshots().create_tag(None, f"at-{len(table.schema())}").commit()
        table.manage_snapshots().rollback_to_snapshot(table.current_snapshot().snapshot_id).commit()
        made = catalog.create_table(f"ns.{next(iter(settings))}", as_select=ROWS, properties=ENABLED)
        assert ids(made.scan(branch="main")) == [1, 2]
    assert set(load().load_table("ns.t").refs()) == {"main", "at-3", "at-4"}
    replaced = load(wap_branch="audit").replace_table("ns.t", as_select=NEW, properties=ENABLED)
    assert ids(replaced.scan(branch="main")) == [3]
    assert "audit" not in replaced.refs()


def test_a_transaction_goes_to_the_audit_as_a_whole(load):
    table = load(wap_branch="audit").load_table("ns.t")
    with table.transaction() as transaction:
        transaction.append(NEW)
        transaction.append(NEW)
    assert ids(table.scan()) == [1, 2, 3, 3]
    assert ids(table.scan(branch="main")) == [1, 2]
    staging = load(wap_id="w1").load_table("ns.t")
    before = staging.metadata_location
    twice = staging.transaction()
    twice.append(NEW)
    twice.append(NEW)
    with pytest.raises(errors.InvalidInputError, match="one snapshot"):
        twice.commit_transaction()
    assert staging.refresh().metadata_location == before


def test_settings_that_contradict_are_errors(load):
    both = load(wap_branch="audit", wap_id="w1").load_table("ns.t")
    for used in (both.scan, lambda: both.append(NEW)):
        with pytest.raises(errors.InvalidInputError, match="both a wap.id, 'w1', and a wap.branch, 'audit'"):
            used()
    free = load(wap_branch="audit", wap_id="w1").load_table("ns.free")
    free.append(NEW)
    assert ids(free.scan()) == [1, 2, 3]
    table = load(wap_branch="audit").load_table("ns.t")
    for branch in ("main", "other"):
        with pytest.raises(errors.InvalidInputError, match=f"names '{branch}', and wap.branch is 'audit'"):
            table.append(NEW, branch=branch)
    with pytest.raises(errors.InvalidInputError, match="both a wap.id"):
        table.append(NEW, snapshot_properties={"wap.id": "w1"})
    table.append(NEW, branch="audit")
    plain = load().load_table("ns.t")
    with pytest.raises(errors.InvalidInputError, match="empty string"):
        plain.append(NEW, snapshot_properties={"wap.id": ""})
    with pytest.raises(errors.InvalidInputError, match="idempotency_key exclude"):
        plain.append(NEW, snapshot_properties={"wap.id": "w1"}, idempotency_key="k")
    with pytest.raises(errors.InvalidInputError, match="write.wap.enabled"):
        plain.set_properties({"write.wap.enabled": "perhaps"})
    assert ids(plain.refresh().scan()) == [1, 2]
    assert ids(plain.scan(branch="audit")) == [1, 2, 3]


def test_a_tag_of_that_name_is_no_branch(load):
    load().load_table("ns.t").manage_snapshots().create_tag(None, "audit").commit()
    table = load(wap_branch="audit").load_table("ns.t")
    assert ids(table.scan()) == [1, 2]
    with pytest.raises(errors.InvalidInputError, match="audit"):
        table.append(NEW)
    assert ids(table.refresh().scan(branch="main")) == [1, 2]


def test_an_id_is_published_once_and_two_snapshots_of_an_id_are_told_apart(load):
    table = load(wap_id="w1").load_table("ns.t")
    first = table.append(NEW).snapshot_id
    table.append(pa.table({"id": [4], "city": ["Kiel"]}))
    with pytest.raises(errors.InvalidInputError, match="cherrypick"):
        table.manage_snapshots().publish_changes("w1").commit()
    table.manage_snapshots().cherrypick(first).commit()
    assert ids(table.scan()) == [1, 2, 3]
    with pytest.raises(errors.AlreadyExistsError, match="already"):
        table.manage_snapshots().cherrypick(first).commit()


def test_a_key_column_delete_is_checked_against_the_branch_of_the_audit(load):
    table = load(wap_branch="audit").load_table("ns.t")
    table.append(NEW)
    recipe = table.row_delta_recipe(key_columns=["id"])
    receipt = recipe.delete_keys(pa.table({"id": pa.array([3], pa.int64())}), task="0-0")
    table.commit_row_delta([receipt], read_snapshot_id=table.scan().snapshot_id)
    assert ids(table.scan()) == [1, 2] == ids(table.scan(branch="main"))


def test_the_environment_sends_a_job_to_a_branch(load, tmp_path, monkeypatch):
    for key, value in {
        "TYPE": "sql",
        "URI": f"sqlite:///{tmp_path}/c.db",
        "WAREHOUSE": str(tmp_path),
        "WAP__BRANCH": "nightly",
    }.items():
        monkeypatch.setenv(f"FLOEBERG_CATALOG__AUDITS__{key}", value)
    job = fb.load_catalog("audits")
    job.load_table("ns.t").append(NEW)
    assert not any("wap" in key for key in job.storage_options)
    monkeypatch.delenv("FLOEBERG_CATALOG__AUDITS__WAP__BRANCH")
    table = load().load_table("ns.t")
    assert (ids(table.scan()), ids(table.scan(branch="nightly"))) == ([1, 2], [1, 2, 3])


def test_the_branch_is_the_current_state_whoever_asks(load):
    main = load().load_table("ns.t")
    first = main.current_snapshot()
    table = load(wap_branch="audit").load_table("ns.t")
    assert table.current_snapshot() == first, "until it is made, main is read"
    table.append(NEW)
    table.delete("id = 1")
    main.refresh().append(pa.table({"id": [4], "city": ["Kiel"]}))
    table.refresh()
    head = table.scan(branch="audit").snapshot_id
    assert head != main.current_snapshot().snapshot_id
    assert table.current_snapshot().snapshot_id == head == table.scan().snapshot_id
    line = [first.snapshot_id, table.current_snapshot().parent_snapshot_id, head]
    assert [each.version for each in table.versions()] == line
    assert [each.snapshot_id for each in table.history()] == line
    assert table.inspect.history()["snapshot_id"].to_pylist() == line
    assert all(each.is_current_ancestor for each in table.history())
    now = table.current_snapshot().timestamp_ms
    assert table.snapshot_as_of_timestamp(now).snapshot_id == head == table.scan().as_of(now).snapshot_id
    with pytest.raises(errors.NotFoundError, match='branch "audit" had no snapshot'):
        table.scan().as_of(first.timestamp_ms - 1)
    assert table.changelog_scan(head).to_arrow().num_rows == 0
    assert table.changelog_scan(first.snapshot_id, net=True).to_arrow().num_rows == 2
    assert table.inspect.files()["record_count"].to_pylist() == [1, 1]
    assert table.inspect.entries().num_rows >= 2
    assert table.inspect.partitions()["record_count"].to_pylist() == [2]
    assert str(head) in repr(table)
    assert pickle.loads(pickle.dumps(table.inspect)).files().num_rows == 2
    # What names main is main's.
    assert table.snapshot_by_name("main") == main.current_snapshot() == table.metadata.current_snapshot()
    assert sum(table.inspect.files(branch="main")["record_count"].to_pylist()) == 3
    assert table.refs() == main.refresh().refs()
    with table.manage_snapshots() as refs:
        refs.create_tag(None, "now").create_branch(None, "copy")
    assert {table.refs()[name].snapshot_id for name in ("now", "copy")} == {head}


def test_a_row_delta_of_the_current_snapshot_is_of_the_branch(load):
    table = load(wap_branch="audit").load_table("ns.t")
    table.append(NEW)
    for number in (10, 11):
        read = table.current_snapshot().snapshot_id
        recipe = table.row_delta_recipe()
        rows = table.scan("id > 2", selected_fields=("_file", "_pos")).to_arrow()
        new = recipe.write(pa.table({"id": [number], "city": ["Bonn"]}), task="0")
        done = table.commit_row_delta(
            [recipe.delete_rows(rows), new], read_snapshot_id=read, conflict_filter="id > 2"
        )
        assert done.rebased == 0
    assert ids(table.scan()) == [1, 2, 11]
