"""What comes in from users: damaged Arrow, other schemas, generators that raise, frames and dicts as rows."""

from __future__ import annotations

import datetime as dt
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from uuid import UUID, uuid4

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import floeberg as fb
from floeberg import transforms
from floeberg.errors import InvalidInputError

POSIX = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
NOT_TEXT = pa.array([b"ok", None, b"\xff\xfe", b"longer than a view holds \xff"])


@pytest.fixture
def catalog():
    catalog = fb.load_catalog(f"incoming-{uuid4()}", type="memory")
    catalog.create_namespace("n")
    return catalog


@pytest.fixture
def created(catalog):
    """Makes a table of these columns, with a row count of 0."""

    def create(columns, **keywords) -> fb.Table:
        columns = pa.schema(columns) if isinstance(columns, dict) else columns
        return catalog.create_table(f"n.t{len(catalog.list_tables('n'))}", columns, **keywords)

    return create


def numbers(*values: int, of=np.int32) -> pa.Buffer:
    return pa.py_buffer(np.array(values, of).tobytes())


def large() -> pa.Array:
    return NOT_TEXT.cast(pa.large_binary()).view(pa.large_string())


def views() -> pa.Array:
    return NOT_TEXT.cast(pa.binary_view()).view(pa.string_view())


def dictionary() -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array([0, None, 2, 3]), NOT_TEXT.view(pa.string()))


def runs() -> pa.Array:
    return pc.run_end_encode(NOT_TEXT.view(pa.string()))


@pytest.mark.parametrize("form", [lambda: NOT_TEXT.view(pa.string()), large, views, dictionary, runs])
def test_text_that_is_not_utf8_is_refused_with_its_row(created, form):
    table = created({"i": pa.int64(), "s": pa.string()})
    table.append(pa.table({"i": [1, 2], "s": ["good", "gut \u00fc\u6f22"]}))
    with pytest.raises(InvalidInputError, match="is not UTF-8") as caught:
        table.append(pa.table({"i": [1, 2, 3, 4], "s": form()}))
    assert caught.value.context == {"column": "s", "row": "2"}
    assert table.refresh().scan().count() == 2


def test_nested_text_that_is_not_utf8_is_refused_with_its_row(created):
    kind = pa.struct([("m", pa.map_(pa.string(), pa.list_(pa.string())))])
    table = created({"r": kind})
    lists = pa.ListArray.from_arrays([0, 1, 1, 3, 4], NOT_TEXT.view(pa.string()))
    maps = pa.MapArray.from_arrays([0, 2, 3, 4], pa.array(["a", "b", "c", "d"]), lists)
    rows = pa.table({"r": pa.StructArray.from_arrays([maps], ["m"])})
    with pytest.raises(InvalidInputError, match="is not UTF-8") as caught:
        table.append(rows)
    assert caught.value.context == {"column": "r.m.value.element", "row": "1"}


def test_bytes_of_null_rows_and_of_neighbours_may_be_anything(created):
    table = created({"s": pa.string(), "l": pa.list_(pa.string())})
    hidden = pa.Array.from_buffers(
        pa.string(), 3, [pa.py_buffer(b"\5"), numbers(0, 1, 3, 4), pa.py_buffer(b"a\xff\xfeb")]
    )
    texts = NOT_TEXT.view(pa.string())
    for form in (hidden, hidden.cast(pa.large_string())):
        table.append(pa.table({"s": form}))
    table.append(pa.table({"s": texts.slice(0, 2), "l": pa.ListArray.from_arrays([0, 1, 2], texts)}))
    found = table.scan().to_arrow().to_pylist()
    assert sorted(str(row["s"]) for row in found) == ["None", "None", "None", "a", "a", "b", "b", "ok"]
    assert [row["l"] for row in found if row["l"] is not None] == [["ok"], [None]]


def test_a_character_that_two_texts_share_is_none(created):
    table = created({"s": pa.string()})
    halves = pa.Array.from_buffers(pa.string(), 2, [None, numbers(0, 1, 2), pa.py_buffer("\u00fc".encode())])
    with pytest.raises(InvalidInputError, match="is not UTF-8") as caught:
        table.append(pa.table({"s": halves}))
    assert caught.value.context["row"] == "0"


