"""Data files of ORC: what another reader finds in them, what tables say of them, and what a filter leaves out."""

from __future__ import annotations

import datetime
import decimal
import uuid
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import orc

import floeberg as fb
from floeberg import errors
from floeberg.types import ListType, MapType, NestedField, PrimitiveType, Schema, StructType

UTC = datetime.timezone.utc
MOMENT = datetime.datetime(2026, 1, 2, 3, 4, 5, 6, UTC)
LONG_AGO = datetime.datetime.fromisoformat("1966-07-08T09:10:11.120")
FAR_AWAY = datetime.datetime.fromisoformat("2250-12-31T23:59:59.999999")
CODECS = ["zlib", "zstd", "snappy", "lz4", "none"]


def optional(number: int, name: str, kind: object) -> NestedField:
    return NestedField(number, name, PrimitiveType(kind) if isinstance(kind, str) else kind, required=False)


SCHEMA = Schema(
    NestedField(1, "n", PrimitiveType("long"), required=True),
    optional(2, "s", "string"),
    optional(3, "d", "decimal(30, 2)"),
    optional(4, "day", "date"),
    optional(5, "at", "timestamptz"),
    optional(6, "local", "timestamp"),
    optional(7, "u", "uuid"),
    optional(8, "time", "time"),
    optional(9, "f", "float"),
    optional(10, "x", "double"),
    optional(11, "yes", "boolean"),
    optional(12, "b", "binary"),
    optional(13, "fixed", "fixed[3]"),
    optional(14, "i", "int"),
    optional(15, "l", ListType(16, PrimitiveType("int"), element_required=True)),
    optional(17, "m", MapType(18, PrimitiveType("int"), 19, PrimitiveType("string"), value_required=False)),
    optional(20, "r", StructType((optional(21, "x", "double"), optional(22, "y", "string")))),
)
ROWS = [
    {
        "n": 1,
        "s": "Zürich",
        "d": decimal.Decimal("-12345678901234567890.25"),
        "day": datetime.date(1969, 12, 31),
        "at": MOMENT,
        "local": LONG_AGO,
        "u": uuid.UUID(int=7).bytes,
        "time": datetime.time(1, 2, 3, 4),
        "f": 0.5,
        "x": float("nan"),
        "yes": True,
        "b": b"\x00\xff",
        "fixed": b"abc",
        "i": -7,
        "l": [1, -2],
        "m": [(1, "one"), (2, None)],
        "r": {"x": 0.5, "y": None},
    },
    {"n": 2, **{field.name: None for field in SCHEMA.fields[1:]}},
    {
        "n": 3,
        "s": "",
        "d": decimal.Decimal("0.10"),
        "day": datetime.date(9999, 12, 31),
        "at": datetime.datetime(1700, 1, 1, tzinfo=UTC),
        "local": FAR_AWAY,
        "u": uuid.UUID(int=2**128 - 1).bytes,
        "time": datetime.time(23, 59, 59, 999_999),
        "f": -0.0,
        "x": 1e300,
        "yes": False,
        "b": b"",
        "fixed": b"\x00\x00\x00",
        "i": 2**31 - 1,
        "l": [],
        "m": [],
        "r": {"x": None, "y": "y"},
    },
]
ARROW = pa.schema(
    [
        pa.field("n", pa.int64(), nullable=False),
        ("s", pa.string()),
        ("d", pa.decimal128(30, 2)),
        ("day", pa.date32()),
        ("at", pa.timestamp("us", "UTC")),
        ("local", pa.timestamp("us")),
        ("u", pa.binary(16)),
        ("time", pa.time64("us")),
        ("f", pa.float32()),
        ("x", pa.float64()),
        ("yes", pa.bool_()),
        ("b", pa.binary()),
        ("fixed", pa.binary(3)),
        ("i", pa.int32()),
        ("l", pa.list_(pa.field("element", pa.int32(), nullable=False))),
        ("m", pa.map_(pa.int32(), pa.string())),
        ("r", pa.struct([("x", pa.float64()), ("y", pa.string())])),
    ]
)


