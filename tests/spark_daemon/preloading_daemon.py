"""PySpark's daemon of workers, with what each worker imports from other projects imported once, before workers fork.

Spark forks a worker for each task that has none, and a worker ends with a task that fails: each would take a second of
processor time to import pandas and pyarrow. Floeberg is not imported here: each worker imports it, as outside of tests.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import sys
import warnings

from pyspark.daemon import manager


def preload(worker: str) -> None:
    """Import a module of workers, and what its tasks import. What is absent is absent in tasks too."""
    for name in (
        worker,
        "pandas",
        "pyarrow.dataset",
        "pyspark.sql.connect.conversion",
        "pyspark.sql.datasource",
    ):
        with contextlib.suppress(Exception), warnings.catch_warnings(action="ignore"):
            importlib.import_module(name)
    # Workers collect garbage after each task, but not what is here for good.
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    preload(sys.argv[1])
    manager()
