"""What does a session say of audits: `spark.wap.id` and `spark.wap.branch`?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.commit.audit import AuditSettings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from floeberg.table import Table

__all__ = ["audit_settings", "audited"]


def audit_settings(spark: SparkSession, table: Table) -> AuditSettings:
    """The settings of a session; those of the table's catalog where the session has none.

    Args:
        spark: The session.
        table: The table.
    """
    wap_id, wap_branch = (spark.conf.get(f"spark.wap.{key}", None) for key in ("id", "branch"))
    return AuditSettings(wap_id or None, wap_branch or None) or table._audit  # noqa: SLF001 - the package's own


def audited(spark: SparkSession, table: Table) -> Table:
    """A table as the session reads and writes it.

    Args:
        spark: The session.
        table: The table.
    """
    settings = audit_settings(spark, table)
    return table._under(settings) if settings else table  # noqa: SLF001 - the package's own