@pytest.fixture
def catalog(tmp_path) -> fb.Catalog:
    catalog = fb.load_catalog("orc", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    return catalog


def in_orc(catalog: fb.Catalog, schema: object = SCHEMA, version: int = 2, **properties: str) -> fb.Table:
    """A table whose files are of ORC."""
    return catalog.create_table(
        "ns.t", schema, format_version=version, properties={"write.format.default": "orc", **properties}
    )


def paths(table: fb.Table) -> list[str]:
    return table.inspect.files()["file_path"].to_pylist()


def comparable(rows: list[dict]) -> list[str]:
    """NaN is equal to itself as text, and a zero keeps its sign."""
    return [repr(row) for row in rows]


@pytest.mark.parametrize("codec", CODECS)
def test_pyarrow_reads_the_rows_field_by_field(catalog, codec):
    table = in_orc(catalog, **{"write.orc.compression-codec": codec})
    table.append(pa.Table.from_pylist(ROWS, ARROW))
    (path,) = paths(table)
    assert path.endswith(".orc")
    file = orc.ORCFile(path)
    assert file.compression == {"none": "UNCOMPRESSED"}.get(codec, codec.upper())
    assert (file.nrows, file.nstripes, file.row_index_stride) == (3, 1, 10_000)
    found = file.read()
    expected = pa.Table.from_pylist(ROWS, ARROW)
    for name in set(ARROW.names) - {"at", "local", "time", "u", "fixed", "l", "m", "r"}:
        assert comparable(found[name].to_pylist()) == comparable(expected[name].to_pylist()), name
    for name in ("u", "fixed"):
        assert found[name].to_pylist() == [row[name] for row in ROWS], name
    for name in ("l", "r", "m"):
        assert found[name].to_pylist() == expected[name].to_pylist(), name
    # Times are whole numbers for a reader that knows no Iceberg, and its timestamps have nanoseconds.
    assert found["time"].to_pylist() == expected["time"].cast(pa.int64()).to_pylist()
    assert found["at"].type.unit == found["local"].type.unit == "ns"
    assert found["local"][0].as_py() == LONG_AGO
    read = table.scan().to_arrow().to_pylist()
    ours = [row | {"u": row["u"].bytes if row["u"] else None} for row in read]
    assert comparable(ours) == comparable(expected.to_pylist())


def test_the_table_says_of_columns_what_java_does(catalog):
    table = in_orc(catalog)
    table.append(pa.Table.from_pylist(ROWS, ARROW))
    (file,) = table.inspect.files().to_pylist()
    assert (file["file_format"], file["record_count"], file["split_offsets"]) == ("ORC", 3, [3])
    said = file["readable_metrics"]
    by_name = {each.name: each.field_id for each in table.schema().fields}
    counts = dict(file["value_counts"]), dict(file["null_value_counts"])
    # Lists, maps and structs are counted too, what is in lists and maps is not.
    assert all(counts[0][by_name[name]] == 3 for name in by_name)
    assert all(counts[1][by_name[name]] == 1 for name in by_name if name != "n")
    assert len(counts[0]) == len(by_name) + 2
    assert dict(file["nan_value_counts"]) == {
        by_name["f"]: 0,
        by_name["x"]: 1,
        table.schema().find_field("r.x").field_id: 0,
    }
    assert (said["n"]["lower_bound"], said["n"]["upper_bound"]) == (1, 3)
    assert (said["s"]["lower_bound"], said["s"]["upper_bound"]) == ("", "Zürich")
    assert (said["x"]["lower_bound"], said["x"]["upper_bound"]) == (1e300, 1e300)
    assert said["d"]["lower_bound"] == ROWS[0]["d"]
    assert said["local"]["upper_bound"] == ROWS[2]["local"]
    for name in ("u", "b", "fixed"):
        assert by_name[name] not in dict(file["lower_bounds"]), name
    assert all(size > 0 for size in dict(file["column_sizes"]).values())


def test_files_of_three_formats_are_one_table_and_the_schema_evolves(catalog):
    table = in_orc(catalog)
    rows = pa.Table.from_pylist(ROWS, ARROW)
    table.append(rows)
    for other in ("parquet", "avro"):
        table.append(rows, options={"write-format": other})
    with table.update_schema() as update:
        update.rename_column("s", "text")
        update.delete_column("day")
        update.update_column("i", field_type="long")
    table.refresh()
    table.append(rows.drop_columns("day").rename_columns({"s": "text"}))
    found = table.scan().to_arrow()
    assert found["n"].to_pylist() == [1, 2, 3] * 4
    assert found["i"].to_pylist() == [-7, None, 2**31 - 1] * 4
    assert table.scan(row_filter="text = 'Zürich' and i = -7").count() == 4
    assert table.scan(row_filter="r.x = 0.5").count() == 4


@pytest.mark.parametrize("version", [2, 3])
def test_rows_are_changed_in_every_way(catalog, version):
    schema = pa.schema({"id": pa.int64(), "part": pa.string()})
    table = catalog.create_table(
        "ns.c",
        schema,
        partition_spec=["part"],
        sort_order=["id"],
        format_version=version,
        properties={"write.format.default": "orc"},
    )
    table.append(pa.table({"id": range(100), "part": ["ab"[number % 2] for number in range(100)]}, schema))
    merged = {"mode": "merge-on-read"}
    table.delete("id in (3, 50)", **merged)
    table.update({"part": "'c'"}, "id = 7", **merged)
    table.upsert(pa.table({"id": [8, 200], "part": ["a", "b"]}, schema), ["id"])
    table.overwrite(pa.table({"id": [300], "part": ["b"]}, schema), overwrite_filter="part = 'b'")
    table.delete("id = 10", mode="copy-on-write")
    left = set(range(0, 100, 2)) - {50, 10} | {7, 300}
    assert set(table.scan().to_arrow()["id"].to_pylist()) == left
    found = {file["file_format"] for file in table.inspect.files().to_pylist()}
    assert found == {"ORC"}
    table.maintenance.rewrite_data_files(options={"rewrite-all": "true"})
    if version == 2:
        table.delete("id = 0", **merged)
        table.maintenance.rewrite_position_delete_files(options={"rewrite-all": "true"})
        left.remove(0)
    table.maintenance.compute_partition_stats()
    assert set(table.refresh().scan().to_arrow()["id"].to_pylist()) == left
    assert {Path(path).suffix for path in paths(table)} == {".orc"}
    assert set(table.inspect.data_files()["sort_order_id"].to_pylist()) == {1}
    assert list(table.check()) == []


def test_equality_deletes_are_of_orc(catalog):
    table = in_orc(catalog, pa.schema({"id": pa.int64(), "s": pa.string()}))
    table.append(pa.table({"id": range(10), "s": [str(number) for number in range(10)]}))
    changes = pa.table({"id": [4], "s": ["4"], "op": ["delete"], "at": [0]})
    table.apply_changes(changes, keys=["id"], operation="op", order_by="at", mode="equality")
    (delete,) = table.inspect.delete_files().to_pylist()
    assert (delete["file_format"], delete["content"]) == ("ORC", 2)
    assert 4 not in table.scan().to_arrow()["id"].to_pylist()


SORTED = pa.schema({"id": pa.int64(), "even": pa.int64(), "name": pa.string(), "at": pa.timestamp("us")})
MANY = 60_000


def many(table: fb.Table) -> None:
    """Rows that are sorted by `id` and `at`; `even` has even numbers in no order."""
    numbers = pa.array(range(MANY), pa.int64())
    even = [number * 7919 % MANY * 2 for number in range(MANY)]
    names = [f"name {number}" for number in even]
    times = pa.array([number * 1_000_000 for number in range(MANY)], pa.int64()).cast(pa.timestamp("us"))
    table.append(pa.table([numbers, pa.array(even, pa.int64()), pa.array(names), times], schema=SORTED))


@pytest.mark.parametrize("codec", ["zlib", "none"])
@pytest.mark.parametrize("blooms", ["", "even,name"])
def test_filters_give_the_same_rows_whatever_is_left_out(catalog, codec, blooms):
    table = in_orc(
        catalog,
        SORTED,
        **{
            "write.orc.compression-codec": codec,
            "write.orc.bloom.filter.columns": blooms,
            "write.orc.stripe-size-bytes": "100000",
        },
    )
    many(table)
    (file,) = table.inspect.files().to_pylist()
    assert len(file["split_offsets"]) > 1
    rows = table.scan().to_arrow().to_pylist()
    for row_filter, matches in [
        ("id = 34567", lambda row: row["id"] == 34567),
        ("id >= 9999 and id < 10002", lambda row: 9999 <= row["id"] < 10002),
        ("id < 3 or id > 59995", lambda row: row["id"] < 3 or row["id"] > 59995),
        ("even = 4242", lambda row: row["even"] == 4242),
        ("even in (4242, 4243, 118000)", lambda row: row["even"] in (4242, 118000)),
        ("name = 'name 77778'", lambda row: row["name"] == "name 77778"),
        ("name = 'nobody'", lambda _: False),
        (
            "at >= '1970-01-01T16:00:00' and even > 100000",
            lambda row: row["id"] >= 57600 and row["even"] > 100000,
        ),
        ("id is null", lambda _: False),
    ]:
        expected = [row for row in rows if matches(row)]
        assert table.scan(row_filter=row_filter).to_arrow().to_pylist() == expected, row_filter
        with_positions = table.scan(row_filter=row_filter, selected_fields=("id", "_pos"))
        assert [(row["id"], row["id"]) for row in expected] == [
            (row["id"], row["_pos"]) for row in with_positions.to_arrow().to_pylist()
        ], row_filter
    table.delete("id in (20000, 34567)", mode="merge-on-read")
    assert table.scan(row_filter="id >= 34566 and id <= 34568").to_arrow()["id"].to_pylist() == [34566, 34568]


def overwritten(path: str, start: int, end: int) -> None:
    """Bytes of a file are lost."""
    content = bytearray(Path(path).read_bytes())
    content[start:end] = bytes(end - start)
    Path(path).write_bytes(bytes(content))


def test_stripes_that_statistics_rule_out_are_not_read(catalog):
    table = in_orc(catalog, SORTED, **{"write.orc.stripe-size-bytes": "100000"})
    many(table)
    (file,) = table.inspect.files().to_pylist()
    first, second = file["split_offsets"][:2]
    overwritten(file["file_path"], first, second)
    assert table.scan(row_filter="id = 59999").to_arrow().num_rows == 1
    with pytest.raises(errors.InvalidDataError):
        table.scan(row_filter="id = 1").to_arrow()


def test_row_groups_that_statistics_rule_out_are_not_read(catalog):
    table = in_orc(catalog, SORTED, **{"write.orc.compression-codec": "none"})
    many(table)
    (file,) = table.inspect.files().to_pylist()
    assert len(file["split_offsets"]) == 1
    content = Path(file["file_path"]).read_bytes()
    # A name of the first row group, which has them one after the other.
    place = content.index(b"name 15838name")
    Path(file["file_path"]).write_bytes(content[:place] + b"\xff\xfe\xfd\xfc\xfb" + content[place + 5 :])
    assert table.scan(row_filter="id = 59999").to_arrow()["name"].to_pylist() == [
        f"name {59999 * 7919 % MANY * 2}"
    ]
    with pytest.raises(errors.InvalidDataError, match="UTF-8"):
        table.scan(row_filter="id = 1").to_arrow()


def test_bloom_filters_leave_out_what_they_do_not_have(catalog):
    table = in_orc(
        catalog,
        SORTED,
        **{
            "write.orc.compression-codec": "none",
            "write.orc.bloom.filter.columns": "even",
            "write.orc.bloom.filter.fpp": "0.0001",
        },
    )
    many(table)
    (file,) = table.inspect.files().to_pylist()
    content = Path(file["file_path"]).read_bytes()
    place = content.index(b"name 15838name")
    Path(file["file_path"]).write_bytes(content[:place] + b"\xff\xfe\xfd\xfc\xfb" + content[place + 5 :])
    # An odd number is within the bounds of every row group, and in none of their filters.
    assert table.scan(row_filter="even = 4243").to_arrow().num_rows == 0
    with pytest.raises(errors.InvalidDataError, match="UTF-8"):
        table.scan(row_filter="even > 4243").to_arrow()


def test_what_cannot_be_followed_is_refused_where_it_is_set(catalog):
    for name, value in [
        ("write.orc.compression-codec", "lzo"),
        ("write.orc.compression-strategy", "best"),
        ("write.orc.stripe-size-bytes", "0"),
        ("write.orc.block-size-bytes", "much"),
        ("write.orc.bloom.filter.fpp", "1"),
    ]:
        with pytest.raises(ValueError, match=name.replace(".", r"\.")):
            in_orc(catalog, **{name: value})
    table = in_orc(catalog)
    rows = pa.Table.from_pylist(ROWS, ARROW)
    with pytest.raises(errors.UnsupportedError, match="csv"):
        table.append(rows, options={"write-format": "csv"})
    with pytest.raises(ValueError, match=r"write\.orc\.compression-level"):
        table.append(rows, options={"compression-level": "3"})
    late = rows.set_column(
        5, "local", pa.array([datetime.datetime.fromisoformat("1969-12-31T23:59:59.500")] * 3)
    )
    with pytest.raises(ValueError, match="1969-12-31"):
        table.append(late)
    assert table.refresh().scan().count() == 0


def test_delete_files_have_a_codec_of_their_own(catalog):
    table = in_orc(
        catalog,
        SORTED,
        **{"write.delete.orc.compression-codec": "snappy", "write.orc.compression-codec": "zstd"},
    )
    many(table)
    table.delete("id = 5", mode="merge-on-read")
    (delete,) = table.inspect.delete_files()["file_path"].to_pylist()
    assert orc.ORCFile(delete).compression == "SNAPPY"
    assert orc.read_table(delete)["pos"].to_pylist() == [5]


def test_smaller_files_by_the_other_strategy(catalog):
    sizes = {}
    for strategy in ("speed", "compression"):
        table = catalog.create_table(
            f"ns.{strategy}",
            SORTED,
            properties={"write.format.default": "orc", "write.orc.compression-strategy": strategy},
        )
        many(table)
        (sizes[strategy],) = table.inspect.files()["file_size_in_bytes"].to_pylist()
    assert sizes["compression"] < sizes["speed"]


VALUES = {
    pa.bool_(): st.booleans(),
    pa.int32(): st.integers(-(2**31), 2**31 - 1),
    pa.int64(): st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3),
    pa.float64(): st.floats(),
    pa.string(): st.text(max_size=20) | st.sampled_from(["a", "b"]),
    pa.binary(): st.binary(max_size=20),
    pa.decimal128(38, 6): st.decimals(-(10**30), 10**30, places=6),
    pa.date32(): st.dates(),
    pa.timestamp("us"): st.datetimes(min_value=datetime.datetime.fromisoformat("1970-01-01")),
}


