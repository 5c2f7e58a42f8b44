"""What every catalog that keeps views promises of them, and what the others say."""

from __future__ import annotations

import gzip
import json
import pickle
import re
from pathlib import Path

import pyarrow as pa
import pyiceberg.schema
import pytest
from catalog_kinds import KINDS
from one_column import SCHEMA, rows
from pyiceberg.types import LongType, NestedField
from pyiceberg.view.metadata import SQLViewRepresentation as TheirRepresentation
from pyiceberg.view.metadata import ViewVersion as TheirVersion

import floeberg as fb
from corpus import lent
from floeberg.catalog import MemoryCatalog
from floeberg.catalog.sql import SqlCatalog
from floeberg.errors import (
    CommitConflictError,
    InvalidDataError,
    InvalidInputError,
    NamespaceNotEmptyError,
    NoSuchNamespaceError,
    NoSuchTableError,
    NoSuchViewError,
    NotFoundError,
    TableAlreadyExistsError,
    UnsupportedError,
    ViewAlreadyExistsError,
)
from floeberg.view import SQLViewRepresentation, ViewVersion

ONE = {"spark": "SELECT 1 AS id"}
TWO = {"spark": "SELECT 2 AS id"}


@pytest.fixture(params=[name for name, kind in KINDS.items() if kind.views])
def kind(request):
    return KINDS[request.param]


@pytest.fixture
def shop(catalog):
    """A catalog that keeps views, with a namespace."""
    catalog.create_namespace("shop")
    return catalog


@pytest.fixture
def seen(shop):
    return shop.create_view("shop.seen", SCHEMA, sql=ONE)


def written(view):
    content = Path(view.metadata_location.removeprefix("file://")).read_bytes()
    return json.loads(gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content)


def test_a_view_is_created_and_loaded(shop, kind):
    made = shop.create_view(
        "shop.seen",
        pa.schema({"id": pa.int64(), "at": pa.timestamp("us", "UTC")}),
        location=None,
        properties={"comment": "c", "version.history.num-entries": 3},
        sql={"spark": "SELECT id, at FROM orders", "Trino": "SELECT id, at FROM orders o"},
        default_catalog="prod",
        default_namespace="a.b",
    )
    for view in (made, shop.load_view("shop.seen"), shop.load_view(("shop", "seen"))):
        assert (view.name(), view.catalog, view.format_version) == (("shop", "seen"), shop, 1)
        assert view.properties == {"comment": "c", "version.history.num-entries": "3"}
        assert [(each.field_id, each.name) for each in view.schema().fields] == [(1, "id"), (2, "at")]
        version = view.current_version()
        assert (version.version_id, version.schema_id) == (1, 0)
        assert (version.default_catalog, version.default_namespace) == ("prod", ("a", "b"))
        if kind.keeps_summaries:
            assert version.summary == {"engine-name": "floeberg", "engine-version": fb.__version__}
        assert [entry.version_id for entry in view.history()] == [1]
        assert view.history()[0].timestamp_ms == version.timestamp_ms
        assert view.sql_for("TRINO").sql.endswith("orders o")
        assert view.uuid() == made.uuid()
    if kind.names_metadata:
        assert re.search(r"/metadata/00000-[0-9a-f-]{36}\.gz\.metadata\.json$", made.metadata_location)
    assert made.location() == made.metadata_location.partition("/metadata/")[0]
    assert shop.view_exists("shop.seen")
    assert shop.list_views("shop") == [("shop", "seen")]
    with pytest.raises(ViewAlreadyExistsError, match=r"view 'shop\.seen' already exists"):
        shop.create_view("shop.seen", SCHEMA, sql=ONE)
    assert shop.load_view("shop.seen").uuid() == made.uuid()


