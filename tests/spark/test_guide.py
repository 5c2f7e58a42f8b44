"""The guide to PySpark says what is: its code runs and prints what stands below it."""

from __future__ import annotations

from cargo_workspace import ROOT

from markdown_blocks import run_page


def test_the_code_of_the_guide_runs_and_prints_what_stands_below_it(spark, monkeypatch):
    # Places in the documentation are those of a checkout.
    monkeypatch.chdir(ROOT)
    run_page(ROOT / "docs" / "guide" / "spark.md", {"spark": spark})
