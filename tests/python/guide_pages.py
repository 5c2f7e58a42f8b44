"""Which pages of the documentation need more than an installed package?"""

from __future__ import annotations

from pathlib import Path

GUIDE = Path("docs/guide")

NEED_SPARK = {
    GUIDE / name for name in ("spark.md", "spark-sql.md", "spark-source.md", "spark-streams.md")
} | {Path("docs/cookbook/spark.md")}
"""These run beside the tests that have a session."""
