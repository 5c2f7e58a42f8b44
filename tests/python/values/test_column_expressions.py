"""`fb.col` compares, computes and joins as the columns of polars do, and Python never decides a comparison."""

from __future__ import annotations

import copy
import datetime as dt
import operator
import pickle
import random
import uuid
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import InvalidInputError
from floeberg.expressions import (
    ALWAYS_TRUE,
    AlwaysTrue,
    And,
    EqualTo,
    GreaterThan,
    NotEqualTo,
    Reference,
    Transformed,
    as_expression,
)

ROWS = pa.table(
    {
        "k": pa.array(range(8)),
        "i": pa.array([1, 2, 3, None, 5, -1, 2, None], pa.int64()),
        "s": pa.array(["a", "ab", None, "b", "", "a%", "A", None]),
        "f": pa.array([True, False, None, True, None, False, True, None]),
        "x": pa.array([1.5, -0.0, 0.0, None, 2.0, 1e300, -1.5, None]),
    }
)


def made(rows: pa.Table = ROWS, name: str = "ns.t", **more) -> fb.Table:
    catalog = fb.load_catalog("c", type="memory")
    catalog.create_namespace_if_not_exists("ns")
    table = catalog.create_table(name, rows.schema, **more)
    table.append(rows)
    return table


@pytest.fixture(scope="module")
def table():
    return made(name="ns.read")


def kept(found: pa.Table) -> list[int]:
    return sorted(found["k"].to_pylist())


def condition(draw: random.Random, depth: int):
    """A function that makes the same condition of the columns of polars, and of ours."""
    if depth and draw.random() < 0.6:
        one, other = condition(draw, depth - 1), condition(draw, depth - 1)
        return draw.choice(
            [
                lambda col, lit: one(col, lit) & other(col, lit),
                lambda col, lit: one(col, lit) | other(col, lit),
                lambda col, lit: ~one(col, lit),
                lambda col, lit: (one(col, lit) & other(col, lit)).is_null(),
            ]
        )
    compare = draw.choice([operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge])
    name, value = draw.choice(
        [("i", draw.randint(-1, 5)), ("x", draw.choice([0.0, -1.5, 2.0])), ("s", draw.choice("ab"))]
    )
    listed = draw.sample([-1, 1, 2, 3, 7], draw.randint(0, 3))
    return draw.choice(
        [
            lambda col, lit: compare(col(name), value),  # noqa: ARG005 - one form
            lambda col, lit: compare(value, col(name)),  # noqa: ARG005 - one form
            lambda col, lit: compare(col(name), lit(value)),
            lambda col, lit: col(name).is_null(),  # noqa: ARG005 - one form
            lambda col, lit: col(name).is_not_null(),  # noqa: ARG005 - one form
            lambda col, lit: col("i").is_in(listed),  # noqa: ARG005 - one form
            lambda col, lit: col("f"),  # noqa: ARG005 - one form
            lambda col, lit: col("f") == True,  # noqa: ARG005, E712 - as users write it
            lambda col, lit: col("x").is_nan(),  # noqa: ARG005 - one form
        ]
    )


@pytest.mark.parametrize("seed", range(150))
def test_the_rows_are_those_of_polars(table, seed):
    make = condition(random.Random(seed), 3)
    theirs = pl.from_arrow(ROWS).filter(make(pl.col, pl.lit))["k"].to_list()
    ours = make(fb.col, fb.lit)
    assert kept(table.scan(ours).to_arrow()) == sorted(theirs), ours
    assert kept(table.scan().filter(ours).to_arrow()) == sorted(theirs)
    assert table.scan(~ours & ours).count() == 0


@pytest.mark.parametrize("seed", range(60))
def test_a_delete_keeps_the_rows_that_polars_would_not_filter(seed):
    make = condition(random.Random(1000 + seed), 2)
    theirs = pl.from_arrow(ROWS).filter(make(pl.col, pl.lit))["k"].to_list()
    changed = made(format_version=random.Random(seed).choice([2, 3]), name=f"ns.delete{seed}")
    done = changed.delete(make(fb.col, fb.lit))
    assert done.deleted_rows == len(theirs)
    assert kept(changed.scan().to_arrow()) == sorted(set(range(8)) - set(theirs))


