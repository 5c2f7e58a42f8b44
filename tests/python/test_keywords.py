"""A call that does not fit names the method as the user wrote it, and the word that the method has."""

from __future__ import annotations

import inspect
import re

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import MissingAttributeError, NoSuchTableError

ROWS = pa.table({"id": [1, 2, 3]})


@pytest.fixture
def catalog(tmp_path):
    made = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path / "lake"))
    made.create_namespace("db")
    return made


@pytest.fixture
def table(catalog):
    return catalog.create_table("db.orders", ROWS)


@pytest.fixture
def lance_table(tmp_path):
    return fb.lance.create_table(str(tmp_path / "t.lance"), ROWS)


CALLS = [
    ("scan", {"filter": "id = 1"}, "row_filter"),
    ("scan", {"where": "id = 1"}, "row_filter"),
    ("scan", {"columns": ["id"]}, "selected_fields"),
    ("scan", {"n": 3}, "limit"),
    ("upsert", {"df": ROWS, "on": "id"}, "join_cols"),
    ("upsert", {"df": ROWS, "keys": "id"}, "join_cols"),
    ("delete", {"row_filter": "id = 1"}, "delete_filter"),
    ("delete", {"where": "id = 1"}, "delete_filter"),
    ("update", {"updates": {"id": 1}, "where": "id = 1"}, "filter"),
    ("update", {"set": {"id": 1}}, "updates"),
    ("merge", {"source": ROWS, "keys": "id"}, "on"),
    ("merge", {"source": ROWS, "join_cols": ["id"]}, "on"),
    ("apply_changes", {"changes": ROWS, "on": ["id"]}, "keys"),
    ("append", {"rows": ROWS}, "data"),
    ("append", {"data": ROWS, "idempotencykey": "x"}, "idempotency_key"),
]


@pytest.mark.parametrize(("method", "keywords", "meant"), CALLS, ids=str)
@pytest.mark.parametrize("kind", ["table", "lance_table"])
def test_the_word_of_the_method(request, kind, method, keywords, meant):
    table = request.getfixturevalue(kind)
    with pytest.raises(TypeError) as raised:
        getattr(table, method)(**keywords)
    said = str(raised.value)
    assert said.startswith(f"{type(table).__name__}.{method}() got an unexpected keyword argument")
    assert said.endswith(f"did you mean {meant!r}?")
    assert table.refresh().count() == 3


def test_other_objects_and_functions(table, catalog, tmp_path):
    for call, said in (
        (
            lambda: table.scan().filter(where="id = 1"),
            "Scan.filter() got an unexpected keyword argument 'where': did you mean 'row_filter'?",
        ),
        (
            lambda: catalog.create_table("db.t", schema=ROWS.schema, partition_by=["id"]),
            "Catalog.create_table() got an unexpected keyword argument 'partition_by': did you mean 'partition_spec'?",
        ),
        (
            lambda: table.merge(ROWS, on="id").when_matched_delete(where="id = 1"),
            "MergeBuilder.when_matched_delete() got an unexpected keyword argument 'where': did you mean 'predicate'?",
        ),
        (
            lambda: fb.open_table(str(tmp_path), snapshot=3),
            "open_table() got an unexpected keyword argument 'snapshot': did you mean 'snapshot_id'?",
        ),
        (
            lambda: table.transaction().delete(where="id = 1"),
            "Transaction.delete() got an unexpected keyword argument 'where': did you mean 'delete_filter'?",
        ),
        (lambda: table.update_schema().add_column("x", dtype="long"), "did you mean 'field_type'"),
        (table.merge, "Table.merge() missing 1 required positional argument: 'source'"),
        (lambda: table.refresh(zzz=1), "Table.refresh() got an unexpected keyword argument 'zzz'"),
    ):
        with pytest.raises(TypeError, match=re.escape(said)):
            call()


def test_a_type_error_of_the_users_own_function_is_left_as_it_is(table):
    def wrong(batch):
        return len(batch, unknown=1)

    with pytest.raises(TypeError, match="len"):
        table.update({"id": wrong})


def test_signatures_and_docs_stay():
    assert list(inspect.signature(fb.Table.scan).parameters)[:2] == ["self", "row_filter"]
    assert fb.Table.scan.__doc__.startswith("Describes rows")


