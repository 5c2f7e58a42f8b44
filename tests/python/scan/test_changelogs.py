"""What snapshots changed: the rows of a start, less the deleted ones, with the inserted ones, are those of the end."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb
from corpus import Case, cases, encode, known_failures, lent
from floeberg.errors import InvalidInputError, NotFoundError

ADDED = ["_change_type", "_change_ordinal", "_commit_snapshot_id"]
# Rows are compared between snapshots, so that all must have one schema.
CASES = [
    case
    for case in cases()
    if not case.is_view
    and not {(case.name, "open"), (case.name, "rows"), (case.name, "time_travel")} & known_failures().keys()
    and len(case.expected["snapshots"]) > 1
    and len(case.expected["schemas"]) == 1
]
SCHEMA = pa.schema(
    {
        "id": pa.int64(),
        "note": pa.string(),
        "x": pa.float64(),
        "s": pa.struct({"a": pa.list_(pa.int32())}),
    }
)
VERSIONS = [
    (1, "copy-on-write"),
    (2, "copy-on-write"),
    (2, "merge-on-read"),
    (3, "copy-on-write"),
    (3, "merge-on-read"),
]


def ancestry(case: Case, last: int) -> list[int]:
    """The snapshots up to one whose parents are there, oldest first."""
    parents = {each["snapshot_id"]: each["parent_id"] for each in case.expected["snapshots"]}
    line = [last]
    while parents.get(line[-1]) in parents:
        line.append(parents[line[-1]])
    return line[::-1]


def counted(rows: pa.Table) -> Counter[str]:
    return Counter(encode(rows))


def sides(changes: pa.Table) -> tuple[Counter[str], Counter[str]]:
    """The rows that went, and those that came."""
    kinds = changes["_change_type"].to_pylist()
    rows = changes.drop_columns(ADDED)
    went = rows.filter(pa.array([kind in ("DELETE", "UPDATE_BEFORE") for kind in kinds], pa.bool_()))
    came = rows.filter(pa.array([kind in ("INSERT", "UPDATE_AFTER") for kind in kinds], pa.bool_()))
    assert went.num_rows + came.num_rows == changes.num_rows
    return counted(went), counted(came)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_tables_of_other_writers_become_their_end_by_their_changes(case: Case) -> None:
    table = case.open()
    heads = {case.expected["current_snapshot_id"]}
    heads |= {ref["snapshot_id"] for ref in case.expected["refs"].values()}
    for end in sorted(heads):
        line = ancestry(case, end)
        after = counted(table.scan(snapshot_id=end).to_arrow())
        for start in {line[0], line[len(line) // 2], line[-1]}:
            before = counted(table.scan(snapshot_id=start).to_arrow())
            went, came = sides(table.changelog_scan(start, end).to_arrow())
            assert before + came - went == after, (start, end)
            assert (before + came) - after == went
            went, came = sides(table.changelog_scan(start, end, net=True).to_arrow())
            if not case.open().format_version >= 3:
                assert (went, came) == (before - after, after - before), (start, end)
            assert before + came - went == after


def made(folder: Path, version: int = 2, *, spec: list[str] | None = None) -> fb.Table:
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(folder))
    catalog.create_namespace_if_not_exists("ns")
    return catalog.create_table("ns.t", SCHEMA, partition_spec=spec or [], format_version=version)


def rows(*ids: int, note: str = "old") -> pa.Table:
    many = len(ids)
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "note": [note if each % 5 else None for each in ids],
            "x": pa.array([float("nan") if each % 3 else -0.0 for each in ids]),
            "s": pa.array(
                [{"a": [each, None]} if each % 4 else None for each in ids], SCHEMA.field("s").type
            ),
        },
        SCHEMA,
    ).slice(0, many)


def said(changes: fb.ChangelogScan) -> list[tuple[int, str, int]]:
    """The order, the type and the id of each change."""
    found = changes.to_arrow()
    return list(
        zip(
            found["_change_ordinal"].to_pylist(),
            found["_change_type"].to_pylist(),
            found["id"].to_pylist(),
            strict=True,
        )
    )


@pytest.mark.parametrize(("version", "mode"), VERSIONS)
def test_each_operation_says_what_it_changed_and_nothing_that_it_copied(tmp_path, version, mode):
    table = made(tmp_path, version)
    table.append(rows(1, 2, 3, 4))
    table.append(rows(5, 6))
    table.delete("id = 2", mode=mode)
    table.overwrite(rows(7), "id = 5", mode=mode)
    table.delete("id = 3 OR id = 6", mode=mode)
    found = table.changelog_scan()
    # Files of a snapshot come in the order of its manifests.
    assert sorted(said(found), key=lambda each: (each[0], each[1] == "INSERT", each[2])) == [
        *((0, "INSERT", each) for each in (1, 2, 3, 4)),
        *((1, "INSERT", each) for each in (5, 6)),
        (2, "DELETE", 2),
        (3, "DELETE", 5),
        (3, "INSERT", 7),
        *((4, "DELETE", each) for each in (3, 6)),
    ]
    snapshots = [each.snapshot_id for each in table.snapshots()]
    by_ordinal = dict(
        zip(
            *(found.to_arrow()[name].to_pylist() for name in ("_change_ordinal", "_commit_snapshot_id")),
            strict=True,
        )
    )
    assert [by_ordinal[number] for number in range(5)] == snapshots
    assert found.to_arrow().schema.names == [*SCHEMA.names, *ADDED]
    assert said(table.changelog_scan(snapshots[1], snapshots[2])) == [(0, "DELETE", 2)]
    assert sorted(said(table.changelog_scan(net=True))) == [(0, "INSERT", each) for each in (1, 4, 7)]
    assert sorted(said(table.changelog_scan(snapshots[0], net=True))) == [
        (0, "DELETE", 2),
        (0, "DELETE", 3),
        (0, "INSERT", 7),
    ]


@pytest.mark.parametrize(("version", "mode"), VERSIONS)
@pytest.mark.parametrize("memory", ["256M", "1K"])
def test_updates_are_found_by_identifier_columns_also_where_rows_are_read_twice(
    tmp_path, version, mode, memory, monkeypatch
):
    table = made(tmp_path, version)
    table.append(rows(*range(1, 2001)))
    table.update({"note": "new"}, "id = 7 OR id = 1500", mode=mode)
    table.merge(
        rows(8, 9000, note="merged"), on="id"
    ).when_matched_update_all().when_not_matched_insert_all().execute()
    monkeypatch.setenv("FLOEBERG_MEMORY", memory)
    first = table.snapshots()[0].snapshot_id
    expected = [
        (0, "UPDATE_BEFORE", 7),
        (0, "UPDATE_BEFORE", 1500),
        (0, "UPDATE_AFTER", 7),
        (0, "UPDATE_AFTER", 1500),
        (1, "UPDATE_BEFORE", 8),
        (1, "INSERT", 9000),
        (1, "UPDATE_AFTER", 8),
    ]
    keyed = said(table.changelog_scan(first, identifier_columns=["id"]))
    assert sorted(keyed) == sorted(expected)
    places = {each: number for number, each in enumerate(keyed)}
    assert all(places[0, "UPDATE_BEFORE", each] < places[0, "UPDATE_AFTER", each] for each in (7, 1500))
    unkeyed = sorted(said(table.changelog_scan(first)))
    if version < 3:
        words = {"UPDATE_BEFORE": "DELETE", "UPDATE_AFTER": "INSERT"}
        expected = [(number, words.get(word, word), id_) for number, word, id_ in expected]
    assert unkeyed == sorted(expected)
    # Only the key, the type and one other column are asked for, and the others still tell rows apart.
    narrow = table.changelog_scan(first, selected_fields=("x",), identifier_columns=["id"]).to_arrow()
    assert narrow.schema.names == ["x", *ADDED]
    assert Counter(narrow["_change_type"].to_pylist()) == Counter(word for _, word, _ in keyed)


def test_a_row_that_changes_its_key_is_an_update_by_lineage_and_not_by_the_key(tmp_path):
    table = made(tmp_path, 3)
    table.append(rows(1, 2))
    first = table.snapshots()[0].snapshot_id
    table.update({"id": 20}, "id = 2")
    assert said(table.changelog_scan(first)) == [(0, "UPDATE_BEFORE", 2), (0, "UPDATE_AFTER", 20)]
    keyed = table.changelog_scan(first, identifier_columns=["id"])
    assert said(keyed) == [(0, "DELETE", 2), (0, "INSERT", 20)]


def test_rows_of_one_key_are_no_updates(tmp_path):
    table = made(tmp_path)
    table.append(rows(1, 1, 2))
    first = table.snapshots()[0].snapshot_id
    table.overwrite(rows(1, 2, note="new"))
    found = sorted(said(table.changelog_scan(first, identifier_columns=["id"])))
    assert found == [
        (0, "DELETE", 1),
        (0, "DELETE", 1),
        (0, "INSERT", 1),
        (0, "UPDATE_AFTER", 2),
        (0, "UPDATE_BEFORE", 2),
    ]


def test_equal_rows_are_carried_over_one_for_one(tmp_path):
    table = made(tmp_path)
    table.append(rows(1, 1, 1, 2))
    first = table.snapshots()[0].snapshot_id
    table.overwrite(rows(1, 2, 2))
    assert sorted(said(table.changelog_scan(first))) == [(0, "DELETE", 1), (0, "DELETE", 1), (0, "INSERT", 2)]


@pytest.mark.parametrize("version", [2, 3])
def test_equality_deletes_are_told_once_each_and_only_where_a_row_was_there(tmp_path, version):
    table = made(tmp_path, version, spec=["identity(id)"] if version == 2 else None)
    table.append(rows(1, 2, 3))
    table.append(rows(4, 5))
    start = table.current_snapshot().snapshot_id
    table.delete("id = 1", mode="merge-on-read")
    recipe = table.row_delta_recipe(key_columns=["id"])
    for number, keys in enumerate([[1, 2, 99], [2, 5]]):
        deleted = recipe.delete_keys(pa.table({"id": pa.array(keys, pa.int64())}), task=str(number))
        table.commit_row_delta([deleted], read_snapshot_id=table.current_snapshot().snapshot_id)
    table.append(rows(2))
    assert said(table.changelog_scan(start)) == [
        (0, "DELETE", 1),
        (1, "DELETE", 2),
        (2, "DELETE", 5),
        (3, "INSERT", 2),
    ]
    assert (
        sorted(said(table.changelog_scan(start, net=True))) == [(0, "DELETE", 1), (0, "DELETE", 5)]
        or version == 3
    )
    plan = table.changelog_scan(start).plan_files()
    assert plan["changed_rows"].to_pylist()[0] == 1
    assert None in plan["changed_rows"].to_pylist()


@pytest.mark.parametrize("version", [2, 3])
def test_keys_that_one_end_deletes_do_not_delete_rows_of_the_other(tmp_path, version, monkeypatch):
    monkeypatch.setenv("FLOEBERG_THREADS", "1")
    table = made(tmp_path, version)
    recipe = table.row_delta_recipe(key_columns=["id"])

    def delete(*keys):
        written = recipe.delete_keys(pa.table({"id": pa.array(keys, pa.int64())}), task=f"keys-{keys[0]}")
        table.commit_row_delta([written], read_snapshot_id=table.current_snapshot().snapshot_id)

    table.append(rows(1, 2, 3))
    delete(1)
    start = table.current_snapshot().snapshot_id
    # The new file is read first, with the deletes that only the end has.
    table.append(rows(2, 4, note="new"))
    delete(2, 99)
    assert sorted(said(table.changelog_scan(start, net=True))) == [(0, "DELETE", 2), (0, "INSERT", 4)]
    assert sorted(said(table.changelog_scan(start))) == [
        *[(0, "INSERT", 2), (0, "INSERT", 4)],
        *[(1, "DELETE", 2), (1, "DELETE", 2)],
    ]


def test_a_filter_is_tested_on_each_row(tmp_path):
    table = made(tmp_path, 3)
    table.append(rows(1, 2, 3))
    first = table.snapshots()[0].snapshot_id
    table.update({"note": "new"}, "id = 2")
    assert said(table.changelog_scan(first, row_filter="note = 'new'")) == [(0, "INSERT", 2)]
    assert said(table.changelog_scan(first, row_filter="note = 'old'")) == [(0, "DELETE", 2)]
    assert said(table.changelog_scan(first, row_filter="id > 2")) == []


def test_columns_are_those_of_the_end(tmp_path):
    table = made(tmp_path)
    table.append(rows(1, 2))
    with table.update_schema() as update:
        update.add_column("later", "string").rename_column("note", "text").delete_column("x")
    table.append(pa.table({"id": pa.array([3], pa.int64()), "later": ["c"]}))
    found = table.changelog_scan(selected_fields=("id", "text", "later")).to_arrow()
    assert found.drop_columns(ADDED).to_pylist() == [
        {"id": 1, "text": "old", "later": None},
        {"id": 2, "text": "old", "later": None},
        {"id": 3, "text": None, "later": "c"},
    ]
    first = table.snapshots()[0].snapshot_id
    assert table.changelog_scan(None, first).to_arrow().schema.names == [*SCHEMA.names, *ADDED]


def test_a_range_is_given_by_ids_names_and_times(tmp_path):
    table = made(tmp_path)
    table.append(rows(1))
    first = table.current_snapshot()
    table.manage_snapshots().create_tag(first.snapshot_id, "first").commit()
    table.append(rows(2))
    moment = datetime.fromtimestamp(first.timestamp_ms / 1000, timezone.utc)
    for start in (first.snapshot_id, "first", moment):
        assert said(table.changelog_scan(start)) == [(0, "INSERT", 2)]
        assert said(table.changelog_scan(start, "main")) == [(0, "INSERT", 2)]
    assert said(table.changelog_scan(None, "first")) == [(0, "INSERT", 1)]
    scan = table.changelog_scan("first", "main")
    assert (scan.from_snapshot_id_exclusive, scan.to_snapshot_id_inclusive) == (
        first.snapshot_id,
        table.current_snapshot().snapshot_id,
    )
    assert said(table.changelog_scan("main", "main")) == []
    assert said(table.changelog_scan("main", "main", net=True)) == []
    again = pickle.loads(pickle.dumps(scan))
    assert said(again) == said(scan)
    found = scan.to_arrow().drop_columns(["x"])
    assert pa.table(scan).drop_columns(["x"]) == found
    assert scan.to_arrow_batch_reader().read_all().drop_columns(["x"]) == found
    assert scan.to_pandas()["id"].tolist() == [2]


def test_branches_have_changes_of_their_own(tmp_path):
    table = made(tmp_path)
    table.append(rows(1))
    base = table.current_snapshot().snapshot_id
    table.append(rows(2), branch="dev")
    table.append(rows(3))
    assert said(table.changelog_scan(base, "dev")) == [(0, "INSERT", 2)]
    assert said(table.changelog_scan(base)) == [(0, "INSERT", 3)]
    on_main = table.current_snapshot().snapshot_id
    with pytest.raises(InvalidInputError, match=f"snapshot {on_main} is not an ancestor of snapshot"):
        table.changelog_scan(on_main, "dev")


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_picked_snapshots_rollbacks_and_upgrades_are_part_of_the_line(tmp_path, mode):
    table = made(tmp_path)
    with table.transaction() as transaction:
        transaction.set_properties({"write.wap.enabled": "true"})
    table.append(rows(1, 2, 3, 4))
    first = table.current_snapshot().snapshot_id
    for wap_id, write in (
        ("append", lambda **more: table.append(rows(8, 9), **more)),
        ("delete", lambda **more: table.delete("id = 2", mode=mode, **more)),
    ):
        write(snapshot_properties={"wap.id": wap_id})
    table.append(rows(5))
    table.delete("id = 1", mode=mode)
    table.manage_snapshots().rollback_to_snapshot(first).commit()
    table.append(rows(6))
    table.manage_snapshots().publish_changes("append").commit()
    table.upgrade_table_version(3)
    table.update({"note": "new"}, "id = 9", mode=mode)
    table.update({"note": "old"}, "id = 9", mode=mode)
    table.append(rows(7))
    assert sorted(said(table.changelog_scan(first)), key=str) == [
        (0, "INSERT", 6),
        (1, "INSERT", 8),
        (1, "INSERT", 9),
        # In version 2 it had no row id.
        (2, "DELETE", 9),
        (2, "INSERT", 9),
        (3, "UPDATE_AFTER", 9),
        (3, "UPDATE_BEFORE", 9),
        (4, "INSERT", 7),
    ]
    assert sorted(said(table.changelog_scan(first, net=True))) == [(0, "INSERT", id_) for id_ in (6, 7, 8, 9)]
    line = [each.snapshot_id for each in table.history()]
    assert said(table.changelog_scan(line[-4], line[-2], net=True)) == []


def test_an_expired_snapshot_in_the_range_is_an_error_that_says_where_to_start():
    case = lent("expired")
    table = case.open()
    line = ancestry(case, case.expected["current_snapshot_id"])
    oldest, parent = line[0], table.snapshot_by_id(line[0]).parent_snapshot_id
    with pytest.raises(
        InvalidInputError, match=f"snapshot {parent} was expired.*earliest start is snapshot {oldest}"
    ):
        table.changelog_scan()
    with pytest.raises(InvalidInputError, match=f"snapshot {parent} was not found.*snapshot {oldest}"):
        table.changelog_scan(parent)
    assert table.changelog_scan(oldest).to_arrow().num_rows >= 0
    with pytest.raises(NotFoundError, match="the table has no snapshot 12"):
        table.changelog_scan(oldest, 12)


def test_an_empty_table_has_no_changes(tmp_path):
    table = made(tmp_path)
    assert said(table.changelog_scan()) == []
    with pytest.raises(InvalidInputError, match="the table has no snapshot"):
        table.changelog_scan(5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"identifier_columns": ["nothing"]}, "nothing"),
        ({"identifier_columns": []}, "at least one column"),
        ({"identifier_columns": ["s.a"]}, "a part of another column"),
        ({"selected_fields": ("s.a",)}, "whole columns"),
        ({"selected_fields": ("_deleted",)}, "_deleted"),
        ({"row_filter": "nothing = 1"}, "nothing"),
    ],
)
def test_columns_that_a_changelog_cannot_have_are_errors(tmp_path, arguments, message):
    table = made(tmp_path)
    if "s.a" in str(arguments):
        catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
        kind = pa.struct({"a": pa.int32(), "b": pa.int32()})
        table = catalog.create_table("ns.nested", pa.schema({"s": kind}))
    with pytest.raises(InvalidInputError, match=message):
        table.changelog_scan(**arguments)


def test_a_column_of_the_name_that_a_changelog_adds_must_not_be_selected(tmp_path):
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", pa.schema({"id": pa.int64(), "_change_type": pa.string()}))
    table.append(pa.table({"id": [1], "_change_type": ["mine"]}))
    with pytest.raises(InvalidInputError, match="_change_type"):
        table.changelog_scan()
    found = table.changelog_scan(selected_fields=("id",)).to_arrow().to_pylist()
    assert [(each["id"], each["_change_type"]) for each in found] == [(1, "INSERT")]


def test_a_replacement_is_skipped_and_takes_no_place_in_the_order(tmp_path):
    """A compaction of another writer: here the operation of an overwrite with the same rows is changed."""
    table = made(tmp_path)
    table.append(rows(1, 2))
    first = table.current_snapshot().snapshot_id
    table.overwrite(rows(1, 2))
    replaced = table.current_snapshot().snapshot_id
    table.append(rows(3))
    path = Path(table.metadata_location.removeprefix("file://"))
    metadata = json.loads(path.read_text())
    for snapshot in metadata["snapshots"]:
        if snapshot["snapshot-id"] == replaced:
            snapshot["summary"]["operation"] = "replace"
    other = path.with_name("99999-other.metadata.json")
    other.write_text(json.dumps(metadata))
    compacted = fb.open_table(other)
    assert said(compacted.changelog_scan(first)) == [(0, "INSERT", 3)]
    assert compacted.changelog_scan(first, replaced).plan_files().num_rows == 0
    assert said(compacted.changelog_scan(first, net=True)) == [(0, "INSERT", 3)]
