"""Functions of SQL: what their metadata files say is read, kept and written; nothing runs a function."""

from __future__ import annotations

import json
import pickle
import re
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import floeberg as fb
from floeberg.errors import (
    AlreadyExistsError,
    CommitConflictError,
    FloebergError,
    InvalidDataError,
    InvalidInputError,
    NamespaceNotEmptyError,
    NoSuchNamespaceError,
    NotFoundError,
    UnsupportedError,
)
from floeberg.udf import SQLUdfRepresentation, UdfMetadata, UdfParameter, open_udf

UUID = "42fd3f91-bc10-41c1-8a52-92b57dd0a9b2"


def version(number: int, **more):
    bodies = [{"type": "sql", "dialect": "trino", "sql": f"x + {number}"}]
    return {"version-id": number, "timestamp-ms": 1734507000123 + number, "representations": bodies} | more


def written(**more):
    """Metadata with what nobody knows yet at each level."""
    versions = [version(1), version(2, deterministic=True, **{"on-null-input": "return-null", "cost": 1})]
    versions[1]["representations"] += [
        {"type": "sql", "dialect": "Spark", "sql": "x + 2"},
        {"type": "wasm", "at": "x"},
    ]
    definition = {
        "definition-id": "int,list<struct<a:decimal(9,2)>>",
        "specific-name": "add_ints",
        "parameters": [
            {"name": "x", "type": "int", "doc": "a number", "unit": "m"},
            {
                "name": "y",
                "type": {
                    "type": "list",
                    "element-id": 7,
                    "element": {"type": "struct", "fields": [{"id": 1, "name": "a", "type": "decimal(9,2)"}]},
                },
            },
        ],
        "return-type": "int",
        "function-type": "udf",
        "versions": versions,
        "current-version-id": 2,
        "doc": "adds",
        "stable": True,
    }
    rows = {
        "definition-id": "",
        "parameters": [],
        "return-type": {"type": "struct", "fields": [{"name": "a", "type": "string"}]},
        "function-type": "udtf",
        "return-nullable": False,
        "versions": [version(4)],
        "current-version-id": 4,
    }
    log = [
        {
            "timestamp-ms": 5,
            "definition-versions": [{"definition-id": "", "version-id": 4, "by": "jo"}],
            "x": 1,
        }
    ]
    return {
        "function-uuid": UUID,
        "format-version": 1,
        "definitions": [definition, rows],
        "definition-log": log,
        "properties": {"owner": "jo"},
        "secure": True,
        "doc": "two of them",
        "location": "s3://bucket/f",
        "not-known": {"a": [1, None]},
    } | more


def test_metadata_is_read_and_written_with_what_is_not_known():
    text = json.dumps(written())
    found = UdfMetadata.from_json(text)
    assert json.loads(found.to_json()) == written()
    assert (str(found.uuid), found.secure, found.doc, found.location) == (
        UUID,
        True,
        "two of them",
        "s3://bucket/f",
    )
    assert (found.properties, repr(found)) == (
        {"owner": "jo"},
        "UdfMetadata((int,list<struct<a:decimal(9,2)>>), ())",
    )
    one, rows = found.definitions
    assert [each.name for each in one.parameters] == ["x", "y"]
    assert (one.parameters[0].doc, one.doc, one.specific_name) == ("a number", "adds", "add_ints")
    assert (one.function_type, one.return_type, one.return_nullable) == ("udf", "int", True)
    assert (rows.function_type, rows.return_nullable) == ("udtf", False)
    current = one.current_version()
    assert (current.version_id, current.deterministic, current.on_null_input) == (2, True, "return-null")
    assert one.versions[0].on_null_input == "call"
    assert one.sql_for("SPARK") == SQLUdfRepresentation("x + 2", "Spark")
    assert one.sql_for("duckdb") is None
    assert [(each.timestamp_ms, each.versions) for each in found.log] == [(5, {"": 4})]
    assert found.definition("add_ints") is one
    assert found.definition("") is rows
    with pytest.raises(NotFoundError, match="no definition 'int': it has 'int,list"):
        found.definition("int")
    assert pickle.loads(pickle.dumps(found)) == found
    # Nothing that is not known is lost by a change either.
    changed = found.with_definition({"z": "long"}, "long", sql={"spark": "z"}).with_properties({"n": 1})
    kept = json.loads(changed.to_json())
    assert kept["definitions"][:2] == written()["definitions"]
    assert (kept["not-known"], kept["definition-log"][0], kept["properties"]) == (
        {"a": [1, None]},
        written()["definition-log"][0],
        {"n": "1"},
    )
    assert changed.log[-1].versions == {"int,list<struct<a:decimal(9,2)>>": 2, "": 4, "long": 1}


