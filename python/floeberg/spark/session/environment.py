"""Can this PySpark and the Python of its workers run the data source, and how many cores are there?"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from typing import Any

from floeberg.errors import InvalidInputError, NotInstalledError, UnsupportedError

__all__ = ["check_pyspark", "check_workers", "cores", "is_connect"]

_OLDEST = (4, 0)

_ADVICE = (
    "Set PYSPARK_PYTHON to a Python that has Floeberg before the session starts "
    "(os.environ['PYSPARK_PYTHON'] = sys.executable names this one)"
)

_PROBE = """
import importlib.util, json, sys
def lacks(name):
    try:
        return importlib.util.find_spec(name) is None
    except ImportError:
        return True
missing = [name for name in ("pyarrow", "floeberg") if lacks(name)]
print(json.dumps({"version": sys.version_info[:2], "missing": missing}))
"""


def check_pyspark() -> None:
    """Checks that PySpark is installed and has Python data sources.

    Raises:
        NotInstalledError: PySpark is not installed.
        UnsupportedError: It is older than 4.0.
    """
    try:
        import pyspark  # noqa: PLC0415 - importing floeberg.spark imports nothing large
    except ImportError as error:
        raise NotInstalledError("pyspark is not installed: pip install 'floeberg[spark]'") from error
    version = tuple(int(part) for part in pyspark.__version__.split(".")[:2])
    if version < _OLDEST:
        raise UnsupportedError(
            f"PySpark {pyspark.__version__} has no Python data sources: PySpark 4.0 or later is needed"
        )


def check_session(spark: object) -> None:
    """Checks that an argument is a session.

    Raises:
        InvalidInputError: It is something else.
    """
    if not hasattr(spark, "dataSource") or not hasattr(spark, "read"):
        raise InvalidInputError(f"expected a SparkSession, found an object of type {type(spark).__name__}")


def is_connect(spark: object) -> bool:
    """Whether the session is one of Spark Connect."""
    return type(spark).__module__.startswith("pyspark.sql.connect")


def check_workers(python: str) -> None:
    """Checks that the Python of Spark's workers can read tables.

    Args:
        python: The command of that Python. It is not checked where it cannot be run here: other machines have it.

    Raises:
        NotInstalledError: It lacks Floeberg or pyarrow.
        UnsupportedError: It is of another version than this one.
    """
    found = shutil.which(python)
    if found is None or found == sys.executable:
        return
    try:
        ran = subprocess.run([found, "-c", _PROBE], capture_output=True, text=True, timeout=60, check=True)  # noqa: S603
        answer = json.loads(ran.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return
    version, here = ".".join(map(str, answer["version"])), ".".join(map(str, sys.version_info[:2]))
    if version != here:
        raise UnsupportedError(
            f"Spark runs its Python workers with {found}, Python {version}, and this is Python {here}. {_ADVICE}"
        )
    if answer["missing"]:
        raise NotInstalledError(
            f"Spark runs its Python workers with {found}, which lacks {' and '.join(answer['missing'])}. {_ADVICE}"
        )


def cores(spark: Any) -> int | None:  # noqa: ANN401 - classic and Connect share no class
    """How many tasks the cluster runs at a time; `None` where the session does not know."""
    if not is_connect(spark):
        return int(spark.sparkContext.defaultParallelism)
    parallelism, instances, each, master = (
        spark.conf.get(name, None) or ""
        for name in (
            "spark.default.parallelism",
            "spark.executor.instances",
            "spark.executor.cores",
            "spark.master",
        )
    )
    if parallelism.isdigit():
        return int(parallelism)
    if instances.isdigit() and each.isdigit():
        return int(instances) * int(each)
    local = re.match(r"local\[(\d+)", master)
    return int(local[1]) if local else None


def own_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def task_threads() -> int | None:
    """Threads of a task: one, since it has one core, unless `FLOEBERG_THREADS` says otherwise."""
    return None if "FLOEBERG_THREADS" in os.environ else 1
