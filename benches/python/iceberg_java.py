"""Iceberg Java to compare with: PySpark 4.0 in an environment of its own, and the runtime from Maven Central."""

from __future__ import annotations

import hashlib
import subprocess
import urllib.request
from pathlib import Path

from peer_environment import environment

PYSPARK = "4.0.5"
VERSION = "1.11.0"
SHA256 = "63c3b812549dc232c1920865ff42436df8604a9bbacd693930985c06bd97e6dc"
JAR = f"iceberg-spark-runtime-4.0_2.13-{VERSION}.jar"
PLACE = f"https://repo1.maven.org/maven2/org/apache/iceberg/iceberg-spark-runtime-4.0_2.13/{VERSION}/{JAR}"


def iceberg_java(folder: Path) -> tuple[Path, Path] | str:
    """The Python and the jar, made where they are not there; or why they cannot be had."""
    try:
        return environment(folder, {"pyspark": PYSPARK}), _jar(folder / JAR)
    except (OSError, subprocess.CalledProcessError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


def _jar(path: Path) -> Path:
    if not path.exists():
        unfinished = path.with_suffix(".part")
        urllib.request.urlretrieve(PLACE, unfinished)
        unfinished.rename(path)
    if hashlib.sha256(path.read_bytes()).hexdigest() != SHA256:
        path.unlink()
        raise ValueError(f"{PLACE} is not the file that was pinned by its SHA-256")
    return path
