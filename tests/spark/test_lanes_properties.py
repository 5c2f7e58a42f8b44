"""Do both lanes give the same rows of random tables, with filters and without?

The tables are those of `properties.drawing`: files of several schemas and partition specs, with deletes of every kind.
`FLOEBERG_PROPERTIES=3000` tries a tenth of so many, others each time; without it they are the same few every time.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import floeberg as fb
from properties.drawing import tables
from properties.predicates import Filter, Leaf, expression, filters
from properties.tables import Table
from properties.writing import write
from reading import forms, rows_of

METADATA = ("_file", "_pos", "_spec_id", "_partition", "_row_id", "_last_updated_sequence_number")
EXAMPLES = int(os.environ.get("FLOEBERG_PROPERTIES", "0")) // 10


@st.composite
def asked(draw: st.DrawFn) -> tuple[Table, Filter]:
    table = draw(tables())
    return table, draw(filters([Leaf(column.path, column.now) for column in table.columns]))


@settings(
    max_examples=EXAMPLES or 5,
    derandomize=not EXAMPLES,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
)
@given(drawn=asked())
def test_lanes_agree_on_random_tables(spark: SparkSession, drawn: tuple[Table, Filter]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        opened = fb.open_table(write(drawn[0], Path(folder, "table")))
        for scan in (
            opened.scan(selected_fields=("*", *METADATA)),
            opened.scan(row_filter=expression(drawn[1])),
        ):
            ours = scan.to_spark(spark, reader="arrow", partitions=1, truncate_nanoseconds=True)
            chosen = scan.to_spark(spark, truncate_nanoseconds=True)
            assert forms(chosen) == forms(ours)
            assert rows_of(chosen) == rows_of(ours), [str(each) for each in scan.explain(spark=spark).lanes]