def test_a_version_is_given_in_many_forms(shop, kind):
    statement = SQLViewRepresentation("SELECT 1 AS id", "spark")
    version = ViewVersion(7, 7, 7, {"by": "me"}, (statement,), "prod", ("x",))
    forms = [
        {"sql": "SELECT 1 AS id", "dialect": "spark"},
        {"sql": ONE},
        {"representations": [statement]},
        {"view_version": version},
        {
            "view_version": TheirVersion(
                schema_id=7,
                representations=[TheirRepresentation(type="sql", sql="SELECT 1 AS id", dialect="spark")],
                default_namespace=("y",),
            )
        },
    ]
    for number, form in enumerate(forms):
        made = shop.create_view(f"shop.v{number}", SCHEMA, **form).current_version()
        assert made.representations == (statement,)
        assert (made.version_id, made.schema_id) == (1, 0)
        assert made.timestamp_ms > 7
    assert shop.load_view("shop.v0").current_version().default_namespace == ("shop",)
    given = shop.load_view("shop.v3").current_version()
    assert (given.default_catalog, given.default_namespace) == ("prod", ("x",))
    assert not kind.keeps_summaries or given.summary == {"by": "me"}
    assert shop.load_view("shop.v4").current_version().default_namespace == ("y",)
    theirs = pyiceberg.schema.Schema(NestedField(5, "id", LongType(), required=True))
    assert (
        str(shop.create_view("shop.theirs", theirs, sql=ONE).schema().find_field("id"))
        == "1: id: required long"
    )


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({}, "give one of sql, representations and view_version: found none"),
        ({"sql": ONE, "representations": []}, "found sql and representations"),
        ({"sql": "SELECT 1"}, "dialect: expected the dialect"),
        ({"sql": ONE, "dialect": "spark"}, "the keys of sql are the dialects"),
        ({"sql": {}}, "a view needs a statement"),
        ({"sql": {"spark": " "}}, "'?\"?spark\"?'? is empty"),
        ({"sql": {" ": "SELECT 1"}}, "dialect of a view's statement cannot be empty"),
        ({"sql": {"spark": "SELECT 1", "SPARK": "SELECT 2"}}, "one SQL text a dialect"),
        ({"sql": {"spark": 1}}, "sql: expected a str"),
        ({"sql": 1}, "sql: expected a str"),
        ({"representations": "SELECT 1"}, "expected a list of SQLViewRepresentation"),
        ({"representations": [("spark", "SELECT 1")]}, "expected SQLViewRepresentation"),
        ({"view_version": "SELECT 1"}, "expected a ViewVersion"),
        ({"sql": ONE, "default_namespace": 1}, "default_namespace"),
        ({"sql": ONE, "properties": {"version.history.num-entries": "0"}}, "version.history.num-entries"),
        ({"sql": ONE, "properties": {"replace.drop-dialect.allowed": "no"}}, "replace.drop-dialect.allowed"),
        ({"sql": ONE, "properties": {"write.metadata.compression-codec": "zip"}}, "compression-codec"),
    ],
)
def test_wrong_definitions_are_refused_and_nothing_is_made(arguments, reason, tmp_path):
    catalog = MemoryCatalog("wrong", {"warehouse": str(tmp_path / "warehouse")})
    catalog.create_namespace_if_not_exists("shop")
    with pytest.raises(InvalidInputError, match=reason):
        catalog.create_view("shop.seen", SCHEMA, **arguments)
    assert catalog.list_views("shop") == []
    assert not (tmp_path / "warehouse").exists()


def test_a_view_is_replaced_and_goes_back(shop, seen, kind):
    seen.replace_version(seen.schema(), sql=TWO)
    assert (seen.sql_for("spark").sql, seen.current_version().version_id) == ("SELECT 2 AS id", 2)
    before = seen.metadata_location
    seen.replace_version(SCHEMA, sql=TWO)
    assert seen.metadata_location == before, "nothing changes, and nothing is written"
    seen.replace_version(SCHEMA, sql=ONE)
    wide = pa.schema({"id": pa.int64(), "n": pa.int64()})
    seen.replace_version(wide, sql={"spark": "SELECT 1 AS id, 2 AS n"})
    loaded = shop.load_view("shop.seen")
    # With a summary of the server's, a version is like no earlier one.
    history = [1, 2, 1, 3] if kind.keeps_summaries else [1, 2, 3, 4]
    assert [each.version_id for each in loaded.versions] == sorted(set(history))
    assert [each.version_id for each in loaded.history()] == history
    assert sorted(loaded.schemas()) == [0, 1]
    assert loaded.schema().column_names == ["id", "n"]
    assert [entry.timestamp_ms for entry in loaded.history()] == sorted(
        entry.timestamp_ms for entry in loaded.history()
    )
    assert loaded.location() == seen.location()


