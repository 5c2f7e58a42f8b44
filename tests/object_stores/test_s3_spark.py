"""Does Spark read tables in S3 by a connector of its own, with the rows that Floeberg reads?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator

import pyarrow as pa
import pytest
from emulators import BUCKET, Emulator
from pyspark.sql import DataFrame, SparkSession
from spark_in_s3 import HADOOP, SECRET, connector, started

import floeberg as fb
import floeberg.spark
from floeberg import _native
from test_native import ids, is_native, plan_of

# The connector is downloaded once, and Spark starts slowly with it.
pytestmark = pytest.mark.timeout(900)

ROWS = pa.schema({"id": pa.int64(), "part": pa.string(), "v": pa.float64()})


@pytest.fixture(scope="module")
def spark(server: Emulator, tmp_path_factory) -> Iterator[SparkSession]:
    """A session with the connector."""
    session = started(tmp_path_factory.mktemp("spark"), connector(), server.url)
    hadoop = session._jvm.org.apache.hadoop.util.VersionInfo.getVersion()
    assert hadoop == HADOOP, "this PySpark needs another connector"
    yield session
    session.stop()


@pytest.fixture
def make() -> Callable[..., fb.Table]:
    """Makes tables of a few files in a new folder of the bucket."""

    def table(scheme: str = "s3", version: int = 2) -> fb.Table:
        warehouse = f"{scheme}://{BUCKET}/{uuid.uuid4().hex}"
        catalog = fb.load_catalog("spark", type="filesystem", warehouse=warehouse)
        catalog.create_namespace("db")
        made = catalog.create_table("db.t", ROWS, partition_spec=["part"], format_version=version)
        made.append(rows(*range(60)))
        made.append(rows(*range(60, 100)))
        return made

    return table


def rows(*numbers: int) -> pa.Table:
    data = [
        {"id": each, "part": f"p {each % 3}=%", "v": float("nan") if each % 7 == 0 else each / 4}
        for each in numbers
    ]
    return pa.Table.from_pylist(data, ROWS)


def same(scan: fb.Scan, spark: SparkSession) -> DataFrame:
    """Holds the lanes against each other and against a read without Spark; gives Spark's own."""
    native = scan.to_spark(spark, reader="native")
    assert is_native(native)
    assert is_native(scan.to_spark(spark))
    expected = sorted(map(repr, scan.to_arrow().to_pylist()))
    assert expected
    ours = scan.to_spark(spark, reader="arrow")
    assert not is_native(ours)
    for frame in (native, ours):
        assert sorted(repr(row.asDict(recursive=True)) for row in frame.collect()) == expected
    return native


@pytest.mark.parametrize("scheme", ["s3", "s3a", "s3n"])
def test_both_lanes_give_the_same_rows(make, spark, scheme: str) -> None:
    table = make(scheme)
    frame = same(table.scan(), spark)
    # The one name for which Hadoop has a file system.
    assert f"s3a://{BUCKET}/" in "".join(frame.inputFiles())
    same(table.scan(row_filter="id < 70 AND v > 3", selected_fields=("v", "id", "_pos", "_partition")), spark)
    assert ids(frame.where("part = 'p 1=%' AND id > 90")) == [91, 94, 97]
    assert [(each.reader, each.files) for each in table.scan().explain(spark=spark).lanes] == [("native", 6)]


@pytest.mark.parametrize("version", [2, 3], ids=["positions", "vectors"])
def test_deleted_rows_are_left_out(make, spark, version: int) -> None:
    table = make(version=version)
    gone = {0, 1, 59, 60, 99}
    table.delete("id IN (0, 1, 59, 60, 99)", mode="merge-on-read")
    assert table.scan().plan_files().delete_files()
    assert ids(same(table.scan(), spark)) == [each for each in range(100) if each not in gone]
    same(table.scan(selected_fields=("id", "_deleted", "_file")), spark)


