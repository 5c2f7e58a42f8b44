"""Are files of other programs added as they are, or refused with a word on what to do?"""

from __future__ import annotations

import datetime
import json
import shutil
from pathlib import Path

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc

import floeberg as fb
from floeberg import errors

MAPPING = "schema.name-mapping.default"
ROWS = pa.table({"id": [1, 2], "city": ["Oslo", "Riga"]})


@pytest.fixture
def catalog(tmp_path):
    with fb.load_catalog(
        "adding", type="sql", uri=f"sqlite:///{tmp_path}/c.db", warehouse=str(tmp_path)
    ) as made:
        made.create_namespace("ns")
        yield made


@pytest.fixture
def old(tmp_path):
    """Where the files of another program are."""
    place = tmp_path / "old"
    place.mkdir()
    return place


def make(catalog, schema=ROWS.schema, **more):
    return catalog.create_table("ns.t", schema, **more)


def put(place, name, rows=ROWS, **more):
    path = place / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if name.endswith(".orc"):
        orc.write_table(rows, path, **more)
    elif name.endswith(".avro"):
        fields = [
            {"name": each, "type": ["null", kind]} for each, kind in (("id", "long"), ("city", "string"))
        ]
        with path.open("wb") as file:
            fastavro.writer(file, {"type": "record", "name": "r", "fields": fields}, rows.to_pylist())
    else:
        pq.write_table(rows, path, **more)
    return str(path)


def ids(table):
    return sorted(table.scan().to_arrow()["id"].to_pylist())


def one_by_one(table, *paths):
    """Adds files in one transaction."""
    with table.transaction() as transaction:
        transaction.append(ROWS)
        for path in paths:
            transaction.add_files([path])


def unchanged(table):
    """Whether the table is as it was made."""
    current = table.refresh()
    return not current.snapshots() and MAPPING not in current.properties


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("kind", ["parquet", "orc", "avro"])
def test_a_file_becomes_part_of_the_table(catalog, old, version, kind):
    table = make(catalog, format_version=version)
    table.append(pa.table({"id": [9], "city": [None]}, ROWS.schema))
    path = put(old, f"a.{kind}")
    done = table.add_files([path], {"by": "test"})
    assert (done.operation, done.added_files, done.added_rows) == ("append", 1, 2)
    assert done.added_bytes == Path(path).stat().st_size
    assert table.current_snapshot().summary["by"] == "test"
    assert table.scan("city = 'Riga'").to_arrow().to_pylist() == [{"id": 2, "city": "Riga"}]
    assert ids(table) == [1, 2, 9]
    file = next(each for each in table.inspect.files().to_pylist() if each["file_path"] == path)
    assert (file["record_count"], file["sort_order_id"], file["file_format"]) == (2, None, kind.upper())
    assert json.loads(table.properties[MAPPING]) == [
        {"field-id": 1, "names": ["id"]},
        {"field-id": 2, "names": ["city"]},
    ]
    if version == 3:
        rows = table.scan(selected_fields=("id", "_row_id")).to_arrow().to_pylist()
        assert sorted(each["_row_id"] for each in rows) == [0, 1, 2]


def test_names_are_kept_up(catalog, old):
    table = make(catalog)
    table.add_files(put(old, "a.parquet"))
    with table.update_schema() as update:
        update.rename_column("city", "town").add_column("note", "string")
    table.add_files(put(old, "b.parquet", pa.table({"id": [3], "town": ["Bonn"], "note": ["x"]})))
    assert table.scan(selected_fields=("town",)).to_arrow()["town"].to_pylist() == ["Bonn", "Oslo", "Riga"]
    assert table.scan("note = 'x'").count() == 1