DAMAGED = {
    "falling offsets": (
        pa.string(),
        lambda: pa.Array.from_buffers(pa.string(), 2, [None, numbers(0, 2, 1), pa.py_buffer(b"abc")]),
    ),
    "large falling offsets": (
        pa.binary(),
        lambda: pa.Array.from_buffers(
            pa.large_binary(), 2, [None, numbers(0, 9, 1, of=np.int64), pa.py_buffer(b"abc")]
        ),
    ),
    "negative offsets": (
        pa.string(),
        lambda: pa.Array.from_buffers(pa.string(), 2, [None, numbers(0, -2, 3), pa.py_buffer(b"abc")]),
    ),
    "falling lists": (
        pa.list_(pa.int8()),
        lambda: pa.Array.from_buffers(
            pa.list_(pa.int8()), 2, [None, numbers(0, 2, 1)], children=[pa.array([1, 2], pa.int8())]
        ),
    ),
    "lists of falling text": (
        pa.list_(pa.string()),
        lambda: pa.ListArray.from_arrays(
            [0, 2], pa.Array.from_buffers(pa.string(), 2, [None, numbers(0, 3, 1), pa.py_buffer(b"abc")])
        ),
    ),
    "views of lists": (
        pa.list_(pa.int8()),
        lambda: pa.Array.from_buffers(
            pa.list_view(pa.int8()),
            2,
            [None, numbers(0, 50), numbers(2, 2)],
            children=[pa.array([1, 2], pa.int8())],
        ),
    ),
    "falling maps": (
        pa.map_(pa.string(), pa.int8()),
        lambda: pa.Array.from_buffers(
            pa.map_(pa.string(), pa.int8()),
            2,
            [None, numbers(0, 2, 1)],
            children=[
                pa.StructArray.from_arrays(
                    [pa.array(["a", "b"]), pa.array([1, 2], pa.int8())], ["key", "value"]
                )
            ],
        ),
    ),
    "views": (
        pa.string(),
        lambda: pa.Array.from_buffers(
            pa.string_view(), 1, [None, numbers(100, 0, 7, 3), pa.py_buffer(bytes(200))]
        ),
    ),
    "an index": (
        pa.string(),
        lambda: pa.DictionaryArray.from_arrays(pa.array([5]), pa.array(["a"]), safe=False),
    ),
    "a negative index": (
        pa.string(),
        lambda: pa.DictionaryArray.from_arrays(pa.array([-1]), pa.array(["a"]), safe=False),
    ),
    "a dictionary of falling text": (
        pa.string(),
        lambda: pa.DictionaryArray.from_arrays(
            pa.array([1]),
            pa.Array.from_buffers(pa.string(), 2, [None, numbers(0, 3, 1), pa.py_buffer(b"abc")]),
        ),
    ),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_damaged_arrays_are_refused_and_touch_nothing(created, damage):
    kind, made = DAMAGED[damage]
    table = created({"x": kind})
    with pytest.raises(InvalidInputError, match="Arrow array is damaged") as caught:
        table.append(pa.record_batch({"x": made()}))
    assert caught.value.context == {"column": "x"}
    assert table.refresh().current_snapshot() is None
    with pytest.raises(InvalidInputError):
        table.overwrite(pa.record_batch({"x": made()}))
    with pytest.raises(InvalidInputError):
        table.write_recipe().write(pa.record_batch({"x": made()}), task="0")


@pytest.mark.parametrize("damage", ["falling offsets", "an index", "views", "a dictionary of falling text"])
def test_transforms_refuse_damaged_arrays(damage):
    with pytest.raises(InvalidInputError, match="Arrow array is damaged"):
        transforms.truncate(DAMAGED[damage][1](), 2)
    with pytest.raises(InvalidInputError, match="not UTF-8"):
        transforms.bucket(NOT_TEXT.view(pa.string()), 4)


def test_a_slice_of_a_good_array_is_taken(created):
    """Offsets of a slice do not begin at 0, and neighbours are not looked at."""
    table = created(
        {"s": pa.string(), "l": pa.list_(pa.int64()), "d": pa.string(), "f": pa.list_(pa.int64())}
    )
    whole = pa.table(
        {
            "s": pa.array([str(n) * 9 for n in range(100)]),
            "l": pa.array([[n] * (n % 3) for n in range(100)], pa.large_list(pa.int64())),
            "d": pa.array([str(n % 4) for n in range(100)]).dictionary_encode(),
            "f": pa.array([[n, n] for n in range(100)], pa.list_(pa.int64(), 2)),
        }
    )
    for start in (0, 7, 64, 99, 100):
        table.append(whole.slice(start, 9))
    found = table.scan().to_arrow().sort_by("s")
    wanted = pa.concat_tables(whole.slice(start, 9) for start in (0, 7, 64, 99)).sort_by("s")
    assert found.to_pylist() == wanted.to_pylist()


def deep(levels: int) -> pa.DataType:
    kind = pa.int32()
    for _ in range(levels):
        kind = pa.struct([("a", kind)])
    return kind


@pytest.mark.parametrize("levels", [200, 5000])
def test_schemas_that_nest_too_deep_are_refused_everywhere(created, levels):
    schema = pa.schema({"x": deep(levels)})
    reader = pa.RecordBatchReader.from_batches(schema, [])
    hidden = pa.schema({"x": pa.dictionary(pa.int8(), deep(levels))})
    table = created({"x": pa.int32()})
    calls = [
        lambda: created(schema),
        lambda: created(hidden),
        lambda: table.append(reader),
        lambda: table.append(reader, schema_mode="merge"),
        lambda: table.overwrite(reader),
        lambda: table.dynamic_partition_overwrite(reader),
        lambda: table.write_recipe().write(reader, task="0"),
        lambda: table.write_recipe().check_schema(schema),
        lambda: table.update_schema().union_by_name(schema),
        lambda: table.update_schema().add_column("y", schema.field("x").type),
    ]
    for call in calls:
        with pytest.raises(InvalidInputError, match="nested more than"):
            call()


def test_decimals_of_more_bits_than_their_type_has_digits_are_refused(created):
    table = created({"d": pa.decimal128(38, 0)})
    most = pa.py_buffer(bytes(32) + b"\xff" * 31 + b"\x7f")
    for digits in (10, 38):
        values = pa.Array.from_buffers(pa.decimal256(digits, 0), 2, [None, most])
        with pytest.raises(InvalidInputError, match="more than 38 digits") as caught:
            table.append(pa.table({"d": values}))
        assert caught.value.context == {"column": "d", "row": "1"}


def test_names_that_c_would_cut_are_refused(created):
    for schema in (pa.schema({"a\0b": pa.int32()}), pa.schema({"a": pa.struct([("b\0c", pa.int32())])})):
        with pytest.raises(InvalidInputError, match="NUL"):
            created(schema)


def test_what_is_written_can_be_loaded_again(catalog):
    """As deep as types may nest, in structs, lists and maps; and one level more is refused."""
    for number, (name, most, wrap) in enumerate(
        (
            ("struct", 40, lambda kind: pa.struct([("a", kind)])),
            ("list", 40, pa.list_),
            ("map", 20, lambda kind: pa.map_(pa.string(), kind)),
        )
    ):
        kind = pa.int32()
        for _ in range(most):
            kind = wrap(kind)
        table = catalog.create_table(f"n.{name}", pa.schema({"r": kind}), format_version=1 + number)
        table.append(pa.table({"r": pa.nulls(1, kind)}))
        loaded = catalog.load_table(f"n.{name}")
        assert loaded.scan().to_arrow().num_rows == 1
        with pytest.raises(InvalidInputError, match="more than 40 levels deep"):
            catalog.create_table("n.deeper", pa.schema({"r": wrap(kind)}))
        with (
            pytest.raises(InvalidInputError, match="more than 40 levels deep"),
            loaded.update_schema() as update,
        ):
            update.add_column("s", wrap(kind))
    with pytest.raises(fb.errors.FloebergError):
        catalog.load_table("n.deeper")


def test_a_batch_of_another_schema_than_its_reader_is_refused(created):
    table = created({"id": pa.int64()})
    for other in ({"id": ["x"]}, {"id": [1], "more": [2]}, {"other": [1]}, {"id": pa.array([1], pa.int32())}):
        reader = pa.RecordBatchReader.from_batches(
            pa.schema({"id": pa.int64()}), iter([pa.record_batch({"id": [1]}), pa.record_batch(other)])
        )
        with pytest.raises(InvalidInputError, match="another schema"):
            table.append(reader)
    strict = pa.schema([pa.field("id", pa.int64(), nullable=False)])
    batches = [pa.RecordBatch.from_arrays([pa.array([1])], schema=strict)]
    table.append(pa.RecordBatchReader.from_batches(pa.schema({"id": pa.int64()}), iter(batches)))
    assert table.scan().count() == 1


class OwnError(Exception):
    """One of a user."""


@pytest.mark.parametrize(
    "raised",
    [OwnError("mine"), KeyboardInterrupt("x"), SystemExit(3), pa.ArrowInvalid("own"), ValueError("v")],
)
@pytest.mark.parametrize("after", [0, 5])
def test_what_a_generator_raises_comes_out_as_it_went_in(created, raised, after):
    table = created({"id": pa.int64()})
    schema = pa.schema({"id": pa.int64()})
    raised.__cause__ = cause = RuntimeError("why")

    def batches():
        for number in range(after):
            yield pa.record_batch({"id": [number]}, schema)
        raise raised

    with pytest.raises(type(raised)) as caught:
        table.append(pa.RecordBatchReader.from_batches(schema, batches()))
    assert caught.value is raised
    assert caught.value.__cause__ is cause
    assert table.refresh().current_snapshot() is None


def test_a_stream_of_another_library_that_fails_is_a_wrong_argument(created):
    class Failing:
        def __arrow_c_stream__(self, requested_schema=None):
            def batches():
                yield pa.record_batch({"id": [1]})
                raise OwnError("no more rows")

            reader = pa.RecordBatchReader.from_batches(pa.schema({"id": pa.int64()}), batches())
            return reader.__arrow_c_stream__(requested_schema)

    table = created({"id": pa.int64()})
    with pytest.raises(InvalidInputError, match="no more rows"):
        table.append(Failing())


def test_rows_are_asked_for_on_the_thread_that_called(created):
    table = created({"id": pa.int64()})
    threads = set()

    def batches():
        for number in range(20):
            threads.add(threading.get_ident())
            yield pa.record_batch({"id": [number]})

    table.append(pa.RecordBatchReader.from_batches(pa.schema({"id": pa.int64()}), batches()))
    assert threads == {threading.get_ident()}
    assert table.scan().count() == 20


def test_a_write_that_fails_asks_for_no_more_rows(created):
    table = created({"id": pa.int32()})
    asked = 0

    def batches():
        nonlocal asked
        while True:
            asked += 1
            # Rows that are there at once would all be asked for before any is looked at.
            time.sleep(0.001)
            yield pa.record_batch({"id": pa.array([2**40])})

    with pytest.raises(InvalidInputError, match="1099511627776"):
        table.append(pa.RecordBatchReader.from_batches(pa.schema({"id": pa.int64()}), batches()))
    assert asked < 1000


INTERRUPTED = """
import sys, time
import pyarrow as pa
import floeberg as fb
schema = pa.schema({"id": pa.int64(), "s": pa.string()})
catalog = fb.load_catalog("interrupted", type="memory")
catalog.create_namespace("n")
table = catalog.create_table("n.t", schema)
class Own:
    def __init__(self): self.bytes = bytearray(b"abcd")
def batches():
    import numpy as np
    for number in range(100_000):
        %s
        yield pa.record_batch({"id": pa.array(np.arange(1000)), "s": pa.array(["x"] * 1000)}, schema=schema)
print("go", flush=True)
try:
    table.append(pa.RecordBatchReader.from_batches(schema, batches()))
except KeyboardInterrupt:
    print("KeyboardInterrupt", table.refresh().current_snapshot())
    sys.exit(0)
"""


@POSIX
@pytest.mark.parametrize("waits", ["time.sleep(0.02)", "time.sleep(0.0005)", "time.sleep(60)"])
def test_a_program_whose_append_was_interrupted_ends_in_peace(waits):
    for turn in range(3):
        job = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(INTERRUPTED) % waits],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert job.stdout.readline() == "go\n"
        time.sleep(0.3 + 0.1 * turn)
        job.send_signal(signal.SIGINT)
        out, err = job.communicate(timeout=60)
        assert (job.returncode, out) == (0, "KeyboardInterrupt None\n"), err


