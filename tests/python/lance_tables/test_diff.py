"""What differs between two versions of a Lance table, row by row, and without reading rows."""

from __future__ import annotations

import pickle
import shutil
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import lance
import lance.file
import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import InvalidInputError, NotFoundError, UnsupportedError

from .kit import made, rows


def brief(diff: fb.lance.LanceTableDiff) -> list[tuple[Any, ...]]:
    """Each change: what it is, the key, and the columns of an update."""
    found = []
    for each in diff.to_arrow().to_pylist():
        row = each["before"] if each["after"] is None else each["after"]
        found.append((each["_change"], row["id"], *(each["_changed_columns"] or ())))
    return sorted(found)


def changed(folder: Path, *, stable: bool = True) -> fb.LanceTable:
    """Rows 0 to 5, of which 1 went, 2 changed, and 6 came."""
    table = made(folder, rows(0, 6), stable_row_ids=stable)
    table.delete("id = 1")
    table.update({"name": "new"}, "id = 2")
    table.append(rows(6, 7))
    return table


CHANGES = [("delete", 1), ("insert", 6), ("update", 2, "name")]


def test_rows_are_known_by_stable_ids(tmp_path: Path) -> None:
    table = changed(tmp_path)
    diff = table.diff(1)
    assert brief(diff) == CHANGES
    update = next(each for each in diff.to_arrow().to_pylist() if each["_change"] == "update")
    assert update["before"] == {"id": 2, "name": "n2", "v": 1.0}
    assert update["after"] == {"id": 2, "name": "new", "v": 1.0}
    summary = diff.summary()
    assert (summary.inserted_rows, summary.deleted_rows, summary.updated_rows) == (1, 1, 1)
    assert (summary.changed_columns, summary.proof) == ({"name": 1}, None)
    assert (summary.from_snapshot_id, summary.to_snapshot_id) == (1, 4)
    assert diff.has_changed_rows()
    assert repr(diff) == "LanceTableDiff(from_version=1, to_version=4)"
    assert brief(pickle.loads(pickle.dumps(diff))) == CHANGES


def test_the_other_way_round_is_the_reverse(tmp_path: Path) -> None:
    table = changed(tmp_path)
    assert brief(table.diff(4, 1)) == [("delete", 6), ("insert", 1), ("update", 2, "name")]


def test_rows_are_known_by_a_key(tmp_path: Path) -> None:
    table = changed(tmp_path, stable=False)
    assert brief(table.diff(1, key=["id"])) == CHANGES
    # By addresses, an update is another row.
    assert brief(table.diff(1)) == [("delete", 1), ("delete", 2), ("insert", 2), ("insert", 6)]
    table.maintenance.compact()
    assert brief(table.diff(1, key=["id"])) == CHANGES
    with pytest.raises(
        UnsupportedError, match="may have been moved between version 1 and version 5: give the columns"
    ):
        table.diff(1).to_arrow()


def test_a_key_wins_over_row_ids_and_counts_for_nothing_where_it_is_repeated(tmp_path: Path) -> None:
    table = made(tmp_path, pa.table({"id": [1, 2, 3], "k": ["a", "b", None]}))
    table.overwrite(pa.table({"id": [1, 9, 8, 7], "k": ["a", "b", "b", None]}))
    found = table.diff(1, key=["k"]).to_arrow().to_pylist()
    shown = sorted((each["_change"], str(each["before"]), str(each["after"])) for each in found)
    assert shown == [
        ("delete", "{'id': 2, 'k': 'b'}", "None"),
        ("insert", "None", "{'id': 8, 'k': 'b'}"),
        ("insert", "None", "{'id': 9, 'k': 'b'}"),
        ("update", "{'id': 3, 'k': None}", "{'id': 7, 'k': None}"),
    ]


