"""A source is joined to a table: its clauses change, delete and insert rows, in order, in both modes."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import floeberg as fb
from beside import beside
from floeberg.errors import CommitConflictError, FloebergError, InvalidInputError

CASES = [
    (1, "copy-on-write"),
    (2, "copy-on-write"),
    (2, "merge-on-read"),
    (3, "copy-on-write"),
    (3, "merge-on-read"),
]
SCHEMA = pa.schema([("id", pa.int64()), ("note", pa.string()), ("price", pa.float64())])


def rows(*ids, note="old", price=1.0):
    return pa.table({"id": ids, "note": [note] * len(ids), "price": [price] * len(ids)}, SCHEMA)


@pytest.fixture
def table(tmp_path):
    return made(tmp_path)


def made(tmp_path: Path, version: int = 3, **more) -> fb.Table:
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace_if_not_exists("ns")
    table = catalog.create_table("ns.t", SCHEMA, format_version=version, **more)
    table.append(rows(1, 2, 3))
    return table


def content(table):
    found = table.scan().to_arrow().sort_by("id")
    columns = [found[name].to_pylist() for name in ("id", "note", "price")]
    return {id_: (note, price) for id_, note, price in zip(*columns, strict=True)}


def files_of(tmp_path: Path) -> set[str]:
    return {str(path) for path in (tmp_path / "ns" / "t").rglob("*") if path.is_file()}


@pytest.mark.parametrize(("version", "mode"), CASES)
def test_all_clauses_in_one_snapshot(tmp_path, version, mode):
    table = made(tmp_path, version)
    table.append(rows(4, 5, 6))
    source = pa.table({"id": [2, 3, 4, 9, 10], "amount": [5.0, 0.0, 7.0, 8.0, 0.0]})
    done = (
        table.merge(source, on=["id"], mode=mode)
        .when_matched_delete("source.amount = 0")
        .when_matched_update({"price": fb.sql_expr("target.price + amount"), "note": fb.lit("source.amount")})
        .when_not_matched_insert({"id": fb.col("source.id"), "price": fb.col("amount")}, "amount > 0")
        .when_not_matched_by_source_update({"note": fb.sql_expr("target.note || '!'")}, "target.id < 5")
        .when_not_matched_by_source_delete(pc.field("id") == 6)
        .execute()
    )
    assert content(table) == {
        1: ("old!", 1.0),
        2: ("source.amount", 6.0),
        4: ("source.amount", 8.0),
        5: ("old", 1.0),
        9: (None, 8.0),
    }
    assert (done.updated_rows, done.inserted_rows, done.deleted_rows, done.added_rows) == (3, 1, 5, 4)
    assert done.operation == "overwrite"


def test_the_first_clause_that_holds_is_applied(table):
    merge = table.merge(rows(1, 2, 3, note="new"), on="id")
    merge.when_matched_update({"note": "small"}, "target.id < 2")
    merge.when_matched_update({"note": "middle"}, lambda batch: pc.less(batch["target.id"], 3))
    merge.when_matched_update_all()
    merge.execute()
    assert [note for note, _ in content(table).values()] == ["small", "middle", "new"]


def test_a_condition_that_is_null_does_not_hold(table):
    merge = table.merge(rows(1, note=None), on="id")
    merge.when_matched_delete("source.note = 'x'").when_matched_update(
        {"price": 9}, "source.note IS NULL"
    ).execute()
    assert content(table)[1] == ("old", 9.0)


def test_rows_are_inserted_with_all_columns_or_some(table):
    with table.update_schema() as update:
        update.add_column("count", "int", default_value=7)
    merge = table.merge(rows(3, 8, 9, note="new"), on=["id"])
    merge.when_not_matched_insert({"id": fb.sql_expr("source.id + 100")}, "source.id = 8")
    done = merge.when_not_matched_insert_all().execute()
    assert (done.updated_rows, done.inserted_rows) == (0, 2)
    found = table.scan("id > 3").to_arrow().sort_by("id").to_pylist()
    assert [(each["id"], each["note"], each["count"]) for each in found] == [(9, "new", 7), (108, None, 7)]


def test_rows_keep_their_ids(table):
    names = ("id", "_row_id", "_last_updated_sequence_number")
    first = table.scan(selected_fields=names).to_arrow().sort_by("id")
    for number, mode in enumerate(["copy-on-write", "merge-on-read"]):
        merge = table.merge(rows(2, 9 + number, note="new"), on=["id"], mode=mode)
        merge.when_matched_update_all().when_not_matched_insert_all().execute()
        now = table.scan("id < 9", selected_fields=names).to_arrow().sort_by("id")
        assert now["_row_id"] == first["_row_id"]
        assert now["_last_updated_sequence_number"].to_pylist() == [1, 2 + number, 1]
    ids = table.scan(selected_fields=("_row_id",)).to_arrow()["_row_id"].to_pylist()
    assert len(set(ids)) == 5


@pytest.mark.parametrize(
    "predicate",
    [
        "target.id = source.id AND source.price > 1",
        "(source.price > target.price) AND (source.id = target.id)",
    ],
)
def test_a_predicate_says_which_rows_match(table, predicate):
    source = pa.concat_tables([rows(1, 2, note="new", price=2.0), rows(2, 3, note="cheap", price=0.5)])
    done = (
        table.merge(source, predicate=predicate)
        .when_matched_update_all()
        .when_not_matched_insert_all()
        .execute()
    )
    assert (done.updated_rows, done.inserted_rows) == (2, 2)
    found = sorted(table.scan().to_arrow().select(["id", "note"]).to_pylist(), key=repr)
    assert [(each["id"], each["note"]) for each in found] == [
        (1, "new"),
        (2, "cheap"),
        (2, "new"),
        (3, "cheap"),
        (3, "old"),
    ]


def test_rows_without_a_pair_are_those_of_no_source(table):
    source = pa.concat_tables([rows(1, 2, price=2.0), rows(2, 3, price=0.5)])
    merge = table.merge(source, predicate="target.id = source.id AND source.price > 1")
    merge.when_not_matched_by_source_delete().execute()
    assert sorted(content(table)) == [1, 2]


def test_null_matches_nothing(table):
    table.append(rows(None))
    merge = table.merge(rows(None, 1, note="new"), on=["id"])
    done = merge.when_matched_update_all().when_not_matched_insert_all().execute()
    assert (done.updated_rows, done.inserted_rows) == (1, 1)
    assert table.scan("id IS NULL").count() == 2


def test_several_rows_of_the_source_for_a_row_are_an_error_that_shows_the_key(tmp_path):
    table = made(tmp_path)
    before = files_of(tmp_path)
    source = pa.concat_tables([rows(2, 3, note="a"), rows(2, note="b")])
    with pytest.raises(InvalidInputError, match=r"more than one row of the source .*: id = 2"):
        table.merge(source, on=["id"]).when_matched_update_all().execute()
    assert files_of(tmp_path) == before
    # Without a row of the table they are inserted, each.
    twice = rows(7, 7)
    assert table.merge(twice, on=["id"]).when_not_matched_insert_all().execute().inserted_rows == 2


TWICE = [
    # Clauses, and what they leave of the rows 1 to 3; None is an error. The source has the keys 2, 2 and 9.
    (lambda merge: merge.when_matched_delete(), [1, 3]),
    (lambda merge: merge.when_matched_delete().when_not_matched_insert_all(), [1, 3, 9]),
    (lambda merge: merge.when_matched_delete().when_not_matched_by_source_delete("target.id = 1"), [3]),
    (lambda merge: merge.when_not_matched_insert_all(), [1, 2, 3, 9]),
    (lambda merge: merge.when_not_matched_by_source_delete(), [2]),
    (lambda merge: merge.when_matched_delete("target.id = 2"), None),
    (lambda merge: merge.when_matched_delete("target.id = 1"), None),
    (lambda merge: merge.when_matched_delete("target.id = 2").when_matched_delete(), None),
    (lambda merge: merge.when_matched_update_all("target.id = 1"), None),
]


@pytest.mark.parametrize(
    "joins", [{"on": ["id"]}, {"predicate": "source.id = target.id AND source.price > 0"}]
)
@pytest.mark.parametrize(("clauses", "left"), TWICE)
def test_only_a_delete_of_all_matched_rows_may_match_a_row_twice(tmp_path, clauses, left, joins):
    table = made(tmp_path)
    merge = clauses(table.merge(rows(2, 2, 9), **joins))
    if left is None:
        with pytest.raises(InvalidInputError, match="more than one row of the source matches"):
            merge.execute()
        assert sorted(content(table)) == [1, 2, 3]
        return
    done = merge.execute()
    assert sorted(content(table)) == left
    assert done.deleted_rows == 3 - len(set(left) & {1, 2, 3})


def test_keys_have_other_names_and_types(table):
    source = pa.table({"key": pa.array([2, 9], pa.int16()), "text": pa.array(["x", "y"], pa.large_string())})
    merge = table.merge(source, predicate="source.key = target.id")
    done = merge.when_matched_update({"note": fb.col("text")}).when_not_matched_insert(
        {"id": fb.col("key"), "note": fb.col("source.text")}
    )
    done.execute()
    assert {id_: note for id_, (note, _) in content(table).items()} == {1: "old", 2: "x", 3: "old", 9: "y"}


def test_new_columns_come_with_schema_mode(table):
    source = rows(2, 9).append_column("more", pa.array(["a", "b"]))
    with pytest.raises(InvalidInputError, match="no column 'more'"):
        table.merge(source, on=["id"]).when_matched_update_all().execute()
    merge = table.merge(source, on=["id"], schema_mode="merge")
    merge.when_matched_update_all().when_not_matched_insert_all().execute()
    assert table.scan().to_arrow().sort_by("id")["more"].to_pylist() == [None, "a", None, "b"]


def test_a_source_may_read_the_target(table):
    merge = table.merge(table.scan("id > 1"), on=["id"])
    done = merge.when_matched_update({"price": fb.sql_expr("source.price + 1")}).execute()
    assert done.updated_rows == 2


def test_a_row_moves_to_the_partition_of_its_new_value(tmp_path):
    table = made(tmp_path, partition_spec=["identity(note)"])
    table.merge(rows(2, note="new"), on=["id"]).when_matched_update_all().execute()
    assert table.scan("note = 'new'").to_arrow()["id"].to_pylist() == [2]
    assert table.scan("note = 'old'").count() == 2


def test_a_dry_run_a_branch_a_key_and_a_transaction(tmp_path):
    table = made(tmp_path)
    before = files_of(tmp_path)

    def merge(**more):
        found = table.merge(rows(2, 9, note="new"), on=["id"], **more)
        return found.when_matched_update_all().when_not_matched_insert_all().execute()

    done = merge(dry_run=True)
    assert (done.dry_run, done.updated_rows, done.inserted_rows) == (True, 1, 1)
    assert files_of(tmp_path) == before
    first = merge(branch="dev", idempotency_key="k", snapshot_properties={"by": "me"})
    assert merge(branch="dev", idempotency_key="k").snapshot_id == first.snapshot_id
    assert table.scan().count() == 3
    with table.transaction() as transaction:
        transaction.set_properties(a="b")
        transaction.merge(rows(2), on=["id"]).when_matched_delete().execute()
        transaction.append(rows(20))
    assert sorted(content(table)) == [1, 3, 20]


def test_without_anything_to_change_nothing_is_committed(table):
    done = table.merge(rows(9), on=["id"]).when_matched_delete().execute()
    assert done.snapshot_id is None


def last(table, **more):
    return table.merge(rows(1), **more)


@pytest.mark.parametrize(
    ("begin", "said"),
    [
        (lambda table: table.merge(rows(1)), "either on"),
        (lambda table: table.merge(rows(1), on=["id"], predicate="true"), "either on"),
        (lambda table: table.merge(rows(1), on=[]), "names of columns"),
        (lambda table: table.merge(rows(1), on=[3]), "names of columns"),
        (lambda table: table.merge(rows(1), predicate=3), "condition in SQL"),
        (lambda table: table.merge(rows(1), predicate="target.id > source.id"), "no term such as"),
        (lambda table: table.merge(rows(1), predicate="id = id"), "no term such as"),
        (lambda table: table.merge(rows(1), predicate="target.id ="), "cannot be parsed"),
        (lambda table: table.merge(rows(1), on=["nope"]).when_matched_delete(), "no column 'nope'"),
        (lambda table: table.merge(rows(1), on=["id"]), "at least one clause"),
        (lambda table: table.merge(3, on=["id"]).when_matched_delete(), "data"),
        (
            lambda table: (
                table.merge(rows(1), on=["id"]).when_matched_delete().when_matched_update_all("true")
            ),
            "never be applied",
        ),
        (lambda table: table.merge(rows(1), on=["id"]).when_matched_delete(3), "predicate"),
        (
            lambda table: table.merge(rows(1), on=["id"]).when_matched_delete("price"),
            "in the table and in the source",
        ),
        (lambda table: table.merge(rows(1), on=["id"]).when_matched_delete("source.price"), "predicate"),
        (lambda table: table.merge(rows(1), on=["id"]).when_matched_update({"nope": 1}), "no column 'nope'"),
        (lambda table: table.merge(rows(1), on=["id"]).when_matched_update({"id": "x"}), "id"),
        (
            lambda table: table.merge(rows(9), on=["id"]).when_not_matched_insert({"id": fb.col("price")}),
            None,
        ),
        (
            lambda table: table.merge(rows(9), on=["id"]).when_not_matched_insert(
                {"id": fb.col("target.id")}
            ),
            "unknown",
        ),
        (
            lambda table: table.merge(rows(1), on=["id"], mode="sideways").when_matched_delete(),
            "expected the mode",
        ),
    ],
)
def test_mistakes_change_nothing(tmp_path, begin, said):
    table = made(tmp_path)
    before = files_of(tmp_path)
    if said is None:
        begin(table).execute()
        return
    with pytest.raises(FloebergError, match=said):
        begin(table).execute()
    assert files_of(tmp_path) == before


# Other writers.


@pytest.mark.parametrize("level", ["serializable", "snapshot"])
def test_no_key_is_inserted_twice(tmp_path, monkeypatch, level):
    table = made(tmp_path)
    beside(tmp_path, monkeypatch, lambda other: other.append(rows(7, 8, 9)))
    merge = table.merge(rows(2, 8, note="new"), on=["id"], options={"isolation-level": level})
    done = merge.when_matched_update_all().when_not_matched_insert_all().execute()
    assert (done.updated_rows, done.inserted_rows) == (2, 0)
    assert content(table)[8] == ("new", 1.0)


def test_rows_that_others_add_are_not_missed_under_serializable_isolation(tmp_path, monkeypatch):
    table = made(tmp_path)
    beside(tmp_path, monkeypatch, lambda other: other.append(rows(7)))
    table.merge(rows(1), on=["id"]).when_not_matched_by_source_delete().execute()
    assert sorted(content(table)) == [1]


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_a_merge_brings_no_row_back_that_a_key_deleted(tmp_path, monkeypatch, mode):
    table = made(tmp_path)

    def deletes(other):
        recipe = other.row_delta_recipe(key_columns=["id"])
        receipt = recipe.delete_keys(pa.table({"id": pa.array([2, 3], pa.int64())}), task="0")
        other.commit_row_delta([receipt], read_snapshot_id=other.current_snapshot().snapshot_id)

    beside(tmp_path, monkeypatch, deletes)
    merge = table.merge(rows(1, 2, note="new"), on=["id"], mode=mode)
    assert merge.when_matched_update_all().execute().updated_rows == 1
    assert content(table) == {1: ("new", 1.0)}


def test_a_row_that_others_changed_is_a_conflict(tmp_path, monkeypatch):
    table = made(tmp_path)
    beside(tmp_path, monkeypatch, lambda other: other.delete("id = 2", mode="merge-on-read"))
    with pytest.raises(CommitConflictError):
        table.merge(rows(2, note="x"), on=["id"], on_conflict="raise").when_matched_update_all().execute()
