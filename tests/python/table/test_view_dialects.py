"""Statements of views in dialects that they do not have, by sqlglot."""

from __future__ import annotations

import subprocess
import sys
import warnings

import pyarrow as pa
import pytest

from floeberg.catalog import MemoryCatalog
from floeberg.errors import InvalidDataError, InvalidInputError, LimitExceededError, UnsupportedError
from floeberg.view import SQLViewRepresentation

SCHEMA = pa.schema({"id": pa.int64()})


@pytest.fixture
def view_of(request):
    catalog = MemoryCatalog(f"dialects {request.node.name}")
    catalog.create_namespace_if_not_exists("n")

    def make(**sql):
        return catalog.create_or_replace_view(
            "n.v", SCHEMA, sql=sql, properties={"replace.drop-dialect.allowed": True}
        )

    return make


def test_a_statement_is_translated_only_on_request(view_of):
    view = view_of(spark="SELECT ids[0] AS id, `a b`.x FROM `a b`")
    assert view.sql_for("duckdb") is None
    found = view.sql_for("DuckDB", transpile=True)
    assert found == SQLViewRepresentation('SELECT ids[1] AS id, "a b".x FROM "a b"', "duckdb")
    assert view.sql_for("spark", transpile=True) == view.sql_for("spark")
    both = view_of(spark="SELECT 1 AS id", duckdb="SELECT 2 AS id")
    assert both.sql_for("duckdb", transpile=True).sql == "SELECT 2 AS id", "what the view has comes first"
    with pytest.raises(InvalidInputError, match="transpile"):
        view.sql_for("duckdb", transpile="yes")


def test_the_first_dialect_that_is_known_is_translated(view_of):
    view = view_of(dremio2="SELECT whatever", trino="SELECT CAST(id AS VARCHAR) AS id FROM t")
    assert view.sql_for("spark", transpile=True).sql == "SELECT CAST(id AS STRING) AS id FROM t"
    with pytest.raises(UnsupportedError, match=r"knows none of its dialects \(dremio2\)"):
        view_of(dremio2="SELECT whatever").sql_for("spark", transpile=True)
    for unknown in ("dremio3", " "):
        with pytest.raises(UnsupportedError, match="does not know the dialect"):
            view.sql_for(unknown, transpile=True)


@pytest.mark.parametrize("deep", ["(" * 3000 + "1" + ")" * 3000, "abs(" * 3000 + "1" + ")" * 3000])
def test_a_statement_that_is_nested_too_deeply_is_refused(view_of, deep):
    view = view_of(spark=f"SELECT {deep} AS id")
    with pytest.raises(LimitExceededError, match="nested too deeply"):
        view.sql_for("trino", transpile=True)


def test_what_cannot_be_translated_is_told(view_of):
    view = view_of(spark="SELECT percentile(id, 0.5) AS id FROM t")
    said = "a view was translated from spark to trino, and may give other rows: .*exact quantiles"
    with pytest.warns(UserWarning, match=said) as told:
        assert view.sql_for("trino", transpile=True).sql == "SELECT APPROX_PERCENTILE(id, 0.5) AS id FROM t"
    assert [each.filename for each in told] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        view.sql_for("databricks", transpile=True)


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("SELECT (", InvalidDataError),
        ("SELECT 'a", InvalidDataError),
        ("DROP TABLE t", UnsupportedError),
        ("SELECT 1; SELECT 2", UnsupportedError),
        ("-- nothing", UnsupportedError),
    ],
)
def test_what_is_not_a_query_is_not_translated(view_of, sql, error):
    with pytest.raises(error):
        view_of(spark=sql).sql_for("trino", transpile=True)


def test_a_view_needs_sqlglot_only_to_translate():
    program = """
import sys
sys.modules["sqlglot"] = None
import floeberg as fb, pyarrow as pa
from floeberg.errors import NotInstalledError
catalog = fb.load_catalog("c", type="memory")
catalog.create_namespace("n")
view = catalog.create_view("n.v", pa.schema({"id": pa.int64()}), sql={"spark": "SELECT 1 AS id"})
print(view.sql_for("spark").sql)
try:
    view.sql_for("trino", transpile=True)
except NotInstalledError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "SELECT 1 AS id",
        "sqlglot is not installed: pip install 'floeberg[views]'",
    ]