CHANGES = {
    "delete": lambda table, given: table.delete(given),
    "overwrite": lambda table, given: table.overwrite(ROWS.slice(0, 0), given),
    "update": lambda table, given: table.update({"s": "updated"}, given),
    "delete by source": lambda table, given: (
        table.merge(ROWS.slice(0, 0), on="k").when_not_matched_by_source_delete(given).execute()
    ),
    "update by source": lambda table, given: (
        table.merge(ROWS.slice(0, 0), on="k")
        .when_not_matched_by_source_update({"s": "updated"}, given)
        .execute()
    ),
    "delete matched": lambda table, given: (
        table.merge(ROWS.select(["k"]), on="k").when_matched_delete(given).execute()
    ),
    "transaction": lambda table, given: in_transaction(table, given),  # noqa: PLW0108 - it is defined below
}


def in_transaction(table, given):
    with table.transaction() as transaction:
        transaction.delete(given)


def lance(tmp_path) -> fb.LanceTable:
    return fb.lance.create_table(str(tmp_path / "t.lance"), ROWS)


def both(tmp_path):
    yield made(name=f"ns.{tmp_path.name}"), CHANGES
    only = {"delete", "update", "delete by source", "update by source", "delete matched"}
    yield lance(tmp_path), {name: change for name, change in CHANGES.items() if name in only}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("kind", ["iceberg", "lance"])
def test_a_comparison_hits_the_rows_where_it_is_true(tmp_path, kind, change):
    if kind == "lance" and change in {"overwrite", "transaction"}:
        pytest.skip("an overwrite of a Lance table replaces all rows, and it has no transactions")
    table = made(name=f"ns.{tmp_path.name}") if kind == "iceberg" else lance(tmp_path)
    CHANGES[change](table, fb.col("i") != 2)
    found = table.scan().to_arrow().sort_by("k")
    # Not the nulls, 3 and 7, and not the twos, 1 and 6.
    if "update" in change:
        assert [
            k for k, s in zip(found["k"].to_pylist(), found["s"].to_pylist(), strict=True) if s == "updated"
        ] == [0, 2, 4, 5]
    else:
        assert kept(found) == [1, 3, 6, 7]


BOOLS = [True, False, np.bool_(True), np.bool_(False)]


@pytest.mark.parametrize("given", BOOLS, ids=repr)
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("kind", ["iceberg", "lance"])
def test_a_bool_is_no_filter(tmp_path, kind, change, given):
    if kind == "lance" and change in {"overwrite", "transaction"}:
        pytest.skip("as above")
    table = made(name=f"ns.{tmp_path.name}") if kind == "iceberg" else lance(tmp_path)
    with pytest.raises(InvalidInputError, match="comparison|bool"):
        CHANGES[change](table, given)
    assert table.refresh().scan().to_arrow().sort_by("k") == ROWS
    with pytest.raises(InvalidInputError, match="bool"):
        table.scan(given)
    with pytest.raises(InvalidInputError, match="bool"):
        table.scan().filter(given)


@pytest.mark.parametrize("kind", ["iceberg", "lance"])
def test_a_delete_of_all_rows_is_spelled_out(tmp_path, kind):
    table = made(name=f"ns.{tmp_path.name}") if kind == "iceberg" else lance(tmp_path)
    for wrong in (
        {},
        {"delete_filter": None},
        {"delete_filter": "k = 1", "delete_all": True},
        {"delete_all": 1},
    ):
        with pytest.raises(InvalidInputError, match="delete_all"):
            table.delete(**wrong)
    assert table.refresh().scan().count() == 8
    assert table.delete("k = 0").deleted_rows == 1
    assert table.delete(delete_all=True).deleted_rows == 7
    assert table.scan().count() == 0


@pytest.mark.parametrize("all_rows", [AlwaysTrue(), ALWAYS_TRUE, "true", fb.lit(True)])
def test_a_filter_for_all_rows_is_one(all_rows):
    table = made(name=f"ns.all{uuid.uuid4().hex}")
    assert table.delete(all_rows).deleted_rows == 8


