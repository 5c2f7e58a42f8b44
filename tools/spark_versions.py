"""Do tables read the same through each PySpark that is supported?

    spark_versions.py                 the older ones; the newest is what the tests run on
    spark_versions.py 4.0.1 4.2.0     these

Each version gets an environment of its own outside the checkout, with the development wheel, and runs tests of both
readers, of queries, of statements that change rows, of frames that are written, and of streams.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from install_dev import ROOT, build

VERSIONS = ("4.0.1", "4.1.1", "4.2.0")
TESTS = (
    *(
        f"test_lanes.py::test_lanes_agree_on_every_table[{table}]"
        for table in (
            "pyiceberg/v2_evolved",
            "pyiceberg/v2_refs",
            "spark-iceberg/mixed_pos_and_eq_deletes",
            "spark-iceberg/type_promotion",
            "spark-iceberg/v3_deletion_vectors",
            "spark-iceberg/v3_row_lineage",
        )
    ),
    "test_native_columns.py",
    "test_native_frames.py",
    "test_sql_queries.py",
    "test_sql_words.py",
    "test_sql_changes.py::test_changes_leave_the_rows_that_the_methods_of_the_table_leave",
    "test_sql_changes.py::test_inserts_follow_columns_names_and_the_overwrite_mode",
    "test_frame_writes.py::test_each_mode_changes_what_it_names",
    "test_frame_writes.py::test_an_overwrite_by_a_query_that_keeps_no_column_loses_no_newer_rows",
    "test_task_answers.py",
    "test_changelogs.py::test_changes_are_those_of_the_changelog",
    "test_changelogs.py::test_a_view_of_changes",
    "test_sql_connect.py",
    "test_streams.py",
)
"""A smoke of about two minutes on a quiet machine; tests of what a version lacks are skipped."""


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
        "pytest-xdist",
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
        options = ["-q", "-W", "default", "--disable-warnings", "-p", "no:cacheprovider"]
        done = subprocess.run([python, "-m", "pytest", *options, *tests], check=False, cwd=ROOT)
        print(f"PySpark {version}: {'failed' if done.returncode else 'passed'}", flush=True)
        failed += [version] * bool(done.returncode)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