def test_the_mapping_of_the_table_decides(catalog, old):
    mapping = [{"field-id": 1, "names": ["number"]}, {"names": ["junk"]}]
    table = make(catalog, properties={MAPPING: json.dumps(mapping)})
    with pytest.raises(errors.InvalidInputError, match='does not have the column "id"'):
        table.add_files(put(old, "a.parquet"))
    # A name without an id is one that is left out.
    table.add_files(put(old, "b.parquet", pa.table({"number": [5], "junk": ["x"]})))
    assert table.scan().to_arrow().to_pylist() == [{"id": 5, "city": None}]
    assert json.loads(table.properties[MAPPING]) == mapping


def test_metrics_follow_the_properties_of_the_table(catalog, old):
    properties = {
        "write.metadata.metrics.default": "counts",
        "write.metadata.metrics.column.city": "truncate(2)",
    }
    table = make(catalog, properties=properties)
    table.add_files(put(old, "a.parquet", row_group_size=1))
    (file,) = table.inspect.files().to_pylist()
    assert dict(file["value_counts"]) == {1: 2, 2: 2}
    assert dict(file["null_value_counts"]) == {1: 0, 2: 0}
    assert dict(file["lower_bounds"]) == {2: b"Os"}
    assert dict(file["upper_bounds"]) == {2: b"Rj"}
    groups = pq.ParquetFile(file["file_path"]).metadata
    assert len(file["split_offsets"]) == groups.num_row_groups == 2


def test_folders_have_the_values_of_identity_partitions(catalog, old):
    schema = pa.schema(
        {"id": pa.int64(), "day": pa.date32(), "n": pa.int32(), "at": pa.timestamp("us", "UTC")}
    )
    table = make(catalog, schema, partition_spec=["day", "n", "month(at)"])
    at = pa.array([0, 1], pa.timestamp("us", "UTC"))
    for day, number in (("2026-01-02", "7"), ("__HIVE_DEFAULT_PARTITION__", "-1")):
        put(old, f"day={day}/n={number}/a.parquet", pa.table({"id": [1, 2], "at": at}))
    put(old, "_SUCCESS.parquet")
    (old / ".a.crc").write_bytes(b"x")
    assert table.add_files(old).added_files == 2
    assert table.scan("day = '2026-01-02'").to_arrow()["n"].to_pylist() == [7, 7]
    assert table.scan("day IS NULL").to_arrow()["n"].to_pylist() == [-1, -1]
    days = [each["partition"] for each in table.inspect.files().to_pylist()]
    assert {(each["day"], each["n"], each["at_month"]) for each in days} == {
        (datetime.date(2026, 1, 2), 7, 0),
        (None, -1, 0),
    }


def test_partitions_are_found_by_bounds(catalog, old):
    schema = pa.schema({"id": pa.int64(), "city": pa.string()})
    table = make(catalog, schema, partition_spec=["truncate(10, id)", "city"])
    table.add_files(put(old, "a.parquet", pa.table({"id": [11, 19], "city": ["Oslo"] * 2})))
    table.add_files(put(old, "b.parquet", pa.table({"id": pa.array([None], pa.int64()), "city": ["Oslo"]})))
    # Without the column, all rows have null in it.
    table.add_files(put(old, "c.parquet", pa.table({"id": [1]})))
    found = [tuple(each["partition"].values()) for each in table.inspect.files().to_pylist()]
    assert sorted(found, key=str) == [(0, None), (10, "Oslo"), (None, "Oslo")]
    assert table.scan("id = 19 AND city = 'Oslo'").count() == 1


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ((["city"], "a.parquet", ROWS), "between 'Oslo' and 'Riga'"),
        ((["city"], "a.parquet", {"id": [1, 2], "city": ["a", None]}), '"city" is null in some rows'),
        ((["bucket(4, id)"], "a.parquet", {"id": [1]}), r'bucket\[4\].*"id"'),
        ((["id"], "a.orc", {"id": [1]}), 'statistics of the column "id"'),
        ((["id"], "id=x/a.parquet", {"city": ["a"]}), 'says "x" of the column "id"'),
        ((["id"], "id=3/a.parquet", {"id": [4]}), "the file itself has 4"),
        ((["id"], "id=3/a.orc", {"id": [3]}), "without statistics"),
        ((["id"], "id=3/id=4/a.parquet", {"city": ["a"]}), 'two values of "id"'),
        (([], "id=3/a.parquet", {"city": ["a"]}), "add_identity"),
        (([], "a.parquet", {"id": [1], "more": [1]}), 'column "more".*union_by_name'),
        (([], "a.parquet", {"id": ["x"]}), '"id" is long in the table and'),
    ],
)
def test_files_that_do_not_fit_are_refused(catalog, old, case, said):
    spec, name, rows = case
    table = make(catalog, partition_spec=spec)
    path = put(old, name, rows if isinstance(rows, pa.Table) else pa.table(rows))
    with pytest.raises(errors.InvalidInputError, match=said) as caught:
        table.add_files([path])
    assert caught.value.context["path"] == path
    assert unchanged(table)