def test_several_threads_read_one_reader(refs):
    table = refs.open()
    for reader in (table.scan().to_arrow_batch_reader(), table.inspect.to_arrow_batch_reader("all_entries")):

        def rows(reader=reader):
            found = 0
            while True:
                try:
                    found += reader.read_next_batch().num_rows
                except StopIteration:
                    return found

        with ThreadPoolExecutor(8) as pool:
            counts = [future.result() for future in [pool.submit(rows) for _ in range(8)]]
        assert sum(counts) in (table.scan().count(), table.inspect.all_entries().num_rows)


@pytest.mark.parametrize(
    ("column", "rows", "row", "value"),
    [
        (pa.int32(), pa.array([1, None, 2**31 - 1, -(2**31)]), None, None),
        (pa.int32(), pa.array([1, None, 2**31]), "2", "2147483648"),
        (pa.int32(), pa.array([-(2**31) - 1]), "0", "-2147483649"),
        (pa.int32(), pa.array([7], pa.uint32()), None, None),
        (pa.int32(), pa.array([7, 2**32 - 1], pa.uint32()), "1", "4294967295"),
        (pa.int64(), pa.array([2**63 - 1], pa.uint64()), None, None),
        (pa.int64(), pa.array([2**63], pa.uint64()), "0", "9223372036854775808"),
        (pa.int32(), pa.array([2**63], pa.uint64()), "0", "9223372036854775808"),
        (pa.int32(), pa.array([3, 3]).dictionary_encode(), None, None),
    ],
)
def test_wider_integers_are_taken_where_each_fits(created, column, rows, row, value):
    table = created({"x": column})
    if row is None:
        table.append(pa.table({"x": rows}))
        assert table.scan().to_arrow()["x"].to_pylist() == rows.to_pylist()
        return
    with pytest.raises(InvalidInputError, match=f"is {value}, and the column is {column}") as caught:
        table.append(pa.table({"x": rows}))
    assert caught.value.context == {"column": "x", "row": row}


