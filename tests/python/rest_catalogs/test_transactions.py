"""Commits of several tables, by servers that answer as a test says."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.commit import lock, several
from floeberg.errors import (
    CommitConflictError,
    CommitStateUnknownError,
    InvalidInputError,
    NotFoundError,
    PermissionDeniedError,
    UnsupportedError,
)
from rest_catalogs.scripted import TABLES, Says, error

COMMIT_ALL = "POST /v1/transactions/commit"
HASTE = {"commit.retry.min-wait-ms": "1", "commit.retry.max-wait-ms": "1", "commit.retry.num-retries": "2"}


@pytest.fixture
def lake(tmp_path):
    """Where the tables are really: in memory, with files in a folder."""
    catalog = fb.load_catalog(f"{tmp_path}-lake", type="memory", warehouse=str(tmp_path / "lake"))
    catalog.create_namespace("ns")
    for name in "ab":
        catalog.create_table(f"ns.{name}", as_select=pa.table({"id": [0]})).set_properties(HASTE)
    return catalog


@pytest.fixture
def transaction(lake, server, load, monkeypatch):
    """The id 1 for each table, on a server that serves those of the lake."""
    monkeypatch.setattr(several, "_PAUSE", 0.0)
    monkeypatch.setattr(lock, "PATIENCE", 0.0)

    def served(name):
        def answer(asked):
            del asked
            table = lake.load_table(f"ns.{name}")
            metadata = json.loads(table._inner.metadata_json())
            return Says(200, {"metadata-location": table.metadata_location, "metadata": metadata})

        return answer

    for name in "ab":
        server.says(f"GET {TABLES}/{name}", served(name))
    begun = load().transaction()
    for name in "ab":
        begun.table(f"ns.{name}").append(pa.table({"id": [1]}))
    return begun


@pytest.fixture
def files(tmp_path):
    """The files of rows, manifests and lists."""

    def found():
        return sorted(each.name for each in Path(tmp_path).rglob("*") if each.suffix in (".parquet", ".avro"))

    return found


def test_a_request_has_the_changes_of_each_table(server, transaction):
    server.says(COMMIT_ALL, error(400, "BadRequestException"))
    with pytest.raises(InvalidInputError):
        transaction.commit_transaction()
    (asked,) = server.of(COMMIT_ALL)
    changes = asked.json["table-changes"]
    assert [each["identifier"] for each in changes] == [{"namespace": ["ns"], "name": name} for name in "ab"]
    for each in changes:
        assert "assert-ref-snapshot-id" in [one["type"] for one in each["requirements"]]
        assert "add-snapshot" in [one["action"] for one in each["updates"]]


@pytest.mark.parametrize(
    ("says", "expected"),
    [
        (error(400, "BadRequestException"), InvalidInputError),
        (error(403, "ForbiddenException"), PermissionDeniedError),
        (error(404, "NoSuchRoute"), NotFoundError),
        (error(405), UnsupportedError),
    ],
)
def test_a_refusal_removes_what_was_written(server, transaction, files, says, expected):
    server.says(COMMIT_ALL, says)
    written = len(files())
    with pytest.raises(expected):
        transaction.commit_transaction()
    assert len(server.of(COMMIT_ALL)) == 1
    assert len(files()) == written - 2


@pytest.mark.parametrize("says", [error(500), error(502), error(504), Says(0), Says(200, b"<html>")])
def test_an_outcome_that_nobody_knows_keeps_all_files(server, transaction, files, says):
    server.says(COMMIT_ALL, says)
    written = len(files())
    with pytest.raises(CommitStateUnknownError) as caught:
        transaction.commit_transaction()
    assert caught.value.context == {f"table ns.{name}": "not committed so far" for name in "ab"}
    assert len(server.of(COMMIT_ALL)) == 3
    assert len(files()) > written


def test_a_conflict_with_others_is_tried_again_and_given_up(server, transaction, files, lake):
    def refused(asked):
        del asked
        lake.load_table("ns.b").append(pa.table({"id": [2]}))
        return error(409, "CommitFailedException", "Requirement failed")

    server.says(COMMIT_ALL, refused)
    before = len(files()) - 2
    with pytest.raises(CommitConflictError, match="gave up after 3 attempts"):
        transaction.commit_transaction()
    assert len(server.of(COMMIT_ALL)) == 3
    # Each append of the other writer has a data file, a manifest and a list.
    assert len(files()) == before + 9


def test_a_table_that_cannot_be_loaded_after_the_commit_is_unknown(server, transaction, files):
    def gone(asked):
        del asked
        for name in "ab":
            server.says(f"GET {TABLES}/{name}", error(403, "ForbiddenException"))
        return Says(204)

    server.says(COMMIT_ALL, gone)
    written = len(files())
    with pytest.raises(CommitStateUnknownError) as caught:
        transaction.commit_transaction()
    assert all("cannot be loaded" in each for each in caught.value.context.values())
    assert len(server.of(COMMIT_ALL)) == 1
    assert len(files()) > written


def test_a_server_that_does_not_list_the_endpoint_is_not_asked(server, load):
    server.config = {"defaults": {}, "overrides": {}, "endpoints": ["GET /v1/{prefix}/namespaces"]}
    with pytest.raises(UnsupportedError, match="does not offer POST /v1/{prefix}/transactions/commit"):
        load().transaction()
    assert server.asked == []