def test_a_value_that_folder_and_file_agree_on_is_taken(catalog, old):
    table = make(catalog, partition_spec=["id"])
    table.add_files(put(old, "id=3/a.parquet", pa.table({"id": [3, 3]})))
    assert ids(table) == [3, 3]


def test_required_columns_must_be_there_and_have_no_nulls(catalog, old):
    schema = pa.schema([pa.field("id", pa.int64(), nullable=False), pa.field("city", pa.string())])
    table = make(catalog, schema)
    lacking = put(old, "a.parquet", pa.table({"city": ["a"]}))
    with pytest.raises(errors.InvalidInputError, match='required column "id"'):
        table.add_files(lacking)
    nulls = put(old, "b.parquet", pa.table({"id": pa.array([1, None], pa.int64())}))
    with pytest.raises(errors.InvalidInputError, match='"id" is required, and the file has 1 nulls'):
        table.add_files(nulls)
    assert unchanged(table)
    assert table.add_files(put(old, "c.parquet")).added_rows == 2


def test_field_ids_are_refused_or_compared(catalog, tmp_path):
    table = make(catalog)
    table.append(ROWS)
    written = table.inspect.files()["file_path"][0].as_py()
    # Files belong to one table.
    own = str(tmp_path / "copy.parquet")
    shutil.copy(written.removeprefix("file://"), own)
    other = catalog.create_table("ns.other", ROWS.schema)
    with pytest.raises(errors.UnsupportedError, match="trust_field_ids=True"):
        other.add_files([own])
    assert other.add_files([own], trust_field_ids=True).added_rows == 2
    assert MAPPING not in other.properties
    before, after = (each.inspect.files().to_pylist()[0] for each in (table, other))
    changed = {"sort_order_id": None, "file_path": own}
    assert after == before | changed, "the footer says what the writer said"
    third = catalog.create_table("ns.third", ROWS.select(["city", "id"]).schema)
    with pytest.raises(errors.InvalidInputError, match='field id 1, which is the column "city"'):
        third.add_files([own], trust_field_ids=True)
    assert unchanged(third)


def test_a_file_is_added_once(catalog, old):
    table = make(catalog)
    path = put(old, "a.parquet")
    with pytest.raises(errors.InvalidInputError, match="named twice"):
        table.add_files([path, f"file://{path}"])
    table.add_files([path])
    with pytest.raises(errors.AlreadyExistsError) as caught:
        table.add_files([f"file://{path}"])
    assert caught.value.context["file_path"] == path
    table.append(ROWS)
    with pytest.raises(errors.AlreadyExistsError):
        table.add_files(old)
    assert ids(table) == [1, 1, 2, 2]


@pytest.mark.unchecked_tables("a file is added twice, as its test asks for")
def test_whoever_knows_better_is_believed(catalog, old):
    table = make(catalog)
    path = put(old, "a.parquet")
    table.add_files([path])
    table.add_files([path], check_duplicate_files=False)
    assert ids(table) == [1, 1, 2, 2]


