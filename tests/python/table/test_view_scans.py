"""Rows of views by DuckDB and polars: those of the statement, with the names, types and docs of the view."""

from __future__ import annotations

import datetime
import pickle
import sys
from collections import Counter
from decimal import Decimal

import duckdb
import pyarrow as pa
import pytest

import floeberg as fb
from corpus import cases
from floeberg.errors import (
    FloebergError,
    InvalidDataError,
    InvalidInputError,
    LimitExceededError,
    NoSuchTableError,
    NotFoundError,
    NotInstalledError,
    UnsupportedError,
)
from floeberg.types import NestedField, Schema, VariantType
from floeberg.view import ViewScan

ENGINES = ("duckdb", "polars")
ONE = pa.schema({"id": pa.int64()})


def make(folder, name, namespace="db"):
    catalog = fb.load_catalog(
        name, type="sql", uri=f"sqlite:///{folder}/{name}.db", warehouse=str(folder / name)
    )
    catalog.create_namespace(namespace)
    return catalog


@pytest.fixture
def lake(tmp_path):
    catalog = make(tmp_path, "lake")
    rows = {"id": [1, 2, 3], "s": ["a", "b", "c"], "price": [Decimal("1.50"), Decimal("2.50"), None]}
    catalog.create_table("db.t", as_select=pa.table(rows))
    return catalog


@pytest.fixture(params=ENGINES)
def engine(request):
    return request.param


def view(lake, statement, schema=ONE, name="db.v", **more):
    made = statement if isinstance(statement, dict) else {"spark": statement}
    return lake.create_or_replace_view(name, schema, sql=made, **more)


def rows(scan):
    return sorted((tuple(row.values()) for row in scan.to_arrow().to_pylist()), key=repr)


def test_rows_have_the_names_types_and_docs_of_the_view(lake, engine):
    schema = pa.schema(
        [
            pa.field("k", pa.int64(), metadata={"doc": "the key"}),
            pa.field("label", pa.string()),
            pa.field("total", pa.decimal128(30, 3)),
            pa.field("n", pa.int32()),
        ]
    )
    made = view(
        lake,
        "SELECT CAST(id AS INT), max(s), sum(db.t.price), count(*) FROM t WHERE id > 1 GROUP BY id",
        schema,
    )
    scan = made.scan(engine)
    assert isinstance(scan, ViewScan)
    assert (scan.engine, scan.schema(), repr(scan)) == (
        engine,
        made.schema(),
        f"ViewScan('db.v', engine='{engine}')",
    )
    found = scan.to_arrow()
    assert found.schema.equals(
        pa.schema([pa.field(each.name, each.type, metadata=each.metadata) for each in schema]),
        check_metadata=True,
    )
    assert rows(scan) == [(2, "b", Decimal("2.500"), 1), (3, "c", None, 1)]
    assert pa.schema(scan).equals(found.schema)
    assert pa.table(scan).num_rows == 2
    assert sorted(scan.to_polars()["k"].to_list()) == sorted(scan.to_pandas()["k"].tolist()) == [2, 3]
    assert sum(batch.num_rows for batch in scan.to_arrow_batch_reader()) == 2
    assert scan.to_duckdb("w").sql("SELECT max(k) FROM w WHERE label = 'b'").fetchall() == [(2,)]
    again = pickle.loads(pickle.dumps(scan))
    assert sorted(again.to_arrow()["k"].to_pylist()) == [2, 3]


def test_a_scan_stays_at_its_snapshots(lake, engine):
    made = view(lake, "SELECT (SELECT count(*) FROM t) + count(*) FROM db.t")
    scan = made.scan(engine)
    lake.load_table("db.t").append(pa.table({"id": [4]}))
    assert rows(scan) == [(6,)]
    assert rows(made.scan(engine)) == [(8,)]


