"""The main job on a real table, from Python and through PySpark: a filtered scan with row-level deletes.

The table was written by Spark with Iceberg Java: it changed its partitioning three times, and every part of it has rows
that were deleted since.
"""

from __future__ import annotations

import inspect
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parent.parent
PLACE = "tests/conformance/iceberg/spark-iceberg/multi_spec_live/table"
LOCATION = str(ROOT / PLACE)
SUBMIT = {
    "spark.driver.host": "127.0.0.1",
    "spark.log.level": "ERROR",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def read_in_python() -> pa.Table:
    """What a user writes."""
    import floeberg as fb

    table = fb.open_table(LOCATION, relocate={"/warehouse/spark/db/multi_spec_live": LOCATION})
    scan = table.scan(row_filter="cat = 'a' AND ts >= '2022-01-02T00:00:00Z'", selected_fields=("id", "ts"))
    print(scan.to_pandas().to_string(index=False), end="\n\n")
    print(scan.explain())
    return scan.to_arrow()


def start_spark() -> SparkSession:
    """What a user of PySpark writes once."""
    from pyspark.sql import SparkSession

    import floeberg.spark

    spark = SparkSession.builder.getOrCreate()
    floeberg.spark.register(spark)
    return spark


def read_through_spark(spark: SparkSession) -> pa.Table:
    """What a user of PySpark writes."""
    reader = spark.read.format("floeberg").option("columns", "id, ts")
    reader.option("relocate", f'{{"/warehouse/spark/db/multi_spec_live": "{LOCATION}"}}')
    frame = reader.option("filter", "cat = 'a' AND ts >= '2022-01-02T00:00:00Z'").load(LOCATION)
    frame.show()
    return frame.toArrow()


def show(*functions: Callable[..., Any]) -> None:
    """Print the code of functions, without what only this script needs."""
    for function in functions:
        lines = inspect.getsource(function).splitlines()[2:]
        print("\n".join(line.removeprefix("    ") for line in lines if not line.startswith("    return ")))
    print()


def timed(function: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    """What a function returns, and the milliseconds that it took."""
    started = time.perf_counter()
    returned = function(*arguments)
    return returned, 1000 * (time.perf_counter() - started)


def main() -> None:
    """Show the code of each part, then run it; compare what they read."""
    print(f"LOCATION = {PLACE!r}")
    show(read_in_python)
    expected, taken = timed(read_in_python)
    print(f"\nin {taken:.0f} ms, imports included\n")
    show(start_spark, read_through_spark)
    # What a cluster has in its configuration: two cores, and workers that run this Python.
    confs = " ".join(f"--conf {name}={value}" for name, value in SUBMIT.items())
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"--master local[2] {confs} pyspark-shell"
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    try:
        spark, starting = timed(start_spark)
    except (ImportError, RuntimeError) as error:
        print(f"PySpark cannot start here, so that this part is left out: {str(error).splitlines()[0]}")
        print("it needs `pip install 'floeberg[spark]'`, and Java 17 on the PATH or in JAVA_HOME")
        return
    found, taken = timed(read_through_spark, spark)
    spark.stop()
    if found.sort_by("id").to_pylist() != expected.sort_by("id").to_pylist():
        sys.exit("PySpark has read other rows than Python")
    print(f"the same {found.num_rows} rows, in {taken:.0f} ms after {starting:.0f} ms in which Spark started")


if __name__ == "__main__":
    main()
