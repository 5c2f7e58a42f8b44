"""Does Spark read files of other schemes by itself where its Hadoop has them, and only where they are the same?

The store is Floeberg's, in the memory of this process; Spark's file system for its scheme is Hadoop's view of a folder,
which has a copy of its files.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import floeberg as fb
from floeberg import _native
from floeberg.errors import UnsupportedError
from floeberg.spark.native.file_systems import FileSystems, hadoop_of
from floeberg.spark.native.proof import Unproven
from test_native import ids, is_native, plan_of

SECRET = "hunter2hunter2"
IMPL = "fs.memory.impl"
VIEW = "org.apache.hadoop.fs.viewfs.ViewFileSystemOverloadScheme"
ROWS = pa.schema({"id": pa.int64(), "part": pa.string()})
GIVEN = "the table was opened with storage options, and Spark is given none"


@dataclass
class Fake:
    """Some file systems that have any file, of ten bytes."""

    schemes: tuple[str, ...]
    asked: list[str] = field(default_factory=list)

    def has(self, scheme: str) -> bool:
        self.asked.append(scheme)
        return scheme in self.schemes

    def size_of(self, path: str) -> int:
        self.asked.append(path)
        if "denied" in path:
            raise Unproven("denied")
        return 10


@pytest.mark.parametrize(
    ("schemes", "location", "path"),
    [
        (("s3a",), "s3a://b/k/f.parquet", "s3a://b/k/f.parquet"),
        (("s3a",), "s3://b/k/f.parquet", "s3a://b/k/f.parquet"),
        (("s3a",), "S3://b/f", "s3a://b/f"),
        (("s3a",), "s3n://b/f", "s3a://b/f"),
        (("s3", "s3a"), "s3://b/f", "s3://b/f"),
        (("s3",), "s3a://b/f", "s3://b/f"),
        (("gs",), "gs://b/f", "gs://b/f"),
        (("abfss",), "abfss://c@a.dfs.core.windows.net/f", "abfss://c@a.dfs.core.windows.net/f"),
        (("hdfs",), "hdfs://host:8020/f", "hdfs://host:8020/f"),
        (("s3a",), "s3://b/a%20b/c d/part=1/{x}*?[y]#z", "s3a://b/a%20b/c d/part=1/{x}*?[y]#z"),
        ((), "/x/f.parquet", "file:///x/f.parquet"),
        ((), "file:/x/f.parquet", "file:///x/f.parquet"),
    ],
)
def test_locations_as_spark_takes_them(schemes: tuple[str, ...], location: str, path: str) -> None:
    assert FileSystems(Fake(schemes)).path(location) == path


@pytest.mark.parametrize(
    ("location", "why"),
    [
        ("gs://b/f", "Spark has no file system for 'gs'"),
        ("s3:/b/f", "Hadoop does not take such a location of 's3'"),
        ("s3:///f", "Hadoop does not take such a location of 's3'"),
        ("s3://b/", "Hadoop does not take such a location of 's3'"),
        ("s3://key@b/f", "Hadoop does not take such a location of 's3'"),
        (f"s3://key:{SECRET}@b/f", "Hadoop does not take such a location of 's3'"),
        (f"abfss://c:{SECRET}@b/f", "the location has a password"),
        (f"https://b/f?signature={SECRET}", "Floeberg reads 'https' itself"),
        ("s3://b//f", "Hadoop takes empty names out of a path"),
        ("s3://b/x//f", "Hadoop takes empty names out of a path"),
        ("s3://b/x/../f", "the path leads upwards"),
        ("s3://b/x/_f", "Spark skips files of such a name"),
        ("s3://b/x/a:b", "Hadoop does not take such a path"),
        ("s3://b/ümlaut/f", "Hadoop does not take such a path"),
        ("s3://b/x\\f", "Hadoop does not take such a path"),
    ],
)
def test_locations_that_spark_is_not_given(location: str, why: str) -> None:
    with pytest.raises(Unproven) as refused:
        FileSystems(Fake(("s3", "abfss", "https"))).path(location)
    assert str(refused.value) == why


@pytest.mark.parametrize(
    ("option", "is_given"),
    [
        ("s3.access-key-id", True),
        ("s3.endpoint", True),
        ("s3.anonymous", True),
        ("s3.signer", True),
        ("AWS_SECRET_ACCESS_KEY", True),
        ("AWS_ENDPOINT_URL", True),
        ("gcs.oauth2.token", True),
        ("storage-options.provider", True),
        ("anything", True),
        ("s3.region", False),
        ("AWS_REGION", False),
        ("client.region", False),
        ("io.retries", False),
        ("s3.request-timeout", False),
        ("s3.path-style-access", False),
    ],
)
def test_options_that_keep_files_from_spark(option, is_given) -> None:
    hadoop = Fake(("s3",))
    chosen = FileSystems(hadoop, [option])
    if is_given:
        with pytest.raises(Unproven, match=re.escape(GIVEN)):
            chosen.path("s3://b/f")
        assert not hadoop.asked
    else:
        assert chosen.path("s3://b/f") == "s3://b/f"
    assert chosen.path("/x/f") == "file:///x/f"
    assert FileSystems(hadoop, [option], insisted=True).path("s3://b/f") == "s3://b/f"


def test_a_session_that_does_not_tell() -> None:
    with pytest.raises(Unproven, match="Spark Connect does not say whether it opens 's3'"):
        FileSystems(None).path("s3://b/f")
    assert FileSystems(None).path("/x/f") == "file:///x/f"


def test_a_bucket_is_asked_for_once() -> None:
    hadoop = Fake(("s3",))
    chosen = FileSystems(hadoop)
    for number in range(5):
        path = chosen.path(f"s3://b/{number}")
        assert chosen.fault(path, 10) is None
    assert hadoop.asked == ["s3", "s3://b/0"]
    assert chosen.fault("s3://denied/0", 10) == "denied"
    assert chosen.fault("s3://other/0", 11) == "Spark's file system for 's3' has another file in its place"
    assert chosen.fault("file:///x/0", 11) is None


@dataclass
class Store:
    """A warehouse in memory, and the folder that Spark's file system shows as it."""

    name: str
    folder: Path
    catalog: fb.catalog.Catalog

    def table(self, name: str = "t") -> fb.Table:
        if ("db",) not in self.catalog.list_namespaces():
            self.catalog.create_namespace("db")
        return self.catalog.create_table(f"db.{name}", ROWS)

    def copy(self, table: fb.Table) -> list[Path]:
        """Copies the data files of a table to where Spark looks."""
        places = []
        for task in table.scan().plan_files():
            place = self.folder / task.file.location.removeprefix(f"memory://{self.name}/")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(bytes(_native.read_file(task.file.location, storage_options={})))
            places.append(place)
        return places