def test_views_in_views_of_several_catalogs(lake, engine, tmp_path):
    other = make(tmp_path, "other", "far.off")
    other.create_table("far.off.t", as_select=pa.table({"id": [70]}))
    schema = pa.schema({"i": pa.int64(), "j": pa.int64()})
    view(other, "SELECT t.id AS i, far.off.t.id + 1 FROM t", schema, "far.off.below")
    view(lake, "SELECT below.j FROM other.far.off.below UNION ALL SELECT id FROM t", name="db.v")
    view(lake, "SELECT v.id FROM v JOIN lake.db.v AS w ON v.id = w.id WHERE v.id > 2", name="db.over")
    made = lake.load_view("db.over")
    assert rows(made.scan(engine, catalogs={"other": other})) == [(3,), (71,)]
    with pytest.raises(
        NotFoundError, match=r"no table and no view 'other.far.off.below' \(view: lake.db.v\)"
    ):
        made.scan(engine)
    elsewhere = view(
        lake, "SELECT id FROM t", name="db.e", default_catalog="other", default_namespace="far.off"
    )
    assert rows(elsewhere.scan(engine, catalogs={"other": other})) == [(70,)]
    with pytest.raises(
        NotFoundError, match=r"'t' belongs to the catalog 'other', which is not known .*catalogs="
    ):
        elsewhere.scan(engine)


def test_configured_catalogs_are_found(lake, engine, tmp_path, monkeypatch):
    other = make(tmp_path, "other", "ns")
    for key, value in (("type", "sql"), *other.properties.items()):
        monkeypatch.setenv(f"FLOEBERG_CATALOG__OTHER__{key.upper()}", value)
    other.create_table("ns.u", as_select=pa.table({"id": [9]}))
    assert rows(view(lake, "SELECT id FROM other.ns.u").scan(engine)) == [(9,)]
    # A circle through both.
    view(other, "SELECT id FROM lake.db.v", name="ns.w")
    monkeypatch.setenv("FLOEBERG_CATALOG__LAKE__URI", lake.properties["uri"])
    monkeypatch.setenv("FLOEBERG_CATALOG__LAKE__WAREHOUSE", lake.properties["warehouse"])
    made = view(lake, "SELECT id FROM other.ns.w")
    with pytest.raises(InvalidDataError, match="reads itself: lake.db.v -> other.ns.w -> lake.db.v"):
        made.scan(engine)


def test_circles_and_depth(lake, engine):
    view(lake, "SELECT id FROM t")
    view(lake, "SELECT id FROM v", name="db.w")
    view(lake, "WITH x AS (SELECT * FROM w) SELECT id FROM x")
    with pytest.raises(InvalidDataError, match="the view reads itself: lake.db.w -> lake.db.v -> lake.db.w"):
        lake.load_view("db.w").scan(engine)
    view(lake, "SELECT id FROM t", name="db.v0")
    for number in range(1, 51):
        view(lake, f"SELECT id FROM v{number - 1}", name=f"db.v{number}")
    assert rows(lake.load_view("db.v49").scan(engine)) == [(1,), (2,), (3,)]
    with pytest.raises(LimitExceededError, match="more than 50 views are in each other"):
        lake.load_view("db.v50").scan(engine)


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("WITH t AS (SELECT id FROM t WHERE id > 2) SELECT id FROM t", [(3,), (4,)]),
        ("WITH T AS (SELECT 7 AS id) SELECT id FROM T", [(7,)]),
        ("WITH t AS (SELECT id FROM t WHERE id = 1), u AS (SELECT id FROM t) SELECT id FROM u", [(1,)]),
        ("SELECT id FROM t AS db WHERE db.id = 1", [(1,)]),
        ("SELECT max(id) FROM t VERSION AS OF {first}", [(3,)]),
        ("SELECT max(id) FROM t VERSION AS OF 'kept'", [(3,)]),
        ("SELECT max(id) FROM t TIMESTAMP AS OF '2100-01-01T00:00:00+00:00'", [(4,)]),
        ({"trino": "SELECT max(id) FROM t FOR VERSION AS OF {first}"}, [(3,)]),
        ({"trino": "SELECT max(id) FROM t FOR TIMESTAMP AS OF TIMESTAMP '2100-01-01 00:00:00 UTC'"}, [(4,)]),
        ("SELECT max(id) FROM db.t.tag_kept", [(3,)]),
        ("SELECT max(id) FROM db.t.snapshot_id_{first}", [(3,)]),
        ("SELECT count(*) FROM db.t.snapshots", [(2,)]),
        ("SELECT id FROM t WHERE id = 1;", [(1,)]),
        ("SELECT id FROM (SELECT id, price FROM t) AS t WHERE t.id = 2", [(2,)]),
        ("SELECT id FROM t WHERE id IN (SELECT max(id) FROM t) -- end", [(4,)]),
        ({"spark": "SELECT 1", "duckdb": "SELECT 2 AS id", "postgres": "SELECT 2 AS id"}, [(2,)]),
        # Another column before it: the name says which one it is.
        ("SELECT s, id FROM t WHERE id = 1", [(1,)]),
    ],
)
def test_what_a_statement_may_say(lake, engine, statement, found):
    table = lake.load_table("db.t")
    first = table.current_snapshot().snapshot_id
    table.manage_snapshots().create_tag(first, "kept").commit()
    table.append(pa.table({"id": [4], "s": ["d"]}))
    if isinstance(statement, dict):
        statement = {key: value.format(first=first) for key, value in statement.items()}
    else:
        statement = statement.format(first=first)
    assert rows(view(lake, statement).scan(engine)) == found


