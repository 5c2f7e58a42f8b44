"""Filters that look into variants: which rows they find, and which files, row groups and pages they leave out."""

from __future__ import annotations

import datetime
import operator
import re
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import floeberg as fb
from corpus.variant_bytes import table_of_variants, variants
from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.expressions import Condition, Not, from_json, parse

SHRED = {"write.parquet.shred-variants": "true"}
COMPARISONS = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "<>": operator.ne,
}
MOMENT = datetime.datetime(2024, 5, 6, tzinfo=datetime.timezone.utc)


def ids(table: fb.Table, row_filter: Any) -> list[int]:
    return sorted(table.refresh().scan(row_filter, selected_fields=["id"]).to_arrow()["id"].to_pylist())


def planned(table: fb.Table, row_filter: Any) -> int:
    return len(list(table.refresh().scan(row_filter).plan_files()))


def event(number: int) -> dict[str, Any]:
    return {
        "n": 100_000 + number,
        "user": {"name": f"user {number:03}", "first.name": f"first {number:03}"},
        "at": MOMENT + datetime.timedelta(days=number),
        "price": Decimal(number) / 4 + Decimal("0.01"),
        "score": number / 2 + 0.25,
        "tags": [number, number + 1],
        "kind": None if number % 3 else "view",
    }


@pytest.fixture(scope="module")
def events() -> Any:
    """Ten files of ten events, the ids of which follow each other."""
    with tempfile.TemporaryDirectory() as folder:
        table = table_of_variants(Path(folder), properties=SHRED)
        for file in range(10):
            numbers = range(file * 10, file * 10 + 10)
            table.append(variants([{"id": number, "v": event(number)} for number in numbers]))
            table = table.refresh()
        yield table


@pytest.mark.parametrize(
    ("text", "expected", "files"),
    [
        ("variant_get(v, '$.n', 'long') = 100042", [42], 1),
        ("variant_get(v, '$[''n'']', 'int') = 100042", [42], 1),
        ("v.n::bigint >= 100098", [98, 99], 1),
        ("100098 <= v.n::bigint", [98, 99], 1),
        ("CAST(v.user.name AS STRING) IN ('user 005', 'user 095')", [5, 95], 2),
        ("variant_get(v, '$.user[''first.name'']', 'string') = 'first 007'", [7], 1),
        ("v.at::timestamptz BETWEEN TIMESTAMPTZ '2024-05-08 00:00:00+00' AND '2024-05-09 00:00:00+00'", [2, 3], 1),
        ("v.price::decimal(9, 2) < 0.30", [0, 1], 1),
        ("v.score::double > 49.5", [99], 1),
        ("variant_get(v, '$.tags[1]', 'long') = 100", [99], 10),
        ("v.user.name IS NULL", [], 10),
        ("v.kind IS NOT NULL AND v.n::bigint < 100004", [0, 3], 1),
        ("v.n::bigint < 100002 AND id > 0", [1], 1),
        ("v.n::bigint < 100001 OR v.n::bigint > 100098", [0, 99], 2),
        ("NOT (v.n::bigint < 100099)", [99], 10),
        ("try_variant_get(v, '$.user', 'long') = 3", [], 10),
        ("v.n::bigint = 100042.5", [], 0),
    ],
)  # fmt: skip
def test_a_field_of_a_variant_is_tested_and_leaves_out_files(events, text, expected, files) -> None:
    assert ids(events, text) == expected
    assert planned(events, text) == files
    assert events.scan(text).count() == len(expected)


def test_python_json_and_text_say_the_same(events) -> None:
    field = fb.col("v").variant_get("$.n", "long")
    call = {
        "type": "apply",
        "function": "variant_get",
        "arguments": [{"type": "reference", "name": "v"}, "$.n", "long"],
    }
    filters = {
        "text": "variant_get(v, '$.n', 'long') < 100003",
        "Python": field < 100_003,
        "Python by path": fb.col("v.n").cast("long") < 100_003,
        "JSON": from_json({"type": "lt", "left": call, "right": 100_003}),
        "older JSON": from_json({"type": "lt", "term": call, "value": 100_003}),
        "mirrored JSON": from_json({"type": "gt", "left": 100_003, "right": call}),
        "set of JSON": from_json({"type": "in", "child": call, "values": [100_000, 100_001, 100_002]}),
    }
    for name, each in filters.items():
        assert ids(events, each) == [0, 1, 2], name
        assert planned(events, each) == 1, name
        assert ids(events, from_json(parse(str(each)).to_json()) if name == "text" else each) == [0, 1, 2]


