"""A table leaves a catalog, and its files stay; an unclear request drops nothing."""

from __future__ import annotations

import json
import threading
import uuid

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.catalog import FileSystemCatalog, MemoryCatalog
from floeberg.errors import NoSuchTableError, UnsupportedError
from serving.conftest import ROWS, TOKEN, asking, listening
from serving.test_requests import refusal

TABLE = "/v1/namespaces/ns/tables/t"


def test_a_table_is_unregistered_and_registered_elsewhere(catalog, http):
    before = catalog.load_table("ns.t")
    answer = http.post(f"{TABLE}/unregister")
    assert answer.status_code == 200
    body = answer.json()
    assert body["metadata-location"] == before.metadata_location
    assert body["metadata"] == json.loads(before._inner.metadata_json())
    assert not catalog.table_exists("ns.t")
    assert refusal(http.post(f"{TABLE}/unregister")) == (404, "NoSuchTableException")
    with pytest.raises(fb.errors.FloebergError):
        before.append(ROWS)
    assert catalog.register_table("ns.again", body["metadata-location"]).count() == 3


def test_a_client_unregisters(remote, catalog):
    location = catalog.load_table("ns.t").metadata_location
    assert remote.unregister_table("ns.t") == location
    with pytest.raises(NoSuchTableError):
        remote.unregister_table("ns.t")


@pytest.mark.parametrize("kind", ["sql", "memory"])
def test_no_commit_is_lost_between(kind, catalog, monkeypatch):
    """What is answered is the last metadata, though another writer commits meanwhile."""
    if kind == "memory":
        catalog = MemoryCatalog(f"unregister {uuid.uuid4()}")
        catalog.create_namespace("ns")
        catalog.create_table("ns.t", ROWS)
    table = catalog.load_table("ns.t")
    remove = type(catalog).do_unregister_table
    seen = []

    def after_a_commit(self, identifier, location):
        if not seen:
            writer = threading.Thread(target=table.append, args=(ROWS,))
            writer.start()
            writer.join()
        seen.append(remove(self, identifier, location))
        return seen[-1]

    monkeypatch.setattr(type(catalog), "do_unregister_table", after_a_commit)
    assert catalog.unregister_table("ns.t") == table.metadata_location
    assert seen == [False, True]
    assert fb.open_table(table.metadata_location).count() == 6 if kind == "sql" else True


def test_a_folder_has_no_tables_without_files(tmp_path):
    folders = FileSystemCatalog("folders", {"warehouse": str(tmp_path)})
    folders.create_namespace("ns")
    folders.create_table("ns.t", ROWS)
    with pytest.raises(UnsupportedError, match="cannot remove 'ns.t' without its files"):
        folders.unregister_table("ns.t")
    with pytest.raises(NoSuchTableError):
        folders.unregister_table("ns.none")
    with asking(folders) as client:
        assert not any("unregister" in each for each in client.get("/v1/config").json()["endpoints"])
        assert refusal(client.post(f"{TABLE}/unregister")) == (406, "UnsupportedOperationException")
    assert folders.load_table("ns.t").count() == 3
    # A catalog that asks another server offers what that one has.
    with (
        listening(folders) as url,
        fb.load_catalog("far", type="rest", uri=url, token=TOKEN) as far,
        pytest.raises(UnsupportedError),
    ):
        far.unregister_table("ns.t")


def test_a_drop_that_is_unclear_drops_nothing(http, catalog):
    for wanted in ("bogus", "", "1", "yes", "truee"):
        answer = http.delete(TABLE, params={"purgeRequested": wanted})
        assert refusal(answer) == (400, "BadRequestException"), wanted
    assert catalog.load_table("ns.t").count() == 3


@pytest.mark.parametrize("wanted", ["TRUE", "true", "False", None])
def test_a_drop_that_is_clear_drops(http, catalog, wanted):
    place = catalog.load_table("ns.t").metadata_location
    assert http.delete(TABLE, params={} if wanted is None else {"purgeRequested": wanted}).status_code == 204
    assert not catalog.table_exists("ns.t")
    if wanted in ("False", None):
        assert fb.open_table(place).scan().to_arrow().equals(pa.table({"id": [1, 2, 3]}))
    else:
        with pytest.raises(NoSuchTableError):
            fb.open_table(place)
