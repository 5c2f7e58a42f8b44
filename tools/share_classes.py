"""Archive the classes that Spark loads: with the archive each JVM of the tests needs half the processor time to start.

    share_classes.py

runs a small Spark program once and keeps what it loaded, for this Java and this PySpark, outside of the checkout.
Nothing is done when the archive is there. Tests run without one too, only slower: a JVM that cannot use an archive
does without it and says nothing.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "floeberg" / "java-classes"
CONFS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.log.level": "OFF",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    # The server of Spark Connect, at a free port.
    "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
    "spark.connect.grpc.binding.port": "0",
}
KEPT = 4
"""Archives of so many environments are kept, the newest ones."""
QUIET = "-Xlog:disable -Xlog:all=error:stderr"


def archive() -> Path | None:
    """Return where the archive of this Java and this PySpark is, or would be; None where one of them is absent."""
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else shutil.which("java")  # noqa: PTH118 - as PySpark does
    pyspark = importlib.util.find_spec("pyspark")
    if java is None or not Path(java).exists() or pyspark is None or pyspark.origin is None:
        return None
    jars = Path(pyspark.origin).parent / "jars"
    digest = hashlib.sha256(Path(__file__).read_bytes())
    # A JVM compares the paths, sizes and times of jars itself.
    for path in (Path(java).resolve(), jars):
        digest.update(f"{path}\0{path.stat().st_mtime_ns}\0".encode() if path.exists() else b"\0")
    return FOLDER / f"{digest.hexdigest()[:32]}.jsa"


def java_options() -> str:
    """Return the options of a JVM that make use of the archive; nothing where there is none."""
    path = archive()
    return f'"-XX:SharedArchiveFile={path}" {QUIET}' if path is not None and path.exists() else ""


def _run_spark(folder: str) -> None:
    """Load what sessions, queries, files, tasks of Python, streams and Spark Connect need."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("share-classes")
    for name, value in (CONFS | {"spark.sql.warehouse.dir": f"{folder}/warehouse"}).items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    numbers = spark.range(9).selectExpr("id", "id % 3 AS k", "CAST(id AS STRING) AS s", "now() AS at")
    rows = numbers.mapInArrow(lambda batches: batches, numbers.schema)
    rows.write.partitionBy("k").parquet(f"{folder}/rows")
    spark.read.parquet(f"{folder}/rows").createOrReplaceTempView("v")
    query = (
        "SELECT v.k, count(*) AS n, max(row_number) AS m FROM v JOIN "
        "(SELECT *, row_number() OVER (PARTITION BY k ORDER BY id) AS row_number FROM v) AS w ON v.id = w.id "
        "WHERE v.s LIKE '%1%' OR v.id IN (SELECT id FROM v) GROUP BY v.k ORDER BY n"
    )
    spark.sql(query).collect()
    spark.sql(query).toArrow()
    stream = spark.readStream.schema("id LONG").parquet(f"{folder}/rows").writeStream.format("memory")
    stream.queryName("q").trigger(availableNow=True).start().awaitTermination(60)
    spark.stop()


def main() -> None:
    """Make the archive where it is absent."""
    path = archive()
    if path is None or path.exists():
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    # Under its name only when it is whole.
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        made = Path(folder) / "made.jsa"
        options = f'-XX:TieredStopAtLevel=1 -XX:+UseSerialGC "-XX:ArchiveClassesAtExit={made}" {QUIET}'
        environment = dict.fromkeys(("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON"), sys.executable)
        environment |= {"SPARK_LOCAL_IP": "127.0.0.1", "JDK_JAVA_OPTIONS": options}
        ran = subprocess.run(
            [sys.executable, "-W", "ignore", __file__, folder],
            env=os.environ | environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if not made.exists():
            print(f"no archive of Spark's classes, tests take longer: {ran.stderr[-500:]}")
            return
        made.replace(path)
    # Each has 200 MB.
    for old in sorted(FOLDER.glob("*.jsa"), key=lambda each: each.stat().st_mtime)[:-KEPT]:
        old.unlink()


if __name__ == "__main__":
    _run_spark(sys.argv[1]) if len(sys.argv) > 1 else main()