def test_no_expression_has_a_truth_value():
    a, b = fb.col("a"), fb.col("b")
    for decide in (
        lambda: bool(a),
        lambda: bool(a == 1),
        lambda: not a,
        lambda: (a == 1) and (b == 2),
        lambda: (a == 1) or (b == 2),
        lambda: 1 < a < 3,
        lambda: a in [1, 2],
        lambda: 1 in a,
        lambda: list(a),
        lambda: max(a, b),
        lambda: {a: 1},
        lambda: 1 if fb.sql_expr("a = 1") else 2,
        lambda: bool(fb.lit(True)),
    ):
        with pytest.raises(TypeError):
            decide()
    with pytest.raises(TypeError, match="&, | and ~"):
        bool(a == 1)
    with pytest.raises(AttributeError, match="is_in"):
        a.isin([1])
    with pytest.raises(AttributeError, match="is_null"):
        a.isNull()
    for wrong in (lambda: a & True, lambda: False | (a == 1), lambda: a & 3):
        with pytest.raises(TypeError, match="expression"):
            wrong()
    for wrong in (lambda: a == None, lambda: a < None, lambda: a.is_in([1, None]), lambda: a.is_in("ab")):  # noqa: E711
        with pytest.raises(InvalidInputError):
            wrong()


def test_terms_are_not_compared_with_anything_else():
    assert Reference("id") == "id" and Reference("id") == Reference("id") and Reference("id") != "x"
    assert Transformed("day", "id") == Transformed("day", "id") and Transformed("day", "id") != Reference(
        "id"
    )
    assert (
        hash(Reference("id")) == hash("id")
        and len({Reference("id"), Reference("id"), Transformed("day", "id")}) == 2
    )
    for term in (Reference("id"), Transformed("day", "id")):
        for other in (3, 3.0, None, True, dt.date(2026, 1, 1), Decimal(1), b"a", fb):
            for compare in (operator.eq, operator.ne):
                with pytest.raises(TypeError, match=r"fb\.col\('id'\)"):
                    compare(term, other)
        with pytest.raises(TypeError):
            assert term < 3
    assert pickle.loads(pickle.dumps(Reference("a"))) == "a"


def test_filters_are_compared_by_value():
    assert (EqualTo("a", 1) == EqualTo("a", 1)) is True and (EqualTo("a", 1) != EqualTo("a", 2)) is True
    assert EqualTo(Reference("a"), 1) == EqualTo("a", 1)


def test_expressions_join_filters_and_text(table):
    two = fb.col("i") == 2
    for joined in (
        two & GreaterThan("k", 2),
        GreaterThan("k", 2) & two,
        two & "k > 2",
        And(two, GreaterThan("k", 2)),
    ):
        assert kept(table.scan(joined).to_arrow()) == [6]
    for joined in (two | EqualTo("k", 0), EqualTo("k", 0) | two):
        assert kept(table.scan(joined).to_arrow()) == [0, 1, 6]
    # An expression stays null where the column is, on either side; a filter object is never null.
    for joined in (~((fb.col("i") != 2) & EqualTo("k", 3)), ~(EqualTo("k", 3) & (fb.col("i") != 2))):
        assert kept(table.scan(joined).to_arrow()) == [0, 1, 2, 4, 5, 6, 7]
    assert kept(table.scan(~NotEqualTo("i", 2)).to_arrow()) == [1, 6]
    assert kept(table.scan(NotEqualTo("i", 2)).to_arrow()) == [0, 2, 3, 4, 5, 7]
    assert kept(table.scan(fb.col("i") != 2).to_arrow()) == [0, 2, 4, 5]
    assert kept(table.scan("i != 2").to_arrow()) == [0, 2, 4, 5]
    assert kept(table.scan(fb.sql_expr("i != 2")).to_arrow()) == [0, 2, 4, 5]
    assert kept(table.scan(~fb.sql_expr("i != 2")).to_arrow()) == [1, 6]
    assert kept(table.scan(fb.sql_expr("i != 2") & (fb.col("k") > 2)).to_arrow()) == [4, 5]


