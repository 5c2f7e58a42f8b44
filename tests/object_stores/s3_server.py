"""A server that speaks S3, on loopback: moto, in an environment of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

from peer_environment import environment

FOLDER = Path(os.environ.get("FLOEBERG_BENCH_DIR") or Path.home() / ".cache" / "floeberg" / "bench")
MOTO = {
    "moto": "5.2.5",
    "flask": "3.1.3",
    "flask-cors": "6.0.5",
    "py-partiql-parser": "0.6.3",
    "pyyaml": "6.0.3",
}
SECONDS = 60
"""A server that does not answer by then has failed."""


class S3Server:
    """The server, with nothing in it."""

    def __init__(self, log: Path) -> None:
        """Start it; what it prints goes to `log`."""
        program = environment(FOLDER, MOTO).with_name("moto_server")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self._log = log
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                [program, "-H", "127.0.0.1", "-p", str(port)], stdout=output, stderr=subprocess.STDOUT
            )
        deadline = time.monotonic() + SECONDS
        while not self._answers():
            assert self._process.poll() is None, f"the server ended: {log.read_text()[-2000:]}"
            assert time.monotonic() < deadline, f"the server does not answer: {log.read_text()[-2000:]}"
            time.sleep(0.1)

    def _answers(self) -> bool:
        try:
            self.ask("GET", "moto-api/")
        except urllib.error.URLError:
            return False
        return True

    def ask(self, method: str, path: str) -> str:
        """Ask without our own code, and without a signature."""
        with urllib.request.urlopen(urllib.request.Request(f"{self.url}/{path}", method=method)) as answer:
            return answer.read().decode()

    def stop(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait()
