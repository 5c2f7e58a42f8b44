"""Do columns of uuids and of bytes of a fixed length take what other libraries hold them in?"""

from __future__ import annotations

import uuid

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import floeberg as fb
from floeberg import errors
from floeberg.schema import Schema
from floeberg.types import ListType, NestedField, StructType

ONE, TWO = uuid.UUID(int=2**127 + 5), uuid.uuid4()


@pytest.fixture
def catalog(tmp_path):
    catalog = fb.load_catalog(f"uuids {uuid.uuid4()}", type="memory", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    return catalog


@pytest.fixture(params=["parquet", "avro"])
def table(catalog, request):
    schema = Schema(
        NestedField(1, "id", "long"), NestedField(2, "u", "uuid"), NestedField(3, "f", "fixed[3]")
    )
    properties = {"write.format.default": request.param}
    return catalog.create_table("ns.t", schema, properties=properties)


def found(table):
    rows = table.scan().to_arrow().sort_by("id")
    return [
        None if each is None else uuid.UUID(bytes=bytes(each))
        for each in rows["u"].cast(pa.binary(16)).to_pylist()
    ]


TEXTS = [str(ONE), None, str(TWO).upper()]
BYTES = [ONE.bytes, None, TWO.bytes]
FORMS = {
    "string": pa.array(TEXTS),
    "large_string": pa.array(TEXTS, pa.large_string()),
    "string_view": pa.array(TEXTS, pa.string_view()),
    "dictionary": pa.array(TEXTS).dictionary_encode(),
    "binary": pa.array(BYTES, pa.binary()),
    "large_binary": pa.array(BYTES, pa.large_binary()),
    "binary_view": pa.array(BYTES, pa.binary_view()),
    "fixed": pa.array(BYTES, pa.binary(16)),
    "uuid": pa.array(BYTES, pa.uuid()),
    "sliced": pa.array(["no", *TEXTS]).slice(1),
}


@pytest.mark.parametrize("form", FORMS)
def test_valid_ones_are_taken(table, form):
    table.append(pa.table({"id": [1, 2, 3], "u": FORMS[form]}))
    assert found(table) == [ONE, None, TWO]
    assert table.scan(f"u = '{ONE}'").count() == 1


def test_every_library_and_every_write(table):
    table.append([{"id": 1, "u": ONE}, {"id": 2, "u": str(TWO)}, {"id": 3, "u": None}])
    table.append(pd.DataFrame({"id": [4], "u": [str(ONE)]}))
    table.append(pl.DataFrame({"id": [5, 6], "u": [str(TWO), None]}))
    table.append(pl.DataFrame({"id": [7], "u": [ONE.bytes], "f": [b"abc"]}))
    assert found(table) == [ONE, TWO, None, ONE, TWO, None, ONE]
    table.upsert(pa.table({"id": [3, 8], "u": [str(ONE), str(TWO)]}), ["id"])
    table.merge(pa.table({"id": [6], "u": [str(ONE)]}), on="id").when_matched_update(
        {"u": fb.col("source.u")}
    ).execute()
    table.update({"u": str(TWO)}, "id = 1")
    table.update({"u": TWO}, "id = 4")
    assert found(table) == [TWO, TWO, ONE, TWO, TWO, ONE, ONE, TWO]
    table.overwrite(pa.table({"id": [1], "u": [str(ONE)]}), "id = 1")
    assert found(table)[0] == ONE


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["no"], "expected a uuid like"),
        ([str(ONE).replace("-", "")], "expected a uuid like"),
        (["{" + str(ONE) + "}"], "expected a uuid like"),
        (["é" * 18], "expected a uuid like"),
        ([b"short"], "has 5 bytes, and the column takes values of 16 bytes"),
        ([b""], "has 0 bytes"),
    ],
)
def test_invalid_ones_are_refused(table, values, said):
    good = [str(ONE)] if isinstance(values[0], str) else [ONE.bytes]
    with pytest.raises(errors.InvalidInputError, match=said) as raised:
        table.append(pa.table({"id": [1, 2], "u": good + values}))
    assert (raised.value.context["column"], raised.value.context["row"]) == ("u", "1")
    assert table.refresh().current_snapshot() is None


def test_bytes_of_a_fixed_length(table):
    table.append(pa.table({"id": [1], "f": [b"abc"]}))
    with pytest.raises(errors.InvalidInputError, match="has 2 bytes, and the column takes values of 3 bytes"):
        table.append(pa.table({"id": [1], "f": [b"ab"]}))
    assert table.scan().to_arrow()["f"].to_pylist() == [b"abc"]


def test_below_lists_and_structs(catalog):
    inner = StructType(NestedField(4, "u", "uuid"))
    schema = Schema(
        NestedField(1, "many", ListType(2, "uuid", element_required=False)), NestedField(3, "s", inner)
    )
    table = catalog.create_table("ns.nested", schema)
    table.append(pa.table({"many": [[str(ONE), None], None], "s": [{"u": str(TWO)}, None]}))
    rows = table.scan().to_arrow()
    assert rows["many"].to_pylist() == [[ONE, None], None] or rows["many"].to_pylist() == [
        [ONE.bytes, None],
        None,
    ]
    # What is below a null counts for nothing.
    hidden = pa.StructArray.from_arrays([pa.array(["no", str(ONE)])], ["u"], mask=pa.array([True, False]))
    table.append(pa.table({"s": hidden}))
    assert table.scan().count() == 4


@pytest.mark.parametrize(
    ("wanted", "values", "remedy"),
    [
        ("long", pd.DataFrame({"c": [1, None]}), lambda it: it.astype("Int64")),
        (
            "long",
            pl.DataFrame({"c": [1.0, float("nan")]}),
            lambda it: it.with_columns(pl.col("c").fill_nan(None).cast(pl.Int64)),
        ),
        ("long", pa.table({"c": ["7"]}), lambda it: it.cast(pa.schema({"c": pa.int64()}))),
        ("string", pa.table({"c": [7]}), lambda it: it.cast(pa.schema({"c": pa.string()}))),
        ("date", pa.table({"c": ["2020-01-01"]}), lambda it: it.cast(pa.schema({"c": pa.date32()}))),
        ("double", pa.table({"c": [7]}), lambda it: it.cast(pa.schema({"c": pa.float64()}))),
        (
            "decimal(10, 2)",
            pa.table({"c": [7]}),
            lambda it: it.cast(pa.schema({"c": pa.decimal128(38, 0)})).cast(
                pa.schema({"c": pa.decimal128(10, 2)})
            ),
        ),
    ],
)
def test_advice_can_be_followed(catalog, wanted, values, remedy):
    table = catalog.create_table("ns.t", Schema(NestedField(1, "c", wanted)))
    with pytest.raises(errors.InvalidInputError, match="cast it to|Int64"):
        table.append(values)
    table.append(remedy(values))
    assert table.scan().count() == len(values)
