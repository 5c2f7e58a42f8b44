"""Reads tables through PySpark, without a JAR.

Importing this package imports no PySpark: `register` does.
"""

from floeberg.spark.session.registration import register

__all__ = ["register"]
