"""What every catalog promises of namespaces."""

from __future__ import annotations

import pytest

from floeberg.errors import (
    InvalidInputError,
    NamespaceAlreadyExistsError,
    NamespaceNotEmptyError,
    NoSuchNamespaceError,
    NoSuchTableError,
    UnsupportedError,
)


def test_there_is_none_at_first(catalog):
    assert catalog.list_namespaces() == []
    assert not catalog.namespace_exists("a")
    for ask in (
        catalog.list_namespaces,
        catalog.list_tables,
        catalog.load_namespace_properties,
        catalog.drop_namespace,
    ):
        with pytest.raises(NoSuchNamespaceError, match="no namespace 'a'"):
            ask("a")


def test_what_is_created_is_listed_in_order_and_dropped(catalog, kind):
    for name in ("b", "a", "c"):
        catalog.create_namespace(name)
    assert catalog.list_namespaces() == [("a",), ("b",), ("c",)]
    assert catalog.namespace_exists(("b",))
    assert catalog.list_tables("b") == []
    catalog.drop_namespace("b")
    assert catalog.list_namespaces() == (
        [("a",), ("c",)] if kind.forgets_folders else [("a",), ("b",), ("c",)]
    )
    assert not catalog.namespace_exists("b")


def test_a_namespace_is_created_once(catalog):
    catalog.create_namespace("a")
    with pytest.raises(NamespaceAlreadyExistsError, match="'a' already exists"):
        catalog.create_namespace("a")
    catalog.create_namespace_if_not_exists("a")
    catalog.create_namespace_if_not_exists("b")
    assert catalog.list_namespaces() == [("a",), ("b",)]


def test_namespaces_nest_and_the_outer_ones_come_with_the_inner(catalog):
    catalog.create_namespace("a.b.c")
    catalog.create_namespace(("a", "bb"))
    catalog.create_namespace("ab")
    assert catalog.list_namespaces() == [("a",), ("ab",)]
    assert catalog.list_namespaces("a") == [("a", "b"), ("a", "bb")]
    assert catalog.list_namespaces(("a", "b")) == [("a", "b", "c")]
    assert catalog.list_namespaces("a.b.c") == []
    with pytest.raises(NamespaceNotEmptyError, match=r"it has 'a\.b'"):
        catalog.drop_namespace("a")
    catalog.drop_namespace("a.b.c")
    assert catalog.namespace_exists("a.b")
    with pytest.raises(NamespaceAlreadyExistsError):
        catalog.create_namespace("a")


def test_names_hold_no_patterns(catalog, kind):
    catalog.create_namespace("a_c")
    for other in ("abc", "a_b", "a"):
        assert not catalog.namespace_exists(other)
    if kind.takes_patterns:
        assert not catalog.namespace_exists("a%")
    else:
        with pytest.raises(InvalidInputError, match="the server answered 400"):
            catalog.namespace_exists("a%")


def test_names_differ_by_case(catalog, kind):
    if not kind.takes_capitals:
        with pytest.raises(InvalidInputError, match="the server answered 400"):
            catalog.create_namespace("A_b.x")
        assert catalog.list_namespaces() == []
        return
    catalog.create_namespace("A_b.x")
    assert catalog.namespace_exists("a_b") is not kind.tells_capitals
    if not kind.tells_capitals:
        return
    catalog.create_namespace("a_b")
    assert catalog.list_namespaces("a_b") == []
    assert catalog.list_namespaces() == [("A_b",), ("a_b",)]


def properties(catalog, kind, namespace):
    """Those of a namespace that a user set."""
    found = catalog.load_namespace_properties(namespace)
    if kind.places_namespaces:
        assert found.pop("location").endswith(f"/{namespace}")
    return found


def test_properties_are_set_updated_and_removed(catalog, kind):
    if not kind.has_properties:
        with pytest.raises(UnsupportedError, match="cannot store properties"):
            catalog.create_namespace("a", properties={"note": "jo"})
        assert not catalog.namespace_exists("a")
        catalog.create_namespace("a")
        with pytest.raises(UnsupportedError, match="cannot store properties"):
            catalog.update_namespace_properties("a", updates={"owner": "jo"})
        return
    catalog.create_namespace("a", properties={"owner": "jo", "x": "1"})
    catalog.create_namespace("b")
    assert properties(catalog, kind, "a") == {"owner": "jo", "x": "1"}
    assert properties(catalog, kind, "b") == {}
    done = catalog.update_namespace_properties("a", removals=["x", "y"], updates={"owner": "al", "z": ""})
    assert (done.removed, done.updated, done.missing) == (("x",), ("owner", "z"), ("y",))
    assert properties(catalog, kind, "a") == {"owner": "al", "z": ""}
    catalog.update_namespace_properties("a", removals=["owner", "z"])
    assert catalog.namespace_exists("a")
    assert properties(catalog, kind, "a") == {}
    with pytest.raises(InvalidInputError, match="removed and set in one update: k"):
        catalog.update_namespace_properties("a", removals=["k"], updates={"k": "v"})


def test_a_table_that_is_not_there_is_told_by_name(catalog):
    catalog.create_namespace("a")
    assert not catalog.table_exists("a.t")
    for ask in (
        catalog.load_table,
        catalog.drop_table,
        catalog.purge_table,
        lambda name: catalog.rename_table(name, "a.u"),
    ):
        with pytest.raises(NoSuchTableError, match=f"the catalog '{catalog.name}' has no table 'a.t'"):
            ask("a.t")


@pytest.mark.parametrize(
    "namespace", ["", (), ("a", ""), "a..b", ("a", 1), 7, b"a", {"a": 1}, "a\n", "a\ud800"]
)
def test_what_is_no_namespace_is_refused(catalog, namespace):
    with pytest.raises(InvalidInputError, match="namespace: expected"):
        catalog.create_namespace(namespace)
    assert catalog.list_namespaces() == []


@pytest.mark.parametrize("identifier", ["t", ("t",), "", (), ("a", "")])
def test_what_is_no_identifier_is_refused(catalog, identifier):
    with pytest.raises(InvalidInputError, match="identifier: expected"):
        catalog.load_table(identifier)
