"""Processes that append, as a test sees them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from faulted import Place

PROGRAM = Path(__file__).with_name("appender.py")


class Appender:
    """A process of `appender.py`.

    Attributes:
        done: The numbers of appends that were acknowledged.
        begun: The numbers of all that began.
        failed: What the others said.
    """

    def __init__(self, place: Place, writer: int, first: int, count: int) -> None:
        """Start it. It waits for `go` before it appends."""
        arguments = [place.kind, place.folder, writer, first, count]
        self.writer = writer
        self.done: set[int] = set()
        self.begun: set[int] = set()
        self.failed: list[str] = []
        self._process = subprocess.Popen(
            [sys.executable, PROGRAM, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=None,
        )
        assert self._next() == "ready", "it did not start"

    def go(self) -> None:
        """Let it append."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def until_begun(self, number: int) -> None:
        """Wait for an append to begin."""
        while number not in self.begun and self._next():
            pass

    def until_done(self, number: int) -> None:
        """Wait for an append to be acknowledged."""
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
        return line