def test_json_is_two_valued(tmp_path) -> None:
    table = table_of_variants(tmp_path)
    table.append(
        variants([{"id": 1, "v": {"a": "xy"}}, {"id": 2, "v": {"a": "z"}}, {"id": 3, "v": {}}, {"id": 4}])
    )
    column = {"type": "reference", "name": "v"}
    call = {"type": "apply", "function": ["variant_get"], "arguments": [column, "$.a", "string"]}
    tests = {
        "eq": ({"right": "z"}, [2]),
        "not-eq": ({"right": "z"}, [1, 3, 4]),
        "starts-with": ({"right": "x"}, [1]),
        "not-starts-with": ({"right": "x"}, [2, 3, 4]),
    }
    for kind, (right, expected) in tests.items():
        assert ids(table, from_json({"type": kind, "left": call} | right)) == expected, kind
    for kind, expected in {"is-null": [3, 4], "not-null": [1, 2]}.items():
        assert ids(table, from_json({"type": kind, "child": call})) == expected, kind
    for kind, expected in {"in": [2], "not-in": [1, 3, 4]}.items():
        for side in ("child", "left", "term"):
            assert ids(table, from_json({"type": kind, side: call, "values": ["z"]})) == expected, (
                kind,
                side,
            )
    number = call | {"arguments": [column, "$.a", "double"]}
    with pytest.raises(InvalidInputError, match="a text where a value of type double"):
        ids(table, from_json({"type": "is-nan", "child": number}))
    with pytest.raises(InvalidInputError, match="three arguments"):
        from_json({"type": "is-null", "child": call | {"arguments": ["v", "$.a"]}})


def test_references_by_id_have_the_names_of_a_schema(tmp_path) -> None:
    table = table_of_variants(tmp_path)
    table.append(variants([{"id": 1, "v": {"a": 5}}, {"id": 2, "v": {"a": 6}}]))
    by_id = {"type": "eq", "left": {"type": "reference", "id": 1}, "right": 2}
    assert ids(table, from_json(by_id, schema=table.schema())) == [2]
    call = {
        "type": "apply",
        "function": "variant_get",
        "arguments": [{"type": "reference", "id": 2}, "$.a", "int"],
    }
    both = {"type": "and", "left": by_id, "right": {"type": "gt", "left": call, "right": 5}}
    assert ids(table, from_json(both, schema=table.schema())) == [2]
    listed = {"type": "in", "left": {"type": "reference", "id": 1}, "values": [1, 7]}
    assert ids(table, from_json(listed, schema=table.schema())) == [1]
    with pytest.raises(UnsupportedError, match="needs the schema"):
        from_json(by_id)
    for number in (77, -1, 2**40, "1", None):
        with pytest.raises(InvalidInputError, match="which no column of the schema has"):
            from_json(
                {"type": "is-null", "child": {"type": "reference", "id": number}}, schema=table.schema()
            )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("v.n > 5", "needs a type"),
        ("v > 5", "only be filtered by IS NULL"),
        ("variant_get(v, 'n', 'long') = 5", "does not begin with"),
        ("variant_get(v, '$.', 'long') = 5", "a name is expected"),
        ("variant_get(v, '$[x]', 'long') = 5", "quoted name or an index"),
        ("variant_get(v, '$.n', 'longer') = 5", "there is no type"),
        ("variant_get(v, '$.n') = 5", "path in quotes and a type"),
        ("variant_get(v, id, 'long') = 5", "path in quotes and a type"),
        ("variant_get(id, '$.n', 'long') = 5", "expected a column of variants"),
        ("w.n::bigint = 5", "no column is named"),
        ("v.user::bigint = 5", "an object where a value of type long"),
        ("v.n::date = DATE '2024-01-01'", "an integer where a value of type date"),
    ],
)
def test_what_is_wrong_is_said(events, text, message) -> None:
    with pytest.raises(InvalidInputError, match=message):
        events.scan(text).to_arrow()