@pytest.mark.unchecked_tables("a data file is removed")
@pytest.mark.parametrize("refresh", [False, True])
def test_a_file_that_is_gone_is_an_error(make, spark, *, refresh: bool) -> None:
    table = make()
    frame = table.scan().to_spark(spark, reader="native")
    frame.createOrReplaceTempView("in_s3")
    assert ids(frame) == list(range(100))
    name = next(iter(table.scan().plan_files())).file.location
    _native.remove_files([name], storage_options={})
    if refresh:
        spark.sql("REFRESH TABLE in_s3")
    with pytest.raises(Exception, match=name.rpartition("/")[2]):
        spark.sql("SELECT count(v) FROM in_s3").collect()
    with pytest.raises(Exception, match=name.rpartition("/")[2]):
        frame.collect()


def test_nothing_that_is_shown_has_a_secret(make, spark, capfd) -> None:
    table = make()
    scan = table.scan()
    frame = scan.to_spark(spark)
    assert is_native(frame)
    frame.explain(extended=True)
    mixed = scan.to_spark(spark, reader="arrow")
    mixed.explain(extended=True)
    explained = scan.explain(spark=spark)
    shown = [*capfd.readouterr(), plan_of(frame), plan_of(mixed), str(explained), repr(explained)]
    assert "Parquet" in shown[0]
    for secret in (SECRET, os.environ["AWS_SECRET_ACCESS_KEY"], os.environ["AWS_ACCESS_KEY_ID"]):
        assert secret not in "".join(shown)


def test_tables_with_keys_of_their_own_are_ours_unless_the_user_insists(make, spark, server) -> None:
    made = make()
    keys = {"s3.access-key-id": "other", "s3.secret-access-key": SECRET, "s3.endpoint": server.url}
    table = fb.open_table(made.metadata_location, storage_options=keys)
    (lane,) = table.scan().explain(spark=spark).lanes
    assert (lane.reader, lane.reason) == (
        "arrow",
        "the table was opened with storage options, and Spark is given none",
    )
    assert ids(table.scan().to_spark(spark)) == list(range(100))
    insisted = table.scan().to_spark(spark, reader="native")
    assert ids(insisted) == list(range(100))
    assert SECRET not in plan_of(insisted)


def test_a_bucket_that_the_connector_cannot_open_is_ours(make, spark) -> None:
    table = make()
    key = f"fs.s3a.bucket.{BUCKET}.endpoint"
    settings = {
        key: "http://127.0.0.1:9",
        "fs.s3a.attempts.maximum": "1",
        "fs.s3a.retry.limit": "0",
        "fs.s3a.impl.disable.cache": "true",
    }
    for name, value in settings.items():
        spark.conf.set(name, value)
    try:
        (lane,) = table.scan().explain(spark=spark).lanes
        assert lane.reader == "arrow"
        assert lane.reason.startswith("Spark's file system for 's3a' does not open the file: ")
        assert ids(table.scan().to_spark(spark)) == list(range(100))
    finally:
        for name in settings:
            spark.conf.unset(name)


WITHOUT = """
import json, sys
import floeberg as fb, floeberg.spark
from pathlib import Path
from spark_in_s3 import started
from floeberg.errors import UnsupportedError

place, url, location = sys.argv[1:]
spark = started(Path(place), [], url)
scan = fb.open_table(location).scan()
told = {"lanes": [(each.reader, each.reason, each.files) for each in scan.explain(spark=spark).lanes]}
told["ids"] = sorted(row.id for row in scan.to_spark(spark).collect())
try:
    scan.to_spark(spark, reader="native")
except UnsupportedError as error:
    told["error"] = str(error)
print(json.dumps(told), flush=True)
"""


def test_a_spark_without_the_connector(make, server: Emulator, tmp_path) -> None:
    table = make()
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", WITHOUT, str(tmp_path), server.url, table.metadata_location],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-5000:]
    told = json.loads(ran.stdout.splitlines()[-1])
    assert told["lanes"] == [["arrow", "Spark has no file system for 's3'", 6]]
    assert told["ids"] == list(range(100))
    assert told["error"] == "Spark's own reader cannot read 6 of 6 files: Spark has no file system for 's3'"
