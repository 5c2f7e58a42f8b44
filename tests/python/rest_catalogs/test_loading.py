"""Which snapshots a table is loaded with, and where the others are asked for."""

from __future__ import annotations

import json
import pickle

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import InvalidInputError, NotFoundError
from rest_catalogs.scripted import NAMESPACE, TABLES, Says

LOAD = f"GET {TABLES}/t"


@pytest.fixture
def grown(tmp_path):
    """A table of four snapshots, one of them of a tag."""
    catalog = fb.load_catalog(f"grown {tmp_path}", type="memory", warehouse=str(tmp_path / "grown"))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", as_select=pa.table({"id": [0]}))
    for number in (1, 2, 3):
        table.append(pa.table({"id": [number]}))
    table.manage_snapshots().create_tag(table.snapshots()[1].snapshot_id, "second").commit()
    return table


@pytest.fixture
def answering(server, grown):
    """A server of this table, as the specification has it: with tags that differ by the snapshots."""

    def says(asked):
        mode = asked.path.partition("snapshots=")[2] or "all"
        tag = f'"{grown.metadata_location}-{mode}"'
        if asked.headers.get("if-none-match") == tag:
            return Says(304)
        metadata = json.loads(grown._inner.metadata_json())
        if mode == "refs":
            wanted = {each["snapshot-id"] for each in metadata["refs"].values()}
            metadata["snapshots"] = [each for each in metadata["snapshots"] if each["snapshot-id"] in wanted]
            metadata["snapshot-log"] = [
                each for each in metadata["snapshot-log"] if each["snapshot-id"] in wanted
            ]
        body = {"metadata-location": grown.metadata_location, "metadata": metadata, "config": {}}
        return Says(200, body, {"ETag": tag})

    server.says(f"GET {NAMESPACE}", Says(200, {"namespace": ["ns"], "properties": {}}))
    server.says(LOAD, says)
    return server


@pytest.fixture
def table(answering, load):
    assert answering.script
    return load(**{"snapshot-loading-mode": "refs"}).load_table("ns.t")


def modes(server):
    return [each.path.partition("snapshots=")[2] for each in server.of(LOAD)]


def test_all_snapshots_are_the_default(answering, load):
    assert len(load().load_table("ns.t").snapshots()) == 4
    assert modes(answering) == ["all"]


def test_the_word_is_checked_at_once(load):
    with pytest.raises(
        InvalidInputError, match="snapshot-loading-mode: expected 'all' or 'refs', found 'some'"
    ):
        load(**{"snapshot-loading-mode": "some"})


def test_what_refs_say_asks_for_no_more(answering, table):
    assert table.scan().count() == 4
    assert table.scan(branch="second").count() == 2
    assert table.scan().use_ref("second").filter("id > 0").select("id").to_arrow().num_rows == 1
    assert table.current_snapshot().operation == "append"
    assert set(table.refs()) == {"main", "second"}
    assert (table.format_version, table.schema().column_names, table.spec().fields) == (2, ["id"], ())
    assert repr(table)
    assert table.metadata_location
    assert modes(answering) == ["refs"]


@pytest.mark.parametrize(
    "needs",
    [
        lambda table: table.snapshots()[2],
        lambda table: table.history(),
        lambda table: table.inspect.snapshots(),
        lambda table: table.inspect.history(),
        lambda table: table.scan().as_of(table.snapshots()[0].timestamp_ms),
        lambda table: table.incremental_append_scan().count(),
        lambda table: table.changelog_scan().to_arrow(),
        lambda table: table.check().is_sound(),
        lambda table: table.manage_snapshots().rollback_to_timestamp(table.history()[0].timestamp_ms),
        lambda table: table.metadata.snapshots,
        lambda table: table.transaction(),
        lambda table: table.maintenance.expire_snapshots(dry_run=True),
    ],
)
def test_what_needs_all_snapshots_asks_for_them(answering, table, needs):
    assert needs(table)
    assert set(modes(answering)) == {"refs", "all"}
    assert modes(answering)[0] == "refs"


def test_a_time_finds_the_snapshot_that_was_left_out(answering, grown, table):
    first, _, third, _ = grown.snapshots()
    scan = table.scan(selected_fields=("id",)).filter("id >= 0")
    assert scan.as_of(first.timestamp_ms).snapshot_id == first.snapshot_id
    assert scan.as_of(third.timestamp_ms).to_arrow().num_rows == 3
    assert table.scan(snapshot_id=third.snapshot_id).count() == 3
    with pytest.raises(NotFoundError):
        table.scan(snapshot_id=12)
    assert modes(answering) == ["refs", "all"]


def test_snapshots_are_those_of_the_state_that_was_loaded(grown, table):
    old = table.metadata_location
    grown.append(pa.table({"id": [4]}))
    assert len(table.snapshots()) == 4
    assert table.metadata_location == old
    assert table.scan().count() == 4
    assert table.refresh().scan().count() == 5


def test_a_refresh_keeps_what_did_not_change(answering, grown, table):
    before = table._opened
    assert table.refresh()._opened is before
    assert answering.of(LOAD)[-1].headers["if-none-match"].endswith('-refs"')
    assert len(table.snapshots()) == 4
    whole = table._opened
    assert table.refresh()._opened is whole
    assert len(table.snapshots()) == 4
    grown.append(pa.table({"id": [4]}))
    assert table.refresh().count() == 5
    assert len(table.snapshots()) == 5


def test_a_pickled_table_has_all_snapshots(answering, table):
    other = pickle.loads(pickle.dumps(table))
    assert len(other.snapshots()) == 4
    assert modes(answering) == ["refs"]


def test_a_tag_is_not_taken_for_that_of_other_snapshots(answering, load):
    table = load(**{"snapshot-loading-mode": "refs"}).load_table("ns.t")
    assert len(table.snapshots()) == 4
    assert [each.headers.get("if-none-match") for each in answering.of(LOAD)] == [None, None]


def test_an_answer_of_not_modified_that_nobody_asked_for_is_an_error(server, load):
    server.says(LOAD, Says(304))
    with pytest.raises(fb.errors.InvalidDataError, match="304"):
        load().load_table("ns.t")
