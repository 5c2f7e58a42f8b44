"""Lance tables through PySpark: every form, with rows read in workers."""

from __future__ import annotations

import json
import subprocess
import sys

import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException, PySparkException

import floeberg as fb
from corpus import lance_cases, lance_lent
from floeberg import errors


def load(spark, case, schema=None, **options):
    settings = {"path": str(case.location), "relocate": json.dumps(case.relocate), **options}
    reader = spark.read.format("floeberg").options(**settings)
    return (reader if schema is None else reader.schema(schema)).load()


def rows(frame):
    return [row.asDict(recursive=True) for row in frame.collect()]


def plain(table: pa.Table):
    """The rows as Spark gives them."""

    def value(each):
        if isinstance(each, list) and each and isinstance(each[0], tuple):
            return dict(each)
        return [value(part) for part in each] if isinstance(each, list) else each

    return [{name: value(each) for name, each in row.items()} for row in table.to_pylist()]


@pytest.mark.parametrize(
    "role",
    ["lance", "lance_stable", "lance_many", "lance_kinds", "lance_tags", "lance_empty", "lance_bitmap"],
)
def test_rows_are_those_of_python(spark, role):
    case = lance_lent(role)
    frame = load(spark, case)
    assert sorted(rows(frame), key=repr) == sorted(plain(case.open().scan().to_arrow()), key=repr)
    assert frame.count() == case.expected["row_count"]
    assert [each.nullable for each in frame.schema] == [each.nullable for each in case.open().schema()]


def test_nested_columns_arrive(spark):
    case = lance_lent("lance_nested")
    table = case.open().scan().to_arrow()
    found = {row["id"]: row for row in rows(load(spark, case))}
    for row in plain(table):
        told = found[row["id"]]
        # A map is a dictionary in Spark, also where it is empty.
        assert told | {"m": None} == row | {"m": None}
        assert told["m"] == (None if row["m"] is None else dict(row["m"]))


def test_every_type_that_spark_has_arrives(spark):
    case = lance_lent("lance_types")
    refused = []
    for each in case.open().schema():
        if each.name in {"ts_ns", "t64", "d256"}:
            with pytest.raises(PySparkException, match=f"column '{each.name}'.*leave it out"):
                load(spark, case, columns=json.dumps(["id", each.name]))
            refused.append(each.name)
            continue
        frame = load(spark, case, columns=json.dumps(["id", each.name]))
        found = {row["id"]: row[each.name] for row in rows(frame)}
        assert len(found) == case.expected["row_count"]
        wanted = {row["id"]: row[each.name] for row in case.open().scan().to_arrow().to_pylist()}
        if each.name in {
            "s",
            "ls",
            "dict",
            "bin",
            "lbin",
            "fsb",
            "b",
            "i8",
            "u16",
            "u32",
            "u64",
            "date",
            "d128",
        }:
            assert {key: found[key] for key in wanted} == wanted, each.name
    assert len(refused) == 3


def test_options_choose_versions_columns_and_rows(spark):
    case = lance_lent("lance")
    assert load(spark, case, version="1").columns == case.open(version=1).schema().names
    frame = load(spark, case, columns='["label", "id", "_rowaddr"]', filter="id < 20 AND label = 'l1'")
    wanted = case.open().scan("id < 20 AND label = 'l1'", ("label", "id", "_rowaddr")).to_arrow()
    assert sorted(rows(frame), key=repr) == sorted(wanted.to_pylist(), key=repr)
    assert frame.dtypes == [("id", "bigint"), ("label", "string"), ("_rowaddr", "bigint")]
    branches = lance_lent("lance_branches")
    for name, told in branches.expected["branches"].items():
        assert load(spark, branches, branch=name).count() == told["versions"][-1]["row_count"]
    for name, told in branches.expected["tags"].items():
        found = load(spark, branches, tag=name).count()
        assert found == branches.open(tag=name).scan().count(), (name, told)
    assert load(spark, case, partitions="3").rdd.getNumPartitions() >= 2


