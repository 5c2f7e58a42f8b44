"""A catalog in SQLite, served: in the process, and on loopback."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.catalog import Catalog
from floeberg.catalog.sql import SqlCatalog
from floeberg.serving.limits import Limits
from floeberg.serving.listening import server_of
from floeberg.serving.routing import application_of
from floeberg.serving.served import Served

TOKEN = "a long secret"
ROWS = pa.table({"id": [1, 2, 3]})


@pytest.fixture
def catalog(tmp_path: Path) -> SqlCatalog:
    """What is served: a namespace `ns` with a table `t` of the ids 1, 2 and 3."""
    made = SqlCatalog(
        "served", {"uri": f"sqlite:///{tmp_path}/catalog.db", "warehouse": f"{tmp_path}/warehouse"}
    )
    made.create_namespace("ns")
    made.create_table("ns.t", ROWS)
    return made


@pytest.fixture
def http(catalog: Catalog) -> Iterator[httpx.Client]:
    """A client that has the token."""
    with asking(catalog) as client:
        yield client


@contextlib.contextmanager
def asking(catalog: Catalog, limits: Limits | None = None, **more) -> Iterator[httpx.Client]:
    """A client of a server of its own."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with (
        listening(catalog, limits, **more) as url,
        httpx.Client(base_url=url, headers=headers, timeout=60) as client,
    ):
        yield client


@contextlib.contextmanager
def listening(
    catalog: Catalog, limits: Limits | None = None, token: str | None = TOKEN, **more
) -> Iterator[str]:
    """The address of a server on loopback, in a thread."""
    wanted = limits or Limits()
    served = Served(catalog, token, limits=wanted, **more)
    server = server_of(application_of(served), "127.0.0.1", 0, wanted)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture
def remote(catalog: Catalog) -> Iterator[Catalog]:
    """The same catalog, through a server."""
    with listening(catalog) as url, fb.load_catalog("remote", type="rest", uri=url, token=TOKEN) as found:
        yield found
