"""Values of a SQL expression, as those of a new column are computed."""

from __future__ import annotations

import pyarrow as pa

from floeberg import _native
from floeberg.expressions._sql import SqlExpression

NUMBER = "number of the row"
"""A column that no expression names: rows may have no other."""


def computed(text: str, column_of, rows: int) -> pa.Array:
    """The values of a text.

    Args:
        text: The expression.
        column_of: Gives a column by its name.
        rows: The number of rows.
    """
    expression = SqlExpression(text)
    roots = sorted({name.split(".")[0] for name in expression.columns()})
    columns = {NUMBER: pa.array(range(rows), pa.int64()), **{name: column_of(name) for name in roots}}
    given = pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))
    reader = pa.RecordBatchReader.from_batches(given.schema, [given])
    value = _native.NewValue.sql(expression.native())
    made = _native.computed_columns([value], reader)
    return pa.record_batch(made).column(0)
