"""What travels between the driver, the planner and the workers: does it arrive, is it small, does it keep secrets?"""

from __future__ import annotations

import gc
import json
import os
import pickle
import shutil
import subprocess
import sys
import textwrap
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pyspark.sql.datasource as pyspark_source
import pyspark.sql.types as spark
import pytest
import zstandard
from pyspark import cloudpickle
from pyspark.sql.datasource import CaseInsensitiveDict, DataSource, DataSourceReader, InputPartition

import floeberg as fb
from floeberg.errors import NotFoundError
from floeberg.spark.datasource import FloebergDataSource
from floeberg.spark.read.reader import FilePartition, FloebergReader
from floeberg.spark.session.registration import _source
from forked import check_in_a_child
from lifecycle import loaded, options_of

SECRET = "hunter2hunter2"
KILOBYTE = 1024


@pytest.fixture
def copied(refs, tmp_path):
    """A copy of a table that a test may change, and the options that read it."""
    shutil.copytree(refs.folder / "table", tmp_path / "table")
    options = options_of(refs)
    relocate = options["relocate"].replace(str(refs.folder / "table"), str(tmp_path / "table"))
    return tmp_path / "table", {"path": str(tmp_path / "table"), "relocate": relocate}


def travellers(options):
    source, schema = loaded(options | {"s3.secret-access-key": SECRET})
    reader = source.reader(schema=schema)
    return [source, reader, *reader.partitions()]


@pytest.mark.parametrize("module", [pickle, cloudpickle], ids=["pickle", "cloudpickle"])
def test_everything_that_travels_arrives(refs, module):
    source, reader, *partitions = [module.loads(module.dumps(each)) for each in travellers(options_of(refs))]
    assert isinstance(source, DataSource) and isinstance(reader, DataSourceReader)
    assert all(isinstance(each, InputPartition) for each in partitions)
    rows = [row for each in partitions for batch in reader.read(each) for row in batch.to_pylist()]
    assert rows == refs.open().scan().to_arrow().to_pylist()
    # A source that was sent before its schema was asked for, and a reader that plans where it arrives.
    fresh = module.loads(module.dumps(FloebergDataSource(CaseInsensitiveDict(options_of(refs)), 3)))
    assert fresh.schema().names == ["id", "cat", "v"]
    assert len(reader.partitions()) == len(partitions)


def test_everything_that_travels_is_small(wide, refs):
    for case in (wide, refs):
        source, reader, *_ = travellers(options_of(case))
        for each in (source, reader):
            assert len(cloudpickle.dumps(each)) < 64 * KILOBYTE


def test_a_filter_of_ten_thousand_literals_does_not_bloat_what_travels(refs):
    numbers = ", ".join(map(str, range(10_000)))
    source, reader, *_ = travellers(options_of(refs, filter=f"id IN ({numbers})"))
    for each in (source, reader):
        assert len(cloudpickle.dumps(each)) < 64 * KILOBYTE


def test_nothing_that_travels_shows_a_secret(refs):
    everything = travellers(options_of(refs))
    for each in (*everything, everything[0]._request):
        assert SECRET not in repr(each) + str(each)
    # They do need it where they arrive.
    _, (recipe,) = pickle.loads(pickle.dumps(everything[2])).value.__reduce__()
    _, frame, body = recipe.partition(b"\x28\xb5\x2f\xfd")
    assert SECRET.encode() in zstandard.ZstdDecompressor().decompress(frame + body)


def test_what_is_registered_travels_and_brings_the_cores(refs):
    cls = cloudpickle.loads(cloudpickle.dumps(_source(7)))
    assert issubclass(cls, DataSource) and cls.name() == "floeberg"
    source = cls(options=CaseInsensitiveDict(options_of(refs)))
    assert isinstance(source, FloebergDataSource)
    assert pickle.loads(pickle.dumps(source))._parallelism == 7


def test_the_first_look_pins_the_snapshot(copied):
    folder, options = copied
    source, schema = loaded(options)
    unpinned = FloebergDataSource(CaseInsensitiveDict(options))
    newest = max((folder / "metadata").glob("*.metadata.json"))
    earlier = sorted((folder / "metadata").glob("*.metadata.json"))[1]
    # The table moves on: a newer metadata file, in which an earlier snapshot is current.
    newer = newest.with_name("00099" + newest.name[5:])
    newer.write_bytes(earlier.read_bytes())

    def rows(source):
        reader = source.reader(schema=schema)
        return sum(batch.num_rows for each in reader.partitions() for batch in reader.read(each))

    assert rows(source) == 9
    assert rows(pickle.loads(pickle.dumps(source))) == 9
    # A source whose schema the user gave is pinned by its reader.
    assert (
        rows(unpinned) == fb.open_table(newer, relocate=json.loads(options["relocate"])).scan().count() != 9
    )
    newer.unlink()
    with pytest.raises(NotFoundError, match="load the table again"):
        unpinned.reader(schema=schema)