def test_a_schema_chooses_columns_in_any_order(spark):
    case = lance_lent("lance")
    frame = load(spark, case, schema="label string, id bigint")
    assert frame.columns == ["label", "id"] and frame.count() == 29
    assert frame.orderBy("id").first().asDict() == {"label": "l0", "id": 0}
    for schema, reason in (("nope string", "no column 'nope'"), ("id string", "expected bigint")):
        with pytest.raises(PySparkException, match=reason):
            load(spark, case, schema=schema).collect()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"snapshot-id": "5"}, "Lance tables have no snapshots"),
        ({"version": "99"}, "no version 99"),
        ({"tag": "gone"}, "no tag"),
        ({"version": "1", "tag": "x"}, "exclude each other"),
        ({"columns": '["nope"]'}, "nope"),
    ],
)
def test_wrong_options_are_told(spark, options, reason):
    with pytest.raises((AnalysisException, PySparkException), match=reason):
        load(spark, lance_lent("lance"), **options).collect()


def test_a_version_is_refused_for_iceberg(spark, refs):
    with pytest.raises(PySparkException, match="Iceberg tables have no versions"):
        spark.read.format("floeberg").option("version", "1").load(str(refs.metadata_file)).collect()


def test_a_scan_becomes_a_frame_and_stays_at_its_version(spark):
    case = lance_lent("lance")
    scan = case.open(version=5).scan("id > 3", ("id",), limit=4)
    frame = scan.to_spark(spark)
    assert frame.count() == 4 and frame.columns == ["id"]
    whole = case.open(version=5).scan("id > 3", ("id",))
    assert sorted(row.id for row in whole.to_spark(spark, partitions=2).collect()) == sorted(
        whole.to_arrow()["id"].to_pylist()
    )
    with pytest.raises(errors.InvalidInputError, match="partitions"):
        whole.to_spark(spark, partitions="x")


def test_files_that_cannot_be_read_say_so_in_the_task(spark):
    with pytest.raises(PySparkException, match=r"version 0\.1 cannot be read"):
        load(spark, lance_lent("lance_legacy"), columns='["id"]').collect()


DRIVER = """
import sys
from pyspark.sql.datasource import CaseInsensitiveDict
from floeberg.spark.datasource import FloebergDataSource
source = FloebergDataSource(CaseInsensitiveDict({{"path": {path!r}, "columns": '["id"]'}}))
schema = source.schema()
reader = source.reader(schema)
partitions = reader.partitions()
print(len(partitions), "lance" in sys.modules)
sys.modules["lance"] = None
import pickle
try:
    list(pickle.loads(pickle.dumps(reader)).read(pickle.loads(pickle.dumps(partitions[0]))))
except Exception as error:
    print(type(error).__name__, "pip install 'floeberg[lance]'" in str(error))
"""


def test_a_driver_plans_without_pylance_and_a_worker_without_it_says_so():
    code = DRIVER.format(path=str(lance_lent("lance").location))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["1 False", "NotInstalledError True"], done.stderr


def test_every_case_has_its_rows(spark):
    for case in lance_cases():
        if case.name == lance_lent("lance_legacy").name:
            continue
        names = [each.name for each in case.open().schema() if "." not in each.name][:3]
        frame = load(spark, case, columns=json.dumps(names), **{"truncate-nanoseconds": "true"})
        assert frame.count() == case.expected["row_count"], case.name
        assert isinstance(fb.open_table(case.location), fb.LanceTable)


def test_a_lance_table_is_named_as_other_tables_are(spark, tmp_path):
    import floeberg.spark

    table = fb.lance.create_table(f"{tmp_path}/t", pa.table({"k": [1, 2, 3]}))
    table.create_tag("first")
    table.create_branch("dev")
    table.append(pa.table({"k": [4]}))
    place = table.location
    assert floeberg.spark.table(spark, place).count() == 4
    assert floeberg.spark.table(spark, table, filter="k > 2", columns=("k",)).count() == 2
    assert floeberg.spark.table(spark, place, tag="first").count() == 3
    assert floeberg.spark.table(spark, place, branch="dev").count() == 3
    floeberg.spark.create_view(spark, "lance_view", place)
    table.append(pa.table({"k": [5]}))
    assert spark.sql("SELECT max(k) AS k FROM lance_view").collect()[0].k == 4
    floeberg.spark.create_view(spark, "lance_view", place)
    assert floeberg.spark.sql(spark, "SELECT max(k) AS k FROM lance_view").collect()[0].k == 5
    for option in ({"snapshot_id": 1}, {"reader": "native"}, {"planning": "distributed"}):
        with pytest.raises(errors.UnsupportedError):
            floeberg.spark.table(spark, place, **option)
    with pytest.raises(errors.InvalidInputError):
        floeberg.spark.table(spark, place, tag="first", branch="dev")
    spark.catalog.dropTempView("lance_view")