def change(path, value):
    """The metadata with another value somewhere; `...` removes it."""
    metadata = written()
    at = metadata
    *above, last = path
    for each in above:
        at = at[each]
    if value is ...:
        del at[last]
    else:
        at[last] = value
    return metadata


TWICE = [{"type": "sql", "dialect": each, "sql": "1"} for each in ("a", "A")]
D, V, P = ("definitions", 0), ("definitions", 0, "versions", 0), ("definitions", 0, "parameters", 0)


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (("function-uuid",), ..., "function-uuid is missing: expected a text"),
        (("function-uuid",), "nobody", "function-uuid: expected a UUID, found 'nobody'"),
        (("format-version",), "1", "format-version: expected a whole number, found '1'"),
        (("format-version",), True, "format-version: expected a whole number, found True"),
        (("definitions",), {}, "definitions: expected a list"),
        (("definitions", 0), [], r"definitions\[0\]: expected an object, found \[\]"),
        (("definition-log",), ..., "definition-log is missing"),
        (("definition-log", 0, "timestamp-ms"), 2**63, "expected a whole number of 64 bits"),
        (
            ("definition-log", 0, "definition-versions", 0, "version-id"),
            None,
            r"definition-log\[0\].definition-versions\[0\]",
        ),
        (("properties",), {"a": 1}, "properties: expected an object of texts"),
        (("secure",), "yes", "secure: expected true or false"),
        (
            (*D, "definition-id"),
            "int",
            r"definitions\[0\].definition-id: expected 'int,list<struct<a:decimal\(9,2\)>>'",
        ),
        ((*D, "function-type"), "udaf", "expected one of 'udf', 'udtf', found 'udaf'"),
        ((*D, "function-type"), "udtf", r"return-type: expected a struct, since it is a udtf, found 'int'"),
        ((*D, "return-type"), ..., r"definitions\[0\].return-type: expected an object, found None"),
        ((*D, "return-type"), "decimal(9, 2)", "a type without spaces and quotes"),
        ((*D, "return-type"), {"type": "set"}, "expected one of 'list', 'map', 'struct'"),
        ((*D, "return-type"), {"type": "map", "key": "int"}, "return-type.value: expected an object"),
        ((*D, "current-version-id"), 9, "there is no version 9"),
        ((*D, "versions"), [], "there is no version 2"),
        ((*V, "version-id"), 2, "two versions have the id 2"),
        ((*V, "on-null-input"), "maybe", "expected one of 'return-null', 'call', found 'maybe'"),
        ((*V, "representations", 0, "sql"), ..., r"versions\[0\].representations\[0\].sql is missing"),
        (
            (*V, "representations"),
            [{"type": "sql", "dialect": d, "sql": "1"} for d in ("a", "A")],
            "two are in the dialect 'a'",
        ),
        ((*P, "name"), "y", "two parameters are named 'y'"),
        ((*P, "type"), "int<script>", "a type without spaces and quotes"),
        (("definitions", 1, "specific-name"), "add_ints", "two have the specific-name 'add_ints'"),
    ],
)
def test_damaged_metadata_is_an_error_that_names_the_place(path, value, says):
    with pytest.raises(InvalidDataError, match=says):
        UdfMetadata.from_json(json.dumps(change(path, value)))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "5",
        "{",
        '{"a": NaN}',
        "[" * 100_000,
        b"\xff\xfe",
        '{"format-version": 1}',
        "null",
        '"' + "x" * 10_000,
    ],
)
def test_what_is_no_metadata_is_an_error(text):
    with pytest.raises(InvalidDataError) as caught:
        UdfMetadata.from_json(text)
    assert len(str(caught.value)) < 300


def test_types_that_are_too_deep_and_other_versions_are_refused():
    kind = "int"
    for _ in range(200):
        kind = {"type": "list", "element": kind}
    with pytest.raises(InvalidDataError, match="more than 100 types are in each other"):
        UdfMetadata.from_json(json.dumps(change((*D, "return-type"), kind)))
    with pytest.raises(UnsupportedError, match="format version 2 of functions is not supported: expected 1"):
        UdfMetadata.from_json(json.dumps(written(**{"format-version": 2})))


