"""Filters as objects, as text and as JSON."""

from __future__ import annotations

import pickle
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from uuid import UUID

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from floeberg import errors
from floeberg import expressions as fx

ONE_OF_EACH = [
    fx.AlwaysTrue(),
    fx.AlwaysFalse(),
    fx.IsNull("a"),
    fx.NotNull("a"),
    fx.IsNaN("a"),
    fx.NotNaN("a"),
    fx.EqualTo("a", 1),
    fx.NotEqualTo("a", 1),
    fx.LessThan("a", 1),
    fx.LessThanOrEqual("a", 1),
    fx.GreaterThan("a", 1),
    fx.GreaterThanOrEqual("a", 1),
    fx.StartsWith("a", "x"),
    fx.NotStartsWith("a", "x"),
    fx.In("a", [1, 2]),
    fx.NotIn("a", [1, 2]),
    fx.And(fx.IsNull("a"), fx.IsNull("b")),
    fx.Or(fx.IsNull("a"), fx.IsNull("b")),
    fx.Not(fx.IsNull("a")),
    fx.EqualTo(fx.Transformed("bucket[16]", "a"), 3),
]

LITERALS = st.one_of(
    st.booleans(),
    st.integers(-(2**127), 2**127 - 1),
    st.floats(allow_nan=False),
    st.text(),
    st.binary(),
    st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**30), max_value=10**30),
    st.dates(),
    st.times(),
    st.datetimes(),
    st.datetimes(timezones=st.just(timezone.utc)),
    st.uuids(),
)


@pytest.mark.parametrize("expression", ONE_OF_EACH, ids=repr)
def test_an_expression_is_frozen_hashable_picklable_and_told_by_its_repr(expression):
    again = pickle.loads(pickle.dumps(expression))
    assert again == expression
    assert hash(again) == hash(expression)
    assert eval(repr(expression), vars(fx)) == expression
    with pytest.raises(AttributeError):
        expression.anything = 1


@pytest.mark.parametrize("expression", [each for each in ONE_OF_EACH if type(each) is not fx.Not], ids=repr)
def test_json_gives_back_what_was_written_as_json(expression):
    assert fx.from_json(expression.to_json()) == expression


def test_json_of_a_negation_is_read_as_the_opposite_test():
    assert fx.Not(fx.IsNull("a")).to_json() == {"type": "not", "child": {"type": "is-null", "term": "a"}}
    assert fx.from_json(fx.Not(fx.IsNull("a")).to_json()) == fx.NotNull("a")


@given(LITERALS)
def test_a_literal_comes_back_from_its_crossing_form(value):
    tree = fx._literals.to_tree(value)
    back = fx._literals.from_tree(tree)
    assert back == value
    assert type(back) is type(value)


@given(LITERALS)
def test_rust_takes_every_literal_and_gives_it_text(value):
    assert "a" in str(fx.EqualTo("a", value))


def test_operators_join_filters_flat():
    a, b, c = (fx.IsNull(name) for name in "abc")
    assert (a & b & c).children == (a, b, c)
    assert (a | b | c) == fx.Or(a, b, c)
    assert fx.And(fx.And(a, b), c) == fx.And(a, b, c)
    assert (~a).child == a


def test_literals_that_python_calls_equal_make_different_filters():
    assert fx.EqualTo("a", 1) != fx.EqualTo("a", True)
    assert fx.EqualTo("a", 1) != fx.EqualTo("a", 1.0)
    assert fx.In("a", [1, True, 1]).literals == (1, True)


