"""The reference has every public name, and no other."""

from __future__ import annotations

import importlib
import inspect
import re

import pytest
from cargo_workspace import ROOT

import floeberg
from public_names import public_modules, public_names, public_values

DIRECTIVE = re.compile(
    r"^\.\. (automodule|autoclass|autofunction|autodata|py:class):: ([\w.]+)$", flags=re.MULTILINE
)
PAGES = sorted((ROOT / "docs" / "reference").glob("*.md"))


def directives() -> list[tuple[str, str]]:
    """What the pages of the reference ask Sphinx for, or say by hand of a class of the binary."""
    return [found for page in PAGES for found in DIRECTIVE.findall(page.read_text(encoding="utf-8"))]


def value_of(name: str) -> object:
    """What a whole name stands for."""
    module, _, last = name.rpartition(".")
    return getattr(importlib.import_module(module), last)


def documented(kind: str, name: str) -> dict[int, object]:
    """What a directive documents, by identity: of a module its classes and functions. An alias has no docstring."""
    if kind != "automodule":
        values = [value_of(name)]
    else:
        named = public_values(importlib.import_module(name)).values()
        values = [value for value in named if inspect.isclass(value) or inspect.isfunction(value)]
    return {id(value): value for value in values}


def test_every_public_name_is_on_a_page():
    # By identity: `floeberg.Catalog` is on the page of `floeberg.catalog.Catalog`.
    there = {each for kind, name in directives() for each in documented(kind, name)}
    missing = [name for name, value in public_names().items() if id(value) not in there]
    assert missing == [], "name them on a page of docs/reference"


def test_every_method_of_a_table_is_in_the_summary_and_in_a_group():
    page = (ROOT / "docs" / "reference" / "tables.md").read_text(encoding="utf-8")
    methods = [f"Table.{name}" for name in dir(floeberg.Table) if not name.startswith("_")]
    summary = re.findall(r"^   (Table\.\w+)$", page, flags=re.MULTILINE)
    described = re.findall(r"^\.\. auto(?:method|property):: floeberg\.(\S+)$", page, flags=re.MULTILINE)
    assert summary == described
    assert sorted(described) == methods
    assert page.index("autosummary") < page.index("automethod")


def test_the_reference_knows_the_names_of_every_kind():
    modules = public_modules()
    assert {"floeberg", "floeberg.catalog.sql", "floeberg.errors", "floeberg.spark"} <= set(modules)
    assert len(public_names()) > 100


@pytest.mark.parametrize(("kind", "name"), directives())
def test_a_directive_names_what_is_there(kind, name):
    is_of_the_kind = {"autoclass": inspect.isclass, "autofunction": inspect.isfunction}.get(kind)
    if kind == "automodule":
        importlib.import_module(name)
    elif is_of_the_kind is None:
        value_of(name)
    else:
        assert is_of_the_kind(value_of(name))


def test_nothing_is_documented_twice():
    seen: dict[int, str] = {}
    for kind, name in directives():
        for each, value in documented(kind, name).items():
            assert each not in seen, f"{value} is documented by {seen[each]} and by {name}"
            seen[each] = name
