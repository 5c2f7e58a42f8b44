"""Extremes are right: of random tables, whose bounds may be loose, cut short or not there, and of random filters."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import floeberg as fb
from floeberg import expressions as fx
from properties.drawing import tables
from properties.predicates import Filter, Leaf, expression, filters
from properties.tables import Table
from properties.writing import write

# Geometries have no order, and an unknown column has no values.
WITHOUT = ("geometry", "geography", "variant", "unknown")


@st.composite
def asked(draw: st.DrawFn) -> tuple[Table, list[Filter]]:
    table = draw(tables())
    leaves = [Leaf(column.path, column.now) for column in table.columns]
    return table, draw(st.lists(filters(leaves), max_size=2))


@settings(
    max_examples=60,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
)
@given(asked())
def test_no_row_lies_outside_of_the_extremes_and_one_lies_on_each(drawn: tuple[Table, list[Filter]]) -> None:
    table, wanted = drawn
    with tempfile.TemporaryDirectory() as folder:
        opened = fb.open_table(write(table, Path(folder, "table")))
        for row_filter in ("true", *map(expression, wanted)):
            scan = opened.scan(row_filter=row_filter)
            for column in table.columns:
                if not column.now.name.startswith(WITHOUT):
                    check(scan, column.path, is_float=column.now.is_float)


def check(scan: fb.Scan, path: str, *, is_float: bool) -> None:
    least, most = scan.explain(min=path, max=path).aggregates
    for answer in (least, most):
        assert answer.files == answer.by_metadata + answer.not_needed + sum(count for _, count in answer.read)
    numbers = scan.filter(fx.NotNull(path))
    numbers = numbers.filter(fx.NotNaN(path)) if is_float else numbers
    if numbers.count() == 0:
        assert (least.value, most.value) == (None, None), path
        return
    assert numbers.filter(fx.LessThan(path, least.value)).count() == 0, (path, least)
    assert numbers.filter(fx.GreaterThan(path, most.value)).count() == 0, (path, most)
    assert scan.filter(fx.EqualTo(path, least.value)).count() > 0, (path, least)
    assert scan.filter(fx.EqualTo(path, most.value)).count() > 0, (path, most)