def test_a_filter_has_no_truth_value():
    with pytest.raises(TypeError, match="combine filters with &"):
        bool(fx.IsNull("a"))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.int64(7), 7),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (np.str_("x"), "x"),
        (np.datetime64("2026-01-02"), date(2026, 1, 2)),
        (np.datetime64("2026-01-02T03:04:05.000006"), datetime(2026, 1, 2, 3, 4, 5, 6)),  # noqa: DTZ001
        (np.datetime64(1, "ns"), fx.TypedLiteral("timestamp_ns", 1)),
        (pd.Timestamp("2026-01-02T03:04:05Z"), datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)),
        (pd.Timestamp(1, unit="ns", tz="UTC"), fx.TypedLiteral("timestamptz_ns", 1)),
        (bytearray(b"x"), b"x"),
    ],
)
def test_scalars_of_other_libraries_become_plain_literals(value, expected):
    literal = fx.EqualTo("a", value).literal
    assert literal == expected
    assert type(literal) is type(expected)


def test_a_datetime_with_a_zone_is_a_moment_in_utc():
    berlin = timezone(timedelta(hours=2))
    assert fx.EqualTo("a", datetime(2026, 7, 1, 2, tzinfo=berlin)) == fx.EqualTo(
        "a", datetime(2026, 7, 1, tzinfo=timezone.utc)
    )


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "use IsNull"),
        (pd.NaT, "use IsNull"),
        (np.datetime64("NaT"), "use IsNull"),
        ([1], "type list cannot be a literal"),
        (np.array([1, 2]), "cannot be a literal"),
        (np.timedelta64(1, "s"), "cannot be a literal"),
        (Decimal("NaN"), "not a number"),
        (time(1, tzinfo=timezone.utc), "has no zone"),
    ],
)
def test_what_is_no_literal_is_refused_with_a_reason(value, reason):
    with pytest.raises(errors.InvalidInputError, match=reason):
        fx.EqualTo("a", value)


def test_a_number_that_no_column_can_hold_is_refused():
    with pytest.raises(errors.InvalidInputError, match="no column can hold"):
        str(fx.EqualTo("a", 2**127))


def test_membership_in_a_string_is_a_mistake():
    with pytest.raises(errors.InvalidInputError, match="expected a collection"):
        fx.In("a", "abc")


def test_a_tree_that_is_too_deep_is_refused_where_it_is_made():
    tree = fx.IsNull("a")
    for _ in range(255):
        tree = ~tree
    assert str(tree)
    assert pickle.loads(pickle.dumps(tree)) == tree
    with pytest.raises(errors.LimitExceededError, match="256"):
        fx.Not(tree)


def test_what_is_no_filter_is_a_clear_error():
    import pyarrow.compute as pc

    with pytest.raises(errors.UnsupportedError, match="pyarrow"):
        fx.as_expression(pc.field("a") + 1)
    with pytest.raises(errors.InvalidInputError, match="found int"):
        fx.as_expression(1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("id = 3", fx.EqualTo("id", 3)),
        ("id IN (1, 2)", fx.In("id", [1, 2])),
        ("name LIKE 'x%'", fx.StartsWith("name", "x")),
        ("d = DATE '2026-01-02'", fx.EqualTo("d", date(2026, 1, 2))),
        ("a IS NOT NAN", fx.NotNaN("a")),
        ("id <> 3", fx.And(fx.NotEqualTo("id", 3), fx.NotNull("id"))),
    ],
)
def test_text_means_what_sql_means(text, expected):
    assert fx.parse(text) in {expected, fx.And(*reversed(getattr(expected, "children", (expected,))))}


def test_text_that_is_no_filter_says_where():
    with pytest.raises(errors.InvalidInputError, match="position 6"):
        fx.parse("id = = 3")


def test_booleans_are_filters_in_json():
    assert fx.from_json(True) == fx.AlwaysTrue()
    assert fx.from_json("false") == fx.AlwaysFalse()
    with pytest.raises(errors.InvalidInputError, match="JSON"):
        fx.from_json("{")


def test_a_uuid_crosses_as_its_bytes():
    value = UUID("f79c3e09-677c-4bbd-a479-3f349cb785e7")
    assert fx._literals.to_tree(value) == ("uuid", value.bytes)
