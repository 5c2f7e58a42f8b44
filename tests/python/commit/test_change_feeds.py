"""A feed of changes is applied: the last change of each key wins."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb
from beside import beside
from floeberg.errors import InvalidInputError

SCHEMA = pa.schema([pa.field("id", pa.int64()), pa.field("note", pa.string(), nullable=False)])
CASES = [(1, "copy-on-write"), (2, "merge-on-read"), (3, "copy-on-write"), (3, "merge-on-read")]


def made(tmp_path: Path, version: int = 3) -> fb.Table:
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace_if_not_exists("ns")
    table = catalog.create_table("ns.t", SCHEMA, format_version=version)
    table.append(pa.table({"id": [1, 2, 3], "note": ["old"] * 3}, SCHEMA))
    return table


def feed(*changes):
    """Changes of an operation, an id, a note and a place."""
    words, ids, notes, places = zip(*changes, strict=True)
    return pa.table(
        {"op": words, "id": pa.array(ids, pa.int64()), "note": pa.array(notes, pa.string()), "at": places}
    )


def apply(table, *changes, **more):
    return table.apply_changes(feed(*changes), keys=["id"], operation="op", order_by="at", **more)


def content(table):
    found = table.scan().to_arrow().sort_by("id")
    return dict(zip(found["id"].to_pylist(), found["note"].to_pylist(), strict=True))


def files_of(tmp_path: Path) -> set[str]:
    return {str(path) for path in (tmp_path / "ns" / "t").rglob("*") if path.is_file()}


@pytest.mark.parametrize(("version", "mode"), CASES)
def test_the_last_change_of_a_key_wins(tmp_path, version, mode):
    table = made(tmp_path, version)
    done = apply(
        table,
        ("update", 1, "newest", 9),
        ("delete", 2, None, 4),
        ("update", 1, "new", 8),
        ("insert", 5, "first", 1),
        ("update", 5, "second", 2),
        ("insert", 6, "gone", 1),
        ("delete", 6, None, 2),
        ("delete", 7, None, 1),
        ("update", 3, "old", 1),
        mode=mode,
    )
    assert content(table) == {1: "newest", 3: "old", 5: "second"}
    assert (done.updated_rows, done.inserted_rows, done.deleted_rows) == (1, 1, 2)
    assert apply(table, ("update", 1, "newest", 1), ("delete", 2, None, 1), mode=mode).snapshot_id is None


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()])
def test_zeros_and_nans_are_one_key_each(tmp_path, kind):
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", pa.schema([("x", kind), ("note", pa.string())]))
    keys = pa.array([float("nan"), -0.0, 1.0, float("nan"), 0.0, float("nan")], kind)
    notes = ["a", "b", "c", "d", "e", "f"]
    changes = pa.table({"x": keys, "note": notes, "op": ["update"] * 6, "at": range(6)})
    how = {"keys": ["x"], "operation": "op", "order_by": "at"}
    assert table.apply_changes(changes, **how).inserted_rows == 3
    assert sorted(table.scan().to_arrow()["note"].to_pylist()) == ["c", "e", "f"]
    with pytest.raises(InvalidInputError, match="have the same 'at'"):
        table.apply_changes(changes.set_column(3, "at", [[1, 2, 3, 1, 4, 5]]), **how)


def test_random_feeds_are_what_a_dict_makes_of_them(tmp_path):
    rng = random.Random(3)
    for version, mode in CASES:
        table, model, place = made(tmp_path / f"{version}{mode}", version), dict.fromkeys((1, 2, 3), "old"), 0
        for _ in range(6):
            changes = []
            for _ in range(rng.randint(1, 15)):
                place += 1
                word, id_ = rng.choice(["insert", "update", "delete"]), rng.randrange(12)
                changes.append((word, id_, None if word == "delete" else f"n{place}", place))
                if word == "delete":
                    model.pop(id_, None)
                else:
                    model[id_] = f"n{place}"
            rng.shuffle(changes)
            apply(table, *changes, mode=mode)
            assert content(table) == model


@pytest.mark.parametrize(
    ("changes", "more", "said"),
    [
        (feed(("update", 1, "a", 1), ("delete", 1, None, 1)), {}, "which is the last: id = 1"),
        (feed(("upsert", 1, "a", 1)), {}, "found 'upsert'"),
        (feed((None, 1, "a", 1)), {}, "found None"),
        (feed(("update", 1, "a", None)), {}, "order_by: column 'at' is null"),
        (feed(("update", None, "a", 1)), {}, "a key of the source is null"),
        (feed(("delete", None, None, 1)), {}, "a key of the source is null"),
        (feed(("update", 1, None, 1)), {}, "note"),
        (feed(("update", 1, "a", 1)), {"keys": ["nope"]}, "no column 'nope'"),
        (feed(("update", 1, "a", 1)), {"keys": []}, "at least one column"),
        (feed(("update", 1, "a", 1)), {"operation": "nope"}, "no column 'nope'"),
        (feed(("update", 1, "a", 1)), {"order_by": ["nope"]}, "no column 'nope'"),
        (feed(("update", 1, "a", 1)), {"mode": "equal"}, "expected the mode"),
        (feed(("update", 1, "a", 1)).append_column("more", [[1]]), {}, "no column 'more'"),
    ],
)
def test_mistakes_change_nothing(tmp_path, changes, more, said):
    table = made(tmp_path)
    before = files_of(tmp_path)
    with pytest.raises(InvalidInputError, match=said):
        table.apply_changes(changes, **{"keys": ["id"], "operation": "op", "order_by": "at", **more})
    assert files_of(tmp_path) == before


def test_new_columns_and_null_keys_are_allowed_where_that_is_said(tmp_path):
    table = made(tmp_path)
    changes = feed(("update", None, "null", 1), ("update", 1, "x", 1)).append_column("more", [[7, 8]])
    table.apply_changes(
        changes, keys=["id"], operation="op", order_by=["at"], null_keys="equal", schema_mode="merge"
    )
    assert table.schema().column_names == ["id", "note", "more"]
    assert sorted(table.scan("more IS NOT NULL").to_arrow()["more"].to_pylist()) == [7, 8]


def test_a_dry_run_counts(tmp_path):
    table = made(tmp_path)
    before = files_of(tmp_path)
    done = apply(table, ("update", 1, "x", 1), ("delete", 2, None, 1), ("insert", 9, "y", 1), dry_run=True)
    assert (done.updated_rows, done.inserted_rows, done.deleted_rows) == (1, 1, 2)
    assert files_of(tmp_path) == before


def test_a_key_that_others_added_is_not_there_twice(tmp_path, monkeypatch):
    table = made(tmp_path)
    beside(
        tmp_path, monkeypatch, lambda other: other.append(pa.table({"id": [9], "note": ["theirs"]}, SCHEMA))
    )
    apply(table, ("insert", 9, "ours", 1))
    assert content(table)[9] == "ours"
    assert table.scan().count() == 4
