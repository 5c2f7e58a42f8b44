"""Sources that other programs damaged, or that no column can hold, are errors on tables of both formats."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import InvalidDataError, InvalidInputError

NOT_UTF8 = pa.Array.from_buffers(
    pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\2\0\0\0"), pa.py_buffer(b"\xff\xfe")]
)
ROWS = pa.table({"id": pa.array([1], pa.int64()), "s": ["a"], "v": pa.array([1], pa.int64())})


@pytest.fixture(params=["iceberg", "lance"])
def table(request, tmp_path):
    if request.param == "lance":
        return fb.lance.create_table(str(tmp_path / "t.lance"), ROWS)
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("n")
    made = catalog.create_table("n.t", ROWS.schema, format_version=3)
    made.append(ROWS)
    return made


def content(table):
    return table.scan().to_arrow().to_pylist()


@pytest.mark.parametrize(
    "change",
    [
        lambda merge: merge.when_matched_update({"s": fb.sql_expr("upper(q)")}),
        lambda merge: merge.when_matched_delete("q LIKE '%a_'"),
        lambda merge: merge.when_matched_delete("st.q = 'a'"),
        lambda merge: merge.when_matched_delete(),
    ],
)
def test_a_text_that_is_not_utf8_is_never_computed_with(table, change):
    nested = pa.StructArray.from_arrays([NOT_UTF8], ["q"])
    source = pa.table({"id": pa.array([1], pa.int64()), "q": NOT_UTF8, "st": nested})
    with pytest.raises(InvalidInputError, match=r"not UTF-8 \(column: q, row: 0\)"):
        change(table.merge(source, on="id")).execute()
    with pytest.raises(InvalidInputError, match=r"not UTF-8 \(column: st, row: 0\)"):
        change(table.merge(source.drop_columns("q").append_column("q", ROWS["s"]), on="id")).execute()
    assert content(table) == ROWS.to_pylist()


def test_a_feed_whose_operation_or_order_is_not_utf8(table):
    ids = pa.array([1], pa.int64())
    for columns in ({"op": NOT_UTF8, "at": ids}, {"op": ["delete"], "at": NOT_UTF8}):
        with pytest.raises(InvalidInputError, match="not UTF-8"):
            table.apply_changes(pa.table({"id": ids, **columns}), keys=["id"], operation="op", order_by="at")
    assert content(table) == ROWS.to_pylist()


def test_what_a_null_hides_may_be_anything(table):
    offsets = pa.py_buffer(b"\0\0\0\0\2\0\0\0\3\0\0\0")
    hidden = pa.Array.from_buffers(pa.string(), 2, [pa.py_buffer(b"\2"), offsets, pa.py_buffer(b"\xff\xfeb")])
    source = pa.table({"id": pa.array([1, 2], pa.int64()), "s": hidden})
    merge = table.merge(source, on="id").when_matched_update({"s": fb.sql_expr("upper(source.s)")})
    merge.when_not_matched_insert(
        {"id": fb.col("source.id"), "s": fb.sql_expr("concat(source.s, '!')")}
    ).execute()
    found = sorted((row["id"], row["s"]) for row in content(table))
    assert found == [(1, None), (2, "b!")]


def test_a_decimal_of_more_digits_than_its_type(tmp_path):
    kind = pa.decimal128(5, 2)
    wide = pa.Array.from_buffers(kind, 1, [None, pa.py_buffer((10**20).to_bytes(16, "little"))])
    rows = pa.table({"id": [1], "d": pa.array([Decimal("1.00")], kind)})
    table = fb.lance.create_table(str(tmp_path / "t.lance"), rows)
    with pytest.raises(InvalidInputError, match="more than 5 digits"):
        table.upsert(pa.table({"id": [1], "d": wide}), ["id"])
    with pytest.raises(InvalidInputError, match="more than 5 digits"):
        table.update({"d": lambda _: wide})


def test_a_name_with_a_nul_is_not_cut(table, tmp_path):
    with pytest.raises(InvalidInputError, match="NUL"):
        table.merge(pa.table({"id\0x": [1], "v": [99]}), on="id").when_matched_update_all().execute()
    with pytest.raises(InvalidInputError, match="NUL"):
        table.append(pa.table({"id": [1], "s\0": ["x"]}))
    with pytest.raises(InvalidInputError, match="NUL"):
        fb.lance.create_table(str(tmp_path / "u.lance"), pa.table({"a\0b": [2]}))


def test_a_name_that_no_utf8_encodes(table):
    with pytest.raises(InvalidInputError, match="UTF-8 can encode"):
        table.update({"\ud800": 1})
    with pytest.raises(InvalidInputError, match="UTF-8 can encode"):
        table.merge(ROWS, on="\ud800").when_matched_delete().execute()


def test_a_first_chunk_of_views_without_rows(table):
    views = pa.record_batch(
        {"id": pa.array([1, 2, 3], pa.int64()), "s": pa.array(["x", "y", "z"], pa.string_view())}
    )
    source = pa.Table.from_batches([views.slice(2, 0), views.slice(1, 2)])
    table.upsert(source, ["id"])
    assert sorted(row["id"] for row in content(table)) == [1, 2, 3]


def test_a_name_of_both_sides_is_ambiguous(table):
    with pytest.raises(
        InvalidInputError, match=r"in the table and in the source: expected 'target.v' or 'source.v'"
    ):
        table.merge(ROWS, on="id").when_matched_delete("v = 1").execute()


def test_a_filter_of_texts_that_are_not_utf8(tmp_path):
    lance = pytest.importorskip("lance")
    table = fb.lance.create_table(str(tmp_path / "t.lance"), pa.table({"id": [1], "s": ["a"]}))
    lance.dataset(str(tmp_path / "t.lance")).insert(pa.table({"id": [2], "s": NOT_UTF8}))
    table = table.refresh()
    with pytest.raises(InvalidDataError, match=r"(?i)invalid utf.?8"):
        table.scan("upper(s) = 'A'").to_arrow()


def test_a_text_below_what_a_function_returns(table):
    nested = pa.StructArray.from_arrays([NOT_UTF8], ["q"])
    with pytest.raises(InvalidInputError, match="not UTF-8"):
        table.update({"s": lambda _: nested})
    assert content(table) == ROWS.to_pylist()