def test_names_with_quotes_and_tags_are_names(tmp_path) -> None:
    table = table_of_variants(tmp_path, properties=SHRED)
    name = '<b>it\'s "ö" \\ \n</b>'
    for number in (1, 2):
        table.append(variants([{"id": number, "v": {name: number}}]))
        table = table.refresh()
    path = "$['" + name.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "']"
    found = fb.col("v").variant_get(path, "int") == 2
    assert ids(table, found) == [2]
    assert planned(table, found) == 1


def test_a_column_by_the_name_of_a_path_wins(tmp_path) -> None:
    catalog = fb.load_catalog("variant names", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    fields = [
        fb.types.NestedField(1, "id", fb.types.PrimitiveType("long"), required=False),
        fb.types.NestedField(2, "v", fb.types.PrimitiveType("variant"), required=False),
        fb.types.NestedField(3, "v.a", fb.types.PrimitiveType("long"), required=False),
    ]
    table = catalog.create_table("ns.t", fb.types.Schema(*fields), properties={"format-version": "3"})
    table.append(variants([{"id": 1, "v": {"a": 5, "b": 5}}]))
    assert ids(table, '"v.a"::bigint = 5') == []
    assert ids(table, "v.b::bigint = 5") == [1]


def test_row_groups_and_pages_are_left_out(tmp_path) -> None:
    properties = SHRED | {
        "write.parquet.row-group-size-bytes": "1",
        "write.parquet.row-group-check-min-record-count": "1000",
        "write.parquet.page-row-limit": "100",
        "write.parquet.compression-codec": "uncompressed",
    }
    table = table_of_variants(tmp_path, properties=properties)
    # A file has to be worth a look at its pages.
    text = "many words " * 60
    rows = [
        {"id": number, "v": {"n": 100_000 + number, "t": f"{text} {number * 7919}"}} for number in range(3000)
    ]
    table.append(variants(rows))
    (file,) = (task.file.file_path for task in table.refresh().scan().plan_files())
    assert pq.ParquetFile(file).num_row_groups == 3
    scan = table.refresh().scan("v.n::bigint = 101345")
    skipped = re.search(r"skipped 2 of 3 row groups, (\d+) of (\d+) pages", str(scan.explain(analyze=True)))
    assert skipped
    assert int(skipped[1]) == int(skipped[2]) - 1 > 5
    assert ids(table, "v.n::bigint = 101345") == [1345]


def values() -> st.SearchStrategy[Any]:
    numbers = st.integers(-3, 3) | st.integers(70_000, 70_003) | st.sampled_from([1.5, -2.0, float("nan")])
    others = st.sampled_from(["", "1", "b", None, True, Decimal("1.50"), Decimal(2), [1], {"x": 1}, MOMENT])
    return numbers | others


def in_long(value: Any) -> int | None:
    """What a value is as a long: whole numbers of any kind."""
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)) or value != value:  # noqa: PLR0124 - NaN
        return None
    return int(value) if value == int(value) else None


@settings(max_examples=60, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    files=st.lists(
        st.sampled_from([st.integers(-3, 3), st.integers(70_000, 70_003), values()]).flatmap(
            lambda drawn: st.lists(drawn, min_size=1, max_size=8)
        ),
        min_size=1,
        max_size=4,
    ),
    comparison=st.sampled_from(sorted(COMPARISONS)),
    literal=st.sampled_from([-3, 0, 2, 70_001]),
    shreds=st.booleans(),
    nested=st.booleans(),
)  # fmt: skip
def test_pruned_rows_are_the_rows_of_a_model(files, comparison, literal, shreds, nested) -> None:
    with tempfile.TemporaryDirectory() as folder:
        table = table_of_variants(Path(folder), properties=SHRED if shreds else {})
        number, expected, with_match = 0, [], 0
        for file in files:
            rows = []
            for value in file:
                rows.append({"id": number, "v": {"a": {"b": value}} if nested else {"b": value}})
                known = in_long(value)
                if known is not None and COMPARISONS[comparison](known, literal):
                    expected.append(number)
                number += 1
            with_match += any(row["id"] in expected for row in rows)
            table.append(variants(rows))
            table = table.refresh()
        path = "$.a.b" if nested else "$.b"
        wanted = f"try_variant_get(v, '{path}', 'long') {comparison} {literal}"
        assert ids(table, wanted) == expected, wanted
        assert planned(table, wanted) >= with_match
        others = sorted(set(range(number)) - set(expected))
        assert ids(table, Not(Condition(wanted))) == others
