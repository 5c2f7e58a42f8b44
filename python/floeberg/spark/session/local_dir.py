"""Where do the Python processes of one Spark leave word for each other?

Spark starts a process for every step: planning, tasks, commits. To all of one machine it names the folders of its block
manager, the driver's or an executor's; locally they are the same. It removes them when it ends, and what is here with
them.

Invariant: what is kept here is no secret, and what cannot be kept is no error to whoever reads.
"""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["scratch"]


def scratch() -> Path | None:
    """A folder of this Spark on this machine; `None` where Spark names none. It need not be there."""
    first = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0].strip()
    return Path(first) / "floeberg" if first else None
