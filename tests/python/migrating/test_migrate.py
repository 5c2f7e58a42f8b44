"""Scripts for PyIceberg: what must change is found, each with what to write, and no script is run."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import floeberg as fb
from floeberg._pyiceberg_names import IMPORTED, MEANING
from floeberg.errors import InvalidInputError, LimitExceededError
from floeberg.migrate import Change, changes_of
from floeberg.migrate.__main__ import main
from floeberg.migrate._chains import longest_chain
from pyiceberg_snippets import SNIPPETS

HEAD = """
from pyiceberg.catalog import load_catalog
from pyiceberg.table import Table
import pyiceberg.expressions as ex
catalog = load_catalog("c")
table = catalog.load_table("n.t")
"""


def found(code: str, head: str = HEAD) -> list[tuple[int, str, str]]:
    """The lines after the head, with what is found there."""
    above = head.count("\n")
    return [
        (each.line - above, each.kind, each.what) for each in changes_of(head + code) if each.line > above
    ]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("table.io", (1, "change", "Table.io")),
        ("(table\n .scan()\n .use_snapshot(3))", (3, "change", "Scan.use_snapshot")),
        (
            "for t in table.scan().plan_files():\n    t.file.lower_bounds",
            (2, "change", "DataFile.lower_bounds"),
        ),
        (
            "[t.file.upper_bounds for t in list(table.scan().plan_files())]",
            (1, "change", "DataFile.upper_bounds"),
        ),
        ("table.scan().plan_files()[0].file.content", (1, "change", "DataFile.content")),
        (
            "with table.transaction() as x:\n    x.update_snapshot()",
            (2, "change", "Transaction.update_snapshot"),
        ),
        (
            "with table.transaction() as x:\n    x.append(1, snapshot_properties={})",
            (2, "change", "Transaction.append(snapshot_properties=...)"),
        ),
        (
            "table = table.transaction().set_properties(a=1).commit_transaction()",
            (1, "change", "table = ....commit_transaction()"),
        ),
        ("table.append(df=rows)", (1, "change", "Table.append(df=...)")),
        ("table.delete()", (1, "change", "Table.delete()")),
        ("def f(t: Table):\n    return t.to_bodo()", (2, "change", "Table.to_bodo")),
        ("def f(t: 'Table | None'):\n    return 1\nother.to_daft()", (3, "change", ".to_daft")),
        (
            "async def f():\n    if (t := catalog.load_table('a.b')):\n        t.name_mapping()",
            (3, "change", "Table.name_mapping"),
        ),
        ("f = lambda t: t.to_bodo()", (1, "change", ".to_bodo")),
        ("ex.EqualTo('a', 1).literal.value", (1, "change", ".literal.value")),
        ("{'write.py-location-provider.impl': 'x'}", (1, "change", '"write.py-location-provider.impl"')),
        ("{'py-io-impl': 'x'}", (1, "look", '"py-io-impl"')),
        ("table.scan(ex.NotEqualTo('a', 1))", (1, "look", "NotEqualTo")),
        ("table.scan('a not  in (1)')", (1, "look", "a filter with NOT IN")),
        ("table.delete(delete_filter='a IS NOT NAN')", (1, "look", "a filter with IS NOT NAN")),
        ("table.to_polars()", (1, "look", "Table.to_polars")),
        ("table.maintenance.expire_snapshots().older_than(x)", (1, "look", "ExpireSnapshots.older_than")),
        ("with table.update_sort_order() as u:\n    u.asc('a')", (2, "look", "UpdateSortOrder.asc")),
    ],
)
def test_what_must_change_is_found_where_it_stands(code, expected):
    assert found(code) == [expected]


@pytest.mark.parametrize(
    "code",
    [
        "table.append(rows)",
        "table.scan('a IN (1)').to_arrow()",
        "table.delete('a = 1')",
        "frame.where('a').limit(3).show()",
        "table = frame\ntable.io",
        "def f(table):\n    table.io",
        "file.content, thing.value, node.literal.kind",
        "class A:\n    def delete(self): ...\nA().delete()",
        "'a NOT IN (1)'",
        "session.filter('a NOT IN (1)')",
    ],
)
def test_what_can_stay_is_not_named(code):
    assert found(code) == []


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        ("import pyiceberg", "import floeberg"),
        ("import pyiceberg.catalog as c", "import floeberg.catalog as c"),
        (
            "from pyiceberg.catalog import load_catalog as l, Catalog",
            "from floeberg.catalog import load_catalog as l, Catalog",
        ),
        ("from pyiceberg.table import TableScan", "from floeberg import Scan"),
        (
            "from pyiceberg.table import DataScan, Transaction",
            "from floeberg.table import DataScan, Transaction",
        ),
        ("from pyiceberg.table.update.schema import UpdateSchema", "from floeberg import UpdateSchema"),
        ("from pyiceberg.manifest import DataFile", "not here: table.inspect has manifests"),
        ("from pyiceberg.utils.lazydict import LazyDict", "not here: nothing of this name"),
        ("from pyiceberg.catalog.sql import SqlCatalog", "from floeberg.catalog.sql import SqlCatalog"),
        ("import floeberg.manifest", "not here: table.inspect has manifests"),
    ],
)
def test_an_import_says_what_to_import_instead(line, instead):
    (change,) = changes_of(line)
    assert change.must and change.instead.startswith(instead)


@pytest.mark.parametrize(
    "code",
    [
        "import os\nos.table.io",
        "from . import pyiceberg",
        "import pyiceberger\nx.use_snapshot(1)",
        "import floeberg as fb\nfb.open_table('x').scan()",
        "",
    ],
)
def test_a_script_without_pyiceberg_stays_as_it_is(code):
    assert changes_of(code) == []


def test_a_script_that_was_changed_halfway_still_says_what_is_missing():
    code = "from floeberg.catalog import load_catalog\nload_catalog('c').load_table('n.t').to_bodo()"
    assert [(each.line, each.what) for each in changes_of(code)] == [(2, "Table.to_bodo")]


def test_scripts_that_run_the_same_need_other_imports_alone():
    # Those of the tests run in both libraries with the package's name changed.
    for name, code in SNIPPETS.items():
        must = [each for each in changes_of(code) if each.must]
        assert must, name
        assert all(each.what.startswith(("from pyiceberg", "import pyiceberg")) for each in must), name
        assert all(each.instead.startswith(("from floeberg", "import floeberg")) for each in must), name


def test_what_is_said_of_an_import_is_true():
    import importlib

    for whole in IMPORTED:
        # Each is PyIceberg's still, or needs a package that is not there.
        module, _, name = whole.rpartition(".")
        try:
            there = importlib.import_module(whole) is not None
        except ModuleNotFoundError as error:
            there = error.name != whole or hasattr(importlib.import_module(module), name)
        assert there, whole
    moved = [said.removeprefix("floeberg.") for said in IMPORTED.values() if said.startswith("floeberg.")]
    assert moved and set(moved) <= set(fb.__all__)
    assert all(said and not said.endswith(".") for said in MEANING.values())


@pytest.mark.parametrize(
    ("source", "kind", "said"),
    [
        ("def", InvalidInputError, "<script>:1:"),
        ("x = (", InvalidInputError, "this is not Python"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", InvalidInputError, "this is not Python"),
        (b"# coding: no-such\n", InvalidInputError, "this is not Python"),
        ("a\x00b", InvalidInputError, "this is not Python"),
        ("\ud800", InvalidInputError, "this is not Python"),
        (b"#" * (11 << 20), LimitExceededError, "at most 10 MiB"),
        ("import pyiceberg\n" + "x" + ".a" * 20_000, LimitExceededError, "nested too deeply"),
    ],
)
def test_what_is_no_script_is_a_typed_error(source, kind, said):
    with pytest.raises(kind, match=said):
        changes_of(source)


@pytest.mark.parametrize(
    ("code", "links"),
    [
        ("a.b.c\nx.y", 2),
        ("a()()[0]", 3),
        ("(a +\n b + # c\n c)", 2),
        ("not -x", 1),
        ("rows = [(1, 2), (3, 4), {'a': [5]}, (6,)]", 0),
        ("'a'.b", 1),
        ("a = 'unfinished", 0),
        ("\x00", 0),
        ("# coding: no-such\n", 0),
    ],
)
def test_the_links_of_a_chain_are_counted_and_data_has_none(code, links):
    assert longest_chain(code.encode()) == links


@pytest.mark.parametrize("link", [".b", "[0]", "()", "+a", " ** a"])
def test_long_chains_are_refused_where_they_would_crash(monkeypatch, link):
    from floeberg.migrate import _scripts

    monkeypatch.setattr(_scripts, "_LONG_CHAINS_CRASH", True)
    monkeypatch.setattr(_scripts, "_LINKS", 500)
    # Whether that is counted, and not only found by the parser.
    monkeypatch.setattr(_scripts.ast, "parse", None)
    with pytest.raises(LimitExceededError, match="nested too deeply"):
        changes_of("a" + link * 600)


@given(st.text(alphabet="pyicebrg.imoftaxl()[]{}:= \n'\"\\,*~@;0\t", max_size=80))
@settings(max_examples=200, deadline=None)
def test_any_text_is_looked_at_or_refused(text):
    try:
        changes = changes_of("from pyiceberg.table import Table\n" + text)
    except (InvalidInputError, LimitExceededError):
        return
    assert all(isinstance(each, Change) and each.line >= 1 and each.column >= 1 for each in changes)


def test_the_program_lists_and_says_by_its_exit_code_whether_something_must_change(tmp_path, capsys):
    (tmp_path / "inner").mkdir()
    old, fine = tmp_path / "inner" / "old.py", tmp_path / "fine.py"
    old.write_text("import pyiceberg\nraise SystemExit('the script was run')\n")
    fine.write_text("import floeberg\n")
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "other.py").write_text("import pyiceberg\n")
    assert main([str(fine)]) == 0
    assert capsys.readouterr().out == "0 must change, 0 mean something else\n"
    assert main([str(tmp_path)]) == 1
    assert capsys.readouterr().out == (
        f"{old}:1:1: change: import pyiceberg -> import floeberg\n1 must change, 0 mean something else\n"
    )
    assert main(["--json", str(old)]) == 1
    assert json.loads(capsys.readouterr().out) == [
        {
            "path": str(old),
            "line": 1,
            "column": 1,
            "what": "import pyiceberg",
            "instead": "import floeberg",
            "kind": "change",
        }
    ]


def test_the_program_names_what_it_cannot_look_at_and_goes_on(tmp_path, capsys):
    old, wrong, notebook = tmp_path / "old.py", tmp_path / "wrong.py", tmp_path / "a.ipynb"
    old.write_text("import pyiceberg\n")
    wrong.write_bytes(b"\x00\x01")
    notebook.write_text("{}")
    assert main([str(wrong), str(old)]) == 2
    shown = capsys.readouterr()
    assert f"{old}:1:1: change" in shown.out and "this is not Python" in shown.err
    assert main([str(tmp_path / "none.py")]) == 3
    assert "none.py" in capsys.readouterr().err
    assert main(["--json", str(notebook)]) == 2
    assert "jupyter nbconvert" in json.loads(capsys.readouterr().err)["error"]["message"]


def test_names_of_files_are_shown_whatever_is_in_them(tmp_path):
    name = "a\x1b[31m\nb\udcff\u00e9.py"
    (tmp_path / name).write_text("import pyiceberg\n")
    command = [sys.executable, "-m", "floeberg.migrate", str(tmp_path / name)]
    done = subprocess.run(
        command, capture_output=True, check=False, env={**os.environ, "PYTHONIOENCODING": "ascii"}
    )
    assert done.returncode == 1
    assert done.stdout.splitlines()[0].endswith(
        rb"a\x1b[31m\nb\udcff\xe9.py:1:1: change: import pyiceberg -> import floeberg"
    )
    assert len(done.stdout.splitlines()) == 2


def test_a_module_that_needs_another_package_is_there(monkeypatch):
    from floeberg.migrate import _imports

    def missing(_name):
        raise ModuleNotFoundError("No module named 'httpx'", name="httpx")

    monkeypatch.setattr(_imports, "import_module", missing)
    _imports._is_there.cache_clear()
    (change,) = changes_of("from pyiceberg.catalog.rest import RestCatalog")
    assert change.instead == "from floeberg.catalog.rest import RestCatalog"
    _imports._is_there.cache_clear()


def test_the_program_needs_no_package_of_the_command_line(tmp_path):
    script = tmp_path / "old.py"
    script.write_text("from pyiceberg.catalog.sql import SqlCatalog\n")
    code = (
        "import sys\nfor name in ('typer', 'rich', 'sqlalchemy', 'pyiceberg', 'pyarrow'): sys.modules[name] = None\n"
        f"import runpy\nsys.argv = ['migrate', {str(script)!r}]\n"
        "runpy.run_module('floeberg.migrate', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert "-> from floeberg.catalog.sql import SqlCatalog" in done.stdout