def test_a_key_adds_files_once(catalog, old):
    table = make(catalog)
    path = put(old, "a.parquet")
    first = table.add_files([path], idempotency_key="job")
    again = catalog.load_table("ns.t").add_files([path], idempotency_key="job")
    assert (again.already_committed, again.snapshot_id) == (True, first.snapshot_id)
    with pytest.raises(errors.InvalidInputError):
        table.append(ROWS, idempotency_key="job")


def test_what_cannot_be_read_is_named(catalog, old):
    table = make(catalog)
    good = Path(put(old, "a.parquet")).read_bytes()
    damaged = {
        "cut.parquet": good[:-20],
        "empty.parquet": b"",
        "text": b"id,city\n",
        "cut.orc": b"ORC123",
        "cut.avro": Path(put(old, "b.avro")).read_bytes()[:-5],
    }
    for name, content in damaged.items():
        (old / name).write_bytes(content)
        with pytest.raises(errors.InvalidDataError, match="leave it out") as caught:
            table.add_files([str(old / "a.parquet"), str(old / name)])
        assert caught.value.context["path"] == str(old / name)
        (old / name).unlink()
    with pytest.raises(errors.NotFoundError, match="no file or folder"):
        table.add_files([str(old / "none")])
    (old / "empty").mkdir()
    (old / "empty" / "_SUCCESS").touch()
    with pytest.raises(errors.InvalidInputError, match="no files to add"):
        table.add_files(str(old / "empty"))
    with pytest.raises(errors.InvalidInputError, match="file_paths: expected a path"):
        table.add_files(5)
    assert unchanged(table)


def test_a_transaction_adds_files_or_nothing(catalog, old):
    table = make(catalog)
    path = put(old, "a.parquet")
    wrong = put(old, "b.parquet", pa.table({"x": [1]}))
    with pytest.raises(errors.InvalidInputError):
        one_by_one(table, path, wrong)
    assert unchanged(table)
    assert Path(path).exists()
    # The same file in two operations of one commit.
    with pytest.raises(errors.AlreadyExistsError):
        one_by_one(table, path, path)
    assert unchanged(table)
    assert Path(path).exists()
    with table.transaction(branch="audit") as transaction:
        with transaction.update_schema() as update:
            update.rename_column("city", "town")
        transaction.add_files(put(old, "c.parquet", pa.table({"id": [5], "town": ["Bonn"]})))
        transaction.delete("id = 5", mode="merge-on-read")
        transaction.append(pa.table({"id": [6], "town": ["Bonn"]}))
    assert table.scan().use_ref("audit").to_arrow()["id"].to_pylist() == [6]


def test_two_writers_add_files(catalog, old):
    table = make(catalog)
    other = catalog.load_table("ns.t")
    transaction = table.transaction()
    transaction.add_files(put(old, "a.parquet"))
    other.add_files(put(old, "b.parquet"))
    with other.update_schema() as update:
        update.rename_column("city", "town")
    transaction.commit_transaction()
    assert table.scan().to_arrow()["town"].to_pylist() == ["Oslo", "Riga"] * 2
    # The same file, by the slower one of two.
    path = put(old, "c.parquet", pa.table({"id": [3]}))
    transaction = table.transaction()
    transaction.add_files(path)
    other.refresh().add_files(path)
    with pytest.raises(errors.AlreadyExistsError):
        transaction.commit_transaction()
    # A file that is gone by then.
    path = put(old, "d.parquet", pa.table({"id": [4]}))
    transaction = table.refresh().transaction()
    transaction.add_files(path)
    Path(path).unlink()
    with pytest.raises(errors.NotFoundError):
        transaction.commit_transaction()
    assert ids(table.refresh()) == [1, 1, 2, 2, 3]


