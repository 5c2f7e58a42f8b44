"""What is the value of an expression that Spark evaluates without any table?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["Arguments", "evaluated"]

Arguments = dict[str, Any] | list[Any] | None
"""Values of parameters, as `spark.sql` takes them."""


def evaluated(spark: SparkSession, text: str, args: Arguments = None) -> Any:  # noqa: ANN401 - of any type
    """The value of an expression, as Spark gives it to Python.

    Raises:
        PySparkException: Spark cannot evaluate it.
    """
    row = spark.sql(f"SELECT ({text}\n)", args or None).first()
    return None if row is None else row[0]
