"""Spark names tables of a configured REST catalog, whose secrets stay on the driver; Iceberg's JAR is beside us."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest
from peers.environments import start_java_spark
from peers.process import Peer
from pyspark import cloudpickle
from pyspark.sql.datasource import CaseInsensitiveDict
from servers import KEY, SECRET, started

import floeberg as fb
import floeberg.spark
from floeberg.spark.datasource import FloebergDataSource
from spark_session import spark

__all__ = ["spark"]

SCHEMA = pa.schema({"id": pa.int64(), "name": pa.string()})

# Iceberg's JAR has a Spark of its own, in an environment that is made once.
pytestmark = pytest.mark.timeout(900)


def configure(environment, name: str, properties) -> None:
    """Put the properties of a catalog into the environment, as a user does."""
    for key, value in properties.items():
        variable = key.upper().replace(".", "__").replace("-", "_")
        environment.setenv(f"FLOEBERG_CATALOG__{name.upper()}__{variable}", value)


@pytest.fixture(scope="module")
def environment() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@pytest.fixture(scope="module")
def servers(environment, tmp_path_factory) -> dict[str, fb.catalog.Catalog]:
    """Catalogs of servers that ask for tokens, configured before Spark starts: its processes inherit that."""
    patient, weed = started("iceberg-rest-oauth2"), started("seaweedfs")
    configure(environment, "patient", patient.properties)
    configure(environment, "weed", {**weed.properties, "warehouse": weed.warehouse()})
    environment.setenv("HOME", str(tmp_path_factory.mktemp("home")))
    return {name: fb.load_catalog(name) for name in ("patient", "weed")}


@pytest.fixture(params=["patient", "weed"])
def catalog(request, servers) -> Iterator[fb.catalog.Catalog]:
    found = servers[request.param]
    found.create_namespace_if_not_exists("db")
    for each in found.list_tables("db"):
        found.drop_table(each)
    found.create_table("db.t", as_select=rows(1, 2, 3))
    yield found
    found.close()


@pytest.fixture
def session(servers, request):
    """Spark, started after the catalogs were configured."""
    assert servers
    started_now = request.getfixturevalue("spark")
    floeberg.spark.register(started_now)
    return started_now


def rows(*ids: int) -> pa.Table:
    return pa.table({"id": list(ids), "name": [f"n{each}" for each in ids]}, SCHEMA)


def ids(frame) -> list[int]:
    return sorted(row["id"] for row in frame.select("id").collect())


def test_a_whole_name_reads_writes_and_changes(catalog, session) -> None:
    whole = f"{catalog.name}.db.t"
    assert ids(floeberg.spark.table(session, whole)) == [1, 2, 3]
    assert ids(session.read.format("floeberg").option("table", whole).load()) == [1, 2, 3]
    more = session.createDataFrame(rows(4).to_pylist(), "id bigint, name string")
    more.write.format("floeberg").mode("append").option("table", whole).save()
    floeberg.spark.write(session.createDataFrame(rows(5).to_pylist(), "id bigint, name string"), whole)
    floeberg.spark.sql(session, f"UPDATE {whole} SET name = 'new' WHERE id = 1")
    floeberg.spark.sql(session, f"DELETE FROM {whole} WHERE id = 2")
    found = floeberg.spark.sql(session, f"SELECT id, name FROM {whole} WHERE id < 5 ORDER BY id").collect()
    assert [tuple(row) for row in found] == [(1, "new"), (3, "n3"), (4, "n4")]
    made = f"{catalog.name}.db.made"
    floeberg.spark.write(floeberg.spark.table(session, whole), made, mode="create")
    assert catalog.load_table("db.made").scan().count() == 4


def test_a_stream_goes_from_one_whole_name_to_another(catalog, session, tmp_path) -> None:
    catalog.create_table("db.sink", SCHEMA)
    stream = session.readStream.format("floeberg").option("table", f"{catalog.name}.db.t").load()
    query = (
        stream.writeStream.format("floeberg")
        .option("table", f"{catalog.name}.db.sink")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    try:
        assert query.awaitTermination(120), query.status
        assert query.exception() is None
    finally:
        query.stop()
    assert sorted(catalog.load_table("db.sink").scan().to_arrow()["id"].to_pylist()) == [1, 2, 3]


def secrets_of(catalog) -> list[bytes]:
    """What no executor may have. SeaweedFS has one secret for the catalog and for files, which need it."""
    server = catalog._server._client
    token = server.authorization.headers()["Authorization"].removeprefix("Bearer ")
    own = [f"{KEY}:{SECRET}", token]
    return [each.encode() for each in (own if catalog.name == "weed" else [*own, SECRET])]


def sent_by_the_source(whole: str) -> Iterator[bytes]:
    """What a read, a write, and a stream of each pickle for their tasks."""

    def source():
        return FloebergDataSource(CaseInsensitiveDict({"table": whole}))

    asked = source()
    schema = asked.schema()
    yield cloudpickle.dumps(source())
    yield cloudpickle.dumps(asked)
    reader = asked.reader(schema)
    yield cloudpickle.dumps((reader, reader.partitions()))
    yield cloudpickle.dumps(source().writer(schema, False))
    yield cloudpickle.dumps(source().streamWriter(schema, False))
    stream = source().streamReader(schema)
    partitions = stream.partitions(stream.initialOffset(), stream.latestOffset())
    yield cloudpickle.dumps((stream, partitions))


def test_no_secret_of_the_catalog_is_in_what_executors_get(catalog, session, monkeypatch) -> None:
    whole = f"{catalog.name}.db.t"
    sent = list(sent_by_the_source(whole))
    # What the driver pickles by itself, of frames and of statements.
    dumps = cloudpickle.dumps

    def recorded(value, *given, **more):
        sent.append(dumps(value, *given, **more))
        return sent[-1]

    monkeypatch.setattr("pyspark.cloudpickle.dumps", recorded)
    before = len(sent)
    floeberg.spark.table(session, whole, reader="arrow").collect()
    floeberg.spark.write(session.createDataFrame(rows(4).to_pylist(), "id bigint, name string"), whole)
    floeberg.spark.sql(
        session, f"MERGE INTO {whole} t USING (SELECT 1L id) s ON t.id = s.id WHEN MATCHED THEN DELETE"
    )
    assert len(sent) > before + 1, "nothing was recorded"
    for secret in secrets_of(catalog):
        assert [number for number, each in enumerate(sent) if secret in each] == []


@pytest.fixture(scope="module")
def java_spark(tmp_path_factory) -> Iterator[Peer]:
    peer = start_java_spark(tmp_path_factory.mktemp("java-spark"))
    yield peer
    peer.stop()


def test_iceberg_in_spark_and_we_take_turns(java_spark) -> None:
    server = started("iceberg-rest")

    def run(text: str) -> list[list]:
        return java_spark("sql_rest", text=text, catalog="shared", uri=server.process.url)

    with fb.load_catalog("shared", **server.properties) as catalog:
        catalog.create_namespace_if_not_exists("turns")
        if catalog.table_exists("turns.t"):
            catalog.drop_table("turns.t")
        run(
            "CREATE TABLE shared.turns.t (id BIGINT, name STRING) USING iceberg "
            "TBLPROPERTIES ('format-version'='2', 'write.delete.mode'='merge-on-read')"
        )
        run("INSERT INTO shared.turns.t VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')")
        run("DELETE FROM shared.turns.t WHERE id = 2")
        table = catalog.load_table("turns.t")
        assert sorted(table.scan().to_arrow()["id"].to_pylist()) == [1, 3, 4]
        done = table.upsert(pa.table({"id": [3, 5], "name": ["upserted", "new"]}, SCHEMA), join_cols=["id"])
        assert (done.rows_updated, done.rows_inserted) == (1, 1)
        run("DELETE FROM shared.turns.t WHERE id = 4")
        table.append(rows(6))
        found = run("SELECT id, name FROM shared.turns.t ORDER BY id")
        assert found == [[1, "a"], [3, "upserted"], [5, "new"], [6, "n6"]]
        ours = table.refresh().scan().to_arrow().sort_by("id").to_pylist()
        assert [[row["id"], row["name"]] for row in ours] == found
        assert run("SELECT count(*) FROM shared.turns.t.snapshots") == [[len(table.snapshots())]]
