"""How is MariaDB started, on loopback, with a folder of its own?"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from servers import SECRET, kill_all

from server_process import ServerProcess, free_port


class MariaDB:
    """MariaDB, with two databases: one as it makes them, and one whose names are compared by their bytes."""

    crash = signal.SIGKILL

    def __init__(self) -> None:
        program = shutil.which("mariadbd") or "/usr/sbin/mariadbd"
        if not Path(program).exists():
            pytest.skip("MariaDB is not installed")
        self._driver = pytest.importorskip(
            "pymysql", reason="pymysql, the driver of MariaDB, is not installed"
        )
        self.folder = Path(tempfile.mkdtemp(prefix="mariadb-"))
        who = ["--user=mysql"] if os.geteuid() == 0 else []
        if who:
            shutil.chown(self.folder, "mysql", "mysql")
        data = f"--datadir={self.folder / 'data'}"
        made = ["mariadb-install-db", "--no-defaults", data, "--auth-root-authentication-method=normal"]
        subprocess.run([*made, *who, "--skip-test-db"], check=True, capture_output=True, cwd=self.folder)
        self._socket, port = self.folder / "s.sock", str(free_port())
        places = [f"--socket={self._socket}", f"--pid-file={self.folder / 'pid'}"]
        small = ["--innodb-buffer-pool-size=32M", "--innodb-flush-log-at-trx-commit=1"]
        self.process = ServerProcess(
            [
                program,
                "--no-defaults",
                data,
                *who,
                *places,
                "--bind-address=127.0.0.1",
                f"--port={port}",
                *small,
            ],
            log=Path(f"{self.folder}.log"),
            ready="ready for connections",
            folder=self.folder,
        )
        for statement in (
            "CREATE DATABASE usual",
            "CREATE DATABASE exact CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
            "CREATE USER tests@'127.0.0.1' IDENTIFIED BY 'hush-hush'",
            "GRANT ALL ON usual.* TO tests@'127.0.0.1'",
            "GRANT ALL ON exact.* TO tests@'127.0.0.1'",
        ):
            self.as_root(statement)
        self._address = f"mysql+pymysql://tests:{SECRET}@127.0.0.1:{port}"
        self.properties = {"type": "sql", "uri": f"{self._address}/usual"}
        self.exact = {"type": "sql", "uri": f"{self._address}/exact"}
        self.environment: dict[str, str] = {}

    def as_root(self, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement through the socket; its rows."""
        connection = self._driver.connect(unix_socket=str(self._socket), user="root")
        with connection, connection.cursor() as cursor:
            cursor.execute(statement)
            return list(cursor.fetchall())

    def kill_all(self) -> None:
        """Kill it. It is one process."""
        kill_all(self.process.process)
        self.process.wait()

    def cut(self) -> int:
        """Cut the connections of all others; how many."""
        found = self.as_root("SELECT id FROM information_schema.processlist WHERE user = 'tests'")
        for (number,) in found:
            with suppress(self._driver.err.Error):
                self.as_root(f"KILL CONNECTION {number}")
        return len(found)

    def stop(self) -> None:
        """End it, and remove what it kept."""
        self.process.stop()
        Path(f"{self.folder}.log").unlink()
        shutil.rmtree(self.folder)
