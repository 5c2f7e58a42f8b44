"""Filters may compute: rows match where an expression of values is true, as in SQL.

Random ones are compared with DuckDB; `properties/sql_expressions.py` lists what differs, and why.
"""

from __future__ import annotations

import os
import pickle
import re
import uuid

import duckdb
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import floeberg as fb
from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.expressions import And, Condition, EqualTo, Not, as_expression, from_json, parse
from properties.sql_expressions import SCHEMA, VALUES, expressions

EXAMPLES = int(os.environ.get("FLOEBERG_PROPERTIES", "0"))
ROWS = pa.table(
    {
        "k": pa.array(range(6)),
        "part": pa.array(["x", "x", "y", "y", "z", None]),
        "price": pa.array([1.5, None, 3.0, 10.0, float("nan"), 0.0]),
        "quantity": pa.array([2, 3, None, 5, 1, 0], pa.int32()),
        "name": pa.array(["ann", "Bo", None, "ANN", "", "é"]),
        "inner": pa.array([{"a": 1}, {"a": 5}, None, {"a": None}, {"a": 7}, {"a": -7}]),
    }
)
EXPECTED = {
    "price * quantity > 10": [3],
    "NOT price * quantity > 10": [0, 4, 5],
    "upper(name) = 'ANN'": [0, 3],
    "upper(name) <> 'ANN'": [1, 4, 5],
    "NOT (upper(name) = 'ANN' OR k > 4)": [1, 4],
    "CASE WHEN quantity > 2 THEN 1 WHEN quantity = 0 THEN NULL ELSE 0 END = 1": [1, 3],
    "k = quantity": [],
    "k < quantity AND part = 'x'": [0, 1],
    "name LIKE '%n'": [0],
    "name ILIKE '%N' OR length(name) = 1": [0, 3, 5],
    "inner.a + 1 > k": [0, 1, 4],
    "coalesce(inner.a, 0) = 0": [2, 3],
    "(price > 2) IS NOT TRUE": [0, 1, 4, 5],
    "quantity <> 0 AND 6 / quantity > 2": [0, 4],
    "quantity = 0 OR 6 / quantity < 2": [3, 5],
    "price <> price": [4],
    "name IS DISTINCT FROM part": [0, 1, 2, 3, 4, 5],
    "part IN (lower(name), 'z')": [4],
    "1 = 1 AND k = 2": [2],
    "2 = 1 OR k = 2": [2],
}
KINDS = ["v1", "v2", "v3", "lance"]


def table_of(tmp_path, kind: str, rows: pa.Table = ROWS, partition: str | None = None):
    if kind == "lance":
        table = fb.lance.create_table(str(tmp_path / f"{uuid.uuid4().hex}.lance"), rows.slice(0, 0))
    else:
        catalog = fb.load_catalog("c", type="memory")
        catalog.create_namespace_if_not_exists("ns")
        name = f"ns.t{uuid.uuid4().hex}"
        table = catalog.create_table(name, rows.schema, format_version=int(kind[1]))
        if partition is not None:
            with table.update_spec() as update:
                update.add_field(partition, "identity")
    middle = rows.num_rows // 2
    for some in (rows.slice(0, middle), rows.slice(middle)):
        table.append(some)
    return table


def kept(found: pa.Table, name: str = "k") -> list[int]:
    return sorted(found[name].to_pylist())


@pytest.mark.parametrize("kind", KINDS)
def test_rows_match_where_an_expression_is_true(tmp_path, kind):
    table = table_of(tmp_path, kind, partition="part")
    for text, expected in EXPECTED.items():
        scan = table.scan(row_filter=text, selected_fields=("k",))
        assert scan.to_arrow().column_names == ["k"]
        assert kept(scan.to_arrow()) == expected, text
        assert scan.count() == len(expected), text
        assert kept(pickle.loads(pickle.dumps(scan)).to_arrow()) == expected, text


COLUMNS = {
    "a product": (fb.col("price") * fb.col("quantity") > 10, [3]),
    "its opposite": (~(fb.col("price") * fb.col("quantity") > 10), [0, 4, 5]),
    "two columns": (fb.col("k") < fb.col("quantity"), [0, 1, 3]),
    "a test beside": ((fb.col("k") * 2 > 2) & (fb.col("part") == "y"), [2, 3]),
    "a filter beside": ((fb.col("k") * 2 > 2) & EqualTo("part", "y"), [2, 3]),
    "a text beside": ((fb.col("k") % 2 == 1) | "upper(name) = 'ANN'", [0, 1, 3, 5]),
    "values of a text": (fb.sql_expr("length(name) + 1") > 3, [0, 3]),
    "null": ((fb.col("price") + fb.col("quantity")).is_null(), [1, 2]),
    "nan": ((fb.col("price") + 1).is_nan(), [4]),
    "one of some": ((fb.col("k") + 1).is_in([1, 3]), [0, 2]),
    "one of none": ((fb.col("k") + 1).is_in([]), []),
    "a cast": (fb.col("quantity").cast("string").starts_with("5"), [3]),
    "a bool of a cast": (fb.col("quantity").cast("boolean"), [0, 1, 3, 4]),
    "a negative": (-fb.col("k") < -3, [4, 5]),
    "constants": (fb.lit(1) == fb.lit(1), [0, 1, 2, 3, 4, 5]),
}