def test_wider_integers_below_null_structs_do_not_count(created):
    table = created({"r": pa.struct([("x", pa.int32())])})
    hidden = pa.StructArray.from_arrays([pa.array([2**40, 5])], ["x"], mask=pa.array([True, False]))
    table.append(pa.table({"r": hidden}))
    assert table.scan().to_arrow()["r"].to_pylist() == [None, {"x": 5}]


def test_frames_say_what_the_columns_of_a_table_are(created):
    frame = pd.DataFrame({"id": [1, 2], "s": ["a", None]}, index=[7, 8])
    duckdb = pytest.importorskip("duckdb")
    frames = [frame, pl.from_pandas(frame), pa.Table.from_pandas(frame, preserve_index=False)]
    frames += [frames[-1].to_batches()[0], frames[-1].to_reader(), duckdb.sql("select 1::bigint id, 'a' s")]
    for given in frames:
        table = created(given)
        assert [(field.name, str(field.field_type)) for field in table.schema().fields] == [
            ("id", "long"),
            ("s", "string"),
        ]
    reader = frames[2].to_reader()
    table = created(reader)
    table.append(reader)
    assert table.scan().to_arrow().to_pylist() == frames[2].to_pylist()
    with pytest.raises(InvalidInputError, match="a frame, found an object of type int"):
        created(5)


