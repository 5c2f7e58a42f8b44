"""The report of a Lance table."""

from __future__ import annotations

import pyarrow as pa
import pytest

import floeberg as fb
from report.reading import part, text_of

pytest.importorskip("lance")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    made = fb.lance.create_table(
        str(tmp_path_factory.mktemp("lance") / "orders.lance"), pa.table({"id": [1, 2], "<b>": ["x", "y"]})
    )
    made.append(pa.table({"id": [3], "<b>": ["<script>"]}))
    made.delete("id = 2")
    return made


def test_it_has_the_parts_that_mean_the_same(table):
    html = table.report(row_filter="id > 1", snapshots=(1, 3)).html
    assert "could not be made" not in html
    assert "Rows in data files 3 1 deleted" in text_of(html)
    assert "table.maintenance.compact()" in part(html, "health")
    assert "no finding" in part(html, "findings")
    assert "3 versions." in part(html, "history")
    assert "2 fragments." in part(html, "files")
    assert "reads all 2 fragments" in part(html, "filter")
    assert "1 inserted, 1 deleted" in part(html, "difference")
    assert "<b>" not in html and "<script" not in html


def test_the_calls_of_its_health_are_those_of_the_table(table):
    html = table.report(check=None).html
    before = table.inspect.fragments().num_rows
    assert f"{before} of {before} (small ones, and those with many deleted rows)" in part(html, "health")