def test_progress_is_told_and_stops(catalog, old):
    table = make(catalog)
    for number in range(20):
        put(old, f"{number}.parquet")
    reports = []
    table.add_files(old, progress=reports.append)
    read = [each for each in reports if each.step == "reading"][-1]
    assert (read.files, read.of_files, read.rows) == (20, 20, 40)
    assert reports[-1].step == "committing"

    def stop(report):
        raise KeyError(report.step)

    other = catalog.create_table("ns.other", ROWS.schema)
    with pytest.raises(KeyError):
        other.add_files(old, progress=stop)
    assert unchanged(other)


def test_nested_columns_are_found_by_name(catalog, old):
    rows = pa.table(
        {
            "id": [1],
            "s": [{"x": 1, "l": [{"y": 2}]}],
            "m": pa.array([[("k", 3)]], pa.map_(pa.string(), pa.int64())),
        }
    )
    table = make(catalog, rows.schema)
    for kind in ("parquet", "orc"):
        table.add_files(put(old, f"a.{kind}", rows))
    assert table.scan().to_arrow().to_pylist() == rows.to_pylist() * 2
    assert table.scan("s.x = 1").count() == 2
    deep = put(old, "b.parquet", pa.table({"s": [{"x": 1, "z": 5}]}))
    with pytest.raises(errors.InvalidInputError, match='column "s.z"'):
        table.add_files(deep)


def test_a_value_of_a_folder_counts_for_every_partition_field(catalog, old):
    path = put(old, "city=Oslo/a.parquet", ROWS.select(["id"]))
    table = make(catalog, partition_spec=["city", "truncate(2, city)", "bucket(4, city)"])
    table.add_files(path)
    (partition,) = table.inspect.files()["partition"].to_pylist()
    assert (partition["city"], partition["city_trunc_2"]) == ("Oslo", "Os")
    assert partition["city_bucket_4"] is not None
    assert len(table.scan("city = 'Oslo'").to_arrow()) == 2
    table.delete("city = 'Oslo'")
    assert table.scan().count() == 0


@pytest.mark.parametrize(
    "case",
    [
        ("City=Oslo", ["id"], ["city"], "rename the folder"),
        ("City=Oslo", ["id"], [], "rename the folder"),
        ("city_trunc_2=Os", ["id"], ["truncate(2, city)"], "write the file again with the column"),
        ("city=Rome", ["id", "city"], [], "one of them is wrong"),
        ("city=Rome", ["id", "city"], ["truncate(1, id)"], "one of them is wrong"),
        ("city=Oslo/place=Rome", ["id"], ["city as place"], "two values"),
    ],
)
def test_a_value_of_a_folder_is_not_lost(catalog, old, case):
    folder, columns, spec, said = case
    table = make(catalog, partition_spec=spec)
    with pytest.raises(errors.InvalidInputError, match=said):
        table.add_files(put(old, f"{folder}/a.parquet", ROWS.slice(0, 1).select(columns)))
    assert table.scan().count() == 0


def test_a_file_has_one_name_however_it_is_spelled(catalog, old):
    path = put(old, "a.parquet")
    table = make(catalog)
    table.add_files(path)
    spelled = [
        f"{old}//a.parquet",
        f"{old}/./a.parquet",
        f"{old}/../old/a.parquet",
        f"FILE://{path}",
        f"file:{path}",
    ]
    for again in spelled:
        with pytest.raises(errors.AlreadyExistsError):
            table.add_files(again)
    with pytest.raises(errors.InvalidInputError, match="twice"):
        catalog.create_table("ns.other", ROWS.schema).add_files([path, spelled[0]])
    assert table.scan().count() == 2


REQUIRED = pa.field("c", pa.int64(), nullable=False)
IN_STRUCT = pa.field("c", pa.struct([pa.field("x", pa.int64(), nullable=False)]))
IN_LIST = pa.field("c", pa.list_(pa.field("element", pa.int64(), nullable=False)))
GAPS = pa.array([1, None], pa.int64())


