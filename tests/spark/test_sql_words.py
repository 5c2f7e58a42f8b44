"""TokenReader of a statement that may mean two things: metadata columns and aliases, columns and time travel."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException

import floeberg.spark
from floeberg.errors import InvalidInputError, UnsupportedError
from lake import fill, make_lake, rows

MOMENTS = pa.schema({"timestamp": pa.int64(), "version": pa.int64()})


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    lake = make_lake(tmp_path_factory.mktemp("lake"))
    fill(lake, "sales.moments", MOMENTS, [{"timestamp": 1, "version": 2}])
    return lake


@pytest.fixture(scope="module")
def ask(spark, lake):
    return lambda text: rows(floeberg.spark.sql(spark, text, catalog=lake))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # An alias of the query's own, where Spark would take a column of the table.
        (
            "SELECT customer AS _pos, count(*) FROM sales.orders WHERE id < 4 GROUP BY _pos",
            [(None, 1), (1, 1), (2, 1), (3, 1)],
        ),
        ("SELECT id + 100 AS _pos, _pos + 1 AS more FROM sales.orders WHERE id = 12", [(112, 113)]),
        ("SELECT *, id AS _pos FROM sales.customers WHERE id = 3", [(3, "customer 3", 1, 3)]),
        ("SELECT x._pos FROM sales.orders o JOIN (SELECT 5L AS _pos) x ON o.id = x._pos", [(5,)]),
        ("SELECT _pos FROM sales.orders o JOIN (SELECT 5L AS _pos) x ON o.id = x._pos", [(5,)]),
        ("WITH x(_file) AS (VALUES (7L)) SELECT _file, id FROM x JOIN sales.orders ON id = _file", [(7, 7)]),
        ("SELECT e._pos FROM sales.orders LATERAL VIEW explode(array(4)) e AS _pos WHERE id = 1", [(4,)]),
        ("SELECT transform(array(id), _pos -> _pos + 1) FROM sales.orders WHERE id = 1", [([2],)]),
        ("SELECT id AS _pos FROM sales.orders WHERE id IN (3, 13) ORDER BY _pos DESC", [(13,), (3,)]),
        # The metadata column.
        ("SELECT _pos FROM sales.orders WHERE id = 13", [(3,)]),
        ("SELECT orders._pos, sales.orders._POS FROM sales.orders WHERE _pos = 3 AND id > 9", [(3, 3)]),
        ("SELECT max(_pos) AS _pos FROM sales.orders", [(9,)]),
        ("SELECT id % 2, max(_pos) AS _pos FROM sales.orders GROUP BY 1 ORDER BY _pos", [(0, 8), (1, 9)]),
        ("SELECT _pos FROM (SELECT _pos FROM sales.orders WHERE id = 13)", [(3,)]),
        ("SELECT o._pos FROM sales.orders o JOIN (SELECT 5L AS _pos) x ON o.id = x._pos + 8", [(3,)]),
        (
            "SELECT id FROM sales.orders o WHERE o.id > 9 AND EXISTS (SELECT 1 FROM range(3, 4) r WHERE r.id = _pos)",
            [(13,)],
        ),
        ("SELECT count(*) FROM sales.orders a JOIN sales.customers b USING (_pos) WHERE a.id < 3", [(3,)]),
        ("SELECT _spec_id, _partition IS NULL FROM sales.orders WHERE id = 1", [(0, True)]),
    ],
)
def test_words_of_metadata_columns_mean_what_the_query_means(ask, text, found):
    assert ask(text) == sorted(found, key=repr)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT id AS _pos, count(*) FROM sales.orders WHERE sales.orders._pos = 3 GROUP BY _pos",
        "SELECT _pos + 1 AS _pos, _pos AS other FROM sales.orders",
    ],
)
def test_a_word_with_both_meanings_is_refused(ask, text):
    with pytest.raises(
        UnsupportedError, match="_pos is a metadata column of 'orders' and a name of the query's own"
    ):
        ask(text)


def test_an_alias_is_not_seen_by_where(ask):
    with pytest.raises(AnalysisException, match="_pos"):
        ask("SELECT x.a FROM (SELECT id AS a FROM sales.orders) x WHERE _pos = 3")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SELECT timestamp AS of FROM sales.moments", [(1,)]),
        ("SELECT DISTINCT timestamp AS of, version AS of2 FROM sales.moments", [(1, 2)]),
        ("SELECT version AS of FROM sales.moments", [(2,)]),
        ("SELECT m.version AS of, m.timestamp AS off FROM sales.moments VERSION AS OF 'main' m", [(2, 1)]),
        (
            "SELECT of FROM (SELECT timestamp AS of FROM sales.moments TIMESTAMP AS OF current_timestamp())",
            [(1,)],
        ),
        ("SELECT count(*) FROM sales.customers, sales.moments VERSION AS OF 'main'", [(6,)]),
        ("SELECT timestamp AS of FROM (SELECT 5 AS timestamp)", [(5,)]),
    ],
)
def test_columns_may_be_called_version_and_timestamp(ask, text, found):
    assert ask(text) == found


def test_time_travel_of_what_is_not_ours_is_sparks(ask):
    with pytest.raises(AnalysisException):
        ask("SELECT * FROM nowhere.nothing TIMESTAMP AS OF id")
    with pytest.raises(InvalidInputError, match="sales.orders AS OF: expected a constant as .* found 'id'"):
        ask("SELECT * FROM sales.orders TIMESTAMP AS OF id")


def test_a_table_statement_says_what_to_write(ask):
    with pytest.raises(
        UnsupportedError,
        match=r"TABLE: 'sales.orders' is a table of a catalog: write SELECT \* FROM sales.orders",
    ):
        ask("TABLE sales.orders VERSION AS OF 1")
