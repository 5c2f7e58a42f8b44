"""Servers of REST catalogs that answer as a test says."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.catalog.rest import client
from rest_catalogs.scripted import Says, ScriptedServer


@pytest.fixture
def server():
    started = ScriptedServer()
    yield started
    started.stop()


@pytest.fixture
def load(server):
    """The catalog of the server."""

    def loaded(**properties):
        return fb.load_catalog("scripted", **{"type": "rest", "uri": server.url, **properties})

    return loaded


@pytest.fixture
def waits(monkeypatch):
    """How long the client waited, without waiting."""
    waited = []
    monkeypatch.setattr(client.time, "sleep", waited.append)
    return waited


@pytest.fixture
def loadable(tmp_path):
    """An answer to who loads a table."""
    catalog = fb.load_catalog(str(tmp_path), type="memory", warehouse=str(tmp_path / "lake"))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", as_select=pa.table({"id": [1, 2]}))

    def answer(headers=None, **more):
        body = {
            "metadata-location": table.metadata_location,
            "metadata": json.loads(table._inner.metadata_json()),
            "config": {},
            **more,
        }
        return Says(200, body, headers or {})

    return answer
