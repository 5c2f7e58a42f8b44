"""What does a session say of audits: `spark.wap.id` and `spark.wap.branch`?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.commit.wap import WapSettings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from floeberg.table import Table

__all__ = ["under_wap", "wap_settings"]


def wap_settings(spark: SparkSession, table: Table) -> WapSettings:
    """The settings of a session; those of the table's catalog where the session has none.

    Args:
        spark: The session.
        table: The table.
    """
    wap_id, wap_branch = (spark.conf.get(f"spark.wap.{key}", None) for key in ("id", "branch"))
    return WapSettings(wap_id or None, wap_branch or None) or table._wap  # noqa: SLF001 - the package's own


def under_wap(spark: SparkSession, table: Table) -> Table:
    """A table as the session reads and writes it.

    Args:
        spark: The session.
        table: The table.
    """
    settings = wap_settings(spark, table)
    return table._under(settings) if settings else table  # noqa: SLF001 - the package's own
