"""A configuration of PyIceberg means here what it means there: read beside PyIceberg's own parser."""

from __future__ import annotations

import pytest
from pyiceberg.utils.config import Config

from floeberg.catalog.configuration import configured_name, configured_origins, configured_properties
from floeberg.errors import InvalidInputError

FILE = """
default-catalog: prod
max-workers: 4
catalog:
  prod:
    TYPE: rest
    uri: https://catalog.example.com/api
    warehouse: "123"
    credential: me:hush
    s3.endpoint: http://127.0.0.1:9000
    header.X-Tenant: of-the-file
    ssl:
      cabundle: /etc/ca.pem
      client:
        cert: /etc/me.crt
        key: /etc/me.key
  other:
    uri: sqlite:////data/catalog.db
    init_catalog_tables: no
    auth:
      type: google
      google:
        scopes:
          - a
          - b
"""


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """An empty home directory, and another working directory."""
    folders = {name: tmp_path / name for name in ("home", "here", "named")}
    for folder in folders.values():
        folder.mkdir()
    monkeypatch.setenv("HOME", str(folders["home"]))
    monkeypatch.setenv("USERPROFILE", str(folders["home"]))
    monkeypatch.delenv("PYICEBERG_HOME", raising=False)
    monkeypatch.chdir(folders["here"])
    return folders


def of_pyiceberg(name: str) -> dict[str, str]:
    """What PyIceberg reads, its mappings joined by dots."""

    def flat(key, value):
        if isinstance(value, dict):
            return {name: text for each in value for name, text in flat(f"{key}.{each}", value[each]).items()}
        return {key: ",".join(value) if isinstance(value, list) else value}

    found = Config().get_catalog_config(name) or {}
    return {name: text for key, value in found.items() for name, text in flat(key, value).items()}


def both(name: str) -> dict[str, str]:
    """What both read, which is the same."""
    found = configured_properties(name)
    assert found == of_pyiceberg(name)
    return found


def write(folder, text):
    (folder / ".pyiceberg.yaml").write_text(text, encoding="utf-8")


def test_a_file_is_read_as_pyiceberg_reads_it(home):
    write(home["home"], FILE)
    found = both("prod")
    assert (found["type"], found["ssl.client.cert"], found["warehouse"]) == ("rest", "/etc/me.crt", "123")
    assert both("other")["auth.google.scopes"] == "a,b"
    assert configured_name() == Config().get_default_catalog_name() == "prod"
    assert both("absent") == {}


def test_variables_come_before_the_file(home, monkeypatch):
    write(home["home"], FILE)
    for key, value in {
        "URI": "https://other.example.com",
        "WAREHOUSE": "",
        "S3__ACCESS_KEY_ID": "id",
        "HEADER__X_TENANT": "of-the-variable",
        "OAUTH2_SERVER_URI": "https://tokens.example.com",
        "REST__SIGV4_ENABLED": "true",
    }.items():
        monkeypatch.setenv(f"PYICEBERG_CATALOG__PROD__{key}", value)
    monkeypatch.setenv("PYICEBERG_DEFAULT_CATALOG", "other")
    found = both("prod")
    assert (found["uri"], found["warehouse"]) == ("https://other.example.com", "")
    assert found["header.x-tenant"] == "of-the-variable" and found["s3.access-key-id"] == "id"
    assert configured_name() == Config().get_default_catalog_name() == "other"
    origins = configured_origins("prod")
    assert origins["uri"] == "the variable PYICEBERG_CATALOG__PROD__URI"
    assert origins["credential"] == f"the file {home['home']}/.pyiceberg.yaml"


def test_the_files_are_looked_for_in_the_same_order(home, monkeypatch):
    text = "catalog:\n  c:\n    uri: {}\n"
    write(home["here"], text.format("here"))
    assert both("c")["uri"] == "here"
    write(home["home"], text.format("home"))
    assert both("c")["uri"] == "home"
    monkeypatch.setenv("PYICEBERG_HOME", str(home["named"]))
    assert both("c")["uri"] == "home"
    write(home["named"], text.format("named"))
    assert both("c")["uri"] == "named"
    write(home["named"], "# nothing\n")
    assert configured_properties("c")["uri"] == "home"


def test_a_value_that_is_no_text_is_an_error_that_names_it(home):
    write(home["home"], "catalog:\n  c:\n    ssl:\n      client: [s3cr3t]\n")
    with pytest.raises(InvalidInputError, match="property 'ssl' of the catalog 'c'") as caught:
        configured_properties("c")
    assert "s3cr3t" not in str(caught.value)