EVERYTHING = {
    "b": pa.bool_(),
    "i": pa.int32(),
    "l": pa.int64(),
    "f": pa.float32(),
    "d": pa.float64(),
    "n": pa.decimal128(9, 2),
    "day": pa.date32(),
    "t": pa.time64("us"),
    "ts": pa.timestamp("us"),
    "tz": pa.timestamp("us", "UTC"),
    "s": pa.string(),
    "u": pa.uuid(),
    "x": pa.binary(),
    "y": pa.binary(2),
    "r": pa.struct([("a", pa.int64()), ("b", pa.list_(pa.string()))]),
    "m": pa.map_(pa.string(), pa.int64()),
}
ROW = {
    "b": True,
    "i": 1,
    "l": 2**40,
    "f": 0.5,
    "d": 1.25,
    "n": Decimal("12.30"),
    "day": dt.date(2020, 1, 2),
    "t": dt.time(1, 2, 3, 4),
    "ts": dt.datetime(2020, 1, 2, 3),  # noqa: DTZ001
    "tz": dt.datetime(2020, 1, 2, 3, tzinfo=dt.timezone.utc),
    "s": "\u00fc",
    "u": UUID(int=7),
    "x": b"\xff",
    "y": b"ab",
    "r": {"a": 1, "b": ["x", None]},
    "m": {"k": 1},
}


