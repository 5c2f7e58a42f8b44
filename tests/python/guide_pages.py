"""Which pages of the documentation need more than an installed package?"""

from __future__ import annotations

from pathlib import Path

GUIDE = Path("docs/guide")

NEED_SPARK = {
    GUIDE / name for name in ("spark.md", "spark-sql.md", "spark-source.md", "spark-streams.md")
} | {Path("docs/cookbook/spark.md")}
"""These run beside the tests that have a session."""

NEED_A_CHECKOUT = {
    GUIDE / name
    for name in (
        "catalogs.md",
        "errors.md",
        "expressions.md",
        "inspecting.md",
        "lance.md",
        "metadata-columns.md",
        "opening-tables.md",
        "planning.md",
        "scanning.md",
        "spark-source.md",
        "spark.md",
        "statistics.md",
        "views.md",
        "what-is-read.md",
    )
}
"""These open tables of tests/conformance."""