@pytest.mark.parametrize(
    ("statement", "error", "says"),
    [
        ("SELECT 1; DROP TABLE db.t", UnsupportedError, "is not one query"),
        ("DROP TABLE db.t", UnsupportedError, "is not one query"),
        ("INSERT INTO db.t VALUES (9, 'x')", UnsupportedError, "is not one query"),
        (
            "WITH a AS (SELECT 1) INSERT INTO db.t SELECT 9",
            (UnsupportedError, InvalidDataError),
            "view: lake.db.v",
        ),
        ("SELECT id FROM t WHERE (", InvalidDataError, "not understood as spark"),
        ("SELECT id FROM gone", NoSuchTableError, r"no table and no view 'db.gone' \(view: lake.db.v\)"),
        ("SELECT nothing FROM t", (UnsupportedError, InvalidDataError), "(?i)nothing.*view: lake.db.v"),
        (
            "SELECT s FROM t",
            InvalidDataError,
            "column 'id' of the view is int64, and its query gives .*string",
        ),
        ("SELECT CAST(id AS DOUBLE) FROM t", InvalidDataError, "gives double"),
        ("SELECT id AS one, s AS two FROM t", InvalidDataError, "gives 2 columns, and the view has 1"),
        (
            "SELECT max(id) FROM t TIMESTAMP AS OF '2100-01-01 00:00:00'",
            InvalidInputError,
            "has no time zone",
        ),
        ("SELECT max(id) FROM db.t.tag_main", InvalidInputError, r"db.t.tag_main: 'main' is a branch"),
        ("SELECT max(id) FROM db.t.branch_gone", NotFoundError, "gone"),
        ("SELECT max(id) FROM db.t.nothing", InvalidInputError, "nothing"),
        ("SELECT max(id) FROM t VERSION AS OF 1", NotFoundError, "no snapshot 1"),
        ("SELECT max(id) FROM t VERSION AS OF 'gone'", NotFoundError, "gone"),
        (
            {"duckdb": "SELECT * FROM read_text('/etc/passwd')"},
            UnsupportedError,
            "reads 'read_text', which is not",
        ),
        ({"duckdb": "SELECT * FROM read_csv('/etc/passwd')"}, UnsupportedError, "reads 'read_?csv'"),
        ({"duckdb": "SELECT * FROM '/etc/passwd'"}, NotFoundError, "no table and no view 'db./etc/passwd'"),
        ({"duckdb": "SELECT name FROM duckdb_secrets()"}, UnsupportedError, "duckdb_secrets"),
        ({"duckdb": "SELECT 1 FROM (SELECT * FROM glob('/etc/*'))"}, UnsupportedError, "glob"),
        ({"duckdb": "SELECT current_setting('s3_secret_access_key')"}, UnsupportedError, "current_setting"),
        ({"duckdb": "SELECT getenv('HOME')"}, UnsupportedError, "the function 'getenv'"),
        ({"duckdb": "FROM query('SELECT 1')"}, UnsupportedError, "'query'"),
        ({"nobody": "SELECT 1"}, UnsupportedError, r"none of its dialects \(nobody\)"),
    ],
)
def test_a_statement_that_is_no_query_of_its_columns_is_an_error(lake, engine, statement, error, says):
    made = view(lake, statement)
    with pytest.raises(error, match=says):
        made.scan(engine).to_arrow()