def test_methods(table):
    assert kept(table.scan(fb.col("i").between(2, 3)).to_arrow()) == [1, 2, 6]
    assert kept(table.scan(~fb.col("i").between(2, 3)).to_arrow()) == [0, 4, 5]
    assert kept(table.scan(fb.col("s").starts_with("a")).to_arrow()) == [0, 1, 5]
    assert kept(table.scan(~fb.col("s").starts_with("a%")).to_arrow()) == [0, 1, 3, 4, 6]
    assert kept(table.scan(fb.col("i").is_in(pa.array([1, 5]))).to_arrow()) == [0, 4]
    assert kept(table.scan(fb.col("i").is_in(np.array([1, 5]))).to_arrow()) == [0, 4]
    assert kept(table.scan(fb.col("i").is_in(pd.Series([1, 5]))).to_arrow()) == [0, 4]
    assert kept(table.scan(fb.col("i").is_in(range(5))).to_arrow()) == [0, 1, 2, 6]
    assert kept(table.scan(fb.col("i").is_in([])).to_arrow()) == []
    long = [fb.col("k") == number for number in range(3000)]
    anything = long[0]
    for each in long[1:]:
        anything |= each
    assert table.scan(anything).count() == 8


@pytest.mark.parametrize(
    ("scalar", "rows"),
    [
        (np.int64(2), [1, 6]),
        (np.int8(2), [1, 6]),
        (np.array([2])[0], [1, 6]),
        (pa.scalar(2), [1, 6]),
        (pd.Series([2]).iloc[0], [1, 6]),
        (Decimal(2), [1, 6]),
    ],
    ids=repr,
)
def test_scalars_of_other_libraries_on_either_side(table, scalar, rows):
    assert kept(table.scan(fb.col("i") == scalar).to_arrow()) == rows
    if not isinstance(scalar, pa.Scalar):  # pyarrow's raise by themselves.
        assert kept(table.scan(scalar == fb.col("i")).to_arrow()) == rows


@pytest.mark.parametrize(
    ("given", "rows"),
    [
        (fb.col("i") == fb.col("k"), []),
        (fb.col("i") + 1 == 2, [0]),
        (fb.col("i").cast("long") == 2, [1, 6]),
        (fb.lit(1) == fb.lit(1), [0, 1, 2, 3, 4, 5, 6, 7]),
        (-fb.col("i") > 0, [5]),
        ((fb.col("i") == 1) == fb.col("f"), [0, 1, 5]),
    ],
    ids=repr,
)
def test_a_filter_may_compute(table, given, rows):
    assert kept(table.scan(given).to_arrow()) == rows
    with pytest.raises(InvalidInputError, match="not a filter|condition"):
        as_expression(fb.lit(3))


VALUES = [
    lambda col, lit: col("i") + 1,  # noqa: ARG005 - one form
    lambda col, lit: 10 - col("i") * 2,  # noqa: ARG005 - one form
    lambda col, lit: -(col("i") - 3),  # noqa: ARG005 - one form
    lambda col, lit: (col("i") + 7) % 4,  # noqa: ARG005 - one form
    lambda col, lit: col("i") * col("k") - col("i"),  # noqa: ARG005 - one form
    lambda col, lit: (col("i") + lit(1)) * 2,
]


@pytest.mark.parametrize("number", range(len(VALUES)))
@pytest.mark.parametrize("kind", ["iceberg", "lance"])
def test_new_values_are_computed_as_by_polars(tmp_path, kind, number):
    theirs = pl.from_arrow(ROWS).select(VALUES[number](pl.col, pl.lit).alias("i"))["i"].to_list()
    table = made(name=f"ns.{tmp_path.name}") if kind == "iceberg" else lance(tmp_path)
    table.update({"i": VALUES[number](fb.col, fb.lit)})
    assert table.scan().to_arrow().sort_by("k")["i"].to_pylist() == theirs


CONSTANTS = [
    ("long", 7),
    ("long", -(2**63)),
    ("double", 0.1),
    ("double", -1e300),
    ("double", float("inf")),
    ("double", float("-inf")),
    ("decimal(20,4)", Decimal("-12.3400")),
    ("string", 'it\'s \\ "quoted" %_'),
    ("boolean", True),
    ("date", dt.date(2026, 2, 28)),
    ("timestamp", dt.datetime(2026, 2, 28, 1, 2, 3, 456789)),  # noqa: DTZ001 - without a zone
    ("timestamptz", dt.datetime(2026, 2, 28, 1, 2, 3, tzinfo=dt.timezone.utc)),
    ("time", dt.time(23, 59, 59, 999999)),
    ("uuid", uuid.UUID(int=2**100 + 5)),
]