def test_versions_and_the_log():
    made = UdfMetadata.new(doc="d", secure=True, properties={"a": True})
    assert (made.definitions, made.log, made.properties, made.secure, made.doc) == (
        (),
        (),
        {"a": "true"},
        True,
        "d",
    )
    one = made.with_definition(
        [UdfParameter("x", "int", "a number")], "int", sql={"spark": "x + 2"}, doc="adds"
    )
    two = one.with_definition(
        {"x": "int"}, "int", sql={"spark": "x + 1", "trino": "x + 1"}, deterministic=True
    )
    three = two.with_definition(
        {"c": "string"},
        {"type": "struct", "fields": [{"name": "a", "type": "int"}]},
        sql={"spark": "SELECT 1 AS a"},
        function_type="udtf",
        on_null_input="return-null",
        specific_name="rows",
    )
    assert [each.versions for each in three.log] == [{"int": 1}, {"int": 2}, {"int": 2, "string": 1}]
    assert [each.version_id for each in three.definition("int").versions] == [1, 2]
    assert (three.definition("int").sql_for("trino").sql, three.definition("int").doc) == ("x + 1", "adds")
    back = three.with_current_version("int", 1)
    assert (back.definition("int").sql_for("spark").sql, back.log[-1].versions) == (
        "x + 2",
        {"int": 1, "string": 1},
    )
    assert back.without_definition("rows").log[-1].versions == {"int": 1}
    # None of them changed another.
    assert (len(made.definitions), len(one.log), two.definition("int").current_version_id) == (0, 1, 2)
    assert {each.uuid for each in (made, one, two, three, back)} == {made.uuid}
    for wrong, says in (
        (lambda: two.with_definition({"x": "int"}, "long", sql={"spark": "1"}), "cannot return another type"),
        (lambda: two.with_definition({"x": "in t"}, "int", sql={"spark": "1"}), "a type without spaces"),
        (
            lambda: two.with_definition({"y": "int"}, "int", sql={"spark": "y"}),
            "has the parameters 'x', found 'y'",
        ),
        (lambda: two.with_definition({"y": "long"}, "int", sql={}), "expected a body for each dialect"),
        (
            lambda: two.with_definition({"y": "long"}, "int", sql={"a": "1", "A": "1"}),
            "two are in the dialect 'a'",
        ),
        (
            lambda: two.with_definition({"y": "long"}, "int", sql={"a": "1"}, function_type="udtf"),
            "expected a struct",
        ),
        (
            lambda: three.with_definition({"y": "long"}, "int", sql={"a": "1"}, specific_name="rows"),
            "specific-name",
        ),
    ):
        with pytest.raises(InvalidInputError, match=says):
            wrong()
    with pytest.raises(NotFoundError, match="has no version 9: it has 1, 2"):
        three.with_current_version("int", 9)


@pytest.fixture(params=["local", "memory"])
def files(request, tmp_path):
    """A catalog of folders, on a disk and in a store without folders."""
    place = str(tmp_path / "w") if request.param == "local" else f"memory://functions/{tmp_path.name}"
    catalog = fb.load_catalog("files", type="filesystem", warehouse=place)
    catalog.create_namespace("db")
    return catalog


def udf(number=1):
    return UdfMetadata.new().with_definition({"x": "int"}, "int", sql={"spark": f"x + {number}"})


def test_a_catalog_of_folders_keeps_functions(files):
    assert files.list_functions("db") == []
    made = files.create_function("db.add", udf())
    assert files.create_function(("db", "Über <b>"), udf()).identifier == ("db", "Über <b>")
    assert files.list_functions("db") == [("db", "add"), ("db", "Über <b>")]
    assert files.load_function("db.add") == made
    assert made.udf.location == re.sub(r"/v1\.metadata\.json$", "", made.metadata_location)
    # They are beside tables, and are none.
    assert (files.list_tables("db"), files.list_namespaces("db")) == ([], [])
    with pytest.raises(AlreadyExistsError, match="the function 'db.add' already exists"):
        files.create_function("db.add", udf(2))
    changed = files.replace_function(
        made, made.udf.with_definition({"x": "int"}, "int", sql={"spark": "x + 2"})
    )
    assert changed.metadata_location.endswith("/v2.metadata.json")
    assert open_udf(changed.metadata_location) == changed.udf == files.load_function("db.add").udf
    assert [each.versions for each in changed.udf.log] == [{"int": 1}, {"int": 2}]
    with pytest.raises(CommitConflictError, match="another writer changed or dropped the function 'db.add'"):
        files.replace_function(made, made.udf.with_properties({"a": "b"}))
    with pytest.raises(InvalidInputError, match="it is that of another function"):
        files.replace_function(changed, udf())
    with pytest.raises(NamespaceNotEmptyError, match="'add'|'Über"):
        files.drop_namespace("db")
    files.drop_function("db.add")
    files.drop_function(("db", "Über <b>"))
    assert files.list_functions("db") == []
    for ask in (files.load_function, files.drop_function):
        with pytest.raises(NotFoundError, match="no function 'db.add'"):
            ask("db.add")
    with pytest.raises(CommitConflictError):
        files.replace_function(changed, changed.udf)
    files.drop_namespace("db")
    assert files.list_namespaces() == []


