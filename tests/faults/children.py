"""Processes that append or delete, as a test sees them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from faulted import Place

PROGRAMS = Path(__file__).parent


class Child:
    """A process that commits again and again.

    Attributes:
        done: The numbers of commits that were acknowledged.
        begun: The numbers of all that began.
        failed: What the others said.
        told: What it said besides, a line each.
    """

    program: str
    environment: dict[str, str] | None = None

    def __init__(self, place: Place, *arguments: object) -> None:
        """Start it. It waits for `go` before it commits."""
        self.done: set[int] = set()
        self.begun: set[int] = set()
        self.failed: list[str] = []
        self.told: list[str] = []
        self._process = subprocess.Popen(
            [sys.executable, PROGRAMS / self.program, place.kind, place.folder, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=self.environment,
        )
        assert self._next() == "ready", "it did not start"

    def go(self) -> None:
        """Let it commit."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def until_begun(self, number: int) -> None:
        """Wait for a commit to begin."""
        while number not in self.begun and self._next():
            pass

    def until_done(self, number: int) -> None:
        """Wait for a commit to be acknowledged."""
        while number not in self.done and self._next():
            pass

    def kill(self) -> None:
        """Kill it, and hear what it had said."""
        self._process.kill()
        self.wait()

    def wait(self) -> int:
        """Wait for its end."""
        while self._next():
            pass
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()
        return self._process.wait()

    def _next(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline().strip()
        # The last line of a killed process may be cut.
        word, _, rest = line.partition(" ")
        if word == "begin":
            self.begun.add(int(rest))
        elif word == "done":
            self.done.add(int(rest))
        elif word == "failed":
            self.failed.append(rest)
        elif word == "told":
            self.told.append(rest)
        return line


class Appender(Child):
    """A process of `appender.py`."""

    program = "appender.py"

    def __init__(self, place: Place, writer: int, first: int, count: int) -> None:
        """Start it."""
        self.writer = writer
        super().__init__(place, writer, first, count)


class Deleter(Child):
    """A process of `deleter.py`."""

    program = "deleter.py"

    def __init__(self, place: Place, mode: str, writer: int, first: int, count: int) -> None:
        """Start it."""
        self.writer = writer
        super().__init__(place, mode, writer, first, count)


class Changer(Child):
    """A process of `changer.py`."""

    program = "changer.py"

    def __init__(self, place: Place, action: str, writer: int, count: int) -> None:
        """Start it."""
        self.writer = writer
        super().__init__(place, action, writer, count)


class Mutator(Child):
    """A process of `mutator.py`."""

    program = "mutator.py"

    def __init__(self, place: Place, action: str, mode: str, writer: int, count: int) -> None:
        """Start it."""
        self.writer = writer
        super().__init__(place, action, mode, writer, count)


class Maintainer(Child):
    """A process of `maintainer.py`."""

    program = "maintainer.py"
