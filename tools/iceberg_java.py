"""Iceberg Java to compare with: PySpark 4.0 in an environment of its own, and jars from Maven Central."""

from __future__ import annotations

import subprocess
from pathlib import Path

from maven import jar
from peer_environment import environment

PYSPARK = "4.0.5"
VERSION = "1.11.0"
RUNTIME = (
    f"org/apache/iceberg/iceberg-spark-runtime-4.0_2.13/{VERSION}/iceberg-spark-runtime-4.0_2.13-{VERSION}.jar",
    "63c3b812549dc232c1920865ff42436df8604a9bbacd693930985c06bd97e6dc",
)
SQLITE = (
    "org/xerial/sqlite-jdbc/3.50.3.0/sqlite-jdbc-3.50.3.0.jar",
    "a3f53a2aa15ae9425a9e793bbe9c8e5288febeb4b65ef5c1a4e80d4c2045cf08",
)

POSTGRESQL = (
    "org/postgresql/postgresql/42.7.7/postgresql-42.7.7.jar",
    "157963d60ae66d607e09466e8c0cdf8087e9cb20d0159899ffca96bca2528460",
)


def iceberg_java(folder: Path) -> tuple[Path, Path] | str:
    """The Python and the jar, made where they are not there; or why they cannot be had."""
    try:
        return environment(folder, {"pyspark": PYSPARK}), jar(folder, *RUNTIME)
    except (OSError, subprocess.CalledProcessError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
