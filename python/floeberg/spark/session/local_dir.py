"""Which folder do the Python processes of one Spark application share on a machine?

Spark starts a process for every step: planning, tasks, commits. It gives all of them the local directories of its block
manager, the driver's or an executor's. Spark removes these directories when it ends, with the files in them.

Invariant: no secret is stored here, and a reader does not fail where nothing can be stored.
"""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["local_dir"]


def local_dir() -> Path | None:
    """Our folder in Spark's first local directory; `None` where Spark sets none. It may not exist yet."""
    first = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0].strip()
    return Path(first) / "floeberg" if first else None
