"""How are names written for Spark, and compared in a session?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column

__all__ = ["folding", "named", "quoted"]


def quoted(*parts: str) -> str:
    """A name of one or more parts as SQL has it, whatever characters it has."""
    return ".".join(f"`{part.replace('`', '``')}`" for part in parts)


def named(name: str) -> Column:
    """The column of a name, whatever characters it has."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - PySpark's own habit; not imported for planning

    return F.col(quoted(name))


def folding(*, case_sensitive: bool) -> Callable[[str], str]:
    """What makes names equal that mean the same column."""
    return str if case_sensitive else str.lower