@pytest.fixture
def store(spark: SparkSession, tmp_path: Path) -> Iterator[Callable[..., Store]]:
    """Makes stores, which Spark has unless it is told otherwise."""
    hadoop, made = spark.sparkContext._jsc.hadoopConfiguration(), []

    def new(folder: str = "w", *, impl: str | None = VIEW) -> Store:
        name = f"m{uuid.uuid4().hex}"
        settings = {
            f"fs.viewfs.mounttable.{name}.link./{folder}": (tmp_path / folder).as_uri(),
            # A file system is otherwise kept as it was made first.
            f"{IMPL}.disable.cache": "true",
        }
        for key, value in (settings | ({IMPL: impl} if impl else {})).items():
            hadoop.set(key, value)
            made.append(key)
        (tmp_path / folder).mkdir(exist_ok=True)
        catalog = fb.load_catalog(name, type="filesystem", warehouse=f"memory://{name}/{folder}")
        return Store(name, tmp_path, catalog)

    yield new
    for key in made:
        hadoop.unset(key)


def rows(*numbers: int) -> pa.Table:
    return pa.Table.from_pylist([{"id": each, "part": f"p{each % 3}"} for each in numbers], ROWS)


def reasons(table: fb.Table, spark: SparkSession) -> list[tuple[str, str]]:
    return [(each.reader, each.reason) for each in table.scan().explain(spark=spark).lanes]


