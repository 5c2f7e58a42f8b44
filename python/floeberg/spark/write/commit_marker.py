"""May a commit be under way on this machine, or have ended nobody knows how?

Spark asks for `commit` and `abort` in processes of their own, both on the driver's machine. A file tells the second
what the first did: it is there from the beginning of a commit until its outcome is known. A commit that was killed, or
whose outcome is unknown, leaves it, and then nothing may be removed.
"""

from __future__ import annotations

import getpass
import re
import tempfile
from contextlib import suppress
from pathlib import Path

from floeberg.spark.session.local_dir import scratch

__all__ = ["begin_commit", "end_commit", "is_outcome_open"]


def begin_commit(write_id: str) -> None:
    """Keeps that the commit of a write begins.

    Raises:
        OSError: It cannot be kept. The commit must not begin then.
    """
    place = _place(write_id)
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    place.touch()


def end_commit(write_id: str) -> None:
    """Forgets the commit of a write: it is known whether it took effect."""
    # Where that cannot be done, files are left that might have been removed, no more.
    with suppress(OSError):
        _place(write_id).unlink()


def is_outcome_open(write_id: str) -> bool:
    """Whether a commit of the write began whose outcome is not known; true where that cannot be told."""
    try:
        return _place(write_id).exists()
    except OSError:
        return True


def _place(write_id: str) -> Path:
    own = scratch()
    if own is not None:
        return own / "commits" / write_id
    # A folder of another user's cannot be written to.
    user = re.sub(r"[^A-Za-z0-9._-]", "_", getpass.getuser())
    return Path(tempfile.gettempdir()) / f"floeberg-commits-{user}" / write_id