@pytest.mark.parametrize(
    ("kind", "statement", "value"),
    [
        (pa.int32(), "SELECT sum(id) FROM t", 6),
        (pa.decimal128(9, 1), "SELECT count(*) FROM t", Decimal("3.0")),
        (pa.float64(), "SELECT CAST(1.5 AS FLOAT) FROM t LIMIT 1", 1.5),
        (pa.timestamp("us"), "SELECT DATE '2026-01-31' FROM t LIMIT 1", datetime.datetime(2026, 1, 31)),  # noqa: DTZ001
        (pa.string(), "SELECT NULL FROM t LIMIT 1", None),
        (pa.list_(pa.int64()), "SELECT array(1, 2) FROM t LIMIT 1", [1, 2]),
        (pa.bool_(), "SELECT id > 2 FROM t WHERE id = 3", True),
    ],
)
def test_a_type_that_holds_all_values_is_cast_to(lake, engine, kind, statement, value):
    found = view(lake, statement, pa.schema({"c": kind})).scan(engine).to_arrow()
    assert found["c"].to_pylist() == [value]
    assert found.schema.field("c").type.equals(kind) or pa.types.is_list(kind)


def test_a_value_that_does_not_fit_is_an_error(lake, engine):
    made = view(lake, "SELECT sum(id) * 1000000000 FROM t", pa.schema({"c": pa.int32()}))
    with pytest.raises(InvalidDataError, match="view: lake.db.v"):
        made.scan(engine).to_arrow()


def test_a_star_keeps_its_columns_and_a_dropped_table_is_named(lake, engine):
    made = view(lake, "SELECT * FROM t", pa.schema({"id": pa.int64(), "s": pa.string()}))
    lake.load_table("db.t").update_schema().add_column("more", "string").move_first("more").commit()
    assert rows(made.scan(engine)) == [(1, "a"), (2, "b"), (3, "c")]
    lake.load_table("db.t").update_schema().rename_column("s", "label").commit()
    with pytest.raises(InvalidDataError, match="gives 4 columns, and the view has 2"):
        made.scan(engine).to_arrow()
    lake.drop_table("db.t")
    with pytest.raises(NoSuchTableError, match=r"'db.t' \(view: lake.db.v\)"):
        made.scan(engine)


def test_names_that_need_quotes(tmp_path, engine):
    catalog = make(tmp_path, "la ke", 'd"b')
    catalog.create_table(('d"b', "t.1"), as_select=pa.table({"a b": [1], 'Sel"ect': [2], "{x}": [3]}))
    schema = pa.schema({'o"ne': pa.int64(), "<b>": pa.int64(), "{x}": pa.int64()})
    made = catalog.create_view(
        ('d"b', "v {w}"),
        schema,
        sql={"spark": 'SELECT `a b`, `t.1`.`Sel"ect`, `{x}` FROM `la ke`.`d"b`.`t.1`'},
    )
    over = catalog.create_view(('d"b', "over"), schema, sql={"spark": "SELECT * FROM `v {w}`"})
    for each in (made, over):
        assert each.scan(engine).to_arrow().to_pylist() == [{'o"ne': 1, "<b>": 2, "{x}": 3}]