def test_spark_reads_what_it_has_a_file_system_for(store, spark) -> None:
    kept = store()
    table = kept.table()
    table.append(rows(*range(100)))
    table.append(rows(*range(100, 150)))
    table.delete("id IN (3, 13, 149)", mode="merge-on-read")
    kept.copy(table)
    before = dict(spark.conf.getAll)
    scan = table.scan(row_filter="id < 120", selected_fields=("*", "_pos", "_file"))
    frame = scan.to_spark(spark)
    assert is_native(frame)
    assert f"memory://{kept.name}/w/" in plan_of(frame)
    found = sorted(tuple(row) for row in frame.collect())
    assert found == sorted(tuple(row.values()) for row in scan.to_arrow().to_pylist())
    assert ids(frame.where("part = 'p1' AND id > 90")) == [each for each in range(91, 120) if each % 3 == 1]
    assert dict(spark.conf.getAll) == before


@pytest.mark.parametrize("folder", ["a b", "100%", "a%20b", "{x,y}[z]*", "part=7", "_under", "a#b;c"])
def test_folders_of_a_store(store, spark, folder: str) -> None:
    kept = store()
    catalog = fb.load_catalog("odd", type="filesystem", warehouse=f"memory://{kept.name}/w/{folder}")
    table = Store(kept.name, kept.folder, catalog).table()
    table.append(rows(1, 2, 3))
    kept.copy(table)
    frame = table.scan().to_spark(spark)
    assert is_native(frame)
    assert sorted(map(tuple, frame.collect())) == [(1, "p1"), (2, "p2"), (3, "p0")]


def test_what_spark_does_not_have_is_ours(store, spark) -> None:
    kept = store(impl=None)
    table = kept.table()
    table.append(rows(1))
    assert reasons(table, spark) == [("arrow", "Spark has no file system for 'memory'")]
    with pytest.raises(UnsupportedError, match="Spark has no file system for 'memory'"):
        table.scan().to_spark(spark, reader="native")
    # A setting of the session counts, as it does for Spark.
    kept.copy(table)
    spark.conf.set(IMPL, VIEW)
    try:
        frame = table.scan().to_spark(spark, reader="native")
        assert ids(frame) == [1]
    finally:
        spark.conf.unset(IMPL)
    assert reasons(table, spark) == [("arrow", "Spark has no file system for 'memory'")]


def test_files_that_spark_does_not_find_are_ours(store, spark) -> None:
    kept = store()
    table = kept.table()
    table.append(rows(1, 2))
    why = "Spark's file system for 'memory' does not open the file: FileNotFoundException"
    assert reasons(table, spark) == [("arrow", why)]
    (place,) = kept.copy(table)
    assert reasons(table, spark)[0][0] == "native"
    place.write_bytes(place.read_bytes()[:-1])
    why = "Spark's file system for 'memory' has another file in its place"
    assert reasons(table, spark) == [("arrow", why)]


def test_a_file_system_that_fails_is_told_by_its_kind_alone(store, spark, monkeypatch) -> None:
    kept = store(impl="org.apache.hadoop.fs.RawLocalFileSystem")
    table = kept.table()
    table.append(rows(1))
    why = "Spark's file system for 'memory' does not open the file: IllegalArgumentException"
    assert reasons(table, spark) == [("arrow", why)]
    # It is remembered as long as the settings are the same.
    hadoop = hadoop_of(spark)
    monkeypatch.setattr(hadoop, "_jvm", None)
    with pytest.raises(Unproven, match="IllegalArgumentException"):
        hadoop.size_of(f"memory://{kept.name}/other")
    spark.sparkContext._jsc.hadoopConfiguration().set(IMPL, VIEW)
    kept.copy(table)
    assert ids(table.scan().to_spark(spark, reader="native")) == [1]


def test_files_with_options_are_ours_unless_the_user_says_otherwise(store, spark) -> None:
    kept = store()
    made = kept.table()
    made.append(rows(1, 2))
    kept.copy(made)
    table = fb.open_table(made.metadata_location, storage_options={"s3.secret-access-key": SECRET})
    assert reasons(table, spark) == [("arrow", GIVEN)]
    frame = table.scan().to_spark(spark, reader="native")
    assert ids(frame) == [1, 2]
    assert SECRET not in plan_of(frame)
    own = frame._jdf.queryExecution().sparkPlan().toString()
    shown = [own, *dict(spark.conf.getAll).values(), *map(str, table.scan().explain(spark=spark).lanes)]
    assert SECRET not in "".join(shown)