def test_the_primary_key_is_taken_where_rows_have_no_ids(tmp_path: Path) -> None:
    metadata = {b"lance-schema:unenforced-primary-key": b"true"}
    schema = pa.schema([pa.field("id", pa.int64(), nullable=False, metadata=metadata), ("s", pa.string())])
    place = str(tmp_path / "t.lance")
    lance.write_dataset(pa.table({"id": [1, 2], "s": ["a", "b"]}, schema=schema), place)
    source = pa.table({"id": [2, 3], "s": ["B", "c"]}, schema=schema)
    lance.dataset(place).merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(
        source
    )
    assert brief(fb.open_table(place).diff(1)) == [("insert", 3), ("update", 2, "s")]


def test_updates_without_another_value_are_none(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 4))
    table.update({"v": fb.sql_expr("v")}, "id < 2")
    diff = table.diff(1)
    assert (brief(diff), diff.has_changed_rows(), diff.proof()) == ([], False, None)
    assert diff.summary().facts()["rows"] == "no row changed (rows were compared)"


@pytest.mark.parametrize("stable", [True, False])
def test_values_that_were_replaced_in_place_are_found(tmp_path: Path, *, stable: bool) -> None:
    table = made(tmp_path, rows(0, 4), stable_row_ids=stable)
    dataset = lance.dataset(table.location)
    new = pa.table({"v": [0.0, 9.0, 1.0, 1.5]})
    path = Path(table.location, "data", "replaced.lance")
    with lance.file.LanceFileWriter(str(path), new.schema) as writer:
        writer.write_batch(new)
    field = next(each.id() for each in dataset.lance_schema.fields() if each.name() == "v")
    file = lance.fragment.DataFile("replaced.lance", [field], [0], 2, 2, file_size_bytes=path.stat().st_size)
    operation = lance.LanceOperation.DataReplacement([lance.LanceOperation.DataReplacementGroup(0, file)])
    lance.LanceDataset.commit(table.location, operation, read_version=table.version)
    table.refresh()
    assert brief(table.diff(1)) == brief(table.diff(1, key=["id"])) == [("update", 1, "v")]


def test_a_column_that_came_is_null_before(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 3))
    table.add_columns({"twice": fb.sql_expr("id * 2")})
    table.add_columns(pa.field("empty", pa.int64()))
    diff = table.diff(1)
    assert brief(diff) == [("update", each, "twice") for each in range(3)]
    assert [str(each) for each in diff.schema()] == ["added: twice", "added: empty"]
    assert brief(table.diff(1, selected_fields=["id", "v"])) == []
    table.rename_columns({"name": "title"})
    table.drop_columns("empty")
    assert sorted(map(str, table.diff(3).schema())) == [
        "changed: name: string -> title: string",
        "dropped: empty",
    ]
    assert table.diff(3).proof() == "same fragments"


def test_proofs(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 3))
    table.append(rows(3, 6))
    before = table.version
    table.maintenance.compact()
    lance.dataset(table.location).create_scalar_index("id", "BTREE")
    table = fb.open_table(table.location)
    shutil.rmtree(Path(table.location) / "data")
    diff = table.diff(before)
    assert (diff.proof(), diff.has_changed_rows(), diff.to_arrow().num_rows) == ("rewrites only", False, 0)
    assert diff.summary().facts()["rows"] == "no row changed (rewrites only)"
    assert (table.diff(table.version).proof(), table.diff(1).proof()) == ("same version", None)
    # What does not differ is not read, and neither is what came alone counted by reading it.
    assert (table.diff(1, 2).summary().inserted_rows, table.diff(1, 2).proof()) == (3, None)
    with pytest.raises(NotFoundError):
        table.diff(1, 2).to_arrow()


def test_only_fragments_that_differ_are_read(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 3))
    table.append(rows(3, 6))
    table.delete("id = 4")
    [first, _] = table.scan().plan_files()
    Path(first.data_files[0].location).unlink()
    assert brief(table.diff(2)) == [("delete", 4)]
    assert table.diff(2).summary().deleted_rows == 1


