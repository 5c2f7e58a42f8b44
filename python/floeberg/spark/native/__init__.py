"""Which files of a scan does Spark's own Parquet reader read, and how?

Spark reads a file itself if the footer proves that the values are the same. Floeberg's tasks read all other files. Both
become one DataFrame.
"""

__all__: list[str] = []