def test_defaults_of_a_replacement_are_those_of_the_view(shop):
    view = shop.create_view("shop.v", SCHEMA, sql=ONE, default_catalog="prod", default_namespace="a")
    view.replace_version(SCHEMA, sql=TWO)
    assert (view.current_version().default_catalog, view.current_version().default_namespace) == (
        "prod",
        ("a",),
    )
    view.replace_version(SCHEMA, sql=TWO, default_namespace="b")
    assert (view.current_version().default_catalog, view.current_version().default_namespace) == (
        None,
        ("b",),
    )


def test_create_or_replace(shop):
    wide = pa.schema({"id": pa.int64(), "n": pa.int64()})
    first = shop.create_or_replace_view("shop.v", SCHEMA, sql=ONE, properties={"a": 1})
    again = shop.create_or_replace_view("shop.v", wide, sql=TWO, properties={"b": 2})
    assert again.uuid() == first.uuid()
    assert again.properties == {"a": "1", "b": "2"}
    assert [each.version_id for each in again.versions] == [1, 2]
    assert first.current_version().version_id == 1
    assert first.refresh().current_version().version_id == 2
    shop.create_table("shop.t", SCHEMA)
    with pytest.raises(ViewAlreadyExistsError, match="is a table"):
        shop.create_or_replace_view("shop.t", SCHEMA, sql=ONE)
    with pytest.raises(NoSuchNamespaceError):
        shop.create_or_replace_view("none.v", SCHEMA, sql=ONE)


def test_a_dialect_is_not_lost_in_silence(shop, seen):
    seen.replace_version(SCHEMA, sql=TWO | {"trino": "SELECT 2 AS id"})
    with pytest.raises(InvalidInputError, match=r"lose the dialects trino.*replace\.drop-dialect\.allowed"):
        seen.replace_version(SCHEMA, sql=ONE)
    with pytest.raises(InvalidInputError, match="lose the dialects trino"):
        shop.create_or_replace_view("shop.seen", SCHEMA, sql=ONE)
    assert shop.load_view("shop.seen").sql_for("trino").sql == "SELECT 2 AS id"
    seen.set_properties({"replace.drop-dialect.allowed": True})
    seen.replace_version(SCHEMA, sql=ONE)
    assert seen.sql_for("trino") is None


def test_properties_and_location(shop, seen, kind):
    seen.set_properties({"comment": "c", "n": 1}, owner="jo")
    seen.update_properties(removals=["n", "none"], updates={"owner": "al"})
    assert shop.load_view("shop.seen").properties == {"comment": "c", "owner": "al"}
    seen.remove_properties("owner")
    assert seen.properties == {"comment": "c"}
    with pytest.raises(InvalidInputError, match="removed and set in one update: comment"):
        seen.update_properties(removals=["comment"], updates={"comment": "d"})
    with pytest.raises(InvalidInputError, match="num-entries"):
        seen.set_properties({"version.history.num-entries": "none"})
    before = seen.metadata_location
    seen.update_location(f"{seen.location()}/more/")
    moved = f"{before.partition('/metadata/')[0]}/more"
    assert shop.load_view("shop.seen").location() == moved
    if kind.moves_views:
        assert shop.load_view("shop.seen").metadata_location.startswith(f"{moved}/metadata/")
    assert [each.version_id for each in seen.history()] == [1]


def test_old_versions_are_dropped(shop):
    view = shop.create_view("shop.v", SCHEMA, sql=ONE, properties={"version.history.num-entries": 2})
    for number in range(2, 6):
        view.replace_version(SCHEMA, sql={"spark": f"SELECT {number} AS id"})
    assert sorted(each.version_id for each in shop.load_view("shop.v").versions) == [4, 5]
    assert [each.version_id for each in shop.load_view("shop.v").history()] == [4, 5]
    with pytest.raises(NotFoundError, match="no version 1; it has (4, 5|5, 4)"):
        view.version(1)


