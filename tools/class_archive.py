"""Keep the classes that Spark loads in an archive, from which the JVMs of the tests start in half the time.

    class_archive.py FILE

writes FILE for the Java and the PySpark that run here. A JVM reads it where `-XX:SharedArchiveFile` names it, and
passes over one that is not of its own classes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from check_java import java_fault

# What nearly every test has Spark do: SQL, rows from Python, functions in Python, files.
PROGRAM = """
import tempfile
from pyspark.sql import SparkSession

confs = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2", "spark.log.level": "ERROR"}
spark = SparkSession.builder.master("local[2]").config(map=confs).getOrCreate()
with tempfile.TemporaryDirectory() as folder:
    values = [(number, str(number), [number]) for number in range(9)]
    rows = spark.createDataFrame(values, "id long, t string, l array<int>")
    rows.write.parquet(folder + "/rows")
    spark.read.parquet(folder + "/rows").createOrReplaceTempView("rows")
    joined = "rows a JOIN rows b USING (id) WHERE a.id > 1 GROUP BY a.t ORDER BY a.t"
    assert len(spark.sql("SELECT a.t, count(*), max(b.l[0]) FROM " + joined).collect()) == 7
    rows.mapInArrow(lambda batches: batches, rows.schema).collect()
spark.stop()
"""


def main(archive: Path) -> None:
    """Start Spark once, and write the archive as it ends."""
    if fault := java_fault():
        sys.exit(fault)
    made = archive.with_name(archive.name + ".new")
    options = f"-XX:+UseSerialGC -XX:ArchiveClassesAtExit={made} -Xlog:cds=off -Xlog:cds+dynamic=off"
    environment = os.environ | {
        "JDK_JAVA_OPTIONS": options,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
    }
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ran.returncode or not made.exists():
        sys.exit(f"Spark did not leave an archive of its classes:\n{ran.stderr[-3000:]}")
    made.replace(archive)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
