"""Which lock does a forked process not inherit?

Reports are sent in the background, so that another thread may hold a lock when a process is forked. In the child nobody
would release it.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["ProcessLock"]


class ProcessLock:
    """A lock, of which each process has one of its own."""

    def __init__(self) -> None:
        self._locks: dict[int, threading.Lock] = {}

    def __enter__(self) -> None:
        process = os.getpid()
        (self._locks.get(process) or self._locks.setdefault(process, threading.Lock())).acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._locks[os.getpid()].release()