def test_duckdb_reads_only_what_a_query_needs(lake):
    connection = duckdb.connect()
    made = view(lake, "SELECT id, s FROM t", pa.schema({"k": pa.int64(), "label": pa.string()}))
    assert made.scan("duckdb").to_duckdb("seen", connection) is connection
    made.scan("duckdb").to_duckdb("other", connection)
    plan = connection.sql("EXPLAIN SELECT label FROM seen WHERE k = 3").fetchall()[0][1]
    assert "price" not in plan
    found = connection.sql("SELECT a.label FROM seen a JOIN other b ON a.k = b.k WHERE a.k > 2")
    assert found.fetchall() == [("c",)]


class Given:
    """A catalog that others made."""

    name = "given"

    def __init__(self, tables):
        self.tables = tables

    def table_exists(self, identifier):
        return tuple(identifier) in self.tables

    def load_table(self, identifier):
        return self.tables[tuple(identifier)]

    def view_exists(self, identifier):
        return bool(identifier) and False


def without_type(schema):
    """The words of errors for columns of types that no engine gives."""
    named = [str(each.field_type) for each in schema.fields]
    return [each for each in named if each.startswith(("geometry", "geography", "variant"))]


def test_a_view_over_each_table_of_the_corpus_has_its_rows(engine, tmp_path):
    catalog, compared = make(tmp_path, "mine"), 0
    for case in cases():
        if case.is_view:
            continue
        try:
            table = case.open()
            expected = table.scan().to_arrow()
        except FloebergError:
            # What is not read is listed elsewhere.
            continue
        given = Given({("ns", case.name): table})
        made = catalog.create_view(
            ("db", case.name.replace("/", "_")),
            table.schema(),
            sql={"spark": f"SELECT * FROM given.ns.`{case.name}`"},
        )
        if refused := without_type(table.schema()):
            with pytest.raises(UnsupportedError, match=f"of the type {refused[0][:4]}"):
                made.scan(engine, catalogs={"given": given})
            continue
        found = made.scan(engine, catalogs={"given": given}).to_arrow()
        assert found.column_names == expected.column_names, case.name
        for name in expected.column_names:
            assert counted(found[name]) == counted(expected[name]), (case.name, name)
        compared += 1
    assert compared > 60


def counted(column):
    return Counter(map(repr, column.to_pylist()))


def test_engines(lake, monkeypatch):
    made = view(lake, "SELECT id FROM t")
    assert made.scan().engine == "duckdb"
    with pytest.raises(
        InvalidInputError, match="expected one of 'duckdb', 'polars', 'spark', found 'presto'"
    ):
        made.scan("presto")
    find = "floeberg.view.scan.find_spec"
    monkeypatch.setattr(find, lambda name: None if name == "duckdb" else object())
    assert made.scan().engine == "polars"
    with pytest.raises(NotInstalledError, match=r"pip install 'floeberg\[duckdb\]'"):
        made.scan("duckdb")
    monkeypatch.setattr(find, lambda _: None)
    with pytest.raises(NotInstalledError, match="no engine is installed"):
        made.scan()
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    with pytest.raises(NotInstalledError, match="sqlglot is not installed"):
        made.scan("duckdb")


def test_a_view_without_a_catalog(lake, engine):
    made = view(lake, "SELECT max(id) FROM lake.db.t")
    opened = fb.open_view(made.metadata_location)
    assert rows(opened.scan(engine, catalogs={"lake": lake})) == [(3,)]
    bare = fb.open_view(view(lake, "SELECT max(id) FROM t").metadata_location)
    with pytest.raises(
        NotFoundError, match="'t' belongs to the catalog of the view, which was opened without one"
    ):
        bare.scan(engine, catalogs={"lake": lake})


def test_a_column_that_arrow_has_no_type_for_is_said_at_once(lake, engine):
    made = lake.create_view(
        "db.v", Schema(NestedField(1, "v", VariantType(), required=False)), sql={"spark": "SELECT 1"}
    )
    with pytest.raises(FloebergError, match="variant"):
        made.scan(engine)
