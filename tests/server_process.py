"""How is a server run for tests: on loopback, ended by its own process, and started again as it was?"""

from __future__ import annotations

import random
import re
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["ServerProcess", "free_port"]

SECONDS = 120
"""A server that does not listen by then has failed."""

_BELOW_EPHEMERAL = range(12_000, 22_000)
_GRPC = 10_000


class ServerProcess:
    """A command that serves until it is ended.

    Attributes:
        match: What the pattern of readiness found.
    """

    match: re.Match[str]

    def __init__(  # noqa: PLR0913 - what servers differ in
        self,
        command: Sequence[str | Path],
        *,
        log: Path,
        ready: str,
        environment: dict[str, str] | None = None,
        folder: Path | None = None,
        user: Mapping[str, Any] | None = None,
    ) -> None:
        """Start it, and wait until what it prints matches `ready`.

        Args:
            command: The command.
            log: Where it prints to.
            ready: A pattern.
            environment: Its environment; by default that of this process.
            folder: Where it runs; by default where this process does.
            user: As whom it runs: arguments of `subprocess.Popen`.
        """
        self._command, self._log, self._ready = list(command), log, ready
        self._environment, self._folder, self._user = environment, folder, dict(user or {})
        self.start()

    def start(self) -> None:
        """Start it, the first time or again."""
        with self._log.open("wb") as output:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=self._environment,
                cwd=self._folder,
                **self._user,
            )
        deadline = time.monotonic() + SECONDS
        while (found := re.search(self._ready, self._printed())) is None:
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise AssertionError(f"the server did not start: {self._printed()[-2000:]}")
            time.sleep(0.05)
        self.match = found

    @property
    def process(self) -> int:
        """Its id."""
        return self._process.pid

    def _printed(self) -> str:
        return self._log.read_text(errors="replace")

    def stop(self) -> None:
        """End it."""
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()

    def wait(self) -> None:
        """Wait for its end, which somebody else brought about."""
        self._process.wait()

    def kill(self, how: int = signal.SIGKILL) -> None:
        """End it without notice."""
        self._process.send_signal(how)
        self._process.wait()


def free_port() -> int:
    """A port of loopback that nobody listens on, and neither on the one 10,000 above it."""
    for port in random.sample(_BELOW_EPHEMERAL, 100):
        if _is_free(port) and _is_free(port + _GRPC):
            return port
    raise AssertionError("no port is free")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