def test_names_of_other_libraries_say_the_way(table, lance_table):
    for kind, names in (
        (
            table,
            [
                "compact",
                "optimize",
                "vacuum",
                "insert",
                "expire_snapshots",
                "rewrite_data_files",
                "show",
                "where",
            ],
        ),
        (
            lance_table,
            ["compact", "optimize", "vacuum", "insert", "cleanup_old_versions", "show", "count_rows"],
        ),
    ):
        for name in names:
            with pytest.raises(MissingAttributeError, match=f"{type(kind).__name__}.*{name}.*: "):
                getattr(kind, name)
        with pytest.raises(AttributeError):
            _ = kind.nothing_like_it
        with pytest.raises(TypeError, match=r"count\(\)"):
            len(kind)
        assert kind
    with pytest.raises(MissingAttributeError, match=r"table\.properties"):
        _ = table.append(ROWS).properties


def test_whole_tables_are_read_without_a_scan(table, lance_table):
    for each in (table, lance_table):
        assert each.count() == 3 and each.to_arrow() == ROWS
        assert each.head(2) == ROWS.slice(0, 2) and each.head() == ROWS
        assert each.to_pandas()["id"].tolist() == [1, 2, 3]
        assert each.to_polars()["id"].to_list() == [1, 2, 3]
        assert each.to_duckdb("t").sql("SELECT sum(id) FROM t").fetchall() == [(6,)]


def test_a_table_that_is_not_there_says_what_is(catalog):
    catalog.create_table("db.orders", ROWS)
    with pytest.raises(NoSuchTableError, match=r"has no table 'db\.order'; near matches: 'db\.orders'"):
        catalog.load_table("db.order")
    with pytest.raises(NoSuchTableError, match="there is no namespace 'bd'"):
        catalog.load_table("bd.orders")
    with pytest.raises(NoSuchTableError, match=r"has no table 'db\.zzz'$"):
        catalog.load_table("db.zzz")


def test_rows_given_as_the_schema_are_written(catalog):
    import pandas as pd
    import polars as pl

    for number, rows in enumerate(
        [
            ROWS,
            ROWS.to_batches()[0],
            ROWS.to_reader(),
            pl.from_arrow(ROWS),
            pd.DataFrame({"id": [1, 2, 3]}),
            catalog.create_table("db.first", ROWS),
        ]
    ):
        made = catalog.create_table(f"db.rows{number}", rows, partition_spec=["id"])
        assert sorted(made.to_arrow()["id"].to_pylist()) == [1, 2, 3]
        assert len(made.snapshots()) == 1
    assert catalog.create_table("db.empty", ROWS.schema).count() == 0
    replaced = catalog.replace_table("db.rows0", pa.table({"id": [7], "more": ["x"]}))
    assert replaced.to_arrow().to_pylist() == [{"id": 7, "more": "x"}]
    with catalog.create_table_transaction("db.later", ROWS) as transaction:
        transaction.append(ROWS)
    assert catalog.load_table("db.later").count() == 6
    with catalog.replace_table_transaction("db.later", ROWS):
        pass
    assert catalog.load_table("db.later").count() == 3
    assert catalog.create_or_replace_table("db.later", ROWS.slice(1)).count() == 2
    for wrong in (
        lambda: catalog.create_table("db.x", ROWS, as_select=ROWS),
        lambda: catalog.create_table("db.x", [{"id": 1}]),
        lambda: catalog.create_table_if_not_exists("db.rows1", ROWS),
    ):
        with pytest.raises(fb.errors.InvalidInputError, match="rows|list of dicts"):
            wrong()
    assert not catalog.table_exists("db.x")


def test_results_are_read_at_once(table):
    done = table.append(ROWS)
    assert re.fullmatch(
        r"CommitResult\(append; rows: 3 added; files: 1 added; bytes: .* added; snapshot: \d+; time: .* s\)",
        repr(done),
    )
    assert "3 added" in done._repr_html_()
    done = table.update({"id": 7}, "id = 1", mode="copy-on-write")
    assert "rows: 2 updated" in repr(done)
    assert "dry run" in repr(table.delete("id = 7", dry_run=True))
    assert len(repr(table.history()[0])) < 120 and "+00:00: id=" in repr(table.history()[0])
    assert repr(table.snapshots()[0]).startswith("Snapshot(append: id=")
    assert repr(table.scan().explain()).startswith(str(table.scan().explain())[:20])
    assert (
        repr(table.merge(ROWS, on="id").when_matched_delete("id = 1"))
        == "MergeBuilder(not executed yet; matched with a condition: delete)"
    )
    assert repr(table.update_schema().add_column("x", "long")).startswith("UpdateSchema(not committed yet: ")
    assert repr(table.manage_snapshots()) == "ManageSnapshots(nothing to commit)"