def nested(base: dict) -> st.SearchStrategy:
    """A type, and values of it that may be null."""
    leaf = st.sampled_from(list(base)).map(lambda kind: (kind, base[kind]))

    def around(inner: st.SearchStrategy) -> st.SearchStrategy:
        return inner.flatmap(
            lambda found: st.sampled_from(
                [
                    (pa.list_(found[0]), st.lists(st.none() | found[1], max_size=4)),
                    (
                        pa.struct([("x", found[0]), ("y", pa.int32())]),
                        st.fixed_dictionaries({"x": st.none() | found[1], "y": st.none() | base[pa.int32()]}),
                    ),
                    (
                        pa.map_(pa.string(), found[0]),
                        st.dictionaries(st.text(max_size=3), st.none() | found[1], max_size=3).map(
                            lambda pairs: list(pairs.items())
                        ),
                    ),
                ]
            )
        )

    return st.recursive(leaf, around, max_leaves=3)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), codec=st.sampled_from(CODECS))
def test_pyarrow_reads_rows_of_any_type(data, codec, tmp_path_factory):
    columns = data.draw(st.lists(nested(VALUES), min_size=1, max_size=4))
    count = data.draw(st.integers(1, 40))
    arrays = [
        pa.array(data.draw(st.lists(st.none() | values, min_size=count, max_size=count)), kind)
        for kind, values in columns
    ]
    rows = pa.table(arrays, names=[f"c{number}" for number in range(len(arrays))])
    catalog = fb.load_catalog(
        f"any {uuid.uuid4()}", type="memory", warehouse=str(tmp_path_factory.mktemp("any"))
    )
    catalog.create_namespace("ns")
    table = in_orc(catalog, rows.schema, **{"write.orc.compression-codec": codec})
    table.append(rows)
    (path,) = paths(table)
    expected = comparable(rows.to_pylist())
    assert comparable(table.scan().to_arrow().to_pylist()) == expected
    if not any("timestamp" in str(kind) for kind, _ in columns):
        assert comparable(orc.read_table(path).to_pylist()) == expected


