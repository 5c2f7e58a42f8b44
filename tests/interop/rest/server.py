"""Iceberg's own REST server, on loopback: the test fixture of Iceberg Java, which keeps its catalog in SQLite."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
import time
from pathlib import Path

from maven import jar
from peers.environments import FOLDER

HERE = Path(__file__).parent
SOURCE = HERE / "LoopbackCatalogServer.java"
JARS = HERE / "jars.txt"
"""The class path: what the fixture of Iceberg 1.11.0 depends on, by SHA-256 and place in Maven Central."""

SECONDS = 120
"""A server that does not listen by then has failed."""


def class_path() -> str:
    """The jars, downloaded where they are not there, and the compiled server."""
    folder = FOLDER / "iceberg-rest"
    folder.mkdir(parents=True, exist_ok=True)
    pinned = [line.split() for line in JARS.read_text(encoding="utf-8").splitlines()]
    jars = os.pathsep.join(str(jar(folder, place, sha256)) for sha256, place in pinned)
    known = hashlib.sha256(SOURCE.read_bytes() + JARS.read_bytes()).hexdigest()[:16]
    compiled = folder / f"server-{known}"
    if not compiled.exists():
        with tempfile.TemporaryDirectory(dir=folder) as fresh:
            out = Path(fresh) / "out"
            subprocess.run(["javac", "-nowarn", "-cp", jars, "-d", out, SOURCE], check=True)
            out.rename(compiled)
    return f"{compiled}{os.pathsep}{jars}"


class RestServer:
    """The server, with an empty catalog in a folder."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "server.log"
        arguments = {
            "port": "0",
            "uri": f"jdbc:sqlite:{folder}/catalog.db",
            "warehouse": f"file:{folder}/warehouse",
        }
        command = ["java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", class_path()]
        command.append("org.apache.iceberg.rest.LoopbackCatalogServer")
        with self._log.open("wb") as output:
            self._process = subprocess.Popen(
                [*command, *(f"{key}={value}" for key, value in arguments.items())],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        deadline = time.monotonic() + SECONDS
        while (found := re.search(r"listening (\d+)", self._log.read_text(errors="replace"))) is None:
            told = self._log.read_text(errors="replace")[-2000:]
            assert self._process.poll() is None, f"the server ended: {told}"
            assert time.monotonic() < deadline, f"the server does not listen: {told}"
            time.sleep(0.1)
        self.url = f"http://127.0.0.1:{found[1]}"

    def stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
