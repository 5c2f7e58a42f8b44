"""Random SQL expressions have the values on random rows that DuckDB gives them.

`properties/sql_expressions.py` lists what differs, and why. `FLOEBERG_PROPERTIES=3000` tries so many expressions of
each kind, others each time; without it they are the same every time.
"""

from __future__ import annotations

import math
import os
from decimal import Decimal

import duckdb
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from computed_values import computed
from properties.sql_expressions import SHAPES, expressions, tables

EXAMPLES = int(os.environ.get("FLOEBERG_PROPERTIES", "0"))


@pytest.fixture(scope="module")
def peer():
    with duckdb.connect() as connection:
        yield connection


@pytest.mark.parametrize("kind", SHAPES)
@settings(
    max_examples=EXAMPLES or 60,
    derandomize=not EXAMPLES,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_an_expression_has_the_values_that_duckdb_gives_it(peer, kind, data):
    rows = data.draw(tables(), "rows")
    ours, theirs, _ = data.draw(expressions(kind, 3), "expression")
    batch = (
        rows.combine_chunks().to_batches()[0]
        if rows.num_rows
        else pa.RecordBatch.from_pylist([], rows.schema)
    )
    found = computed(ours, batch.column, batch.num_rows)
    if isinstance(found, pa.Scalar):
        found = pa.repeat(found, batch.num_rows)
    peer.register("given", rows)
    expected = peer.sql(f"SELECT {theirs} FROM given ORDER BY row").fetchall()
    assert len(found) == len(expected)
    for one, (other,) in zip(found.to_pylist(), expected, strict=True):
        assert is_same(one, other), (one, other)


def is_same(one, other):
    if one is None or other is None:
        return one is other
    if isinstance(one, float) or isinstance(other, float):
        both_nan = math.isnan(one) and math.isnan(other)
        return both_nan or math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9)
    if isinstance(one, (int, Decimal)) and not isinstance(one, bool):
        return Decimal(one) == Decimal(other)
    return one == other