@settings(max_examples=40, deadline=None)
@given(values=st.lists(st.none() | st.integers(-20, 20), min_size=1, max_size=60), least=st.integers(-25, 25))
def test_statistics_never_lose_a_row(values, least, tmp_path_factory):
    catalog = fb.load_catalog(
        f"few {uuid.uuid4()}", type="memory", warehouse=str(tmp_path_factory.mktemp("few"))
    )
    catalog.create_namespace("ns")
    schema = pa.schema({"n": pa.int64(), "r": pa.struct([("n", pa.int64())])})
    table = in_orc(catalog, schema, **{"write.orc.stripe-size-bytes": "1"})
    rows = [{"n": value, "r": None if value == 0 else {"n": value}} for value in values]
    table.append(pa.Table.from_pylist(rows, schema))
    for column, of in (("n", lambda row: row["n"]), ("r.n", lambda row: (row["r"] or {"n": None})["n"])):
        for text, matches in (
            (f"{column} >= {least}", lambda value: value is not None and value >= least),
            (f"{column} is null", lambda value: value is None),
            (f"{column} = {least}", lambda value: value == least),
            (f"not ({column} < {least})", lambda value: value is not None and value >= least),
        ):
            found = table.scan(row_filter=text).to_arrow().to_pylist()
            assert found == [row for row in rows if matches(of(row))], text