def test_views_are_renamed_and_dropped_and_registered(shop, seen, kind):
    shop.create_namespace("other")
    moved = shop.rename_view("shop.seen", "other.moved")
    assert (moved.name(), moved.uuid()) == (("other", "moved"), seen.uuid())
    assert (shop.list_views("shop"), shop.list_views("other")) == ([], [("other", "moved")])
    with pytest.raises(NoSuchViewError, match=r"no view 'shop\.seen'"):
        shop.load_view("shop.seen")
    with pytest.raises(NoSuchViewError):
        shop.rename_view("shop.seen", "other.again")
    with pytest.raises(NoSuchNamespaceError):
        shop.rename_view("other.moved", "none.moved")
    assert shop.rename_view("other.moved", "other.moved").name() == ("other", "moved")
    if kind.frees_names:
        shop.create_view("shop.seen", SCHEMA, sql=TWO)
        with pytest.raises(ViewAlreadyExistsError):
            shop.rename_view("other.moved", "shop.seen")
    shop.drop_view("other.moved")
    assert not shop.view_exists("other.moved")
    with pytest.raises(NoSuchViewError):
        shop.drop_view("other.moved")
    if not kind.keeps_dropped_views:
        with pytest.raises((NoSuchViewError, UnsupportedError)):
            shop.register_view("other.back", moved.metadata_location)
        return
    again = shop.register_view("other.back", moved.metadata_location)
    assert (again.uuid(), again.sql_for("spark").sql) == (seen.uuid(), "SELECT 1 AS id")
    again.replace_version(SCHEMA, sql=TWO)
    assert shop.load_view("other.back").current_version().version_id == 2
    with pytest.raises(ViewAlreadyExistsError):
        shop.register_view("other.back", moved.metadata_location)
    with pytest.raises(NoSuchViewError):
        shop.register_view("other.none", f"{moved.metadata_location}.none")


def test_a_name_is_of_a_table_or_of_a_view(shop, seen):
    table = shop.create_table("shop.orders", SCHEMA)
    assert shop.list_tables("shop") == [("shop", "orders")]
    assert shop.list_views("shop") == [("shop", "seen")]
    assert not shop.table_exists("shop.seen")
    assert not shop.view_exists("shop.orders")
    for ask in (
        lambda: shop.load_table("shop.seen"),
        lambda: shop.drop_table("shop.seen"),
        lambda: shop.rename_table("shop.seen", "shop.else"),
        lambda: shop.purge_table("shop.seen"),
        lambda: shop.create_table_if_not_exists("shop.seen", SCHEMA),
    ):
        with pytest.raises(NoSuchTableError, match=r"'shop\.seen' is a view, not a table: use load_view"):
            ask()
    for ask in (
        lambda: shop.load_view("shop.orders"),
        lambda: shop.drop_view("shop.orders"),
        lambda: shop.rename_view("shop.orders", "shop.else"),
    ):
        with pytest.raises(NoSuchViewError, match=r"'shop\.orders' is a table, not a view: use load_table"):
            ask()
    for ask in (
        lambda: shop.create_table("shop.seen", SCHEMA),
        lambda: shop.rename_table("shop.orders", "shop.seen"),
        lambda: shop.register_table("shop.seen", table.metadata_location),
    ):
        with pytest.raises(TableAlreadyExistsError, match=r"'shop\.seen' is a view"):
            ask()
    for ask in (
        lambda: shop.create_view("shop.orders", SCHEMA, sql=ONE),
        lambda: shop.rename_view("shop.seen", "shop.orders"),
        lambda: shop.register_view("shop.orders", seen.metadata_location),
    ):
        with pytest.raises(ViewAlreadyExistsError, match=r"'shop\.orders' is a table"):
            ask()
    with pytest.raises(UnsupportedError, match="open it with open_table"):
        shop.register_view("shop.wrong", table.metadata_location)
    with pytest.raises(UnsupportedError, match="open it with open_view"):
        shop.register_table("shop.wrong", seen.metadata_location)
    table.append(rows(1))
    assert shop.load_table("shop.orders").scan().count() == 1


