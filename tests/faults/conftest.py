"""What these tests tell besides whether they passed: how many calls, when processes were killed, how many commits."""

from __future__ import annotations

from collections.abc import Callable

import pytest

_LINES: list[str] = []


@pytest.fixture
def report() -> Callable[[str], None]:
    """Adds a line to the end of the run."""
    return _LINES.append


def pytest_terminal_summary(terminalreporter) -> None:
    """Print what was told."""
    if _LINES:
        terminalreporter.section("faults")
        for line in _LINES:
            terminalreporter.write_line(line)