def of_arrow(folder: Path, codec: str, name: str = "theirs.orc") -> tuple[Path, pa.Table]:
    """A file that pyarrow wrote, with row groups of 1,000 rows, bloom filters and several stripes."""
    count = 20_000
    numbers = [number if number % 11 else None for number in range(count)]
    seconds = [number * 3_600_000_000 - 10**13 for number in range(count)]
    rows = pa.table(
        {
            "id": pa.array(numbers, pa.int64()),
            "word": pa.array([f"word {number * 7919 % 977}" for number in range(count)]),
            "price": pa.array([float("nan") if number % 500 == 0 else number / 4 for number in range(count)]),
            "at": pa.array(seconds, pa.int64()).cast(pa.timestamp("us")),
            "cents": pa.array(
                [decimal.Decimal(number) / 100 for number in range(count)], pa.decimal128(12, 2)
            ),
            "r": pa.array([{"n": number} if number % 3 else None for number in range(count)]),
        }
    )
    path = folder / name
    orc.write_table(
        rows,
        str(path),
        compression=codec,
        row_index_stride=1_000,
        stripe_size=1 << 16,
        batch_size=1_000,
        bloom_filter_columns=[1, 2],
        dictionary_key_size_threshold=0.5,
    )
    return path, rows


FILTERS = [
    ("id = 12345", lambda row: row["id"] == 12345),
    ("id is null and cents < 3", lambda row: row["id"] is None and row["cents"] < 3),
    ("id > 19990", lambda row: (row["id"] or 0) > 19990),
    ("word = 'word 500'", lambda row: row["word"] == "word 500"),
    ("word = 'word 5000'", lambda _: False),
    ("word > 'word 99'", lambda row: row["word"] > "word 99"),
    ("price < 10", lambda row: row["price"] < 10),
    ("price is nan", lambda row: row["price"] != row["price"]),
    ("cents = 77.77", lambda row: row["cents"] == decimal.Decimal("77.77")),
    ("r.n = 100 or r.n = 19999", lambda row: (row["r"] or {"n": 0})["n"] in (100, 19999)),
    ("at < '1969-09-09T00:00:00'", lambda row: row["at"] < datetime.datetime.fromisoformat("1969-09-09")),
]


