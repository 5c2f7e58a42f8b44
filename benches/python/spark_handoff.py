"""What Spark takes to receive rows from a data source in Python, whoever reads them.

The source `handoff` reads one batch of a Parquet file and sends it again and again, so that nothing is decoded: no data
source in Python can be faster than this. It is sent to the workers by value, so that they need not find this file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PARTITIONS = 4
BATCH_ROWS = 65_536


def register(spark: SparkSession) -> None:
    """Make the format known: options `rows`, and `columns` between commas; it loads a folder of Parquet files."""
    from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
    from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

    partitions, batch_rows = PARTITIONS, BATCH_ROWS

    class Reader(DataSourceReader):
        def __init__(self, options, schema) -> None:  # noqa: ANN001
            self.options, self.schema = options, schema

        def partitions(self):  # noqa: ANN202
            return [InputPartition(number) for number in range(partitions)]

        def read(self, partition):  # noqa: ANN001, ANN202, ARG002
            batch = first_batch(self.options).cast(to_arrow_schema(self.schema, timezone="UTC"))
            left = int(self.options["rows"]) // partitions
            while left > 0:
                yield batch.slice(0, left)
                left -= batch.num_rows

    class HandOff(DataSource):
        @classmethod
        def name(cls) -> str:
            return "handoff"

        def schema(self):  # noqa: ANN202
            return from_arrow_schema(first_batch(self.options).schema)

        def reader(self, schema) -> Reader:  # noqa: ANN001
            return Reader(dict(self.options), schema)

    def first_batch(options):  # noqa: ANN001, ANN202
        from pathlib import Path

        import pyarrow.parquet

        columns = options.get("columns")
        file = pyarrow.parquet.ParquetFile(next(Path(options["path"]).glob("*.parquet")))
        return next(file.iter_batches(batch_rows, columns=columns.split(",") if columns else None))

    spark.dataSource.register(HandOff)
