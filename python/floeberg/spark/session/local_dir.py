"""Which folder do the Python processes of one Spark application share on a machine?

Spark starts a process for every step: planning, tasks, commits. It gives all of them the local directories of its block
manager, the driver's or an executor's. Spark removes these directories when it ends, with the files in them.

Invariant: no secret is stored here, and a reader does not fail where nothing can be stored.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

__all__ = ["driver_local_dir", "local_dir"]


_FOUND: WeakKeyDictionary[Any, str | None] = WeakKeyDictionary()


def local_dir(first: str | None = None) -> Path | None:
    """Our folder in Spark's first local directory; `None` where Spark sets none. It may not exist yet.

    Args:
        first: That directory, where it is known; Spark tells it to the workers that it starts.
    """
    if first is None:
        first = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0].strip()
    return Path(first) / "floeberg" if first else None


def driver_local_dir(spark: Any) -> str | None:  # noqa: ANN401 - what is used of it is not public
    """The first local directory of a classic session's driver; `None` where the session does not say."""
    if spark not in _FOUND:
        _FOUND[spark] = _ask(spark)
    return _FOUND[spark]


def _ask(spark: Any) -> str | None:  # noqa: ANN401 - the same
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]  # noqa: PLC0415 - importing floeberg imports no PySpark

    jvm = spark._jvm  # noqa: SLF001
    env, blocks = "org.apache.spark.SparkEnv", "org.apache.spark.storage.BlockManager"
    steps = ((env, "get", env), (env, "blockManager", blocks), (blocks, "diskBlockManager", None))
    found: Any = None
    try:
        # One method each by its name: to list all of a class loads classes that Spark does not ship.
        lookup, types = jvm.java.lang.invoke.MethodHandles.publicLookup(), jvm.java.lang.invoke.MethodType
        for owner, name, result in steps:
            kind = types.methodType(
                jvm.java.lang.Class.forName(result or "org.apache.spark.storage.DiskBlockManager")
            )
            found_in = jvm.java.lang.Class.forName(owner)
            arguments = jvm.java.util.ArrayList()
            if found is not None:
                arguments.add(found)
            find = lookup.findStatic if found is None else lookup.findVirtual
            found = find(found_in, name, kind).invokeWithArguments(arguments)
        return str(found.localDirs()[0].getPath())
    except (Py4JError, AttributeError, TypeError):
        return None