@pytest.mark.parametrize("kind", ["v2", "lance"])
def test_columns_of_python_compute(tmp_path, kind):
    table = table_of(tmp_path, kind)
    for name, (given_filter, expected) in COLUMNS.items():
        assert kept(table.scan(given_filter).to_arrow()) == expected, name
        assert kept(table.scan(str(as_expression(given_filter))).to_arrow()) == expected, name


def test_tests_beside_an_expression_leave_out_files(tmp_path):
    table = table_of(tmp_path, "v2", partition="part")
    every = len(table.scan().plan_files())
    assert len(table.scan("price * 2 > 1").plan_files()) == every
    plan = table.scan("part = 'x' AND price * 2 > 1").plan_files()
    assert (len(plan), plan.residuals()) == (1, [Condition("price * 2 > 1")])
    assert len(table.scan("k > 3 AND (part = 'x' OR price * 2 > 1)").plan_files()) < every


@pytest.mark.parametrize("kind", KINDS)
def test_deletes_and_updates_by_an_expression(tmp_path, kind):
    for text, expected in EXPECTED.items():
        left = sorted(set(range(6)) - set(expected))
        for mode in ({}, {"mode": "merge-on-read"}) if kind in {"v2", "v3"} else ({},):
            table = table_of(tmp_path, kind, partition="part")
            table.delete(text, **mode)
            assert kept(table.scan().to_arrow()) == left, (text, mode)
            assert table.scan(text).count() == 0
        table = table_of(tmp_path, kind)
        done = table.update({"name": "changed"}, text)
        assert done.updated_rows == len(expected), text
        assert kept(table.scan("name = 'changed'").to_arrow()) == expected, text


def test_rows_that_are_deleted_are_not_computed(tmp_path):
    for kind in KINDS:
        table = table_of(tmp_path, kind)
        with pytest.raises(InvalidInputError, match="divide by zero"):
            table.scan("6 / quantity > 2").to_arrow()
        table.delete("quantity = 0", **({"mode": "merge-on-read"} if kind in {"v2", "v3"} else {}))
        assert kept(table.scan("6 / quantity > 2").to_arrow()) == [0, 4], kind


def test_an_expression_reads_metadata_columns_and_changed_columns(tmp_path):
    table = table_of(tmp_path, "v3")
    assert kept(table.scan("_pos * 2 = 4").to_arrow()) == [2, 5]
    assert kept(table.scan("length(_file) > 3 AND k > 3").to_arrow()) == [4, 5]
    with table.update_schema() as update:
        update.update_column("quantity", "long")
        update.add_column("late", "int")
        update.rename_column("price", "cost now")
    table.append(
        pa.table(
            {"k": [6], "quantity": pa.array([2**40]), "late": pa.array([7], pa.int32()), "cost now": [1.0]}
        )
    )
    assert kept(table.scan("quantity * 2 > 8").to_arrow()) == [3, 6]
    assert kept(table.scan("late + k > 0").to_arrow()) == [6]
    assert kept(table.scan("coalesce(late, 0) = 0 AND k > 3").to_arrow()) == [4, 5]
    assert kept(table.scan('"cost now" * 2 >= 6').to_arrow()) == [2, 3]
    assert kept(table.scan("K * 2 = 4", case_sensitive=False).to_arrow()) == [2]


def test_a_delete_means_the_columns_that_it_was_made_for():
    catalog = fb.load_catalog("c", type="memory")
    catalog.create_namespace_if_not_exists("ns")
    name = f"ns.t{uuid.uuid4().hex}"
    catalog.create_table(name, ROWS.schema).append(ROWS)
    first, second = catalog.load_table(name), catalog.load_table(name)
    with second.update_schema() as update:
        update.rename_column("quantity", "price of one")
    first.delete("k + quantity > 3")
    assert kept(catalog.load_table(name).scan().to_arrow()) == [0, 2]


def test_changes_are_filtered_by_an_expression(tmp_path):
    table = table_of(tmp_path, "v2")
    table.delete("k = 3")
    found = table.changelog_scan(row_filter="price * quantity > 10").to_arrow()
    assert sorted(zip(found["k"].to_pylist(), found["_change_type"].to_pylist(), strict=True)) == [
        (3, "DELETE"),
        (3, "INSERT"),
    ]


def test_groups_of_tasks_carry_the_expression(tmp_path):
    table = table_of(tmp_path, "v2", partition="part")
    plan = table.scan("NOT price * quantity > 10 AND k < 5").plan_files()
    groups = pickle.loads(pickle.dumps(plan.split(target_size=1)))
    found = [row["k"] for group in groups for row in group.to_arrow().to_pylist()]
    assert sorted(found) == [0, 4]


