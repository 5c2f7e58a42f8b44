"""Views of a SQL catalog are those of Iceberg Java's JDBC catalog: each reads, changes and lists the other's."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest
from peers.process import Refused

import floeberg as fb
from floeberg.errors import (
    InvalidInputError,
    NamespaceNotEmptyError,
    TableAlreadyExistsError,
    ViewAlreadyExistsError,
)

pytestmark = pytest.mark.timeout(900)

COLUMNS = pa.schema({"id": pa.int64(), "name": pa.string()})
JAVA_SCHEMA = json.dumps(
    {
        "type": "struct",
        "schema-id": 0,
        "fields": [
            {"id": 1, "name": "id", "required": False, "type": "long"},
            {"id": 2, "name": "name", "required": False, "type": "string"},
        ],
    }
)
ONE, TWO, THREE = ({"spark": f"SELECT {n} AS id, 'a' AS name"} for n in (1, 2, 3))


@pytest.fixture
def place(tmp_path) -> dict[str, str]:
    """A view of a catalog in SQLite, as Java finds it."""
    return {
        "uri": f"jdbc:sqlite:{tmp_path}/catalog.db",
        "warehouse": (tmp_path / "warehouse").as_uri(),
        "namespace": "shop",
        "name": "seen",
    }


@pytest.fixture
def catalog(place, tmp_path) -> Any:
    """The catalog here."""
    made = fb.load_catalog(
        "interop", type="sql", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=place["warehouse"]
    )
    made.create_namespace("shop")
    return made


def ours(view: fb.View) -> Any:
    return json.loads(view._inner.metadata_json())


def theirs(java: Any, place: dict[str, str]) -> Any:
    """What Java writes again. It leaves out empty properties."""
    return {"properties": {}} | java("view", **place)["metadata"]


def test_java_reads_ours_and_goes_on(catalog, place, java):
    view = catalog.create_view("shop.seen", COLUMNS, sql=ONE, properties={"comment": "c"})
    view.replace_version(COLUMNS, sql=TWO | {"trino": TWO["spark"]})
    listed = {key: place[key] for key in ("uri", "warehouse", "namespace")}
    assert java("views", **listed) == ["shop.seen"]
    assert java("tables", **listed) == []
    assert theirs(java, place) == ours(view)
    assert java("view", **place)["location"] == view.metadata_location
    # Java loses no dialect either.
    with pytest.raises(Refused, match="loss of view dialects"):
        java("build_view", place=place, action="replace", schema=JAVA_SCHEMA, queries=ONE)
    both = THREE | {"trino": THREE["spark"]}
    java("build_view", place=place, action="replace", schema=JAVA_SCHEMA, queries=both)
    java("set_view_property", place=place, key="owner", value="jo")
    view.refresh()
    assert (view.metadata_location.rpartition("/")[2])[:5] == "00003"
    assert view.properties == {"comment": "c", "owner": "jo"}
    assert [each.version_id for each in view.history()] == [1, 2, 3]
    assert (view.sql_for("spark").sql, view.current_version().schema_id) == (THREE["spark"], 0)
    assert view.current_version().summary["iceberg-version"].startswith("Apache Iceberg 1.11")
    with pytest.raises(InvalidInputError, match="lose the dialects trino"):
        view.replace_version(COLUMNS, sql=ONE)
    view.set_properties({"replace.drop-dialect.allowed": True})
    # Our own first version, under its old id.
    view.replace_version(COLUMNS, sql=ONE)
    assert theirs(java, place) == ours(view)
    assert [each["version-id"] for each in theirs(java, place)["version-log"]] == [1, 2, 3, 1]


def test_floeberg_reads_java_s_and_goes_on(catalog, place, java):
    java("build_view", place=place, action="create", schema=JAVA_SCHEMA, queries=ONE)
    assert catalog.list_views("shop") == [("shop", "seen")]
    assert catalog.list_tables("shop") == []
    view = catalog.load_view("shop.seen")
    assert ours(view) == theirs(java, place)
    assert view.metadata_location.endswith(".gz.metadata.json")
    java("set_view_property", place=place, key="version.history.num-entries", value="2")
    # A property that came in between is no conflict.
    view.replace_version(view.schema(), sql=TWO)
    view.replace_version(COLUMNS, sql=THREE)
    assert [each.version_id for each in view.versions] == [2, 3]
    assert list(view.schemas()) == [0]
    assert ours(view) == theirs(java, place)
    java("build_view", place=place, action="createOrReplace", schema=JAVA_SCHEMA, queries=ONE)
    assert [each.version_id for each in view.refresh().versions] == [4, 3]
    assert [each.version_id for each in view.history()] == [3, 4]
    view.set_properties(owner="jo")
    assert ours(view) == theirs(java, place)
    java("rename_view", place=place, to="moved")
    assert catalog.load_view("shop.moved").uuid() == view.uuid()
    catalog.rename_view("shop.moved", "shop.seen")
    assert java("drop_view", place=place) is True
    assert catalog.list_views("shop") == []


def test_versions_are_kept_and_dropped_as_by_java(catalog, place, java):
    """The same statements here and in Java: ids, logs and schemas are the same."""
    other = place | {"name": "theirs"}
    wide = pa.schema([*COLUMNS, pa.field("more", pa.int32())])
    schema = json.loads(JAVA_SCHEMA)
    schema["fields"].append({"id": 3, "name": "more", "required": False, "type": "int"})
    steps = [ONE, TWO, ONE, THREE, "wide", TWO, ONE, ONE, {"spark": "SELECT 4"}, {"spark": "SELECT 5"}, THREE]
    catalog.create_view("shop.seen", COLUMNS, sql=ONE, properties={"version.history.num-entries": 3})
    java("build_view", place=other, action="create", schema=JAVA_SCHEMA, queries=ONE)
    java("set_view_property", place=other, key="version.history.num-entries", value="3")
    for step in steps:
        columns, written = (wide, json.dumps(schema)) if step == "wide" else (COLUMNS, JAVA_SCHEMA)
        statements = ONE if step == "wide" else step
        catalog.create_or_replace_view("shop.seen", columns, sql=statements)
        java("build_view", place=other, action="createOrReplace", schema=written, queries=statements)
        mine, found = catalog.load_view("shop.seen"), catalog.load_view("shop.theirs")
        assert told(mine) == told(found), step


def told(view: fb.View) -> Any:
    """What does not depend on the time and the writer."""
    statements = {each.version_id: (each.schema_id, each.representations) for each in view.versions}
    return (
        view.current_version().version_id,
        statements,
        [each.version_id for each in view.history()],
        {number: str(schema) for number, schema in view.schemas().items()},
    )


def test_a_name_is_taken_for_both(catalog, place, java):
    catalog.create_view("shop.seen", COLUMNS, sql=ONE)
    for action in ("create", "replace"):
        catalog.create_table(f"shop.{action}", COLUMNS)
        with pytest.raises(Refused, match="(Table with same name|View does not exist)"):
            java(
                "build_view",
                place=place | {"name": action},
                action=action,
                schema=JAVA_SCHEMA,
                queries=ONE,
            )
    with pytest.raises(Refused, match="AlreadyExists"):
        java("create_table", place=place, schema=JAVA_SCHEMA)
    with pytest.raises(Refused, match="NamespaceNotEmpty"):
        java("drop_namespace", **{key: place[key] for key in ("uri", "warehouse", "namespace")})
    java("build_view", place=place | {"name": "theirs"}, action="create", schema=JAVA_SCHEMA, queries=ONE)
    java("create_table", place=place | {"name": "table"}, schema=JAVA_SCHEMA)
    with pytest.raises(TableAlreadyExistsError, match="is a view"):
        catalog.create_table("shop.theirs", COLUMNS)
    with pytest.raises(ViewAlreadyExistsError, match="is a table"):
        catalog.create_view("shop.table", COLUMNS, sql=ONE)
    for name in ("create", "replace", "table"):
        catalog.drop_table(f"shop.{name}")
    catalog.drop_view("shop.seen")
    with pytest.raises(NamespaceNotEmptyError, match="theirs"):
        catalog.drop_namespace("shop")


def test_pyiceberg_reads_ours_and_lists_no_table(catalog, tmp_path, place, pyiceberg):
    view = catalog.create_view("shop.seen", COLUMNS, sql=ONE)
    view.replace_version(COLUMNS, sql=TWO)
    found = pyiceberg("view", metadata_json=json.dumps(ours(view)))
    assert found == {
        "columns": ["id", "name"],
        "versions": [1, 2],
        "history": [1, 2],
        "spark": TWO["spark"],
        "uuid": str(view.uuid()),
    }
    uri = f"sqlite:///{tmp_path}/catalog.db"
    assert pyiceberg("tables", uri=uri, warehouse=place["warehouse"], namespace="shop") == []
