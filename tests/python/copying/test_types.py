"""Which types columns get in the other format."""

from __future__ import annotations

import datetime as dt
import uuid
from decimal import Decimal

import pyarrow as pa
import pytest

import floeberg as fb
from corpus import lent
from floeberg.errors import InvalidDataError, UnsupportedError
from floeberg.types import NestedField, Schema, StructType

from .tables import Places

UTC = dt.timezone.utc
NOW = dt.datetime(2026, 1, 2, 3, 4, 5)  # noqa: DTZ001 - without a zone

# Name, values, type in Lance, type in Iceberg, values there where they look different.
FROM_LANCE = [
    ("b", [True, None], pa.bool_(), "boolean", None),
    ("i8", [-128, 127], pa.int8(), "int", None),
    ("i16", [-32768, None], pa.int16(), "int", None),
    ("u8", [0, 255], pa.uint8(), "int", None),
    ("u16", [0, 65535], pa.uint16(), "int", None),
    ("i32", [-(2**31), None], pa.int32(), "int", None),
    ("u32", [0, 2**32 - 1], pa.uint32(), "long", None),
    ("i64", [-(2**63), 2**63 - 1], pa.int64(), "long", None),
    ("u64", [0, 2**64 - 1], pa.uint64(), "decimal(20,0)", [Decimal(0), Decimal(2**64 - 1)]),
    ("f16", [1.5, None], pa.float16(), "float", None),
    ("f32", [1.5, None], pa.float32(), "float", None),
    ("f64", [0.1, None], pa.float64(), "double", None),
    ("s", ["a", None], pa.string(), "string", None),
    ("ls", ["a", None], pa.large_string(), "string", None),
    ("bin", [b"a", None], pa.binary(), "binary", None),
    ("lbin", [b"a", None], pa.large_binary(), "binary", None),
    ("fixed", [b"abc", None], pa.binary(3), "fixed[3]", None),
    ("day", [dt.date(2026, 1, 2), None], pa.date32(), "date", None),
    ("day64", [dt.date(1969, 1, 2), None], pa.date64(), "date", None),
    ("t32s", [dt.time(1, 2, 3), None], pa.time32("s"), "time", None),
    ("t32ms", [dt.time(1, 2, 3), None], pa.time32("ms"), "time", None),
    ("t64us", [dt.time(1, 2, 3, 4), None], pa.time64("us"), "time", None),
    ("t64ns", [dt.time(1, 2, 3, 4), None], pa.time64("ns"), "time", None),
    ("tss", [NOW, None], pa.timestamp("s"), "timestamp", None),
    ("tsms", [NOW, None], pa.timestamp("ms"), "timestamp", None),
    ("tsus", [NOW, None], pa.timestamp("us"), "timestamp", None),
    ("tsz", [NOW.replace(tzinfo=UTC), None], pa.timestamp("us", "Asia/Tokyo"), "timestamptz", None),
    ("dec", [Decimal("1.50"), None], pa.decimal128(10, 2), "decimal(10,2)", None),
    ("dec256", [Decimal("1.50"), None], pa.decimal256(38, 2), "decimal(38,2)", None),
    ("fsl", [[1.0, 2.0], None], pa.list_(pa.float32(), 2), None, None),
    ("fsl16", [[1.0, 2.0], None], pa.list_(pa.float16(), 2), None, None),
    ("list", [[1, None], None], pa.list_(pa.int8()), None, None),
    ("llist", [["a", None], []], pa.large_list(pa.large_string()), None, None),
    ("map", [[("a", 1)], None], pa.map_(pa.string(), pa.uint16()), None, None),
    (
        "struct",
        [{"a": 1, "b": [{"c": dt.time(1)}]}, {"a": None, "b": None}],
        pa.struct({"a": pa.uint32(), "b": pa.list_(pa.struct({"c": pa.time32("s")}))}),
        None,
        None,
    ),
]


@pytest.fixture
def places(tmp_path) -> Places:
    return Places(tmp_path)


def plain(values):
    """Values as Python compares them."""
    return [value.replace(tzinfo=UTC) if isinstance(value, dt.datetime) else value for value in values]