def test_wrong_functions_are_refused(files):
    with pytest.raises(NoSuchNamespaceError, match="gone"):
        files.create_function("gone.f", udf())
    with pytest.raises(NoSuchNamespaceError, match="gone"):
        files.list_functions("gone")
    with pytest.raises(InvalidInputError, match="one definition or more"):
        files.create_function("db.f", UdfMetadata.new())
    with pytest.raises(InvalidInputError, match="expected a UdfMetadata, found dict"):
        files.create_function("db.f", written())
    for name in (".f", "a/b", "..", "a\\b"):
        with pytest.raises(InvalidInputError, match="named"):
            files.create_function(("db", name), udf())
    assert files.list_functions("db") == []


def test_a_damaged_file_is_named(tmp_path):
    files = fb.load_catalog("files", type="filesystem", warehouse=str(tmp_path))
    files.create_namespace("db")
    made = files.create_function("db.f", udf())
    place = tmp_path / "db" / ".functions" / "f"
    (place / "v2.metadata.json").write_text('{"format-version": 1, "function-uuid": 5}')
    (place / "v99x.metadata.json").write_text("not a version")
    assert files.list_functions("db") == [("db", "f")]
    with pytest.raises(InvalidDataError, match=r"function-uuid: .* found 5 \(path: .*/f/v2.metadata.json\)"):
        files.load_function("db.f")
    with pytest.raises(CommitConflictError):
        files.replace_function(made, made.udf)
    with pytest.raises(NotFoundError):
        open_udf(tmp_path / "nothing.json")


def test_one_of_several_writers_wins(tmp_path):
    files = fb.load_catalog("files", type="filesystem", warehouse=str(tmp_path))
    files.create_namespace("db")
    made = files.create_function("db.f", udf())
    outcomes = []

    def write(number):
        try:
            changed = made.udf.with_definition({"x": "int"}, "int", sql={"spark": f"x + {number}"})
            outcomes.append(files.replace_function(made, changed).udf)
        except CommitConflictError:
            outcomes.append(None)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    won = [each for each in outcomes if each is not None]
    assert (len(won), len(outcomes)) == (1, 8)
    assert files.load_function("db.f").udf == won[0]


def test_the_examples_of_the_specification_are_read():
    """Their form: overloads with one log entry for each change, and a function of rows."""
    bodies = [{"type": "sql", "dialect": each, "sql": "x + 1.0"} for each in ("trino", "spark")]
    metadata = written()
    metadata["definitions"] = [
        {
            "definition-id": kind,
            "parameters": [{"name": "x", "type": kind, "doc": f"Input {kind}"}],
            "return-type": kind,
            "function-type": "udf",
            "versions": [
                {"version-id": 1, "deterministic": True, "representations": bodies, "timestamp-ms": 1}
            ],
            "current-version-id": 1,
        }
        for kind in ("int", "float")
    ]
    found = UdfMetadata.from_json(json.dumps(metadata))
    assert [each.definition_id for each in found.definitions] == ["int", "float"]
    assert isinstance(found.definition("float").sql_for("spark"), SQLUdfRepresentation)
    with pytest.raises(FloebergError):
        UdfMetadata.from_json(json.dumps(metadata | {"definitions": metadata["definitions"] * 2}))


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.text(max_size=4),
    st.just([]),
    st.just({}),
    st.just([{}]),
    st.just(2**70),
)


@st.composite
def damaged(draw):
    """Metadata in which one value somewhere is another one, or gone."""
    metadata = written()
    at = metadata
    while True:
        key = draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
        inner = at[key]
        if isinstance(inner, (dict, list)) and inner and draw(st.integers(0, 3)):
            at = inner
            continue
        if draw(st.booleans()):
            at[key] = draw(VALUES)
        else:
            del at[key]
        return metadata


@settings(max_examples=150, deadline=None)
@given(metadata=damaged())
def test_any_damage_is_read_as_it_is_or_refused(metadata):
    try:
        found = UdfMetadata.from_json(json.dumps(metadata))
    except (InvalidDataError, UnsupportedError):
        return
    assert json.loads(found.to_json()) == metadata
    changed = json.loads(found.with_definition({"new": "binary"}, "int", sql={"spark": "1"}).to_json())
    assert changed["definitions"][:-1] == metadata["definitions"]
    assert {key: value for key, value in changed.items() if not key.startswith("definition")} == {
        key: value for key, value in metadata.items() if not key.startswith("definition")
    }
