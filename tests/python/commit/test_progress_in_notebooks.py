"""Progress in a notebook: one output of the cell, shown again with each report."""

from __future__ import annotations

import sys
import types
from uuid import uuid4

import pyarrow as pa
import pytest

import floeberg as fb


class Handle:
    def __init__(self, shown: list) -> None:
        self.shown = shown

    def update(self, value) -> None:
        self.shown.append(value)


@pytest.fixture
def notebook(monkeypatch):
    """A notebook's shell, and what its cell showed."""
    shown: list = []

    def display(value, *, display_id):
        assert display_id is True
        shown.append(value)
        return Handle(shown)

    ipython, shell = types.ModuleType("IPython"), types.SimpleNamespace(kernel=object())
    ipython.get_ipython = lambda: shell
    ipython.display = types.ModuleType("IPython.display")
    ipython.display.display = display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", ipython.display)
    return types.SimpleNamespace(shown=shown, shell=shell)


@pytest.fixture
def table():
    catalog = fb.load_catalog(f"notebook {uuid4()}", type="memory")
    catalog.create_namespace("db")
    return catalog.create_table("db.t", as_select=pa.table({"id": [1, 2, 3]}))


def test_a_bar_is_shown_and_filled_at_the_end(notebook, table, capsys):
    table.delete("id = 2", progress=True)
    assert len(notebook.shown) >= 2
    last = notebook.shown[-1]
    assert "committing" in repr(last)
    assert '<progress value="1" max="1" aria-label="committing"></progress>' in last._repr_html_()
    assert capsys.readouterr() == ("", "")


def test_a_terminal_gets_its_line(notebook, table, capsys):
    del notebook.shell.kernel
    table.delete("id = 2", progress=True)
    assert notebook.shown == []
    assert "committing" in capsys.readouterr().err


def test_what_fails_leaves_the_last_report(notebook, table):
    with pytest.raises(fb.errors.FloebergError):
        table.append(pa.table({"other": [1]}), progress=True)
    assert not any('value="1" max="1"' in each._repr_html_() for each in notebook.shown)