def test_planning_opens_no_data_file(copied):
    folder, options = copied
    expected = [str(each.value) for each in travellers(options)[2:]]
    shutil.rmtree(folder / "data")
    source, reader, *partitions = travellers(options)
    assert [str(each.value) for each in partitions] == expected
    with pytest.raises(NotFoundError):
        list(reader.read(partitions[0]))
    reader = source.reader(schema=spark.StructType().add("v", "integer"))
    assert len(reader.partitions()) == len(partitions)


def test_a_worker_opens_no_metadata(copied):
    folder, options = copied
    _, reader, *partitions = travellers(options)
    packed = [pickle.dumps(each) for each in (reader, *partitions)]
    shutil.rmtree(folder / "metadata")
    reader, *partitions = map(pickle.loads, packed)
    assert sum(batch.num_rows for each in partitions for batch in reader.read(each)) == 9


@pytest.mark.parametrize("make", ["writer", "streamWriter"])
def test_a_task_that_writes_opens_no_metadata(tmp_path, monkeypatch, make):
    if make == "streamWriter" and not hasattr(pyspark_source, "DataSourceStreamArrowWriter"):
        pytest.skip("PySpark 4.0 gives writers of streams no Arrow batches")
    monkeypatch.setenv("SPARK_LOCAL_DIRS", str(tmp_path / "local"))
    catalog = fb.load_catalog("travel", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    table = catalog.create_table("db.t", pa.schema({"id": pa.int64()}))
    source = FloebergDataSource(CaseInsensitiveDict({"path": table.location()}))
    writer = getattr(source, make)(spark.StructType().add("id", "long"), overwrite=False)
    packed = pickle.dumps(writer)
    metadata = Path(table.location().removeprefix("file://")) / "metadata"
    metadata.rename(tmp_path / "away")
    message = pickle.loads(packed).write(iter([pa.record_batch({"id": [1, 2]})]))
    assert message.receipt.rows == 2
    (tmp_path / "away").rename(metadata)
    if make == "writer":
        # It is sent to the process that commits, too.
        pickle.loads(packed).commit([message])
        assert table.refresh().scan().count() == 2


def test_an_empty_table_is_one_partition_without_rows(empty):
    source, schema = loaded(options_of(empty))
    reader = source.reader(schema=schema)
    (partition,) = reader.partitions()
    assert list(reader.read(pickle.loads(pickle.dumps(partition)))) == []
    nothing = loaded(options_of(empty, filter="id = 1"))[0].reader(schema=schema)
    assert len(nothing.partitions()) == 1


def test_files_are_packed_into_few_partitions(many):
    plan = many.open().scan().plan_files()
    assert len(plan) == 40
    source, schema = loaded(options_of(many), parallelism=2)
    assert 1 <= len(source.reader(schema=schema).partitions()) <= 16
    for most in (1, 3):
        source, schema = loaded(options_of(many, partitions=str(most)))
        reader = source.reader(schema=schema)
        assert sum(batch.num_rows for each in reader.partitions() for batch in reader.read(each)) == 40
        assert 1 <= len(reader.partitions()) <= most
    source, schema = loaded(options_of(many, split_size="1"))
    assert len(source.reader(schema=schema).partitions()) == 40


def test_the_size_of_partitions_is_what_the_table_says_unless_an_option_says_it(copied):
    folder, options = copied
    newest = max((folder / "metadata").glob("*.metadata.json"))
    written = json.loads(newest.read_text())
    written.setdefault("properties", {})["read.split.target-size"] = "1"
    newest.write_text(json.dumps(written))
    for option, partitions in (({}, 3), ({"split-size": str(2**30)}, 1)):
        source, schema = loaded(options | option)
        assert len(source.reader(schema=schema).partitions()) == partitions


def test_planning_makes_no_python_object_per_file(many, refs):
    def blocks(case):
        source, schema = loaded(options_of(case, partitions="1"))
        reader = source.reader(schema=schema)
        reader.partitions()
        tracemalloc.start()
        (partition,) = reader.partitions()
        taken = tracemalloc.take_snapshot()
        tracemalloc.stop()
        return len(partition.value), sum(each.count for each in taken.statistics("filename"))

    (few, least), (more, most) = blocks(refs), blocks(many)
    assert (few, more) == (3, 40)
    assert abs(most - least) < 10


def test_the_metadata_file_is_read_once_where_the_reader_is_made_and_again_where_it_is_sent(copied):
    folder, options = copied
    source, schema = loaded(options)
    reader = source.reader(schema=schema)
    packed = pickle.dumps(reader)
    max((folder / "metadata").glob("*.metadata.json")).unlink()
    assert len(reader.partitions()) == 1
    with pytest.raises(NotFoundError, match="load the table again"):
        pickle.loads(packed).partitions()


def test_a_limit_is_kept_by_each_partition(many):
    from floeberg.spark.read.options import scan_token
    from floeberg.spark.read.scan_request import scan_bytes

    token = scan_token(scan_bytes(many.open().scan(limit=3)))
    source, schema = loaded({"scan-token": token, "partitions": "1"})
    reader = source.reader(schema=schema)
    (partition,) = reader.partitions()
    assert sum(batch.num_rows for batch in reader.read(partition)) == 3


@pytest.mark.parametrize(
    ("options", "environment", "expected"), [({}, None, 1), ({"threads": "3"}, None, 3), ({}, "2", None)]
)
def test_a_task_has_one_thread_unless_it_is_told(many, monkeypatch, options, environment, expected):
    source, schema = loaded(options_of(many, partitions="1", **options))
    reader = source.reader(schema=schema)
    (partition,) = reader.partitions()
    asked = []

    class Watched:
        def __getattr__(self, name):
            return getattr(partition.value, name)

        def stream(self, form, threads):
            asked.append(threads)
            return partition.value.stream(form, threads)

    monkeypatch.delenv("FLOEBERG_THREADS", raising=False)
    if environment is not None:
        monkeypatch.setenv("FLOEBERG_THREADS", environment)
    assert sum(batch.num_rows for batch in reader.read(FilePartition(Watched()))) == 40
    assert asked == [expected]


def test_a_reader_that_is_dropped_stops(many):
    source, schema = loaded(options_of(many))
    reader = source.reader(schema=schema)
    rows = reader.read(reader.partitions()[0])
    next(rows)
    del rows
    gc.collect()


def test_filters_are_never_pushed_down():
    # Up to Spark 4.3 a pushed filter leaks into other scans of the same DataFrame, and a reader that has the method
    # fails where pushing is off, which is the default.
    assert FloebergReader.pushFilters is DataSourceReader.pushFilters


@pytest.mark.skipif(os.name != "posix", reason="forks are POSIX")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_plans_and_reads_what_its_parent_has_read(deletes):
    source, schema = loaded(options_of(deletes))

    def rows():
        reader = source.reader(schema=schema)
        return sum(batch.num_rows for each in reader.partitions() for batch in reader.read(each))

    assert rows() == 23
    check_in_a_child(lambda: rows() == 23)


class TestAPythonWithoutFloeberg:
    """What arrives there says what to do."""

    PROGRAM = """
    import importlib.abc, pickle, sys
    class Hidden(importlib.abc.MetaPathFinder):
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] == sys.argv[2]:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    sys.meta_path.insert(0, Hidden())
    with open(sys.argv[1], "rb") as file:
        try:
            found = pickle.load(file)
            if isinstance(found, type):
                found(options={})
        except ImportError as error:
            print(error)
    """

    @pytest.mark.parametrize("hidden", ["floeberg", "pyarrow"])
    @pytest.mark.parametrize("what", ["class", "source", "reader"])
    def test_says_what_to_do(self, refs, tmp_path, hidden, what):
        source, reader, *_ = travellers(options_of(refs))
        value = {"class": _source(2), "source": source, "reader": reader}[what]
        (tmp_path / "sent").write_bytes(cloudpickle.dumps(value))
        command = [sys.executable, "-c", textwrap.dedent(self.PROGRAM), tmp_path / "sent", hidden]
        told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        assert f"Spark runs its Python workers with {sys.executable} (Python 3." in told.stdout, told.stderr
        assert f"cannot import Floeberg: No module named '{hidden}'" in told.stdout
        assert "pip install 'floeberg[spark]'" in told.stdout
        assert "PYSPARK_PYTHON" in told.stdout and "spark.archives" in told.stdout


def test_the_module_that_spark_looks_for_imports_nothing_large_and_never_raises():
    program = """
    import sys
    sys.modules["floeberg"] = sys.modules["pyarrow"] = None
    import pyspark_floeberg
    from pyspark.sql.datasource import DataSource
    source = pyspark_floeberg.DefaultSource
    assert issubclass(source, DataSource) and source.name() == "floeberg"
    del sys.modules["pyspark_floeberg"]
    for name in [name for name in sys.modules if name.startswith("pyspark")]:
        sys.modules[name] = None
    import pyspark_floeberg
    print(hasattr(pyspark_floeberg, "DefaultSource"))
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    assert subprocess.check_output(command, text=True, timeout=60) == "False\n"


def test_the_module_that_spark_looks_for_makes_the_source(refs):
    import pyspark_floeberg

    source = pyspark_floeberg.DefaultSource(options=CaseInsensitiveDict(options_of(refs)))
    assert source.schema().names == ["id", "cat", "v"]
    assert Path(pyspark_floeberg.__file__).parent == Path(fb.__file__).parent.parent
