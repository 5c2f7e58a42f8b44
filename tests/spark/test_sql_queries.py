"""Queries of the shapes of TPC-H, over tables by name and over Spark's own views of the same rows."""

from __future__ import annotations

import pytest

import floeberg.spark
from lake import make_lake, rows

TABLES = ("orders", "customers", "lines")
QUERIES = [
    # 1: an aggregate of all rows up to a day that is computed.
    """SELECT note IS NULL AS n, sum(price), avg(price), count(*) FROM {orders}
       WHERE day <= date '2026-01-31' - interval '14' day GROUP BY 1 ORDER BY 1""",
    # 2: a correlated scalar subquery over a join.
    """SELECT o.id, c.name FROM {orders} o, {customers} c WHERE c.id = o.customer AND o.price =
       (SELECT max(i.price) FROM {orders} i, {customers} j WHERE j.id = i.customer AND j.id = c.id AND j.nation = 1)""",
    # 3: a join of three, a top.
    """SELECT l.order, sum(l.amount * (1 - o.price / 100)) AS revenue, o.day FROM {customers} c, {orders} o, {lines} l
       WHERE c.nation = 1 AND c.id = o.customer AND l.order = o.id AND o.day < date '2026-01-15'
       AND l.sent > '2026-01-02' AND NOT isnan(amount) GROUP BY l.order, o.day ORDER BY revenue DESC, o.day LIMIT 3""",
    # 4, 21, 22: EXISTS and NOT EXISTS.
    """SELECT customer, count(*) FROM {orders} o WHERE o.day >= date '2026-01-02' AND EXISTS (SELECT * FROM {lines} l
       WHERE l.order = o.id AND l.line = 0) AND NOT EXISTS
       (SELECT * FROM {lines} WHERE {lines}.order = o.id AND amount > 3) GROUP BY customer ORDER BY customer""",
    # 7, 19: alternatives over two tables.
    """SELECT o.id, c.id FROM {orders} o JOIN {customers} c ON o.customer = c.id WHERE (c.nation = 1 AND o.id < 9
       AND o.note LIKE 'special%') OR (c.nation = 0 AND o.id BETWEEN 12 AND 17 AND o.note NOT LIKE 'special%')""",
    # 8: CASE, and a table twice.
    """SELECT year(day) AS y, sum(CASE WHEN n1.nation = 0 THEN price ELSE 0 END) / sum(price) FROM {orders},
       {customers} n1, {customers} n2 WHERE customer = n1.id AND n2.id = n1.id AND n2.name <> 'x' GROUP BY 1""",
    # 11: HAVING with a subquery.
    """SELECT customer, sum(price) AS value FROM {orders} GROUP BY customer
       HAVING sum(price) > (SELECT sum(price) * 0.2 FROM {orders} WHERE id > 1)""",
    # 13: a left join with a condition on its right side.
    """SELECT n, count(*) FROM (SELECT c.id, count(o.id) AS n FROM {customers} c LEFT OUTER JOIN {orders} o
       ON c.id = o.customer AND o.note NOT LIKE 'special%' AND o.id > 4 GROUP BY c.id) AS counts GROUP BY n""",
    # 15: a common table expression that is used twice.
    """WITH revenue AS (SELECT customer AS who, sum(price) AS total FROM {orders} WHERE day >= date '2026-01-01'
       AND day < date '2026-01-01' + interval 3 months GROUP BY customer)
       SELECT c.id, total FROM {customers} c, revenue WHERE c.id = who AND total = (SELECT max(total) FROM revenue)""",
    # 16: NOT IN a subquery.
    "SELECT id FROM {customers} WHERE id NOT IN (SELECT customer FROM {orders} WHERE customer IS NOT NULL)",
    # 17, 20: nested IN.
    """SELECT name FROM {customers} WHERE id IN (SELECT customer FROM {orders} WHERE id IN
       (SELECT `order` FROM {lines} WHERE amount > (SELECT 0.2 * avg(amount) FROM {lines} WHERE NOT isnan(amount))))""",
    # Windows, grouping sets, set operations, pivots, nulls of outer joins.
    "SELECT id, rank() OVER (PARTITION BY customer ORDER BY price) AS r FROM {orders} WHERE price > 0.5",
    "SELECT customer, note IS NULL, count(*) FROM {orders} GROUP BY GROUPING SETS ((customer), (note IS NULL), ())",
    "SELECT id FROM {orders} WHERE id < 5 INTERSECT SELECT id FROM {customers} WHERE id > 2 UNION SELECT 99L",
    "SELECT * FROM (SELECT customer, id FROM {orders}) PIVOT (count(id) FOR customer IN (0, 1, 2))",
    "SELECT * FROM {customers} PIVOT (count(name) FOR nation IN (0, 1)) WHERE id < 3",
    "SELECT c.id, o.id FROM {orders} o RIGHT JOIN {customers} c ON o.customer = c.id AND o.id > 15 WHERE o.id IS NULL",
    "SELECT o.id FROM {orders} o FULL JOIN {customers} c ON customer = c.id AND c.id = 1 WHERE o.id < 6 OR c.id = 5",
    "SELECT count(*), count(1) FROM {orders}",
    "SELECT count(*) FROM {orders} WHERE note > 'q' AND day IN ('2026-01-03', '2026-01-04')",
]


@pytest.fixture(scope="module")
def lake(spark, tmp_path_factory):
    lake = make_lake(tmp_path_factory.mktemp("lake"))
    for name in TABLES:
        frame = spark.createDataFrame(lake.load_table(f"sales.{name}").scan().to_arrow())
        frame.createOrReplaceTempView(f"spark_{name}")
    yield lake
    for name in TABLES:
        spark.catalog.dropTempView(f"spark_{name}")


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_gives_what_it_gives_over_sparks_own_views(spark, lake, query):
    own = floeberg.spark.sql(spark, query.format(**{name: f"sales.{name}" for name in TABLES}), catalog=lake)
    expected = spark.sql(query.format(**{name: f"spark_{name}" for name in TABLES}))
    assert own.columns == expected.columns
    found = rows(own)
    assert found == rows(expected)
    assert found
