"""Properties of tables: what is known of them, what is checked where they are set, and the page that lists them."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest
from cargo_workspace import ROOT

import floeberg as fb
from floeberg import _native
from floeberg.errors import InvalidInputError, UnsupportedError

PAGE = ROOT / "docs" / "guide" / "properties.md"
KNOWN = {name: (default, use, meaning) for name, default, use, meaning in _native.table_properties()}
SCHEMA = pa.schema({"id": pa.int64()})


@pytest.fixture
def table(request):
    catalog = fb.load_catalog(f"properties {request.node.name}", type="memory")
    catalog.create_namespace("db")
    return catalog.create_table("db.t", SCHEMA)


def rows_of_the_page() -> dict[str, list[str]]:
    lines = re.findall(r"^\| `([^`]+)` \|(.*)\|$", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    return {name: [cell.strip().strip("`") for cell in rest.split(" | ")] for name, rest in lines}


def test_the_page_lists_every_property_with_its_default_and_meaning():
    written = rows_of_the_page()
    expected = {}
    for name, (default, use, meaning) in KNOWN.items():
        shown = f"{name}COLUMN" if name.endswith(".column.") else f"{name}*" if name.endswith(".") else name
        expected[shown] = [default, meaning] if use == "followed" or meaning != "Of other engines" else []
        if use == "refused":
            expected[shown] = [meaning]
    assert written.keys() == {name for name, cells in expected.items() if cells}
    for name, cells in written.items():
        assert cells == expected[name], name


def test_those_of_other_engines_are_on_the_page_too():
    text = PAGE.read_text("utf-8")
    others = [name for name, (_, _, meaning) in KNOWN.items() if meaning == "Of other engines"]
    assert others
    assert [name for name in others if f"`{name}`" not in text] == []


def keys_in(path) -> list[str]:
    """The keys of properties that a source names as texts of its own, outside of comments and tests."""
    code = path.read_text("utf-8").split("#[cfg(test)]")[0]
    lines = "\n".join(line for line in code.splitlines() if not line.lstrip().startswith("//"))
    return re.findall(r'"((?:write|read|commit|history|gc|schema|encryption)\.[a-z.-]+[a-z.])"', lines)


def test_keys_stand_in_no_other_file_of_rust():
    """One place has every key, default and parser."""
    sources = [
        path
        for path in (ROOT / "rust" / "floeberg-iceberg" / "src").rglob("*.rs")
        if not {"tests", "properties", "tests.rs"} & set(path.parts)
    ]
    assert len(sources) > 100
    assert {str(path): keys for path in sources if (keys := keys_in(path))} == {}


def test_keys_that_python_names_are_known():
    sources = (ROOT / "python" / "floeberg").rglob("*.py")
    # Options of a key service are not properties of a table.
    named = {key for path in sources if "encryption" not in path.parts for key in keys_in(path)}
    named = {key for key in named if not key.startswith("encryption.kms-")}
    assert "commit.retry.num-retries" in named
    assert named <= KNOWN.keys()


@pytest.mark.parametrize(
    ("key", "value", "error"),
    [
        ("write.target-file-size-bytes", "big", InvalidInputError),
        ("write.target-file-size-bytes", "0", InvalidInputError),
        ("commit.manifest-merge.enabled", "yes", InvalidInputError),
        ("read.split.target-size", "-1", InvalidInputError),
        ("write.parquet.compression-codec", "lzo", InvalidInputError),
        ("write.delete.isolation-level", "none", InvalidInputError),
        ("write.parquet.bloom-filter-fpp.column.id", "2", InvalidInputError),
        ("write.py-location-provider.impl", "my.module.Provider", UnsupportedError),
        ("write.location-provider.impl", "com.example.Provider", UnsupportedError),
        ("encryption.key-id", "k", UnsupportedError),
        ("encryption.data-key-length", "16", UnsupportedError),
    ],
)
def test_what_could_not_be_followed_is_refused_where_it_is_set(key, value, error, table):
    with pytest.raises(error, match=re.escape(key)):
        table.set_properties({key: value})
    with pytest.raises(error, match=re.escape(key)):
        table.catalog.create_table("db.other", SCHEMA, properties={key: value})
    assert not table.catalog.table_exists("db.other")
    assert key not in table.refresh().properties


def test_properties_of_nobody_are_kept(table):
    table.set_properties({"owner": "jo", "write.parquet.nothing-like-others-at-all": "1"})
    assert table.properties["owner"] == "jo"


@pytest.mark.parametrize(
    ("key", "near"),
    [
        ("write.target-file-size-byte", "write.target-file-size-bytes"),
        ("write.parquet.compresion-codec", "write.parquet.compression-codec"),
        ("commit.retry.num-retry", "commit.retry.num-retries"),
        ("write.metadata.metrics.columns.id", "write.metadata.metrics.column.id"),
    ],
)
def test_a_key_that_is_nearly_known_is_kept_with_a_warning(key, near, table):
    with pytest.warns(UserWarning, match=re.escape(f"did you mean {near!r}")):
        table.set_properties({key: "1"})
    assert table.properties[key] == "1"
    with pytest.warns(UserWarning, match=re.escape(key)):
        table.catalog.create_table("db.other", SCHEMA, properties={key: "1"})


def test_keys_that_are_known_warn_of_nothing(table):
    for key, (default, use, _) in KNOWN.items():
        if use != "refused" and default and not key.startswith("encryption."):
            table.set_properties({f"{key}id" if key.endswith(".") else key: default})
    table.set_properties({"write.wap.enabled": "false", "comment": "of nobody"})


def test_a_value_has_its_type_and_its_default():
    assert _native.table_property({}, "read.split.target-size") == 128 << 20
    assert _native.table_property({"gc.enabled": "FALSE"}, "gc.enabled") is False
    assert _native.table_property({}, "write.metadata.compression-codec") == "none"
    assert _native.table_property({}, "write.data.path") is None
    with pytest.raises(InvalidInputError, match="whole number") as caught:
        _native.table_property({"commit.retry.num-retries": "often"}, "commit.retry.num-retries")
    assert caught.value.context["property"] == "commit.retry.num-retries"
