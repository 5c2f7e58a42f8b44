"""Do tables read the same through each PySpark that is supported?

    spark_versions.py                 the older ones; the newest is what the tests run on
    spark_versions.py 4.0.1 4.2.0     these

Each version gets an environment of its own outside the checkout, with the development wheel, and runs the tests of both
readers, of the data source, of queries and of statements that change rows.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from install_dev import ROOT, build

VERSIONS = ("4.0.1", "4.1.1", "4.2.0")
TESTS = (
    "test_lanes.py",
    "test_native_columns.py",
    "test_native_frames.py",
    "test_source.py",
    "test_stream_reading.py",
    "test_streams.py",
    "test_sql_queries.py",
    "test_sql_settings.py",
    "test_sql_words.py",
)
TABLES = "position or equality or vector or refs or evolution or not test_lanes"
"""Tables of the corpus whose lanes are compared: those with deletes, and those whose columns changed."""


def environment(version: str) -> Path:
    """Return the interpreter of an environment that has a version, made now if need be."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "floeberg"
    home = cache / f"pyspark-{version}"
    python = home / "bin" / "python"
    ready = home / ".ready"
    if not ready.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True)
        pinned = [line for line in dev_requirements() if not line.startswith("pyspark")]
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, f"pyspark[connect]=={version}", *pinned], check=True)
        ready.touch()
    return python


def dev_requirements() -> list[str]:
    """Return what the tests of PySpark need of the pinned packages."""
    names = (
        "hypothesis",
        "numpy",
        "pandas",
        "pyarrow",
        "pytest",
        "pytest-timeout",
        "pyyaml",
        "sqlglot",
        "tomli",
    )
    lines = (ROOT / "requirements" / "dev.txt").read_text().splitlines()
    return [line for line in lines if line.lower().startswith((*names, "pyspark"))]


def main() -> int:
    """Run the tests with each version; print how each went."""
    wheel, failed = build(), []
    for version in sys.argv[1:] or VERSIONS:
        python = environment(version)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "--force-reinstall", wheel], check=True)
        tests = [f"tests/spark/{name}" for name in TESTS]
        # Older releases leave sockets open, and warn of what newer Pythons will drop: that is theirs.
        options = ["-q", "-W", "default", "--disable-warnings", "-p", "no:cacheprovider", "-k", TABLES]
        done = subprocess.run([python, "-m", "pytest", *options, *tests], check=False, cwd=ROOT)
        print(f"PySpark {version}: {'failed' if done.returncode else 'passed'}", flush=True)
        failed += [version] * bool(done.returncode)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
