"""Statements over tables by their names."""

from floeberg.spark.sql.run import sql

__all__ = ["sql"]
