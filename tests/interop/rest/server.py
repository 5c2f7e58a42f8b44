"""Iceberg's own REST server, on loopback: the test fixture of Iceberg Java, which keeps its catalog in SQLite."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from pathlib import Path

from maven import jar
from peers.environments import FOLDER

from server_process import ServerProcess, free_port

HERE = Path(__file__).parent
SOURCE = HERE / "LoopbackCatalogServer.java"
JARS = HERE / "jars.txt"
"""The class path: what the fixture of Iceberg 1.11.0 depends on, by SHA-256 and place in Maven Central."""


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


class RestServer(ServerProcess):
    """The server, with an empty catalog in a folder; more properties are Iceberg's, or those of the server."""

    def __init__(self, folder: Path, **more: str) -> None:
        arguments = {
            "port": str(free_port()),
            "uri": f"jdbc:sqlite:{folder}/catalog.db",
            "warehouse": f"file:{folder}/warehouse",
            **more,
        }
        command = ["java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", class_path()]
        command.append("org.apache.iceberg.rest.LoopbackCatalogServer")
        command += [f"{key}={value}" for key, value in arguments.items()]
        super().__init__(command, log=folder / "server.log", ready=r"listening (\d+)")
        self.url = f"http://127.0.0.1:{self.match[1]}"