@pytest.mark.parametrize(("kind", "value"), CONSTANTS, ids=repr)
def test_constants_mean_the_same_in_filters_conditions_and_values(kind, value):
    from floeberg.schema import Schema
    from floeberg.types import NestedField

    catalog = fb.load_catalog("constants", type="memory")
    catalog.create_namespace_if_not_exists("ns")
    name = f"ns.c{uuid.uuid4().hex}"
    table = catalog.create_table(name, Schema(NestedField(1, "k", "long"), NestedField(2, "c", kind)))
    table.append([{"k": 1, "c": value}, {"k": 2, "c": None}])
    assert kept(table.scan(fb.col("c") == value).to_arrow()) == [1]
    source = pa.table({"k": [1, 2, 3]})
    merge = table.merge(source, on="k").when_matched_update(
        {"c": fb.lit(value)}, fb.col("target.c").is_null()
    )
    assert merge.execute().updated_rows == 1
    assert kept(table.scan(fb.col("c") == value).to_arrow()) == [1, 2]
    merge = table.merge(source, on="k").when_matched_delete(fb.col("target.c") == value)
    assert merge.execute().deleted_rows == 2


def test_conditions_of_merges_compare_columns():
    table = made(name="ns.joined")
    source = pa.table({"k": [1, 2, 3, 99], "i": [2, 0, 7, 5]})
    done = (
        table.merge(source, predicate=(fb.col("target.k") == fb.col("source.k")) & (fb.col("source.i") > 0))
        .when_matched_update({"i": fb.col("source.i") + 100}, fb.col("target.i") != fb.col("source.i"))
        .when_matched_update({"i": fb.col("target.i") * 1000})
        .when_not_matched_insert(
            {"k": fb.col("source.k") + 1}, fb.col("source.k").is_in([99]) & fb.col("source.i").is_not_null()
        )
        .when_not_matched_by_source_delete((fb.col("i") == 5) | fb.col("s").starts_with("a%"))
        .execute()
    )
    assert (done.updated_rows, done.inserted_rows, done.deleted_rows) == (2, 1, 4)
    found = dict(zip(*table.scan().to_arrow().select(["k", "i"]).to_pydict().values(), strict=True))
    # Of the row 3 the comparison of a null is null, so that the next clause computes null.
    assert found == {0: 1, 1: 2000, 2: 3, 3: None, 6: 2, 7: None, 100: None}


def test_nan_in_conditions():
    rows = pa.table({"k": [1, 2, 3], "x": [1.0, float("nan"), None]})
    for number, (given, deleted) in enumerate(
        [
            (fb.col("x").is_nan(), 1),
            (fb.col("x").is_not_nan(), 1),
            (~(fb.col("x") > 0), 1),
            (fb.col("x") != 1.0, 1),
        ]
    ):
        table = made(rows, f"ns.nan{number}")
        assert table.scan(given).count() == deleted
        merge = table.merge(rows.select(["k"]), on="k").when_matched_delete(given)
        assert merge.execute().deleted_rows == deleted


def test_the_text_of_a_value_is_sql_that_duckdb_reads():
    connection = duckdb.connect()
    connection.register("rows", ROWS)
    for value in (
        (fb.col("i") + 1) * 2 > 4,
        ~((fb.col("i") == 2) | fb.col("s").starts_with("a")),
        fb.col("i").is_in([1, 2]) & fb.col("s").is_not_null(),
        fb.col("x") / 2 >= 0.75,
        fb.col("i").cast("double") < 2.5,
    ):
        theirs = connection.sql(f"SELECT k FROM rows WHERE {value.to_sql()}").fetchall()
        table = made(name=f"ns.duckdb{uuid.uuid4().hex}")
        table.merge(ROWS.select(["k"]), on="k").when_matched_delete(value).execute()
        assert kept(table.scan().to_arrow()) == sorted(set(range(8)) - {k for (k,) in theirs})


def test_expressions_are_sent_and_shown():
    value = (fb.col("a.b") != 3) & ~fb.col("c").is_in([1, "x"]) | (
        fb.col("d").cast("decimal(9,2)") + 1 > fb.lit(2.5)
    )
    assert (
        repr(value)
        == "((col('a.b') != 3) & ~col('c').is_in([1, 'x'])) | ((col('d').cast('DECIMAL(9, 2)') + 1) > 2.5)"
    )
    for again in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
        assert repr(again) == repr(value)
    assert str(fb.col("x").as_filter()) == "x = TRUE"
