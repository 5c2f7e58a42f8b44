"""The guide to PySpark says what is: its code runs and prints what stands below it."""

from __future__ import annotations

import contextlib
import io

import pyarrow as pa
import pytest
from cargo_workspace import ROOT

import floeberg as fb
from guide_pages import NEED_SPARK
from markdown_blocks import CODE_THAT_NEEDS_MORE, blocks_of, run_page


@pytest.mark.parametrize("page", sorted(NEED_SPARK), ids=str)
def test_the_code_of_the_guide_runs_and_prints_what_stands_below_it(spark, monkeypatch, tmp_path, page):
    # Whoever installed a wheel has no checkout.
    monkeypatch.chdir(tmp_path)
    run_page(ROOT / page, {"spark": spark})


def test_the_merge_of_the_readme_prints_what_it_says(spark, tmp_path):
    blocks = blocks_of((ROOT / "README.md").read_text(encoding="utf-8"))
    block = next(each for each in blocks if "MERGE INTO" in each.text)
    assert block.kind == CODE_THAT_NEEDS_MORE
    catalog = fb.load_catalog("readme", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("sales")
    catalog.create_table("sales.orders", as_select=pa.table({"id": [1, 2, 3], "price": [1.0, 2.0, 3.0]}))
    changes = spark.createDataFrame(
        [(1, 9.0, False), (2, None, True), (4, 4.0, False)], "id bigint, price double, gone boolean"
    )
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(block.text, {"spark": spark, "catalog": catalog, "changes": changes})
    assert block.text.rstrip().endswith(f"# {printed.getvalue().strip()}")
    found = catalog.load_table("sales.orders").scan().to_arrow().sort_by("id").to_pydict()
    assert found == {"id": [1, 3, 4], "price": [9.0, 3.0, 4.0]}