def test_every_type_of_lance_has_one_in_iceberg(places):
    arrays = {name: pa.array(values, kind) for name, values, kind, _, _ in FROM_LANCE}
    source = fb.lance.create_table(str(places.folder / "source.lance"), pa.table(arrays))
    target = places.copy(source, "iceberg").table
    assert target.format_version == 2
    found = target.scan().to_arrow()
    for name, values, _, kind, there in FROM_LANCE:
        if kind is not None:
            assert str(target.schema().find_field(name).field_type) == kind, name
        expected = values if there is None else there
        assert plain(found[name].to_pylist()) == plain(expected), name
    # And back: the rows of a second copy are those of the first.
    back = fb.copy(target, str(places.folder / "back.lance")).table
    assert back.scan().to_arrow().to_pylist() == found.to_pylist()
    assert fb.copy(source, target).action == "unchanged"


def test_dictionaries_and_nanoseconds(places, tmp_path):
    import lance

    rows = pa.table(
        {
            "word": pa.array(["a", "b", None, "a"]).dictionary_encode(),
            "at": pa.array([1, None, 3, 1_000_000_001], pa.timestamp("ns")),
            "none": pa.nulls(4),
        }
    )
    lance.write_dataset(rows, str(tmp_path / "words.lance"))
    target = places.copy(fb.open_table(tmp_path / "words.lance"), "iceberg").table
    assert target.format_version == 3
    assert [str(each.field_type) for each in target.schema().columns] == ["string", "timestamp_ns", "unknown"]
    found = target.scan().to_arrow()
    assert found["word"].to_pylist() == ["a", "b", None, "a"]
    assert found["at"].cast(pa.int64()).to_pylist() == [1, None, 3, 1_000_000_001]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (pa.duration("us"), 1),
        (pa.decimal256(50, 2), Decimal(1)),
        (pa.list_(pa.duration("s")), [1]),
        (pa.struct({"a": pa.duration("s")}), {"a": 1}),
    ],
)
def test_types_that_iceberg_lacks_are_refused_by_name(places, kind, value):
    rows = pa.table({"id": [1], "odd": pa.array([value], kind)})
    source = fb.lance.create_table(str(places.folder / "source.lance"), rows)
    with pytest.raises(UnsupportedError, match=r"column 'odd[.a-z]*' cannot be copied"):
        places.copy(source, "iceberg")
    assert not places.catalog.table_exists("db.target")
    places.copy(source, "iceberg", columns=["id"])


def test_json_of_lance_is_refused_and_blobs_become_bytes(places):
    import lance

    blob = pa.field("blob", pa.large_binary(), metadata={"lance-encoding:blob": "true"})
    rows = pa.table([[1, 2], [b"abc", None]], schema=pa.schema([pa.field("id", pa.int64()), blob]))
    lance.write_dataset(rows, str(places.folder / "blobs.lance"), data_storage_version="2.1")
    copied = places.copy(fb.open_table(places.folder / "blobs.lance"), "iceberg").table
    assert copied.scan().to_arrow()["blob"].to_pylist() == [b"abc", None]
    with pytest.raises(UnsupportedError, match="blob"):
        fb.copy(str(places.folder / "blobs.lance"), str(places.folder / "more.lance"))
    assert not (places.folder / "more.lance" / "_versions").exists()
    json = pa.table({"j": pa.array(['{"a": 1}'], pa.json_())})
    lance.write_dataset(json, str(places.folder / "json.lance"))
    with pytest.raises(UnsupportedError, match="'j' cannot be copied.*json"):
        fb.copy(str(places.folder / "json.lance"), "db.json", catalog=places.catalog)


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [(pa.time64("ns"), 5_000, 5_001), (pa.date64(), 86_400_000, 86_400_001)],
)
def test_values_that_would_be_cut_are_an_error(places, kind, good, bad):
    def source(name, value):
        array = pa.Array.from_buffers(kind, 1, [None, pa.array([value], pa.int64()).buffers()[1]])
        return fb.lance.create_table(str(places.folder / name), pa.table({"odd": array}))

    fb.copy(source("good", good), "db.good", catalog=places.catalog)
    with pytest.raises(InvalidDataError, match="'odd'"):
        fb.copy(source("bad", bad), "db.bad", catalog=places.catalog)
    assert not places.catalog.table_exists("db.bad")