@pytest.mark.parametrize(
    "case",
    {
        "no statistics": (REQUIRED, "a.parquet", GAPS, {"write_statistics": False}),
        "orc": (REQUIRED, "a.orc", GAPS, {}),
        "in a struct": (IN_STRUCT, "a.parquet", pa.array([{"x": None}, {"x": 1}]), {}),
        "in a list": (IN_LIST, "a.parquet", pa.array([[None], [1]]), {}),
        "unsigned": (pa.field("c", pa.int64()), "a.parquet", pa.array([2**64 - 1], pa.uint64()), {}),
        "bytes": (pa.field("c", pa.string()), "a.parquet", pa.array([b"\xff\xfe"]), {}),
        "far": (
            pa.field("c", pa.timestamp("us")),
            "a.parquet",
            pa.array([2**62]).cast(pa.timestamp("ms")),
            {},
        ),
    }.items(),
    ids=lambda case: case[0],
)
def test_what_a_scan_could_not_read_is_refused(catalog, old, case):
    _, (field, name, values, more) = case
    table = make(catalog, pa.schema([field]))
    has_nulls = "null" in str(values)
    # A null in a required column is no damage: there is a remedy.
    error, said = (
        (errors.InvalidInputError, "is required, and the file has .*nulls in it: make it optional first")
        if has_nulls
        else (errors.InvalidDataError, "Nothing was added")
    )
    with pytest.raises(error, match=said):
        table.add_files(put(old, name, pa.table({"c": values}), **more))
    assert unchanged(table)


def test_what_the_footer_does_not_prove_is_read(catalog, old):
    fields = [REQUIRED, IN_STRUCT.with_name("s"), IN_LIST.with_name("l"), pa.field("t", pa.string())]
    columns = {
        "c": pa.array([1, 2]),
        "s": pa.array([{"x": 1}, None]),
        "l": pa.array([[1], None]),
        "t": pa.array([b"a", None]),
    }
    table = make(catalog, pa.schema(fields))
    table.add_files(put(old, "a.parquet", pa.table(columns), write_statistics=False))
    assert table.scan().to_arrow().num_rows == 2


def test_a_file_is_one_file_by_all_its_links(catalog, old):
    path = put(old, "a.parquet")
    (old / "soft.parquet").symlink_to(path)
    (old / "hard.parquet").hardlink_to(path)
    (old / "folder").symlink_to(old, target_is_directory=True)
    names = [str(old / name) for name in ("soft.parquet", "hard.parquet", "folder/a.parquet")]
    table = make(catalog)
    for name in names:
        with pytest.raises(errors.InvalidInputError, match="a link to the other"):
            table.add_files([path, name])
    assert unchanged(table)
    table.add_files(names[0])
    for name in (path, *names[1:]):
        with pytest.raises(errors.AlreadyExistsError, match="under another name"):
            table.add_files(name)
    two = table.transaction()
    two.add_files(put(old, "b.parquet"))
    two.add_files(path)
    with pytest.raises(errors.AlreadyExistsError, match="under another name"):
        two.commit_transaction()
    # Copies are other files.
    shutil.copy(path, old / "copy.parquet")
    table.add_files(old / "copy.parquet")
    assert ids(table) == [1, 1, 2, 2]


# Timestamps without a zone.
MOMENT = datetime.datetime(1969, 12, 31, 23, 59, 58, 500_000)  # noqa: DTZ001


def test_fractions_of_seconds_before_1970_are_read_from_orc(catalog, old):
    moments = [
        MOMENT,
        MOMENT.replace(microsecond=1),
        MOMENT.replace(second=59, microsecond=999_999),
        MOMENT.replace(second=59, microsecond=0),
        MOMENT.replace(year=1900, microsecond=123_456),
        MOMENT.replace(year=2000),
        None,
    ]
    rows = pa.table({"at": pa.array(moments, pa.timestamp("us"))})
    table = make(catalog, rows.schema)
    table.add_files(put(old, "a.orc", rows))
    assert table.scan().to_arrow()["at"].to_pylist() == moments
    assert table.scan("at < '1970-01-01T00:00:00'").count() == 5


