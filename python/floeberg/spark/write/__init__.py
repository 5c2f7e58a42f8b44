"""From the rows of a DataFrame to files that tasks write, and one commit on the driver."""

from floeberg.spark.write.frame import write

__all__ = ["write"]