def test_every_type_of_iceberg_has_one_in_lance(places):
    kinds = {
        "b": "boolean",
        "i": "int",
        "l": "long",
        "f": "float",
        "d": "double",
        "s": "string",
        "bin": "binary",
        "fix": "fixed[2]",
        "u": "uuid",
        "day": "date",
        "t": "time",
        "ts": "timestamp",
        "tsz": "timestamptz",
        "dec": "decimal(38, 10)",
        "tsn": "timestamp_ns",
        "tszn": "timestamptz_ns",
    }
    fields = [NestedField(number, name, kind) for number, (name, kind) in enumerate(kinds.items(), 1)]
    nested = NestedField(101, "u", "uuid", required=True)
    fields.append(NestedField(100, "st", StructType(nested, NestedField(102, "s", "string"))))
    source = places.catalog.create_table("db.source", Schema(*fields), format_version=3)
    one = uuid.UUID(int=7)
    row = {
        "b": True,
        "i": 1,
        "l": 2,
        "f": 1.5,
        "d": 2.5,
        "s": "x",
        "bin": b"y",
        "fix": b"zz",
        "u": one,
        "day": dt.date(2026, 1, 2),
        "t": dt.time(1, 2, 3, 4),
        "ts": NOW,
        "tsz": NOW.replace(tzinfo=UTC),
        "dec": Decimal("1.5"),
        "tsn": NOW,
        "tszn": NOW.replace(tzinfo=UTC),
        "st": {"u": one, "s": None},
    }
    source.append([row, dict.fromkeys(row)])
    target = places.copy(source, "lance").table
    schema = target.schema()
    assert schema.field("u").type == pa.binary(16) and schema.field("fix").type == pa.binary(2)
    assert schema.field("t").type == pa.time64("us") and schema.field("dec").type == pa.decimal128(38, 10)
    assert schema.field("ts").type == pa.timestamp("us") and schema.field("tsz").type == pa.timestamp(
        "us", "UTC"
    )
    assert schema.field("tszn").type == pa.timestamp("ns", "UTC")
    assert schema.field("st").type == pa.struct(
        [pa.field("u", pa.binary(16), nullable=False), pa.field("s", pa.string())]
    )
    found = sorted(target.scan().to_arrow().to_pylist(), key=lambda each: each["b"] is None)
    assert found[1] == dict.fromkeys(row)
    assert found[0]["u"] == one.bytes and found[0]["st"] == {"u": one.bytes, "s": None}
    for name in ("b", "i", "l", "f", "d", "s", "bin", "fix", "day", "t", "ts", "tsz", "dec"):
        assert found[0][name] == row[name], name
    # A uuid stays 16 bytes on the way back, and fits a column of uuids.
    places.catalog.create_table("db.back", Schema(*fields), format_version=3)
    back = fb.copy(target, "db.back", catalog=places.catalog, mode="append").table
    assert back.scan().to_arrow().to_pylist() == source.scan().to_arrow().to_pylist()


def test_variants_are_refused_by_name_and_copied_to_iceberg(places):
    source = lent("variants").open()
    with pytest.raises(UnsupportedError, match="column 'v' cannot be copied.*variant"):
        places.copy(source, "lance")
    copied = places.copy(source, "iceberg").table
    assert copied.scan().to_arrow().to_pylist() == source.scan().to_arrow().to_pylist()
    assert places.copy(source, "lance", columns=["id"]).rows == copied.scan().count()


def test_names_that_lance_lacks_are_refused(places):
    for number, name in enumerate(("a.b", "_rowid", "_rowaddr")):
        source = places.catalog.create_table(f"db.names{number}", pa.schema({name: pa.int64()}))
        with pytest.raises((UnsupportedError, fb.errors.InvalidInputError), match=name):
            places.copy(source, "lance")


def test_wide_tables_are_copied(places):
    wide = pa.table({f"c{number}": [number] for number in range(1500)})
    source = fb.lance.create_table(str(places.folder / "source.lance"), wide)
    copied = places.copy(source, "iceberg").table
    assert copied.scan().to_arrow().to_pylist() == wide.to_pylist()
    source.append(wide)
    assert fb.copy(source, copied).rows == 1


@pytest.mark.parametrize("role", ["refs", "deletes", "types", "nested", "evolved", "required", "nanoseconds"])
def test_tables_of_other_writers_are_copied(places, role):
    source = lent(role).open()
    copied = places.copy(source, "lance").table
    expected = source.scan().to_arrow()
    found = copied.scan().to_arrow()
    assert found.num_rows == expected.num_rows and found.column_names == expected.column_names
    for name in found.column_names:
        if not isinstance(expected[name].type, pa.BaseExtensionType):
            # Nobody is equal to NaN.
            assert repr(found[name].to_pylist()) == repr(expected[name].to_pylist()), name
    # Comments and required columns stay where the format does.
    assert [each.nullable for each in copied.schema()] == [each.nullable for each in expected.schema]
