"""Does a forked child do what its parent has done?"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

import pytest

SECONDS = 30
"""A child that has not answered by then hangs."""


def check_in_a_child(holds: Callable[[], bool]) -> None:
    """Fork, and fail unless something holds in the child too."""
    child = os.fork()
    if child == 0:
        answer = 1
        try:
            answer = 0 if holds() else 2
        finally:
            os._exit(answer)
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pytest.fail("the child hung")
