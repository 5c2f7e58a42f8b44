"""Maintenance of tables by tasks of Spark."""

from floeberg.spark.maintenance.on_spark import maintenance

__all__ = ["maintenance"]