def test_objects_of_expressions():
    condition = Condition("price * 2 > 10")
    assert parse("price * 2 > 10 AND k = 1") == And(condition, EqualTo("k", 1))
    assert repr(condition) == "Condition(text='price * 2 > 10')"
    assert str(Not(condition)) == "(price * 2 > 10) IS NOT TRUE"
    assert from_json(condition.to_json()) == condition
    assert pickle.loads(pickle.dumps(condition)) == condition
    assert hash(condition) == hash(Condition("price * 2 > 10"))
    assert condition != Condition("price * 2 > 11")


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("price * 2 >", InvalidInputError, "position 12, at its end: expected a value"),
        ("price * 2", InvalidInputError, "position 7, near"),
        ("sum(price) > 2 AND k = 1", InvalidInputError, "no function is named sum"),
        (
            "k + sum(price) > 2",
            UnsupportedError,
            r'the filter has "sum\(price\) > 2", which is not supported',
        ),
        ("k + 1 = NULL", InvalidInputError, "nothing equals NULL"),
        ("nam = name", InvalidInputError, 'no column is named "nam"; near matches: "name"'),
        ('name = "ann"', InvalidInputError, "texts stand in single quotes, as in 'ann'"),
        ("name + 1 > 2", InvalidInputError, 'the SQL expression "name \\+ 1 > 2" cannot be computed'),
        ("coalesce(k, 1)", InvalidInputError, "expected a condition, found"),
        ("k = DATE '2020-13-01'", InvalidInputError, "position 5"),
        ("(" * 300 + "k + 1" + ")" * 300 + " > 1", fb.errors.LimitExceededError, "256 levels"),
    ],
)
def test_what_is_wrong_is_said_before_rows_are_read(tmp_path, text, kind, said):
    for table in (table_of(tmp_path, "v2"), table_of(tmp_path, "lance")):
        with pytest.raises(kind, match=said):
            table.scan(row_filter=text).plan_files()


def test_values_that_are_no_condition_are_no_filter(tmp_path):
    table = table_of(tmp_path, "v2")
    for value in (fb.col("k") + 1, -fb.col("k"), fb.sql_expr("k + 1"), fb.lit(3), fb.lit("x")):
        with pytest.raises(InvalidInputError, match="expected a condition|not a filter|condition"):
            table.scan(value)
    with pytest.raises(InvalidInputError, match=r'overflow: .*, in "quantity \* \d+ \* \d+" at position 1'):
        table.scan("quantity * 2147483647 * 9223372036854775807 > k").count()


def in_filter(text):
    """A text as filters have it, where names of partition transforms are no functions of dates."""
    return re.sub(r"\b(YEAR|MONTH|DAY|HOUR)\(", r"EXTRACT(\1 FROM ", text)


def is_understood(condition):
    """Whether a condition is no NULL by itself, or beside AND, OR and NOT, which is refused."""
    try:
        parse(in_filter(condition[0]))
    except InvalidInputError as error:
        if "nothing equals NULL" in str(error):
            return False
        raise
    return True


DRAWN = st.fixed_dictionaries({name: st.one_of(st.none(), values) for name, values in VALUES.items()})


@pytest.mark.parametrize("kind", KINDS)
@settings(
    max_examples=EXAMPLES or 8,
    derandomize=not EXAMPLES,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_a_drawn_filter_matches_the_rows_that_duckdb_says(tmp_path, kind, data):
    drawn = data.draw(st.lists(DRAWN, min_size=2, max_size=14), "rows")
    rows = pa.Table.from_pylist([{"row": number, **each} for number, each in enumerate(drawn)], SCHEMA)
    partition = data.draw(st.sampled_from([None, "i", "s", "b", "day"]), "partition")
    table = table_of(tmp_path, kind, rows, partition)
    gone = data.draw(st.sets(st.integers(0, rows.num_rows - 1), max_size=3), "deleted")
    if gone:
        table.delete(f"row IN ({', '.join(map(str, gone))})")
    with duckdb.connect() as peer:
        peer.register("given", rows)
        left = f"row NOT IN ({', '.join(map(str, gone or {-1}))})"
        conditions = data.draw(
            st.lists(expressions("bool", 3).filter(is_understood), min_size=3, max_size=6), "conditions"
        )
        for number, (written, theirs, _) in enumerate(conditions):
            ours = in_filter(written)
            if number % 2:
                ours, theirs = f"row > 1 AND ({ours})", f"row > 1 AND ({theirs})"  # noqa: PLW2901 - a test beside
            if number % 3 == 2:
                ours, theirs = f"NOT ({ours}) OR i = 3", f"NOT ({theirs}) OR i = 3"  # noqa: PLW2901 - its opposite
            query = f"SELECT row FROM given WHERE ({theirs}) AND {left} ORDER BY row"
            expected = [row for (row,) in peer.sql(query).fetchall()]
            assert kept(table.scan(ours).to_arrow(), "row") == expected, ours
        table.delete(ours)
        assert kept(table.scan().to_arrow(), "row") == sorted(
            set(range(rows.num_rows)) - gone - set(expected)
        ), ours
