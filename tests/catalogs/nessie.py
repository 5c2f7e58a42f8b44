"""How is Nessie started, on loopback, with its tables in the S3 of SeaweedFS?

Its catalog is in its memory: it ends with it.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest
from maven import jar
from peers.environments import FOLDER
from servers import KEY, PLAIN_BUCKET, SECRET

from server_process import ServerProcess, free_port

RUNNER = (
    "org/projectnessie/nessie/nessie-quarkus/0.99.0/nessie-quarkus-0.99.0-runner.jar",
    "ce9fa33e2878bf5ea3981876b9e6204cabc0362b3dd82326b10e47271a78c417",
)
OLDEST = 21
"""The version of Java that it was built for."""


class Nessie:
    """Nessie 0.99, which has format version 2 alone."""

    crash = signal.SIGKILL

    def __init__(self, store: Any) -> None:
        program = _java()
        self.folder = Path(tempfile.mkdtemp(prefix="nessie-"))
        port, endpoint = str(free_port()), store.properties["s3.endpoint"]
        s3 = "nessie.catalog.service.s3.default-options"
        settings = {
            "quarkus.http.host": "127.0.0.1",
            "quarkus.http.port": port,
            "quarkus.management.host": "127.0.0.1",
            "quarkus.management.port": str(free_port()),
            "quarkus.otel.sdk.disabled": "true",
            "nessie.version.store.type": "IN_MEMORY",
            "nessie.catalog.default-warehouse": "wh",
            "nessie.catalog.warehouses.wh.location": f"s3://{PLAIN_BUCKET}/nessie",
            f"{s3}.endpoint": endpoint,
            f"{s3}.path-style-access": "true",
            f"{s3}.region": "us-east-1",
            f"{s3}.request-signing-enabled": "false",
            f"{s3}.access-key": "urn:nessie-secret:quarkus:tests.s3",
            "tests.s3.name": KEY,
            "tests.s3.secret": SECRET,
        }
        options = [f"-D{key}={value}" for key, value in settings.items()]
        self.process = ServerProcess(
            [program, "-Xmx512m", "-XX:+UseSerialGC", *options, "-jar", jar(FOLDER, *RUNNER)],
            log=self.folder / "server.log",
            ready="Listening on",
            folder=self.folder,
        )
        self.properties = {
            "type": "rest",
            "uri": f"http://127.0.0.1:{port}/iceberg",
            "warehouse": "wh",
            # It has them, and sends no list of its endpoints.
            "view-endpoints-supported": "true",
            **{key: value for key, value in store.properties.items() if key.startswith("s3.")},
        }
        self.environment: dict[str, str] = {}

    def stop(self) -> None:
        """End it, and remove what it kept."""
        self.process.stop()
        shutil.rmtree(self.folder)


def _java() -> str:
    """A Java that is new enough; the test is skipped where there is none."""
    home = os.environ.get("JAVA_HOME")
    places = [Path(home) / "bin" / "java"] if home else []
    places += [Path(found)] if (found := shutil.which("java")) else []
    places += sorted(Path("/usr/lib/jvm").glob("*/bin/java"), reverse=True)
    for place in places:
        if place.exists() and _version(place) >= OLDEST:
            return str(place)
    pytest.skip(f"Nessie needs Java {OLDEST} or later")


def _version(java: Path) -> int:
    said = subprocess.run([java, "-version"], check=False, capture_output=True, text=True).stderr
    found = re.search(r'version "(\d+)', said)
    return int(found[1]) if found else 0
