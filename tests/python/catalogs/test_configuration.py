"""Which properties does a catalog get, and which class?"""

from __future__ import annotations

import pickle

import pytest

import floeberg as fb
from floeberg.catalog import FileSystemCatalog, MemoryCatalog
from floeberg.catalog.sql import SqlCatalog
from floeberg.errors import InvalidInputError, NotInstalledError, UnsupportedError


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """An empty home directory, which is also the working directory."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.delenv("PYICEBERG_HOME", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path, text):
    path.write_text(text, encoding="utf-8")


def test_each_property_comes_from_the_first_place_that_has_it(home, monkeypatch):
    keys = ["k1", "k2", "k3", "k4", "k5"]

    def catalogs(of, value):
        lines = "".join(f"    {key}: {value}\n" for key in of)
        return f"catalog:\n  prod:\n    type: memory\n{lines}"

    write(home / ".pyiceberg.yaml", catalogs(keys, "other-file"))
    for key in keys[:4]:
        monkeypatch.setenv(f"PYICEBERG_CATALOG__PROD__{key.upper()}", "other-environment")
    write(home / ".floeberg.yaml", catalogs(keys[:3], "file"))
    for key in keys[:2]:
        monkeypatch.setenv(f"FLOEBERG_CATALOG__PROD__{key.upper()}", "environment")
    found = fb.load_catalog("prod", k1="argument", k9=None).properties
    expected = ["argument", "environment", "file", "other-environment", "other-file"]
    assert [found[key] for key in keys] == expected
    assert "k9" not in found


def test_a_variable_of_the_environment_names_a_property(monkeypatch):
    monkeypatch.setenv("FLOEBERG_CATALOG__MY_CATALOG__S3__ACCESS_KEY_ID", "id")
    monkeypatch.setenv("FLOEBERG_CATALOG__MY_CATALOG__TYPE", "memory")
    for name in ("my_catalog", "my-catalog", "My_Catalog"):
        assert fb.load_catalog(name).properties["s3.access-key-id"] == "id"
    with pytest.raises(InvalidInputError, match="FLOEBERG_CATALOG__OTHER_ONE__TYPE"):
        fb.load_catalog("other-one")


def test_scalars_of_a_file_stay_the_texts_that_they_are(home):
    lines = "".join(f"    {line}\n" for line in ("type: memory", "a: no", "b: 1e3", "C: 010", "d: ''"))
    write(home / ".floeberg.yaml", f"catalog:\n  c:\n{lines}")
    found = fb.load_catalog("c").properties
    assert {key: found[key] for key in "abcd"} == {"a": "no", "b": "1e3", "c": "010", "d": ""}


def test_the_file_of_the_other_library_is_looked_for_where_it_looks(home, monkeypatch):
    text = "catalog:\n  c:\n    type: memory\n    from: {}\n"
    folder = home / "elsewhere"
    folder.mkdir()
    write(home / ".pyiceberg.yaml", text.format("home"))
    write(folder / ".pyiceberg.yaml", text.format("elsewhere"))
    assert fb.load_catalog("c").properties["from"] == "home"
    monkeypatch.setenv("PYICEBERG_HOME", str(folder))
    assert fb.load_catalog("c").properties["from"] == "elsewhere"


def test_the_catalog_that_is_meant_without_a_name_is_configured(home, monkeypatch):
    write(home / ".floeberg.yaml", "default-catalog: second\ncatalog:\n  second:\n    type: memory\n")
    assert fb.load_catalog().name == "second"
    monkeypatch.setenv("FLOEBERG_DEFAULT_CATALOG", "first")
    assert fb.load_catalog(type="memory").name == "first"
    monkeypatch.delenv("FLOEBERG_DEFAULT_CATALOG")
    (home / ".floeberg.yaml").unlink()
    assert fb.load_catalog(type="memory").name == "default"


@pytest.mark.parametrize(
    "text",
    [
        "catalog: [",
        "- a",
        "catalog: text",
        "catalog:\n  c: s3cr3t",
        "catalog:\n  c:\n    k: [s3cr3t]\n",
        "\t",
    ],
)
def test_a_file_of_another_form_is_an_error_that_names_it_and_shows_nothing(home, text):
    write(home / ".floeberg.yaml", text)
    with pytest.raises(InvalidInputError, match=r"\.floeberg\.yaml") as caught:
        fb.load_catalog("c", type="memory")
    assert "s3cr3t" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "catalog:\n", "catalog:\n  c:\n", "other: 1\n"])
def test_a_file_that_says_nothing_says_nothing(home, text):
    write(home / ".floeberg.yaml", text)
    assert fb.load_catalog("c", type="memory").name == "c"


def test_a_file_that_is_no_text_is_an_error_that_names_it(home):
    (home / ".floeberg.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInputError, match=r"UTF-8.*\.floeberg\.yaml"):
        fb.load_catalog("c", type="memory")


def test_the_class_follows_from_the_properties():
    for given, expected in [
        ({"type": "sql", "uri": "sqlite://"}, SqlCatalog),
        ({"uri": "sqlite://"}, SqlCatalog),
        ({"type": "FileSystem", "warehouse": "w"}, FileSystemCatalog),
        ({"type": "hadoop", "warehouse": "w"}, FileSystemCatalog),
        ({"warehouse": "w"}, FileSystemCatalog),
        ({"type": "memory"}, MemoryCatalog),
        ({"type": "in-memory"}, MemoryCatalog),
    ]:
        assert type(fb.load_catalog("c", **given)) is expected


@pytest.mark.parametrize(
    ("given", "error", "match"),
    [
        ({}, InvalidInputError, "not configured"),
        ({"type": "rest"}, InvalidInputError, "uri: expected the address of a server"),
        ({"uri": "https://me:word@h"}, InvalidInputError, "takes no user in its address"),
        ({"type": "hive", "uri": "thrift://h"}, UnsupportedError, "type 'hive'"),
        ({"uri": "thrift://h"}, UnsupportedError, "type 'hive'"),
        ({"type": "sql"}, InvalidInputError, "needs the property 'uri'"),
        ({"type": "sql", "uri": "nonsense:s3cr3t"}, InvalidInputError, "not the URI of a database"),
        ({"type": "sql", "uri": "nosuch://u:s3cr3t@h/d"}, NotInstalledError, "driver"),
        ({"type": "sql", "uri": "sqlite://", "schema-version": "v7"}, InvalidInputError, "'v0' or 'v1'"),
        (
            {"type": "sql", "uri": "sqlite://", "init_catalog_tables": "false"},
            InvalidInputError,
            "no catalog",
        ),
        ({"type": "filesystem"}, InvalidInputError, "needs the property 'warehouse'"),
        ({"type": "sql", "py-catalog-impl": "a.B"}, InvalidInputError, "not both"),
        ({"py-catalog-impl": "no_such_module.B"}, NotInstalledError, "cannot be imported"),
        ({"py-catalog-impl": "json.NoSuchClass"}, InvalidInputError, "no class 'NoSuchClass'"),
        ({"py-catalog-impl": "json.JSONDecoder"}, InvalidInputError, "does not derive from floeberg"),
        ({"type": 7}, InvalidInputError, "expected a str as 'type'"),
    ],
)
def test_what_makes_no_catalog_is_told_without_secrets(given, error, match):
    with pytest.raises(error, match=match) as caught:
        fb.load_catalog("c", **given)
    assert "s3cr3t" not in str(caught.value)


def test_a_class_of_a_user_is_imported(home, monkeypatch):
    folder = home / "modules"
    folder.mkdir()
    write(
        folder / "own_catalogs.py",
        "from floeberg.catalog import MemoryCatalog\nclass Own(MemoryCatalog): ...\n",
    )
    monkeypatch.syspath_prepend(str(folder))
    found = fb.load_catalog("c", **{"py-catalog-impl": "own_catalogs.Own"})
    assert type(found).__name__ == "Own"


def test_secrets_are_shown_nowhere_and_travel_in_pickles():
    given = {"uri": "sqlite:///catalog.db?password=s3cr3t", "s3.secret-access-key": "s3cr3t"}
    for catalog in (
        fb.load_catalog("c", type="memory", **given),
        fb.load_catalog("c", type="filesystem", warehouse="w", **given),
    ):
        assert "s3cr3t" not in repr(catalog) + str(catalog)
        assert "uri" not in catalog.storage_options
        assert catalog.storage_options["s3.secret-access-key"] == "s3cr3t"
        again = pickle.loads(pickle.dumps(catalog))
        assert (again.name, again.properties) == (catalog.name, catalog.properties)


def test_catalogs_of_memory_are_one_by_name():
    fb.load_catalog("one", type="memory").create_namespace("a")
    assert fb.load_catalog("one", type="memory").namespace_exists("a")
    assert not fb.load_catalog("two", type="memory").namespace_exists("a")
