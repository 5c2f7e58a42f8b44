"""How do writers on one machine avoid conflicts?

Concurrent commits are safe, but the slower writer must retry. So writers of one machine take turns: where the table is
on a local disk, each locks the metadata folder while it commits. Elsewhere only the threads of one process take turns.
The lock is advisory, and nothing depends on it. After a timeout, or where file locks are not supported, a writer goes
on without it.
"""

from __future__ import annotations

import contextlib
import os
import random
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from floeberg import _native
from floeberg.errors import FloebergError

try:
    import fcntl
except ImportError:
    # Windows has no such locks.
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["commit_lock"]

PATIENCE = 10.0
"""Seconds until a writer goes on without the lock, whose holder may hang."""

_LONGEST_NAP: Final = 0.01

_THREADS: Final[dict[tuple[int, str], threading.Lock]] = {}
"""Locks by process id, so that a fork makes its own."""


@contextlib.contextmanager
def commit_lock(metadata_location: str | None) -> Iterator[None]:
    """An advisory lock to commit to the table of a metadata file, among the writers of this machine.

    Args:
        metadata_location: The metadata file; `None` where the table is created.
    """
    if metadata_location is None:
        yield
        return
    folder = _folder_of(metadata_location)
    if folder is None or fcntl is None:
        with _thread_lock(metadata_location.rpartition("/")[0]):
            yield
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        yield
        return
    try:
        _lock(handle)
        yield
    finally:
        # This releases the lock too.
        os.close(handle)


@contextlib.contextmanager
def _thread_lock(folder: str) -> Iterator[None]:
    lock = _THREADS.setdefault((os.getpid(), folder), threading.Lock())
    is_ours = lock.acquire(timeout=PATIENCE)
    try:
        yield
    finally:
        if is_ours:
            lock.release()


def _folder_of(metadata_location: str) -> str | None:
    try:
        path = _native.local_path(metadata_location)
    except FloebergError:
        return None
    return None if path is None else str(Path(path).parent)


def _lock(handle: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while not _is_over(handle) and time.monotonic() < deadline:
        time.sleep(random.uniform(0, _LONGEST_NAP))  # noqa: S311 - no secret


def _is_over(handle: int) -> bool:
    """Whether the wait is over: this writer has the lock, or the file system does not support it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