INSTANT = pa.timestamp("us", "UTC")
ONE = datetime.datetime(2026, 1, 2, 3, 4, 5)  # noqa: DTZ001 - without a zone
CONVERSIONS = {
    "a number for a timestamp": (pa.timestamp("us"), pa.array([5]), "timestamp in the table and long"),
    "a number for an instant": (INSTANT, pa.array([5]), "timestamptz in the table and long"),
    "a number for a date": (pa.date32(), pa.array([5], pa.int32()), "date in the table and int"),
    "a number for a time": (pa.time64("us"), pa.array([5]), "time in the table and long"),
    "no zone": (INSTANT, pa.array([ONE]), "timestamptz in the table and timestamp in"),
    "a zone": (pa.timestamp("us"), pa.array([ONE], INSTANT), "timestamp in the table and timestamptz in"),
    "nanoseconds": (
        pa.timestamp("us"),
        pa.array([ONE], pa.timestamp("ns")),
        "timestamp in the table and timestamp in nanoseconds",
    ),
    "nanoseconds of a day": (pa.time64("us"), pa.array([5], pa.time64("ns")), "time in nanoseconds"),
    "a text for bytes": (pa.binary(), pa.array(["a"]), "binary in the table and string"),
    "a wider number": (pa.int32(), pa.array([5]), "int in the table and long"),
    "a wider float": (pa.float32(), pa.array([5.0]), "float in the table and double"),
    "fewer digits": (pa.decimal128(4, 2), pa.array([1], pa.decimal128(5, 2)), r"decimal\(4,2\) in the table"),
    "another scale": (pa.decimal128(9, 2), pa.array([1], pa.decimal128(9, 3)), r"decimal\(9,3\) in"),
    "a date for a timestamp": (pa.timestamp("us"), pa.array([ONE.date()]), "timestamp in the table and date"),
    "in a struct": (
        pa.struct([("x", pa.timestamp("us"))]),
        pa.array([{"x": 5}]),
        '"c.x" is timestamp in the table and long',
    ),
    "in a list": (pa.list_(pa.date32()), pa.array([[5]], pa.list_(pa.int32())), "date in the table and int"),
}


@pytest.mark.parametrize("trusts", [False, True])
@pytest.mark.parametrize("case", CONVERSIONS.values(), ids=CONVERSIONS)
def test_a_column_of_another_type_is_refused(catalog, old, case, trusts):
    kind, values, said = case
    table = make(catalog, pa.schema({"c": kind}))
    field = pa.field("c", values.type)
    if trusts and not pa.types.is_nested(kind):
        field = field.with_metadata({"PARQUET:field_id": "1"})
    path = put(old, "a.parquet", pa.table([values], schema=pa.schema([field])))
    with pytest.raises(errors.InvalidInputError, match=said) as caught:
        table.add_files(path, trust_field_ids=trusts)
    assert "change the type of the column" in caught.value.message
    assert unchanged(table)


TAKEN = {
    "int": (pa.int64(), pa.array([5], pa.int32()), 5),
    "short": (pa.int32(), pa.array([5], pa.int16()), 5),
    "float": (pa.float64(), pa.array([0.5], pa.float32()), 0.5),
    "decimal": (pa.decimal128(9, 2), pa.array([1], pa.decimal128(5, 2)), 1),
    "milliseconds": (pa.timestamp("us"), pa.array([ONE], pa.timestamp("ms")), ONE),
    "nulls": (pa.timestamp("us"), pa.nulls(1), None),
    "bytes": (pa.string(), pa.array([b"a"]), "a"),
}


@pytest.mark.parametrize("case", TAKEN.values(), ids=TAKEN)
def test_a_column_of_a_type_that_is_promoted_is_taken(catalog, old, case):
    kind, values, expected = case
    table = make(catalog, pa.schema({"c": kind}))
    table.add_files(put(old, "a.parquet", pa.table({"c": values})))
    assert table.scan().to_arrow()["c"].to_pylist() == [expected]