@pytest.mark.parametrize("codec", ["zlib", "uncompressed", "lz4"])
def test_statistics_of_another_writer_lose_no_row(catalog, codec, tmp_path):
    path, rows = of_arrow(tmp_path, codec)
    table = in_orc(catalog, rows.schema)
    table.add_files(str(path))
    expected = rows.to_pylist()
    for row_filter, matches in FILTERS:
        found = table.scan(row_filter=row_filter).to_arrow().to_pylist()
        assert comparable(found) == comparable([row for row in expected if matches(row)]), row_filter


def test_files_of_another_writer_that_are_damaged_are_errors_or_rows(catalog, tmp_path):
    path, rows = of_arrow(tmp_path, "zlib")
    table = in_orc(catalog, rows.schema)
    table.add_files(str(path))
    content = path.read_bytes()
    outcomes = set()
    for number in range(150):
        damaged = bytearray(content)
        place = number * 7919 % len(content) if number % 2 else len(content) - 1 - number * 13
        damaged[place] ^= 1 << number % 8
        path.write_bytes(bytes(damaged))
        try:
            found = table.scan(row_filter=FILTERS[number % len(FILTERS)][0]).to_arrow()
            assert found.num_rows <= rows.num_rows
            outcomes.add("rows")
        except errors.FloebergError as error:
            outcomes.add("theirs.orc" in str(error))
    assert outcomes == {"rows", True}, "an error names the file"
    path.write_bytes(content)


@pytest.mark.parametrize("unit", ["us", "ns"])
def test_the_first_and_the_last_times_are_read(catalog, unit):
    schema = pa.schema([("t", pa.timestamp(unit))])
    table = in_orc(catalog, schema, version=3)
    extremes = [-(2**63), -(2**63) + 1, -(2**63) + 10**9, 2**63 - 1]
    times = pa.table({"t": pa.array(extremes, pa.int64()).cast(pa.timestamp(unit))}, schema=schema)
    table.append(times)
    assert table.scan().to_arrow()["t"].cast(pa.int64()).to_pylist() == extremes
