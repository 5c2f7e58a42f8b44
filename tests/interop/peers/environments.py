"""Which versions of the peers are compared with, and where are they?"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from iceberg_java import POSTGRESQL, PYSPARK, RUNTIME, SQLITE
from maven import jar
from peer_environment import environment

from peers.process import PROGRAMS, Peer

FOLDER = Path(os.environ.get("FLOEBERG_BENCH_DIR") or Path.home() / ".cache" / "floeberg" / "bench")
PYARROW = {"pyarrow": "25.0.1"}
PYICEBERG = {"pyiceberg": "0.12.0", "pyiceberg-core": "0.11.0", "sqlalchemy": "2.0.50", **PYARROW}
DUCKDB = {
    "duckdb-extension-iceberg": "1.5.5",
    "duckdb-extension-avro": "1.5.5",
    "duckdb": "1.5.5",
    **PYARROW,
}

DUCKDB_REST = {"duckdb-extension-httpfs": "1.5.5", **DUCKDB}
"""DuckDB that asks servers, too."""


def start_pyiceberg(logs: Path) -> Peer:
    """PyIceberg."""
    return Peer(environment(FOLDER, PYICEBERG), "pyiceberg_peer.py", logs / "pyiceberg.log")


def start_duckdb(logs: Path) -> Peer:
    """DuckDB."""
    return Peer(environment(FOLDER, DUCKDB), "duckdb_peer.py", logs / "duckdb.log")


def start_duckdb_rest(logs: Path) -> Peer:
    """DuckDB, which attaches REST catalogs."""
    return Peer(environment(FOLDER, DUCKDB_REST), "duckdb_peer.py", logs / "duckdb.log")


def start_java(logs: Path) -> Peer:
    """Iceberg Java."""
    python = environment(FOLDER, {"pyspark": PYSPARK})
    jars = [str(jar(FOLDER, *each)) for each in (RUNTIME, SQLITE, POSTGRESQL)]
    compiled = java_classes(python, jars[0], logs / "classes")
    return Peer(
        python, "java_peer.py", logs / "java.log", ICEBERG_JARS=os.pathsep.join([*jars, str(compiled)])
    )


def java_classes(python: Path, iceberg: str, to: Path) -> Path:
    """Compile what the Java peer needs that cannot be called from Python: classes that Iceberg Java extends."""
    (spark,) = python.parent.parent.glob("lib/python*/site-packages/pyspark/jars")
    source = PROGRAMS / "EncryptedTables.java"
    path = os.pathsep.join([iceberg, f"{spark}/*"])
    subprocess.run(["javac", "-d", to, "-cp", path, source], check=True)
    return to


def start_java_spark(logs: Path) -> Peer:
    """Iceberg Java in Spark."""
    python = environment(FOLDER, {"pyspark": PYSPARK})
    own = {"ICEBERG_JARS": str(jar(FOLDER, *RUNTIME)), "FLOEBERG_SPARK_PLACE": str(logs)}
    return Peer(python, "spark_peer.py", logs / "spark.log", **own)
