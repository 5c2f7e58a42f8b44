"""Views that Spark with Iceberg Java makes are read here by all engines, and those made here by that Spark."""

from __future__ import annotations

import pyarrow as pa
import pytest
from peers.process import Refused
from rest.server import RestServer

import floeberg as fb
import floeberg.spark
from floeberg.errors import InvalidDataError

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("rest")


@pytest.fixture(scope="module")
def server(folder):
    started = RestServer(folder)
    yield started
    started.stop()


@pytest.fixture(scope="module")
def catalog(server, folder):
    made = fb.load_catalog("rest", type="rest", uri=server.url, warehouse=(folder / "warehouse").as_uri())
    made.create_namespace_if_not_exists("ns")
    made.create_table("ns.t", as_select=pa.table({"id": [1, 2, 3], "s": ["a", "b", "b"]}))
    return made


@pytest.fixture
def ours(spark, catalog):
    return lambda text: sorted(map(list, floeberg.spark.sql(spark, text, catalog=catalog).collect()))


@pytest.fixture
def theirs(java_spark, server):
    def run(text):
        return sorted(java_spark("sql_rest", text=text, catalog="rest", uri=server.url))

    # Names without a namespace are those of the session's, which the view keeps.
    run("USE rest.ns")
    return run


def test_views_of_java_are_read_here(ours, theirs, catalog):
    theirs(
        "CREATE VIEW rest.ns.java (label COMMENT 'what', n) COMMENT 'of Java' TBLPROPERTIES ('a' = 'b') AS "
        "WITH t AS (SELECT * FROM t WHERE id > 1) SELECT s, count(*) FROM t GROUP BY s"
    )
    theirs("CREATE VIEW rest.ns.java_over AS SELECT * FROM java")
    theirs("CREATE VIEW rest.ns.java_star AS SELECT * FROM ns.t")
    for name in ("java", "java_over"):
        expected = theirs(f"SELECT * FROM rest.ns.{name}")
        assert ours(f"SELECT * FROM ns.{name}") == expected == [["b", 2]]
        for engine in ("duckdb", "polars"):
            assert catalog.load_view(f"ns.{name}").scan(engine).to_arrow().to_pylist() == [
                {"label": "b", "n": 2}
            ]
    assert ours("DESCRIBE ns.java") == theirs("DESCRIBE rest.ns.java")
    assert ours("SHOW TBLPROPERTIES ns.java ('a')") == [["a", "b"]]
    assert [row[:2] for row in ours("SHOW VIEWS IN ns")] == [
        row[:2] for row in theirs("SHOW VIEWS IN rest.ns")
    ]
    # Java takes the first columns, whatever they are; here the names of that day decide.
    table = catalog.load_table("ns.t")
    table.update_schema().add_column("more", "long").move_first("more").commit()
    assert ours("SELECT * FROM ns.java_star") == [[1, "a"], [2, "b"], [3, "b"]]
    assert catalog.load_view("ns.java_star").scan("duckdb").to_arrow().num_rows == 3
    table.update_schema().delete_column("more").commit()


def test_views_of_ours_are_read_by_java(ours, theirs, catalog):
    ours(
        "CREATE VIEW ns.made (label COMMENT 'what', n) COMMENT 'ours' AS SELECT s, count(*) FROM t GROUP BY s"
    )
    ours("CREATE VIEW ns.made_over AS SELECT label AS l FROM made WHERE n > (SELECT min(id) FROM ns.t)")
    for name in ("made", "made_over"):
        assert theirs(f"SELECT * FROM rest.ns.{name}") == ours(f"SELECT * FROM ns.{name}")
    assert theirs("DESCRIBE rest.ns.made") == ours("DESCRIBE ns.made")
    shown = {row[0]: row[1] for row in theirs("DESCRIBE EXTENDED rest.ns.made")}
    assert (shown["Comment"], shown["View Query Output Columns"]) == ("ours", "[s, count(1)]")
    theirs("CREATE OR REPLACE VIEW rest.ns.made AS SELECT 7 AS seven")
    assert ours("SELECT * FROM ns.made") == [[7]]
    ours("ALTER VIEW ns.made AS SELECT 8 AS eight")
    assert theirs("SELECT * FROM rest.ns.made") == [[8]]
    assert len(catalog.load_view("ns.made").versions) == 3
    theirs("ALTER VIEW rest.ns.made RENAME TO rest.ns.moved")
    ours("DROP VIEW ns.moved")
    with pytest.raises(Refused, match="TABLE_OR_VIEW_NOT_FOUND"):
        theirs("SELECT * FROM rest.ns.moved")


def test_a_circle_of_both_is_refused_by_both(ours, theirs, catalog):
    ours("CREATE VIEW ns.one AS SELECT 1 AS a")
    theirs("CREATE VIEW rest.ns.two AS SELECT * FROM ns.one")
    with pytest.raises(Refused, match="Recursive cycle"):
        theirs("CREATE OR REPLACE VIEW rest.ns.one AS SELECT * FROM ns.two")
    catalog.create_or_replace_view(
        "ns.one", catalog.load_view("ns.one").schema(), sql={"spark": "SELECT * FROM two"}
    )
    with pytest.raises(InvalidDataError, match=r"rest\.ns\.two -> rest\.ns\.one -> rest\.ns\.two"):
        ours("SELECT * FROM ns.two")