def test_dicts_are_rows(created):
    table = created(pa.schema(EVERYTHING))
    table.append([ROW, {}, {"i": 2}])
    first, *others = table.scan().to_arrow().to_pylist()
    assert first | {"m": dict(first["m"]), "u": ROW["u"]} == ROW
    assert others == [dict.fromkeys(EVERYTHING), dict.fromkeys(EVERYTHING) | {"i": 2}]
    table.append([])
    table.overwrite([{"i": np.int32(5)}])
    table.append([{"i": 6, "more": "x"}], schema_mode="merge")
    assert str(table.schema().find_field("i").field_type) == "int"
    assert sorted((row["i"], row["more"]) for row in table.scan().to_arrow().to_pylist()) == [
        (5, None),
        (6, "x"),
    ]
    receipt = table.write_recipe().write([{"i": 7}], task="0")
    assert receipt.rows == 1
    table.append([{"i": 2**31}], schema_mode="merge")
    assert str(table.schema().find_field("i").field_type) == "long"


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("b", 1),
        ("i", 2**31),
        ("i", 1.5),
        ("i", True),
        ("i", "1"),
        ("f", 1e300),
        ("n", Decimal("1.234")),
        ("n", 0.5),
        ("day", dt.datetime(2020, 1, 2, 3)),  # noqa: DTZ001
        ("t", dt.time(1, tzinfo=dt.timezone.utc)),
        ("ts", dt.datetime(2020, 1, 2, 3, tzinfo=dt.timezone.utc)),
        ("ts", 5),
        ("ts", pd.Timestamp(1)),
        ("ts", pd.NaT),
        ("tz", dt.datetime(2020, 1, 2, 3)),  # noqa: DTZ001
        ("s", b"a"),
        ("s", "\udcff"),
        ("u", "00000000-0000-0000-0000-00000000000"),
        ("x", "a"),
        ("y", b"abc"),
        ("r", 5),
        ("r.b", "text"),
        ("m", ["k"]),
    ],
)
def test_values_that_a_column_does_not_have_are_refused(created, column, value):
    table = created(pa.schema(EVERYTHING))
    name, _, below = column.partition(".")
    wrong = {name: {below: value} if below else value}
    with pytest.raises(InvalidInputError) as caught:
        table.append([ROW, wrong])
    assert caught.value.context == {"column": column, "row": "1"}
    assert table.refresh().current_snapshot() is None


def test_dicts_with_other_keys_are_refused(created):
    table = created({"r": pa.struct([("a", pa.int64())])})
    for rows, said in (
        ([{"q": 1}], '"q" is not in the table'),
        ([{"r": {"a": 1, "q": 2}}], '"r.q" is not in the table'),
        ([{5: 1}], "name of a column"),
        ([{"r": None}, 7], "list of dicts"),
        ([{}], "no columns"),
    ):
        with pytest.raises(InvalidInputError, match=said):
            table.append(rows)


def test_a_default_stands_where_no_row_has_the_column(created):
    table = created({"a": pa.int64()}, format_version=3)
    with table.update_schema() as update:
        update.add_column("b", "int", default_value=7)
    table.append([{"a": 1}])
    table.append([{"a": 2}, {"a": 3, "b": 3}])
    found = {row["a"]: row["b"] for row in table.scan().to_arrow().to_pylist()}
    assert found == {1: 7, 2: None, 3: 3}


def point(code: int, *numbers: float) -> bytes:
    return b"\1" + code.to_bytes(4, "little") + np.array(numbers, "<f8").tobytes()


def test_geometries_are_looked_at(created):
    kind = fb.types.PrimitiveType("geometry")
    schema = fb.types.Schema(fb.types.NestedField(1, "g", kind, required=False))
    table = created(schema, format_version=3)
    good = [point(1, 1, 2), None, point(3001, 1, 2, 3, 4), b"\0" + (2).to_bytes(4, "big") + bytes(4)]
    for form in (pa.binary(), pa.large_binary(), pa.binary_view()):
        table.append(pa.table({"g": pa.array(good, form)}))
    assert table.scan().to_arrow()["g"].to_pylist() == good * 3
    for wrong, why in (
        (b"", "cut off"),
        (b"POINT (1 2)", "byte order"),
        (point(1, 1), "cut off"),
        (point(1, 1, 2) + b"x", "ends after 21 of its 22 bytes"),
        (point(0x80000001, 1, 2, 3), "EWKB"),
        (point(8), "unknown type 8"),
        (b"\1\2\0\0\0\xff\xff\xff\xff", "too short for"),
        (b"\1\7\0\0\0\1\0\0\0" * 1000, "deeper"),
        (b"\1\4\0\0\0\1\0\0\0\1\2\0\0\0\0\0\0\0", "which its collection does not allow"),
    ):
        with pytest.raises(InvalidInputError, match=why) as caught:
            table.append(pa.table({"g": pa.array([good[0], wrong], pa.binary())}))
        assert caught.value.context == {"column": "g", "row": "1"}
