"""Which table a name of a view means: that which it means to DuckDB, however common table expressions shadow names."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import floeberg as fb

NAMES = ("a", "b", "c")
names = st.sampled_from(NAMES)
numbers = st.integers(1, 9)


def combined(inner):
    """Queries of one column `x` that have other queries in them."""
    defined = st.lists(st.tuples(names, inner), min_size=1, max_size=2, unique_by=lambda each: each[0])
    with_tables = st.builds(
        lambda those, query: f"WITH {', '.join(f'{name} AS ({each})' for name, each in those)} {query}",
        defined,
        inner.filter(lambda query: not query.startswith("WITH")),
    )
    return st.one_of(
        with_tables,
        st.builds("SELECT x + {} AS x FROM ({}) AS q".format, numbers, inner),
        st.builds("SELECT x FROM {} WHERE x IN ({})".format, names, inner),
        st.builds("SELECT t.x FROM {} AS t WHERE EXISTS ({})".format, names, inner),
        st.builds("SELECT x FROM ({}) AS q UNION ALL SELECT x FROM ({}) AS r".format, inner, inner),
        st.builds("SELECT {0}.x FROM {0}, ({1}) AS q WHERE {0}.x = q.x".format, names, inner),
    )


queries = st.recursive(
    st.one_of(
        st.builds("SELECT x FROM {}".format, names),
        st.builds("SELECT {0}.x * 2 AS x FROM {0}".format, names),
        st.builds("SELECT {} AS x".format, numbers),
    ),
    combined,
    max_leaves=8,
)


@pytest.fixture(scope="module")
def lake():
    catalog = fb.load_catalog("names-of-views", type="memory")
    catalog.create_namespace("db")
    for number, name in enumerate(NAMES):
        catalog.create_table(f"db.{name}", as_select=pa.table({"x": [1 + number, 4 + number]}))
    return catalog


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(query=queries, is_view=st.sets(names))
def test_names_mean_what_they_mean_to_duckdb(lake, query, is_view):
    connection = duckdb.connect()
    for number, name in enumerate(NAMES):
        connection.sql(f"CREATE TABLE {name} AS SELECT unnest([{1 + number}, {4 + number}])::BIGINT AS x")
    schema = pa.schema({"x": pa.int64()})
    text = query
    for name in is_view:
        # The same rows behind a view of another name.
        lake.create_or_replace_view(f"db.view_of_{name}", schema, sql={"duckdb": f"SELECT x FROM {name}"})
        connection.sql(f"CREATE VIEW view_of_{name} AS SELECT x FROM {name}")
        text = f"{'SELECT x FROM (' + text + ') AS q'} UNION ALL SELECT x FROM view_of_{name}"
    expected = sorted(connection.sql(text).fetchall())
    view = lake.create_or_replace_view("db.v", schema, sql={"duckdb": text})
    found = view.scan("duckdb").to_arrow()["x"].to_pylist()
    assert sorted(found) == [value for (value,) in expected]
