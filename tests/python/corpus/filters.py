"""What does a filter of the corpus say, and how much of the oracle's answer binds us?

The rules here are those of `tests/conformance/README.md`, "What is not held against a reader"; none names a case.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

# Spark's spellings, and ours.
SPELLINGS = (
    (re.compile(r"NOT isnan\((\w+)\)"), r"\1 IS NOT NAN"),
    (re.compile(r"isnan\((\w+)\)"), r"\1 IS NAN"),
    (re.compile(r"CAST\(('?[-\w.]+'?) AS \w+\)"), r"\1"),
    (re.compile(r"\b(\d[\d.]*(?:e\d+)?)[DFL]\b"), r"\1"),
)


@dataclass(frozen=True)
class Filter:
    """A filter with the oracle's answer."""

    facts: dict[str, Any]

    @property
    def sql(self) -> str:
        """The filter as SQL text of our grammar."""
        text: str = self.facts["sql"]
        for spark, ours in SPELLINGS:
            text = spark.sub(ours, text)
        return text

    @property
    def expression(self) -> Any | None:
        """The filter in the JSON of the REST catalog specification; None where Iceberg has no words for it."""
        return self.facts.get("expression")

    @property
    def row_count(self) -> int:
        """How many rows match, by IEEE comparison."""
        return int(self.facts.get("ieee", self.facts)["row_count"])

    @property
    def checksum(self) -> str:
        """The checksum of the rows that match, by IEEE comparison."""
        return str(self.facts.get("ieee", self.facts)["checksum"])

    @property
    def least_files(self) -> int:
        """How many files any planner must plan."""
        # Spark counts matches where NaN is larger than anything; by IEEE fewer files may have some.
        return 0 if "ieee" in self.facts else int(self.facts["files_with_matches"])

    @property
    def files_bind(self) -> bool:
        """Whether the oracle's own plan is one to be as sharp as."""
        return "ieee" not in self.facts and self.facts["planned_files"] >= self.facts["files_with_matches"]
