"""Which files of a scan does Spark's own Parquet reader read, and how?

A file goes there where its footer proves that Spark reads the same values of it. All others are read by tasks of
Floeberg, and both are one DataFrame.
"""

__all__: list[str] = []
