"""Random SQL expressions have the values on random rows that Spark in ANSI mode gives them.

They are those that DuckDB is asked (`properties/sql_expressions.py`), but for these:

- Literals with a point are decimals in Spark, also beside floats. Here they are of the column's type, as in filters.
- FLOOR and CEIL of a double are integers in Spark, and a double here.
- Quotients of decimals are decimals in Spark, with six digits or more behind the point, and doubles here.
"""

from __future__ import annotations

import math
import os
import re
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from computed_values import computed
from properties.sql_expressions import SHAPES, expressions, tables

EXAMPLES = int(os.environ.get("FLOEBERG_PROPERTIES", "0")) // 10
AT_ONCE = 8
SPELLED = {
    "AS VARCHAR)": "AS STRING)",
    "f = 0.1": "f = CAST(0.1 AS FLOAT)",
    "f IN (0.1, 0.2)": "f IN (CAST(0.1 AS FLOAT), CAST(0.2 AS FLOAT))",
}
SETTINGS = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    "spark.sql.session.timeZone": "UTC",
}


def spelled(text: str) -> str:
    """An expression as Spark spells it."""
    for ours, theirs in SPELLED.items():
        text = text.replace(ours, theirs)
    # A condition that is null has no type by itself.
    return re.sub(r"(?<!IS )(?<!NOT )\bNULL\b", "CAST(NULL AS BOOLEAN)", text)


def is_comparable(drawn: tuple[str, str, str]) -> bool:
    return "FLOOR(" not in drawn[0] and "CEIL(" not in drawn[0]


def is_same(one, other) -> bool:
    if one is None or other is None:
        return one is other
    if isinstance(one, float):
        both_nan = math.isnan(one) and math.isnan(other)
        return both_nan or math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-6)
    if isinstance(one, (int, Decimal)) and not isinstance(one, bool):
        return Decimal(one) == Decimal(other)
    return one == other


@pytest.fixture(scope="module")
def ansi(spark):
    """The session in ANSI mode."""
    before = {name: spark.conf.get(name) for name in SETTINGS}
    for name, value in SETTINGS.items():
        spark.conf.set(name, value)
    yield spark
    for name, value in before.items():
        spark.conf.set(name, value)


@settings(
    max_examples=EXAMPLES or 15,
    derandomize=not EXAMPLES,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_expressions_have_the_values_that_spark_gives_them(ansi, data):
    rows = data.draw(tables().filter(lambda rows: rows.num_rows > 0), "rows")
    each = st.sampled_from(list(SHAPES)).flatmap(lambda kind: expressions(kind, 3)).filter(is_comparable)
    drawn = data.draw(st.lists(each, min_size=1, max_size=AT_ONCE), "expressions")
    (batch,) = rows.combine_chunks().to_batches()
    frame = ansi.createDataFrame(rows)
    asked = [f"{spelled(theirs)} AS x{at}" for at, (_, _, theirs) in enumerate(drawn)]
    expected = frame.selectExpr("row", *asked).orderBy("row").collect()
    for at, (ours, _, theirs) in enumerate(drawn):
        found = computed(ours, batch.column, batch.num_rows)
        assert isinstance(found, pa.Array)
        for one, row in zip(found.to_pylist(), expected, strict=True):
            assert is_same(one, row[at + 1]), (ours, theirs, row["row"], one, row[at + 1])
