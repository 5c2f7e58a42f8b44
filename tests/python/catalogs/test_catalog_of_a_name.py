"""Which catalog of the configuration does a whole name begin with?"""

from __future__ import annotations

import pickle

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.catalog.configuration import configured_origins
from floeberg.spark.options.catalog_names import catalog_and_name, catalog_to_create
from floeberg.spark.write.sent_table import SentTable

SCHEMA = pa.schema({"id": pa.int64()})


@pytest.fixture(autouse=True)
def configured(tmp_path, monkeypatch):
    """Two catalogs: the default one, and another one."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("PYICEBERG_HOME", raising=False)
    monkeypatch.chdir(tmp_path)
    for name in ("main", "other"):
        start = f"FLOEBERG_CATALOG__{name.upper()}__"
        monkeypatch.setenv(f"{start}TYPE", "sql")
        monkeypatch.setenv(f"{start}URI", f"sqlite:///{tmp_path}/{name}.db")
        monkeypatch.setenv(f"{start}WAREHOUSE", str(tmp_path / name))
    monkeypatch.setenv("FLOEBERG_DEFAULT_CATALOG", "main")


def create(catalog: str, namespace: tuple[str, ...]) -> fb.Table:
    made = fb.load_catalog(catalog)
    made.create_namespace_if_not_exists(namespace)
    return made.create_table((*namespace, "t"), SCHEMA)


def found(name: str) -> tuple[str, str]:
    catalog, rest = catalog_and_name(name)
    return catalog.name, rest


def test_a_whole_name_begins_with_its_catalog():
    create("main", ("db",))
    create("other", ("db",))
    assert found("db.t") == ("main", "db.t")
    assert found("main.db.t") == ("main", "db.t")
    assert found("other.db.t") == ("other", "db.t")
    assert found("unknown.db.t") == ("main", "unknown.db.t")


def test_the_default_catalog_may_have_a_namespace_of_the_name_of_another_one():
    create("main", ("other", "db"))
    assert found("other.db.t") == ("main", "other.db.t")
    create("other", ("db",))
    assert found("other.db.t") == ("other", "db.t")
    assert found("other.db.absent") == ("other", "db.absent")
    assert catalog_to_create("other.db.new")[0].name == "other"
    assert catalog_to_create("db.new")[0].name == "main"


def test_a_table_of_a_configured_catalog_is_sent_without_its_catalogs_properties(tmp_path):
    table = create("other", ("db",))
    assert configured_origins("other")["type"] == "the variable FLOEBERG_CATALOG__OTHER__TYPE"
    sent = pickle.dumps(SentTable.of(table))
    assert str(tmp_path / "other.db").encode() not in sent
    arrived = pickle.loads(sent).open()
    assert arrived.name() == ("db", "t") and arrived.metadata_location == table.metadata_location
    arrived.append(pa.table({"id": [1]}))
    assert table.refresh().scan().count() == 1


def test_a_table_of_a_catalog_of_arguments_is_sent_with_them(tmp_path):
    given = fb.load_catalog(
        "given", type="sql", uri=f"sqlite:///{tmp_path}/given.db", warehouse=str(tmp_path)
    )
    given.create_namespace("db")
    table = given.create_table("db.t", SCHEMA)
    assert not given.is_configured and fb.load_catalog("main").is_configured
    pickle.loads(pickle.dumps(SentTable.of(table))).open().append(pa.table({"id": [1]}))
    assert table.refresh().scan().count() == 1
