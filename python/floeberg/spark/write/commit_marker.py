"""Has a commit on this machine begun without a known outcome?

Spark calls `commit` and `abort` in separate processes, both on the driver's machine. A marker file links the two: it
exists from the beginning of a commit until its outcome is known. A commit that was killed leaves its marker, and so
does one whose outcome is unknown. While there is a marker, no file of the write may be removed.
"""

from __future__ import annotations

import getpass
import re
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from floeberg.errors import AlreadyExistsError, CommitStateUnknownError, FloebergError
from floeberg.spark.session.local_dir import local_dir

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["is_outcome_unknown", "marked_commit"]


@contextmanager
def marked_commit(write_id: str) -> Iterator[None]:
    """Commits a write in its block. A marker is there from its beginning until its outcome is known.

    Raises:
        OSError: The marker cannot be written. The commit does not begin.
    """
    marker = _marker(write_id)
    marker.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    marker.touch()
    try:
        yield
    except (CommitStateUnknownError, AlreadyExistsError):
        # The table has the files, or may have them.
        raise
    except FloebergError:
        # Nothing was changed. Spark calls `abort` now, which may remove the files.
        _remove(marker)
        raise
    _remove(marker)


def is_outcome_unknown(write_id: str) -> bool:
    """Whether a commit of the write began without a known outcome. True where the marker cannot be looked up."""
    try:
        return _marker(write_id).exists()
    except OSError:
        return True


def _remove(marker: Path) -> None:
    # A marker that stays costs some unused files, and nothing else.
    with suppress(OSError):
        marker.unlink()


def _marker(write_id: str) -> Path:
    folder = local_dir()
    if folder is not None:
        return folder / "commits" / write_id
    # Users do not share a folder: it would belong to the first one.
    user = re.sub(r"[^A-Za-z0-9._-]", "_", getpass.getuser())
    return Path(tempfile.gettempdir()) / f"floeberg-commits-{user}" / write_id