def test_a_table_that_is_made_meanwhile_keeps_its_name(shop, monkeypatch):
    kept = type(shop).do_table_exists
    with monkeypatch.context() as patched:
        # Both looked before either made.
        patched.setattr(type(shop), "do_table_exists", lambda *_: False)
        patched.setattr(type(shop), "do_view_exists", lambda *_: False)
        shop.create_table("shop.t", SCHEMA)
        with pytest.raises(ViewAlreadyExistsError):
            shop.create_view("shop.t", SCHEMA, sql=ONE)
        shop.create_view("shop.v", SCHEMA, sql=ONE)
        with pytest.raises(TableAlreadyExistsError):
            shop.create_table("shop.v", SCHEMA)
        with pytest.raises(TableAlreadyExistsError):
            shop.do_rename_table(("shop", "t"), ("shop", "v"))
        with pytest.raises(ViewAlreadyExistsError):
            shop.do_rename_view(("shop", "v"), ("shop", "t"))
    assert type(shop).do_table_exists is kept
    assert (shop.list_tables("shop"), shop.list_views("shop")) == ([("shop", "t")], [("shop", "v")])


@pytest.mark.usefixtures("seen")
def test_a_namespace_with_a_view_is_not_dropped(shop):
    with pytest.raises(NamespaceNotEmptyError, match=r"it has 'shop\.seen'"):
        shop.drop_namespace("shop")
    assert shop.list_namespaces() == [("shop",)]
    shop.drop_view("shop.seen")
    shop.drop_namespace("shop")
    with pytest.raises(NoSuchNamespaceError):
        shop.list_views("shop")


def test_what_others_change_meanwhile(shop, seen):
    other = shop.load_view("shop.seen")
    other.set_properties({"a": "1"})
    seen.set_properties({"b": "2"})
    assert seen.properties == {"a": "1", "b": "2"}
    other.set_properties({"c": "3"})
    seen.replace_version(SCHEMA, sql=TWO)
    assert seen.properties == {"a": "1", "b": "2", "c": "3"}
    stale = other
    with pytest.raises(CommitConflictError, match="expected the current version 1, found 2"):
        stale.replace_version(SCHEMA, sql={"spark": "SELECT 3 AS id"})
    assert stale.current_version().version_id == 1
    stale.update_location(f"{stale.location()}/else")
    stale.refresh()
    stale.replace_version(SCHEMA, sql={"spark": "SELECT 3 AS id"})
    assert [each.version_id for each in shop.load_view("shop.seen").history()] == [1, 2, 3]
    shop.drop_view("shop.seen")
    with pytest.raises(CommitConflictError, match="load it again"):
        seen.set_properties({"d": "4"})
    with pytest.raises(NoSuchViewError):
        seen.refresh()
    shop.create_view("shop.seen", SCHEMA, sql=ONE)
    with pytest.raises(CommitConflictError, match="another was made in its place"):
        seen.set_properties({"d": "4"})
    with pytest.raises(NoSuchViewError, match="another was made in its place"):
        seen.refresh()
    assert shop.load_view("shop.seen").properties == {}


def test_a_view_of_a_catalog_crosses_processes(kind, shop, seen):
    back = pickle.loads(pickle.dumps(seen))
    assert (back.name(), back.versions) == (seen.name(), seen.versions)
    if not kind.travels:
        return
    back.replace_version(SCHEMA, sql=TWO)
    assert shop.load_view("shop.seen").sql_for("spark").sql == "SELECT 2 AS id"


def test_a_view_without_its_catalog_is_not_changed(seen):
    alone = fb.open_view(seen.metadata_location)
    assert (alone.name(), alone.catalog, alone.versions) == ((), None, seen.versions)
    for change in (
        lambda: alone.set_properties({"a": "1"}),
        lambda: alone.replace_version(SCHEMA, sql=TWO),
        alone.refresh,
    ):
        with pytest.raises(UnsupportedError, match=r"opened without a catalog.*load_view"):
            change()


