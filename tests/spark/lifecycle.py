"""The data source as Spark calls it, in one process and without a JVM: every step pickles what Spark pickles."""

from __future__ import annotations

import json
from inspect import signature
from typing import Any

import pyarrow as pa
from pyspark import cloudpickle
from pyspark.sql.datasource import CaseInsensitiveDict
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from corpus import Case
from floeberg.spark.datasource import FloebergDataSource

# Before 4.2 PySpark always took UTC.
ZONE = {"timezone": "UTC"} if "timezone" in signature(to_arrow_schema).parameters else {}


def options_of(case: Case, **options: str) -> dict[str, str]:
    """The options that read a case, others in snake case."""
    own = {"path": str(case.metadata_file), "relocate": json.dumps(case.relocate)}
    return own | {key.replace("_", "-"): value for key, value in options.items()}


def sent(value: Any) -> Any:
    """What arrives in another process."""
    return cloudpickle.loads(cloudpickle.dumps(value))


def loaded(options: dict[str, str], parallelism: int | None = None) -> tuple[FloebergDataSource, StructType]:
    """The source and its schema after `load()`."""
    source = FloebergDataSource(CaseInsensitiveDict(options), parallelism)
    schema = source.schema()
    return sent(source), schema


def read(options: dict[str, str], schema: StructType | None = None) -> pa.Table:
    """All rows, checked against the Arrow schema that Spark checks for."""
    if schema is None:
        source, schema = loaded(options)
    else:
        source = sent(FloebergDataSource(CaseInsensitiveDict(options)))
    reader = source.reader(schema=schema)
    function, partitions = sent(reader), sent(reader.partitions())
    expected = to_arrow_schema(schema, **ZONE)
    batches = []
    for partition in partitions:
        for batch in function.read(partition):
            assert expected.equals(batch.schema), f"expected {expected}, found {batch.schema}"
            batch.validate(full=True)
            batches.append(batch)
    return pa.Table.from_batches(batches, expected)
