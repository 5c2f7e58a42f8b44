"""Peers for all tests, each started once, where it is first asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from peers.environments import start_duckdb, start_java, start_java_spark, start_pyiceberg
from peers.process import Peer

from spark_session import spark

__all__ = ["spark"]


@pytest.fixture(scope="session")
def logs(tmp_path_factory) -> Path:
    """Where peers print to."""
    return tmp_path_factory.mktemp("peers")


def _started(start, logs: Path) -> Iterator[Peer]:
    peer = start(logs)
    yield peer
    peer.stop()


@pytest.fixture(scope="session")
def pyiceberg(logs: Path) -> Iterator[Peer]:
    """PyIceberg."""
    yield from _started(start_pyiceberg, logs)


@pytest.fixture(scope="session")
def duckdb(logs: Path) -> Iterator[Peer]:
    """DuckDB."""
    yield from _started(start_duckdb, logs)


@pytest.fixture(scope="session")
def java(logs: Path) -> Iterator[Peer]:
    """Iceberg Java."""
    yield from _started(start_java, logs)


@pytest.fixture(scope="session")
def java_spark(logs: Path) -> Iterator[Peer]:
    """Iceberg Java in Spark."""
    yield from _started(start_java_spark, logs)
