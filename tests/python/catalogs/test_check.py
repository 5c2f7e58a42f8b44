"""`Catalog.check` names the step that fails, writes nothing that stays, and shows no secret."""

from __future__ import annotations

import os
import pickle
import socket
from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.catalog import check_catalog
from floeberg.catalog.check import race
from floeberg.errors import (
    AlreadyExistsError,
    InvalidInputError,
    PermissionDeniedError,
    StorageError,
    UnsupportedError,
)

SECRET = "s3cr3t-hush"
SCHEMA = pa.schema({"id": pa.int64()})


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """An empty home directory."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("PYICEBERG_HOME", raising=False)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def closed():
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        yield probe.getsockname()[1]


def files(folder: Path) -> list[str]:
    return sorted(str(Path(place, name)) for place, _, names in os.walk(folder) for name in names)


def outcomes(found) -> dict[str, str]:
    return {step.name: step.outcome for step in found.steps}


def test_a_catalog_of_every_kind_is_checked_and_left_as_it_was(catalog, tmp_path):
    catalog.create_namespace("ns")
    catalog.create_table("ns.t", as_select=pa.table({"id": [1]}))
    before = files(tmp_path)
    found = catalog.check()
    assert found.ok and found.raise_for_failure() is found, found
    assert (found.catalog, found.kind) == (catalog.name, type(catalog).__name__)
    wanted = {"configuration", "namespaces", "table", "list", "put", "read", "put-if-absent", "delete"}
    assert wanted <= {name for name, outcome in outcomes(found).items() if outcome == "ok"}
    assert {"dns", "tcp", "tls"} <= {
        name for name, outcome in outcomes(found).items() if outcome == "skipped"
    }
    assert "ns.t" in found.step("table").detail and "16 writers" in found.step("put-if-absent").detail
    assert files(tmp_path) == before
    assert catalog.list_namespaces() == [("ns",)] and catalog.list_tables("ns") == [("ns", "t")]


def test_a_warehouse_that_is_not_there_yet_is_not_there_afterwards(tmp_path):
    place = tmp_path / "a" / "b" / "warehouse"
    found = fb.load_catalog("c", type="filesystem", warehouse=str(place)).check()
    assert found.ok and "not there yet" in found.step("bucket").detail
    assert found.step("table").outcome == "skipped"
    assert not (tmp_path / "a").exists()


def test_what_only_reads_writes_nothing(tmp_path, monkeypatch):
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path / "w"))

    def refuse(*_, **__):
        raise AssertionError

    monkeypatch.setattr("floeberg._native.put_file", refuse)
    found = catalog.check(read_only=True)
    skipped = {"put", "read", "put-if-absent", "delete"}
    assert {outcomes(found)[name] for name in skipped} == {"skipped"}
    assert found.step("put").detail == "the check is read only"
    # The tables of a database are not made either.
    made = check_catalog("c", read_only=True, type="sql", uri=f"sqlite:///{tmp_path}/new.db")
    assert made.failure.name == "authentication" and "no catalog tables" in str(made.failure.error)
    assert not (tmp_path / "new.db").exists()
    fb.load_catalog("c", type="sql", uri=f"sqlite:///{tmp_path}/new.db")
    assert check_catalog("c", read_only=True, type="sql", uri=f"sqlite:///{tmp_path}/new.db").ok


def test_the_folder_of_a_table_is_not_written_to(tmp_path):
    lake = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    lake.create_namespace("ns")
    lake.create_table("ns.t", SCHEMA)
    before = files(tmp_path)
    found = fb.load_catalog("m", type="memory", warehouse=str(tmp_path / "ns" / "t")).check()
    assert "is the folder of a table" in found.step("put").detail
    assert outcomes(found)["delete"] == "skipped" and files(tmp_path) == before


def test_each_property_says_where_it_comes_from(home, tmp_path, monkeypatch):
    (home / ".floeberg.yaml").write_text(
        f"catalog:\n  prod:\n    warehouse: {tmp_path}/w\n    s3.region: eu\n"
    )
    monkeypatch.setenv("FLOEBERG_CATALOG__PROD__TYPE", "filesystem")
    monkeypatch.setenv("PYICEBERG_CATALOG__PROD__S3__SECRET_ACCESS_KEY", SECRET)
    for found in (fb.load_catalog("prod", owner=SECRET).check(), check_catalog("prod", owner=SECRET)):
        assert found.step("configuration").detail.splitlines() == [
            "owner = *** (argument)",
            f"s3.region = eu (the file {home}/.floeberg.yaml)",
            "s3.secret-access-key = *** (the variable PYICEBERG_CATALOG__PROD__S3__SECRET_ACCESS_KEY)",
            "type = filesystem (the variable FLOEBERG_CATALOG__PROD__TYPE)",
            f"warehouse = {tmp_path}/w (the file {home}/.floeberg.yaml)",
        ]
        assert SECRET not in repr(found) + found._repr_html_() + str(found.steps)


def test_a_catalog_that_is_not_configured_fails_at_the_configuration():
    for given, error in (({}, InvalidInputError), ({"type": "hive", "uri": "thrift://h"}, UnsupportedError)):
        found = check_catalog("nowhere", **given)
        assert found.failure.name == "configuration" and isinstance(found.failure.error, error)
        assert {each.outcome for each in found.steps[1:]} == {"skipped"}
        with pytest.raises(error, match="the check of the catalog 'nowhere' failed at 'configuration'"):
            found.raise_for_failure()


@pytest.mark.parametrize("scheme", ["http", "postgresql+psycopg"])
def test_a_host_that_nobody_knows_fails_at_its_name(scheme):
    found = check_catalog("far", uri=f"{scheme}://me-and.no-such-host.invalid/x")
    assert found.failure.name == "dns" and "no-such-host.invalid" in str(found.failure.error)
    assert "VPN" in found.failure.fix
    assert [found.step(name).detail for name in ("tcp", "authentication")] == ["the step 'dns' failed"] * 2


@pytest.mark.parametrize(
    "start", ["http://127.0.0.1:{}", f"postgresql+psycopg://me:{SECRET}@127.0.0.1:{{}}/x"]
)
def test_a_port_that_nobody_listens_on_fails_at_the_port(closed, start):
    found = check_catalog("far", uri=start.format(closed))
    assert found.failure.name == "tcp" and str(closed) in str(found.failure.error)
    assert "start the server" in found.failure.fix
    assert outcomes(found)["dns"] == "ok" and outcomes(found)["put"] == "skipped"
    with pytest.raises(StorageError, match="start the server"):
        found.raise_for_failure()
    assert SECRET not in repr(found)


def test_a_server_without_tls_fails_at_tls():
    with socket.create_server(("127.0.0.1", 0)) as server:
        import threading

        def answer():
            for _ in range(2):
                connection, _ = server.accept()
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                connection.close()

        threading.Thread(target=answer, daemon=True).start()
        found = check_catalog("plain", type="rest", uri=f"https://127.0.0.1:{server.getsockname()[1]}")
    assert found.failure.name == "tls" and "http://" in found.failure.fix
    assert outcomes(found)["tcp"] == "ok" and outcomes(found)["authentication"] == "skipped"


def test_credentials_say_what_they_are_and_not_their_value(closed):
    uri = f"http://127.0.0.1:{closed}"
    found = check_catalog("c", uri=uri, credential=f"me:{SECRET}", scope="all")
    lines = ["rest.auth.type = oauth2", "credential (argument)", "scope (argument)"]
    assert found.step("credentials").detail.splitlines() == lines
    found = check_catalog("c", uri=uri, **{"rest.auth.type": "basic", "rest.auth.basic.username": "jo"})
    assert found.step("credentials").outcome == "failed"
    assert "rest.auth.basic.password" in str(found.step("credentials").error)
    keys = {"rest.access-key-id": "id", "rest.secret-access-key": SECRET}
    found = check_catalog(
        "c", type="s3tables", warehouse="arn:aws:s3tables:eu-west-1:1:bucket/b", uri=uri, **keys
    )
    assert "signed for 's3tables' in 'eu-west-1'" in found.step("credentials").detail
    assert SECRET not in repr(found)


def test_a_folder_that_may_not_be_written_fails_at_put(tmp_path, monkeypatch):
    def refuse(location, _content, **_):
        raise PermissionDeniedError("denied", context={"path": location})

    monkeypatch.setattr("floeberg._native.put_file", refuse)
    found = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path)).check()
    assert found.failure.name == "put" and "read and write the folder" in found.failure.fix
    assert [outcomes(found)[name] for name in ("read", "put-if-absent", "delete")] == ["skipped"] * 3


def test_a_store_that_gives_a_name_to_all_writers_fails_at_the_race(tmp_path, monkeypatch):
    # A store that replaces what is there.
    monkeypatch.setattr(race._native, "put_file_if_absent", race._native.put_file)
    found = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path)).check()
    assert found.failure.name == "put-if-absent"
    assert "16 of 16 writers" in str(found.failure.error) and "type 'sql' or 'rest'" in found.failure.fix
    assert outcomes(found)["delete"] == "ok" and files(tmp_path / "home") == []


def test_a_store_without_conditions_matters_only_where_it_decides(tmp_path, monkeypatch):
    def refuse(*_):
        raise UnsupportedError("the store cannot create files conditionally")

    monkeypatch.setattr("floeberg.catalog.check.store.raced", refuse)
    place = str(tmp_path / "w")
    decided = fb.load_catalog("c", type="filesystem", warehouse=place).check()
    assert decided.failure.name == "put-if-absent"
    other = fb.load_catalog("c", type="memory", warehouse=place).check()
    assert other.ok and "does not need it" in other.step("put-if-absent").detail


@pytest.mark.parametrize(
    ("outcomes_of_writers", "found", "match"),
    [
        ({"a": None, "b": None}, "a", "2 of 2 writers"),
        ({"a": None, "b": AlreadyExistsError("there")}, "b", "other bytes"),
        ({"a": AlreadyExistsError("there"), "b": AlreadyExistsError("there")}, None, "no writer created"),
    ],
)
def test_a_race_with_another_end_than_one_winner_is_an_error(outcomes_of_writers, found, match):
    with pytest.raises(StorageError, match=match):
        race._check_winner(outcomes_of_writers, found)


def test_a_writer_whose_answer_was_lost_may_be_the_winner():
    race._check_winner({"a": AlreadyExistsError("there"), "b": AlreadyExistsError("there")}, "b")


def test_a_check_is_shown_and_pickled(tmp_path):
    found = check_catalog("shown", type="filesystem", warehouse=str(tmp_path))
    lines = repr(found).splitlines()
    assert lines[0] == "CatalogCheck('shown', FileSystemCatalog): no step failed"
    assert any(line.startswith("  skipped  dns") for line in lines)
    assert any(line.startswith("  ok       put-if-absent") for line in lines)
    assert "put-if-absent" in found._repr_html_()
    assert pickle.loads(pickle.dumps(found)) == found
    with pytest.raises(KeyError):
        found.step("no such step")
    with pytest.raises(AttributeError):
        found.catalog = "other"


def test_wrong_arguments_are_errors(tmp_path):
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    with pytest.raises(InvalidInputError, match="table"):
        catalog.check(table="no-namespace")
    with pytest.raises(InvalidInputError, match="read_only"):
        catalog.check(read_only="yes")
    found = catalog.check(table="ns.absent")
    assert found.failure.name == "table" and "list_tables" in found.failure.fix


def test_the_end_of_a_password_is_not_shown():
    """An `@` in a password that is not escaped ends it, as URIs are read."""
    uri = "postgresql+psycopg://u:p@ssword9@127.0.0.1:9/db"
    found = check_catalog("c", type="sql", uri=uri, warehouse="/tmp/none")
    assert found.failure.name == "configuration"
    assert "%40" in str(found.failure.error)
    assert "ssword9" not in f"{found} {found!r} {found.failure.error}"


def test_a_port_that_is_no_number_fails_at_the_configuration():
    found = check_catalog("c", type="rest", uri="http://h:port/x")
    assert found.failure.name == "configuration"
    with pytest.raises(InvalidInputError, match="address of a server"):
        fb.load_catalog("c", type="rest", uri="http://h:port/x")
