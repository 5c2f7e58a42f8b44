"""The guide to PySpark says what is: its code runs and prints what stands below it."""

from __future__ import annotations

import pytest
from cargo_workspace import ROOT

from markdown_blocks import run_page


@pytest.mark.parametrize("page", ["spark.md", "spark-streams.md"])
def test_the_code_of_the_guide_runs_and_prints_what_stands_below_it(spark, monkeypatch, page):
    # Places in the documentation are those of a checkout.
    monkeypatch.chdir(ROOT)
    run_page(ROOT / "docs" / "guide" / page, {"spark": spark})