def test_dates_become_timestamps_from_version_3_on(catalog, old):
    path = put(old, "a.parquet", pa.table({"c": [ONE.date()]}))
    table = make(catalog, pa.schema({"c": pa.timestamp("us")}), format_version=3)
    table.add_files(path)
    assert table.scan().to_arrow()["c"].to_pylist() == [ONE.replace(hour=0, minute=0, second=0)]


@pytest.mark.parametrize("kind", [pa.timestamp("us"), INSTANT], ids=str)
def test_timestamps_of_int96_are_with_a_zone_or_without(catalog, old, kind):
    rows = pa.table({"c": pa.array([ONE])})
    table = make(catalog, pa.schema({"c": kind}))
    table.add_files(put(old, "a.parquet", rows, use_deprecated_int96_timestamps=True))
    assert [each.replace(tzinfo=None) for each in table.scan().to_arrow()["c"].to_pylist()] == [ONE]


INNER = pa.struct([pa.field("x", pa.int64(), nullable=False)])
NULLS = {
    "top": (pa.field("c", pa.int64(), nullable=False), [1, None], "c"),
    "struct": (pa.field("c", INNER), [{"x": 1}, None, {"x": None}], "c.x"),
    "list": (
        pa.field("c", pa.list_(pa.field("element", pa.int64(), nullable=False))),
        [[1], None, [None]],
        "c.element",
    ),
    "map": (
        pa.field("c", pa.map_(pa.string(), pa.field("value", pa.int64(), nullable=False))),
        [[("a", 1)], None, [("b", None)]],
        "c.value",
    ),
}


@pytest.mark.parametrize("with_statistics", [True, False])
@pytest.mark.parametrize("name", NULLS)
def test_a_null_in_a_required_column_is_told_with_its_remedy(catalog, old, name, with_statistics):
    field, values, column = NULLS[name]
    table = make(catalog, pa.schema([field]))
    loose = {
        "c": pa.array(values[:-1], as_optional(field.type)),
        "d": pa.array(values, as_optional(field.type)),
    }
    good, bad = (
        put(old, f"{each}.parquet", pa.table({"c": loose[key]}), write_statistics=with_statistics)
        for each, key in (("good", "c"), ("bad", "d"))
    )
    if name == "top":
        put(old, "good.parquet", pa.table({"c": [1]}), write_statistics=with_statistics)
    table.add_files(good)
    with pytest.raises(
        errors.InvalidInputError,
        match=f'"{column}" is required, and the file has .*nulls in it: make it optional',
    ) as raised:
        table.add_files(bad)
    assert raised.value.context["path"].endswith("bad.parquet")
    assert table.refresh().scan().count() == len(pq.read_table(good))


def as_optional(kind):
    """The type with optional parts."""
    if pa.types.is_struct(kind):
        return pa.struct([each.with_nullable(True) for each in kind])
    if pa.types.is_list(kind):
        return pa.list_(kind.value_type)
    return pa.map_(kind.key_type, kind.item_type) if pa.types.is_map(kind) else kind


def test_the_message_names_the_path_that_is_not_there(catalog):
    table = make(catalog)
    for path in ("/no/file.parquet", "/no/folder/"):
        with pytest.raises(errors.NotFoundError, match=f"no file or folder to add at .*{path}"):
            table.add_files([path])


def test_delete_files_are_no_data_files(catalog, old):
    table = make(catalog)
    path = put(old, "deletes.parquet")
    entries = {b"delete-type": b"equality", b"delete-field-ids": b"1"}
    put(old, "deletes.parquet", ROWS.replace_schema_metadata(entries))
    with pytest.raises(errors.InvalidInputError, match="found one of equality deletes") as raised:
        table.add_files([path])
    assert "deletes.parquet" in str(raised.value)
    assert ids(table) == []
    put(old, "deletes.parquet", ROWS.replace_schema_metadata({b"other": b"equality"}))
    table.add_files([path])
    assert ids(table) == [1, 2]
