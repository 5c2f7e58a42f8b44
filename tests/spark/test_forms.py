"""Do batches have exactly the Arrow types, order and nullability that Spark checks for?"""

from __future__ import annotations

import json

import pyarrow as pa
import pyspark.sql.types as spark
import pytest

from corpus import cases, encode, known_failures
from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.spark.read.types import spark_struct
from floeberg.types import ListType, MapType, NestedField, PrimitiveType, StructType
from lifecycle import options_of, read

READABLE = [case for case in cases() if not case.is_view and (case.name, "rows") not in known_failures()]

PRIMITIVES = {
    "boolean": spark.BooleanType(),
    "int": spark.IntegerType(),
    "long": spark.LongType(),
    "float": spark.FloatType(),
    "double": spark.DoubleType(),
    "decimal(9,2)": spark.DecimalType(9, 2),
    "decimal(38, 0)": spark.DecimalType(38, 0),
    "date": spark.DateType(),
    "time": spark.TimeType(6),
    "timestamp": spark.TimestampNTZType(),
    "timestamptz": spark.TimestampType(),
    "string": spark.StringType(),
    "uuid": spark.StringType(),
    "fixed[16]": spark.BinaryType(),
    "binary": spark.BinaryType(),
    "unknown": spark.NullType(),
    "variant": spark.VariantType(),
    "geometry": spark.BinaryType(),
    "geometry(srid:3857)": spark.BinaryType(),
    "geography": spark.BinaryType(),
    "geography(srid:4269, karney)": spark.BinaryType(),
}


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_every_table_comes_out_in_the_form_that_spark_checks(case):
    table = read(options_of(case, truncate_nanoseconds="true"))
    assert table.num_rows == case.open().scan().count()


def test_the_values_of_every_type_are_those_of_the_table(types):
    ours = read(options_of(types))
    times = ours.column("tm").cast(pa.int64())
    assert [value and value // 1000 for value in times.to_pylist()] == types.open().scan().to_arrow()[
        "tm"
    ].cast(pa.int64()).to_pylist()
    rows = [json.loads(row) for row in encode(ours.drop_columns(["tm"]))]
    place = ours.column_names.index("tm")
    expected = [json.loads(row) for row in types.rows()]
    for row in expected:
        del row[place]
    assert sorted(map(json.dumps, rows)) == sorted(map(json.dumps, expected))


@pytest.mark.parametrize(("name", "expected"), PRIMITIVES.items())
def test_every_primitive_type_has_its_spark_type(name, expected):
    fields = (NestedField(1, "c", PrimitiveType(name), required=False),)
    found = spark_struct(fields, truncate_nanoseconds=False)
    assert found == spark.StructType([spark.StructField("c", expected)])


def test_what_is_required_is_not_null_at_every_level():
    long = PrimitiveType("long")
    for needed in (True, False):
        fields = (
            NestedField(1, "l", ListType(2, long, element_required=needed), required=needed),
            NestedField(
                3, "m", MapType(4, long, 5, long, value_required=needed), required=needed, doc="words"
            ),
            NestedField(6, "s", StructType((NestedField(7, "x", long, required=needed),)), required=needed),
        )
        found = spark_struct(fields, truncate_nanoseconds=False)
        free = not needed
        inner = spark.StructType([spark.StructField("x", spark.LongType(), free)])
        assert found == spark.StructType(
            [
                spark.StructField("l", spark.ArrayType(spark.LongType(), free), free),
                spark.StructField(
                    "m", spark.MapType(spark.LongType(), spark.LongType(), free), free, {"comment": "words"}
                ),
                spark.StructField("s", inner, free),
            ]
        )


def test_nanoseconds_are_refused_until_they_may_be_cut(nanoseconds):
    with pytest.raises(UnsupportedError, match=r"column 'ts' is of type timestamp_ns.*truncate-nanoseconds"):
        read(options_of(nanoseconds))
    cut = read(options_of(nanoseconds, truncate_nanoseconds="true"))
    whole = nanoseconds.open().scan().to_arrow()
    for name in ("ts", "tstz"):
        exact = whole[name].cast(pa.int64()).to_pylist()
        # A moment before 1970 is cut downwards too: it is in the microsecond that holds it.
        assert cut[name].cast(pa.int64()).to_pylist() == [
            value if value is None else value // 1000 for value in exact
        ]
        assert any(value is not None and value < 0 and value % 1000 for value in exact)


def test_a_variant_is_the_struct_that_spark_marks_as_one(variants):
    table = read(options_of(variants))
    assert encode(table) == variants.rows()
    assert table.schema.field("v").type.field("metadata").metadata == {b"variant": b"true"}