def test_files_and_previews_are_of_manifests_alone(tmp_path: Path) -> None:
    table = changed(tmp_path)
    shutil.rmtree(Path(table.location) / "data")
    shutil.rmtree(Path(table.location) / "_deletions")
    files = table.diff(1).files().to_pylist()
    assert sorted((each["change"], each["content"], each["fragment_id"]) for each in files) == [
        ("added", "data", 1),
        ("added", "data", 2),
        ("added", "deletion file", 0),
        ("other deletes", "data", 0),
    ]
    assert table.diff(1, preview=True).to_pylist() == [
        {"fragment_id": 0, "inserted_rows": 0, "deleted_rows": 2},
        {"fragment_id": 1, "inserted_rows": 1, "deleted_rows": 0},
        {"fragment_id": 2, "inserted_rows": 1, "deleted_rows": 0},
    ]
    assert table.diff(4, 1, preview=True)["inserted_rows"].to_pylist() == [2, 0, 0]
    summary = made(tmp_path / "other", rows(0, 2)).diff(1).summary()
    assert (summary.added_files, summary.removed_files, summary.files_with_other_deletes) == (0, 0, 0)


def test_settings_are_compared(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 2))
    lance.dataset(table.location).update_config({"a": "1"})
    lance.dataset(table.location).update_metadata({"owner": "me"})
    table.refresh()
    diff = table.diff(1)
    assert diff.properties() == {"a": fb.comparing.Changed(None, "1")}
    assert diff.table_metadata() == {"owner": fb.comparing.Changed(None, "me")}
    assert (diff.spec(), diff.sort_order(), diff.proof()) == (None, None, "same fragments")
    assert diff.summary().facts()["properties"] == "a: None -> 1"


def test_versions_are_named_by_tags_and_times(tmp_path: Path) -> None:
    table = changed(tmp_path)
    table.create_tag("now")
    between = table.versions()[1].timestamp
    assert between is not None
    assert table.diff("now", 1).to_snapshot_id == 1
    assert table.diff(between, "now").from_snapshot_id == 2
    assert fb.open_table(table.location, version=2).diff(1).to_snapshot_id == 2
    with pytest.raises(NotFoundError, match="b: the main branch has no version 9"):
        table.diff(1, 9)
    with pytest.raises(NotFoundError, match="a: the table has no tag 'x'"):
        table.diff("x")
    with pytest.raises(NotFoundError):
        table.diff(datetime(2000, 1, 1, tzinfo=timezone.utc))


def test_what_is_shown(tmp_path: Path) -> None:
    table = changed(tmp_path)
    text = table.diff(1).to_markdown(limit=2)
    assert text.splitlines()[:3] == [
        "### From version 1 to 4",
        "",
        "- rows: 1 inserted, 1 deleted, 1 updated",
    ]
    assert "| update | 2 | n2 -\\> new | 1.0 |" in text
    assert text.endswith("1 more rows\n")
    assert "From version 1 to 4" in table.diff(1)._repr_html_()
    with pytest.raises(InvalidInputError, match="neither true nor false"):
        bool(table.diff(1))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"key": []}, "key"),
        ({"key": ["x"]}, "key: expected columns of both versions"),
        ({"key": "id"}, "key"),
        ({"selected_fields": ["x"]}, "x"),
        ({"preview": 1}, "preview"),
    ],
)
def test_mistaken_arguments_are_named(tmp_path: Path, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        changed(tmp_path).diff(1, **arguments)


def test_another_type_is_refused_by_name(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 3))
    table.alter_column("id", type=pa.int32())
    with pytest.raises(
        UnsupportedError, match="the column 'id' has another type in version 1 than in version 2"
    ):
        table.diff(1)
    assert brief_without_id(table.diff(1, selected_fields=["name"])) == 0


def brief_without_id(diff: fb.lance.LanceTableDiff) -> int:
    return diff.to_arrow().num_rows
