"""Did a commit begin on this machine?

Spark asks for `commit` and `abort` in processes of their own, both on the driver's machine. A file tells the second
what the first did: after a commit has begun, its outcome may be unknown, and then nothing may be removed.
"""

from __future__ import annotations

import getpass
import re
import tempfile
from pathlib import Path

__all__ = ["begin_commit", "commit_began"]


def begin_commit(write_id: str) -> None:
    """Keeps that the commit of a write begins.

    Raises:
        OSError: It cannot be kept. The commit must not begin then.
    """
    place = _place(write_id)
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    place.touch()


def commit_began(write_id: str) -> bool:
    """Whether the commit of a write began; true where that cannot be told."""
    try:
        return _place(write_id).exists()
    except OSError:
        return True


def _place(write_id: str) -> Path:
    # A folder of another user's cannot be written to.
    user = re.sub(r"[^A-Za-z0-9._-]", "_", getpass.getuser())
    return Path(tempfile.gettempdir()) / f"floeberg-commits-{user}" / write_id