def test_a_type_that_spark_lacks_is_refused_by_name_with_a_way_out(nanoseconds):
    with pytest.raises(UnsupportedError, match=r"column 'ts' is of type timestamp_ns.*leave it out.*columns"):
        read(options_of(nanoseconds))
    assert read(options_of(nanoseconds, columns="id")).column_names == ["id"]


def test_a_refused_type_is_found_inside_of_others():
    inner = NestedField(3, "t", PrimitiveType("timestamp_ns"), required=False)
    kind = ListType(2, StructType((inner,)), element_required=True)
    with pytest.raises(UnsupportedError, match="column 'l.element.t'"):
        spark_struct((NestedField(1, "l", kind, required=False),), truncate_nanoseconds=False)


def test_time_needs_a_spark_that_has_it(monkeypatch):
    monkeypatch.delattr(spark, "TimeType")
    with pytest.raises(UnsupportedError, match="column 't' is of type time, which Spark has from 4.1 on"):
        spark_struct(
            (NestedField(1, "t", PrimitiveType("time"), required=False),), truncate_nanoseconds=False
        )


class TestASchemaOfTheUser:
    """`.schema(..)` before `.load(..)`."""

    @staticmethod
    def read(case, schema, **options):
        return read(options_of(case, **options), schema)

    def test_projects_in_its_own_order_and_spelling(self, refs):
        table = self.read(refs, spark.StructType().add("V", "integer").add("id", "long"))
        assert table.column_names == ["V", "id"]
        expected = refs.open().scan(selected_fields=("v", "id")).to_arrow()
        assert table["V"].to_pylist() == expected["v"].to_pylist()
        assert table["id"].to_pylist() == expected["id"].to_pylist()

    def test_counts_case_where_it_is_told_to(self, refs):
        with pytest.raises(
            InvalidInputError, match="the schema names 'V', and the table has no such column; near"
        ):
            self.read(refs, spark.StructType().add("V", "integer"), case_sensitive="true")

    def test_projects_nested_fields_in_any_order(self, nested):
        inner = spark.StructType().add("inner2", spark.StructType().add("y", "string")).add("b", "integer")
        item = spark.StructType().add("price", spark.DecimalType(9, 2)).add("sku", "string")
        value = spark.StructType().add("extra", spark.ArrayType(spark.IntegerType()))
        wanted = (
            spark.StructType()
            .add("props", spark.MapType(spark.StringType(), value))
            .add("items", spark.ArrayType(item))
            .add("st", inner)
        )
        table = self.read(nested, wanted)
        whole = nested.open().scan().to_arrow()
        assert table["st"].to_pylist() == [
            row and {"inner2": row["inner2"] and {"y": row["inner2"]["y"]}, "b": row["b"]}
            for row in whole["st"].to_pylist()
        ]
        assert table["items"].to_pylist() == [
            row if row is None else [each and {"price": each["price"], "sku": each["sku"]} for each in row]
            for row in whole["items"].to_pylist()
        ]
        assert table["props"].to_pylist() == [
            row if row is None else [(key, each and {"extra": each["extra"]}) for key, each in row]
            for row in whole["props"].to_pylist()
        ]

    def test_may_allow_nulls_where_there_are_none_but_not_the_other_way(self, required):
        allowed = self.read(required, spark.StructType().add("k1", "long", nullable=True))
        assert allowed.schema.field("k1").nullable
        exact = self.read(required, spark.StructType().add("k1", "long", nullable=False))
        assert not exact.schema.field("k1").nullable
        with pytest.raises(InvalidInputError, match="column 'v' may be null in the table"):
            self.read(required, spark.StructType().add("v", "integer", nullable=False))

    @pytest.mark.parametrize(
        ("wanted", "message"),
        [
            (
                spark.StructType().add("id", "integer"),
                "column 'id' is of type bigint in the table, and the schema says int",
            ),
            (
                spark.StructType().add("id", "string"),
                "the schema says string: read it as what it is and cast it",
            ),
            (
                spark.StructType().add("idd", "long"),
                "the schema names 'idd', and the table has no such column; near matches: 'id'",
            ),
            (spark.StructType().add("id", "long").add("ID", "long"), "the schema has column 'id' twice"),
            (spark.StructType(), "the schema has no columns"),
        ],
    )
    def test_that_does_not_fit_says_why(self, refs, wanted, message):
        with pytest.raises(InvalidInputError, match=message):
            self.read(refs, wanted)

    def test_goes_together_with_a_filter_on_another_column(self, refs):
        table = self.read(refs, spark.StructType().add("cat", "string"), filter="id = 1")
        assert table.to_pylist() == [{"cat": "b"}]
