"""Do DuckDB, PyIceberg, Iceberg's JAR in Spark, and Floeberg take turns through `floeberg serve`?"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest
from peers.environments import start_duckdb_rest, start_java_spark, start_pyiceberg
from peers.process import Peer
from rest.proxy import Proxy
from servers import SECRET, Server, started
from tables import arrow_file, save

import floeberg as fb

SCHEMA = pa.schema({"id": pa.int64(), "name": pa.string()})

# The environments of peers are made once.
pytestmark = pytest.mark.timeout(900)


@pytest.fixture(params=["floeberg-sqlite", "floeberg-folders"])
def server(request) -> Server:
    return started(request.param)


@pytest.fixture
def catalog(server) -> Iterator[fb.catalog.Catalog]:
    with fb.load_catalog("shared", **server.properties) as made:
        for namespace in made.list_namespaces():
            for each in made.list_tables(namespace):
                made.drop_table(each)
            made.drop_namespace(namespace)
        yield made


@pytest.fixture
def proxy(server) -> Iterator[Proxy]:
    """What stands between a client and the server."""
    started_now = Proxy(server.properties["uri"])
    yield started_now
    started_now.stop()


@pytest.fixture(scope="module")
def duckdb(tmp_path_factory) -> Iterator[Peer]:
    peer = start_duckdb_rest(tmp_path_factory.mktemp("duckdb"))
    yield peer
    peer.stop()


@pytest.fixture(scope="module")
def pyiceberg(tmp_path_factory) -> Iterator[Peer]:
    peer = start_pyiceberg(tmp_path_factory.mktemp("pyiceberg"))
    yield peer
    peer.stop()


@pytest.fixture(scope="module")
def spark(tmp_path_factory) -> Iterator[Peer]:
    peer = start_java_spark(tmp_path_factory.mktemp("java-spark"))
    yield peer
    peer.stop()


def rows(*ids: int) -> pa.Table:
    return pa.table({"id": list(ids), "name": [f"n{each}" for each in ids]}, SCHEMA)


def found(table) -> list[list]:
    """The rows, as they are now."""
    read = table.refresh().scan().to_arrow().sort_by("id").to_pylist()
    return [list(row.values()) for row in read]


def test_duckdb_writes_and_reads(server, catalog, duckdb) -> None:
    duckdb("attach", uri=server.properties["uri"], token=SECRET)

    def run(text: str) -> list[list]:
        return duckdb("sql", text=text)

    run("CREATE SCHEMA lake.turns")
    run("CREATE TABLE lake.turns.t (id BIGINT, name VARCHAR)")
    run("INSERT INTO lake.turns.t VALUES (1, 'a'), (2, 'b'), (3, NULL)")
    table = catalog.load_table("turns.t")
    assert found(table) == [[1, "a"], [2, "b"], [3, None]]
    table.append(rows(4))
    run("DELETE FROM lake.turns.t WHERE id = 2")
    run("UPDATE lake.turns.t SET name = 'new' WHERE id = 3")
    table.refresh().delete("id = 1", mode="merge-on-read")
    assert run("SELECT * FROM lake.turns.t ORDER BY id") == found(table) == [[3, "new"], [4, "n4"]]
    run("CREATE TABLE lake.turns.u (id BIGINT)")
    for text in (
        "BEGIN",
        "INSERT INTO lake.turns.t VALUES (5, 'e')",
        "INSERT INTO lake.turns.u VALUES (5)",
        "COMMIT",
    ):
        run(text)
    assert (len(found(table)), found(catalog.load_table("turns.u"))) == (3, [[5]])
    run("ALTER TABLE lake.turns.t ADD COLUMN more INTEGER")
    assert table.refresh().schema().column_names == ["id", "name", "more"]
    run("DROP TABLE lake.turns.u")
    assert catalog.list_tables("turns") == [("turns", "t")]


def test_iceberg_in_spark_writes_and_reads(server, catalog, spark, proxy) -> None:
    uri, token = server.properties["uri"], SECRET

    # A session keeps the first server that a name of a catalog was given.
    name = f"lake{uri.rpartition(':')[2]}"

    def run(text: str, **more: str) -> list[list]:
        return spark(
            "sql_rest", text=text.replace("lake.", f"{name}."), catalog=name, uri=uri, token=token, **more
        )

    run("CREATE NAMESPACE lake.turns")
    run(
        "CREATE TABLE lake.turns.t (id BIGINT, name STRING) USING iceberg PARTITIONED BY (bucket(2, id)) "
        "TBLPROPERTIES ('format-version'='2', 'write.delete.mode'='merge-on-read')"
    )
    run("INSERT INTO lake.turns.t VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')")
    run("DELETE FROM lake.turns.t WHERE id = 2")
    table = catalog.load_table("turns.t")
    assert found(table) == [[1, "a"], [3, "c"], [4, "d"]]
    table.upsert(rows(3, 5), join_cols=["id"])
    run("ALTER TABLE lake.turns.t RENAME COLUMN name TO label")
    run("ALTER TABLE lake.turns.t CREATE TAG kept")
    run("MERGE INTO lake.turns.t t USING (SELECT 4L id) s ON t.id = s.id WHEN MATCHED THEN DELETE")
    expected = [[1, "a"], [3, "n3"], [5, "n5"]]
    assert run("SELECT * FROM lake.turns.t ORDER BY id") == found(table) == expected
    assert run("SELECT count(*) FROM lake.turns.t VERSION AS OF 'kept'") == [[4]]
    # A table with its rows comes in one commit.
    run("CREATE TABLE lake.turns.made USING iceberg AS SELECT id + 1 AS n FROM lake.turns.t")
    run(
        "CREATE OR REPLACE TABLE lake.turns.made USING iceberg AS SELECT id AS m FROM lake.turns.t WHERE id > 1"
    )
    made = catalog.load_table("turns.made")
    assert sorted(made.scan().to_arrow()["m"].to_pylist()) == [3, 5]
    assert len(made.snapshots()) == 2
    name, uri = f"planned_{name}", proxy.url
    planned = run("SELECT * FROM lake.turns.t WHERE id > 1 ORDER BY id", **{"scan-planning-mode": "server"})
    assert planned == expected[1:]
    assert "POST /v1/namespaces/turns/tables/t/plan" in proxy.asked


def test_spark_keeps_views(catalog, spark) -> None:
    del catalog
    uri = started("floeberg-sqlite").properties["uri"]

    def run(text: str) -> list[list]:
        return spark("sql_rest", text=text, catalog="views", uri=uri, token=SECRET)

    with fb.load_catalog("views", type="rest", uri=uri, token=SECRET) as kept:
        run("CREATE NAMESPACE IF NOT EXISTS views.seen")
        run("CREATE TABLE views.seen.t (id BIGINT) USING iceberg")
        run("INSERT INTO views.seen.t VALUES (1), (2)")
        run("CREATE VIEW views.seen.v AS SELECT id + 1 AS next FROM views.seen.t")
        assert "id + 1" in kept.load_view("seen.v").sql_for("spark").sql
        run("CREATE OR REPLACE VIEW views.seen.v AS SELECT id + 10 AS next FROM views.seen.t")
        run("ALTER VIEW views.seen.v SET TBLPROPERTIES ('comment' = 'c')")
        view = kept.load_view("seen.v")
        assert ([each.version_id for each in view.history()], view.properties["comment"]) == ([1, 2], "c")
        assert run("SELECT * FROM views.seen.v ORDER BY 1") == [[11], [12]]
        run("DROP VIEW views.seen.v")
        assert kept.list_views("seen") == []
        run("DROP TABLE views.seen.t")
        run("DROP NAMESPACE views.seen")


def test_pyiceberg_reads_by_plans_of_the_server(catalog, pyiceberg, proxy, tmp_path) -> None:
    catalog.create_namespace("planned")
    table = catalog.create_table("planned.t", rows(1, 2, 3, 4), partition_spec=["bucket(2, id)"])
    table.append(rows(5, 6))
    table.delete("id = 2", mode="merge-on-read")
    into = tmp_path / "rows.arrow"
    known = {
        "uri": proxy.url,
        "credential": f"anyone:{SECRET}",
        "scan-planning-mode": "server",
    }
    for wanted, expected in (("id > 0", [1, 3, 4, 5, 6]), ("id < 4", [1, 3]), ("name = 'n5'", [5])):
        pyiceberg("filter_rest", identifier="planned.t", row_filter=wanted, into=str(into), **known)
        assert sorted(arrow_file(into)["id"].to_pylist()) == expected
    assert proxy.asked.count("POST /v1/namespaces/planned/tables/t/plan") == 3


def test_a_client_of_python_makes_a_table_of_its_own(server, catalog, pyiceberg, tmp_path) -> None:
    catalog.create_namespace("made")
    save(rows(1, 2), tmp_path / "new.arrow")
    known = {"uri": server.properties["uri"], "token": SECRET}
    pyiceberg("create_rest", identifier="made.t", rows=str(tmp_path / "new.arrow"), **known)
    assert found(catalog.load_table("made.t")) == [[1, "n1"], [2, "n2"]]


@pytest.mark.parametrize("step", ["lose-answer", "lose-request", "send-twice"])
def test_a_request_that_is_lost_or_doubled_is_done_once(server, catalog, proxy, step) -> None:
    catalog.create_namespace("lost")
    with fb.load_catalog("lost", **(server.properties | {"uri": proxy.url})) as through:
        # A table that was made before is another one, where no key says that it is the same.
        proxy.steps = [] if step == "send-twice" else [step]
        table = through.create_table("lost.t", SCHEMA)
        for number, change in enumerate(
            (lambda: table.append(rows(1)), lambda: table.set_properties({"a": "1"}))
        ):
            proxy.steps = [step]
            change()
            assert proxy.steps == [], number
    mine = catalog.load_table("lost.t")
    assert (found(mine), mine.properties["a"], len(mine.snapshots())) == ([[1, "n1"]], "1", 1)