def test_what_is_written_is_what_the_specification_says(tmp_path):
    catalog = SqlCatalog("prod", {"uri": f"sqlite:///{tmp_path}/c.db", "warehouse": str(tmp_path / "w")})
    catalog.create_namespace("shop")
    view = catalog.create_view("shop.seen", SCHEMA, sql=ONE, properties={"comment": "c"})
    now = view.current_version().timestamp_ms
    assert written(view) == {
        "view-uuid": str(view.uuid()),
        "format-version": 1,
        "location": f"{tmp_path}/w/shop/seen",
        "schemas": [
            {
                "type": "struct",
                "schema-id": 0,
                "fields": [{"id": 1, "name": "id", "required": False, "type": "long"}],
            }
        ],
        "current-version-id": 1,
        "versions": [
            {
                "version-id": 1,
                "timestamp-ms": now,
                "schema-id": 0,
                "summary": {"engine-name": "floeberg", "engine-version": fb.__version__},
                "default-namespace": ["shop"],
                "representations": [{"type": "sql", "sql": "SELECT 1 AS id", "dialect": "spark"}],
            }
        ],
        "version-log": [{"timestamp-ms": now, "version-id": 1}],
        "properties": {"comment": "c"},
    }
    view.set_properties({"write.metadata.compression-codec": "none"})
    assert re.search(r"/00001-[0-9a-f-]{36}\.metadata\.json$", view.metadata_location)
    assert Path(view.metadata_location).read_bytes().startswith(b"{")
    view.set_properties({"write.metadata.path": str(tmp_path / "elsewhere")})
    assert Path(view.metadata_location).parent == tmp_path / "elsewhere"


def test_damaged_metadata_is_told_with_its_file(tmp_path):
    catalog = SqlCatalog("prod", {"uri": f"sqlite:///{tmp_path}/c.db", "warehouse": str(tmp_path / "w")})
    catalog.create_namespace("shop")
    view = catalog.create_view(
        "shop.seen", SCHEMA, sql=ONE, properties={"write.metadata.compression-codec": "none"}
    )
    file = Path(view.metadata_location)
    whole = file.read_text()
    file.write_text(whole.replace('"current-version-id":1', '"current-version-id":9'))
    with pytest.raises(InvalidDataError, match="expected one with the id 9") as caught:
        catalog.load_view("shop.seen")
    assert caught.value.context["path"] == view.metadata_location
    file.write_text(whole[:50])
    with pytest.raises(InvalidDataError):
        catalog.create_or_replace_view("shop.seen", SCHEMA, sql=TWO)
    file.unlink()
    with pytest.raises(NoSuchViewError) as gone:
        catalog.load_view("shop.seen")
    assert view.metadata_location in str(gone.value)
    # What cannot be loaded can be dropped.
    catalog.drop_view("shop.seen")
    assert catalog.list_views("shop") == []


@pytest.mark.parametrize("kind", [kind for kind in KINDS.values() if not kind.views])
def test_catalogs_without_views_say_what_to_use(kind, tmp_path):
    catalog = kind.new(tmp_path)
    catalog.create_namespace("shop")
    said = "keeps no views: (use a catalog of the type 'sql'|load it with the property schema-version='v1')"
    for ask in (
        lambda: catalog.list_views("shop"),
        lambda: catalog.view_exists("shop.v"),
        lambda: catalog.load_view("shop.v"),
        lambda: catalog.create_view("shop.v", SCHEMA, sql=ONE),
        lambda: catalog.create_or_replace_view("shop.v", SCHEMA, sql=ONE),
        lambda: catalog.register_view("shop.v", tmp_path / "none"),
        lambda: catalog.rename_view("shop.v", "shop.w"),
        lambda: catalog.drop_view("shop.v"),
    ):
        with pytest.raises(UnsupportedError, match=said) as caught:
            ask()
        assert isinstance(caught.value, NotImplementedError)
    # Tables are as they were.
    catalog.create_table("shop.t", SCHEMA)
    with pytest.raises(NoSuchTableError):
        catalog.load_table("shop.v")
    catalog.drop_table("shop.t")
    catalog.drop_namespace("shop")


def test_a_view_of_spark_is_replaced_with_its_own_schema(tmp_path):
    """Spark counts fields from 0."""
    catalog = SqlCatalog("prod", {"uri": f"sqlite:///{tmp_path}/c.db", "warehouse": str(tmp_path / "w")})
    catalog.create_namespace("shop")
    view = catalog.register_view("shop.v", fb.open_view(lent("view").folder / "table").metadata_location)
    view.update_location(str(tmp_path / "w" / "v"))
    assert [field.field_id for field in view.schema().fields] == [0, 1]
    view.replace_version(view.schema(), sql={"spark": "SELECT 1 AS k, 2 AS n"})
    assert view.current_version().version_id == 4
    assert sorted(view.schemas()) == [0, 1, 2]
    columns = view.schemas()[0]
    view.replace_version(columns, view.version(1))
    assert (view.current_version(), len(view.versions)) == (view.version(1), 4)
